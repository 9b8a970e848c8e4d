// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doors to reduce_by_key: with a policy and iterators (found by Thrust too), with a policy and a
// range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/reduce_by_key.h>

namespace hindsight {

/// For each run of keys of which equal(key, next key): one key, and the fold of its values in the
/// input's value type, `op` associative. Returns both ends. Nothing may overlap.
///   Memory  CUDA: 16 bytes (more for wide values) per tile of 1 K to 8 K items, none for one tile
///   Order   depends on n and the types alone: always the same bits. The key of a run is its
///           last one on CUDA, its first one on host threads, as stock has it
///   Sync    waits for the number of runs
///   Errors  invalid_call where keys_last comes before keys_first
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal,
          class Op>
HINDSIGHT_HD ::cuda::std::pair<KeyOut, ValueOut> reduce_by_key(const execution_policy<D, S>& policy,
                                                               KeyIt keys_first, KeyIt keys_last,
                                                               ValueIt values_first,
                                                               KeyOut keys_out, ValueOut values_out,
                                                               Equal equal, Op op) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::reduce_by_key(policy, keys_first, keys_last, values_first, keys_out,
                                              values_out, equal, op);),
      (return thrust::reduce_by_key(thrust::seq, keys_first, keys_last, values_first, keys_out,
                                    values_out, equal, op);))
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

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto reduce_by_key(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::reduce_by_key(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto reduce_by_key(Data&& data, Args... args) {
  return hindsight::reduce_by_key(Policy{}, data, args...);
}

}  // namespace hindsight
