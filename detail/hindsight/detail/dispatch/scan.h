// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans: ours or stock.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/host/scan.h>

#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include <type_traits>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/scan.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

#if HINDSIGHT_CUDA
/// `init` is one value or none.
template <class Accum, class D, class InputIt, class OutputIt, class Op, class... T>
OutputIt run_inclusive(const cuda_policy<D>& policy, const char* name, InputIt first, InputIt last,
                       OutputIt out, Op op, T... init) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return out;
  const auto start = detail::value_or(cuda::no_init{}, static_cast<Accum>(init)...);
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::scan<Accum, cuda::inclusive>(temp, bytes, first, out, n, as_twin(op), start,
                                              stream);
  });
  return detail::advanced(out, n);
}

template <class D, class InputIt, class OutputIt, class T, class Op>
OutputIt run_exclusive(const cuda_policy<D>& policy, const char* name, InputIt first, InputIt last,
                       OutputIt out, T init, Op op) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return out;
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::scan<T, cuda::exclusive>(temp, bytes, first, out, n, as_twin(op), init, stream);
  });
  return detail::advanced(out, n);
}
#endif

template <class Accum, class D, class InputIt, class OutputIt, class Op, class... T>
OutputIt run_inclusive(const host_policy<D>& policy, const char* name, InputIt first, InputIt last,
                       OutputIt out, Op op, T... init) {
  const std::size_t n = dispatch::host_length(name, first, last, out);
  auto memory = dispatch::memory_of(policy);
  host::inclusive_scan<Accum>(first, out, n, as_twin(op), static_cast<Accum>(init)..., memory);
  return detail::advanced(out, n);
}

template <class D, class InputIt, class OutputIt, class T, class Op>
OutputIt run_exclusive(const host_policy<D>& policy, const char* name, InputIt first, InputIt last,
                       OutputIt out, T init, Op op) {
  const std::size_t n = dispatch::host_length(name, first, last, out);
  auto memory = dispatch::memory_of(policy);
  host::exclusive_scan<T>(first, out, n, as_twin(op), init, memory);
  return detail::advanced(out, n);
}

template <class D, class S, class InputIt, class OutputIt, class Op>
OutputIt inclusive_scan(const execution_policy<D, S>& policy, const char* name, InputIt first,
                        InputIt last, OutputIt out, Op op) {
  using accumulator = item_t<InputIt>;
  if constexpr (are_random_access<InputIt, OutputIt> && holds<S, accumulator>) {
    return dispatch::run_inclusive<accumulator>(policy, name, first, last, out, op);
  } else {
    using thrust::system::detail::generic::inclusive_scan;
    return inclusive_scan(as_stock(policy), first, last, out, op);
  }
}

template <class D, class S, class InputIt, class OutputIt, class T, class Op>
OutputIt inclusive_scan(const execution_policy<D, S>& policy, const char* name, InputIt first,
                        InputIt last, OutputIt out, T init, Op op) {
  using accumulator = accumulator_t<Op, item_t<InputIt>, T>;  // stock makes none of `init` itself
  if constexpr (are_random_access<InputIt, OutputIt> && holds<S, accumulator> &&
                std::is_constructible_v<accumulator, T> &&
                joins<S, Op, item_t<InputIt>, accumulator> &&
                (!is_host<S> || host::stands_for<item_t<InputIt>, accumulator>)) {
    return dispatch::run_inclusive<accumulator>(policy, name, first, last, out, op, init);
  } else {
    using thrust::system::detail::generic::inclusive_scan;
    return inclusive_scan(as_stock(policy), first, last, out, init, op);
  }
}

template <class D, class S, class InputIt, class OutputIt, class T, class Op>
OutputIt exclusive_scan(const execution_policy<D, S>& policy, const char* name, InputIt first,
                        InputIt last, OutputIt out, T init, Op op) {
  if constexpr (are_random_access<InputIt, OutputIt> && holds<S, T>) {
    return dispatch::run_exclusive(policy, name, first, last, out, init, op);
  } else {
    using thrust::system::detail::generic::exclusive_scan;
    return exclusive_scan(as_stock(policy), first, last, out, init, op);
  }
}

/// An iterator at `first` that gives unary(item), converted to Item.
template <class Item, class InputIt, class Unary>
thrust::transform_iterator<twin_t<Unary>, InputIt, Item, Item> seen_as(InputIt first, Unary unary) {
  return {first, as_twin(unary)};
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
