// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions: ours or stock.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/require.h>
#include <hindsight/detail/dispatch/sizes.h>
#include <hindsight/detail/host/reduce.h>

#include <thrust/count.h>
#include <thrust/fill.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/reduce.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

using ::cuda::std::identity;

/// The type in which the GPU folds unary(items) into a T, and whether an engine can.
template <class Op, class It, class T, class Unary = identity>
using reduced_t = accumulator_t<Op, transformed_t<It, Unary>, T>;
template <class System, class Op, class It, class T, class Unary = identity>
inline constexpr bool folds = are_plain<T, reduced_t<Op, It, T, Unary>>;
template <class Op, class It, class T, class Unary>
inline constexpr bool folds<hindsight::host::system, Op, It, T, Unary> =
    joins<hindsight::host::system, Op, transformed_t<It, Unary>, T>;

/// The pairs of two ranges, seen through `Op`; host threads take its results as T, as stock does.
template <class It1, class It2, class Op, class... T>
using pairs_seen_by = thrust::transform_iterator<
    thrust::zip_function<Op>,
    decltype(thrust::make_zip_iterator(std::declval<It1>(), std::declval<It2>())), T...>;

#if HINDSIGHT_CUDA
/// The twin of `op`, where the order of the fold does not depend on what stock knows of `op`.
template <class Accumulator, class Op>
auto as_reducer(Op op) {
  if constexpr (std::is_integral_v<Accumulator>) {
    return as_twin(op);
  } else {
    return op;
  }
}

template <class D, class It, class T, class Op, class Unary = identity>
T run_reduce(const cuda_policy<D>& policy, const char* name, It first, It last, T init, Op op,
             Unary unary = {}) {
  const std::size_t n = detail::length(first, last, name);
  using accumulator = reduced_t<Op, It, T, Unary>;
  if (n == 0) return init;
  return run_for<T>(
      policy, name, [&](temporary_memory temp, std::size_t& bytes, T* result, auto stream) {
        return cuda::reduce<accumulator>(temp, bytes, first, n, as_twin(unary),
                                         as_reducer<accumulator>(op), init, result, stream);
      });
}

template <class D, class It, class Last, class OutputIt, class T, class Op>
void run_reduce_into(const cuda_policy<D>& policy, const char* name, It first, Last last,
                     OutputIt out, T init, Op op) {
  const auto n = dispatch::size_of(first, last, name);
  using accumulator = reduced_t<Op, It, T>;
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::reduce<accumulator>(temp, bytes, first, n, identity{}, as_reducer<accumulator>(op),
                                     init, cuda::unwrap(out), stream);
  });
}

template <class D, class It, class Unary, class T, class Op>
T run_transform_reduce(const cuda_policy<D>& policy, const char* name, It first, It last,
                       Unary unary, T init, Op op) {
  using mapped = function::mapped<item_t<It>, transformed_t<It, Unary>, Unary>;
  return dispatch::run_reduce(policy, name, first, last, init, op, mapped{unary});
}

template <class D, class It1, class It2, class T, class Op1, class Op2>
T run_inner_product(const cuda_policy<D>& policy, const char* name, It1 first1, It1 last1,
                    It2 first2, T init, Op1 op1, Op2 op2) {
  const pairs_seen_by<It1, It2, twin_t<Op2>> products(thrust::make_zip_iterator(first1, first2),
                                                      thrust::make_zip_function(as_twin(op2)));
  const auto n = static_cast<std::ptrdiff_t>(detail::length(first1, last1, name));
  return dispatch::run_reduce(policy, name, products, products + n, init, op1);
}
#endif

/// The type in which host threads fold items into a T. For numbers of another type than T it is the
/// GPU's: a T may be too narrow for them.
template <class Op, class It, class T, class = void>
struct sum_on_host {
  using type = T;
};
template <class Op, class It, class T>
struct sum_on_host<Op, It, T,
                   std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<item_t<It>> &&
                                    !std::is_same_v<T, item_t<It>>>> {
  using sum = reduced_t<Op, It, T>;
  static constexpr bool joins_all =
      std::is_arithmetic_v<sum> && std::is_invocable_v<Op&, T&, sum&> &&
      std::is_invocable_v<Op&, sum&, item_t<It>&> && std::is_invocable_v<Op&, sum&, sum&>;
  using type = std::conditional_t<joins_all, sum, T>;
};

template <class D, class It, class T, class Op, class... Unary>
T run_reduce(const host_policy<D>& policy, const char* name, It first, It last, T init, Op op,
             Unary... unary) {
  const std::size_t n = dispatch::host_length(name, first, last);
  auto memory = dispatch::memory_of(policy);
  using sum = typename sum_on_host<twin_t<Op>, It, T>::type;
  if constexpr (sizeof...(Unary) != 0) {
    return host::transform_reduce(first, n, unary..., init, as_twin(op), memory);
  } else if constexpr (std::is_same_v<sum, T>) {
    return host::reduce(first, n, init, as_twin(op), memory);
  } else {
    return host::reduce_in<sum>(first, n, init, as_twin(op), memory);
  }
}

template <class D, class It, class Last, class OutputIt, class T, class Op>
void run_reduce_into(const host_policy<D>& policy, const char* name, It first, Last last,
                     OutputIt out, T init, Op op) {
  dispatch::refuse_null(name, 1, out);
  *out = dispatch::run_reduce(policy, name, first, dispatch::last_of(first, last, name), init, op);
}

template <class D, class It, class Unary, class T, class Op>
T run_transform_reduce(const host_policy<D>& policy, const char* name, It first, It last,
                       Unary unary, T init, Op op) {
  const function::mapped<item_t<It>, T, Unary> mapped{unary};
  return dispatch::run_reduce(policy, name, first, last, init, op, mapped);
}

template <class D, class It1, class It2, class T, class Op1, class Op2>
T run_inner_product(const host_policy<D>& policy, const char* name, It1 first1, It1 last1,
                    It2 first2, T init, Op1 op1, Op2 op2) {
  const std::size_t n = dispatch::host_length(name, first1, last1, first2);
  auto memory = dispatch::memory_of(policy);
  const pairs_seen_by<It1, It2, twin_t<Op2>, T> products(thrust::make_zip_iterator(first1, first2),
                                                         thrust::make_zip_function(as_twin(op2)));
  return host::reduce(products, n, init, as_twin(op1), memory);
}

template <class D, class S, class It, class T, class Op>
T reduce(const execution_policy<D, S>& policy, const char* name, It first, It last, T init, Op op) {
  if constexpr (!require_operator<S, Op, T, item_t<It>>()) {
    return init;
  } else if constexpr (are_random_access<It> && folds<S, Op, It, T>) {
    return dispatch::run_reduce(policy, name, first, last, init, op);
  } else {
    using thrust::system::detail::generic::reduce;
    return reduce(as_stock(policy), first, last, init, op);
  }
}

/// Stock has no reduce_into before CCCL 3.2.
template <class D, class S, class It, class OutputIt, class T, class Op>
void reduce_into(const execution_policy<D, S>& policy, It first, It last, OutputIt out, T init,
                 Op op) {
  const char* const name = "hindsight::reduce_into";
  if constexpr (are_random_access<It> && folds<S, Op, It, T>) {
    dispatch::run_reduce_into(policy, name, first, last, out, init, op);
  } else {
    thrust::fill_n(derived(policy), out, 1, dispatch::reduce(policy, name, first, last, init, op));
  }
}

template <class D, class S, class It, class Unary, class T, class Op>
T transform_reduce(const execution_policy<D, S>& policy, const char* name, It first, It last,
                   Unary unary, T init, Op op) {
  if constexpr (!require_call_operators<Unary, Op>()) {
    return init;
  } else if constexpr (are_random_access<It> && folds<S, Op, It, T, Unary> &&
                       copies<S, item_t<It>>) {
    return dispatch::run_transform_reduce(policy, name, first, last, unary, init, op);
  } else {
    using thrust::system::detail::generic::transform_reduce;
    return transform_reduce(as_stock(policy), first, last, unary, init, op);
  }
}

template <class D, class S, class It1, class It2, class T, class Op1, class Op2>
T inner_product(const execution_policy<D, S>& policy, It1 first1, It1 last1, It2 first2, T init,
                Op1 op1, Op2 op2) {
  using products = pairs_seen_by<It1, It2, twin_t<Op2>>;
  if constexpr (are_random_access<It1, It2> && folds<S, Op1, products, T>) {
    return dispatch::run_inner_product(policy, "hindsight::inner_product", first1, last1, first2,
                                       init, op1, op2);
  } else {
    using thrust::system::detail::generic::inner_product;
    return inner_product(as_stock(policy), first1, last1, first2, init, op1, op2);
  }
}

template <class D, class S, class It, class Pred>
distance_t<It> count_if(const execution_policy<D, S>& policy, const char* name, It first, It last,
                        Pred pred) {
  using count = distance_t<It>;
  if constexpr (!require_predicate<S, Pred, item_t<It>, const item_t<It>*>()) {
    return 0;
  } else if constexpr (are_random_access<It> && copies<S, item_t<It>>) {
    const function::one_if<count, item_t<It>, Pred> one{pred};
    return dispatch::run_reduce(policy, name, first, last, count(0), ::cuda::std::plus<count>{},
                                one);
  } else {
    using thrust::system::detail::generic::count_if;
    return count_if(as_stock(policy), first, last, pred);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
