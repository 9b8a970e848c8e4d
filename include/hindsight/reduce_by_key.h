// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of reduce_by_key: with a policy and iterators (found by Thrust too), with a policy
// and a range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/reduce_by_key.h>

namespace hindsight {

/// For each run of the n keys: one key, and the fold of the run's values [n] by `op`, which is
/// associative, in the input's value type. A run goes on as long as equal(key, next key). Writes as
/// many keys and folds as there are runs, and returns both ends. Nothing may overlap.
///   Time    n calls of op and of equal, and few more; every item is read once. CUDA: with values
///           of over 28 bytes items are mostly read and folded once more
///   Memory  CUDA: 32 bytes (more for values of more than 8 bytes) per tile, none for one tile. A
///           tile is 1 K to 4 K items, if key and value together have up to 32 bytes. Host: as
///           much, and for each thread the keys and twice the values of a tile
///   Order   depends on n, the types and the runs alone: always the same bits. The key written for
///           a run is its last one on CUDA, its first one on host threads, as stock has it
///   Sync    waits for the number of runs
///   Errors  the policy's; invalid_call where keys_last comes before keys_first: nothing is
///           launched then
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
///   Example
///     thrust::device_vector<int> keys(1000, 7), values(1000, 2), unique(1000), sums(1000);
///     auto ends = hindsight::reduce_by_key(keys, values.begin(), unique.begin(), sums.begin());
///     auto num_runs = ends.first - unique.begin();  // 1: unique[0] is 7, sums[0] is 2000
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal,
          class Op>
HINDSIGHT_HD ::cuda::std::pair<KeyOut, ValueOut> reduce_by_key(const execution_policy<D, S>& policy,
                                                               KeyIt keys_first, KeyIt keys_last,
                                                               ValueIt values_first,
                                                               KeyOut keys_out, ValueOut values_out,
                                                               Equal equal, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::reduce_by_key(policy, "hindsight::reduce_by_key",
                                                             keys_first, keys_last, values_first,
                                                             keys_out, values_out, equal, op);),
                     (return thrust::reduce_by_key(thrust::seq, keys_first, keys_last, values_first,
                                                   keys_out, values_out, equal, op);))
}

/// The same with op = plus<T>, T being the output's value type.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
HINDSIGHT_HD ::cuda::std::pair<KeyOut, ValueOut> reduce_by_key(const execution_policy<D, S>& policy,
                                                               KeyIt keys_first, KeyIt keys_last,
                                                               ValueIt values_first,
                                                               KeyOut keys_out, ValueOut values_out,
                                                               Equal equal) {
  HINDSIGHT_DISPATCH(
      (return hindsight::reduce_by_key(
                  policy, keys_first, keys_last, values_first, keys_out, values_out, equal,
                  ::cuda::std::plus<detail::dispatch::sum_by_key_t<ValueIt, ValueOut>>{});),
      (return thrust::reduce_by_key(thrust::seq, keys_first, keys_last, values_first, keys_out,
                                    values_out, equal);))
}

/// The same for runs of equal keys.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class KeyOut, class ValueOut>
HINDSIGHT_HD ::cuda::std::pair<KeyOut, ValueOut> reduce_by_key(const execution_policy<D, S>& policy,
                                                               KeyIt keys_first, KeyIt keys_last,
                                                               ValueIt values_first,
                                                               KeyOut keys_out,
                                                               ValueOut values_out) {
  HINDSIGHT_DISPATCH((return hindsight::reduce_by_key(
                                 policy, keys_first, keys_last, values_first, keys_out, values_out,
                                 ::cuda::std::equal_to<detail::item_t<KeyIt>>{});),
                     (return thrust::reduce_by_key(thrust::seq, keys_first, keys_last, values_first,
                                                   keys_out, values_out);))
}

// With a range of keys in place of keys_first and keys_last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class ValueIt, class KeyOut, class ValueOut,
          class Equal = ::cuda::std::equal_to<detail::range_item_t<Range>>,
          class Op = ::cuda::std::plus<detail::dispatch::sum_by_key_t<ValueIt, ValueOut>>,
          detail::if_range<Range> = 0>
::cuda::std::pair<KeyOut, ValueOut> reduce_by_key(const execution_policy<D, S>& policy,
                                                  Range&& keys, ValueIt values_first,
                                                  KeyOut keys_out, ValueOut values_out,
                                                  Equal equal = {}, Op op = {}) {
  return hindsight::reduce_by_key(policy, detail::begin_of(keys), detail::end_of(keys),
                                  values_first, keys_out, values_out, equal, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt, class KeyOut, class ValueOut,
          class Equal = ::cuda::std::equal_to<detail::range_item_t<Range>>,
          class Op = ::cuda::std::plus<detail::dispatch::sum_by_key_t<ValueIt, ValueOut>>,
          detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, ValueIt, KeyOut, ValueOut>>
::cuda::std::pair<KeyOut, ValueOut> reduce_by_key(Range&& keys, ValueIt values_first,
                                                  KeyOut keys_out, ValueOut values_out,
                                                  Equal equal = {}, Op op = {}) {
  return hindsight::reduce_by_key(Policy{}, detail::begin_of(keys), detail::end_of(keys),
                                  values_first, keys_out, values_out, equal, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class ValueIt, class KeyOut, class ValueOut,
          class Equal = ::cuda::std::equal_to<detail::item_t<It>>,
          class Op = ::cuda::std::plus<detail::dispatch::sum_by_key_t<ValueIt, ValueOut>>,
          class Policy = detail::default_policy<It, It, ValueIt, KeyOut, ValueOut>>
::cuda::std::pair<KeyOut, ValueOut> reduce_by_key(It keys_first, It keys_last, ValueIt values_first,
                                                  KeyOut keys_out, ValueOut values_out,
                                                  Equal equal = {}, Op op = {}) {
  return hindsight::reduce_by_key(Policy{}, keys_first, keys_last, values_first, keys_out,
                                  values_out, equal, op);
}

}  // namespace hindsight
