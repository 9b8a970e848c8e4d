// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass scan of each segment. A block takes tiles of items, searches the offsets for the
// segments that begin there, and looks back for the fold of the segment that is open where the tile
// begins.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/segment_scanner.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/likely_items.cuh>
#include <hindsight/detail/cuda/scan_segments_alone.cuh>
#include <hindsight/detail/cuda/scan_segments_pipeline.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/segments.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A block's room in a launch with a chain.
template <class T, int LaneItems, int Warps>
struct chained_scan_storage : segment_scan_storage<T, LaneItems, Warps> {
  chain_storage<open_run<T>> chain;
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
  using storage = chained_scan_storage<T, shape.lane_items, shape.warps>;
  HINDSIGHT_SHARED(shared, storage);
  const append_run<Op> append{op};
  std::size_t tile;
  if (!cuda::claim_tile<shape.warps>(chain, append, no_init{}, shared.chain, tile)) return;
  scanner block{in, {offsets, num_segments}, out, op, init, shared};
  const open_run<T> run = block.fold(tile);
  if (threadIdx.x == 0) cuda::publish(chain, tile, run);
  cuda::look_back<shape.warps>(chain, tile, run, append, no_init{}, shared.chain);
  __syncthreads();
  block.write(shared.chain.carry);
}

/// The same where only kernels know how many items there are. A chunk is one tile, unless there are
/// more tiles than `launched` has places. Before a chunk of several tiles is scanned, its last
/// tiles are folded, as far back as the segment begins that is open behind the chunk.
///   in, out     may be the same range
///   offsets     [num_segments + 1]
///   tiles_done  the launch before this one has scanned all, if there are no more tiles than these
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::chunk_blocks)
void scan_segment_chunks_kernel(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                OutputIt out, Op op, Init init, std::size_t tiles_done,
                                tile_chain<open_run<T>> launched) {
  constexpr tile_shape shape = Tuning::shape;
  using scanner = segment_scanner<Tuning, Kind, T, InputIt, OffsetIt, OutputIt, Op, Init>;
  using storage = chained_scan_storage<T, shape.lane_items, shape.warps>;
  HINDSIGHT_SHARED(shared, storage);
  const append_run<Op> append{op};
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  const std::size_t num_tiles = (merged.num_items() + shape.tile_items() - 1) / shape.tile_items();
  ptx::wait_for_launch_before();
  if (num_tiles <= tiles_done) return;
  const std::size_t chunk_tiles = (num_tiles - 1) / launched.num_tiles + 1;
  const deferred_chain<open_run<T>, hand_over::values> chain{launched, num_tiles, int(chunk_tiles)};
  scanner block{in, merged, out, op, init, shared};
  std::size_t chunk;
  while (cuda::claim_tile<shape.warps>(chain, append, no_init{}, shared.chain, chunk)) {
    const std::size_t first = chunk * chunk_tiles;
    const std::size_t last = ::cuda::std::min(first + chunk_tiles, num_tiles) - 1;
    cuda::scan_chunk(block, append, first, last, [&](const open_run<T>& run, auto& before) {
      if (threadIdx.x == 0) cuda::publish(chain, chunk, run);
      cuda::look_back<shape.warps>(chain, chunk, run, append, no_init{}, shared.chain);
      __syncthreads();
      if (chunk > 0) before.set(shared.chain.carry.get());
      return true;
    });
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
  tile_chain<open_run<T>> chain{space, most_items, tuning::shape.tile_items()};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (num_segments == 0 || most_items == 0) return cudaSuccess;
  const auto items = cuda::unwrap(in);
  const auto begins = cuda::unwrap(offsets);
  const auto to = cuda::unwrap(out);
  bool launched = false;
  HINDSIGHT_TRY((cuda::scan_few_segments_alone<tuning, Kind, T>(
      items, begins, num_segments, most_items, to, op, init, most_items, chain.num_tiles, stream,
      launched)));
  if (launched) return cudaSuccess;
  HINDSIGHT_TRY(chain.prepare(space, stream));
  HINDSIGHT_TRY((cuda::scan_segments_in_pipeline<tuning, Kind, T>(
      items, begins, num_segments, to, op, init, chain, chain.num_tiles, stream, launched)));
  if (launched) return detail::reported(cudaPeekAtLastError());
  constexpr auto kernel =
      scan_segments_kernel<tuning, Kind, T, unwrapped<InputIt>, unwrapped<OffsetIt>,
                           unwrapped<OutputIt>, fold_with<T, Op>, Init>;
  return HINDSIGHT_LAUNCH_NEXT_IF(chain.starts_early, chain.num_blocks(),
                                  tuning::shape.block_threads(), 0, stream, kernel)(
      items, begins, num_segments, to, fold_with<T, Op>{op}, init, chain);
}

/// The same where only kernels know how many items all segments have. The size of the input's
/// allocation is a hint which kernel pays. Results do not depend on it.
template <class T, class Kind, class InputIt, class OffsetIt, class OutputIt, class Op, class Init>
cudaError_t scan_segment_chunks(temporary_memory temp, std::size_t& temp_bytes, InputIt in,
                                OffsetIt offsets, std::size_t num_segments, OutputIt out, Op op,
                                Init init, cudaStream_t stream) {
  using tuning = segment_scan_tuning<T>;
  using fold = fold_with<T, Op>;
  constexpr int tile_items = tuning::shape.tile_items();
  carver space{temp};
  tile_chain<open_run<T>> chain{space, tuning::most_chunks * tile_items, tile_items};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (num_segments == 0) return cudaSuccess;
  const auto items = cuda::unwrap(in);
  const auto begins = cuda::unwrap(offsets);
  const auto to = cuda::unwrap(out);
  const std::size_t likely_items = cuda::likely_items(items);
  const std::size_t likely_tiles = ::cuda::std::min(chain.num_tiles, likely_items / tile_items + 1);
  bool launched = false;
  const std::size_t num_alone =
      ::cuda::std::max(likely_tiles, segment_scan_alone_tuning::fewest_blocks);
  HINDSIGHT_TRY((cuda::scan_few_segments_alone<tuning, Kind, T>(
      items, begins, num_segments, likely_items, to, op, init, tuning::most_chunks, num_alone,
      stream, launched)));
  if (launched) return cudaSuccess;
  HINDSIGHT_TRY(chain.prepare(space, stream));
  HINDSIGHT_TRY((cuda::scan_segments_in_pipeline<tuning, Kind, T>(
      items, begins, num_segments, to, op, init, chain, likely_tiles, stream, launched)));
  constexpr auto kernel =
      scan_segment_chunks_kernel<tuning, Kind, T, unwrapped<InputIt>, unwrapped<OffsetIt>,
                                 unwrapped<OutputIt>, fold, Init>;
  constexpr int block_threads = tuning::shape.block_threads();
  std::size_t wave = 0;
  HINDSIGHT_TRY(resident_blocks<kernel>(block_threads, wave));
  const std::size_t num_blocks =  // of which one may be the scout
      ::cuda::std::min<std::size_t>(chain.num_blocks(), ::cuda::std::max<std::size_t>(wave, 2));
  return HINDSIGHT_LAUNCH_NEXT_IF(launched || chain.starts_early, static_cast<unsigned>(num_blocks),
                                  block_threads, 0, stream, kernel)(
      items, begins, num_segments, to, fold{op}, init, launched ? chain.num_tiles : 0, chain);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
