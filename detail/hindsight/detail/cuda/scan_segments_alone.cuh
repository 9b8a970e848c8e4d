// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of few items in segments: one launch, in which no block waits for another. A block folds
// again the earlier tiles of the segment that is open where its own tile begins, in the association
// of look_back.cuh.
#pragma once

#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/segment_scanner.cuh>
#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/tuning/segments.h>

#include <cuda/std/functional>
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {

template <class T, int LaneItems, int Warps>
struct scan_alone_storage : segment_scan_storage<T, LaneItems, Warps> {
  static constexpr int ring = segment_scan_alone_tuning::ring;
  staged_warp<T, LaneItems> earlier[ring][Warps];
  uninitialized<T> parts[window_tiles][Warps];     ///< of a window's tiles, folded warp by warp
  uninitialized<open_run<T>> runs[window_tiles];   ///< what chunks of this window hand on
  uninitialized<open_run<T>> window_carry, carry;  ///< into the window; into the next chunk
  std::size_t open_begin;  ///< where the segment begins that is open before the block's tile
};

/// A block that needs no other one.
template <class Scanner, class Append>
struct scanner_alone {
  using T = typename Scanner::value_type;
  static constexpr tile_shape shape = Scanner::shape;
  static constexpr std::size_t tile_items = shape.tile_items();
  using storage = scan_alone_storage<T, shape.lane_items, shape.warps>;
  using staged_items = staged_warp<T, shape.lane_items>;

  Scanner& block;
  Append append;
  storage& shared;

  /// Scans a tile by itself.
  HINDSIGHT_DEVICE void scan(std::size_t tile) {
    load(tile);
    const std::size_t from = tile > 0 ? shared.open_begin / tile_items : 0;
    const bool is_next = from + 1 == tile;
    if (is_next) fold_part(shared.earlier[0][warp_index()], from);
    block.fold_loaded();  // a barrier is in it
    uninitialized<open_run<T>> carry;
    if (is_next) {
      carry.set(join_parts(from));
    } else if (tile > 0) {
      fold_tiles(from, tile);
      carry.set(shared.carry.get());
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
      __syncthreads();
      if (cuda::shared_warp_index() == 0) carry_into(chunk + 1, from);
      __syncthreads();
    }
  }

 private:
  /// Loads a tile and the one before it, marks the tile's heads, and finds where the segment begins
  /// that is open before the tile.
  HINDSIGHT_DEVICE void load(std::size_t tile) {
    const int thread = static_cast<int>(threadIdx.x);
    block.turn_to(tile);
    block.begin_load();
    if (tile > 0) shared.earlier[0][warp_index()].begin_load(part_of(tile - 1));
    shared.heads.clear(thread, shape.block_threads());
    segment_span some{0, block.merged.num_segments()};
    if (some.last > most_marked) {
      some = cuda::find_segments(block.begin, block.end, block.merged);
      if (tile > 0) --some.first;
    }
    __syncthreads();
    shared.heads.mark_some(block.merged, some, block.begin, block.end, thread,
                           shape.block_threads(), shared.open_begin);
    block.finish_load();
    staged_items::finish_loads();
    __syncthreads();
  }

  /// Folds this warp's part of an earlier tile, from the beginning of the open segment on.
  HINDSIGHT_DEVICE void fold_part(staged_items& items, std::size_t tile) {
    const std::size_t begin = tile * tile_items + warp_index() * shape.warp_items();
    if (shared.open_begin >= begin + shape.warp_items()) return;
    unsigned heads = 0;
    if (shared.open_begin >= begin) {
      const auto head = static_cast<unsigned>(shared.open_begin - begin);
      if (lane_index() == static_cast<int>(head / shape.lane_items))
        heads = 1u << head % shape.lane_items;
    }
    const T lane_fold = cuda::fold_own_run(items, heads, block.op, block.init);
    const T fold =
        cuda::warp_segmented_fold(lane_fold, __ballot_sync(all_lanes, heads != 0), block.op);
    if (lane_index() == warp_lanes - 1) shared.parts[tile % window_tiles][warp_index()].set(fold);
  }

  /// What an earlier tile hands on, from its parts. Called by a thread.
  HINDSIGHT_DEVICE open_run<T> join_parts(std::size_t tile) {
    const std::size_t begin = tile * tile_items;
    const bool has_head = shared.open_begin >= begin;
    const int first =
        has_head ? static_cast<int>(shared.open_begin - begin) / shape.warp_items() : 0;
    uninitialized<T> fold;
    HINDSIGHT_UNROLL
    for (int w = 0; w < shape.warps; ++w) {
      if (w < first) continue;
      const T& part = shared.parts[tile % window_tiles][w].get();
      fold.set(w == first ? part : block.op(fold.get(), part));
    }
    return open_run<T>::make(has_head, fold.get());
  }

  /// shared.carry = the carry into tile `last`, by folding tiles [first, last), in the first of
  /// which the open segment begins.
  HINDSIGHT_DEVICE void fold_tiles(std::size_t first, std::size_t last) {
    for (std::size_t low = first; low < last;) {
      const std::size_t window = low / window_tiles * window_tiles;
      const std::size_t high = ::cuda::std::min(window + window_tiles, last);
      fold_parts(low, high);
      __syncthreads();
      if (cuda::shared_warp_index() == 0) {
        const std::size_t tile = window + lane_index();
        if (low <= tile && tile < high) shared.runs[lane_index()].set(join_parts(tile));
        __syncwarp();
        carry_into(high, first);
      }
      __syncthreads();
      low = high;
    }
  }

  /// Folds this warp's parts of tiles [low, high). While it folds one, others are loaded.
  HINDSIGHT_DEVICE void fold_parts(std::size_t low, std::size_t high) {
    constexpr int ring = storage::ring;
    const int warp = warp_index();
    for (std::size_t tile = low; tile < ::cuda::std::min(low + ring - 1, high); ++tile)
      shared.earlier[tile % ring][warp].begin_load(part_of(tile));
    for (std::size_t tile = low; tile < high; ++tile) {
      const std::size_t ahead = tile + ring - 1;
      if (ahead < high) {
        shared.earlier[ahead % ring][warp].begin_load(part_of(ahead));
        __pipeline_wait_prior(ring - 1);
        __syncwarp();
      } else {
        staged_items::finish_loads();
      }
      fold_part(shared.earlier[tile % ring][warp], tile);
      __syncwarp();  // the part has left its room
    }
  }

  /// shared.carry = the carry into chunk `next`, from what chunks hand on; `first` is the first one
  /// of which that is known. Lanes without a chunk take a neighbour's: no result depends on them,
  /// but operators see real values only. Called by a full warp.
  HINDSIGHT_DEVICE void carry_into(std::size_t next, std::size_t first) {
    const std::size_t window = (next - 1) / window_tiles * window_tiles;
    const std::size_t own =
        ::cuda::std::min(::cuda::std::max(window + lane_index(), first), next - 1);
    const open_run<T> scanned =
        cuda::warp_inclusive_fold(shared.runs[own % window_tiles].get(), append);
    open_run<T> carry = cuda::shuffle_from(scanned, static_cast<int>(next - 1 - window));
    if (window > first) carry = append(shared.window_carry.get(), carry);
    __syncwarp();  // all lanes have read the window's carry
    if (lane_index() == 0) {
      shared.carry.set(carry);
      if (next % window_tiles == 0) shared.window_carry.set(carry);
    }
  }

  /// Where the segment begins that is open before an item > 0, or ends there.
  HINDSIGHT_DEVICE std::size_t begin_of_open(std::size_t item) const {
    segment_search<segment_begins<typename Scanner::offset_iterator>> before{{block.merged}, item};
    while (!before.is_done()) before.narrow(before.ask());
    return block.merged.begin(before.low - 1);
  }
  /// This warp's part of a tile.
  HINDSIGHT_DEVICE auto part_of(std::size_t tile) const {
    return block.in +
           (block.merged.first() + tile * tile_items + warp_index() * shape.warp_items());
  }

  static constexpr std::size_t most_marked =
      ::cuda::std::min(segment_scan_alone_tuning::segments_of_thread * shape.block_threads(),
                       crowded_segments_per_item* tile_items);
};

/// A block scans a tile; several neighbours, if there are more tiles than blocks.
///   in, out     do not overlap
///   offsets     [num_segments + 1]
///   most_chunks  of more tiles, several make a chunk, as in scan_segment_chunks_kernel
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), segment_scan_alone_tuning::min_blocks)
void scan_segments_alone_kernel(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                OutputIt out, Op op, Init init, std::size_t most_chunks) {
  using scanner = segment_scanner<Tuning, Kind, T, InputIt, OffsetIt, OutputIt, Op, Init>;
  using scanner_alone = cuda::scanner_alone<scanner, append_run<Op>>;
  constexpr std::size_t tile_items = scanner_alone::tile_items;
  HINDSIGHT_DYNAMIC_SHARED(room);
  auto& shared = *reinterpret_cast<typename scanner_alone::storage*>(room);
  scanner block{in, {offsets, num_segments}, out, op, init, shared};
  scanner_alone alone{block, {op}, shared};
  const std::size_t num_tiles = (block.merged.num_items() + tile_items - 1) / tile_items;
  if (num_tiles <= gridDim.x) {
    if (blockIdx.x < num_tiles) alone.scan(blockIdx.x);
    return;
  }
  const std::size_t chunk_tiles = (num_tiles - 1) / most_chunks + 1;
  const std::size_t num_chunks = (num_tiles - 1) / chunk_tiles + 1;
  const std::size_t share = (num_chunks - 1) / gridDim.x + 1;
  const std::size_t first = ::cuda::std::min(blockIdx.x * share, num_chunks);
  const std::size_t last = ::cuda::std::min(first + share, num_chunks);
  if (first < last) alone.scan_chunks(first, last, chunk_tiles);
}

/// Whether ranges of n items have a byte in common.
template <class A, class B>
bool overlap(const volatile A* a, const volatile B* b, std::size_t n) {
  const auto first = reinterpret_cast<std::uintptr_t>(a),
             second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + n * sizeof(B) && second < first + n * sizeof(A);
}

/// Launches that kernel where it pays: from one array to another one, of up to `likely_items` > 0
/// items. `launched` says whether it did. In the end there may be more items.
///   num_blocks  0: one for each of these items' tiles
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
cudaError_t scan_segments_alone([[maybe_unused]] InputIt in, [[maybe_unused]] OffsetIt offsets,
                                [[maybe_unused]] std::size_t num_segments,
                                [[maybe_unused]] OutputIt out, [[maybe_unused]] Op op,
                                [[maybe_unused]] Init init,
                                [[maybe_unused]] std::size_t likely_items,
                                [[maybe_unused]] std::size_t most_chunks,
                                [[maybe_unused]] unsigned num_blocks,
                                [[maybe_unused]] cudaStream_t stream, bool& launched) {
  using alone = segment_scan_alone_tuning;
  launched = false;
  if constexpr (std::is_pointer_v<InputIt> && std::is_pointer_v<OutputIt> &&
                sizeof(T) <= alone::most_item_bytes) {
    constexpr tile_shape shape = Tuning::shape;
    using storage = scan_alone_storage<T, shape.lane_items, shape.warps>;
    using fold = fold_with<T, Op>;
    constexpr auto kernel =
        scan_segments_alone_kernel<Tuning, Kind, T, InputIt, OffsetIt, OutputIt, fold, Init>;
    const std::size_t tiles = (likely_items - 1) / shape.tile_items() + 1;
    if (tiles > alone::most_tiles_of_segments) return cudaSuccess;
    if (tiles > alone::most_tiles && tiles > num_segments) return cudaSuccess;
    if (cuda::overlap(in, out, likely_items)) return cudaSuccess;
    launch_limits limits;
    HINDSIGHT_TRY(limits.ask());
    if (limits.block_bytes < sizeof(storage)) return cudaSuccess;
    HINDSIGHT_TRY(allow_shared_bytes(kernel, sizeof(storage)));
    if (num_blocks == 0) num_blocks = static_cast<unsigned>(tiles);
    HINDSIGHT_LAUNCH(num_blocks, shape.block_threads(), sizeof(storage), stream, kernel)
    (in, offsets, num_segments, out, fold{op}, init, most_chunks);
    launched = true;
  }
  return cudaSuccess;
}

}  // namespace hindsight::detail::cuda
