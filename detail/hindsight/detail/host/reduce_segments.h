// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of segments on threads: items and ends of segments are cut into equal chunks, and the
// segments that lie in several chunks are joined at the end.
#pragma once

#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/segments.h>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/segments.h>

#include <cstddef>
#include <new>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

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

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
