// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sort of few numbers in segments. Each segment has a block, which sorts it in shared memory
// if it fits. Only longer ones are cut, at steps of the items: their pieces are sorted by blocks,
// too, and merged later.
#pragma once

#include <hindsight/detail/cuda/sort_tile.cuh>
#include <hindsight/detail/cuda/sort_whole_segments.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/tuning/sort.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What a block sorts. Places are counted from the first segment's first item on.
struct segment_piece {
  std::size_t begin, end;
  bool is_buffered;  ///< goes to the buffer of the merges, not to the output
};

/// The block's piece. Block s has segment s, or what a longer one has up to the next step. The
/// blocks behind these have a step each: of a longer segment that began before it, what lies in the
/// step.
template <std::size_t MostItems, int StepItems, class OffsetIt>
HINDSIGHT_DEVICE segment_piece own_piece(const merged_segments<OffsetIt>& merged,
                                         const few_segments& few) {
  static_assert(MostItems >= 2 * StepItems, "a longer segment lies in three steps at least");
  std::size_t begin;
  crossing_segment segment{0, 0};
  if (blockIdx.x < merged.num_segments()) {
    segment = {merged.begin(blockIdx.x), merged.end(blockIdx.x)};
    begin = segment.begin;
    if (!segment.exists()) return {begin, begin, false};
    if (segment.end - begin <= MostItems) return {begin, segment.end, false};
  } else {
    const std::size_t step = blockIdx.x - merged.num_segments();
    begin = step * StepItems;
    const crossing_segment crossing = segment_boundary::at(merged, begin).crossing;
    if (crossing.end - crossing.begin > MostItems) segment = crossing;
    if (threadIdx.x == 0) {
      if (step == 0) few.note_extent(merged);
      few.note_step(step, segment, begin + StepItems >= merged.num_items());
    }
    if (!segment.exists()) return {begin, begin, false};
  }
  const std::size_t step_end = (begin / StepItems + 1) * StepItems;
  return {begin, ::cuda::std::min(step_end, segment.end), segment.num_moves<StepItems>() % 2 != 0};
}

/// Sorts the segments that fit a block, and pieces of others. The output may be the input.
///   offsets  [num_segments + 1]
///   few      without blocks behind those of the segments: not used
template <class Tuning, class Steps, class Direction, class Key, class Value, class OffsetIt>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::min_blocks)
void sort_each_segment_kernel(item_range<Key, Value, const Key*, const Value*> in,
                              item_range<Key, Value> out, item_range<Key, Value> buffer,
                              OffsetIt offsets, std::size_t num_segments, few_segments few,
                              digit_passes passes) {
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<sort_storage<Tuning, Key, Value>*>(shared_room);
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  const segment_piece piece = cuda::own_piece<Tuning::tile_items, Steps::tile_items>(merged, few);
  if (piece.begin == piece.end) return;
  const auto from = in + (merged.first() + piece.begin);
  const auto to = (piece.is_buffered ? buffer : out + merged.first()) + piece.begin;
  cuda::sort_one_tile<Tuning, Direction>(from.keys, to.keys, from.values, to.values,
                                         static_cast<int>(piece.end - piece.begin), passes, shared);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
