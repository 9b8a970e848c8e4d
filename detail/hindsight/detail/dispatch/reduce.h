// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
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

#if HINDSIGHT_CUDA

template <class D, class It, class T, class Op>
T reduce(hindsight::cuda::system, const execution_policy<D, hindsight::cuda::system>& policy,
         It first, It last, T init, Op op) {
  using accumulator = accumulator_t<Op, item_t<It>, T>;
  if constexpr (are_random_access<It> && are_plain<T, accumulator>) {
    constexpr auto name = "hindsight::reduce";
    const std::size_t n = detail::length(first, last, name);
    if (n == 0) return init;
    return run_for<T>(policy, name, [&](void* temp, std::size_t& bytes, T* result, auto stream) {
      return detail::reduce<accumulator>(temp, bytes, first, n, ::cuda::std::identity{}, op, init,
                                         result, stream);
    });
  } else {
    using thrust::system::detail::generic::reduce;
    return reduce(as_stock(policy), first, last, init, op);
  }
}

template <class D, class It, class OutputIt, class T, class Op>
void reduce_into(hindsight::cuda::system,
                 const execution_policy<D, hindsight::cuda::system>& policy, It first, It last,
                 OutputIt out, T init, Op op) {
  using accumulator = accumulator_t<Op, item_t<It>, T>;
  if constexpr (are_random_access<It> && are_plain<T, accumulator>) {
    constexpr auto name = "hindsight::reduce_into";
    const std::size_t n = detail::length(first, last, name);
    run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      return detail::reduce<accumulator>(temp, bytes, first, n, ::cuda::std::identity{}, op, init,
                                         unwrap(out), stream);
    });
  } else {  // stock has no reduce_into before CCCL 3.2
    using thrust::system::detail::generic::reduce;
    thrust::fill_n(derived(policy), out, 1, reduce(as_stock(policy), first, last, init, op));
  }
}

template <class D, class It, class Unary, class T, class Op>
T transform_reduce(hindsight::cuda::system,
                   const execution_policy<D, hindsight::cuda::system>& policy, It first, It last,
                   Unary unary, T init, Op op) {
  using item = std::decay_t<::cuda::std::invoke_result_t<Unary&, item_t<It>>>;
  using accumulator = accumulator_t<Op, item, T>;
  if constexpr (are_random_access<It> && are_plain<T, accumulator> && are_copyable<item_t<It>>) {
    constexpr auto name = "hindsight::transform_reduce";
    const std::size_t n = detail::length(first, last, name);
    if (n == 0) return init;
    const function::mapped<item_t<It>, item, Unary> transform{unary};
    return run_for<T>(policy, name, [&](void* temp, std::size_t& bytes, T* result, auto stream) {
      return detail::reduce<accumulator>(temp, bytes, first, n, transform, op, init, result,
                                         stream);
    });
  } else {
    using thrust::system::detail::generic::transform_reduce;
    return transform_reduce(as_stock(policy), first, last, unary, init, op);
  }
}

template <class D, class It1, class It2, class T, class Op1, class Op2>
T inner_product(hindsight::cuda::system, const execution_policy<D, hindsight::cuda::system>& policy,
                It1 first1, It1 last1, It2 first2, T init, Op1 op1, Op2 op2) {
  const auto products = thrust::make_transform_iterator(thrust::make_zip_iterator(first1, first2),
                                                        thrust::make_zip_function(op2));
  using product = item_t<std::remove_const_t<decltype(products)>>;
  using accumulator = accumulator_t<Op1, product, T>;
  if constexpr (are_random_access<It1, It2> && are_plain<T, accumulator>) {
    constexpr auto name = "hindsight::inner_product";
    const std::size_t n = detail::length(first1, last1, name);
    if (n == 0) return init;
    return run_for<T>(policy, name, [&](void* temp, std::size_t& bytes, T* result, auto stream) {
      return detail::reduce<accumulator>(temp, bytes, products, n, ::cuda::std::identity{}, op1,
                                         init, result, stream);
    });
  } else {
    using thrust::system::detail::generic::inner_product;
    return inner_product(as_stock(policy), first1, last1, first2, init, op1, op2);
  }
}

template <class D, class It, class Pred>
distance_t<It> count_if(hindsight::cuda::system,
                        const execution_policy<D, hindsight::cuda::system>& policy, It first,
                        It last, Pred pred) {
  using count = distance_t<It>;
  if constexpr (are_random_access<It> && are_copyable<item_t<It>>) {
    constexpr auto name = "hindsight::count_if";
    const std::size_t n = detail::length(first, last, name);
    if (n == 0) return 0;
    const function::one_if<count, item_t<It>, Pred> one{pred};
    return run_for<count>(
        policy, name, [&](void* temp, std::size_t& bytes, count* result, auto stream) {
          return detail::reduce<count>(temp, bytes, first, n, one, ::cuda::std::plus<count>{},
                                       count(0), result, stream);
        });
  } else {
    using thrust::system::detail::generic::count_if;
    return count_if(as_stock(policy), first, last, pred);
  }
}

#endif  // HINDSIGHT_CUDA

template <class D, class It, class T, class Op>
T reduce(hindsight::host::system, const execution_policy<D, hindsight::host::system>& policy,
         It first, It last, T init, Op op) {
  if constexpr (are_random_access<It>) {
    const std::size_t n = dispatch::host_length("hindsight::reduce", first, last);
    auto memory = dispatch::memory_of(policy);
    return host::reduce(first, n, init, op, memory);
  } else {
    using thrust::system::detail::generic::reduce;
    return reduce(as_stock(policy), first, last, init, op);
  }
}

template <class D, class It, class OutputIt, class T, class Op>
void reduce_into(hindsight::host::system,
                 const execution_policy<D, hindsight::host::system>& policy, It first, It last,
                 OutputIt out, T init, Op op) {
  *out = dispatch::reduce(hindsight::host::system{}, policy, first, last, init, op);
}

template <class D, class It, class Unary, class T, class Op>
T transform_reduce(hindsight::host::system,
                   const execution_policy<D, hindsight::host::system>& policy, It first, It last,
                   Unary unary, T init, Op op) {
  if constexpr (are_random_access<It>) {
    const std::size_t n = dispatch::host_length("hindsight::transform_reduce", first, last);
    auto memory = dispatch::memory_of(policy);
    const function::mapped<item_t<It>, T, Unary> transform{unary};
    return host::transform_reduce(first, n, transform, init, op, memory);
  } else {
    using thrust::system::detail::generic::transform_reduce;
    return transform_reduce(as_stock(policy), first, last, unary, init, op);
  }
}

template <class D, class It1, class It2, class T, class Op1, class Op2>
T inner_product(hindsight::host::system, const execution_policy<D, hindsight::host::system>& policy,
                It1 first1, It1 last1, It2 first2, T init, Op1 op1, Op2 op2) {
  if constexpr (are_random_access<It1, It2>) {
    const std::size_t n = dispatch::host_length("hindsight::inner_product", first1, last1, first2);
    auto memory = dispatch::memory_of(policy);
    using zip = decltype(thrust::make_zip_iterator(first1, first2));
    using product = decltype(thrust::make_zip_function(op2));
    const thrust::transform_iterator<product, zip, T> products(
        thrust::make_zip_iterator(first1, first2), thrust::make_zip_function(op2));
    return host::reduce(products, n, init, op1, memory);
  } else {
    using thrust::system::detail::generic::inner_product;
    return inner_product(as_stock(policy), first1, last1, first2, init, op1, op2);
  }
}

template <class D, class It, class Pred>
distance_t<It> count_if(hindsight::host::system,
                        const execution_policy<D, hindsight::host::system>& policy, It first,
                        It last, Pred pred) {
  using count = distance_t<It>;
  if constexpr (are_random_access<It>) {
    const std::size_t n = dispatch::host_length("hindsight::count_if", first, last);
    auto memory = dispatch::memory_of(policy);
    const function::one_if<count, item_t<It>, Pred> one{pred};
    return host::transform_reduce(first, n, one, count(0), ::cuda::std::plus<count>{}, memory);
  } else {
    using thrust::system::detail::generic::count_if;
    return count_if(as_stock(policy), first, last, pred);
  }
}

}  // namespace hindsight::detail::dispatch
