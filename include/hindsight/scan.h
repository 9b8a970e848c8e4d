// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of scans: with a policy and iterators (found by Thrust too), with a policy and a
// range, and without a policy: then the iterators say where to run. `out` may be `first`.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/scan.h>

namespace hindsight {

/// out[i] = in[0] op ... op in[i] for the n items in [first, last); out [n] may be `first`. `op` is
/// associative. Sums have the type of the input's items. Returns out + n.
///   Time    2 n calls of op, 3 n if sums are no integers, and few more; every item is read once
///           and written once. CUDA: items of over 28 bytes are mostly read and folded once more
///   Memory  CUDA: 16 bytes per tile of 4 K to 16 K items of up to 7 bytes, 32 of up to 14, more of
///           larger ones; up to 9 KB for two to 32 tiles, none for one. Host: as much per tile of
///           32 KB, and up to 256 items for each thread
///   Order   depends on n and the type alone, the same on both systems: always the same bits
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     hindsight::inclusive_scan(hindsight::par, in.begin(), in.end(), out.begin());  // 2 4 6 ...
///     hindsight::inclusive_scan(in, in.begin(), ::cuda::maximum<int>{});  // in place
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Op>
HINDSIGHT_HD OutputIt inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::inclusive_scan(policy, "hindsight::inclusive_scan",
                                                              first, last, out, op);),
                     (return thrust::inclusive_scan(thrust::seq, first, last, out, op);))
}

/// out[i] = init op in[0] op ... op in[i], in the type that `op` gives for init and an item.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class T, class Op>
HINDSIGHT_HD OutputIt inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out, T init, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::inclusive_scan(policy, "hindsight::inclusive_scan",
                                                              first, last, out, init, op);),
                     (return thrust::inclusive_scan(thrust::seq, first, last, out, init, op);))
}

/// The same with op = plus<>, without an initial value.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt>
HINDSIGHT_HD OutputIt inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out) {
  HINDSIGHT_DISPATCH(
      (return hindsight::inclusive_scan(policy, first, last, out, ::cuda::std::plus<>{});),
      (return thrust::inclusive_scan(thrust::seq, first, last, out);))
}

/// out[i] = init op in[0] op ... op in[i - 1], in the type of init, for the n items in [first,
/// last); out [n] may be `first`. `op` is associative. Returns out + n.
///   Time, Memory, Order, Sync, Errors  as inclusive_scan
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     hindsight::exclusive_scan(hindsight::par, in.begin(), in.end(), out.begin(),
///         5);  // 5 7 9 ...
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class T, class Op>
HINDSIGHT_HD OutputIt exclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out, T init, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::exclusive_scan(policy, "hindsight::exclusive_scan",
                                                              first, last, out, init, op);),
                     (return thrust::exclusive_scan(thrust::seq, first, last, out, init, op);))
}

/// The same with op = plus<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class T>
HINDSIGHT_HD OutputIt exclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out, T init) {
  HINDSIGHT_DISPATCH(
      (return hindsight::exclusive_scan(policy, first, last, out, init, ::cuda::std::plus<>{});),
      (return thrust::exclusive_scan(thrust::seq, first, last, out, init);))
}

/// The same from a zero of the input's type.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt>
HINDSIGHT_HD OutputIt exclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out) {
  HINDSIGHT_DISPATCH(
      (return hindsight::exclusive_scan(policy, first, last, out, detail::item_t<InputIt>{});),
      (return thrust::exclusive_scan(thrust::seq, first, last, out);))
}

/// out[i] = unary(in[0]) op ... op unary(in[i]), in the type that unary returns, for the n items in
/// [first, last); out [n] may be `first`. `op` is associative. Returns out + n.
///   Time    that of inclusive_scan, and n calls of unary, up to 2 n on host threads
///   Memory, Order, Sync, Errors  as inclusive_scan
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     hindsight::transform_inclusive_scan(in, out.begin(), thrust::negate<int>{},
///         thrust::plus<int>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Unary, class Op>
HINDSIGHT_HD OutputIt transform_inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                               InputIt last, OutputIt out, Unary unary, Op op) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::inclusive_scan(
                  policy, "hindsight::transform_inclusive_scan",
                  detail::dispatch::seen_as<detail::transformed_t<InputIt, Unary>>(first, unary),
                  detail::dispatch::seen_as<detail::transformed_t<InputIt, Unary>>(last, unary),
                  out, op);),
      (return thrust::transform_inclusive_scan(thrust::seq, first, last, out, unary, op);))
}

/// out[i] = init op unary(in[0]) op ... op unary(in[i]), in the type that `op` gives for init and
/// what unary returns.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Unary, class T, class Op>
HINDSIGHT_HD OutputIt transform_inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                               InputIt last, OutputIt out, Unary unary, T init,
                                               Op op) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::inclusive_scan(
                  policy, "hindsight::transform_inclusive_scan",
                  detail::dispatch::seen_as<detail::transformed_t<InputIt, Unary>>(first, unary),
                  detail::dispatch::seen_as<detail::transformed_t<InputIt, Unary>>(last, unary),
                  out, init, op);),
      (return thrust::transform_inclusive_scan(thrust::seq, first, last, out, unary, init, op);))
}

/// out[i] = init op unary(in[0]) op ... op unary(in[i - 1]), in the type of init, for the n items
/// in [first, last); out [n] may be `first`. `op` is associative. Returns out + n.
///   Memory, Order, Sync, Errors  as inclusive_scan
///   Time    as transform_inclusive_scan
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     hindsight::transform_exclusive_scan(in, out.begin(), thrust::negate<int>{}, 0,
///         thrust::plus<int>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Unary, class T, class Op>
HINDSIGHT_HD OutputIt transform_exclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                               InputIt last, OutputIt out, Unary unary, T init,
                                               Op op) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::exclusive_scan(policy, "hindsight::transform_exclusive_scan",
                                               detail::dispatch::seen_as<T>(first, unary),
                                               detail::dispatch::seen_as<T>(last, unary), out, init,
                                               op);),
      (return thrust::transform_exclusive_scan(thrust::seq, first, last, out, unary, init, op);))
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Op = ::cuda::std::plus<>,
          detail::if_range<Range> = 0>
OutputIt inclusive_scan(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                        Op op = {}) {
  return hindsight::inclusive_scan(policy, detail::begin_of(range), detail::end_of(range), out, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Op = ::cuda::std::plus<>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt inclusive_scan(Range&& range, OutputIt out, Op op = {}) {
  return hindsight::inclusive_scan(Policy{}, detail::begin_of(range), detail::end_of(range), out,
                                   op);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Op = ::cuda::std::plus<>,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt inclusive_scan(It first, It last, OutputIt out, Op op = {}) {
  return hindsight::inclusive_scan(Policy{}, first, last, out, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class T, class Op,
          detail::if_range<Range> = 0>
OutputIt inclusive_scan(const execution_policy<D, S>& policy, Range&& range, OutputIt out, T init,
                        Op op) {
  return hindsight::inclusive_scan(policy, detail::begin_of(range), detail::end_of(range), out,
                                   init, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class T, class Op, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt inclusive_scan(Range&& range, OutputIt out, T init, Op op) {
  return hindsight::inclusive_scan(Policy{}, detail::begin_of(range), detail::end_of(range), out,
                                   init, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class T, class Op,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt inclusive_scan(It first, It last, OutputIt out, T init, Op op) {
  return hindsight::inclusive_scan(Policy{}, first, last, out, init, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class T = detail::range_item_t<Range>,
          class Op = ::cuda::std::plus<>, detail::if_range<Range> = 0>
OutputIt exclusive_scan(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                        T init = {}, Op op = {}) {
  return hindsight::exclusive_scan(policy, detail::begin_of(range), detail::end_of(range), out,
                                   init, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class T = detail::range_item_t<Range>,
          class Op = ::cuda::std::plus<>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt exclusive_scan(Range&& range, OutputIt out, T init = {}, Op op = {}) {
  return hindsight::exclusive_scan(Policy{}, detail::begin_of(range), detail::end_of(range), out,
                                   init, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class T = detail::item_t<It>, class Op = ::cuda::std::plus<>,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt exclusive_scan(It first, It last, OutputIt out, T init = {}, Op op = {}) {
  return hindsight::exclusive_scan(Policy{}, first, last, out, init, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Unary, class Op,
          detail::if_range<Range> = 0>
OutputIt transform_inclusive_scan(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                                  Unary unary, Op op) {
  return hindsight::transform_inclusive_scan(policy, detail::begin_of(range), detail::end_of(range),
                                             out, unary, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Unary, class Op, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt transform_inclusive_scan(Range&& range, OutputIt out, Unary unary, Op op) {
  return hindsight::transform_inclusive_scan(Policy{}, detail::begin_of(range),
                                             detail::end_of(range), out, unary, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Unary, class Op,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt transform_inclusive_scan(It first, It last, OutputIt out, Unary unary, Op op) {
  return hindsight::transform_inclusive_scan(Policy{}, first, last, out, unary, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Unary, class T, class Op,
          detail::if_range<Range> = 0>
OutputIt transform_inclusive_scan(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                                  Unary unary, T init, Op op) {
  return hindsight::transform_inclusive_scan(policy, detail::begin_of(range), detail::end_of(range),
                                             out, unary, init, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Unary, class T, class Op, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt transform_inclusive_scan(Range&& range, OutputIt out, Unary unary, T init, Op op) {
  return hindsight::transform_inclusive_scan(Policy{}, detail::begin_of(range),
                                             detail::end_of(range), out, unary, init, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Unary, class T, class Op,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt transform_inclusive_scan(It first, It last, OutputIt out, Unary unary, T init, Op op) {
  return hindsight::transform_inclusive_scan(Policy{}, first, last, out, unary, init, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Unary, class T, class Op,
          detail::if_range<Range> = 0>
OutputIt transform_exclusive_scan(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                                  Unary unary, T init, Op op) {
  return hindsight::transform_exclusive_scan(policy, detail::begin_of(range), detail::end_of(range),
                                             out, unary, init, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Unary, class T, class Op, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt transform_exclusive_scan(Range&& range, OutputIt out, Unary unary, T init, Op op) {
  return hindsight::transform_exclusive_scan(Policy{}, detail::begin_of(range),
                                             detail::end_of(range), out, unary, init, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Unary, class T, class Op,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt transform_exclusive_scan(It first, It last, OutputIt out, Unary unary, T init, Op op) {
  return hindsight::transform_exclusive_scan(Policy{}, first, last, out, unary, init, op);
}

}  // namespace hindsight
