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
    const std::size_t size = host::size_of_segment(merged, s);
    if (size == 0) {
      put_empty(s);
    } else {
      const auto items = in + (merged.first() + merged.begin(s));
      T sum = host::fold_in_order<T>(items_of<T, InputIt>{items}, size, op);
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
    std::size_t item = chunk_.item;
    do {
      const std::size_t end = segment_cut<T, Tuning>::tile_end(item, last_item);
      fold_tile(item, end, put, put_empty);
      item = end;
    } while (item < last_item);
    const bool began_before =
        chunk_.segment < merged_.num_segments() && merged_.begin(chunk_.segment) < chunk_.item;
    edges_.open = {!began_before || chunk_.num_ends > 0 || chunk_.num_items == 0, open_};
    edges_.first_segment = chunk_.segment;
  }

 private:
  static constexpr int lane_items = Tuning::shape.lane_items;
  static constexpr std::size_t tile_items = Tuning::shape.warp_items();

  /// Folds the items [begin, end) of a tile. At its begin and afterwards, segment_ is open, and
  /// open_ is the fold of this segment's items that lie in the chunk so far, if there are any.
  template <class Put, class PutEmpty>
  void fold_tile(std::size_t begin, std::size_t end, Put& put, PutEmpty& put_empty) {
    if constexpr (std::is_arithmetic_v<T>) {
      if (has_short_segments(begin, end)) return fold_short(begin, end, put, put_empty);
    }
    using items = lane_items_of<T, lane_items, InputIt, Op>;
    tile_of_lanes<T, lane_items, items, Op> tile{{in_ + merged_.first() + begin, op_}, op_};
    if (segment_ < last_segment_ && merged_.end(segment_) <= end) {
      put_ended(begin, end, put, put_empty,
                [&](std::size_t i, std::size_t j) { return tile.fold_to_item(i, j); });
    } else if (begin < end) {
      T whole = tile.fold(0, end - begin);
      open_ = has_carry(begin) ? T(op_(open_, whole)) : host::as_item<T>(whole);
    }
  }

  /// Whether segments of a tile are so short that a branch for each takes longer than a mark for
  /// each item.
  bool has_short_segments(std::size_t begin, std::size_t end) const {
    const std::size_t many = segment_ + (end - begin) / engine_tuning::short_segment;
    return begin < end && many < last_segment_ && merged_.end(many) <= end;
  }

  /// fold_tile() by marks of the items that begin a segment.
  template <class Put, class PutEmpty>
  void fold_short(std::size_t begin, std::size_t end, Put& put, PutEmpty& put_empty) {
    const std::size_t n = end - begin;
    bool is_head[tile_items + 1];
    T folds[tile_items];
    std::fill(is_head, is_head + n, false);
    for (std::size_t s = segment_; s < last_segment_ && merged_.end(s) <= end; ++s)
      is_head[merged_.end(s) - begin] = true;
    using items = marked_lane_items<T, lane_items, InputIt, Op>;
    tile_of_lanes<T, lane_items, items, Op> tile{
        {in_ + merged_.first() + begin, n, is_head, folds, op_}, op_};
    const auto to_item = [&](std::size_t i, std::size_t j) { return tile.fold_to_item(i, j); };
    const std::size_t open = host::finish_folds<lane_items>(n, is_head, folds, to_item);
    folds[n - 1] = to_item(open, n);
    put_ended(begin, end, put, put_empty, [&](std::size_t, std::size_t j) { return folds[j - 1]; });
  }

  /// Puts the folds of segments that end in a tile, of which there are some. fold_to_item(i, j)
  /// folds the items [i, j) of a segment of the tile.
  template <class Put, class PutEmpty, class FoldToItem>
  void put_ended(std::size_t begin, std::size_t end, Put& put, PutEmpty& put_empty,
                 FoldToItem fold_to_item) {
    put_first(begin, put, put_empty, fold_to_item);
    std::size_t s = segment_, own = merged_.end(s) - begin;  // where the next one begins
    for (++s; s < last_segment_ && merged_.end(s) <= end; ++s) {
      const std::size_t own_end = merged_.end(s) - begin;
      if (own == own_end) {
        put_empty(s);
      } else {
        T fold = fold_to_item(own, own_end);
        put(s, fold);
      }
      own = own_end;
    }
    if (begin + own < end) open_ = fold_to_item(own, end - begin);
    segment_ = s;
  }

  /// Whether segment_ has items in the chunk before the item `begin`.
  bool has_carry(std::size_t begin) const {
    return begin > chunk_.item && merged_.begin(segment_) < begin;
  }

  /// Puts the fold of segment_, the first one that ends in a tile. If it begins in an earlier
  /// chunk, notes it in `edges` instead.
  template <class Put, class PutEmpty, class FoldToItem>
  void put_first(std::size_t tile_begin, Put& put, PutEmpty& put_empty, FoldToItem& fold_to_item) {
    const std::size_t s = segment_, begin = merged_.begin(s), end = merged_.end(s);
    if (begin == end) {
      put_empty(s);
      return;
    }
    T fold = host::as_item<T>(open_);
    if (end > tile_begin) {
      fold = fold_to_item(0, end - tile_begin);
      if (has_carry(tile_begin)) fold = op_(open_, fold);
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
  std::size_t segment_ = chunk_.segment;
  std::size_t last_segment_ = chunk_.segment + std::size_t(chunk_.num_ends);
  T open_{};
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
  } else if (!host::are_in_order(merged, with.wanted)) {
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
