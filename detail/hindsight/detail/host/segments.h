// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of segments.
#pragma once

#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scan_by_key.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/segments.h>

#include <thrust/iterator/counting_iterator.h>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// How many ends of segments are among the first `position` members of the merged sequence.
/// Requires that this is in [low, high].
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

/// heads[i] = whether a segment begins at item i of a part that has items. The first one counts as
/// one that does.
template <class OffsetIt>
void mark_heads(const merged_segments<OffsetIt>& merged, const segment_part& part, bool* heads) {
  const std::size_t num_items = std::size_t(part.num_items);
  std::fill(heads, heads + num_items, false);
  heads[0] = true;
  for (std::size_t j = 0; j < std::size_t(part.num_ends); ++j) {
    const std::size_t next = merged.end(part.segment + j) - part.item;
    if (next < num_items) heads[next] = true;
  }
}

/// How many segments begin before an item.
template <class OffsetIt>
std::size_t count_begins(const merged_segments<OffsetIt>& merged, std::size_t item) {
  std::size_t low = 0, high = merged.num_segments();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    merged.begin(middle) < item ? low = middle + 1 : high = middle;
  }
  return low;
}

/// heads[i] = whether a segment begins at item begin + i, i < size.
template <class OffsetIt>
void mark_heads(const merged_segments<OffsetIt>& merged, std::size_t begin, std::size_t size,
                bool* heads) {
  std::fill(heads, heads + size, false);
  for (std::size_t s = host::count_begins(merged, begin);
       s < merged.num_segments() && merged.begin(s) < begin + size; ++s)
    heads[merged.begin(s) - begin] = true;
}

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
      T item = static_cast<T>(in[shift + i]);
      out[shift + i] = before = start(item);
      ++i;
    }
    for (; i < stop; ++i) {
      T item = static_cast<T>(in[shift + i]);
      T sum = op(before, item);
      out[shift + i] = Emits == emits::before_item ? before : sum;
      before = sum;
    }
  }
}

/// Reduces segments on one thread, for any types. Calls put(segment, fold), or put_empty(segment).
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

/// What a chunk of a reduction leaves to others.
template <class T>
struct chunk_edges {
  enum class first_part { nothing, its_end, items };
  open_run<T> open;  ///< the fold of the segment that is open where the chunk ends; a head in it
                     ///< says that this segment has no items in earlier chunks
  T first{};         ///< the fold of the chunk's items of its first segment; see `kind`
  std::size_t first_segment = 0;
  first_part kind = first_part::nothing;  ///< what the chunk has of its first segment, if that
                                          ///< begins in an earlier chunk and ends in this one
};

/// Folds a chunk of a reduction tile by tile, as a warp of the CUDA kernel does.
template <class T, class Tuning, class InputIt, class OffsetIt, class Op>
class chunk_folder {
 public:
  using rooms = run_tile_rooms<T, Tuning::shape.lane_items>;
  using first_part = typename chunk_edges<T>::first_part;

  /// `chunk` is a part of the merged sequence. fold() writes `edges`.
  chunk_folder(InputIt in, const merged_segments<OffsetIt>& merged, const segment_part& chunk,
               Op op, chunk_edges<T>& edges)
      : in_{in}, merged_{merged}, chunk_{chunk}, op_{op}, edges_{edges} {}

  template <class Put, class PutEmpty>
  void fold(const rooms& room, unsigned rank, Put put, PutEmpty put_empty) {
    const std::size_t last_item = chunk_.item + std::size_t(chunk_.num_items);
    const std::size_t last_segment = chunk_.segment + std::size_t(chunk_.num_ends);
    T open{};
    segment_part tile{chunk_.segment, chunk_.item, 0, 0};
    do {
      const std::size_t end = segment_cut<T, Tuning>::tile_end(tile.item, last_item);
      std::size_t next = tile.segment;
      while (next < last_segment && merged_.end(next) <= end) ++next;
      tile.num_items = int(end - tile.item);
      tile.num_ends = int(next - tile.segment);
      T carry = open;
      const T* const folds = tile.num_items > 0 ? fold_tile(tile, room, rank, open) : nullptr;
      for (std::size_t s = tile.segment; s < next; ++s)
        put_ended(s, tile.item, carry, folds, put, put_empty);
      tile.segment = next;
      tile.item = end;
    } while (tile.item < last_item);
    const bool began_before =
        chunk_.segment < merged_.num_segments() && merged_.begin(chunk_.segment) < chunk_.item;
    edges_.open = {!began_before || chunk_.num_ends > 0 || chunk_.num_items == 0, open};
    edges_.first_segment = chunk_.segment;
  }

 private:
  /// Returns the folds by segment of a tile's items, or null if no segment ends in the tile. `open`
  /// is the fold of the segment that is open where the tile begins, as far as it lies in the chunk;
  /// it becomes that where the tile ends.
  const T* fold_tile(const segment_part& tile, const rooms& room, unsigned rank, T& open) {
    host::mark_heads(merged_, tile, room.heads[rank]);
    run_tile<T, Tuning::shape.lane_items, Op> items{std::size_t(tile.num_items), room, rank, op_};
    first_item start;
    T whole = items.template fold<emits::with_item>(in_ + merged_.first() + tile.item, start).value;
    if (tile.num_ends > 0) {
      const T* const folds = items.template scan<emits::with_item>(nullptr);
      open = folds[tile.num_items - 1];
      return folds;
    }
    const bool goes_on = tile.item > chunk_.item && merged_.begin(tile.segment) < tile.item;
    open = goes_on ? T(op_(open, whole)) : whole;
    return nullptr;
  }

  /// Puts the fold of segment s, which ends in the tile of these folds. If s begins in an earlier
  /// chunk, notes it in `edges` instead. `carry` is the fold of its items that lie in the chunk
  /// before the tile, if there are any.
  template <class Put, class PutEmpty>
  void put_ended(std::size_t s, std::size_t tile_begin, T& carry, const T* folds, Put& put,
                 PutEmpty& put_empty) {
    const std::size_t begin = merged_.begin(s), end = merged_.end(s);
    if (begin == end) {
      put_empty(s);
      return;
    }
    T fold = carry;
    if (end > tile_begin) {
      fold = folds[end - tile_begin - 1];
      if (begin < tile_begin && tile_begin > chunk_.item) fold = op_(carry, fold);
    }
    if (s == chunk_.segment && begin < chunk_.item) {
      edges_.first = fold;
      edges_.kind = end > chunk_.item ? first_part::items : first_part::its_end;
    } else {
      put(s, fold);
    }
  }

  InputIt in_;
  const merged_segments<OffsetIt>& merged_;
  segment_part chunk_;
  Op op_;
  chunk_edges<T>& edges_;
};

/// Calls put(s, fold) for the segments that lie in several chunks.
///   Order  threads of the CUDA kernel: shares of chunks; Kogge-Stone over a warp; warp by warp
template <class T, class Op, class Put>
void join_chunks(chunk_edges<T>* edges, std::size_t num_chunks, Op op, Put put) {
  using first_part = typename chunk_edges<T>::first_part;
  constexpr std::size_t warp_lanes = lanes_of_warp;
  const std::size_t share = (num_chunks + join_threads - 1) / join_threads;
  open_run<T> warps_before;
  for (std::size_t warp = 0; warp < num_chunks; warp += warp_lanes * share) {
    const std::size_t warp_end = std::min(warp + warp_lanes * share, num_chunks);
    const std::size_t count = (warp_end - warp + share - 1) / share;
    open_run<T> lanes[warp_lanes];
    for (std::size_t c = warp; c < warp_end; ++c) {
      open_run<T>& lane = lanes[(c - warp) / share];
      lane = (c - warp) % share == 0 ? edges[c].open : host::join(lane, edges[c].open, op);
    }
    for (std::size_t step = 1; step < count; step *= 2)
      for (std::size_t i = count - 1; i >= step; --i)
        lanes[i] = host::join(lanes[i - step], lanes[i], op);
    open_run<T> before = warps_before;
    for (std::size_t c = warp; c < warp_end; ++c) {
      const std::size_t lane = (c - warp) / share;
      if ((c - warp) % share == 0 && lane > 0)
        before = warp > 0 ? host::join(warps_before, lanes[lane - 1], op) : lanes[lane - 1];
      if (edges[c].kind == first_part::items) {
        T fold = op(before.value, edges[c].first);
        put(edges[c].first_segment, fold);
      } else if (edges[c].kind == first_part::its_end) {
        put(edges[c].first_segment, before.value);
      }
      before = c > 0 ? host::join(before, edges[c].open, op) : edges[c].open;
    }
    warps_before = warp > 0 ? host::join(warps_before, lanes[count - 1], op) : lanes[count - 1];
  }
}

/// Calls put(s, fold of the items of segment s), or put_empty(s), for all segments.
///   Order  depends on the offsets and T alone, and is that of the CUDA engine
template <class T, class Tuning = segment_reduce_tuning<T>, class InputIt, class OffsetIt, class Op,
          class Put, class PutEmpty>
void reduce_segments(InputIt in, OffsetIt offsets, std::size_t num_segments, Op op, Put put,
                     PutEmpty put_empty, resources with) {
  if (num_segments == 0) return;
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  if constexpr (!can_be_carried<T>) {
    host::reduce_segments_alone<T>(in, merged, op, put, put_empty);
  } else {
    using chunking = segment_cut<T, Tuning>;
    using folder = chunk_folder<T, Tuning, InputIt, OffsetIt, Op>;
    const std::size_t total = merged.total();
    const tiling chunks{
        total, sizeof(T), {with.wanted.num_threads, chunking::chunk_members(total)}};
    typename folder::rooms room;
    chunk_edges<T>* edges = nullptr;
    const scratch memory{
        *with.memory, [&](carver& space) {
          edges = host::take_room<chunk_edges<T>>(space, chunks.num_tiles);
          room.carve(space, tiling{total, sizeof(T), {chunks.num_threads, chunking::tile_items}});
        }};
    lowest_failure failure;
    host::for_each_tile(chunks, failure, [&](std::size_t chunk, unsigned rank) {
      const std::size_t begin = chunks.begin(chunk);
      auto* const own = ::new (static_cast<void*>(edges + chunk)) chunk_edges<T>;
      folder{in, merged, host::part_of(merged, begin, begin + chunks.size(chunk)),
             Op(std::as_const(op)), *own}
          .fold(room, rank, put, put_empty);
    });
    host::join_chunks(edges, chunks.num_tiles, op, put);
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
    const std::size_t size = merged.end(s) - merged.begin(s);
    if (size > 0)
      host::scan_runs<Emits, T>(thrust::counting_iterator<std::size_t>(0), in + begin, out + begin,
                                size, first_is_head, static_cast<T>(in[begin]), same, op,
                                Start(start));
  }
}

/// For operators that give one result in any association: a tile first folds only the segment that
/// is open where it ends.
template <emits Emits, class T, class InputIt, class OffsetIt, class OutputIt, class Op,
          class Start>
void scan_segments_in_any_order(InputIt in, const merged_segments<OffsetIt>& merged, OutputIt out,
                                const tiling& tiles, Op op, const Start& start,
                                memory_source& source) {
  carry_chain<open_run<T>, join_runs<Op>> runs{tiles, {op}};
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
    host::scan_in_turn<Emits, T>(in, merged, begin, size, out, runs.carry_into(tile, mine).value,
                                 heads[rank], own_op, own_start);
  });
}

/// For all other operators: the tiles and the order of the CUDA kernel.
template <emits Emits, class T, int LaneItems, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Start>
void scan_segments_in_order(InputIt in, const merged_segments<OffsetIt>& merged, OutputIt out,
                            const tiling& tiles, Op op, const Start& start, memory_source& source) {
  carry_chain<open_run<T>, join_runs<Op>> runs{tiles, {op}};
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
    open_run<T> carry = runs.carry_into(tile, items.template fold<Emits>(in + first, own_start));
    const T* const scanned =
        items.template scan<Emits>(first_is_head ? nullptr : std::addressof(carry));
    std::copy(scanned, scanned + size, out + first);
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
  if (merged.num_items() == 0) return;
  if constexpr (!can_be_carried<T>) {
    host::scan_segments_alone<Emits, T>(in, merged, out, op, start);
  } else {
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
