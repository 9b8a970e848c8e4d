// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doors to scans: with a policy and iterators (found by Thrust too), with a policy and a range, and
// without a policy: then the iterators say where to run. `out` may be `first`.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/scan.h>

namespace hindsight {

/// out[i] = in[0] op ... op in[i], `op` associative, in the type of the input's items.
///   Memory  CUDA: 16 bytes per tile of 4 K to 16 K items of up to 7 bytes, 32 of up to 14, more of
///           larger ones; none for one tile
///   Order   depends on n and the type alone, the same on both systems: always the same bits
///   Sync    as the policy asks
///   Errors  invalid_call where last comes before first
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Op>
HINDSIGHT_HD OutputIt inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::inclusive_scan(policy, first, last, out, op);),
                     (return thrust::inclusive_scan(thrust::seq, first, last, out, op);))
}

/// out[i] = init op in[0] op ... op in[i].
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class T, class Op>
HINDSIGHT_HD OutputIt inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out, T init, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::inclusive_scan(policy, first, last, out, init, op);),
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

/// out[i] = init op in[0] op ... op in[i - 1], in the type of init.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class T, class Op>
HINDSIGHT_HD OutputIt exclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                     InputIt last, OutputIt out, T init, Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::exclusive_scan(policy, first, last, out, init, op);),
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

/// out[i] = unary(in[0]) op ... op unary(in[i]), in the type that unary returns.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Unary, class Op>
HINDSIGHT_HD OutputIt transform_inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                               InputIt last, OutputIt out, Unary unary, Op op) {
  HINDSIGHT_DISPATCH(
      (return hindsight::inclusive_scan(
                  policy,
                  detail::dispatch::seen_as<detail::transformed_t<InputIt, Unary>>(first, unary),
                  detail::dispatch::seen_as<detail::transformed_t<InputIt, Unary>>(last, unary),
                  out, op);),
      (return thrust::transform_inclusive_scan(thrust::seq, first, last, out, unary, op);))
}

/// out[i] = init op unary(in[0]) op ... op unary(in[i]).
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Unary, class T, class Op>
HINDSIGHT_HD OutputIt transform_inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                               InputIt last, OutputIt out, Unary unary, T init,
                                               Op op) {
  HINDSIGHT_DISPATCH(
      (return hindsight::inclusive_scan(
                  policy,
                  detail::dispatch::seen_as<detail::transformed_t<InputIt, Unary>>(first, unary),
                  detail::dispatch::seen_as<detail::transformed_t<InputIt, Unary>>(last, unary),
                  out, init, op);),
      (return thrust::transform_inclusive_scan(thrust::seq, first, last, out, unary, init, op);))
}

/// out[i] = init op unary(in[0]) op ... op unary(in[i - 1]), in the type of init.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Unary, class T, class Op>
HINDSIGHT_HD OutputIt transform_exclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                                               InputIt last, OutputIt out, Unary unary, T init,
                                               Op op) {
  HINDSIGHT_DISPATCH(
      (return hindsight::exclusive_scan(policy, detail::dispatch::seen_as<T>(first, unary),
                                        detail::dispatch::seen_as<T>(last, unary), out, init, op);),
      (return thrust::transform_exclusive_scan(thrust::seq, first, last, out, unary, init, op);))
}

// With a range in place of first and last, and without a policy.

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto inclusive_scan(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::inclusive_scan(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto inclusive_scan(Data&& data, Args... args) {
  return hindsight::inclusive_scan(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto exclusive_scan(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::exclusive_scan(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto exclusive_scan(Data&& data, Args... args) {
  return hindsight::exclusive_scan(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto transform_inclusive_scan(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::transform_inclusive_scan(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto transform_inclusive_scan(Data&& data, Args... args) {
  return hindsight::transform_inclusive_scan(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto transform_exclusive_scan(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::transform_exclusive_scan(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto transform_exclusive_scan(Data&& data, Args... args) {
  return hindsight::transform_exclusive_scan(Policy{}, data, args...);
}

}  // namespace hindsight
