// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of segments on threads: items and ends of segments are cut into equal chunks, and the
// segments that lie in several chunks are joined at the end.
#pragma once

#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/segment_fold.h>
#include <hindsight/detail/host/segments.h>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/segments.h>

#include <cstddef>
#include <new>
#include <type_traits>
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
  using first_part = typename chunk_edges<T>::first_part;

  /// `chunk` is a part of the merged sequence. fold() writes `edges`.
  chunk_folder(InputIt in, const merged_segments<OffsetIt>& merged, const segment_part& chunk,
               Op op, chunk_edges<T>& edges)
      : in_{in}, merged_{merged}, chunk_{chunk}, op_{op}, edges_{edges} {}

  template <class Put, class PutEmpty>
  void fold(Put put, PutEmpty put_empty) {
    const std::size_t last_item = chunk_.item + std::size_t(chunk_.num_items);
    const std::size_t last_segment = chunk_.segment + std::size_t(chunk_.num_ends);
    T open{};
    std::size_t segment = chunk_.segment, item = chunk_.item;
    do {
      const std::size_t end = segment_cut<T, Tuning>::tile_end(item, last_item);
      open = fold_tile(segment, last_segment, item, end, open, put, put_empty);
      item = end;
    } while (item < last_item);
    const bool began_before =
        chunk_.segment < merged_.num_segments() && merged_.begin(chunk_.segment) < chunk_.item;
    edges_.open = {!began_before || chunk_.num_ends > 0 || chunk_.num_items == 0, open};
    edges_.first_segment = chunk_.segment;
  }

 private:
  using tile = tile_of_lanes<T, Tuning::shape.lane_items, InputIt, Op>;

  /// Whether segments of a tile are so short that a branch for each takes longer than a mark for
  /// each item.
  bool has_short_segments(std::size_t segment, std::size_t last_segment, std::size_t begin,
                          std::size_t end) const {
    const std::size_t many = segment + (end - begin) / engine_tuning::short_segment;
    return begin < end && many < last_segment && merged_.end(many) <= end;
  }

  /// Folds the items [begin, end) of a tile. `segment` is open where it begins, and `carry` is the
  /// fold of this one's items that lie in the chunk before the tile, if there are any. Returns that
  /// of the segment that is open where the tile ends, which `segment` becomes.
  template <class Put, class PutEmpty>
  T fold_tile(std::size_t& segment, std::size_t last_segment, std::size_t begin, std::size_t end,
              T carry, Put& put, PutEmpty& put_empty) {
    if constexpr (std::is_arithmetic_v<T>) {
      if (has_short_segments(segment, last_segment, begin, end))
        return fold_short(segment, last_segment, begin, end, carry, put, put_empty);
    }
    tile items{in_ + merged_.first() + begin, op_};
    const std::size_t first = segment;
    while (segment < last_segment && merged_.end(segment) <= end) ++segment;
    put_ended(first, segment, begin, carry, put, put_empty,
              [&](std::size_t from, std::size_t to) { return items.fold_last(from, to); });
    if (begin == end) return carry;
    if (segment > first) {
      const std::size_t own = merged_.begin(segment);
      return own < end ? items.fold_last(own - begin, end - begin) : T{};
    }
    T whole = items.fold_all(end - begin);
    return begin > chunk_.item && merged_.begin(segment) < begin ? T(op_(carry, whole)) : whole;
  }

  /// The same for short segments, all of which are folded before the first is put.
  template <class Put, class PutEmpty>
  T fold_short(std::size_t& segment, std::size_t last_segment, std::size_t begin, std::size_t end,
               T carry, Put& put, PutEmpty& put_empty) {
    typename tile::heads_of_tile heads;
    T folds[tile::most_items];
    const std::size_t first = segment;
    while (segment < last_segment && merged_.end(segment) <= end) ++segment;
    for (std::size_t s = segment; s-- > first;) heads.mark(merged_.end(s) - begin);
    tile{in_ + merged_.first() + begin, op_}.fold_short(heads, end - begin, folds);
    put_ended(first, segment, begin, carry, put, put_empty,
              [&](std::size_t, std::size_t to) { return folds[to - 1]; });
    return folds[end - begin - 1];
  }

  /// Puts the folds of segments [first, last), which end in the tile. fold_last(i, j) folds the
  /// items [i, j) of the tile.
  template <class Put, class PutEmpty, class FoldLast>
  void put_ended(std::size_t first, std::size_t last, std::size_t tile_begin, T& carry, Put& put,
                 PutEmpty& put_empty, FoldLast fold_last) {
    if (first == last) return;
    put_first(first, tile_begin, carry, put, put_empty, fold_last);
    std::size_t begin = merged_.end(first) - tile_begin;
    for (std::size_t s = first + 1; s < last; ++s) {
      const std::size_t end = merged_.end(s) - tile_begin;
      if (begin == end) {
        put_empty(s);
      } else {
        T fold = fold_last(begin, end);
        put(s, fold);
      }
      begin = end;
    }
  }

  /// Puts the fold of segment s, the first one that ends in the tile. If s begins in an earlier
  /// chunk, notes it in `edges` instead.
  template <class Put, class PutEmpty, class FoldLast>
  void put_first(std::size_t s, std::size_t tile_begin, T& carry, Put& put, PutEmpty& put_empty,
                 FoldLast& fold_last) {
    const std::size_t begin = merged_.begin(s), end = merged_.end(s);
    if (begin == end) {
      put_empty(s);
      return;
    }
    T fold = carry;
    if (end > tile_begin) {
      fold = fold_last(begin > tile_begin ? begin - tile_begin : 0, end - tile_begin);
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
    chunk_edges<T>* edges = nullptr;
    const scratch memory{*with.memory, [&](carver& space) {
                           edges = host::take_room<chunk_edges<T>>(space, chunks.num_tiles);
                         }};
    const std::size_t most_shares = engine_tuning::chunk_shares_per_thread * chunks.num_threads;
    const std::size_t share = std::max<std::size_t>(chunks.num_tiles / most_shares, 1);
    const tiling shares{total, sizeof(T), {chunks.num_threads, share * chunks.tile_items}};
    host::for_each_tile(shares, [&](std::size_t i) {
      const std::size_t end = std::min((i + 1) * share, chunks.num_tiles);
      segment_part part = host::part_of(merged, chunks.begin(i * share), chunks.begin(i * share));
      for (std::size_t chunk = i * share; chunk < end; ++chunk) {
        const std::size_t begin = chunks.begin(chunk);
        part = host::part_of(merged, begin, begin + chunks.size(chunk),
                             part.segment + std::size_t(part.num_ends));
        auto* const own = ::new (static_cast<void*>(edges + chunk)) chunk_edges<T>;
        folder{in, merged, part, Op(std::as_const(op)), *own}.fold(put, put_empty);
      }
    });
    host::join_chunks(edges, chunks.num_tiles, op, put);
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
