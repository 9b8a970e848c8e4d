// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of partition: with a policy and iterators (found by Thrust too), with a policy and a
// range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/partition.h>

namespace hindsight {

/// Of the n items in [first, last), moves those with pred(in[i]) to the front, in order, and the
/// others behind them. Returns the border between them.
///   Time    n calls of pred; every item is read once and written once, and the others once more
///   Memory  room for n items. CUDA: also 32 bytes per tile of 4 K to 16 K items of up to 8 bytes.
///           Host: also 32 bytes per tile of 32 KB, and two tiles for each thread
///   Order   of the others: on CUDA reversed, as stock has it; on host threads in order
///   Sync    waits for the border
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then. If
///           pred throws on host threads, or once a copy or a move of an item, the range still has
///           all its items, in some order
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto border = hindsight::partition(hindsight::par, items.begin(), items.end(),
///         ::cuda::std::identity{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD It partition(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::partition(policy, first, last, pred);),
                     (return thrust::partition(thrust::seq, first, last, pred);))
}

/// The same by pred(stencil[i]). stencil [n] must not overlap the range.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class StencilIt, class Pred>
HINDSIGHT_HD It partition(const execution_policy<D, S>& policy, It first, It last,
                          StencilIt stencil, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::partition(policy, first, last, pred, stencil);),
                     (return thrust::partition(thrust::seq, first, last, stencil, pred);))
}

/// Of the n items in [first, last), moves those with pred(in[i]) to the front and the others behind
/// them, both in order. Returns the border between them.
///   Order   that of the input, in both parts
///   Time, Memory, Sync, Errors  as partition
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto border = hindsight::stable_partition(items, ::cuda::std::identity{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Pred>
HINDSIGHT_HD It stable_partition(const execution_policy<D, S>& policy, It first, It last,
                                 Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::stable_partition(
                                 policy, "hindsight::stable_partition", first, last, pred);),
                     (return thrust::stable_partition(thrust::seq, first, last, pred);))
}

/// The same by pred(stencil[i]). stencil [n] must not overlap the range.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class StencilIt, class Pred>
HINDSIGHT_HD It stable_partition(const execution_policy<D, S>& policy, It first, It last,
                                 StencilIt stencil, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::stable_partition(policy, "hindsight::stable_partition", first, last,
                                                 pred, stencil);),
      (return thrust::stable_partition(thrust::seq, first, last, stencil, pred);))
}

/// Of the n items in [first, last), copies those with pred(in[i]) to out_true and the others to
/// out_false, both in order; returns both ends. Nothing may overlap.
///   Time    n calls of pred; every item is read once and written once
///   Memory  CUDA: 32 bytes per tile of 4 K to 16 K items of up to 8 bytes, none for one tile.
///           Host: 32 bytes per tile of 32 KB, and two tiles for each thread
///   Order   that of the input, in both outputs
///   Sync    waits for the ends
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<int> in(1000, 2), yes(1000), no(1000);
///     auto ends = hindsight::stable_partition_copy(in, yes.begin(), no.begin(),
///         ::cuda::std::identity{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    const execution_policy<D, S>& policy, InputIt first, InputIt last, TrueIt out_true,
    FalseIt out_false, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::stable_partition_copy(policy, "hindsight::stable_partition_copy",
                                                      first, last, out_true, out_false, pred);),
      (return thrust::stable_partition_copy(thrust::seq, first, last, out_true, out_false, pred);))
}

/// The same by pred(stencil[i]); stencil [n].
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class StencilIt, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    const execution_policy<D, S>& policy, InputIt first, InputIt last, StencilIt stencil,
    TrueIt out_true, FalseIt out_false, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::stable_partition_copy(
                                 policy, "hindsight::stable_partition_copy", first, last, out_true,
                                 out_false, pred, stencil);),
                     (return thrust::stable_partition_copy(thrust::seq, first, last, stencil,
                                                           out_true, out_false, pred);))
}

/// The same as stable_partition_copy: both outputs are in the input's order.
///   Time, Memory, Order, Sync, Errors  as stable_partition_copy
///   Example
///     thrust::device_vector<int> in(1000, 2), yes(1000), no(1000);
///     auto ends = hindsight::partition_copy(in, yes.begin(), no.begin(), ::cuda::std::identity{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> partition_copy(const execution_policy<D, S>& policy,
                                                               InputIt first, InputIt last,
                                                               TrueIt out_true, FalseIt out_false,
                                                               Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::stable_partition_copy(policy, "hindsight::partition_copy", first,
                                                      last, out_true, out_false, pred);),
      (return thrust::partition_copy(thrust::seq, first, last, out_true, out_false, pred);))
}

/// The same by pred(stencil[i]); stencil [n].
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class StencilIt, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> partition_copy(const execution_policy<D, S>& policy,
                                                               InputIt first, InputIt last,
                                                               StencilIt stencil, TrueIt out_true,
                                                               FalseIt out_false, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::stable_partition_copy(policy, "hindsight::partition_copy", first,
                                                      last, out_true, out_false, pred, stencil);),
      (return thrust::partition_copy(thrust::seq, first, last, stencil, out_true, out_false,
                                     pred);))
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> partition(const execution_policy<D, S>& policy, Range&& range,
                                          Pred pred) {
  return hindsight::partition(policy, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> partition(Range&& range, Pred pred) {
  return hindsight::partition(Policy{}, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class Pred, class Policy = detail::default_policy<It, It>>
It partition(It first, It last, Pred pred) {
  return hindsight::partition(Policy{}, first, last, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class StencilIt, class Pred, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> partition(const execution_policy<D, S>& policy, Range&& range,
                                          StencilIt stencil, Pred pred) {
  return hindsight::partition(policy, detail::begin_of(range), detail::end_of(range), stencil,
                              pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class StencilIt, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, StencilIt>>
detail::range_iterator_t<Range> partition(Range&& range, StencilIt stencil, Pred pred) {
  return hindsight::partition(Policy{}, detail::begin_of(range), detail::end_of(range), stencil,
                              pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class StencilIt, class Pred,
          class Policy = detail::default_policy<It, It, StencilIt>>
It partition(It first, It last, StencilIt stencil, Pred pred) {
  return hindsight::partition(Policy{}, first, last, stencil, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> stable_partition(const execution_policy<D, S>& policy,
                                                 Range&& range, Pred pred) {
  return hindsight::stable_partition(policy, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> stable_partition(Range&& range, Pred pred) {
  return hindsight::stable_partition(Policy{}, detail::begin_of(range), detail::end_of(range),
                                     pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class Pred, class Policy = detail::default_policy<It, It>>
It stable_partition(It first, It last, Pred pred) {
  return hindsight::stable_partition(Policy{}, first, last, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class StencilIt, class Pred, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> stable_partition(const execution_policy<D, S>& policy,
                                                 Range&& range, StencilIt stencil, Pred pred) {
  return hindsight::stable_partition(policy, detail::begin_of(range), detail::end_of(range),
                                     stencil, pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class StencilIt, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, StencilIt>>
detail::range_iterator_t<Range> stable_partition(Range&& range, StencilIt stencil, Pred pred) {
  return hindsight::stable_partition(Policy{}, detail::begin_of(range), detail::end_of(range),
                                     stencil, pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class StencilIt, class Pred,
          class Policy = detail::default_policy<It, It, StencilIt>>
It stable_partition(It first, It last, StencilIt stencil, Pred pred) {
  return hindsight::stable_partition(Policy{}, first, last, stencil, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class TrueIt, class FalseIt, class Pred,
          detail::if_range<Range> = 0>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(const execution_policy<D, S>& policy,
                                                         Range&& range, TrueIt out_true,
                                                         FalseIt out_false, Pred pred) {
  return hindsight::stable_partition_copy(policy, detail::begin_of(range), detail::end_of(range),
                                          out_true, out_false, pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class TrueIt, class FalseIt, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, TrueIt, FalseIt>>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(Range&& range, TrueIt out_true,
                                                         FalseIt out_false, Pred pred) {
  return hindsight::stable_partition_copy(Policy{}, detail::begin_of(range), detail::end_of(range),
                                          out_true, out_false, pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class TrueIt, class FalseIt, class Pred,
          class Policy = detail::default_policy<It, It, TrueIt, FalseIt>>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(It first, It last, TrueIt out_true,
                                                         FalseIt out_false, Pred pred) {
  return hindsight::stable_partition_copy(Policy{}, first, last, out_true, out_false, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class StencilIt, class TrueIt, class FalseIt, class Pred,
          detail::if_range<Range> = 0>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(const execution_policy<D, S>& policy,
                                                         Range&& range, StencilIt stencil,
                                                         TrueIt out_true, FalseIt out_false,
                                                         Pred pred) {
  return hindsight::stable_partition_copy(policy, detail::begin_of(range), detail::end_of(range),
                                          stencil, out_true, out_false, pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class StencilIt, class TrueIt, class FalseIt, class Pred,
          detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, StencilIt, TrueIt, FalseIt>>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(Range&& range, StencilIt stencil,
                                                         TrueIt out_true, FalseIt out_false,
                                                         Pred pred) {
  return hindsight::stable_partition_copy(Policy{}, detail::begin_of(range), detail::end_of(range),
                                          stencil, out_true, out_false, pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class StencilIt, class TrueIt, class FalseIt, class Pred,
          class Policy = detail::default_policy<It, It, StencilIt, TrueIt, FalseIt>>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(It first, It last, StencilIt stencil,
                                                         TrueIt out_true, FalseIt out_false,
                                                         Pred pred) {
  return hindsight::stable_partition_copy(Policy{}, first, last, stencil, out_true, out_false,
                                          pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class TrueIt, class FalseIt, class Pred,
          detail::if_range<Range> = 0>
::cuda::std::pair<TrueIt, FalseIt> partition_copy(const execution_policy<D, S>& policy,
                                                  Range&& range, TrueIt out_true, FalseIt out_false,
                                                  Pred pred) {
  return hindsight::partition_copy(policy, detail::begin_of(range), detail::end_of(range), out_true,
                                   out_false, pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class TrueIt, class FalseIt, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, TrueIt, FalseIt>>
::cuda::std::pair<TrueIt, FalseIt> partition_copy(Range&& range, TrueIt out_true, FalseIt out_false,
                                                  Pred pred) {
  return hindsight::partition_copy(Policy{}, detail::begin_of(range), detail::end_of(range),
                                   out_true, out_false, pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class TrueIt, class FalseIt, class Pred,
          class Policy = detail::default_policy<It, It, TrueIt, FalseIt>>
::cuda::std::pair<TrueIt, FalseIt> partition_copy(It first, It last, TrueIt out_true,
                                                  FalseIt out_false, Pred pred) {
  return hindsight::partition_copy(Policy{}, first, last, out_true, out_false, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class StencilIt, class TrueIt, class FalseIt, class Pred,
          detail::if_range<Range> = 0>
::cuda::std::pair<TrueIt, FalseIt> partition_copy(const execution_policy<D, S>& policy,
                                                  Range&& range, StencilIt stencil, TrueIt out_true,
                                                  FalseIt out_false, Pred pred) {
  return hindsight::partition_copy(policy, detail::begin_of(range), detail::end_of(range), stencil,
                                   out_true, out_false, pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class StencilIt, class TrueIt, class FalseIt, class Pred,
          detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, StencilIt, TrueIt, FalseIt>>
::cuda::std::pair<TrueIt, FalseIt> partition_copy(Range&& range, StencilIt stencil, TrueIt out_true,
                                                  FalseIt out_false, Pred pred) {
  return hindsight::partition_copy(Policy{}, detail::begin_of(range), detail::end_of(range),
                                   stencil, out_true, out_false, pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class StencilIt, class TrueIt, class FalseIt, class Pred,
          class Policy = detail::default_policy<It, It, StencilIt, TrueIt, FalseIt>>
::cuda::std::pair<TrueIt, FalseIt> partition_copy(It first, It last, StencilIt stencil,
                                                  TrueIt out_true, FalseIt out_false, Pred pred) {
  return hindsight::partition_copy(Policy{}, first, last, stencil, out_true, out_false, pred);
}

}  // namespace hindsight
