// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass scan of each segment. A block takes tiles of the merged sequence of items and ends,
// and looks back for the fold of the segment that is open where a tile's items begin.
#pragma once

#include <hindsight/detail/cuda/block/segment_tile.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/segments.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>

namespace hindsight::detail::cuda {

template <class T, int LaneItems, int Warps>
struct scan_segments_storage {
  segment_items<T, LaneItems, Warps> items;
  segment_tile_storage<T, LaneItems, Warps> tile;
};

/// A block that scans tiles of the merged sequence.
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
struct segment_scanner {
  static constexpr tile_shape shape = Tuning::shape;
  using storage = scan_segments_storage<T, shape.lane_items, shape.warps>;

  InputIt in;
  merged_segments<OffsetIt> merged;
  OutputIt out;
  Op op;
  Init init;
  storage& shared;
  segment_part part{};  ///< the tile
  bool first_is_head{};
  segment_folds<T> folds{};

  /// Loads a tile and folds it by segment. What is open behind it is `folds.tile`.
  HINDSIGHT_DEVICE void fold(std::size_t tile) {
    const std::size_t begin = ::cuda::std::min(tile * shape.tile_items(), merged.total());
    const member_range found = cuda::find_members(begin, shape.tile_items(), merged);
    part = {found.segment, found.item, int(found.last_item - found.item),
            int(found.last_segment - found.segment)};
    if (part.num_items == 0) {
      folds.tile_begun = true;  // the next item begins a segment: no operator sees this fold
      memset(static_cast<void*>(&folds.tile), 0, sizeof folds.tile);
      return;
    }
    first_is_head = merged.begin(part.segment) == part.item;
    shared.items.begin_load(in, merged, part);
    cuda::mark_heads<shape.block_threads()>(shared.tile, merged, part, first_is_head);
    warp_run<T, shape.lane_items>::finish_loads();
    __syncthreads();
    cuda::fold_segments(shared.tile, shared.items, part.num_items, op, init, folds);
  }

  /// Writes the scan of the tile that was folded last; `before` is what is open where it begins.
  HINDSIGHT_DEVICE void write(const uninitialized<open_run<T>>& before) {
    const int warp_begin = warp_index() * shape.warp_items(), left = part.num_items - warp_begin;
    if (left <= 0) return;
    uninitialized<T> carry;
    if (!first_is_head) carry.set(before.get().fold());
    cuda::scan_segment_tile<Kind>(shared.items, part.num_items, folds, !first_is_head, carry, op,
                                  init);
    auto& warp_run = shared.items.runs[warp_index()];
    const auto warp_out = out + (merged.first() + part.item + warp_begin);
    left >= shape.warp_items() ? warp_run.store(warp_out) : warp_run.store_partial(warp_out, left);
  }
};

/// A block scans a tile.
///   in, out  may be the same range
///   offsets  [num_segments + 1]
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void scan_segments_kernel(InputIt in, OffsetIt offsets, std::size_t num_segments, OutputIt out,
                          Op op, Init init, tile_chain<open_run<T>> chain) {
  constexpr tile_shape shape = Tuning::shape;
  using scanner = segment_scanner<Tuning, Kind, T, InputIt, OffsetIt, OutputIt, Op, Init>;
  HINDSIGHT_SHARED(shared, typename scanner::storage);
  const append_run<Op> append{op};
  std::size_t tile;
  if (!cuda::claim_tile<shape.warps>(chain, append, no_init{}, shared.tile.chain, tile)) return;
  scanner block{in, {offsets, num_segments}, out, op, init, shared};
  block.fold(tile);
  const auto run = open_run<T>::make(block.folds.tile_begun, block.folds.tile.get());
  if (threadIdx.x == 0) cuda::publish(chain, tile, run);
  cuda::look_back<shape.warps>(chain, tile, run, append, no_init{}, shared.tile.chain);
  __syncthreads();
  block.write(shared.tile.chain.carry);
}

/// The same where only kernels know how many items there are. Only where there are more tiles than
/// `launched` has places a chunk is several: then their last ones, as far back as the segment goes
/// that is open behind them, are folded before the chunk is scanned.
///   in, out  may be the same range
///   offsets  [num_segments + 1]
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::chunk_blocks)
void scan_segment_chunks_kernel(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                OutputIt out, Op op, Init init, tile_chain<open_run<T>> launched) {
  constexpr tile_shape shape = Tuning::shape;
  using scanner = segment_scanner<Tuning, Kind, T, InputIt, OffsetIt, OutputIt, Op, Init>;
  HINDSIGHT_SHARED(shared, typename scanner::storage);
  const append_run<Op> append{op};
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  const std::size_t num_tiles = (merged.total() - 1) / shape.tile_items() + 1;
  const std::size_t chunk_tiles = (num_tiles - 1) / launched.num_tiles + 1;
  const deferred_chain<open_run<T>, hand_over::values> chain{launched, num_tiles, int(chunk_tiles)};
  scanner block{in, merged, out, op, init, shared};
  uninitialized<open_run<T>> run, before;

  std::size_t chunk;
  while (cuda::claim_tile<shape.warps>(chain, append, no_init{}, shared.tile.chain, chunk)) {
    const std::size_t first = chunk * chunk_tiles;
    const std::size_t last = ::cuda::std::min(first + chunk_tiles, num_tiles) - 1;
    bool is_carried = false;
    for (std::size_t tile = last;;) {
      block.fold(tile);
      const auto tile_run = open_run<T>::make(block.folds.tile_begun, block.folds.tile.get());
      if (!is_carried) {
        run.set(tile == last ? tile_run : append(tile_run, run.get()));
        if (run.get().count() == 0 && tile > first) {
          --tile;
          continue;
        }
        if (threadIdx.x == 0) cuda::publish(chain, chunk, run.get());
        cuda::look_back<shape.warps>(chain, chunk, run.get(), append, no_init{}, shared.tile.chain);
        __syncthreads();
        if (chunk > 0) before.set(shared.tile.chain.carry.get());
        is_carried = true;
        if (first < last) {
          tile = first;
          continue;
        }
      }
      block.write(before);
      if (tile == last) break;
      before.set(tile > 0 ? append(before.get(), tile_run) : tile_run);
      ++tile;
      __syncwarp();  // the warp's items have left its room
    }
    if (chain.state == nullptr) return;
  }
}

/// Host side, in CUB's two phases. T is the accumulator. `most_items`: at least the number of items
/// in all segments, which only the device knows.
template <class T, class Kind, class InputIt, class OffsetIt, class OutputIt, class Op, class Init>
cudaError_t scan_segments(temporary_memory temp, std::size_t& temp_bytes, InputIt in,
                          OffsetIt offsets, std::size_t num_segments, std::size_t most_items,
                          OutputIt out, Op op, Init init, cudaStream_t stream) {
  using tuning = segment_scan_tuning<T>;
  carver space{temp};
  const tile_chain<open_run<T>> chain{space, most_items + num_segments, tuning::shape.tile_items()};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (num_segments == 0 || most_items == 0) return cudaSuccess;
  HINDSIGHT_LAUNCH_TILES(chain, space, tuning, stream, scan_segments_kernel<tuning, Kind, T>)
  (cuda::unwrap(in), cuda::unwrap(offsets), num_segments, cuda::unwrap(out), fold_with<T, Op>{op},
   init, chain);
  return cudaPeekAtLastError();
}

/// The same where only kernels know how many items all segments have.
template <class T, class Kind, class InputIt, class OffsetIt, class OutputIt, class Op, class Init>
cudaError_t scan_segment_chunks(temporary_memory temp, std::size_t& temp_bytes, InputIt in,
                                OffsetIt offsets, std::size_t num_segments, OutputIt out, Op op,
                                Init init, cudaStream_t stream) {
  using tuning = segment_scan_tuning<T>;
  using fold = fold_with<T, Op>;
  constexpr int tile_items = tuning::shape.tile_items();
  carver space{temp};
  const tile_chain<open_run<T>> chain{space, tuning::most_chunks * tile_items, tile_items};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (num_segments == 0) return cudaSuccess;
  const auto items = cuda::unwrap(in);
  const auto ends = cuda::unwrap(offsets);
  const auto to = cuda::unwrap(out);
  constexpr auto kernel = scan_segment_chunks_kernel<tuning, Kind, T, std::decay_t<decltype(items)>,
                                                     std::decay_t<decltype(ends)>,
                                                     std::decay_t<decltype(to)>, fold, Init>;
  constexpr int block_threads = tuning::shape.block_threads();
  std::size_t wave = 0;
  HINDSIGHT_TRY(resident_blocks<kernel>(block_threads, wave));
  HINDSIGHT_TRY(chain.prepare(space, stream));
  const std::size_t num_blocks =  // of which one may be the scout
      ::cuda::std::min<std::size_t>(chain.num_blocks(), ::cuda::std::max<std::size_t>(wave, 2));
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_blocks), block_threads, 0, stream, kernel)
  (items, ends, num_segments, to, fold{op}, init, chain);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail::cuda
