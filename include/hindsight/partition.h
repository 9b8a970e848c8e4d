// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doors to partition: with a policy and iterators (found by Thrust too), with a policy and a range,
// and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/partition.h>

namespace hindsight {

/// Moves the items with pred(in[i]) to the front, in order, and the others behind them; returns the
/// border between them.
///   Memory  room for n items, and on CUDA 32 bytes per tile of 4 K to 16 K items
///   Order   of the others: CUDA reversed, as stock has it; host threads in order
///   Sync    waits for the border
///   Errors  invalid_call where last comes before first; if pred throws on host threads, the range
///           still has all its items, in some order
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD It partition(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::partition(policy, first, last, pred);),
                     (return thrust::partition(thrust::seq, first, last, pred);))
}

/// The same by pred(stencil[i]). `stencil` must not overlap the range.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class StencilIt, class Pred>
HINDSIGHT_HD It partition(const execution_policy<D, S>& policy, It first, It last,
                          StencilIt stencil, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::partition(policy, first, last, pred, stencil);),
                     (return thrust::partition(thrust::seq, first, last, stencil, pred);))
}

/// Moves the items with pred(in[i]) to the front and the others behind them, both in order.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD It stable_partition(const execution_policy<D, S>& policy, It first, It last,
                                 Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::stable_partition(policy, first, last, pred);),
                     (return thrust::stable_partition(thrust::seq, first, last, pred);))
}

/// The same by pred(stencil[i]). `stencil` must not overlap the range.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class StencilIt, class Pred>
HINDSIGHT_HD It stable_partition(const execution_policy<D, S>& policy, It first, It last,
                                 StencilIt stencil, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::stable_partition(policy, first, last, pred, stencil);),
      (return thrust::stable_partition(thrust::seq, first, last, stencil, pred);))
}

/// Copies the items with pred(in[i]) to out_true and the others to out_false, both in order;
/// returns both ends. Nothing may overlap.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    const execution_policy<D, S>& policy, InputIt first, InputIt last, TrueIt out_true,
    FalseIt out_false, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::stable_partition_copy(policy, first, last, out_true, out_false,
                                                      pred);),
      (return thrust::stable_partition_copy(thrust::seq, first, last, out_true, out_false, pred);))
}

/// The same by pred(stencil[i]).
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class StencilIt, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    const execution_policy<D, S>& policy, InputIt first, InputIt last, StencilIt stencil,
    TrueIt out_true, FalseIt out_false, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::stable_partition_copy(policy, first, last, out_true,
                                                                     out_false, pred, stencil);),
                     (return thrust::stable_partition_copy(thrust::seq, first, last, stencil,
                                                           out_true, out_false, pred);))
}

/// The same as stable_partition_copy.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> partition_copy(const execution_policy<D, S>& policy,
                                                               InputIt first, InputIt last,
                                                               TrueIt out_true, FalseIt out_false,
                                                               Pred pred) {
  HINDSIGHT_DISPATCH(
      (return hindsight::stable_partition_copy(policy, first, last, out_true, out_false, pred);),
      (return thrust::partition_copy(thrust::seq, first, last, out_true, out_false, pred);))
}

_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class StencilIt, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> partition_copy(const execution_policy<D, S>& policy,
                                                               InputIt first, InputIt last,
                                                               StencilIt stencil, TrueIt out_true,
                                                               FalseIt out_false, Pred pred) {
  HINDSIGHT_DISPATCH((return hindsight::stable_partition_copy(policy, first, last, stencil,
                                                              out_true, out_false, pred);),
                     (return thrust::partition_copy(thrust::seq, first, last, stencil, out_true,
                                                    out_false, pred);))
}

// With a range in place of first and last, and without a policy.

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto partition(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::partition(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto partition(Data&& data, Args... args) {
  return hindsight::partition(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto stable_partition(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::stable_partition(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto stable_partition(Data&& data, Args... args) {
  return hindsight::stable_partition(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto stable_partition_copy(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::stable_partition_copy(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto stable_partition_copy(Data&& data, Args... args) {
  return hindsight::stable_partition_copy(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto partition_copy(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::partition_copy(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto partition_copy(Data&& data, Args... args) {
  return hindsight::partition_copy(Policy{}, data, args...);
}

}  // namespace hindsight
