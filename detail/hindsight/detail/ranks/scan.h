// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans: each rank folds its shard, all gather the folds, and each scans its shard from what lies
// before it.
#pragma once

#include <hindsight/detail/ranks/reduce.h>
#include <hindsight/scan.h>

#include <cuda/std/functional>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// Operators that are known to commute. A fold with them may use reduce, which is faster than a
/// fold in order.
template <class Op>
inline constexpr bool commutes = false;
template <class T>
inline constexpr bool commutes<::cuda::std::plus<T>> = std::is_arithmetic_v<T> || std::is_void_v<T>;
template <class T>
inline constexpr bool commutes<::cuda::std::multiplies<T>> =
    std::is_arithmetic_v<T> || std::is_void_v<T>;
template <class T>
inline constexpr bool commutes<::cuda::std::bit_and<T>> = true;
template <class T>
inline constexpr bool commutes<::cuda::std::bit_or<T>> = true;
template <class T>
inline constexpr bool commutes<::cuda::std::bit_xor<T>> = true;

/// `op` with results of type T.
template <class T, class Op>
struct with_result {
  mutable Op op;
  HINDSIGHT_HD T operator()(const T& a, const T& b) const { return static_cast<T>(op(a, b)); }
};

/// `op` as a scan without an initial value takes it, which folds Ts in their own type: bytes, whose
/// sum is an int, stay bytes.
template <class T, class Op>
auto folding_in(Op op) {
  if constexpr (std::is_same_v<accumulator_t<Op, T, T>, T>) {
    return op;
  } else if constexpr (std::is_same_v<Op, ::cuda::std::plus<>>) {
    return ::cuda::std::plus<T>{};  // it is known to commute
  } else {
    return with_result<T, Op>{op};
  }
}

/// shard[0] op shard[1] op ..., each item and each result as an Acc; the shard is not empty.
template <class Acc, class Member, class T, class Op>
std::optional<Acc> fold_as(Member& rank, ::cuda::std::span<T> shard, Op op) {
  const std::optional<Acc> none;
  if constexpr (!commutes<Op> || !std::is_arithmetic_v<Acc>) {
    return ranks::fold_shard_in_order<Acc>(rank, shard, op);
  } else if constexpr (std::is_same_v<accumulator_t<Op, T, Acc>, Acc>) {
    return ranks::fold_shard(rank, shard, none, op);  // `op` converts the items
  } else {
    return ranks::fold_items(rank, shard, seen_as<Acc, T>(shard.data(), {}), none,
                             ranks::folding_in<Acc>(op));
  }
}

/// init and all shards before this rank's, folded in order; nothing where there is neither.
template <class Acc, class Member, class T, class Op>
std::optional<Acc> carry_into(Member& rank, ::cuda::std::span<T> shard, std::optional<Acc> init,
                              Op op) {
  std::optional<Acc> mine;
  const bool is_last = rank.rank() + 1 == rank.size();
  if (!is_last && !shard.empty()) mine = ranks::fold_as<Acc>(rank, shard, op);
  auto parts = rank.gather(mine);
  parts.resize(std::size_t(rank.rank()));
  parts.insert(parts.begin(), init);
  return ranks::folded(parts, op);
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
