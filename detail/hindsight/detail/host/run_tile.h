// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a CUDA block folds a tile by runs of equal keys, followed by one thread: what
// floating-point values add up to depends on n, the types and the keys alone, on both engines.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/reduce.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/tuning/scan.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace hindsight::detail::host {

/// What a stretch of items leaves to the next: how many runs began in it, and the fold of its last
/// run so far, or of all of it if none began.
template <class T>
struct open_run {
  std::size_t heads;
  T value;
};

template <class Op>
struct join_runs {
  Op op;
  template <class T>
  open_run<T> operator()(const open_run<T>& left, const open_run<T>& right) const {
    if (right.heads > 0) return {left.heads + right.heads, right.value};
    return {left.heads, T(op(left.value, right.value))};
  }
};

/// op(sum, item), or start(item) where a run begins. Folds of numbers are worth computing in vain:
/// that saves a branch which random run lengths mispredict.
template <class T, class Op, class Start>
T fold_or_start(const T& sum, const T& item, bool head, Op& op, const Start& start) {
  if constexpr (std::is_arithmetic_v<T>) {
    const T either[] = {T(op(sum, item)), T(start(item))};  // in memory: no branch
    return either[head];
  } else {
    return head ? T(start(item)) : T(op(sum, item));
  }
}

/// How a run starts: with its first item.
struct first_item {
  template <class T>
  T operator()(const T& item) const {
    return item;
  }
};

/// Whether folds of T by Op give one result in any association.
template <class Op, class T>
inline constexpr bool folds_in_any_order = std::is_integral_v<T>&& is_commutative<Op, T>;

/// Tests ask for tiles of their own; void means the library's.
template <class Tuning, class Default>
using tuning_or = std::conditional_t<std::is_void_v<Tuning>, Default, Tuning>;

/// The tiles of an algorithm over keys and values: as they suit this machine where any order will
/// do, else the CUDA kernel's.
inline tiling tiles_of(std::size_t n, std::size_t item_bytes, bool in_any_order, tile_shape shape,
                       cut wanted) {
  if (in_any_order) return {n, item_bytes, wanted};
  const unsigned threads = tiling{n, item_bytes, {wanted.num_threads, 0}}.num_threads;
  return {n, item_bytes, {threads, std::size_t(shape.tile_items())}};
}

/// heads[i] = whether a run begins at item i of a tile.
template <class KeyIt, class Equal>
void find_heads(KeyIt keys, std::size_t size, bool first_is_head, Equal& equal, bool* heads) {
  heads[0] = first_is_head;
  for (std::size_t i = 1; i < size; ++i) heads[i] = !equal(keys[i - 1], keys[i]);
}

/// A tile of values as lanes of `lane_items` neighbours, 32 lanes to a warp.
///   Order  lane: from its last head on; warp: Kogge-Stone over the lanes of a run; tile: warp by
///          warp
template <class T, class Op>
class run_tile {
  static constexpr std::size_t warp_lanes = 32;

 public:
  run_tile(std::size_t size, std::size_t lane_items, const bool* heads, Op op)
      : op_{op},
        size_{size},
        lane_items_{lane_items},
        heads_{heads},
        num_lanes_{(size + lane_items - 1) / lane_items},
        lanes_{scratch<open_run<T>>(num_lanes_)} {}

  std::size_t num_lanes() const { return num_lanes_; }
  std::size_t begin(std::size_t lane) const { return lane * lane_items_; }
  std::size_t end(std::size_t lane) const { return std::min(size_, begin(lane) + lane_items_); }

  /// After fold(): the runs that began in the tile before the lane, and the fold of the one that is
  /// open there, as far as it lies in the tile. Lane 0 has nothing before it.
  const open_run<T>& before(std::size_t lane) const { return lanes_[lane - 1]; }

  /// Folds the tile; a run starts with start(its first item).
  template <class ValueIt, class Start>
  open_run<T> fold(ValueIt values, const Start& start) {
    for (std::size_t lane = 0; lane < num_lanes_; ++lane)
      lanes_[lane] = fold_lane(values, lane, start);
    open_run<T> tile{};
    for (std::size_t warp = 0; warp < num_lanes_; warp += warp_lanes) {
      const std::size_t count = std::min(warp_lanes, num_lanes_ - warp);
      open_run<T>* const lanes = lanes_.get() + warp;
      scan_warp(lanes, count);
      const open_run<T> own = lanes[count - 1];
      if (warp > 0)
        for (std::size_t i = 0; i < count; ++i) lanes[i] = join_runs<Op>{op_}(tile, lanes[i]);
      tile = warp > 0 ? join_runs<Op>{op_}(tile, own) : own;
    }
    return tile;
  }

 private:
  template <class ValueIt, class Start>
  open_run<T> fold_lane(ValueIt values, std::size_t lane, const Start& start) {
    std::size_t i = begin(lane);
    std::size_t heads = heads_[i];
    T fold = heads_[i] ? T(start(T(values[i]))) : T(values[i]);
    for (++i; i < end(lane); ++i) {
      heads += heads_[i];
      fold = fold_or_start(fold, T(values[i]), heads_[i], op_, start);
    }
    return {heads, fold};
  }

  /// Kogge and Stone's steps within each run.
  void scan_warp(open_run<T>* lanes, std::size_t count) {
    std::size_t first[warp_lanes];  // the last lane at or below each in which a run begins, or 0
    for (std::size_t i = 0; i < count; ++i)
      first[i] = lanes[i].heads > 0 || i == 0 ? i : first[i - 1];
    for (std::size_t i = 1; i < count; ++i) lanes[i].heads += lanes[i - 1].heads;
    for (std::size_t step = 1; step < count; step *= 2)
      for (std::size_t i = count - 1; i >= step; --i)
        if (i - step >= first[i]) lanes[i].value = T(op_(lanes[i - step].value, lanes[i].value));
  }

  Op op_;
  std::size_t size_;
  std::size_t lane_items_;
  const bool* heads_;
  std::size_t num_lanes_;
  std::unique_ptr<open_run<T>[]> lanes_;
};

}  // namespace hindsight::detail::host
