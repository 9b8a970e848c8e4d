// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds: each rank folds its shard; all ranks gather the results and fold them in the order of the
// ranks. And histograms: each rank counts its shard, and all ranks add up the counters.
#pragma once

#include <hindsight/detail/ranks/run.h>
#include <hindsight/histogram.h>
#include <hindsight/reduce.h>
#include <hindsight/reduce_by_key.h>

#include <cuda/std/functional>
#include <cuda/std/span>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform.h>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// parts[0] op parts[1] op ..., of those that there are.
template <class T, class Op>
std::optional<T> folded(const std::vector<std::optional<T>>& parts, Op op) {
  std::optional<T> sum;
  for (const std::optional<T>& part : parts) {
    if (!part) continue;
    if (sum) {
      sum.emplace(T(op(*sum, *part)));
    } else {
      sum.emplace(*part);
    }
  }
  return sum;
}

/// The neutral element of `op`, where it is known: then no item has to be read before the fold. For
/// floats it is -0.0: with 0.0 the sum of nothing but -0.0 would be 0.0.
template <class Acc, class Op>
std::optional<Acc> neutral_operand() {
  constexpr bool adds =
      std::is_same_v<Op, ::cuda::std::plus<Acc>> || std::is_same_v<Op, ::cuda::std::plus<>>;
  if constexpr (adds && std::is_integral_v<Acc>) return Acc(0);
  if constexpr (adds && std::is_floating_point_v<Acc>) return -Acc(0);
  return std::nullopt;
}

/// The type in which reduce folds Ts into an Init at a place.
template <class Place, class Op, class T, class Init>
using sum_at = std::conditional_t<std::is_same_v<Place, host_place>,
                                  typename dispatch::sum_on_host<Op, const T*, Init>::type,
                                  accumulator_t<Op, std::remove_const_t<T>, Init>>;

template <class T>
struct cast_to {
  template <class U>
  HINDSIGHT_HD T operator()(const U& item) const {
    return static_cast<T>(item);
  }
};
template <class Acc, class T>
using seen_as = thrust::transform_iterator<cast_to<Acc>, T*, Acc, Acc>;

/// first op shard[0] op ... in any order: for operators that commute. Nothing where the shard is
/// empty and there is no first operand.
///   items  of the shard, as they are or as they are seen
template <class Member, class T, class It, class Acc, class Op>
std::optional<Acc> fold_items(Member& rank, ::cuda::std::span<T> shard, It items,
                              std::optional<Acc> first, Op op) {
  if (shard.empty()) return first;
  std::size_t n = shard.size();
  if (!first) first = ranks::neutral_operand<Acc, Op>();
  if (!first) first.emplace(Acc(rank.read(shard.data() + --n)));
  return hindsight::reduce(rank.policy(), items, items + std::ptrdiff_t(n), *first, op);
}
template <class Member, class T, class Acc, class Op>
std::optional<Acc> fold_shard(Member& rank, ::cuda::std::span<T> shard, std::optional<Acc> first,
                              Op op) {
  return ranks::fold_items(rank, shard, shard.data(), first, op);
}

/// shard[0] op shard[1] op ... in this order; the shard is not empty.
template <class Acc, class Member, class T, class Op>
Acc fold_shard_in_order(Member& rank, ::cuda::std::span<T> shard, Op op) {
  room<Acc, std::decay_t<decltype(rank.policy())>> sum(rank.policy(), 1);
  const thrust::constant_iterator<int> one_key(0);
  const seen_as<Acc, T> items(shard.data(), {});
  hindsight::reduce_by_key(rank.policy(), one_key, one_key + std::ptrdiff_t(shard.size()), items,
                           thrust::make_discard_iterator(), sum.data(),
                           ::cuda::std::equal_to<int>{}, op);
  return rank.read(sum.data());
}

/// The smallest and the largest of some items.
template <class T>
struct extent {
  T min, max;
};
template <class T>
struct extent_of_item {
  HINDSIGHT_HD extent<T> operator()(const T& item) const { return {item, item}; }
};
template <class T, class Less>
struct join_extents {
  mutable Less less;
  HINDSIGHT_HD extent<T> operator()(const extent<T>& a, const extent<T>& b) const {
    return {less(b.min, a.min) ? b.min : a.min, less(a.max, b.max) ? b.max : a.max};
  }
};

/// Sums of a column of counters: rows [num_rows][num_columns].
template <class Counter>
struct sum_of_column {
  const Counter* rows;
  std::size_t num_rows, num_columns;
  HINDSIGHT_HD Counter operator()(std::size_t column) const {
    Counter sum = rows[column];
    for (std::size_t r = 1; r < num_rows; ++r)
      sum = static_cast<Counter>(sum + rows[r * num_columns + column]);
    return sum;
  }
};

/// `count(counters)` counts a rank's shard in [num_bins]; `totals` gets the sums over all ranks.
template <class Member, class Counter, class Count>
void sum_histograms(Member& rank, std::size_t num_bins, Counter* totals, Count count) {
  const std::size_t ranks = std::size_t(rank.size());
  const std::size_t me = std::size_t(rank.rank());
  room<Counter, std::decay_t<decltype(rank.policy())>> rows(rank.policy(), ranks * num_bins);
  count(rows.data() + me * num_bins);
  std::vector<piece> send(ranks), receive(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == me) continue;
    send[r] = {rows.data() + me * num_bins, num_bins * sizeof(Counter)};
    receive[r] = {rows.data() + r * num_bins, num_bins * sizeof(Counter)};
  }
  rank.exchange(send, receive);
  const thrust::counting_iterator<std::size_t> columns(0);
  thrust::transform(rank.policy(), columns, columns + std::ptrdiff_t(num_bins), totals,
                    sum_of_column<Counter>{rows.data(), ranks, num_bins});
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
