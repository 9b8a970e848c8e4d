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

/// What merges need to know of few segments, of which blocks sort steps.
struct few_segments {
  segment_map map;
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

  if (threadIdx.x == 0)
    shared.in_out =
        pieces_in_out::of_tile<int(whole::step_items)>(begin, count, long_before, long_behind);
  shared.heads.template clear<block_threads>(count);
  __syncthreads();
  const In tile_in = in + (merged.first() + begin);
  cuda::load_tile<block_threads, lane_items>(
      staged, count, [&](int) { return tile_in; },
      [&] {
        cuda::mark_heads<Tuning>(shared.heads, merged, shared.boundaries[0].num_ended,
                                 shared.boundaries[1].num_ended, begin,
                                 static_cast<std::size_t>(count));
      });
  shared.heads.template finish_marks<block_threads>();
  __syncthreads();
  using form = staged_form<Compare, item>;
  cuda::sort_staged_tile<Tuning, form, item>(shared, count, by_key);
  __syncthreads();
  cuda::store_sorted_tile<Tuning, form, item>(shared, count, out + (merged.first() + begin),
                                              buffer + begin);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
