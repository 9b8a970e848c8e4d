// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp's items in registers, striped: a row has `Neighbours` neighbours of every lane, so that it
// is one coalesced access of 4 bytes a lane or more. Item i of a lane is number i % Neighbours of
// its neighbours in row i / Neighbours.
#pragma once

#include <hindsight/detail/async_copy.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/loads.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// How many neighbours a lane has in a row, for items of type T.
template <class T>
inline constexpr int striped_neighbours = sizeof(T) == 1   ? 4
                                          : sizeof(T) == 2 ? 2
                                                           : 1;

/// Where item i of a lane is, counted from its item 0. (That of lane l is item Neighbours * l of
/// the warp.)
template <int Neighbours>
HINDSIGHT_DEVICE constexpr int striped_position(int i) {
  return i / Neighbours * Neighbours * warp_lanes + i % Neighbours;
}

template <class T, class It>
inline constexpr bool is_pointer_to =
    std::is_pointer_v<It>&& std::is_same_v<std::remove_cv_t<std::remove_pointer_t<It>>, T>;

template <class T>
HINDSIGHT_DEVICE bool is_aligned_to(std::size_t bytes, const T* p) {
  return reinterpret_cast<std::uintptr_t>(p) % bytes == 0;
}

/// One access of so many bytes; void if there is none.
template <int Bytes>
using access_of = std::conditional_t<
    Bytes == 2, unsigned short,
    std::conditional_t<
        Bytes == 4, unsigned,
        std::conditional_t<Bytes == 8, uint2, std::conditional_t<Bytes == 16, uint4, void>>>>;

/// Wide items move word by word: so neighbouring lanes touch neighbouring words.
template <class T>
inline constexpr bool is_wide = (sizeof(T) > 16) && alignof(T) % 4 == 0;
template <class T, class It>
inline constexpr bool moves_in_words =
    is_pointer_to<T, It>&& std::is_trivially_copyable_v<T>&& is_wide<T>;
template <class T>
using item_word = access_of<alignof(T) >= 16  ? 16
                            : alignof(T) >= 8 ? 8
                                              : 4>;
template <class T>
inline constexpr int item_words = int(sizeof(T) / sizeof(item_word<T>));

/// A slot of shared memory for an item. Behind a wide one there is a pad, so that words at the same
/// place of all slots lie in different banks.
template <class T>
class padded_item {
 public:
  HINDSIGHT_DEVICE const T& get() const { return item_.get(); }
  HINDSIGHT_DEVICE void set(const T& value) { item_.set(value); }

 private:
  uninitialized<T> item_;
  alignas(alignof(T)) unsigned char pad_[alignof(T)];
};
template <class T>
using staging_slot =
    std::conditional_t<is_wide<T> && alignof(T) < 16 && sizeof(T) / alignof(T) % 2 == 0,
                       padded_item<T>, uninitialized<T>>;

/// Word w of the items in slots.
template <template <class> class Slot, class T>
HINDSIGHT_DEVICE item_word<T>& word_in_slots(Slot<T>* first, int w) {
  const auto place = static_cast<unsigned>(w);
  return reinterpret_cast<item_word<T>*>(first + place / item_words<T>)[place % item_words<T>];
}
template <template <class> class Slot, class T>
HINDSIGHT_DEVICE const item_word<T>& word_in_slots(const Slot<T>* first, int w) {
  return cuda::word_in_slots(const_cast<Slot<T>*>(first), w);
}

/// Whether load_striped() loads each item of a full tile by one instruction. The compiler would
/// merge ordinary loads with those of a partial tile, which take four instructions for each item.
template <class T, class It>
inline constexpr bool loads_items_alone = is_pointer_to<T, It> && sizeof(T) == alignof(T) &&
                                          (sizeof(T) <= most_lone_load_bytes);

/// Loads this lane's items that exist. `in` is the place of its item 0; `left` items exist from
/// there on. The other items repeat in[0], or in[left - 1] if in[0] does not exist: so operators
/// see real values only. Without FillsUp an iterator that computes its items computes none for
/// them: it may change something, and then must do so once for each item.
template <int Neighbours, bool FillsUp = true, class It, class T, int LaneItems>
HINDSIGHT_DEVICE void load_striped(It in, std::ptrdiff_t left,
                                   uninitialized<T> (&items)[LaneItems]) {
  const bool all_exist = left > striped_position<Neighbours>(LaneItems - 1);
  using access = access_of<Neighbours* int(sizeof(T))>;
  if constexpr (Neighbours > 1 && !std::is_void_v<access> && is_pointer_to<T, It>) {
    if (all_exist && cuda::is_aligned_to(sizeof(access), in)) {
      HINDSIGHT_UNROLL
      for (int i = 0; i < LaneItems; i += Neighbours) {
        const access row = *reinterpret_cast<const access*>(in + striped_position<Neighbours>(i));
        memcpy(static_cast<void*>(&items[i]), &row, sizeof row);
      }
      return;
    }
  }
  if (all_exist) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) {
      if constexpr (loads_items_alone<T, It>) {
        const std::uint64_t bits =
            ptx::load_streaming_item<sizeof(T)>(in + striped_position<Neighbours>(i));
        memcpy(static_cast<void*>(&items[i]), &bits, sizeof(T));
      } else {
        items[i].set(cuda::to_copy<T>(in[striped_position<Neighbours>(i)]));
      }
    }
  } else {
    const std::ptrdiff_t fallback = left > 0 ? 0 : left - 1;
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) {
      const int at = striped_position<Neighbours>(i);
      if constexpr (FillsUp || std::is_pointer_v<It>) {
        items[i].set(cuda::to_copy<T>(in[at < left ? at : fallback]));
      } else {
        if (at < left) items[i].set(cuda::to_copy<T>(in[at]));
      }
    }
  }
}

/// The same. Wide items of an array pass through the warp's slots in shared memory, from `first`
/// on.
template <int Neighbours, bool FillsUp = true, class Slot, class It, class T, int LaneItems>
HINDSIGHT_DEVICE void load_striped_through(Slot* first, It in, std::ptrdiff_t left,
                                           uninitialized<T> (&items)[LaneItems]) {
  if constexpr (moves_in_words<T, It>) {
    static_assert(Neighbours == 1);
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    if (left + lane >= warp_lanes * LaneItems) {  // for all lanes or none
      const auto from = reinterpret_cast<const item_word<T>*>(in - lane);
      HINDSIGHT_UNROLL_BY(8)
      for (int w = lane; w < warp_lanes * LaneItems * item_words<T>; w += warp_lanes)
        __pipeline_memcpy_async(&cuda::word_in_slots(first, w), from + w, sizeof(item_word<T>));
      __pipeline_commit();
      __pipeline_wait_prior(0);
      __syncwarp();
      HINDSIGHT_UNROLL
      for (int i = 0; i < LaneItems; ++i) items[i].set(first[i * warp_lanes + lane].get());
      return;
    }
  }
  cuda::load_striped<Neighbours, FillsUp>(in, left, items);
}

/// Calls visit(i, is_set, rank) for each item i of this lane. Bit i of `bits` says whether the item
/// is set; `rank` is `first_rank` plus the number of set items before it in the warp.
template <int Neighbours, int LaneItems, class Visit>
HINDSIGHT_DEVICE void rank_striped(unsigned bits, int first_rank, Visit visit) {
  const auto visit_row = [&](int row, int rank) {
    HINDSIGHT_UNROLL
    for (int i = row * Neighbours; i < (row + 1) * Neighbours; ++i) {
      const bool is_set = bits >> i & 1;
      visit(i, is_set, rank);
      rank += is_set;
    }
  };
  constexpr int rows = LaneItems / Neighbours;
  if constexpr (Neighbours == 1) {
    HINDSIGHT_UNROLL
    for (int row = 0; row < rows; ++row) {
      const unsigned ballot = __ballot_sync(all_lanes, bits >> row & 1);
      visit_row(row, first_rank + __popc(ballot & ptx::lanes_below()));
      first_rank += __popc(ballot);
    }
  } else {
    constexpr int packed = 4;  // rows whose counts, of up to 128 each, share a word
    HINDSIGHT_UNROLL
    for (int begin = 0; begin < rows; begin += packed) {
      unsigned counts = 0;
      HINDSIGHT_UNROLL
      for (int row = begin; row < begin + packed && row < rows; ++row)
        counts |= __popc(bits >> row * Neighbours & ((1u << Neighbours) - 1)) << 8 * (row - begin);
      const unsigned through = cuda::warp_inclusive_fold(counts, ::cuda::std::plus<unsigned>{});
      const unsigned before = through - counts,
                     totals = cuda::shuffle_from(through, warp_lanes - 1);
      HINDSIGHT_UNROLL
      for (int row = begin; row < begin + packed && row < rows; ++row) {
        visit_row(row, first_rank + static_cast<int>(before >> 8 * (row - begin) & 255));
        first_rank += static_cast<int>(totals >> 8 * (row - begin) & 255);
      }
    }
  }
}

/// How many more slots than items staging needs, where items leave in words: to align a second
/// part, and for the word that store_staged() reads past the end.
template <class T>
inline constexpr int staging_slack = striped_neighbours<T> > 1 ? 2 * striped_neighbours<T> : 0;

/// The first place from `place` on that is aligned to words.
template <class T>
HINDSIGHT_DEVICE int aligned_place(int place) {
  constexpr int neighbours = striped_neighbours<T>;
  return (place + neighbours - 1) / neighbours * neighbours;
}

/// out[0, count) = staged[0, count), by a whole block; `staged` begins at an aligned place.
template <int BlockThreads, template <class> class Slot, class T, class OutputIt>
HINDSIGHT_DEVICE void store_staged(const Slot<T>* staged, int count, OutputIt out) {
  const int thread = static_cast<int>(threadIdx.x);
  constexpr int neighbours = striped_neighbours<T>;
  if constexpr (neighbours > 1 && is_pointer_to<T, OutputIt>) {
    if constexpr (alignof(T) < sizeof(T)) {
      if (!cuda::is_aligned_to(sizeof(T), out)) {  // no item begins with a word
        for (int j = thread; j < count; j += BlockThreads) out[j] = staged[j].get();
        return;
      }
    }
    const auto past_word =
        static_cast<int>(reinterpret_cast<std::uintptr_t>(out) / sizeof(T) % neighbours);
    const int head = min(count, (neighbours - past_word) % neighbours);
    const int num_words = (count - head) / neighbours;
    if (thread < head) out[thread] = staged[thread].get();
    const auto from = reinterpret_cast<const unsigned*>(staged);
    const auto to = reinterpret_cast<unsigned*>(out + head);
    for (int w = thread; w < num_words; w += BlockThreads)
      to[w] = __funnelshift_r(from[w], from[w + 1], head * 8 * int(sizeof(T)));
    const int tail = head + num_words * neighbours + thread;
    if (tail < count) out[tail] = staged[tail].get();
  } else if constexpr (moves_in_words<T, OutputIt>) {
    const auto to = reinterpret_cast<item_word<T>*>(out);
    HINDSIGHT_UNROLL_BY(4)
    for (int w = thread; w < count * item_words<T>; w += BlockThreads)
      to[w] = cuda::word_in_slots(staged, w);
  } else {
    for (int j = thread; j < count; j += BlockThreads) out[j] = staged[j].get();
  }
}

/// The sum of counts[0, count).
HINDSIGHT_DEVICE unsigned sum_first(const unsigned* counts, int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; ++i) sum += counts[i];
  return sum;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
