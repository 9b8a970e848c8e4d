// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans a tile on one thread, in the order of a CUDA block. So a floating-point scan depends on n
// and T alone, and has the same bits on both engines.
#pragma once

#include <hindsight/detail/board/look_back.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>
#include <hindsight/detail/tuning/order.h>

#include <cstddef>
#include <memory>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// What a scan writes for an item: the fold with the item, or the one before it.
enum class emits { with_item, before_item };

/// out[i] = op(left, right), as a T. An array gets it without a copy.
template <class T, class OutputIt, class Op>
void write_fold(T& left, T& right, OutputIt out, std::size_t i, Op& op) {
  if constexpr (std::is_same_v<OutputIt, T*>) {
    ::new (static_cast<void*>(out + i)) T(op(left, right));
  } else {
    out[i] = static_cast<T>(op(left, right));
  }
}

/// A tile of `size` items as lanes of `LaneItems` neighbours, lanes_of_warp lanes to a warp.
///   Order  lane: chain by chain of its items; warp: Kogge-Stone over its lanes; tile: warp by warp
template <class T, int LaneItems, class Op>
class scan_tile {
  static constexpr std::size_t lane_items = LaneItems;
  static constexpr std::size_t chain_items = std::size_t(detail::chain_items<T>);
  static constexpr std::size_t warp_lanes = lanes_of_warp;
  static constexpr std::size_t batch = lanes_at_once<T>;

 public:
  /// How many items of type T a tile of `size` items needs room for.
  static constexpr std::size_t room_items(std::size_t size) {
    return (size + lane_items - 1) / lane_items;
  }

  /// room [room_items(size)]
  scan_tile(std::size_t size, Op op, T* room)
      : op_{op}, size_{size}, lanes_{room_items(size)}, folds_{room} {}

  /// Folds the tile.
  template <class InputIt>
  T fold(InputIt in) {
    std::uninitialized_default_construct_n(folds_, lanes_);
    fold_lanes(in);
    T tile = T();
    for (std::size_t warp = 0; warp < lanes_; warp += warp_lanes) {
      const std::size_t count = std::min(warp_lanes, lanes_ - warp);
      host::kogge_stone_scan(folds_ + warp, int(count), op_);
      T& last = folds_[warp + count - 1];
      tile = warp == 0 ? host::as_item<T>(last) : T(op_(tile, last));
    }
    return tile;
  }

  /// After fold(): writes the scan of the tile. `carry`, if not null, precedes the tile.
  template <emits Emits, class InputIt, class OutputIt>
  void scan(InputIt in, OutputIt out, T* carry) {
    to_befores(carry);
    std::size_t lane = 0;
    if (carry == nullptr) {  // nothing precedes the first lane
      T next = host::copy_at<T>(in, 0);
      out[0] = next;
      for (std::size_t i = 1; i < std::min(lane_items, size_); ++i) {
        T item = host::copy_at<T>(in, i);
        next = op_(next, item);
        out[i] = next;
      }
      lane = 1;
    }
    for (; (lane + batch) * lane_items <= size_; lane += batch)
      scan_batch<Emits>(in + lane * lane_items, out + lane * lane_items, folds_ + lane);
    for (; lane < lanes_; ++lane)
      scan_lane<Emits>(in, out, lane * lane_items, std::min((lane + 1) * lane_items, size_),
                       folds_[lane]);
  }

 private:
  template <class InputIt>
  void fold_lanes(InputIt in) {
    std::size_t lane = 0;
    for (; (lane + batch) * lane_items <= size_; lane += batch)
      fold_rows<batch>(in + lane * lane_items, lane_items, folds_ + lane);
    for (; lane < lanes_; ++lane)
      fold_rows<1>(in + lane * lane_items, std::min(lane_items, size_ - lane * lane_items),
                   folds_ + lane);
  }

  /// Folds `count` items of each of `Lanes` lanes.
  template <std::size_t Lanes, class InputIt>
  void fold_rows(InputIt in, std::size_t count, T* folds) {
    for (std::size_t begin = 0; begin < count; begin += chain_items) {
      const std::size_t end = std::min(begin + chain_items, count);
      T chains[Lanes];
      for (std::size_t j = 0; j < Lanes; ++j)
        chains[j] = host::copy_at<T>(in, j * lane_items + begin);
      for (std::size_t i = begin + 1; i < end; ++i)
        for (std::size_t j = 0; j < Lanes; ++j) {
          T item = host::copy_at<T>(in, j * lane_items + i);
          chains[j] = op_(chains[j], item);
        }
      for (std::size_t j = 0; j < Lanes; ++j)
        folds[j] = begin > 0 ? T(op_(folds[j], chains[j])) : host::as_item<T>(chains[j]);
    }
  }

  /// folds_ holds the inclusive scan of each warp's lanes. Replaces it by the fold of what precedes
  /// each lane: carry op (the warps before, folded without it) op the lanes before in the warp. If
  /// there is no carry, the value of lane 0 has no meaning.
  void to_befores(T* carry) {
    T warps = T();
    for (std::size_t warp = 0; warp < lanes_; warp += warp_lanes) {
      const std::size_t last = std::min(warp + warp_lanes, lanes_) - 1;
      const bool any_before = carry != nullptr || warp > 0;
      T before = host::as_item<T>(warps);
      if (carry != nullptr) before = warp > 0 ? T(op_(*carry, warps)) : host::as_item<T>(*carry);
      warps = warp > 0 ? T(op_(warps, folds_[last])) : host::as_item<T>(folds_[last]);
      for (std::size_t lane = last; lane > warp; --lane)
        folds_[lane] =
            any_before ? T(op_(before, folds_[lane - 1])) : host::as_item<T>(folds_[lane - 1]);
      folds_[warp] = before;
    }
  }

  template <emits Emits, class InputIt, class OutputIt>
  void scan_lane(InputIt in, OutputIt out, std::size_t begin, std::size_t end, T& before) {
    T fold = first_step<Emits>(in, out, begin, before);
    for (std::size_t i = begin + 1; i < end; ++i) step<Emits>(in, out, i, before, fold);
  }

  template <emits Emits, class InputIt, class OutputIt>
  void scan_batch(InputIt in, OutputIt out, T* before) {
    T folds[batch];
    for (std::size_t j = 0; j < batch; ++j)
      folds[j] = first_step<Emits>(in, out, j * lane_items, before[j]);
    for (std::size_t i = 1; i < lane_items; ++i)
      for (std::size_t j = 0; j < batch; ++j)
        step<Emits>(in, out, j * lane_items + i, before[j], folds[j]);
  }

  /// Scans the first item of a lane. Returns the fold of the lane's own items up to here, or, if
  /// !folds_own_first<T>, of all items up to here. Reads before it writes: `out` may be `in`.
  template <emits Emits, class InputIt, class OutputIt>
  T first_step(InputIt in, OutputIt out, std::size_t i, T& before) {
    T item = host::copy_at<T>(in, i);
    if constexpr (folds_own_first<T>) {
      if constexpr (Emits == emits::with_item) {
        host::write_fold(before, item, out, i, op_);
      } else {
        out[i] = before;
      }
      return item;
    } else {
      T fold = op_(before, item);
      out[i] = Emits == emits::with_item ? fold : before;
      return fold;
    }
  }

  /// Scans another item. `fold`: see first_step().
  template <emits Emits, class InputIt, class OutputIt>
  void step(InputIt in, OutputIt out, std::size_t i, T& before, T& fold) {
    T item = host::copy_at<T>(in, i);
    if constexpr (Emits == emits::before_item) {
      if constexpr (folds_own_first<T>) {
        host::write_fold(before, fold, out, i, op_);
      } else {
        out[i] = fold;
      }
    }
    fold = op_(fold, item);
    if constexpr (Emits == emits::with_item) {
      if constexpr (folds_own_first<T>) {
        host::write_fold(before, fold, out, i, op_);
      } else {
        out[i] = fold;
      }
    }
  }

  Op op_;
  std::size_t size_;
  std::size_t lanes_;
  T* folds_;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
