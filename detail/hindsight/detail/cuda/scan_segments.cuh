// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass scan of each segment. A block takes a tile of the merged sequence of items and ends,
// and looks back for the fold of the segment that is open where its items begin.
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

/// A value that an operator may see; one that it never sees, if there is no item.
template <class T, class InputIt>
HINDSIGHT_DEVICE void set_real(uninitialized<T>& value, InputIt in, bool any_item) {
  if (any_item) {
    value.set(static_cast<T>(*in));
  } else {
    memset(static_cast<void*>(&value), 0, sizeof value);
  }
}

///   in, out  may be the same range
///   offsets  [num_segments + 1]
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void scan_segments_kernel(InputIt in, OffsetIt offsets, std::size_t num_segments, OutputIt out,
                          Op op, Init init, tile_chain<open_run<T>> chain) {
  constexpr tile_shape shape = Tuning::shape;
  constexpr std::size_t tile_items = shape.tile_items();
  HINDSIGHT_SHARED(shared, scan_segments_storage<T, shape.lane_items, shape.warps>);
  const append_run<Op> append{op};

  std::size_t tile;
  if (!cuda::claim_tile<shape.warps>(chain, append, no_init{}, shared.tile.chain, tile)) return;
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  const std::size_t begin = ::cuda::std::min(tile * tile_items, merged.total());
  const std::size_t end = ::cuda::std::min(begin + tile_items, merged.total());
  const auto count_ends = [&](std::size_t position, std::size_t least, std::size_t most) {
    return cuda::warp_count_ends(merged, position,
                                 ::cuda::std::max(least, merged.fewest_ends(position)),
                                 ::cuda::std::min(most, merged.most_ends(position)));
  };
  segment_part part;
  part.segment = count_ends(begin, 0, num_segments);
  part.item = begin - part.segment;
  part.num_ends = int(count_ends(end, part.segment, part.segment + (end - begin)) - part.segment);
  part.num_items = int(end - begin) - part.num_ends;

  uninitialized<T> fold, carry;
  segment_folds<T> folds;
  bool first_is_head = true;
  if (part.num_items > 0) {
    first_is_head = merged.begin(part.segment) == part.item;
    shared.items.begin_load(in, merged, part);
    cuda::mark_heads<shape.block_threads()>(shared.tile, merged, part, first_is_head);
    warp_run<T, shape.lane_items>::finish_loads();
    __syncthreads();
    cuda::fold_segments(shared.tile, shared.items, part.num_items, op, init, folds);
    fold.set(folds.tile.get());
  } else {
    folds.tile_begun = true;
    cuda::set_real(fold, in + merged.first(), merged.num_items() > 0);
  }
  const auto run = open_run<T>::make(folds.tile_begun, fold.get());
  if (threadIdx.x == 0) cuda::publish(chain, tile, run);
  cuda::look_back<shape.warps>(chain, tile, run, append, no_init{}, shared.tile.chain);
  if (part.num_items == 0) return;
  __syncthreads();
  if (!first_is_head) carry.set(shared.tile.chain.carry.get().fold());
  cuda::scan_segment_tile<Kind>(shared.items, part.num_items, folds, !first_is_head, carry, op,
                                init);
  const int warp_begin = warp_index() * shape.warp_items(), left = part.num_items - warp_begin;
  auto& warp_run = shared.items.runs[warp_index()];
  const auto warp_out = out + (merged.first() + part.item + warp_begin);
  left >= shape.warp_items() ? warp_run.store(warp_out) : warp_run.store_partial(warp_out, left);
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

}  // namespace hindsight::detail::cuda
