// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doors to sorting: with a policy and iterators (found by Thrust too), with a policy and a range,
// and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/sort.h>

namespace hindsight {

/// Sorts the range, items that are equivalent in their input order. Numbers of up to 128 bits by
/// thrust::less or thrust::greater: our radix sort; everything else: stock's merge sort.
///   Memory  room for n items, and tables; another n where the iterator is not contiguous
///   Order   of numbers: by value; -0.0 and 0.0 are equivalent, NaNs go by their bits
///   Sync    as the policy asks
///   Errors  invalid_call where last comes before first
///   Source  Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for
///   GPUs"
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Compare>
HINDSIGHT_HD void stable_sort(const execution_policy<D, S>& policy, It first, It last,
                              Compare compare) {
  HINDSIGHT_DISPATCH((detail::dispatch::sort(policy, first, last, compare);),
                     (thrust::stable_sort(thrust::seq, first, last, compare);))
}

_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It>
HINDSIGHT_HD void stable_sort(const execution_policy<D, S>& policy, It first, It last) {
  HINDSIGHT_DISPATCH(
      (hindsight::stable_sort(policy, first, last, ::cuda::std::less<detail::item_t<It>>{});),
      (thrust::stable_sort(thrust::seq, first, last);))
}

/// The same as stable_sort.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Compare>
HINDSIGHT_HD void sort(const execution_policy<D, S>& policy, It first, It last, Compare compare) {
  HINDSIGHT_DISPATCH((detail::dispatch::sort(policy, first, last, compare);),
                     (thrust::sort(thrust::seq, first, last, compare);))
}

_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It>
HINDSIGHT_HD void sort(const execution_policy<D, S>& policy, It first, It last) {
  HINDSIGHT_DISPATCH(
      (hindsight::sort(policy, first, last, ::cuda::std::less<detail::item_t<It>>{});),
      (thrust::sort(thrust::seq, first, last);))
}

/// Sorts the keys as stable_sort does, and moves the values with them.
///   Memory  room for n keys and n values, and tables; another n of those that are not contiguous
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class Compare>
HINDSIGHT_HD void stable_sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                     KeyIt keys_last, ValueIt values_first, Compare compare) {
  HINDSIGHT_DISPATCH(
      (detail::dispatch::sort_by_key(policy, keys_first, keys_last, values_first, compare);),
      (thrust::stable_sort_by_key(thrust::seq, keys_first, keys_last, values_first, compare);))
}

_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt>
HINDSIGHT_HD void stable_sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                     KeyIt keys_last, ValueIt values_first) {
  HINDSIGHT_DISPATCH(
      (hindsight::stable_sort_by_key(policy, keys_first, keys_last, values_first,
                                     ::cuda::std::less<detail::item_t<KeyIt>>{});),
      (thrust::stable_sort_by_key(thrust::seq, keys_first, keys_last, values_first);))
}

/// The same as stable_sort_by_key.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class Compare>
HINDSIGHT_HD void sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first, Compare compare) {
  HINDSIGHT_DISPATCH(
      (detail::dispatch::sort_by_key(policy, keys_first, keys_last, values_first, compare);),
      (thrust::sort_by_key(thrust::seq, keys_first, keys_last, values_first, compare);))
}

_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt>
HINDSIGHT_HD void sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first) {
  HINDSIGHT_DISPATCH((hindsight::sort_by_key(policy, keys_first, keys_last, values_first,
                                             ::cuda::std::less<detail::item_t<KeyIt>>{});),
                     (thrust::sort_by_key(thrust::seq, keys_first, keys_last, values_first);))
}

// With a range in place of first and last, and without a policy.

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto stable_sort(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::stable_sort(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto stable_sort(Data&& data, Args... args) {
  return hindsight::stable_sort(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto sort(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::sort(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto sort(Data&& data, Args... args) {
  return hindsight::sort(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto stable_sort_by_key(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::stable_sort_by_key(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto stable_sort_by_key(Data&& data, Args... args) {
  return hindsight::stable_sort_by_key(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto sort_by_key(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::sort_by_key(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto sort_by_key(Data&& data, Args... args) {
  return hindsight::sort_by_key(Policy{}, data, args...);
}

}  // namespace hindsight
