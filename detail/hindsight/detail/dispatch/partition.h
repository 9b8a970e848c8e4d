// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/host/partition.h>

#include <thrust/partition.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/select.cuh>
#endif

namespace hindsight::detail::dispatch {

template <class TrueIt, class FalseIt>
::cuda::std::pair<TrueIt, FalseIt> ends_of_partition(TrueIt out_true, FalseIt out_false,
                                                     std::size_t n, std::size_t num_true) {
  return {detail::advanced(out_true, num_true), detail::advanced(out_false, n - num_true)};
}

#if HINDSIGHT_CUDA

/// `stencil` may be input_is_stencil.
template <class Order, class D, class It, class StencilIt, class Pred>
It run_partition(const execution_policy<D, hindsight::cuda::system>& policy, const char* name,
                 It first, It last, StencilIt stencil, Pred pred) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return first;
  const std::size_t count = run_for<std::size_t>(
      policy, name, [&](void* temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return detail::partition_in_place<Order>(temp, bytes, first, stencil, result, n, pred,
                                                 stream);
      });
  return detail::advanced(first, count);
}

template <class D, class InputIt, class StencilIt, class TrueIt, class FalseIt, class Pred>
::cuda::std::pair<TrueIt, FalseIt> run_partition_copy(
    const execution_policy<D, hindsight::cuda::system>& policy, const char* name, InputIt first,
    InputIt last, StencilIt stencil, TrueIt out_true, FalseIt out_false, Pred pred) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return {out_true, out_false};
  const auto rejected = unwrap(out_false);
  const keep_rejected<std::remove_const_t<decltype(rejected)>> keep{rejected};
  const std::size_t count = run_for<std::size_t>(
      policy, name, [&](void* temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return detail::select(temp, bytes, first, stencil, out_true, keep, result, n, pred, stream);
      });
  return ends_of_partition(out_true, out_false, n, count);
}

template <class D, class It, class Pred>
It partition(hindsight::cuda::system, const execution_policy<D, hindsight::cuda::system>& policy,
             It first, It last, Pred pred) {
  if constexpr (are_random_access<It> && are_copyable<item_t<It>>) {
    return run_partition<from_the_end>(policy, "hindsight::partition", first, last,
                                       input_is_stencil{}, pred);
  } else {
    using thrust::system::detail::generic::partition;
    return partition(as_stock(policy), first, last, pred);
  }
}

template <class D, class It, class StencilIt, class Pred>
It partition(hindsight::cuda::system, const execution_policy<D, hindsight::cuda::system>& policy,
             It first, It last, StencilIt stencil, Pred pred) {
  if constexpr (are_random_access<It, StencilIt> && are_copyable<item_t<It>, item_t<StencilIt>>) {
    return run_partition<from_the_end>(policy, "hindsight::partition", first, last, stencil, pred);
  } else {
    using thrust::system::detail::generic::partition;
    return partition(as_stock(policy), first, last, stencil, pred);
  }
}

template <class D, class It, class Pred>
It stable_partition(hindsight::cuda::system,
                    const execution_policy<D, hindsight::cuda::system>& policy, It first, It last,
                    Pred pred) {
  if constexpr (are_random_access<It> && are_copyable<item_t<It>>) {
    return run_partition<in_input_order>(policy, "hindsight::stable_partition", first, last,
                                         input_is_stencil{}, pred);
  } else {
    using thrust::system::detail::generic::stable_partition;
    return stable_partition(as_stock(policy), first, last, pred);
  }
}

template <class D, class It, class StencilIt, class Pred>
It stable_partition(hindsight::cuda::system,
                    const execution_policy<D, hindsight::cuda::system>& policy, It first, It last,
                    StencilIt stencil, Pred pred) {
  if constexpr (are_random_access<It, StencilIt> && are_copyable<item_t<It>, item_t<StencilIt>>) {
    return run_partition<in_input_order>(policy, "hindsight::stable_partition", first, last,
                                         stencil, pred);
  } else {
    using thrust::system::detail::generic::stable_partition;
    return stable_partition(as_stock(policy), first, last, stencil, pred);
  }
}

template <class D, class InputIt, class TrueIt, class FalseIt, class Pred>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    hindsight::cuda::system, const execution_policy<D, hindsight::cuda::system>& policy,
    InputIt first, InputIt last, TrueIt out_true, FalseIt out_false, Pred pred) {
  if constexpr (are_random_access<InputIt, TrueIt, FalseIt> && are_copyable<item_t<InputIt>>) {
    return run_partition_copy(policy, "hindsight::partition_copy", first, last, input_is_stencil{},
                              out_true, out_false, pred);
  } else {
    using thrust::system::detail::generic::stable_partition_copy;
    return stable_partition_copy(as_stock(policy), first, last, out_true, out_false, pred);
  }
}

template <class D, class InputIt, class StencilIt, class TrueIt, class FalseIt, class Pred>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    hindsight::cuda::system, const execution_policy<D, hindsight::cuda::system>& policy,
    InputIt first, InputIt last, StencilIt stencil, TrueIt out_true, FalseIt out_false, Pred pred) {
  if constexpr (are_random_access<InputIt, StencilIt, TrueIt, FalseIt> &&
                are_copyable<item_t<InputIt>, item_t<StencilIt>>) {
    return run_partition_copy(policy, "hindsight::partition_copy", first, last, stencil, out_true,
                              out_false, pred);
  } else {
    using thrust::system::detail::generic::stable_partition_copy;
    return stable_partition_copy(as_stock(policy), first, last, stencil, out_true, out_false, pred);
  }
}

#endif  // HINDSIGHT_CUDA

template <class D, class It, class StencilIt, class Pred>
It stable_partition(hindsight::host::system,
                    const execution_policy<D, hindsight::host::system>& policy, It first, It last,
                    StencilIt stencil, Pred pred) {
  if constexpr (are_random_access<It, StencilIt>) {
    const std::size_t n =
        dispatch::host_length("hindsight::stable_partition", first, last, stencil);
    auto memory = dispatch::memory_of(policy);
    return detail::advanced(first, host::stable_partition(first, stencil, n, pred, memory));
  } else {
    using thrust::system::detail::generic::stable_partition;
    return stable_partition(as_stock(policy), first, last, stencil, pred);
  }
}

template <class D, class It, class Pred>
It stable_partition(hindsight::host::system,
                    const execution_policy<D, hindsight::host::system>& policy, It first, It last,
                    Pred pred) {
  if constexpr (are_random_access<It>) {
    const std::size_t n = dispatch::host_length("hindsight::stable_partition", first, last);
    auto memory = dispatch::memory_of(policy);
    return detail::advanced(first, host::stable_partition(first, first, n, pred, memory));
  } else {
    using thrust::system::detail::generic::stable_partition;
    return stable_partition(as_stock(policy), first, last, pred);
  }
}

/// Keeps the order of both parts, which Thrust leaves open.
template <class D, class It, class... Args>
It partition(hindsight::host::system tag,
             const execution_policy<D, hindsight::host::system>& policy, It first, It last,
             Args... args) {
  return dispatch::stable_partition(tag, policy, first, last, args...);
}

template <class D, class InputIt, class StencilIt, class TrueIt, class FalseIt, class Pred>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    hindsight::host::system, const execution_policy<D, hindsight::host::system>& policy,
    InputIt first, InputIt last, StencilIt stencil, TrueIt out_true, FalseIt out_false, Pred pred) {
  if constexpr (are_random_access<InputIt, StencilIt, TrueIt, FalseIt>) {
    const std::size_t n = dispatch::host_length("hindsight::partition_copy", first, last, stencil,
                                                out_true, out_false);
    auto memory = dispatch::memory_of(policy);
    const std::size_t count =
        host::partition_copy(first, stencil, out_true, out_false, n, pred, memory);
    return ends_of_partition(out_true, out_false, n, count);
  } else {
    using thrust::system::detail::generic::stable_partition_copy;
    return stable_partition_copy(as_stock(policy), first, last, stencil, out_true, out_false, pred);
  }
}

template <class D, class InputIt, class TrueIt, class FalseIt, class Pred>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    hindsight::host::system, const execution_policy<D, hindsight::host::system>& policy,
    InputIt first, InputIt last, TrueIt out_true, FalseIt out_false, Pred pred) {
  if constexpr (are_random_access<InputIt, TrueIt, FalseIt>) {
    const std::size_t n =
        dispatch::host_length("hindsight::partition_copy", first, last, out_true, out_false);
    auto memory = dispatch::memory_of(policy);
    const std::size_t count =
        host::partition_copy(first, first, out_true, out_false, n, pred, memory);
    return ends_of_partition(out_true, out_false, n, count);
  } else {
    using thrust::system::detail::generic::stable_partition_copy;
    return stable_partition_copy(as_stock(policy), first, last, out_true, out_false, pred);
  }
}

}  // namespace hindsight::detail::dispatch
