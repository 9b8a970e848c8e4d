// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds segments, or runs of equal keys, of a tile on one thread, in the order of a CUDA block, and
// without a scan of the tile. Short ones are folded by marks of their heads: a branch for each
// could not be predicted.
#pragma once

#include <hindsight/detail/board/look_back.h>
#include <hindsight/detail/config.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>
#include <hindsight/detail/tuning/order.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// The items of a tile, as tile_of_lanes takes them.
template <class T, int LaneItems, class InputIt, class Op>
class lane_items_of {
  static constexpr std::size_t lane_items = LaneItems;
  static constexpr std::size_t batch = lanes_at_once<T>;

 public:
  lane_items_of(InputIt in, Op& op) : in_{in}, op_{op} {}

  /// The fold of items [begin, end) of a lane, one after the other.
  T fold(std::size_t begin, std::size_t end) {
    T sum = host::copy_at<T>(in_, begin);
    for (std::size_t i = begin + 1; i < end; ++i) {
      T item = host::copy_at<T>(in_, i);
      sum = op_(sum, item);
    }
    return sum;
  }

  /// folds[j] = the fold of lane first + j, whose items belong to one segment; j < last - first.
  void fold_lanes(std::size_t first, std::size_t last, T* folds) {
    std::size_t lane = first;
    for (; lane + batch <= last; lane += batch) fold_abreast<batch>(lane, folds + lane - first);
    for (; lane < last; ++lane) fold_abreast<1>(lane, folds + lane - first);
  }

 private:
  /// So many lanes at a time, so that a processor overlaps them.
  template <std::size_t Lanes>
  void fold_abreast(std::size_t lane, T* folds) {
    const InputIt in = in_ + lane * lane_items;
    T fold[Lanes];
    for (std::size_t j = 0; j < Lanes; ++j) fold[j] = host::copy_at<T>(in, j * lane_items);
    for (std::size_t i = 1; i < lane_items; ++i)
      for (std::size_t j = 0; j < Lanes; ++j) {
        T item = host::copy_at<T>(in, j * lane_items + i);
        fold[j] = op_(fold[j], item);
      }
    for (std::size_t j = 0; j < Lanes; ++j) folds[j] = fold[j];
  }

  InputIt in_;
  Op& op_;
};

/// The same items of a tile of at most n, folded by their marks before.
template <class T, int LaneItems, class InputIt, class Op>
class marked_lane_items {
  static constexpr std::size_t lane_items = LaneItems;
  static constexpr std::size_t batch = lanes_at_once<T>;

 public:
  ///   is_head  [n] whether a segment begins with an item
  ///   folds    [n] room for the fold of each item and those before it in its lane and segment
  marked_lane_items(InputIt in, std::size_t n, const bool* is_head, T* folds, Op& op)
      : is_head_{is_head}, folds_{folds}, op_{op} {
    std::size_t begin = 0;
    for (; begin + batch * lane_items <= n; begin += batch * lane_items)
      fold_abreast<batch>(in, begin, lane_items);
    for (; begin < n; begin += lane_items)
      fold_abreast<1>(in, begin, std::min(lane_items, n - begin));
  }

  T fold(std::size_t, std::size_t end) const { return folds_[end - 1]; }

  void fold_lanes(std::size_t first, std::size_t last, T* folds) const {
    for (std::size_t lane = first; lane < last; ++lane)
      folds[lane - first] = folds_[(lane + 1) * lane_items - 1];
  }

 private:
  template <std::size_t Lanes>
  void fold_abreast(InputIt in, std::size_t begin, std::size_t size) {
    first_item start;
    T fold[Lanes];
    for (std::size_t j = 0; j < Lanes; ++j) {
      const std::size_t at = begin + j * lane_items;
      folds_[at] = fold[j] = static_cast<T>(in[at]);
    }
    for (std::size_t i = 1; i < size; ++i)
      for (std::size_t j = 0; j < Lanes; ++j) {
        const std::size_t at = begin + j * lane_items + i;
        T item = static_cast<T>(in[at]);
        folds_[at] = fold[j] = host::fold_or_start(fold[j], item, is_head_[at], op_, start);
      }
  }

  const bool* is_head_;
  T* folds_;
  Op& op_;
};

/// A tile as lanes of LaneItems neighbours, lanes_of_warp lanes to a warp.
///   Order  lane: item by item; warp: Kogge-Stone over the lanes of a segment; tile: warp by warp
template <class T, int LaneItems, class Items, class Op>
class tile_of_lanes {
  static constexpr std::size_t lane_items = LaneItems, warp_lanes = lanes_of_warp;

 public:
  tile_of_lanes(Items items, Op& op) : items_{items}, op_{op} {}

  /// The fold of items [begin, end) of a segment.
  T fold(std::size_t begin, std::size_t end) {
    const std::size_t num_lanes = (end + lane_items - 1) / lane_items;
    std::size_t first = begin / lane_items;
    T sum = fold_warp(begin, end, first, num_lanes);
    while (first < num_lanes) {
      T warp = fold_warp(first * lane_items, end, first, num_lanes);
      sum = op_(sum, warp);
    }
    return sum;
  }

  /// The same, but the items of the last lane are put behind what precedes them.
  T fold_to_item(std::size_t begin, std::size_t end) {
    return fold_apart(begin, (end - 1) / lane_items * lane_items, end);
  }
  /// The same, but a last lane that is whole is joined as all others.
  T fold_to_head(std::size_t begin, std::size_t end) {
    return fold_apart(begin, end / lane_items * lane_items, end);
  }

 private:
  /// Puts the items from `last` on, where a lane begins, behind those before it.
  T fold_apart(std::size_t begin, std::size_t last, std::size_t end) {
    const std::size_t second = (begin / lane_items + 1) * lane_items;
    if (end <= second) return items_.fold(begin, end);
    if (end <= second + lane_items) {
      T before = items_.fold(begin, second), own = items_.fold(second, end);
      return op_(before, own);
    }
    T before = fold(begin, last);
    if (last == end) return before;
    T own = items_.fold(last, end);
    return op_(before, own);
  }

  /// The fold of what a warp has of items [begin, end), from lane `first` on, which becomes the
  /// first lane of the next warp.
  T fold_warp(std::size_t begin, std::size_t end, std::size_t& first, std::size_t num_lanes) {
    const std::size_t past = std::min(num_lanes, (first / warp_lanes + 1) * warp_lanes);
    if constexpr (!std::is_arithmetic_v<T> &&
                  (lane_items > 1 || sizeof(T) <= engine_tuning::most_bytes_of_pair))
      return join_at_once(begin, end, std::exchange(first, past), past);
    const std::size_t whole = std::min(past, end / lane_items);
    T lanes[warp_lanes];
    std::size_t count = 0;
    if (begin > first * lane_items && first < whole)
      lanes[count++] = items_.fold(begin, (first + 1) * lane_items);
    items_.fold_lanes(first + count, whole, lanes + count);
    count = past - first;
    if (whole < past) lanes[count - 1] = items_.fold(std::max(begin, whole * lane_items), end);
    first = past;
    return host::as_item<T>(host::kogge_stone_fold(lanes, count, op_));
  }

  /// fold_warp() of lanes [first, past), which are joined with those before them as soon as they
  /// are folded: so structs need not be kept. 2^i lanes are joined where a multiple of 2^i follows.
  T join_at_once(std::size_t begin, std::size_t end, std::size_t first, std::size_t past) {
    T folds[6];  // so many, since a warp has 2^5 lanes
    std::size_t num_folds = 0;
    for (std::size_t lane = first;;) {
      T sum = fold_lane(begin, end, lane++);
      std::size_t lanes = 1;
      if (sizeof(T) <= engine_tuning::most_bytes_of_pair && (past - lane) % 2 == 1) {
        T right = fold_lane(begin, end, lane++);
        sum = op_(sum, right);
        lanes = 2;
      }
      for (; num_folds > 0 && ((past - lane) & lanes) == 0; lanes *= 2)
        sum = op_(folds[--num_folds], sum);
      if (lane == past) return sum;
      folds[num_folds++] = sum;
    }
  }

  /// The fold of what a lane has of items [begin, end).
  T fold_lane(std::size_t begin, std::size_t end, std::size_t lane) {
    const std::size_t from = lane * lane_items;
    return begin <= from && from + lane_items <= end
               ? items_.fold(from, from + lane_items)
               : items_.fold(std::max(begin, from), std::min(end, from + lane_items));
  }

  Items items_;
  Op& op_;
};

/// Puts before folds[i] what a segment has of the lanes before, if it ends with item i: then
/// folds[i] is to_end(begin of a lane, i + 1). Returns the begin of the lane where the segment
/// begins that is open at the end of the tile.
///   folds  [n] of marked_lane_items
template <int LaneItems, class T, class ToEnd>
std::size_t finish_folds(std::size_t n, const bool* is_head, T* folds, ToEnd to_end) {
  constexpr std::size_t lane_items = LaneItems;
  std::size_t open = 0;
  for (std::size_t begin = 0; begin < n; begin += lane_items) {
    const std::size_t end = std::min(begin + lane_items, n);
    const std::size_t head = host::first_flag(is_head, begin, end);
    if (head == end) continue;
    if (head > open + lane_items) folds[head - 1] = to_end(open, head);
    open = begin;
  }
  return open;
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
