// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds a tile by runs of equal keys on one thread, in the order of a CUDA block. So floating-point
// sums by key depend on n, the types and the keys alone, and have the same bits on both engines.
#pragma once

#include <hindsight/detail/host/flags.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/operands.h>
#include <hindsight/detail/host/reduce.h>
#include <hindsight/detail/host/scan_tile.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>
#include <hindsight/detail/tuning/order.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// What a stretch of items leaves to the next one: how many runs begin in it, and the fold of its
/// last run so far, or of the whole stretch if none begins in it.
template <class T>
struct open_run {
  std::size_t heads;
  T value;

  open_run() : heads{0}, value() {}
  open_run(std::size_t num_heads, const T& fold) : heads{num_heads}, value(fold) {}
};

#if HINDSIGHT_HAS_SSE2
typedef long long vector_of_words __attribute__((vector_size(16)));
typedef float vector_of_floats __attribute__((vector_size(16)));
typedef double vector_of_doubles __attribute__((vector_size(16)));

/// choose() for floats, in a vector register.
inline float choose_in_vector(bool condition, float yes, float no) {
  const vector_of_words mask = {-std::int64_t(condition), 0};
  vector_of_floats a = {yes, 0, 0, 0}, b = {no, 0, 0, 0};
  return HINDSIGHT_CHOOSE_BITS(ps, mask, a, b)[0];
}
inline double choose_in_vector(bool condition, double yes, double no) {
  const vector_of_words mask = {-std::int64_t(condition), 0};
  vector_of_doubles a = {yes, 0}, b = {no, 0};
  return HINDSIGHT_CHOOSE_BITS(pd, mask, a, b)[0];
}
#endif

/// condition ? yes : no. For numbers it has no branch: with random run lengths the processor could
/// not predict it.
template <class T>
T choose(bool condition, const T& yes, const T& no) {
  if constexpr (std::is_integral_v<T>) {
    const T one = condition;
    return T((no & T(one - 1)) | (yes & T(-one)));
#if HINDSIGHT_HAS_SSE2
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return host::choose_in_vector(condition, yes, no);
#endif
  } else {
    const T* const choices[] = {std::addressof(no), std::addressof(yes)};
    return *choices[condition];
  }
}

/// op(sum, item), or start(item) where a run begins. If possible, both are computed, which saves a
/// branch.
template <class T, class Op, class Start>
T fold_or_start(T& sum, T& item, bool head, Op& op, Start& start) {
  if constexpr (takes_any_numbers<Op, T>) {
    return host::choose(head, T(start(item)), host::join_any_numbers(op, sum, item));
  } else {
    return head ? T(start(item)) : T(op(sum, item));
  }
}

/// item if it is cut off from what precedes it, else op(before, item).
template <class T, class Op>
T fold_unless(bool cut_off, T& before, T& item, Op& op) {
  if constexpr (std::is_floating_point_v<T> && takes_any_numbers<Op, T>) {
    return host::choose(cut_off, item, T(op(before, item)));
  } else {
    return cut_off ? host::as_item<T>(item) : T(op(before, item));
  }
}

/// What two neighbouring stretches together leave to the next one.
template <class T, class Op>
open_run<T> join(open_run<T>& left, open_run<T>& right, Op& op) {
  return {left.heads + right.heads,
          host::fold_unless(right.heads > 0, left.value, right.value, op)};
}

/// right = join(left, right).
template <class T, class Op>
void join_into(open_run<T>& left, open_run<T>& right, Op& op) {
  if constexpr (std::is_floating_point_v<T>) {
    right = host::join(left, right, op);
  } else {
    if (right.heads == 0) right.value = op(left.value, right.value);
    right.heads += left.heads;
  }
}

/// join() as an operator.
template <class Op>
struct join_runs {
  Op op;
  template <class T>
  open_run<T> operator()(open_run<T>& left, open_run<T>& right) {
    return host::join(left, right, op);
  }
};

/// How a run starts: with its first item.
struct first_item {
  template <class T>
  T operator()(T& item) {
    return host::as_item<T>(item);
  }
};

/// Whether folds of T by Op give one result in any association.
template <class Op, class T>
inline constexpr bool folds_in_any_order = std::is_integral_v<T>&& is_commutative<Op, T>;

/// The tuning to use. Tests give their own; void means the library's, `Default`.
template <class Tuning, class Default>
using tuning_or = std::conditional_t<std::is_void_v<Tuning>, Default, Tuning>;

/// The tiles of an algorithm over keys and values. Where the order does not change the result,
/// their size suits this machine. Else they are the CUDA kernel's.
inline tiling tiles_of(std::size_t n, std::size_t item_bytes, bool in_any_order, tile_shape shape,
                       cut wanted) {
  if (in_any_order) return {n, item_bytes, wanted};
  return {n, item_bytes, {wanted.num_threads, std::size_t(shape.tile_items())}};
}

/// Whether a run begins at item i. Item 0 always begins one.
template <class KeyIt, class Equal>
bool is_head_at(KeyIt keys, std::size_t i, Equal& equal) {
  using Key = value_of<KeyIt>;
  if (i == 0) return true;
  auto&& left = host::item_at<Key>(keys, i - 1);
  auto&& right = host::item_at<Key>(keys, i);
  return !bool(equal(left, right));
}

/// heads[i] = whether a run begins at item i of a tile.
template <class KeyIt, class Equal>
void find_heads(KeyIt keys, std::size_t size, bool first_is_head, Equal& equal, bool* heads) {
  heads[0] = first_is_head;
  for (std::size_t i = 1; i < size; ++i) heads[i] = host::is_head_at(keys, i, equal);
}

/// Room for a tile of each thread: a head flag and a fold for each item, and what a run_tile notes
/// of each lane.
template <class T, int LaneItems>
struct run_tile_rooms {
  rooms<bool> heads;
  rooms<open_run<T>> lanes;
  rooms<std::size_t> first_heads;
  rooms<T> folds;

  void carve(carver& space, const tiling& tiles) {
    const std::size_t num_lanes = (tiles.tile_items + LaneItems - 1) / LaneItems;
    heads.carve(space, tiles.num_threads, tiles.tile_items);
    lanes.carve(space, tiles.num_threads, num_lanes);
    first_heads.carve(space, tiles.num_threads, num_lanes);
    folds.carve(space, tiles.num_threads, tiles.tile_items);
  }
};

/// A tile of values as lanes of LaneItems neighbours, lanes_of_warp lanes to a warp. The values are
/// read once and folded lane by lane. Then what precedes a lane is folded into its items before its
/// first head.
///   Order  lane: from its last head on; warp: Kogge-Stone over the lanes of a run; tile: warp by
///          warp
template <class T, int LaneItems, class Op>
class run_tile {
  static constexpr std::size_t lane_items = LaneItems;
  static constexpr std::size_t warp_lanes = lanes_of_warp;
  static constexpr std::size_t batch = lanes_at_once<T>;
  static constexpr bool has_large_items = sizeof(T) >= engine_tuning::least_large_bytes;

 public:
  /// Uses room number `rank`. Its `heads` have to be known when fold() is called.
  run_tile(std::size_t size, const run_tile_rooms<T, LaneItems>& room, unsigned rank, Op op)
      : op_{op},
        size_{size},
        heads_{room.heads[rank]},
        num_lanes_{(size + lane_items - 1) / lane_items},
        lanes_{room.lanes[rank]},
        first_heads_{room.first_heads[rank]},
        folds_{room.folds[rank]} {}

  std::size_t num_lanes() const { return num_lanes_; }
  std::size_t begin(std::size_t lane) const { return lane * lane_items; }
  std::size_t end(std::size_t lane) const { return std::min(size_, begin(lane) + lane_items); }

  /// After fold(): how many runs begin in the tile before this lane, and the fold of the run that
  /// is open where the lane begins, as far as it lies in the tile. Requires lane > 0.
  open_run<T>& before(std::size_t lane) const { return lanes_[lane - 1]; }

  /// Folds the tile; a run starts with start(its first item).
  template <emits Emits, class ValueIt, class Start>
  open_run<T>& fold(ValueIt values, Start& start) {
    std::size_t lane = 0;
    for (; begin(lane + batch) <= size_; lane += batch)
      fold_lanes<Emits, batch>(values + begin(lane), lane, lane_items, start);
    for (; lane < num_lanes_; ++lane)
      fold_lanes<Emits, 1>(values + begin(lane), lane, end(lane) - begin(lane), start);
    note_heads();

    for (std::size_t warp = 0; warp < num_lanes_; warp += warp_lanes) {
      const std::size_t count = std::min(warp_lanes, num_lanes_ - warp);
      open_run<T>* const lanes = lanes_ + warp;
      scan_warp(lanes, count);
      if (warp > 0)
        for (std::size_t i = 0; i < count; ++i) host::join_into(lanes[-1], lanes[i], op_);
    }
    return lanes_[num_lanes_ - 1];
  }

  /// After fold(): writes the scan by run of the tile. `carry`, if not null, precedes the tile. If
  /// it is null, a run that began before the tile is folded from the tile's first item on.
  template <emits Emits, class OutputIt>
  void scan(OutputIt out, T* carry) {
    if (carry != nullptr) {
      write_lane<Emits>(out, 0, *carry);
    } else {
      std::copy(folds_, folds_ + end(0), out);
    }
    for (std::size_t lane = 1; lane < num_lanes_; ++lane) {
      open_run<T>& run = before(lane);
      if (carry != nullptr && run.heads == 0) prepend(*carry, run.value);
      write_lane<Emits>(out, lane, run.value);
    }
  }

 private:
  /// folds_[i] = the fold of a lane's items from the lane's last head up to item i, or from its
  /// first item if there is no such head; with item i or without it, as Emits says.
  template <emits Emits, std::size_t Lanes, class ValueIt, class Start>
  void fold_lanes(ValueIt values, std::size_t lane, std::size_t size, Start& start) {
    if constexpr (has_large_items) return fold_lane<Emits>(values, lane, size, start);
    const bool* const heads = heads_ + begin(lane);
    T* const out = folds_ + begin(lane);
    T fold[Lanes];
    for (std::size_t j = 0; j < Lanes; ++j) {
      const std::size_t at = j * lane_items;
      T item = host::copy_at<T>(values, at);
      fold[j] = heads[at] ? T(start(item)) : host::as_item<T>(item);
      if constexpr (Emits == emits::before_item) out[at] = start.init;
      if constexpr (Emits == emits::with_item) out[at] = fold[j];
    }
    for (std::size_t i = 1; i < size; ++i)
      for (std::size_t j = 0; j < Lanes; ++j) {
        const std::size_t at = j * lane_items + i;
        T item = host::copy_at<T>(values, at);
        if constexpr (Emits == emits::before_item) {
          out[at] = host::choose(heads[at], start.init, fold[j]);
          fold[j] = op_(out[at], item);
        } else {
          out[at] = fold[j] = host::fold_or_start(fold[j], item, heads[at], op_, start);
        }
      }
    for (std::size_t j = 0; j < Lanes; ++j)
      host::put(std::addressof(lanes_[lane + j].value), fold[j]);
  }

  /// fold_lanes() of one lane of large items: each fold is made where it stays.
  template <emits Emits, class ValueIt, class Start>
  void fold_lane(ValueIt values, std::size_t lane, std::size_t size, Start& start) {
    const bool* const heads = heads_ + begin(lane);
    T* const folds = folds_ + begin(lane);
    T* const last = std::addressof(lanes_[lane].value);
    for (std::size_t i = 0; i < size; ++i) {
      auto&& item = host::item_at<T>(values, i);
      if constexpr (Emits == emits::with_item) {
        fold_into(folds + i, i == 0 ? nullptr : folds + i - 1, item, heads[i], start);
      } else {
        if (i == 0 || heads[i]) host::put(folds + i, start.init);
        fold_into(i + 1 < size ? folds + i + 1 : last, i == 0 ? nullptr : folds + i, item, heads[i],
                  start);
      }
    }
    if constexpr (Emits == emits::with_item) host::put(last, folds[size - 1]);
  }

  /// Makes *to from what a run starts with, from *before and an item, or from the item.
  template <class Item, class Start>
  void fold_into(T* to, T* before, Item& item, bool head, Start& start) {
    void* const place = to;
    if (head) {
      ::new (place) T(start(item));
    } else if (before != nullptr) {
      ::new (place) T(op_(*before, item));
    } else {
      ::new (place) T(host::as_item<T>(item));
    }
  }

  /// Notes of each lane how many heads it has, and the first one.
  void note_heads() {
    for (std::size_t lane = 0; lane < num_lanes_; ++lane) {
      const auto note = [&](std::size_t size) {
        lanes_[lane].heads = host::count_flags(heads_ + begin(lane), size);
        first_heads_[lane] = host::first_flag(heads_ + begin(lane), 0, size);
      };
      const std::size_t size = end(lane) - begin(lane);
      if (size == lane_items) {
        note(lane_items);  // a constant: no loops
      } else {
        note(size);
      }
    }
  }

  /// own = op(before, own), by way of a T that the compiler keeps in registers.
  void prepend(T& before, T& own) {
    const T both = op_(before, own);
    own = both;
  }

  /// Kogge-Stone over the lanes of each run.
  void scan_warp(open_run<T>* lanes, std::size_t count) {
    for (std::size_t first = 0, end; first < count; first = end) {
      end = first + 1;
      while (end < count && lanes[end].heads == 0) ++end;
      for (std::size_t step = 1; step < end - first; step *= 2)
        for (std::size_t i = end - 1; i >= first + step; --i)
          prepend(lanes[i - step].value, lanes[i].value);
    }
    for (std::size_t i = 1; i < count; ++i) lanes[i].heads += lanes[i - 1].heads;
  }

  /// Writes a lane, after what precedes it.
  template <emits Emits, class OutputIt>
  void write_lane(OutputIt out, std::size_t lane, const T& before) {
    const std::size_t first = begin(lane), head = first + first_heads_[lane];
    if (head > first) {
      T own_before = before;  // stays in registers: an output of the same type is not this object
      std::size_t i = first;
      if (Emits == emits::before_item) out[i++] = before;
      for (; i < head; ++i) out[i] = static_cast<T>(op_(own_before, folds_[i]));
    }
    for (std::size_t i = head; i < end(lane); ++i) out[i] = folds_[i];
  }

  Op op_;
  std::size_t size_;
  const bool* heads_;
  std::size_t num_lanes_;
  open_run<T>* lanes_;
  std::size_t* first_heads_;  // of each lane, or its size
  T* folds_;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
