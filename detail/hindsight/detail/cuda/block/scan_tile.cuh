// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tile of a scan does with its items: folds of lanes and warps, and what precedes each lane.
// Every kernel that scans evaluates these, so all have the same association and the same bits.
#pragma once

#include <hindsight/detail/cuda/block/staged_warp.cuh>
#include <hindsight/detail/tuning/scan.h>

#include <cuda/std/utility>

#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

struct inclusive {};
struct exclusive {};  ///< needs an initial value

/// The fold of this lane's items, in chains.
template <class T, int LaneItems, int AtOnce, class Op>
HINDSIGHT_DEVICE T fold_own(staged_warp<T, LaneItems, AtOnce>& staged, Op op) {
  constexpr int chain_items = detail::chain_items<T>;
  uninitialized<T> fold, chain;
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    const T& item = staged.lane_item(i);
    chain.set(i % chain_items > 0 ? op(chain.get(), item) : item);
    const bool is_last = i % chain_items == chain_items - 1 || i == LaneItems - 1;
    if (is_last) fold.set(i >= chain_items ? op(fold.get(), chain.get()) : chain.get());
  }
  return fold.get();
}

/// Replaces this lane's items by their scan; `before` is the fold of all that precedes it, if any.
template <class Kind, class T, int LaneItems, int AtOnce, class Op>
HINDSIGHT_DEVICE void scan_own(staged_warp<T, LaneItems, AtOnce>& staged,
                               const uninitialized<T>& before, bool any_before, Op op) {
  uninitialized<T> next, own_fold;  // the fold up to here; the part of it that is this lane's
  if (any_before) next.set(before.get());
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    T& slot = staged.lane_item(i);
    const T item = ::cuda::std::as_const(slot);
    if constexpr (std::is_same_v<Kind, exclusive>) slot = next.get();
    if constexpr (folds_own_first<T>) {
      own_fold.set(i > 0 ? op(own_fold.get(), item) : item);
      next.set(any_before ? op(before.get(), own_fold.get()) : own_fold.get());
    } else {
      next.set(i > 0 || any_before ? op(next.get(), item) : item);
    }
    if constexpr (std::is_same_v<Kind, inclusive>) slot = next.get();
  }
}

/// The fold of the first `count` > 0 values.
template <class T, class Op>
HINDSIGHT_DEVICE T fold_first(const uninitialized<T>* values, int count, Op op) {
  T fold = values[0].get();
  for (int i = 1; i < count; ++i) fold = op(fold, values[i].get());
  return fold;
}

/// before = carry op (all warps before) op (all lanes before), if anything precedes this lane.
/// Returns whether anything does.
template <class T, class Op>
HINDSIGHT_DEVICE bool find_before(bool has_carry, const uninitialized<T>& carry, int warp,
                                  const uninitialized<T>* warp_aggregates, const T& lane_before,
                                  Op op, uninitialized<T>& before) {
  const bool any_warp_before = has_carry || warp > 0;
  if (warp > 0) before.set(cuda::fold_first(warp_aggregates, warp, op));
  if (has_carry) before.set(warp > 0 ? op(carry.get(), before.get()) : carry.get());
  if (lane_index() > 0) before.set(any_warp_before ? op(before.get(), lane_before) : lane_before);
  return any_warp_before || lane_index() > 0;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
