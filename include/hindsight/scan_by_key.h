// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doors to scans by key: with a policy and iterators (found by Thrust too), with a policy and a
// range of keys, and without a policy: then the iterators say where to run. `out` may be `values`
// or the keys.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/scan_by_key.h>

namespace hindsight {

/// Where b is the last position up to i at which equal(key before, key) is false, or 0:
/// out[i] = values[b] op ... op values[i], `op` associative, in the type of the values.
///   Memory  CUDA: 32 bytes (more for wide values) and a key per tile of 1 K to 4 K items, none for
///           one tile
///   Order   depends on n, the types and where runs begin, the same on both systems: always the
///           same bits
///   Sync    as the policy asks
///   Errors  invalid_call where keys_last comes before keys_first
///   Source  Merrill & Garland 2016; Sengupta, Harris & Garland 2008, "Efficient Parallel Scan
///           Algorithms for GPUs"
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op>
HINDSIGHT_HD OutputIt inclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                            KeyIt keys_last, ValueIt values, OutputIt out,
                                            Equal equal, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::inclusive_scan_by_key(policy, keys_first, keys_last,
                                                                     values, out, equal, op);),
                     (return thrust::inclusive_scan_by_key(thrust::seq, keys_first, keys_last,
                                                           values, out, equal, op);))
}

/// The same with op = plus<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class OutputIt, class Equal>
HINDSIGHT_HD OutputIt inclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                            KeyIt keys_last, ValueIt values, OutputIt out,
                                            Equal equal) {
  HINDSIGHT_DISPATCH((return hindsight::inclusive_scan_by_key(policy, keys_first, keys_last, values,
                                                              out, equal, ::cuda::std::plus<>{});),
                     (return thrust::inclusive_scan_by_key(thrust::seq, keys_first, keys_last,
                                                           values, out, equal);))
}

/// The same for runs of equal keys.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class OutputIt>
HINDSIGHT_HD OutputIt inclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                            KeyIt keys_last, ValueIt values, OutputIt out) {
  HINDSIGHT_DISPATCH(
      (return hindsight::inclusive_scan_by_key(policy, keys_first, keys_last, values, out,
                                               ::cuda::std::equal_to<>{});),
      (return thrust::inclusive_scan_by_key(thrust::seq, keys_first, keys_last, values, out);))
}

/// out[i] = init op values[b] op ... op values[i - 1], in the type of init; out[b] = init.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class OutputIt, class T, class Equal,
          class Op>
HINDSIGHT_HD OutputIt exclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                            KeyIt keys_last, ValueIt values, OutputIt out, T init,
                                            Equal equal, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::exclusive_scan_by_key(
                                 policy, keys_first, keys_last, values, out, init, equal, op);),
                     (return thrust::exclusive_scan_by_key(thrust::seq, keys_first, keys_last,
                                                           values, out, init, equal, op);))
}

/// The same with op = plus<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class OutputIt, class T, class Equal>
HINDSIGHT_HD OutputIt exclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                            KeyIt keys_last, ValueIt values, OutputIt out, T init,
                                            Equal equal) {
  HINDSIGHT_DISPATCH(
      (return hindsight::exclusive_scan_by_key(policy, keys_first, keys_last, values, out, init,
                                               equal, ::cuda::std::plus<>{});),
      (return thrust::exclusive_scan_by_key(thrust::seq, keys_first, keys_last, values, out, init,
                                            equal);))
}

/// The same for runs of equal keys.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class OutputIt, class T>
HINDSIGHT_HD OutputIt exclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                            KeyIt keys_last, ValueIt values, OutputIt out, T init) {
  HINDSIGHT_DISPATCH(
      (return hindsight::exclusive_scan_by_key(policy, keys_first, keys_last, values, out, init,
                                               ::cuda::std::equal_to<>{});),
      (return thrust::exclusive_scan_by_key(thrust::seq, keys_first, keys_last, values, out,
                                            init);))
}

/// The same from a zero of the values' type.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class OutputIt>
HINDSIGHT_HD OutputIt exclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                            KeyIt keys_last, ValueIt values, OutputIt out) {
  HINDSIGHT_DISPATCH(
      (return hindsight::exclusive_scan_by_key(policy, keys_first, keys_last, values, out,
                                               detail::item_t<ValueIt>{});),
      (return thrust::exclusive_scan_by_key(thrust::seq, keys_first, keys_last, values, out);))
}

// With a range of keys in place of keys_first and keys_last, and without a policy.

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto inclusive_scan_by_key(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::inclusive_scan_by_key(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto inclusive_scan_by_key(Data&& data, Args... args) {
  return hindsight::inclusive_scan_by_key(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto exclusive_scan_by_key(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::exclusive_scan_by_key(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto exclusive_scan_by_key(Data&& data, Args... args) {
  return hindsight::exclusive_scan_by_key(Policy{}, data, args...);
}

}  // namespace hindsight
