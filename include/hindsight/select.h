// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doors to selection: with a policy and iterators (found by Thrust too), with a policy and a range,
// and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/select.h>

namespace hindsight {

/// Copies the items with pred(in[i]) to `out`, in order; returns the end of what it wrote. `out`
/// must not overlap the input.
///   Memory  CUDA: 32 bytes per tile of 4 K to 16 K items, none for one tile
///   Sync    waits for the number of items
///   Errors  invalid_call where last comes before first
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Pred>
HINDSIGHT_HD OutputIt copy_if(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              OutputIt out, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::copy_if(policy, first, last, out, pred);),
                     (return thrust::copy_if(thrust::seq, first, last, out, pred);))
}

/// The same, of the items with pred(stencil[i]).
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class StencilIt, class OutputIt, class Pred>
HINDSIGHT_HD OutputIt copy_if(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              StencilIt stencil, OutputIt out, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::copy_if(policy, first, last, out, pred, stencil);),
                     (return thrust::copy_if(thrust::seq, first, last, stencil, out, pred);))
}

/// Moves the items without pred(in[i]) to the front, in order; returns their end.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD It remove_if(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::remove_if(policy, first, last, pred);),
                     (return thrust::remove_if(thrust::seq, first, last, pred);))
}

/// The same, of the items without pred(stencil[i]). `stencil` must not overlap the range.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class StencilIt, class Pred>
HINDSIGHT_HD It remove_if(const execution_policy<D, S>& policy, It first, It last,
                          StencilIt stencil, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::remove_if(policy, first, last, pred, stencil);),
                     (return thrust::remove_if(thrust::seq, first, last, stencil, pred);))
}

/// Moves the items that differ from `value` to the front, in order; returns their end.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Value>
HINDSIGHT_HD It remove(const execution_policy<D, S>& policy, It first, It last,
                       const Value& value) {
  HINDSIGHT_DISPATCH(
      (return hindsight::remove_if(policy, first, last, detail::function::equals<Value>{value});),
      (return thrust::remove(thrust::seq, first, last, value);))
}

/// Copies the items without pred(in[i]) to `out`, in order; returns the end of what it wrote.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Pred>
HINDSIGHT_HD OutputIt remove_copy_if(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return hindsight::copy_if(policy, first, last, out, detail::function::negated<Pred>{pred});),
      (return thrust::remove_copy_if(thrust::seq, first, last, out, pred);))
}

/// The same, of the items without pred(stencil[i]).
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class StencilIt, class OutputIt, class Pred>
HINDSIGHT_HD OutputIt remove_copy_if(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, StencilIt stencil, OutputIt out, Pred pred) {
  HINDSIGHT_DISPATCH((return hindsight::copy_if(policy, first, last, stencil, out,
                                                detail::function::negated<Pred>{pred});),
                     (return thrust::remove_copy_if(thrust::seq, first, last, stencil, out, pred);))
}

/// Copies the items that differ from `value` to `out`, in order; returns the end of what it wrote.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Value>
HINDSIGHT_HD OutputIt remove_copy(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                  OutputIt out, const Value& value) {
  HINDSIGHT_DISPATCH((return hindsight::remove_copy_if(policy, first, last, out,
                                                       detail::function::equals<Value>{value});),
                     (return thrust::remove_copy(thrust::seq, first, last, out, value);))
}

// With a range in place of first and last, and without a policy.

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto copy_if(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::copy_if(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto copy_if(Data&& data, Args... args) {
  return hindsight::copy_if(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto remove_if(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::remove_if(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto remove_if(Data&& data, Args... args) {
  return hindsight::remove_if(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto remove(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::remove(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto remove(Data&& data, Args... args) {
  return hindsight::remove(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto remove_copy_if(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::remove_copy_if(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto remove_copy_if(Data&& data, Args... args) {
  return hindsight::remove_copy_if(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto remove_copy(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::remove_copy(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto remove_copy(Data&& data, Args... args) {
  return hindsight::remove_copy(Policy{}, data, args...);
}

}  // namespace hindsight
