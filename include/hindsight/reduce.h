// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of reductions: with a policy and iterators (found by Thrust too), with a policy and
// a range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/reduce.h>

namespace hindsight {

/// Returns init op in[0] op ... op in[n - 1] for the n items in [first, last). `op` is associative
/// and commutative, as Thrust asks.
///   Time    n calls of op; every item is read once
///   Memory  CUDA: for a range of more than one tile (some thousand items) a partial result per
///           block and a counter: on 132 multiprocessors up to 43 KB for numbers of up to 8 bytes.
///           Host: a partial result for each 128 KB of items, counted in the result's type; none if
///           one thread runs
///   Order   depends on n, the types and the machine alone. CUDA: stock's order, to the bit, where
///           stock is reproducible; it also depends on whether the iterator is a raw pointer
///   Sync    waits for the result
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Source  cub/agent/agent_reduce.cuh, for the order
///   Example
///     thrust::device_vector<int> in(1000, 2);
///     int largest = hindsight::reduce(hindsight::par, in.begin(), in.end(), 0,
///         ::cuda::maximum<int>{});
///     int sum = hindsight::reduce(in);  // 2000
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class T, class Op>
HINDSIGHT_HD T reduce(const execution_policy<D, S>& policy, InputIt first, InputIt last, T init,
                      Op op) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::reduce(policy, "hindsight::reduce", first, last, init, op);),
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

/// *out = init op in[0] op ... op in[n - 1] for the n items in [first, last); out [1]. On CUDA
/// nothing has to come back to the host, so the call can be captured into a graph.
///   Sync    as the policy asks: par_nosync does not wait
///   Time, Memory, Order, Errors  as reduce
///   Example
///     thrust::device_vector<int> in(1000, 2), sum(1);
///     hindsight::reduce_into(hindsight::par_nosync, in.begin(), in.end(), sum.begin(), 0,
///         thrust::plus<int>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class T, class Op>
HINDSIGHT_HD void reduce_into(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              OutputIt out, T init, Op op) {
  HINDSIGHT_DISPATCH((detail::dispatch::reduce_into(policy, first, last, out, init, op);),
                     (*out = thrust::reduce(thrust::seq, first, last, init, op);))
}

/// The same with op = plus<T>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class T>
HINDSIGHT_HD void reduce_into(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              OutputIt out, T init) {
  hindsight::reduce_into(policy, first, last, out, init, ::cuda::std::plus<T>{});
}

/// The same from zero, or from T() where no integer makes a T.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt>
HINDSIGHT_HD void reduce_into(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                              OutputIt out) {
  hindsight::reduce_into(policy, first, last, out, detail::zero<detail::item_t<InputIt>>());
}

/// init op unary(in[0]) op ... op unary(in[n - 1]) for the n items in [first, last). `op` is
/// associative and commutative.
///   Time    n calls of unary and of op; every item is read once
///   Memory, Order, Sync, Errors  as reduce
///   Example
///     thrust::device_vector<float> in(1000, 3.0f);
///     float squares = hindsight::transform_reduce(in, thrust::square<float>{}, 0.0f,
///         thrust::plus<float>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class Unary, class T, class Op>
HINDSIGHT_HD T transform_reduce(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                Unary unary, T init, Op op) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::transform_reduce(policy, "hindsight::transform_reduce", first, last,
                                                 unary, init, op);),
      (return thrust::transform_reduce(thrust::seq, first, last, unary, init, op);))
}

/// init op1 op2(in1[0], in2[0]) op1 ... op1 op2(in1[n - 1], in2[n - 1]), both inputs [n]. `op1` is
/// associative and commutative.
///   Time    n calls of op1 and of op2; every item is read once
///   Memory, Order, Sync, Errors  as reduce
///   Example
///     thrust::device_vector<double> a(1000, 2), b(1000, 0.5);
///     double product = hindsight::inner_product(a, b.begin(), 0.0);  // 1000
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

/// Number of the n items in [first, last) with pred(in[i]), which counts as true or false. (Stock's
/// CUDA backend adds up what `pred` returns, as integers: an item for which `pred` returns 4 counts
/// as four there.)
///   Time    n calls of pred; every item is read once
///   Order   changes nothing
///   Memory, Sync, Errors  as reduce
///   Example
///     thrust::device_vector<int> in(1000, 2);
///     auto zeros = hindsight::count_if(in, thrust::logical_not<int>{});  // 0
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class Pred>
HINDSIGHT_HD detail::distance_t<InputIt> count_if(const execution_policy<D, S>& policy,
                                                  InputIt first, InputIt last, Pred pred) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::count_if(policy, "hindsight::count_if", first, last, pred);),
      (return thrust::count_if(thrust::seq, first, last, pred);))
}

/// Number of the n items in [first, last) with in[i] == value.
///   Time    n comparisons; every item is read once
///   Order   changes nothing
///   Memory, Sync, Errors  as reduce
///   Example
///     thrust::device_vector<int> in(1000, 2);
///     auto twos = hindsight::count(in, 2);  // 1000
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class Value>
HINDSIGHT_HD detail::distance_t<InputIt> count(const execution_policy<D, S>& policy, InputIt first,
                                               InputIt last, const Value& value) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::count_if(policy, "hindsight::count", first, last,
                                         detail::equals_value<InputIt, Value>{value});),
      (return thrust::count(thrust::seq, first, last, value);))
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class T = detail::range_item_t<Range>,
          class Op = ::cuda::std::plus<T>, detail::if_range<Range> = 0>
T reduce(const execution_policy<D, S>& policy, Range&& range, T init = detail::zero<T>(),
         Op op = {}) {
  return hindsight::reduce(policy, detail::begin_of(range), detail::end_of(range), init, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class T = detail::range_item_t<Range>, class Op = ::cuda::std::plus<T>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
T reduce(Range&& range, T init = detail::zero<T>(), Op op = {}) {
  return hindsight::reduce(Policy{}, detail::begin_of(range), detail::end_of(range), init, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class T = detail::item_t<It>, class Op = ::cuda::std::plus<T>,
          class Policy = detail::default_policy<It, It>>
T reduce(It first, It last, T init = detail::zero<T>(), Op op = {}) {
  return hindsight::reduce(Policy{}, first, last, init, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class T = detail::range_item_t<Range>,
          class Op = ::cuda::std::plus<T>, detail::if_range<Range> = 0>
void reduce_into(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                 T init = detail::zero<T>(), Op op = {}) {
  hindsight::reduce_into(policy, detail::begin_of(range), detail::end_of(range), out, init, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class T = detail::range_item_t<Range>,
          class Op = ::cuda::std::plus<T>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
void reduce_into(Range&& range, OutputIt out, T init = detail::zero<T>(), Op op = {}) {
  hindsight::reduce_into(Policy{}, detail::begin_of(range), detail::end_of(range), out, init, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class T = detail::item_t<It>, class Op = ::cuda::std::plus<T>,
          class Policy = detail::default_policy<It, It, OutputIt>>
void reduce_into(It first, It last, OutputIt out, T init = detail::zero<T>(), Op op = {}) {
  hindsight::reduce_into(Policy{}, first, last, out, init, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Unary, class T, class Op,
          detail::if_range<Range> = 0>
T transform_reduce(const execution_policy<D, S>& policy, Range&& range, Unary unary, T init,
                   Op op) {
  return hindsight::transform_reduce(policy, detail::begin_of(range), detail::end_of(range), unary,
                                     init, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class Unary, class T, class Op, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
T transform_reduce(Range&& range, Unary unary, T init, Op op) {
  return hindsight::transform_reduce(Policy{}, detail::begin_of(range), detail::end_of(range),
                                     unary, init, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class Unary, class T, class Op, class Policy = detail::default_policy<It, It>>
T transform_reduce(It first, It last, Unary unary, T init, Op op) {
  return hindsight::transform_reduce(Policy{}, first, last, unary, init, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class InputIt2, class T, class Op1 = ::cuda::std::plus<T>,
          class Op2 = ::cuda::std::multiplies<T>, detail::if_range<Range> = 0>
T inner_product(const execution_policy<D, S>& policy, Range&& range, InputIt2 first2, T init,
                Op1 op1 = {}, Op2 op2 = {}) {
  return hindsight::inner_product(policy, detail::begin_of(range), detail::end_of(range), first2,
                                  init, op1, op2);
}
/// The same for a range, run where its iterators say.
template <class Range, class InputIt2, class T, class Op1 = ::cuda::std::plus<T>,
          class Op2 = ::cuda::std::multiplies<T>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, InputIt2>>
T inner_product(Range&& range, InputIt2 first2, T init, Op1 op1 = {}, Op2 op2 = {}) {
  return hindsight::inner_product(Policy{}, detail::begin_of(range), detail::end_of(range), first2,
                                  init, op1, op2);
}
/// The same without a policy, run where the iterators say.
template <class It, class InputIt2, class T, class Op1 = ::cuda::std::plus<T>,
          class Op2 = ::cuda::std::multiplies<T>,
          class Policy = detail::default_policy<It, It, InputIt2>>
T inner_product(It first, It last, InputIt2 first2, T init, Op1 op1 = {}, Op2 op2 = {}) {
  return hindsight::inner_product(Policy{}, first, last, first2, init, op1, op2);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
detail::distance_t<detail::range_iterator_t<Range>> count_if(const execution_policy<D, S>& policy,
                                                             Range&& range, Pred pred) {
  return hindsight::count_if(policy, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::distance_t<detail::range_iterator_t<Range>> count_if(Range&& range, Pred pred) {
  return hindsight::count_if(Policy{}, detail::begin_of(range), detail::end_of(range), pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class Pred, class Policy = detail::default_policy<It, It>>
detail::distance_t<It> count_if(It first, It last, Pred pred) {
  return hindsight::count_if(Policy{}, first, last, pred);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Value, detail::if_range<Range> = 0>
detail::distance_t<detail::range_iterator_t<Range>> count(const execution_policy<D, S>& policy,
                                                          Range&& range, const Value& value) {
  return hindsight::count(policy, detail::begin_of(range), detail::end_of(range), value);
}
/// The same for a range, run where its iterators say.
template <class Range, class Value, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::distance_t<detail::range_iterator_t<Range>> count(Range&& range, const Value& value) {
  return hindsight::count(Policy{}, detail::begin_of(range), detail::end_of(range), value);
}
/// The same without a policy, run where the iterators say.
template <class It, class Value, class Policy = detail::default_policy<It, It>>
detail::distance_t<It> count(It first, It last, const Value& value) {
  return hindsight::count(Policy{}, first, last, value);
}

}  // namespace hindsight
