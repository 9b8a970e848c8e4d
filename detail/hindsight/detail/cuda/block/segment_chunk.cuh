// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which stretch of the merged sequence of items and ends belongs to a block.
#pragma once

#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/tuning/segments.h>

#include <cuda/std/functional>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What a block takes of the merged sequence.
struct segment_chunk {
  std::size_t begin, end;  ///< positions
  std::size_t first_segment, first_item;
  bool began_before;  ///< the first segment has items before this chunk
};

template <class Tuning, class OffsetIt>
HINDSIGHT_DEVICE segment_chunk chunk_of(std::size_t chunk,
                                        const merged_segments<OffsetIt>& merged) {
  const std::size_t total = merged.total();
  const std::size_t chunk_items = output_chunk_items<Tuning>(total);
  segment_chunk own;
  own.begin = ::cuda::std::min(chunk * chunk_items, total);
  own.end = ::cuda::std::min(own.begin + chunk_items, total);
  own.first_segment = cuda::warp_count_ends(merged, own.begin, merged.fewest_ends(own.begin),
                                            merged.most_ends(own.begin));
  own.first_item = own.begin - own.first_segment;
  own.began_before =
      own.first_segment < merged.num_segments() && merged.begin(own.first_segment) < own.first_item;
  return own;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
