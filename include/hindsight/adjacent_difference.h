// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of neighbours: with a policy and iterators (found by Thrust too), with a
// policy and a range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/adjacent_difference.h>
#include <hindsight/detail/dispatch/default_policy.h>

namespace hindsight {

/// out[0] = in[0], and out[i] = op(in[i], in[i - 1]) for the others of the n items in [first,
/// last); out [n]. Returns out + n. `out` may be first; else it must not overlap the input.
///   Time    n - 1 calls of op; every item is read once and written once
///   Memory  an item per tile if `out` is first, or if the iterators do not tell; else none. CUDA:
///           a tile is 4 K to 16 K items of up to 8 bytes, fewer of larger ones; host: 32 KB
///   Order   not applicable: no output depends on another
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     hindsight::adjacent_difference(hindsight::par, in.begin(), in.end(), out.begin(),
///         thrust::minus<int>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Op>
HINDSIGHT_HD OutputIt adjacent_difference(const execution_policy<D, S>& policy, InputIt first,
                                          InputIt last, OutputIt out, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::adjacent_difference(policy, first, last, out, op);),
                     (return thrust::adjacent_difference(thrust::seq, first, last, out, op);))
}

/// The same with op = minus.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt>
HINDSIGHT_HD OutputIt adjacent_difference(const execution_policy<D, S>& policy, InputIt first,
                                          InputIt last, OutputIt out) {
  HINDSIGHT_DISPATCH(
      (return hindsight::adjacent_difference(policy, first, last, out,
                                             ::cuda::std::minus<detail::item_t<InputIt>>{});),
      (return thrust::adjacent_difference(thrust::seq, first, last, out);))
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Op, detail::if_range<Range> = 0>
OutputIt adjacent_difference(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                             Op op) {
  return hindsight::adjacent_difference(policy, detail::begin_of(range), detail::end_of(range), out,
                                        op);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Op, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt adjacent_difference(Range&& range, OutputIt out, Op op) {
  return hindsight::adjacent_difference(Policy{}, detail::begin_of(range), detail::end_of(range),
                                        out, op);
}
/// The same without a policy, run where the iterators say.
template <class InputIt, class OutputIt, class Op,
          class Policy = detail::default_policy<InputIt, InputIt, OutputIt>>
OutputIt adjacent_difference(InputIt first, InputIt last, OutputIt out, Op op) {
  return hindsight::adjacent_difference(Policy{}, first, last, out, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, detail::if_range<Range> = 0>
OutputIt adjacent_difference(const execution_policy<D, S>& policy, Range&& range, OutputIt out) {
  return hindsight::adjacent_difference(policy, detail::begin_of(range), detail::end_of(range),
                                        out);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt adjacent_difference(Range&& range, OutputIt out) {
  return hindsight::adjacent_difference(Policy{}, detail::begin_of(range), detail::end_of(range),
                                        out);
}
/// The same without a policy, run where the iterators say.
template <class InputIt, class OutputIt,
          class Policy = detail::default_policy<InputIt, InputIt, OutputIt>>
OutputIt adjacent_difference(InputIt first, InputIt last, OutputIt out) {
  return hindsight::adjacent_difference(Policy{}, first, last, out);
}

}  // namespace hindsight
