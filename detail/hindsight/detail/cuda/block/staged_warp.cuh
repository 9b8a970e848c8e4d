// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp's items, staged in shared memory. Global memory sees neighbouring lanes touch neighbouring
// addresses; each lane sees its own `LaneItems` neighbours. Both views are free of bank conflicts.
#pragma once

#include <hindsight/detail/async_copy.cuh>
#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/loads.h>

#include <cuda/std/functional>
#include <cuda/std/utility>
#include <thrust/addressof.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// `AtOnce` items are read before the first of them is written: for all that the compiler knows, an
/// input might be shared memory, so it would wait for each read by itself. LaneItems is a
/// multiple of it.
template <class T, int LaneItems, int AtOnce = staged_at_once<LaneItems>>
class staged_warp {
  static_assert(LaneItems % AtOnce == 0);

 public:
  static constexpr int items = warp_lanes * LaneItems;

  /// Items that move in one 16-byte access; 1 for types that do not fill one.
  static constexpr int choose_piece_items() {
    if constexpr (sizeof(T) <= 16 && 16 % sizeof(T) == 0) {
      constexpr int fitting = 16 / int(sizeof(T));
      if (LaneItems % fitting == 0) return fitting;
    }
    return 1;
  }
  static constexpr int piece_items = choose_piece_items();
  static constexpr int lane_pieces = LaneItems / piece_items;
  using piece = T[piece_items];

  HINDSIGHT_DEVICE T& operator[](int i) {
    if constexpr (sizeof(piece) == 16 && lane_pieces % 2 != 0) {
      return reinterpret_cast<T*>(bytes_)[i];  // at() permutes nothing
    }
    const auto place = static_cast<unsigned>(i);  // so that a division is a shift
    return at(place / LaneItems, place % LaneItems / piece_items)[place % piece_items];
  }
  /// The i-th of this lane's items.
  HINDSIGHT_DEVICE T& lane_item(int i) {
    return at(static_cast<unsigned>(lane_index()),
              static_cast<unsigned>(i / piece_items))[i % piece_items];
  }

  /// Copies in[0, items). Each lane's own share may be read after it.
  template <class It>
  HINDSIGHT_DEVICE void load(It in) {
    begin_load(in);
    finish_loads();
  }

  /// The same in two steps, so that several such objects can be filled at the same time.
  template <class It>
  HINDSIGHT_DEVICE void begin_load(It in) {
    if constexpr (moves_in_pieces<It>) {
      if (is_aligned(in)) {
        begin_copy(in);
        __pipeline_commit();
        return;
      }
    }
    if constexpr (copies_items<It>) {
      HINDSIGHT_UNROLL_BY(8)
      for (int i = 0; i < LaneItems; ++i)
        __pipeline_memcpy_async(::cuda::std::addressof(item_in_row(i)),
                                in + i * warp_lanes + lane_index(), sizeof(T));
      __pipeline_commit();
    } else if constexpr (moves_in_words<T, It>) {
      const auto from = reinterpret_cast<const item_word<T>*>(in);
      HINDSIGHT_UNROLL_BY(8)
      for (int w = lane_index(); w < warp_lanes * share_words; w += warp_lanes)
        __pipeline_memcpy_async(&word_at(w), from + w, sizeof(item_word<T>));
      __pipeline_commit();
    } else {
      load_rows(in);
    }
  }
  /// The copy alone. Requires that `in` is a multiple of 16 bytes, and that a piece has 16 bytes.
  HINDSIGHT_DEVICE void begin_copy(const T* in) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_pieces; ++i) {
      const int p = i * warp_lanes + lane_index();
      __pipeline_memcpy_async(&piece_in_row(i), in + p * piece_items, 16);
    }
  }
  static HINDSIGHT_DEVICE void finish_loads() {
    __pipeline_wait_prior(0);
    __syncwarp();
  }

  /// As load(), of the `count` items that exist; places past them repeat the last one, so that
  /// operators see real values only. `count` may be 0 or less if in[count - 1] exists all the same.
  template <class It>
  HINDSIGHT_DEVICE void load_partial(It in, std::ptrdiff_t count) {
    if constexpr (moves_in_pieces<It>) {
      if (is_aligned(in)) return load_existing(in, count);
    }
    if constexpr (copies_items<It>) {
      load_existing_items(in, count);
    } else {
      load_existing_rows(in, count);
    }
  }

  /// As begin_load(), of the `count` items that exist, at any address. It does not wait for them
  /// where the hardware can copy single items so; there it always ends a group of copies.
  template <class It>
  HINDSIGHT_DEVICE void begin_load_any(It in, int count) {
    if constexpr (copies_items<It>) {
      if (count >= items) {
        begin_load(in);
        return;
      }
      if (count > 0) {
        HINDSIGHT_UNROLL
        for (int i = 0; i < LaneItems; ++i) {
          const int j = i * warp_lanes + lane_index();
          __pipeline_memcpy_async(::cuda::std::addressof(item_in_row(i)),
                                  in + (j < count ? j : count - 1), sizeof(T));
        }
      }
      __pipeline_commit();
    } else if (count >= items) {
      load_rows(in);
    } else if (count > 0) {
      load_existing_rows(in, count);
    }
  }
  /// Waits for all groups but the last.
  static HINDSIGHT_DEVICE void finish_earlier_loads() {
    __pipeline_wait_prior(1);
    __syncwarp();
  }

  template <class It>
  HINDSIGHT_DEVICE void store(It out) {
    __syncwarp();
    if constexpr (moves_in_pieces<It>) {
      if (is_aligned(out)) {
        HINDSIGHT_UNROLL
        for (int i = 0; i < lane_pieces; ++i) {
          const int p = i * warp_lanes + lane_index();
          ptx::store_streaming(out + p * piece_items,
                               reinterpret_cast<const uint4&>(piece_in_row(i)));
        }
        return;
      }
    }
    if constexpr (moves_in_words<T, It>) {
      const auto to = reinterpret_cast<item_word<T>*>(out);
      HINDSIGHT_UNROLL_BY(8)
      for (int w = lane_index(); w < warp_lanes * share_words; w += warp_lanes) to[w] = word_at(w);
    } else {
      HINDSIGHT_UNROLL_BY(8)
      for (int i = 0; i < LaneItems; ++i)
        out[i * warp_lanes + lane_index()] = ::cuda::std::as_const(item_in_row(i));
    }
  }

  template <class It>
  HINDSIGHT_DEVICE void store_partial(It out, std::ptrdiff_t count) {
    __syncwarp();
    if constexpr (moves_in_pieces<It>) {
      if (is_aligned(out)) {
        const int number = existing(count), pieces = number / piece_items;
        HINDSIGHT_ROLL
        for (int i = 0; i < lane_pieces; ++i) {
          const int p = i * warp_lanes + lane_index();
          if (p >= pieces) continue;
          ptx::store_streaming(out + p * piece_items,
                               reinterpret_cast<const uint4&>(piece_in_row(i)));
        }
        const int j = pieces * piece_items + lane_index();
        if (j < number) out[j] = ::cuda::std::as_const((*this)[j]);
        return;
      }
    }
    HINDSIGHT_UNROLL_BY(4)
    for (int i = 0; i < LaneItems; ++i) {
      const int j = i * warp_lanes + lane_index();
      if (j < count) out[j] = ::cuda::std::as_const(item_in_row(i));
    }
  }

  template <class It>
  static constexpr bool moves_in_pieces = std::is_pointer_v<It> && sizeof(piece) == 16 &&
                                          std::is_trivially_copyable_v<T>&& std::is_same_v<
                                              std::remove_cv_t<std::remove_pointer_t<It>>, T>;

  template <class It>
  static constexpr bool copies_items = moves_in_pieces<It> && sizeof(T) >= 4 &&
                                       alignof(T) == sizeof(T);

  static HINDSIGHT_HD bool is_aligned(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
  }

 private:
  /// How many of `count` items are this warp's; `count` may be negative.
  static HINDSIGHT_DEVICE int existing(std::ptrdiff_t count) {
    return static_cast<int>(
        ::cuda::std::max<std::ptrdiff_t>(0, ::cuda::std::min<std::ptrdiff_t>(count, items)));
  }

  /// load_partial() from a multiple of 16 bytes, all of it under way at once: a launch waits for
  /// its last tile.
  HINDSIGHT_DEVICE void load_existing(const T* in, std::ptrdiff_t count) {
    const int number = existing(count), pieces = number / piece_items;
    const int j = pieces * piece_items + lane_index();
    const T last = in[count - 1], own_of_tail = in[j < number ? j : count - 1];
    HINDSIGHT_ROLL
    for (int i = 0; i < lane_pieces; ++i) {
      const int p = i * warp_lanes + lane_index();
      if (p < pieces) __pipeline_memcpy_async(&piece_in_row(i), in + p * piece_items, 16);
    }
    __pipeline_commit();
    HINDSIGHT_ROLL
    for (int i = 0; i < lane_pieces; ++i) {
      const int p = i * warp_lanes + lane_index();
      HINDSIGHT_UNROLL
      for (int k = 0; k < piece_items; ++k) {
        if (p * piece_items + k >= number) piece_in_row(i)[k] = last;
      }
    }
    if (j < number) (*this)[j] = own_of_tail;
    finish_loads();
  }

  /// The same from other addresses, item by item.
  HINDSIGHT_DEVICE void load_existing_items(const T* in, std::ptrdiff_t count) {
    const T last = in[count - 1];
    HINDSIGHT_UNROLL_BY(4)
    for (int i = 0; i < LaneItems; ++i) {
      const int j = i * warp_lanes + lane_index();
      if (j < count) {
        __pipeline_memcpy_async(::cuda::std::addressof(item_in_row(i)), in + j, sizeof(T));
      } else {
        item_in_row(i) = last;
      }
    }
    __pipeline_commit();
    finish_loads();
  }

  /// (*this)[j] = in[j]: rows are at distances that the compiler knows.
  template <class It>
  HINDSIGHT_DEVICE void load_rows(It in) {
    const It own = in + lane_index();
    HINDSIGHT_UNROLL_BY(LaneItems <= 2 * AtOnce ? 2 : 1)
    for (int i = 0; i < LaneItems; i += AtOnce) {
      uninitialized<T> read[AtOnce];
      HINDSIGHT_UNROLL
      for (int b = 0; b < AtOnce; ++b) read[b].set(cuda::as_item<T>(own[(i + b) * warp_lanes]));
      HINDSIGHT_UNROLL
      for (int b = 0; b < AtOnce; ++b) item_in_row(i + b) = read[b].get();
    }
    __syncwarp();
  }
  /// The same of the `count` items that exist. All others are the last of these.
  template <class It>
  HINDSIGHT_DEVICE void load_existing_rows(It in, std::ptrdiff_t count) {
    const It own = in + lane_index();
    const int end = existing(count) - lane_index();
    const std::ptrdiff_t last = count - 1 - lane_index();
    HINDSIGHT_ROLL
    for (int i = 0; i < LaneItems; i += AtOnce) {
      uninitialized<T> read[AtOnce];
      HINDSIGHT_UNROLL
      for (int b = 0; b < AtOnce; ++b) {
        const int j = (i + b) * warp_lanes;
        read[b].set(cuda::as_item<T>(own[j < end ? j : last]));
      }
      HINDSIGHT_UNROLL
      for (int b = 0; b < AtOnce; ++b) item_in_row(i + b) = read[b].get();
    }
    __syncwarp();
  }

  /// Pieces of 16 bytes lie in lines of eight, which have each bank once. Eight neighbouring lanes
  /// that move pieces to or from global memory fill a line: no conflict. But the pieces that they
  /// own are `lane_pieces` apart, and only 8 / divisor of them would lie in different columns. So
  /// the columns are permuted by an exclusive or, with another number for the next 8 / divisor
  /// lanes. (Padding would avoid the conflicts too. But a line that cp.async has to lay across two
  /// lines of shared memory is read twice from the second-level cache.)
  HINDSIGHT_DEVICE piece& at(unsigned lane, unsigned p) {
    if constexpr (sizeof(piece) == line_bytes / line_pieces) {
      constexpr unsigned divisor = lane_pieces % 8 == 0   ? 8
                                   : lane_pieces % 4 == 0 ? 4
                                   : lane_pieces % 2 == 0 ? 2
                                                          : 1;
      const unsigned index = lane * lane_pieces + p, line = index / line_pieces;
      const unsigned column = index % line_pieces ^ line / (lane_pieces / divisor) % divisor;
      return reinterpret_cast<piece*>(bytes_)[line * line_pieces + column];
    } else {
      return reinterpret_cast<piece*>(bytes_ + lane * padded_share_bytes)[p];
    }
  }

  /// Piece i * RowPieces + l of the items, l < RowPieces. Where the exclusive or of the columns
  /// splits into one of l and one of i, the compiler knows the distances between rows.
  template <int RowPieces>
  HINDSIGHT_DEVICE piece& in_row(int i, int l) {
    if constexpr (sizeof(piece) == line_bytes / line_pieces && RowPieces % line_pieces == 0 &&
                  (lane_pieces & (lane_pieces - 1)) == 0) {
      constexpr int divisor = lane_pieces % 8 == 0 ? 8 : lane_pieces;
      constexpr int lines = lane_pieces / divisor, row_lines = RowPieces / line_pieces;
      const int line = l / line_pieces;
      const int column = l % line_pieces ^ line / lines % divisor;
      const int flip = i * row_lines / lines % divisor;
      return reinterpret_cast<piece*>(
          bytes_)[i * RowPieces + ((line * line_pieces + column) ^ flip)];
    } else {
      const auto p = static_cast<unsigned>(i * RowPieces + l);
      return at(p / lane_pieces, p % lane_pieces);
    }
  }
  /// This lane's piece, or its item, of row i. A row has one for each lane.
  HINDSIGHT_DEVICE piece& piece_in_row(int i) { return in_row<warp_lanes>(i, lane_index()); }
  HINDSIGHT_DEVICE T& item_in_row(int i) {
    return in_row<warp_lanes / piece_items>(i,
                                            lane_index() / piece_items)[lane_index() % piece_items];
  }

  /// Word w of all items. A lane's share is followed by a pad, so that words at the same place of
  /// all shares lie in different banks.
  HINDSIGHT_DEVICE item_word<T>& word_at(int w) {
    const auto place = static_cast<unsigned>(w);
    return reinterpret_cast<item_word<T>*>(bytes_ + place / share_words *
                                                        padded_share_bytes)[place % share_words];
  }

  static constexpr int line_bytes = 128, line_pieces = 8;
  static constexpr int share_bytes = LaneItems * int(sizeof(T));
  static constexpr int share_words = LaneItems * item_words<T>;
  /// A pad of whole lines would change no bank.
  static constexpr bool is_padded =
      sizeof(piece) < 16 || (sizeof(piece) > 16 && int(alignof(T)) < line_bytes &&
                             share_bytes / int(alignof(T)) % 2 == 0);
  static constexpr int padded_share_bytes = share_bytes + (is_padded ? int(alignof(T)) : 0);
  alignas(line_bytes) unsigned char bytes_[warp_lanes * padded_share_bytes];
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
