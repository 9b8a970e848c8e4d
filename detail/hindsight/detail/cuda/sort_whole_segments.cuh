// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sort of segments of few items without a map: each block finds by itself which segments are its
// own. Each block has a step of half a tile. A segment that fits a tile goes to one block as a
// whole, so that only longer ones are cut, and merged later.
#pragma once

#include <hindsight/detail/board/phased_work.cuh>
#include <hindsight/detail/cuda/segment_map.cuh>
#include <hindsight/detail/cuda/sort_segments.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/tuning/merge_sort.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Where a place lies among segments.
struct segment_boundary {
  std::size_t num_ended;      ///< how many segments end there or before
  crossing_segment crossing;  ///< the segment on both sides

  /// Called by a full warp, each lane of which asks for one end at a time.
  template <class OffsetIt>
  static HINDSIGHT_DEVICE segment_boundary at(const merged_segments<OffsetIt>& merged,
                                              std::size_t place) {
    std::size_t low = 0, high = merged.num_segments();
    while (low < high) {
      const std::size_t distance = (high - low + warp_lanes - 1) / warp_lanes;
      const std::size_t probe = low + (lane_index() + 1) * distance - 1;
      const bool has_ended = probe < high && merged.end(probe) <= place;
      low += __popc(__ballot_sync(all_lanes, has_ended)) * distance;
      high = ::cuda::std::min(high, low + distance - 1);
    }
    segment_boundary boundary{low, {0, 0}};
    if (low < merged.num_segments() && merged.begin(low) < place)
      boundary.crossing = {merged.begin(low), merged.end(low)};
    return boundary;
  }
};

/// What merges need to know of few segments, of which blocks sort steps.
struct few_segments {
  segment_map map;  ///< of which `heads` is not used
  phased_work::counters* counters;

  /// Called by one thread of all.
  template <class OffsetIt>
  HINDSIGHT_DEVICE void note_extent(const merged_segments<OffsetIt>& merged) const {
    *map.whole = {merged.first(), merged.num_items(), 0};
    counters->tickets = counters->finished = 0;
  }
  /// Called by one thread for each step. `crossing` is the segment on both sides of its begin,
  /// unless that fits a block.
  HINDSIGHT_DEVICE void note_step(std::size_t step, const crossing_segment& crossing,
                                  bool is_last) const {
    map.crossing[step] = crossing;
    if (is_last) map.crossing[step + 1] = {0, 0};
  }
};

/// How segments are dealt out to blocks. Block t has the items from cut(t) on, up to cut(t + 1). A
/// cut is at t * step_items if no segment crosses that place, or one that does not fit a tile. A
/// segment that fits a tile crosses one such place or two: the first cut is before it, the second
/// one behind it. So no block has more than two steps, which are a tile.
template <class Tuning>
struct whole_segments {
  static constexpr std::size_t tile_items = Tuning::tile_items;
  static constexpr std::size_t step_items = tile_items / 2;
  static_assert(tile_items % 2 == 0, "a tile is two steps");

  static HINDSIGHT_DEVICE bool is_long(const crossing_segment& segment) {
    return segment.end - segment.begin > tile_items;
  }
  static HINDSIGHT_DEVICE std::size_t cut(const crossing_segment& crossing, std::size_t place) {
    if (!crossing.exists() || is_long(crossing)) return place;
    const std::size_t first = (crossing.begin / step_items + 1) * step_items;
    return place == first ? crossing.begin : crossing.end;
  }
};

template <class Tuning, class Item>
struct sort_whole_storage : sort_segments_storage<Tuning, Item> {
  segment_boundary boundaries[2];  ///< where the block's step begins and ends
};

/// Marks the items of a tile that begin a segment. The ends of segments [first, last) are those
/// that lie in it.
///   heads  cleared, and a barrier since
template <class Tuning, class OffsetIt>
HINDSIGHT_DEVICE void mark_own_heads(head_bits<Tuning::tile_items>& heads,
                                     const merged_segments<OffsetIt>& merged, std::size_t first,
                                     std::size_t last, std::size_t begin, std::size_t count) {
  if (last - first <= Tuning::most_marks_by_end) {
    for (std::size_t s = first + threadIdx.x; s < last; s += Tuning::block_threads) {
      const std::size_t i = merged.end(s) - begin;
      if (i < count) heads.mark(static_cast<int>(i));
    }
    return;
  }
  // Most segments here are empty: the time must not depend on in which tile they are.
  for (std::size_t i = threadIdx.x; i < count; i += Tuning::block_threads) {
    std::size_t low = first, high = last;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const bool is_before = merged.end(middle) < begin + i;
      (is_before ? low : high) = is_before ? middle + 1 : middle;
    }
    if (low < last && merged.end(low) == begin + i) heads.mark(static_cast<int>(i));
  }
}

/// Sorts the segments that fit a tile, and the pieces of others in each block's part; writes what
/// merges need. The output may be the input.
///   offsets  [num_segments + 1]
template <class Tuning, class In, class Out, class OffsetIt, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::sort_blocks)
void sort_whole_segments_kernel(In in, Out out, Out buffer, OffsetIt offsets,
                                std::size_t num_segments, few_segments few, Compare by_key) {
  using item = typename Out::item;
  using whole = whole_segments<Tuning>;
  constexpr int lane_items = Tuning::lane_items, block_threads = Tuning::block_threads;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<sort_whole_storage<Tuning, item>*>(shared_room);
  item* const staged = reinterpret_cast<item*>(shared.staged);
  compare_items<Compare> compare{by_key};
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  const std::size_t tile = blockIdx.x, num_items = merged.num_items();
  const std::size_t step = gridDim.x == 1 ? whole::tile_items : whole::step_items;
  const std::size_t step_begin = tile * step, step_end = step_begin + step;
  if (tile == 0 && threadIdx.x == 0) few.note_extent(merged);
  if (step_begin >= num_items) return;
  if (warp_index() < 2) {
    const auto boundary = segment_boundary::at(merged, warp_index() == 0 ? step_begin : step_end);
    if (lane_index() == 0) shared.boundaries[warp_index()] = boundary;
  }
  if (threadIdx.x == 0) shared.longest = lane_items;
  __syncthreads();
  const crossing_segment before = shared.boundaries[0].crossing;
  const crossing_segment behind = shared.boundaries[1].crossing;
  const crossing_segment none{0, 0};
  const crossing_segment long_before = whole::is_long(before) ? before : none;
  const crossing_segment long_behind = whole::is_long(behind) ? behind : none;
  if (threadIdx.x == 0) few.note_step(tile, long_before, step_end >= num_items);
  const std::size_t begin = whole::cut(before, step_begin);
  const std::size_t end = ::cuda::std::min(whole::cut(behind, step_end), num_items);
  if (end <= begin) return;
  // Only with offsets that decrease there would be more than a tile.
  const int count = static_cast<int>(::cuda::std::min(end - begin, std::size_t{whole::tile_items}));

  shared.heads.template clear<block_threads>(count);
  __syncthreads();
  cuda::mark_own_heads<Tuning>(shared.heads, merged, shared.boundaries[0].num_ended,
                               shared.boundaries[1].num_ended, begin,
                               static_cast<std::size_t>(count));
  const In tile_in = in + (merged.first() + begin);
  cuda::load_tile<block_threads, lane_items>(staged, count, [&](int) { return tile_in; });
  shared.heads.template finish_marks<block_threads>();
  __syncthreads();
  cuda::sort_staged_tile(shared, count, compare);
  const auto outputs = tile_outputs<Out>::template of_tile<int(whole::step_items)>(
      out + merged.first(), buffer, begin, count, long_before, long_behind);
  __syncthreads();
  cuda::for_each_slot<block_threads, lane_items>(count,
                                                 [&](int j) { outputs.store(j, staged[j]); });
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
