// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of selection: with a policy and iterators (found by Thrust too), with a policy and a
// range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/select.h>

namespace hindsight {

/// Of the n items in [first, last), copies those with pred(in[i]) to `out`, in order. Returns the
/// end of what it wrote, at most out + n. `out` must not overlap the input.
///   Time    n calls of pred; every item is read once, every selected one is written once
///   Memory  CUDA: 32 bytes per tile, none for one tile; a tile is 4 K to 16 K items of up to 8
///           bytes, fewer of larger ones. Host: as much per tile of 32 KB, and a tile for each
///           thread
///   Order   that of the input
///   Sync    waits for the number of items
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     auto end = hindsight::copy_if(hindsight::par, in.begin(), in.end(), out.begin(),
///         ::cuda::std::identity{});
///     out.erase(end, out.end());
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Pred>
HINDSIGHT_HD OutputIt copy_if(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              OutputIt out, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::copy_if(policy, "hindsight::copy_if", first, last, out, pred);),
      (return thrust::copy_if(thrust::seq, first, last, out, pred);))
}

/// The same, of the items with pred(stencil[i]); stencil [n].
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class StencilIt, class OutputIt, class Pred>
HINDSIGHT_HD OutputIt copy_if(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              StencilIt stencil, OutputIt out, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::copy_if(policy, "hindsight::copy_if", first, last,
                                                       out, pred, stencil);),
                     (return thrust::copy_if(thrust::seq, first, last, stencil, out, pred);))
}

/// Of the n items in [first, last), moves those without pred(in[i]) to the front, in order; returns
/// their end. What lies behind it is unspecified.
///   Time    n calls of pred; every item is read once, every one kept is written at most once
///   Memory, Order, Sync, Errors  as copy_if
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     items.erase(hindsight::remove_if(items, thrust::logical_not<int>{}), items.end());
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD It remove_if(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::remove_if(policy, "hindsight::remove_if", first, last, pred);),
      (return thrust::remove_if(thrust::seq, first, last, pred);))
}

/// The same, of the items without pred(stencil[i]). stencil [n] must not overlap the range.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class StencilIt, class Pred>
HINDSIGHT_HD It remove_if(const execution_policy<D, S>& policy, It first, It last,
                          StencilIt stencil, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::remove_if(policy, "hindsight::remove_if", first,
                                                         last, pred, stencil);),
                     (return thrust::remove_if(thrust::seq, first, last, stencil, pred);))
}

/// Of the n items in [first, last), moves those that differ from `value` to the front, in order;
/// returns their end. What lies behind it is unspecified.
///   Time    n comparisons; every item is read once, every one kept is written at most once
///   Memory, Order, Sync, Errors  as copy_if
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     items.erase(hindsight::remove(items, 2), items.end());  // none is left
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Value>
HINDSIGHT_HD It remove(const execution_policy<D, S>& policy, It first, It last,
                       const Value& value) {
  HINDSIGHT_DISPATCH((return detail::dispatch::remove_if(policy, "hindsight::remove", first, last,
                                                         detail::equals_value<It, Value>{value});),
                     (return thrust::remove(thrust::seq, first, last, value);))
}

/// Of the n items in [first, last), copies those without pred(in[i]) to `out`, in order. Returns
/// the end of what it wrote, at most out + n. `out` must not overlap the input.
///   Time, Memory, Order, Sync, Errors  as copy_if
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     auto end = hindsight::remove_copy_if(in, out.begin(), thrust::logical_not<int>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Pred>
HINDSIGHT_HD OutputIt remove_copy_if(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::copy_if(policy, "hindsight::remove_copy_if", first, last, out,
                                        detail::function::negated<Pred>{pred});),
      (return thrust::remove_copy_if(thrust::seq, first, last, out, pred);))
}

/// The same, of the items without pred(stencil[i]); stencil [n].
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class StencilIt, class OutputIt, class Pred>
HINDSIGHT_HD OutputIt remove_copy_if(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, StencilIt stencil, OutputIt out, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::copy_if(policy, "hindsight::remove_copy_if", first, last, out,
                                        detail::function::negated<Pred>{pred}, stencil);),
      (return thrust::remove_copy_if(thrust::seq, first, last, stencil, out, pred);))
}

/// Of the n items in [first, last), copies those that differ from `value` to `out`, in order.
/// Returns the end of what it wrote, at most out + n. `out` must not overlap the input.
///   Time    n comparisons; every item is read once, every one copied is written once
///   Memory, Order, Sync, Errors  as copy_if
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     auto end = hindsight::remove_copy(in, out.begin(), 0);  // all of them
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Value>
HINDSIGHT_HD OutputIt remove_copy(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                  OutputIt out, const Value& value) {
  HINDSIGHT_DISPATCH((return detail::dispatch::copy_if(
                                 policy, "hindsight::remove_copy", first, last, out,
                                 detail::function::negated<detail::equals_value<InputIt, Value>>{
                                     detail::equals_value<InputIt, Value>{value}});),
                     (return thrust::remove_copy(thrust::seq, first, last, out, value);))
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Pred, detail::if_range<Range> = 0>
OutputIt copy_if(const execution_policy<D, S>& policy, Range&& range, OutputIt out, Pred pred) {
  return hindsight::copy_if(policy, detail::begin_of(range), detail::end_of(range), out, pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt copy_if(Range&& range, OutputIt out, Pred pred) {
  return hindsight::copy_if(Policy{}, detail::begin_of(range), detail::end_of(range), out, pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Pred,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt copy_if(It first, It last, OutputIt out, Pred pred) {
  return hindsight::copy_if(Policy{}, first, last, out, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class StencilIt, class OutputIt, class Pred,
          detail::if_range<Range> = 0>
OutputIt copy_if(const execution_policy<D, S>& policy, Range&& range, StencilIt stencil,
                 OutputIt out, Pred pred) {
  return hindsight::copy_if(policy, detail::begin_of(range), detail::end_of(range), stencil, out,
                            pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class StencilIt, class OutputIt, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, StencilIt, OutputIt>>
OutputIt copy_if(Range&& range, StencilIt stencil, OutputIt out, Pred pred) {
  return hindsight::copy_if(Policy{}, detail::begin_of(range), detail::end_of(range), stencil, out,
                            pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class StencilIt, class OutputIt, class Pred,
          class Policy = detail::default_policy<It, It, StencilIt, OutputIt>>
OutputIt copy_if(It first, It last, StencilIt stencil, OutputIt out, Pred pred) {
  return hindsight::copy_if(Policy{}, first, last, stencil, out, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Pred, detail::if_range<Range> = 0>
OutputIt remove_copy_if(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                        Pred pred) {
  return hindsight::remove_copy_if(policy, detail::begin_of(range), detail::end_of(range), out,
                                   pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt remove_copy_if(Range&& range, OutputIt out, Pred pred) {
  return hindsight::remove_copy_if(Policy{}, detail::begin_of(range), detail::end_of(range), out,
                                   pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Pred,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt remove_copy_if(It first, It last, OutputIt out, Pred pred) {
  return hindsight::remove_copy_if(Policy{}, first, last, out, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class StencilIt, class OutputIt, class Pred,
          detail::if_range<Range> = 0>
OutputIt remove_copy_if(const execution_policy<D, S>& policy, Range&& range, StencilIt stencil,
                        OutputIt out, Pred pred) {
  return hindsight::remove_copy_if(policy, detail::begin_of(range), detail::end_of(range), stencil,
                                   out, pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class StencilIt, class OutputIt, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, StencilIt, OutputIt>>
OutputIt remove_copy_if(Range&& range, StencilIt stencil, OutputIt out, Pred pred) {
  return hindsight::remove_copy_if(Policy{}, detail::begin_of(range), detail::end_of(range),
                                   stencil, out, pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class StencilIt, class OutputIt, class Pred,
          class Policy = detail::default_policy<It, It, StencilIt, OutputIt>>
OutputIt remove_copy_if(It first, It last, StencilIt stencil, OutputIt out, Pred pred) {
  return hindsight::remove_copy_if(Policy{}, first, last, stencil, out, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Value, detail::if_range<Range> = 0>
OutputIt remove_copy(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                     const Value& value) {
  return hindsight::remove_copy(policy, detail::begin_of(range), detail::end_of(range), out, value);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Value, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt remove_copy(Range&& range, OutputIt out, const Value& value) {
  return hindsight::remove_copy(Policy{}, detail::begin_of(range), detail::end_of(range), out,
                                value);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Value,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt remove_copy(It first, It last, OutputIt out, const Value& value) {
  return hindsight::remove_copy(Policy{}, first, last, out, value);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> remove_if(const execution_policy<D, S>& policy, Range&& range,
                                          Pred pred) {
  return hindsight::remove_if(policy, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> remove_if(Range&& range, Pred pred) {
  return hindsight::remove_if(Policy{}, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class Pred, class Policy = detail::default_policy<It, It>>
It remove_if(It first, It last, Pred pred) {
  return hindsight::remove_if(Policy{}, first, last, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class StencilIt, class Pred, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> remove_if(const execution_policy<D, S>& policy, Range&& range,
                                          StencilIt stencil, Pred pred) {
  return hindsight::remove_if(policy, detail::begin_of(range), detail::end_of(range), stencil,
                              pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class StencilIt, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, StencilIt>>
detail::range_iterator_t<Range> remove_if(Range&& range, StencilIt stencil, Pred pred) {
  return hindsight::remove_if(Policy{}, detail::begin_of(range), detail::end_of(range), stencil,
                              pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class StencilIt, class Pred,
          class Policy = detail::default_policy<It, It, StencilIt>>
It remove_if(It first, It last, StencilIt stencil, Pred pred) {
  return hindsight::remove_if(Policy{}, first, last, stencil, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Value, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> remove(const execution_policy<D, S>& policy, Range&& range,
                                       const Value& value) {
  return hindsight::remove(policy, detail::begin_of(range), detail::end_of(range), value);
}
/// The same for a range, run where its iterators say.
template <class Range, class Value, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> remove(Range&& range, const Value& value) {
  return hindsight::remove(Policy{}, detail::begin_of(range), detail::end_of(range), value);
}
/// The same without a policy, run where the iterators say.
template <class It, class Value, class Policy = detail::default_policy<It, It>>
It remove(It first, It last, const Value& value) {
  return hindsight::remove(Policy{}, first, last, value);
}

}  // namespace hindsight
