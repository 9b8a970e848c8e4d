// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least and the greatest item: with a policy and iterators (found by Thrust too), with a
// policy and a range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/extrema.h>

namespace hindsight {

/// The least of the n items in [first, last); the first one of several; last if there are no items.
///   Time    every item is read once; less is called at most twice per item
///   Memory  CUDA: a counter and, for items of up to 8 bytes, up to 17 KB of partial results on 132
///           multiprocessors; none for one tile. Host: 16 bytes for each 128 KB of items; none if
///           one thread runs
///   Order   the first one of equivalent items, such as -0.0 and 0.0. If less is not a strict weak
///           order (< is not if there are NaNs), any item may be returned
///   Sync    waits for the result
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto first = hindsight::min_element(hindsight::par, items.begin(), items.end(),
///         thrust::less<int>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Less>
HINDSIGHT_HD It min_element(const execution_policy<D, S>& policy, It first, It last, Less less) {
  HINDSIGHT_DISPATCH((return detail::dispatch::min_element(policy, first, last, less);),
                     (return thrust::min_element(thrust::seq, first, last, less);))
}

/// The same by less<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It>
HINDSIGHT_HD It min_element(const execution_policy<D, S>& policy, It first, It last) {
  HINDSIGHT_DISPATCH((return hindsight::min_element(policy, first, last,
                                                    ::cuda::std::less<detail::item_t<It>>{});),
                     (return thrust::min_element(thrust::seq, first, last);))
}

/// The greatest of the n items in [first, last); the first one of several; last if there are none.
///   Time, Memory, Order, Sync, Errors  as min_element
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto first = hindsight::max_element(items);
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Less>
HINDSIGHT_HD It max_element(const execution_policy<D, S>& policy, It first, It last, Less less) {
  HINDSIGHT_DISPATCH((return detail::dispatch::max_element(policy, first, last, less);),
                     (return thrust::max_element(thrust::seq, first, last, less);))
}

/// The same by less<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It>
HINDSIGHT_HD It max_element(const execution_policy<D, S>& policy, It first, It last) {
  HINDSIGHT_DISPATCH((return hindsight::max_element(policy, first, last,
                                                    ::cuda::std::less<detail::item_t<It>>{});),
                     (return thrust::max_element(thrust::seq, first, last);))
}

/// A pair of what min_element and max_element return, found in one pass. (std::minmax_element
/// returns the last one of the greatest items.)
///   Time    every item is read once; less is called at most four times per item
///   Memory  CUDA: twice that of min_element. Host: 24 bytes for each 128 KB of items; none if one
///           thread runs
///   Order, Sync, Errors  as min_element
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto both = hindsight::minmax_element(items);
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Less>
HINDSIGHT_HD ::cuda::std::pair<It, It> minmax_element(const execution_policy<D, S>& policy,
                                                      It first, It last, Less less) {
  HINDSIGHT_DISPATCH((return detail::dispatch::minmax_element(policy, first, last, less);),
                     (return thrust::minmax_element(thrust::seq, first, last, less);))
}

/// The same by less<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It>
HINDSIGHT_HD ::cuda::std::pair<It, It> minmax_element(const execution_policy<D, S>& policy,
                                                      It first, It last) {
  HINDSIGHT_DISPATCH((return hindsight::minmax_element(policy, first, last,
                                                       ::cuda::std::less<detail::item_t<It>>{});),
                     (return thrust::minmax_element(thrust::seq, first, last);))
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class Less, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> min_element(const execution_policy<D, S>& policy, Range&& range,
                                            Less less) {
  return hindsight::min_element(policy, detail::begin_of(range), detail::end_of(range), less);
}
/// The same for a range, run where its iterators say.
template <class Range, class Less, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> min_element(Range&& range, Less less) {
  return hindsight::min_element(Policy{}, detail::begin_of(range), detail::end_of(range), less);
}
/// The same without a policy, run where the iterators say.
template <class It, class Less, class Policy = detail::default_policy<It, It>>
It min_element(It first, It last, Less less) {
  return hindsight::min_element(Policy{}, first, last, less);
}

/// The same for the items of a range.
template <class D, class S, class Range, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> min_element(const execution_policy<D, S>& policy, Range&& range) {
  return hindsight::min_element(policy, detail::begin_of(range), detail::end_of(range));
}
/// The same for a range, run where its iterators say.
template <class Range, detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> min_element(Range&& range) {
  return hindsight::min_element(Policy{}, detail::begin_of(range), detail::end_of(range));
}
/// The same without a policy, run where the iterators say.
template <class It, class Policy = detail::default_policy<It, It>>
It min_element(It first, It last) {
  return hindsight::min_element(Policy{}, first, last);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Less, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> max_element(const execution_policy<D, S>& policy, Range&& range,
                                            Less less) {
  return hindsight::max_element(policy, detail::begin_of(range), detail::end_of(range), less);
}
/// The same for a range, run where its iterators say.
template <class Range, class Less, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> max_element(Range&& range, Less less) {
  return hindsight::max_element(Policy{}, detail::begin_of(range), detail::end_of(range), less);
}
/// The same without a policy, run where the iterators say.
template <class It, class Less, class Policy = detail::default_policy<It, It>>
It max_element(It first, It last, Less less) {
  return hindsight::max_element(Policy{}, first, last, less);
}

/// The same for the items of a range.
template <class D, class S, class Range, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> max_element(const execution_policy<D, S>& policy, Range&& range) {
  return hindsight::max_element(policy, detail::begin_of(range), detail::end_of(range));
}
/// The same for a range, run where its iterators say.
template <class Range, detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> max_element(Range&& range) {
  return hindsight::max_element(Policy{}, detail::begin_of(range), detail::end_of(range));
}
/// The same without a policy, run where the iterators say.
template <class It, class Policy = detail::default_policy<It, It>>
It max_element(It first, It last) {
  return hindsight::max_element(Policy{}, first, last);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Less, detail::if_range<Range> = 0>
::cuda::std::pair<detail::range_iterator_t<Range>, detail::range_iterator_t<Range>> minmax_element(
    const execution_policy<D, S>& policy, Range&& range, Less less) {
  return hindsight::minmax_element(policy, detail::begin_of(range), detail::end_of(range), less);
}
/// The same for a range, run where its iterators say.
template <class Range, class Less, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
::cuda::std::pair<detail::range_iterator_t<Range>, detail::range_iterator_t<Range>> minmax_element(
    Range&& range, Less less) {
  return hindsight::minmax_element(Policy{}, detail::begin_of(range), detail::end_of(range), less);
}
/// The same without a policy, run where the iterators say.
template <class It, class Less, class Policy = detail::default_policy<It, It>>
::cuda::std::pair<It, It> minmax_element(It first, It last, Less less) {
  return hindsight::minmax_element(Policy{}, first, last, less);
}

/// The same for the items of a range.
template <class D, class S, class Range, detail::if_range<Range> = 0>
::cuda::std::pair<detail::range_iterator_t<Range>, detail::range_iterator_t<Range>> minmax_element(
    const execution_policy<D, S>& policy, Range&& range) {
  return hindsight::minmax_element(policy, detail::begin_of(range), detail::end_of(range));
}
/// The same for a range, run where its iterators say.
template <class Range, detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
::cuda::std::pair<detail::range_iterator_t<Range>, detail::range_iterator_t<Range>> minmax_element(
    Range&& range) {
  return hindsight::minmax_element(Policy{}, detail::begin_of(range), detail::end_of(range));
}
/// The same without a policy, run where the iterators say.
template <class It, class Policy = detail::default_policy<It, It>>
::cuda::std::pair<It, It> minmax_element(It first, It last) {
  return hindsight::minmax_element(Policy{}, first, last);
}

}  // namespace hindsight
