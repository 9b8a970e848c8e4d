// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/host/scan.h>

#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/scan.cuh>
#endif

namespace hindsight::detail::dispatch {

#if HINDSIGHT_CUDA

template <class Accum, class Kind, class D, class InputIt, class OutputIt, class Op, class Init>
OutputIt run_scan(const execution_policy<D, hindsight::cuda::system>& policy, const char* name,
                  InputIt first, InputIt last, OutputIt out, Op op, Init init) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return out;
  run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
    return detail::scan<Accum, Kind>(temp, bytes, first, out, n, op, init, stream);
  });
  return detail::advanced(out, n);
}

template <class D, class InputIt, class OutputIt, class Op>
OutputIt inclusive_scan(hindsight::cuda::system,
                        const execution_policy<D, hindsight::cuda::system>& policy, InputIt first,
                        InputIt last, OutputIt out, Op op) {
  using accumulator = item_t<InputIt>;
  if constexpr (are_random_access<InputIt, OutputIt> && are_plain<accumulator>) {
    return run_scan<accumulator, inclusive>(policy, "hindsight::inclusive_scan", first, last, out,
                                            op, no_init{});
  } else {
    using thrust::system::detail::generic::inclusive_scan;
    return inclusive_scan(as_stock(policy), first, last, out, op);
  }
}

template <class D, class InputIt, class OutputIt, class T, class Op>
OutputIt inclusive_scan(hindsight::cuda::system,
                        const execution_policy<D, hindsight::cuda::system>& policy, InputIt first,
                        InputIt last, OutputIt out, T init, Op op) {
  using accumulator = accumulator_t<Op, item_t<InputIt>, T>;
  if constexpr (are_random_access<InputIt, OutputIt> && are_plain<accumulator>) {
    return run_scan<accumulator, inclusive>(policy, "hindsight::inclusive_scan", first, last, out,
                                            op, static_cast<accumulator>(init));
  } else {
    using thrust::system::detail::generic::inclusive_scan;
    return inclusive_scan(as_stock(policy), first, last, out, init, op);
  }
}

template <class D, class InputIt, class OutputIt, class T, class Op>
OutputIt exclusive_scan(hindsight::cuda::system,
                        const execution_policy<D, hindsight::cuda::system>& policy, InputIt first,
                        InputIt last, OutputIt out, T init, Op op) {
  if constexpr (are_random_access<InputIt, OutputIt> && are_plain<T>) {
    return run_scan<T, exclusive>(policy, "hindsight::exclusive_scan", first, last, out, op, init);
  } else {
    using thrust::system::detail::generic::exclusive_scan;
    return exclusive_scan(as_stock(policy), first, last, out, init, op);
  }
}

#endif  // HINDSIGHT_CUDA

template <class D, class InputIt, class OutputIt, class Op>
OutputIt inclusive_scan(hindsight::host::system,
                        const execution_policy<D, hindsight::host::system>& policy, InputIt first,
                        InputIt last, OutputIt out, Op op) {
  if constexpr (are_random_access<InputIt, OutputIt>) {
    const std::size_t n = dispatch::host_length("hindsight::inclusive_scan", first, last, out);
    auto memory = dispatch::memory_of(policy);
    host::inclusive_scan<item_t<InputIt>>(first, out, n, op, memory);
    return detail::advanced(out, n);
  } else {
    using thrust::system::detail::generic::inclusive_scan;
    return inclusive_scan(as_stock(policy), first, last, out, op);
  }
}

template <class D, class InputIt, class OutputIt, class T, class Op>
OutputIt inclusive_scan(hindsight::host::system,
                        const execution_policy<D, hindsight::host::system>& policy, InputIt first,
                        InputIt last, OutputIt out, T init, Op op) {
  if constexpr (are_random_access<InputIt, OutputIt>) {
    const std::size_t n = dispatch::host_length("hindsight::inclusive_scan", first, last, out);
    auto memory = dispatch::memory_of(policy);
    host::inclusive_scan<accumulator_t<Op, item_t<InputIt>, T>>(first, out, n, op, init, memory);
    return detail::advanced(out, n);
  } else {
    using thrust::system::detail::generic::inclusive_scan;
    return inclusive_scan(as_stock(policy), first, last, out, init, op);
  }
}

template <class D, class InputIt, class OutputIt, class T, class Op>
OutputIt exclusive_scan(hindsight::host::system,
                        const execution_policy<D, hindsight::host::system>& policy, InputIt first,
                        InputIt last, OutputIt out, T init, Op op) {
  if constexpr (are_random_access<InputIt, OutputIt>) {
    const std::size_t n = dispatch::host_length("hindsight::exclusive_scan", first, last, out);
    auto memory = dispatch::memory_of(policy);
    host::exclusive_scan<T>(first, out, n, op, init, memory);
    return detail::advanced(out, n);
  } else {
    using thrust::system::detail::generic::exclusive_scan;
    return exclusive_scan(as_stock(policy), first, last, out, init, op);
  }
}

/// `first`, seen through `unary`, whose results are taken as Items.
template <class Item, class InputIt, class Unary>
thrust::transform_iterator<Unary, InputIt, Item, Item> seen_as(InputIt first, Unary unary) {
  return {first, unary};
}

/// What a transform_inclusive_scan scans.
template <class InputIt, class Unary>
using transformed_t = std::decay_t<::cuda::std::invoke_result_t<Unary&, item_t<InputIt>>>;

}  // namespace hindsight::detail::dispatch
