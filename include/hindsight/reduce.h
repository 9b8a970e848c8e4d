// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doors to reductions: with a policy and iterators (found by Thrust too), with a policy and a
// range, and with neither a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/reduce.h>

namespace hindsight {

/// init op in[0] op ... op in[n - 1], `op` associative and commutative, as Thrust asks.
///   Memory  CUDA: 16 KB to 84 KB of partial results and a counter, from two tiles on
///   Order   depends on n, the types and the machine alone. CUDA: stock's order, to the bit, where
///           stock is reproducible; it depends on the iterator being a raw pointer or not
///   Sync    waits for the result
///   Errors  invalid_call where last comes before first
///   Source  cub/agent/agent_reduce.cuh, for the order
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class T, class Op>
HINDSIGHT_HD T reduce(const execution_policy<D, S>& policy, InputIt first, InputIt last, T init,
                      Op op) {
  HINDSIGHT_DISPATCH((return detail::dispatch::reduce(policy, first, last, init, op);),
                     (return thrust::reduce(thrust::seq, first, last, init, op);))
}

/// The same with op = plus<T>: on CUDA a T takes each item before it is added.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class T>
HINDSIGHT_HD T reduce(const execution_policy<D, S>& policy, InputIt first, InputIt last, T init) {
  HINDSIGHT_DISPATCH((return hindsight::reduce(policy, first, last, init, ::cuda::std::plus<T>{});),
                     (return thrust::reduce(thrust::seq, first, last, init);))
}

/// The same from zero, or from T() where no integer makes a T.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt>
HINDSIGHT_HD detail::item_t<InputIt> reduce(const execution_policy<D, S>& policy, InputIt first,
                                            InputIt last) {
  HINDSIGHT_DISPATCH(
      (return hindsight::reduce(policy, first, last, detail::zero<detail::item_t<InputIt>>());),
      (return thrust::reduce(thrust::seq, first, last);))
}

/// *out = init op in[0] op ... op in[n - 1]: on CUDA nothing has to come back to the host.
///   Sync    as the policy asks: par_nosync does not wait
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class T, class Op>
HINDSIGHT_HD void reduce_into(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              OutputIt out, T init, Op op) {
  HINDSIGHT_DISPATCH((detail::dispatch::reduce_into(policy, first, last, out, init, op);),
                     (*out = thrust::reduce(thrust::seq, first, last, init, op);))
}

_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class T>
HINDSIGHT_HD void reduce_into(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              OutputIt out, T init) {
  hindsight::reduce_into(policy, first, last, out, init, ::cuda::std::plus<T>{});
}

_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt>
HINDSIGHT_HD void reduce_into(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              OutputIt out) {
  hindsight::reduce_into(policy, first, last, out, detail::zero<detail::item_t<InputIt>>());
}

/// init op unary(in[0]) op ... op unary(in[n - 1]).
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class Unary, class T, class Op>
HINDSIGHT_HD T transform_reduce(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                Unary unary, T init, Op op) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::transform_reduce(policy, first, last, unary, init, op);),
      (return thrust::transform_reduce(thrust::seq, first, last, unary, init, op);))
}

/// init op1 op2(in1[0], in2[0]) op1 ... op1 op2(in1[n - 1], in2[n - 1]).
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt1, class InputIt2, class T, class Op1, class Op2>
HINDSIGHT_HD T inner_product(const execution_policy<D, S>& policy, InputIt1 first1, InputIt1 last1,
                             InputIt2 first2, T init, Op1 op1, Op2 op2) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::inner_product(policy, first1, last1, first2, init, op1, op2);),
      (return thrust::inner_product(thrust::seq, first1, last1, first2, init, op1, op2);))
}

/// The same with op1 = plus<T> and op2 = multiplies<T>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt1, class InputIt2, class T>
HINDSIGHT_HD T inner_product(const execution_policy<D, S>& policy, InputIt1 first1, InputIt1 last1,
                             InputIt2 first2, T init) {
  HINDSIGHT_DISPATCH(
      (return hindsight::inner_product(policy, first1, last1, first2, init, ::cuda::std::plus<T>{},
                                       ::cuda::std::multiplies<T>{});),
      (return thrust::inner_product(thrust::seq, first1, last1, first2, init);))
}

/// Number of items with pred(in[i]).
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class Pred>
HINDSIGHT_HD detail::distance_t<InputIt> count_if(const execution_policy<D, S>& policy,
                                                  InputIt first, InputIt last, Pred pred) {
  HINDSIGHT_DISPATCH((return detail::dispatch::count_if(policy, first, last, pred);),
                     (return thrust::count_if(thrust::seq, first, last, pred);))
}

/// Number of items with in[i] == value.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class Value>
HINDSIGHT_HD detail::distance_t<InputIt> count(const execution_policy<D, S>& policy, InputIt first,
                                               InputIt last, const Value& value) {
  HINDSIGHT_DISPATCH(
      (return hindsight::count_if(policy, first, last, detail::function::equals<Value>{value});),
      (return thrust::count(thrust::seq, first, last, value);))
}

// With a range in place of first and last, and without a policy.

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto reduce(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::reduce(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto reduce(Data&& data, Args... args) {
  return hindsight::reduce(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto reduce_into(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::reduce_into(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto reduce_into(Data&& data, Args... args) {
  return hindsight::reduce_into(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto transform_reduce(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::transform_reduce(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto transform_reduce(Data&& data, Args... args) {
  return hindsight::transform_reduce(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto inner_product(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::inner_product(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto inner_product(Data&& data, Args... args) {
  return hindsight::inner_product(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto count_if(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::count_if(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto count_if(Data&& data, Args... args) {
  return hindsight::count_if(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto count(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::count(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto count(Data&& data, Args... args) {
  return hindsight::count(Policy{}, data, args...);
}

}  // namespace hindsight
