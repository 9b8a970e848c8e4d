// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work whose items have any number of outputs each, balanced over blocks: the items' offsets among
// the outputs are segments, and a block takes equal parts of outputs and ends of segments.
// Source: Baxter 2013, "Modern GPU", load-balancing search.
#pragma once

#include <hindsight/detail/cuda/block/segment_chunk.cuh>
#include <hindsight/detail/cuda/block/segment_tile.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/segments.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {

/// f(s, j - offsets[s], j) for each segment s and each j in [offsets[s], offsets[s + 1]).
template <class Tuning, class OffsetIt, class F>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), 1)
void for_each_output_kernel(OffsetIt offsets, std::size_t num_segments, F f) {
  constexpr int tile_items = Tuning::shape.tile_items();
  struct storage {
    int ends[tile_items];
  };
  HINDSIGHT_SHARED(shared, storage);
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  const segment_chunk chunk = cuda::chunk_of<Tuning>(blockIdx.x, merged);

  segment_part part{chunk.first_segment, chunk.first_item, 0, 0};
  for (std::size_t begin = chunk.begin; begin < chunk.end; begin += tile_items) {
    const std::size_t end = ::cuda::std::min(begin + tile_items, chunk.end);
    const std::size_t most = ::cuda::std::min(part.segment + (end - begin), num_segments);
    part.num_ends = int(cuda::warp_count_ends(merged, end, part.segment, most) - part.segment);
    part.num_items = int(end - begin) - part.num_ends;
    for (int j = threadIdx.x; j < part.num_ends; j += Tuning::shape.block_threads())
      shared.ends[j] = static_cast<int>(merged.end(part.segment + j) - part.item);
    __syncthreads();

    for (int i = threadIdx.x; i < part.num_items; i += Tuning::shape.block_threads()) {
      int ended = 0;  // segments of the part that end at or before output i
      for (int high = part.num_ends; ended < high;) {
        const int middle = (ended + high) / 2;
        if (shared.ends[middle] <= i) {
          ended = middle + 1;
        } else {
          high = middle;
        }
      }
      const std::size_t output = part.item + i;
      const std::size_t before =
          ended > 0 ? part.item + shared.ends[ended - 1] : merged.begin(part.segment);
      f(part.segment + ended, output - before, merged.first() + output);
    }
    __syncthreads();
    part.segment += part.num_ends;
    part.item += part.num_items;
  }
}

template <class OffsetIt, class F>
cudaError_t for_each_output(OffsetIt offsets, std::size_t num_segments, F f, cudaStream_t stream) {
  using tuning = output_tuning<std::size_t>;
  if (num_segments == 0) return cudaSuccess;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(tuning::most_chunks), tuning::shape.block_threads(), 0,
                   stream, for_each_output_kernel<tuning>)
  (cuda::unwrap(offsets), num_segments, f);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail::cuda
