// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first item with a property, and whether there is one: with a policy and iterators (found by
// Thrust too), with a policy and a range, and without a policy: then the iterators say where to
// run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/find.h>

namespace hindsight {

/// The first of the n items in [first, last) with pred(in[i]); last if there is none.
///   Time    items are read in order, many at a time, until one is found
///   Memory  CUDA: 520 bytes; host: none
///   Order   always the first item
///   Sync    waits for the result
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto none = hindsight::find_if(hindsight::par, items.begin(), items.end(),
///         thrust::logical_not<int>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD It find_if(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::find_if(policy, first, last, pred);),
      (return thrust::find_if(thrust::seq, first, last, detail::dispatch::in_sequence<It>(pred));))
}

/// The first of the n items in [first, last) without pred(in[i]); last if there is none.
///   Time, Memory, Order, Sync, Errors  as find_if
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto first = hindsight::find_if_not(items, thrust::logical_not<int>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD It find_if_not(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::find_if_not(policy, first, last, pred);),
                     (return thrust::find_if_not(thrust::seq, first, last,
                                                 detail::dispatch::in_sequence<It>(pred));))
}

/// The first of the n items in [first, last) that equals `value`; last if there is none.
///   Time, Memory, Order, Sync, Errors  as find_if
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto first = hindsight::find(items, 2);
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Value>
HINDSIGHT_HD It find(const execution_policy<D, S>& policy, It first, It last, const Value& value) {
  HINDSIGHT_DISPATCH((return detail::dispatch::find(policy, first, last, value);),
                     (return thrust::find(thrust::seq, first, last, value);))
}

/// Whether all items of [first, last) have pred(in[i]); true if there are none.
///   Time    items are read in order, many at a time, until one is found without pred(in[i])
///   Order   changes nothing
///   Memory, Sync, Errors  as find_if
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     bool yes = hindsight::all_of(items, ::cuda::std::identity{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD bool all_of(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::all_of(policy, first, last, pred);),
      (return thrust::all_of(thrust::seq, first, last, detail::dispatch::in_sequence<It>(pred));))
}

/// Whether some item of [first, last) has pred(in[i]); false if there are none.
///   Order   changes nothing
///   Time, Memory, Sync, Errors  as find_if
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     bool yes = hindsight::any_of(items, ::cuda::std::identity{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD bool any_of(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::any_of(policy, first, last, pred);),
      (return thrust::any_of(thrust::seq, first, last, detail::dispatch::in_sequence<It>(pred));))
}

/// Whether no item of [first, last) has pred(in[i]); true if there are none.
///   Order   changes nothing
///   Time, Memory, Sync, Errors  as find_if
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     bool no = hindsight::none_of(items, ::cuda::std::identity{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD bool none_of(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::none_of(policy, first, last, pred);),
      (return thrust::none_of(thrust::seq, first, last, detail::dispatch::in_sequence<It>(pred));))
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> find_if(const execution_policy<D, S>& policy, Range&& range,
                                        Pred pred) {
  return hindsight::find_if(policy, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> find_if(Range&& range, Pred pred) {
  return hindsight::find_if(Policy{}, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class Pred, class Policy = detail::default_policy<It, It>>
It find_if(It first, It last, Pred pred) {
  return hindsight::find_if(Policy{}, first, last, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> find_if_not(const execution_policy<D, S>& policy, Range&& range,
                                            Pred pred) {
  return hindsight::find_if_not(policy, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> find_if_not(Range&& range, Pred pred) {
  return hindsight::find_if_not(Policy{}, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class Pred, class Policy = detail::default_policy<It, It>>
It find_if_not(It first, It last, Pred pred) {
  return hindsight::find_if_not(Policy{}, first, last, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Value, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> find(const execution_policy<D, S>& policy, Range&& range,
                                     const Value& value) {
  return hindsight::find(policy, detail::begin_of(range), detail::end_of(range), value);
}
/// The same for a range, run where its iterators say.
template <class Range, class Value, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> find(Range&& range, const Value& value) {
  return hindsight::find(Policy{}, detail::begin_of(range), detail::end_of(range), value);
}
/// The same without a policy, run where the iterators say.
template <class It, class Value, class Policy = detail::default_policy<It, It>>
It find(It first, It last, const Value& value) {
  return hindsight::find(Policy{}, first, last, value);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
bool all_of(const execution_policy<D, S>& policy, Range&& range, Pred pred) {
  return hindsight::all_of(policy, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
bool all_of(Range&& range, Pred pred) {
  return hindsight::all_of(Policy{}, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class Pred, class Policy = detail::default_policy<It, It>>
bool all_of(It first, It last, Pred pred) {
  return hindsight::all_of(Policy{}, first, last, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
bool any_of(const execution_policy<D, S>& policy, Range&& range, Pred pred) {
  return hindsight::any_of(policy, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
bool any_of(Range&& range, Pred pred) {
  return hindsight::any_of(Policy{}, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class Pred, class Policy = detail::default_policy<It, It>>
bool any_of(It first, It last, Pred pred) {
  return hindsight::any_of(Policy{}, first, last, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
bool none_of(const execution_policy<D, S>& policy, Range&& range, Pred pred) {
  return hindsight::none_of(policy, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
bool none_of(Range&& range, Pred pred) {
  return hindsight::none_of(Policy{}, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class Pred, class Policy = detail::default_policy<It, It>>
bool none_of(It first, It last, Pred pred) {
  return hindsight::none_of(Policy{}, first, last, pred);
}

}  // namespace hindsight
