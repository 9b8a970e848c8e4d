// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of segments.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/relay.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scan_by_key.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/tuning/segments.h>

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// How many ends are among the first `position` members, if that is in [low, high].
template <class OffsetIt>
std::size_t count_ends(const merged_segments<OffsetIt>& merged, std::size_t position,
                       std::size_t low, std::size_t high) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (merged.position_of_end(middle) < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Members [begin, end) of the merged sequence.
template <class OffsetIt>
segment_part part_of(const merged_segments<OffsetIt>& merged, std::size_t begin, std::size_t end) {
  const auto ends_before = [&](std::size_t position) {
    return host::count_ends(merged, position, merged.fewest_ends(position),
                            merged.most_ends(position));
  };
  const std::size_t segment = ends_before(begin), num_ends = ends_before(end) - segment;
  return {segment, begin - segment, int(end - begin - num_ends), int(num_ends)};
}

/// heads[i] = whether a segment begins at item i of a part that has items.
template <class OffsetIt>
void mark_heads(const merged_segments<OffsetIt>& merged, const segment_part& part,
                bool first_is_head, bool* heads) {
  const std::size_t num_items = std::size_t(part.num_items);
  std::fill(heads, heads + num_items, false);
  heads[0] = first_is_head;
  for (std::size_t j = 0; j < std::size_t(part.num_ends); ++j) {
    const std::size_t next = merged.end(part.segment + j) - part.item;
    if (next < num_items) heads[next] = true;
  }
}

/// One thread, any types: put(segment, fold), or put_empty(segment).
template <class T, class InputIt, class OffsetIt, class Op, class Put, class PutEmpty>
void reduce_segments_alone(InputIt in, const merged_segments<OffsetIt>& merged, Op op, Put put,
                           PutEmpty put_empty) {
  for (std::size_t s = 0; s < merged.num_segments(); ++s) {
    const std::size_t begin = merged.begin(s), end = merged.end(s);
    if (begin == end) {
      put_empty(s);
    } else {
      T sum = host::fold_in_order<T>(items_of<T, InputIt>{in + merged.first() + begin}, end - begin,
                                     op);
      put(s, sum);
    }
  }
}

/// The chunks of a reduction, as the CUDA kernel has them, handed to threads.
template <class T, int LaneItems, class InputIt, class OffsetIt, class Op, class Put,
          class PutEmpty>
void reduce_chunk(InputIt in, const merged_segments<OffsetIt>& merged, std::size_t begin,
                  std::size_t end, std::size_t tile_items, const run_tile_rooms<T, LaneItems>& room,
                  unsigned rank, Op op, relay<open_run<T>, join_runs<Op>>& runs, std::size_t chunk,
                  Put put, PutEmpty put_empty) {
  first_item start;
  segment_part part = host::part_of(merged, begin, begin);
  const std::size_t first_segment = part.segment, first = part.item;
  const bool began_before =
      first_segment < merged.num_segments() && merged.begin(first_segment) < first;
  open_run<T> open, partial;
  for (std::size_t at = begin; at < end; at += tile_items) {
    part = host::part_of(merged, at, std::min(at + tile_items, end));
    open_run<T> carry = open;
    const T* scanned = nullptr;
    if (part.num_items > 0) {
      const bool is_first = part.item == first;  // folded as if a segment began here
      host::mark_heads(merged, part, is_first || merged.begin(part.segment) == part.item,
                       room.heads[rank]);
      run_tile<T, LaneItems, Op> tile{std::size_t(part.num_items), room, rank, op};
      open_run<T> whole =
          tile.template fold<emits::with_item>(in + merged.first() + part.item, start);
      scanned = tile.template scan<emits::with_item>(is_first ? nullptr : std::addressof(carry));
      open.value = whole.heads > 0 ? whole.value : T(op(carry.value, whole.value));
    }
    for (std::size_t j = 0; j < std::size_t(part.num_ends); ++j) {
      const std::size_t s = part.segment + j, segment_end = merged.end(s);
      if (merged.begin(s) == segment_end) {
        put_empty(s);
        continue;
      }
      T fold = segment_end > part.item ? scanned[segment_end - part.item - 1] : carry.value;
      if (began_before && s == first_segment) {
        partial.value = fold;
      } else {
        put(s, fold);
      }
    }
  }
  const std::size_t ends = part.segment + std::size_t(part.num_ends) - first_segment;
  const bool any_items = end - begin > ends;
  open.heads = !began_before || ends > 0 || !any_items;
  open_run<T> before = runs.pass(chunk, open);
  if (!began_before || ends == 0) return;
  T fold = before.value;
  if (merged.end(first_segment) > first) fold = op(before.value, partial.value);
  put(first_segment, fold);
}

/// put(s, fold of the items of segment s), or put_empty(s), for all segments.
///   Order  depends on the offsets and T alone, and is that of the CUDA engine
template <class T, class Tuning = segment_reduce_tuning<T>, class InputIt, class OffsetIt, class Op,
          class Put, class PutEmpty>
void reduce_segments(InputIt first_in, OffsetIt offsets, std::size_t num_segments, Op op, Put put,
                     PutEmpty put_empty, resources with) {
  constexpr int lane_items = Tuning::shape.lane_items;
  constexpr std::size_t tile_items = std::size_t(Tuning::shape.tile_items());
  if (num_segments == 0) return;
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  const auto in = first_in;
  if constexpr (!can_relay<T>) {
    host::reduce_segments_alone<T>(in, merged, op, put, put_empty);
  } else {
    const std::size_t chunk_items = segment_chunk_items<Tuning>(merged.total());
    const unsigned threads =
        tiling{merged.total(), sizeof(T), {with.wanted.num_threads, 0}}.num_threads;
    const tiling chunks{merged.total(), sizeof(T), {threads, chunk_items}};
    relay<open_run<T>, join_runs<Op>> runs{chunks, {op}};
    run_tile_rooms<T, lane_items> room;
    const scratch memory{
        *with.memory, [&](carver& space) {
          runs.carve(space);
          room.carve(space, tiling{merged.total(), sizeof(T), {chunks.num_threads, tile_items}});
        }};
    runs.run([&](std::size_t chunk, unsigned rank) {
      const std::size_t begin = chunks.begin(chunk);
      host::reduce_chunk<T, lane_items>(in, merged, begin, begin + chunks.size(chunk), tile_items,
                                        room, rank, Op(std::as_const(op)), runs, chunk, put,
                                        put_empty);
    });
  }
}

/// The scan of each segment of in[0, n); `out` may be `in`.
///   Order  depends on the offsets and T alone, and is that of the CUDA engine
template <emits Emits, class T, class Tuning = segment_scan_tuning<T>, class InputIt,
          class OffsetIt, class OutputIt, class Op, class Start>
void scan_segments(InputIt in, OffsetIt offsets, std::size_t num_segments, OutputIt out, Op op,
                   const Start& start, resources with) {
  constexpr int lane_items = Tuning::shape.lane_items;
  if (num_segments == 0) return;
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  if (merged.num_items() == 0) return;
  if constexpr (!can_relay<T>) {
    for (std::size_t s = 0; s < num_segments; ++s) {
      const std::size_t begin = merged.first() + merged.begin(s);
      const std::size_t size = merged.end(s) - merged.begin(s);
      const auto same = [](std::size_t, std::size_t) { return true; };
      if (size > 0)
        host::scan_runs<Emits, T>(thrust::counting_iterator<std::size_t>(0), in + begin,
                                  out + begin, size, true, static_cast<T>(in[begin]), same, op,
                                  Start(start));
    }
  } else {
    const std::size_t tile_items = std::size_t(Tuning::shape.tile_items());
    const cut wanted = with.cut_for<OutputIt>();
    const unsigned threads = tiling{merged.total(), sizeof(T), {wanted.num_threads, 0}}.num_threads;
    const tiling tiles{merged.total(), sizeof(T), {threads, tile_items}};
    relay<open_run<T>, join_runs<Op>> runs{tiles, {op}};
    run_tile_rooms<T, lane_items> room;
    const scratch memory{*with.memory, [&](carver& space) {
                           runs.carve(space);
                           room.carve(space, tiles);
                         }};
    runs.run([&](std::size_t tile, unsigned rank) {
      const std::size_t begin = tiles.begin(tile);
      const segment_part part = host::part_of(merged, begin, begin + tiles.size(tile));
      const std::size_t first = merged.first() + part.item, size = std::size_t(part.num_items);
      if (size == 0) {
        runs.pass(tile, open_run<T>{1, T()});
        return;
      }
      const bool first_is_head = merged.begin(part.segment) == part.item;
      host::mark_heads(merged, part, first_is_head, room.heads[rank]);
      run_tile<T, lane_items, Op> items{size, room, rank, Op(std::as_const(op))};
      Start own_start = start;
      open_run<T> carry = runs.pass(tile, items.template fold<Emits>(in + first, own_start));
      const T* const scanned =
          items.template scan<Emits>(first_is_head ? nullptr : std::addressof(carry));
      std::copy(scanned, scanned + size, out + first);
    });
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
