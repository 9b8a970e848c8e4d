// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of segments on threads: tiles of items, and look-back for what is open where a tile begins.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/run_chain.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scan_by_key.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/segments.h>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/segments.h>

#include <thrust/iterator/counting_iterator.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Folds the last segment's part of items [begin, begin + size), in any order.
template <class T, class InputIt, class OffsetIt, class Op, class Start>
open_run<T> fold_last_segment(InputIt in, const merged_segments<OffsetIt>& merged,
                              std::size_t begin, std::size_t size, Op& op, Start& start) {
  const std::size_t num_begun = host::count_begins(merged, begin + size);
  const std::size_t last = num_begun > 0 ? merged.begin(num_begun - 1) : 0;
  const bool has_head = num_begun > 0 && last >= begin;
  const std::size_t first = has_head ? last : begin;
  const auto items = [&](std::size_t i) { return static_cast<T>(in[merged.first() + first + i]); };
  T fold = host::fold<T>(items, begin + size - first, op);
  return {has_head, has_head ? T(start(fold)) : fold};
}

/// Writes the scan of items [begin, begin + size) by segment, item after item. `before` is the fold
/// of what is open where they begin, if no segment begins there.
///   heads  [size]: room for flags, so that short segments need no branch each
template <emits Emits, class T, class InputIt, class OffsetIt, class OutputIt, class Op,
          class Start>
void scan_in_turn(InputIt in, const merged_segments<OffsetIt>& merged, std::size_t begin,
                  std::size_t size, OutputIt out, T before, bool* heads, Op& op, Start& start) {
  const std::size_t end = begin + size, shift = merged.first();
  std::size_t s = host::count_begins(merged, begin);
  if (host::count_begins(merged, end) - s >= size / engine_tuning::short_segment) {
    host::mark_heads(merged, begin, size, heads);
    const auto goes_on = [](bool, bool is_head) { return !is_head; };
    host::scan_runs<Emits, T>(heads, in + (shift + begin), out + (shift + begin), size, heads[0],
                              before, goes_on, op, start);
    return;
  }
  for (std::size_t i = begin; i < end;) {
    bool is_head = false;
    for (; s < merged.num_segments() && merged.begin(s) == i; ++s) is_head = true;
    const std::size_t stop = s < merged.num_segments() ? std::min(merged.begin(s), end) : end;
    if constexpr (Emits == emits::before_item) {
      if (is_head) before = start.init;
    } else if (is_head) {
      T item = host::copy_at<T>(in, shift + i);
      out[shift + i] = before = start(item);
      ++i;
    }
    for (; i < stop; ++i) {
      T item = host::copy_at<T>(in, shift + i);
      T sum = op(before, item);
      out[shift + i] = Emits == emits::before_item ? before : sum;
      before = sum;
    }
  }
}

/// Scans segments on one thread, for any types.
template <emits Emits, class T, class InputIt, class OffsetIt, class OutputIt, class Op,
          class Start>
void scan_segments_alone(InputIt in, const merged_segments<OffsetIt>& merged, OutputIt out, Op op,
                         const Start& start) {
  const auto same = [](std::size_t, std::size_t) { return true; };
  constexpr bool first_is_head = true;
  for (std::size_t s = 0; s < merged.num_segments(); ++s) {
    const std::size_t begin = merged.first() + merged.begin(s);
    const std::size_t size = host::size_of_segment(merged, s);
    if (size > 0)
      host::scan_runs<Emits, T>(thrust::counting_iterator<std::size_t>(0), in + begin, out + begin,
                                size, first_is_head, host::copy_at<T>(host::that_copies(in), begin),
                                same, op, Start(start));
  }
}

/// For operators that give one result in any association: a tile first folds only the segment that
/// is open where it ends.
template <emits Emits, class T, class InputIt, class OffsetIt, class OutputIt, class Op,
          class Start>
void scan_segments_in_any_order(InputIt in, const merged_segments<OffsetIt>& merged, OutputIt out,
                                const tiling& tiles, Op op, const Start& start,
                                memory_source& source) {
  run_chain<T, Op> runs{tiles, op};
  rooms<bool> heads;
  const scratch memory{source, [&](carver& space) {
                         runs.carve(space);
                         heads.carve(space, tiles.num_threads, tiles.tile_items);
                       }};
  runs.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    Start own_start = start;
    Op own_op = std::as_const(op);
    open_run<T> mine;
    if (tiles.num_tiles > 1)
      mine = host::fold_last_segment<T>(in, merged, begin, size, own_op, own_start);
    host::scan_in_turn<Emits, T>(in, merged, begin, size, out, runs.value_into(tile, mine),
                                 heads[rank], own_op, own_start);
  });
}

/// For all other operators: the tiles and the order of the CUDA kernel.
template <emits Emits, class T, int LaneItems, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Start>
void scan_segments_in_order(InputIt in, const merged_segments<OffsetIt>& merged, OutputIt out,
                            const tiling& tiles, Op op, const Start& start, memory_source& source) {
  run_chain<T, Op> runs{tiles, op};
  run_tile_rooms<T, LaneItems> room;
  const scratch memory{source, [&](carver& space) {
                         runs.carve(space);
                         room.carve(space, tiles);
                       }};
  runs.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    const std::size_t first = merged.first() + begin;
    Start own_start = start;
    host::mark_heads(merged, begin, size, room.heads[rank]);
    const bool first_is_head = room.heads[rank][0];
    run_tile<T, LaneItems, Op> items{size, room, rank, std::as_const(op)};
    T carry = runs.value_into(tile, items.template fold<Emits>(in + first, own_start));
    items.template scan<Emits>(out + first, first_is_head ? nullptr : std::addressof(carry));
  });
}

/// The scan of each segment of in[0, n); `out` may be `in`.
///   Order  depends on the offsets and T alone, and is that of the CUDA engine
template <emits Emits, class T, class Tuning = segment_scan_tuning<T>, class InputIt,
          class OffsetIt, class OutputIt, class Op, class Start>
void scan_segments(InputIt in, OffsetIt offsets, std::size_t num_segments, OutputIt out, Op op,
                   const Start& start, resources with) {
  if (num_segments == 0) return;
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  if constexpr (!can_be_carried<T>) {
    host::scan_segments_alone<Emits, T>(in, merged, out, op, start);
  } else if (!host::are_in_order(merged, with.wanted)) {
    host::scan_segments_alone<Emits, T>(in, merged, out, op, start);
  } else if (merged.num_items() > 0) {
    constexpr bool in_any_order = folds_in_any_order<Op, T>;
    const tiling tiles = host::tiles_of(merged.num_items(), sizeof(T), in_any_order, Tuning::shape,
                                        with.cut_for<OutputIt>());
    if constexpr (in_any_order) {
      host::scan_segments_in_any_order<Emits, T>(in, merged, out, tiles, op, start, *with.memory);
    } else {
      host::scan_segments_in_order<Emits, T, Tuning::shape.lane_items>(in, merged, out, tiles, op,
                                                                       start, *with.memory);
    }
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
