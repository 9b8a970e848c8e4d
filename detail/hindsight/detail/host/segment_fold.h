// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds segments of a tile on one thread, in the order of a warp of the CUDA kernel
// (cuda/block/segment_fold.cuh). Each item is read once, and no fold of an item is kept.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>
#include <hindsight/detail/tuning/order.h>

#include <cstddef>
#include <iterator>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Which items of a tile begin a segment.
template <std::size_t TileItems, std::size_t LaneItems>
struct tile_heads {
  bool is_head[TileItems + 1];
  std::size_t first[TileItems / LaneItems + 1];  ///< in each lane; lane_items if there is none
  tile_heads() {
    std::fill(std::begin(is_head), std::end(is_head), false);
    std::fill(std::begin(first), std::end(first), LaneItems);
  }

  /// Marks an item, or the end of the tile. Requires that the last ones are marked first.
  void mark(std::size_t i) {
    is_head[i] = true;
    first[i / LaneItems] = i % LaneItems;
  }
};

/// A tile of items as at most lanes_of_warp lanes of LaneItems neighbours.
///   Order  what a segment has of a lane is folded item by item. Kogge-Stone joins the folds of
///          lanes
template <class T, int LaneItems, class InputIt, class Op>
class tile_of_lanes {
  static constexpr std::size_t lane_items = LaneItems;
  static constexpr std::size_t batch = engine_tuning::lanes_at_once;

 public:
  static constexpr std::size_t most_items = lanes_of_warp * lane_items;
  using heads_of_tile = tile_heads<most_items, lane_items>;

  /// `in` is the tile's first item.
  tile_of_lanes(InputIt in, Op& op) : in_{in}, op_{op} {}

  /// The fold of items [begin, end), which belong to one segment and are its last ones in the tile:
  /// the lanes but the last are joined, and put before the items of the last.
  T fold_last(std::size_t begin, std::size_t end) {
    const std::size_t first = begin / lane_items, last = (end - 1) / lane_items;
    if (first == last) return fold_items(begin, end);
    T lanes[lanes_of_warp];
    fold_lanes(begin, first, last, lanes);
    T before = join_lanes(lanes, last - first);
    T own = fold_items(last * lane_items, end);
    return op_(before, own);
  }

  /// The fold of items [0, end), which are the whole tile: all its lanes are joined.
  T fold_all(std::size_t end) {
    const std::size_t last = (end - 1) / lane_items;
    T lanes[lanes_of_warp];
    fold_lanes(0, 0, last, lanes);
    lanes[last] = fold_items(last * lane_items, end);
    return join_lanes(lanes, last + 1);
  }

  /// folds[i] = the fold of a segment's items in the tile up to item i, if a segment ends with item
  /// i, or the tile. It has no branch that depends on the lengths of segments.
  ///   folds   [n]
  void fold_short(const heads_of_tile& heads, std::size_t n, T* folds) {
    const std::size_t num_lanes = (n + lane_items - 1) / lane_items;
    T lanes[lanes_of_warp];
    std::size_t lane = 0;
    for (; (lane + batch) * lane_items <= n; lane += batch)
      fold_marked_lanes<batch>(heads, lane, lane_items, folds, lanes);
    for (; lane < num_lanes; ++lane)
      fold_marked_lanes<1>(heads, lane, std::min(lane_items, n - lane * lane_items), folds, lanes);
    std::size_t first = 0;  // the lane where the segment begins that is open at the next lane
    for (lane = 1; lane < num_lanes; ++lane) {
      if (heads.first[lane - 1] < lane_items) first = lane - 1;
      if (heads.first[lane] == 0) continue;
      T joined[lanes_of_warp];
      std::copy(lanes + first, lanes + lane, joined);
      T before = join_lanes(joined, lane - first);
      T& last = folds[std::min(n, lane * lane_items + heads.first[lane]) - 1];
      last = op_(before, last);
    }
  }

 private:
  /// folds[i] = the fold of a lane's items up to item i, of its segment alone. lanes[j] = the fold
  /// that is open where lane j ends.
  template <std::size_t Lanes>
  void fold_marked_lanes(const heads_of_tile& heads, std::size_t lane, std::size_t size, T* folds,
                         T* lanes) {
    const std::size_t begin = lane * lane_items;
    first_item start;
    T fold[Lanes];
    for (std::size_t j = 0; j < Lanes; ++j)
      folds[begin + j * lane_items] = fold[j] = static_cast<T>(in_[begin + j * lane_items]);
    for (std::size_t i = 1; i < size; ++i)
      for (std::size_t j = 0; j < Lanes; ++j) {
        const std::size_t at = begin + j * lane_items + i;
        T item = static_cast<T>(in_[at]);
        folds[at] = fold[j] = host::fold_or_start(fold[j], item, heads.is_head[at], op_, start);
      }
    for (std::size_t j = 0; j < Lanes; ++j) lanes[lane + j] = fold[j];
  }

  T fold_items(std::size_t begin, std::size_t end) {
    T sum = static_cast<T>(in_[begin]);
    for (std::size_t i = begin + 1; i < end; ++i) {
      T item = static_cast<T>(in_[i]);
      sum = op_(sum, item);
    }
    return sum;
  }

  /// lanes[j] = the fold of lane first + j, which begins at item `begin` if j is 0.
  void fold_lanes(std::size_t begin, std::size_t first, std::size_t last, T* lanes) {
    std::size_t lane = first;
    if (begin > first * lane_items) {
      lanes[0] = fold_items(begin, (first + 1) * lane_items);
      ++lane;
    }
    for (; lane + batch <= last; lane += batch) fold_whole_lanes<batch>(lane, lanes + lane - first);
    for (; lane < last; ++lane) fold_whole_lanes<1>(lane, lanes + lane - first);
  }

  /// So many lanes at a time, so that a processor overlaps them.
  template <std::size_t Lanes>
  void fold_whole_lanes(std::size_t lane, T* lanes) {
    const InputIt in = in_ + lane * lane_items;
    T fold[Lanes];
    for (std::size_t j = 0; j < Lanes; ++j) fold[j] = static_cast<T>(in[j * lane_items]);
    for (std::size_t i = 1; i < lane_items; ++i)
      for (std::size_t j = 0; j < Lanes; ++j) {
        T item = static_cast<T>(in[j * lane_items + i]);
        fold[j] = op_(fold[j], item);
      }
    for (std::size_t j = 0; j < Lanes; ++j) lanes[j] = fold[j];
  }

  /// The last result of a Kogge-Stone scan of lanes[0, count), which is overwritten. What it is
  /// made of are pairs of neighbours, pairs of pairs, and so on, counted from the last lane on.
  T join_lanes(T* lanes, std::size_t count) {
    while (count > 1) {
      const std::size_t unpaired = count % 2;
      count = count / 2 + unpaired;
      for (std::size_t k = unpaired; k < count; ++k)
        lanes[k] = op_(lanes[2 * k - unpaired], lanes[2 * k + 1 - unpaired]);
    }
    return lanes[0];
  }

  InputIt in_;
  Op& op_;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
