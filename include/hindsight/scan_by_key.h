// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of scans by key: with a policy and iterators (found by Thrust too), with a policy
// and a range of keys, and without a policy: then the iterators say where to run. `out` may be
// `values` or the keys.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/scan_by_key.h>

namespace hindsight {

/// Scans each run of equal keys: out[i] = values[b] op ... op values[i]. Here b is where item i's
/// run begins: the last b <= i with b == 0 or !equal(keys[b - 1], keys[b]). Keys, values and out
/// are [n]; out may be the values or the keys. `op` is associative. Sums have the type of the
/// values. Returns out + n.
///   Time    2 n calls of op and n of equal, and few more; every item is read and written once.
///           CUDA: with values of over 28 bytes items are mostly read and folded once more
///   Memory  CUDA: 33 bytes (more for values of more than 8 bytes) per tile, none for one tile. A
///           tile is 1 K to 4 K items, if key and value together have up to 32 bytes. Host: as
///           much, and for each thread room for a tile of values
///   Order   depends on n, the types and where runs begin, the same on both systems: always the
///           same bits
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where keys_last comes before keys_first: nothing is
///           launched then
///   Source  Merrill & Garland 2016; Sengupta, Harris & Garland 2008, "Efficient Parallel Scan
///           Algorithms for GPUs"
///   Example
///     thrust::device_vector<int> keys(1000, 7), values(1000, 2), out(1000);
///     hindsight::inclusive_scan_by_key(keys, values.begin(), out.begin());  // 2 4 6 ...
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op>
HINDSIGHT_HD OutputIt inclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                            KeyIt keys_last, ValueIt values, OutputIt out,
                                            Equal equal, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::inclusive_scan_by_key(
                                 policy, "hindsight::inclusive_scan_by_key", keys_first, keys_last,
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

/// out[i] = init op values[b] op ... op values[i - 1], in the type of init; out[b] = init. Here b
/// is where item i's run begins, as in inclusive_scan_by_key. Keys, values and out are [n]; out may
/// be the values or the keys. `op` is associative. Returns out + n.
///   Time, Memory, Order, Sync, Errors  as inclusive_scan_by_key
///   Example
///     thrust::device_vector<int> keys(1000, 7), values(1000, 2), out(1000);
///     hindsight::exclusive_scan_by_key(keys, values.begin(), out.begin(), 5);  // 5 7 9 ...
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class OutputIt, class T, class Equal,
          class Op>
HINDSIGHT_HD OutputIt exclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                            KeyIt keys_last, ValueIt values, OutputIt out, T init,
                                            Equal equal, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::exclusive_scan_by_key(
                                 policy, "hindsight::exclusive_scan_by_key", keys_first, keys_last,
                                 values, out, init, equal, op);),
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

/// The same for the items of a range.
template <class D, class S, class Range, class ValueIt, class OutputIt,
          class Equal = ::cuda::std::equal_to<>, class Op = ::cuda::std::plus<>,
          detail::if_range<Range> = 0>
OutputIt inclusive_scan_by_key(const execution_policy<D, S>& policy, Range&& keys, ValueIt values,
                               OutputIt out, Equal equal = {}, Op op = {}) {
  return hindsight::inclusive_scan_by_key(policy, detail::begin_of(keys), detail::end_of(keys),
                                          values, out, equal, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt, class OutputIt, class Equal = ::cuda::std::equal_to<>,
          class Op = ::cuda::std::plus<>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, ValueIt, OutputIt>>
OutputIt inclusive_scan_by_key(Range&& keys, ValueIt values, OutputIt out, Equal equal = {},
                               Op op = {}) {
  return hindsight::inclusive_scan_by_key(Policy{}, detail::begin_of(keys), detail::end_of(keys),
                                          values, out, equal, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class ValueIt, class OutputIt, class Equal = ::cuda::std::equal_to<>,
          class Op = ::cuda::std::plus<>,
          class Policy = detail::default_policy<It, It, ValueIt, OutputIt>>
OutputIt inclusive_scan_by_key(It keys_first, It keys_last, ValueIt values, OutputIt out,
                               Equal equal = {}, Op op = {}) {
  return hindsight::inclusive_scan_by_key(Policy{}, keys_first, keys_last, values, out, equal, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class ValueIt, class OutputIt,
          class T = detail::item_t<ValueIt>, class Equal = ::cuda::std::equal_to<>,
          class Op = ::cuda::std::plus<>, detail::if_range<Range> = 0>
OutputIt exclusive_scan_by_key(const execution_policy<D, S>& policy, Range&& keys, ValueIt values,
                               OutputIt out, T init = {}, Equal equal = {}, Op op = {}) {
  return hindsight::exclusive_scan_by_key(policy, detail::begin_of(keys), detail::end_of(keys),
                                          values, out, init, equal, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt, class OutputIt, class T = detail::item_t<ValueIt>,
          class Equal = ::cuda::std::equal_to<>, class Op = ::cuda::std::plus<>,
          detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, ValueIt, OutputIt>>
OutputIt exclusive_scan_by_key(Range&& keys, ValueIt values, OutputIt out, T init = {},
                               Equal equal = {}, Op op = {}) {
  return hindsight::exclusive_scan_by_key(Policy{}, detail::begin_of(keys), detail::end_of(keys),
                                          values, out, init, equal, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class ValueIt, class OutputIt, class T = detail::item_t<ValueIt>,
          class Equal = ::cuda::std::equal_to<>, class Op = ::cuda::std::plus<>,
          class Policy = detail::default_policy<It, It, ValueIt, OutputIt>>
OutputIt exclusive_scan_by_key(It keys_first, It keys_last, ValueIt values, OutputIt out,
                               T init = {}, Equal equal = {}, Op op = {}) {
  return hindsight::exclusive_scan_by_key(Policy{}, keys_first, keys_last, values, out, init, equal,
                                          op);
}

}  // namespace hindsight
