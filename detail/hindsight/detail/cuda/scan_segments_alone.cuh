// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of few items in segments: one launch, in which no block needs another. Mostly the
// segment that is open where a block's tile begins has begun in the tile before: the block folds
// that part again. Of a longer one it reads what earlier blocks have published, and folds again
// what they have not. All is done in the association of look_back.cuh.
#pragma once

#include <hindsight/detail/board/tile_board.h>
#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/segment_scanner.cuh>
#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/segments.h>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/zeroed_memory.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What tiles hand on to later ones: of a segment that is open behind a tile, the part that lies in
/// it. No block needs to know it, and where there is no room none is published.
///   of_tile  [tiles], empty at the start, or null
template <class T>
struct published_runs {
  slot<open_run<T>>* of_tile;

  HINDSIGHT_DEVICE void publish(unsigned tile, const open_run<T>& run) const {
    if (of_tile) of_tile[tile].publish(run);
  }
  /// True, and the run, if it has been published.
  HINDSIGHT_DEVICE bool peek(unsigned tile, open_run<T>& run) const {
    return of_tile && of_tile[tile].peek(run);
  }
};

template <class T, int LaneItems, int Warps>
struct scan_alone_storage : segment_scan_storage<T, LaneItems, Warps> {
  staged_warp<T, LaneItems> earlier[Warps];
  uninitialized<T> parts[window_tiles][Warps];     ///< of a window's tiles, folded warp by warp
  uninitialized<open_run<T>> runs[window_tiles];   ///< what chunks of this window hand on
  uninitialized<open_run<T>> window_carry, carry;  ///< into the window; into the next chunk
  static constexpr std::size_t most_windows = segment_scan_alone_tuning::most_windows;
  uninitialized<open_run<T>> windows[most_windows];  ///< what the tiles of a window hand on
  bool is_known[most_windows];                       ///< all these tiles have published it
  unsigned open_begin;  ///< where the segment begins that is open before the block's tile, or else
                        ///< where the tile begins
};

/// The offsets of all segments, unless there are many. The block's threads read them while they
/// wait for the number of items. Of offsets, the low 32 bits are enough for so few items.
template <unsigned Threads>
struct segments_of_thread {
  static constexpr unsigned most = segment_scan_alone_tuning::segments_of_thread;
  unsigned begins[most], ends[most];
  std::size_t num_segments;

  template <class OffsetIt>
  HINDSIGHT_DEVICE segments_of_thread(OffsetIt offsets, std::size_t all) : num_segments{all} {
    if (are_many()) return;
    each([&](unsigned j, unsigned s) {
      begins[j] = static_cast<unsigned>(offsets[s]);
      ends[j] = static_cast<unsigned>(offsets[s + 1]);
    });
  }
  HINDSIGHT_DEVICE bool are_many() const { return num_segments > most * Threads; }
  /// Calls f(j, s) for this thread's j-th segment s.
  template <class F>
  HINDSIGHT_DEVICE void each(F f) const {
    const auto count = static_cast<unsigned>(num_segments);
    HINDSIGHT_UNROLL
    for (unsigned j = 0; j < most; ++j) {
      if (j * Threads >= count) break;
      const unsigned s = j * Threads + threadIdx.x;
      if (s < count) f(j, s);
    }
  }
};

/// A block that needs no other one.
template <class Scanner, class Append>
struct scanner_alone {
  using T = typename Scanner::value_type;
  static constexpr tile_shape shape = Scanner::shape;
  static constexpr unsigned tile_items = shape.tile_items();
  using storage = scan_alone_storage<T, shape.lane_items, shape.warps>;
  using staged_items = staged_warp<T, shape.lane_items>;
  using segments = segments_of_thread<shape.block_threads()>;

  Scanner& block;
  Append append;
  storage& shared;
  published_runs<T> runs{};

  /// What need not wait for memory.
  static HINDSIGHT_DEVICE void begin(unsigned tile, storage& shared) {
    shared.heads.clear(static_cast<int>(threadIdx.x), shape.block_threads());
    if (threadIdx.x == 0) shared.open_begin = tile * tile_items;
  }
  /// Scans a tile by itself, of n items in all. Called after begin(tile) and a barrier.
  HINDSIGHT_DEVICE void scan(unsigned tile, unsigned n, const segments& some) {
    load(tile, n, some);
    const unsigned from = shared.open_begin / tile_items;
    const bool is_next = from + 1 == tile;
    if (is_next) fold_part(shared.earlier[warp_index()], from);
    const open_run<T> run = block.fold_loaded();  // a barrier is in it
    if (threadIdx.x == 0) runs.publish(tile, run);
    uninitialized<open_run<T>> carry;
    if (is_next) {
      if (block.needs_carry()) carry.set(join_parts(from));
    } else if (from < tile) {
      carry.set(join_tiles(from, tile));
    }
    block.write(carry);
  }

  /// Scans chunks [first, last) of so many tiles each, one after the other.
  HINDSIGHT_DEVICE void scan_chunks(std::size_t first, std::size_t last, std::size_t chunk_tiles) {
    const std::size_t n = block.merged.num_items(), chunk_items = chunk_tiles * tile_items;
    const std::size_t num_tiles = (n - 1) / tile_items + 1;
    const std::size_t from = first > 0 ? begin_of_open(first * chunk_items) / chunk_items : 0;
    for (std::size_t chunk = from; chunk < last; ++chunk) {
      const std::size_t tile = chunk * chunk_tiles;
      const std::size_t last_tile = ::cuda::std::min(tile + chunk_tiles, num_tiles) - 1;
      const auto begin_writing = [&](const open_run<T>& run, auto& before) {
        if (chunk > from) before.set(shared.carry.get());
        if (threadIdx.x == 0) shared.runs[chunk % window_tiles].set(run);
        return chunk >= first;
      };
      cuda::scan_chunk(block, append, tile, last_tile, begin_writing);
      __syncthreads();  // all threads have read the carry; in the next chunk are other barriers
      if (cuda::shared_warp_index() == 0)
        carry_into(chunk + 1, from,
                   [this](std::size_t each) { return shared.runs[each % window_tiles].get(); });
    }
  }

 private:
  /// Loads a tile and the one before it, marks the tile's heads, and finds shared.open_begin.
  HINDSIGHT_DEVICE void load(unsigned tile, unsigned n, const segments& some) {
    block.turn_to(tile, n);
    block.begin_load();
    if (tile > 0) shared.earlier[warp_index()].begin_load(part_of(tile - 1));
    some.are_many() ? mark_found() : mark(some);
    block.finish_load();
    staged_items::finish_loads();
    __syncthreads();
  }
  HINDSIGHT_DEVICE void mark(const segments& some) {
    const auto first = static_cast<unsigned>(block.merged.first());
    const auto begin = static_cast<unsigned>(block.begin), end = static_cast<unsigned>(block.end);
    if (threadIdx.x == 0) shared.heads.set_span({0, 0});
    some.each([&](unsigned j, unsigned) {
      const unsigned from = some.begins[j] - first;
      if (from - begin < end - begin) shared.heads.mark_item(static_cast<int>(from - begin));
      if (from < begin && some.ends[j] - first > begin) shared.open_begin = from;
    });
  }
  /// Of many segments, searches for those that begin in the tile.
  HINDSIGHT_DEVICE void mark_found() {
    const int thread = static_cast<int>(threadIdx.x);
    const segment_span own = cuda::find_segments(block.begin, block.end, block.merged);
    shared.heads.mark(block.merged, own, block.begin, thread, shape.block_threads());
    if (thread == 0 && block.begin > 0 && block.merged.begin(own.first) != block.begin)
      shared.open_begin = static_cast<unsigned>(block.merged.begin(own.first - 1));
  }

  /// Folds this warp's part of an earlier tile, from the beginning of the open segment on.
  HINDSIGHT_DEVICE void fold_part(staged_items& items, unsigned tile) {
    const unsigned begin = tile * tile_items + warp_index() * shape.warp_items();
    const int head = static_cast<int>(shared.open_begin - begin);
    if (head >= shape.warp_items()) return;
    unsigned lanes_with_head = 0, heads = 0;
    if (head >= 0) {
      const auto place = static_cast<unsigned>(head);
      lanes_with_head = 1u << place / shape.lane_items;
      if (lanes_with_head >> lane_index() & 1) heads = 1u << place % shape.lane_items;
    }
    const T fold = cuda::warp_segmented_fold(cuda::fold_own_run(items, heads, block.op, block.init),
                                             lanes_with_head, block.op);
    if (lane_index() == warp_lanes - 1) shared.parts[tile % window_tiles][warp_index()].set(fold);
  }

  /// What an earlier tile hands on, from its parts. Called by a thread.
  HINDSIGHT_DEVICE open_run<T> join_parts(unsigned tile) {
    const unsigned begin = tile * tile_items;
    const bool has_head = shared.open_begin >= begin;
    const int first = has_head ? int(shared.open_begin - begin) / shape.warp_items() : 0;
    const auto& parts = shared.parts[tile % window_tiles];
    uninitialized<T> fold;
    fold.set(parts[first].get());
    HINDSIGHT_ROLL
    for (int w = first + 1; w < shape.warps; ++w) fold.set(block.op(fold.get(), parts[w].get()));
    return open_run<T>::make(has_head, fold.get());
  }

  /// The carry into tile `last`: what tiles [first, last) hand on, in the first of which the open
  /// segment begins.
  HINDSIGHT_DEVICE open_run<T> join_tiles(unsigned first, unsigned last) {
    const unsigned first_window = first / window_tiles, last_window = (last - 1) / window_tiles;
    HINDSIGHT_ROLL
    for (unsigned w = first_window + warp_index(); w <= last_window; w += shape.warps)
      read_window(w, first, last);
    __syncthreads();
    bool keeps_items = true;
    HINDSIGHT_ROLL
    for (unsigned w = first_window; w <= last_window; ++w) {
      if (shared.is_known[w]) continue;
      fold_window_again(w, first, last);
      keeps_items = false;
    }
    if (!keeps_items) {  // tiles were folded where the items were
      block.begin_load();
      block.finish_load();
    }
    open_run<T> carry = shared.windows[first_window].get();
    HINDSIGHT_ROLL
    for (unsigned w = first_window + 1; w <= last_window; ++w)
      carry = append(carry, shared.windows[w].get());
    return carry;
  }

  /// Joins what tiles [first, last) of a window have published. Blocks that started before this one
  /// may be at it, so it asks several times. Called by a full warp.
  HINDSIGHT_DEVICE void read_window(unsigned window, unsigned first, unsigned last) {
    const unsigned begin = window * window_tiles;
    const unsigned high = ::cuda::std::min(begin + window_tiles, last);
    const unsigned own = ::cuda::std::min(::cuda::std::max(begin + lane_index(), first), high - 1);
    open_run<T> run;
    bool is_known = false, all_known = false;
    const int most_looks = runs.of_tile ? segment_scan_alone_tuning::most_looks : 0;
    for (int looks = 0; looks < most_looks && !all_known; ++looks) {
      is_known = is_known || runs.peek(own, run);
      all_known = __ballot_sync(all_lanes, is_known) == all_lanes;
    }
    if (all_known) {
      const open_run<T> joined = join_window(high, first, [&](std::size_t) { return run; });
      if (lane_index() == 0) shared.windows[window].set(joined);
    }
    if (lane_index() == 0) shared.is_known[window] = all_known;
  }

  /// Joins tiles [first, last) of a window by folding them again.
  HINDSIGHT_DEVICE void fold_window_again(unsigned window, unsigned first, unsigned last) {
    const unsigned begin = window * window_tiles;
    const unsigned low = ::cuda::std::max(begin, first);
    const unsigned high = ::cuda::std::min(begin + window_tiles, last);
    fold_parts(low, high);
    __syncthreads();
    if (cuda::shared_warp_index() == 0) {
      const auto run_of = [this](std::size_t tile) { return join_parts(unsigned(tile)); };
      const open_run<T> joined = join_window(high, first, run_of);
      if (lane_index() == 0) shared.windows[window].set(joined);
    }
    __syncthreads();
  }

  /// Folds this warp's parts of tiles [low, high). While it folds one, the next one is loaded.
  HINDSIGHT_DEVICE void fold_parts(unsigned low, unsigned high) {
    const int warp = warp_index();
    const auto room = [&](unsigned tile) -> staged_items& {
      return tile % 2 ? shared.earlier[warp] : shared.values[warp];
    };
    room(low).begin_load(part_of(low));
    for (unsigned tile = low; tile < high; ++tile) {
      if (tile + 1 < high) {
        room(tile + 1).begin_load(part_of(tile + 1));
        staged_items::finish_earlier_loads();
      } else {
        staged_items::finish_loads();
      }
      fold_part(room(tile), tile);
      __syncwarp();  // the part has left its room
    }
  }

  /// What the tiles, or chunks, before `next` of its window hand on together. run_of(i): what one
  /// of them hands on, which is known from i = `first` on. Lanes without one take a neighbour's: no
  /// result depends on them, but operators see real values only. Called by a full warp.
  template <class RunOf>
  HINDSIGHT_DEVICE open_run<T> join_window(std::size_t next, std::size_t first, RunOf run_of) {
    const std::size_t window = (next - 1) / window_tiles * window_tiles;
    const std::size_t own =
        ::cuda::std::min(::cuda::std::max(window + lane_index(), first), next - 1);
    return cuda::shuffle_from(cuda::warp_inclusive_fold(run_of(own), append),
                              static_cast<int>(next - 1 - window));
  }
  /// shared.carry = the carry into chunk `next`. Called by a full warp.
  template <class RunOf>
  HINDSIGHT_DEVICE void carry_into(std::size_t next, std::size_t first, RunOf run_of) {
    open_run<T> carry = join_window(next, first, run_of);
    if (lane_index() > 0) return;
    if ((next - 1) / window_tiles * window_tiles > first)
      carry = append(shared.window_carry.get(), carry);
    shared.carry.set(carry);
    if (next % window_tiles == 0) shared.window_carry.set(carry);
  }

  /// Where the segment begins that is open before an item > 0, or ends there.
  HINDSIGHT_DEVICE std::size_t begin_of_open(std::size_t item) const {
    segment_search<segment_begins<typename Scanner::offset_iterator>> before{{block.merged}, item};
    while (!before.is_done()) before.narrow(before.ask());
    return block.merged.begin(before.low - 1);
  }
  /// This warp's part of a tile.
  HINDSIGHT_DEVICE auto part_of(unsigned tile) const {
    return block.in +
           (block.merged.first() + (tile * tile_items + warp_index() * shape.warp_items()));
  }
};

/// A block scans a tile; several neighbours, if there are more tiles than blocks.
///   in, out      do not overlap
///   offsets      [num_segments + 1]
///   most_chunks  of more tiles, several make a chunk, as in scan_segment_chunks_kernel
///   runs         for at least as many tiles as there are blocks
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), segment_scan_alone_tuning::min_blocks<T>)
void scan_segments_alone_kernel(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                OutputIt out, Op op, Init init, std::size_t most_chunks,
                                published_runs<T> runs) {
  using scanner = segment_scanner<Tuning, Kind, T, InputIt, OffsetIt, OutputIt, Op, Init>;
  using scanner_alone = cuda::scanner_alone<scanner, append_run<Op>>;
  constexpr std::size_t tile_items = scanner_alone::tile_items;
  HINDSIGHT_DYNAMIC_SHARED(room);
  auto& shared = *reinterpret_cast<typename scanner_alone::storage*>(room);
  const typename scanner_alone::segments some{offsets, num_segments};
  scanner_alone::begin(blockIdx.x, shared);
  scanner block{in, {offsets, num_segments}, out, op, init, shared};
  scanner_alone alone{block, {op}, shared, runs};
  const std::size_t n = block.merged.num_items(), num_tiles = (n + tile_items - 1) / tile_items;
  if (num_tiles <= gridDim.x) {
    __syncthreads();
    if (blockIdx.x < num_tiles) alone.scan(blockIdx.x, static_cast<unsigned>(n), some);
    return;
  }
  const std::size_t chunk_tiles = (num_tiles - 1) / most_chunks + 1;
  const std::size_t num_chunks = (num_tiles - 1) / chunk_tiles + 1;
  const std::size_t share = (num_chunks - 1) / gridDim.x + 1;
  const std::size_t first = ::cuda::std::min(blockIdx.x * share, num_chunks);
  const std::size_t last = ::cuda::std::min(first + share, num_chunks);
  if (first < last) alone.scan_chunks(first, last, chunk_tiles);
}

template <class Tuning, class T>
using scan_alone_storage_of = scan_alone_storage<T, Tuning::shape.lane_items, Tuning::shape.warps>;

/// Blocks of some items of odd sizes would have more shared memory than GPUs before sm_80 give.
template <class Tuning, class T, class InputIt, class OutputIt>
inline constexpr bool can_scan_alone =
    std::is_pointer_v<InputIt>&& std::is_pointer_v<OutputIt> &&
    sizeof(T) <= segment_scan_alone_tuning::most_item_bytes &&
    sizeof(scan_alone_storage_of<Tuning, T>) <= std::size_t(row_of_binary(sort_shared_bytes));

/// Launches that kernel. In the end there may be more tiles than blocks.
///   num_blocks  at most segment_scan_alone_tuning::most_tiles
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
cudaError_t scan_segments_alone(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                OutputIt out, Op op, Init init, std::size_t most_chunks,
                                std::size_t num_blocks, published_runs<T> runs,
                                cudaStream_t stream) {
  using storage = scan_alone_storage_of<Tuning, T>;
  using fold = fold_with<T, Op>;
  constexpr auto kernel =
      scan_segments_alone_kernel<Tuning, Kind, T, InputIt, OffsetIt, OutputIt, fold, Init>;
  HINDSIGHT_TRY(allow_shared_bytes(kernel, sizeof(storage)));
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_blocks), Tuning::shape.block_threads(),
                   sizeof(storage), stream, kernel)
  (in, offsets, num_segments, out, fold{op}, init, most_chunks, runs);
  return detail::reported(cudaPeekAtLastError());
}

/// Does so if it pays for about `items` items; `launched` says whether.
///   num_blocks  at least one for each tile that is expected
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
cudaError_t scan_few_segments_alone(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                    std::size_t items, OutputIt out, Op op, Init init,
                                    std::size_t most_chunks, std::size_t num_blocks,
                                    cudaStream_t stream, bool& launched) {
  launched = false;
  if constexpr (can_scan_alone<Tuning, T, InputIt, OutputIt>) {
    using alone = segment_scan_alone_tuning;
    using slot_type = slot<open_run<T>>;
    if (cuda::may_overlap(in, out, items)) return cudaSuccess;
    void* memory = nullptr;
    if (num_blocks > 2 && num_blocks <= alone::most_tiles)
      HINDSIGHT_TRY(detail::take_zeroed_memory(num_blocks * sizeof(slot_type), stream, memory));
    if (!memory && !alone::pays(items, num_segments)) return cudaSuccess;
    launched = true;
    return cuda::scan_segments_alone<Tuning, Kind, T>(
        in, offsets, num_segments, out, op, init, most_chunks,
        ::cuda::std::min(num_blocks, alone::most_tiles), {static_cast<slot_type*>(memory)}, stream);
  }
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
