// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first item of every run: ours or stock.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/reduce.h>
#include <hindsight/detail/dispatch/require.h>
#include <hindsight/detail/host/select.h>

#include <thrust/iterator/zip_iterator.h>
#include <thrust/unique.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/select.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

#if HINDSIGHT_CUDA
/// `out` may be first.
template <class D, class InputIt, class OutputIt, class Equal>
std::size_t run_unique(const cuda_policy<D>& policy, const char* name, InputIt first, std::size_t n,
                       OutputIt out, Equal equal) {
  if (n == 0) return 0;
  return run_for<std::size_t>(
      policy, name,
      [&](temporary_memory temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return cuda::unique(temp, bytes, first, out, result, n, equal, stream);
      });
}

template <class D, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
std::size_t run_unique_by_key(const cuda_policy<D>& policy, const char* name, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
                              ValueOut values_out, Equal equal) {
  const std::size_t n = detail::length(keys_first, keys_last, name);
  return dispatch::run_unique(
      policy, name, thrust::make_zip_iterator(cuda::unwrap(keys_first), cuda::unwrap(values_first)),
      n, thrust::make_zip_iterator(cuda::unwrap(keys_out), cuda::unwrap(values_out)),
      function::on_keys<twin_t<Equal>>{as_twin(equal)});
}

/// In place.
template <class D, class KeyIt, class ValueIt, class Equal>
std::size_t run_unique_by_key(const cuda_policy<D>& policy, const char* name, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first, Equal equal) {
  return dispatch::run_unique_by_key(policy, name, keys_first, keys_last, values_first, keys_first,
                                     values_first, equal);
}

template <class D, class InputIt, class OutputIt, class Equal>
std::size_t run_unique_copy(const cuda_policy<D>& policy, const char* name, InputIt first,
                            InputIt last, OutputIt out, Equal equal) {
  const std::size_t n = detail::length(first, last, name);
  return dispatch::run_unique(policy, name, first, n, out, as_twin(equal));
}

/// Counts the neighbours that differ.
template <class D, class It, class Equal>
distance_t<It> run_unique_count(const cuda_policy<D>& policy, const char* name, It first, It last,
                                Equal equal) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return 0;
  const auto neighbours = thrust::make_zip_iterator(first, first + 1);
  const function::differ<Equal> differ{equal};
  return 1 +
         dispatch::count_if(policy, name, neighbours, detail::advanced(neighbours, n - 1), differ);
}
#endif

template <class D, class It, class Equal>
distance_t<It> run_unique_count(const host_policy<D>& policy, const char* name, It first, It last,
                                Equal equal) {
  const std::size_t n = dispatch::host_length(name, first, last);
  auto memory = dispatch::memory_of(policy);
  return host::unique_count<distance_t<It>>(first, n, equal, memory);
}

template <class D, class InputIt, class OutputIt, class Equal>
std::size_t run_unique_copy(const host_policy<D>& policy, const char* name, InputIt first,
                            InputIt last, OutputIt out, Equal equal) {
  const std::size_t n = dispatch::host_length(name, first, last, out);
  auto memory = dispatch::memory_of(policy);
  return host::unique_by_key(first, host::that_copies(first), out, n, as_twin(equal), memory);
}

/// Nothing overlaps. Keys are read twice.
template <class D, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
std::size_t run_unique_by_key(const host_policy<D>& policy, const char* name, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
                              ValueOut values_out, Equal equal) {
  const std::size_t n =
      dispatch::host_length(name, keys_first, keys_last, values_first, keys_out, values_out);
  auto memory = dispatch::memory_of(policy);
  host::unique_by_key(keys_first, values_first, values_out, n, as_twin(equal), memory);
  return dispatch::run_unique_copy(policy, name, keys_first, keys_last, keys_out, equal);
}

template <class D, class KeyIt, class ValueIt, class Equal>
std::size_t run_unique_by_key(const host_policy<D>& policy, const char* name, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first, Equal equal) {
  const std::size_t n = dispatch::host_length(name, keys_first, keys_last, values_first);
  auto memory = dispatch::memory_of(policy);
  return host::unique_pairs(keys_first, values_first, n, as_twin(equal), memory);
}

template <class D, class S, class It, class Equal>
It unique(const execution_policy<D, S>& policy, It first, It last, Equal equal) {
  if constexpr (!require_writable<It>()) {
    return first;
  } else if constexpr (are_random_access<It> && copies<S, item_t<It>> &&
                       (!is_host<S> || host::is_cheap<item_t<It>>)) {
    const std::size_t num_runs =
        dispatch::run_unique_copy(policy, "hindsight::unique", first, last, first, equal);
    return detail::advanced(first, num_runs);
  } else {
    using thrust::system::detail::generic::unique;
    return unique(as_stock(policy), first, last, equal);
  }
}

template <class D, class S, class InputIt, class OutputIt, class Equal>
OutputIt unique_copy(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                     OutputIt out, Equal equal) {
  if constexpr (are_random_access<InputIt, OutputIt> && copies<S, item_t<InputIt>>) {
    const std::size_t num_runs =
        dispatch::run_unique_copy(policy, "hindsight::unique_copy", first, last, out, equal);
    return detail::advanced(out, num_runs);
  } else {
    using thrust::system::detail::generic::unique_copy;
    return unique_copy(as_stock(policy), first, last, out, equal);
  }
}

template <class D, class S, class KeyIt, class ValueIt, class Equal>
::cuda::std::pair<KeyIt, ValueIt> unique_by_key(const execution_policy<D, S>& policy,
                                                KeyIt keys_first, KeyIt keys_last,
                                                ValueIt values_first, Equal equal) {
  if constexpr (!require_writable<KeyIt>() || !require_writable<ValueIt>()) {
    return {keys_first, values_first};
  } else if constexpr (are_random_access<KeyIt, ValueIt> &&
                       copies<S, item_t<KeyIt>, item_t<ValueIt>> &&
                       (!is_host<S> ||
                        (host::is_cheap<item_t<KeyIt>> && host::is_cheap<item_t<ValueIt>>))) {
    const std::size_t num_runs = dispatch::run_unique_by_key(
        policy, "hindsight::unique_by_key", keys_first, keys_last, values_first, equal);
    return {detail::advanced(keys_first, num_runs), detail::advanced(values_first, num_runs)};
  } else {
    using thrust::system::detail::generic::unique_by_key;
    return unique_by_key(as_stock(policy), keys_first, keys_last, values_first, equal);
  }
}

template <class D, class S, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(const execution_policy<D, S>& policy,
                                                       KeyIt keys_first, KeyIt keys_last,
                                                       ValueIt values_first, KeyOut keys_out,
                                                       ValueOut values_out, Equal equal) {
  if constexpr (are_random_access<KeyIt, ValueIt, KeyOut, ValueOut> &&
                copies<S, item_t<KeyIt>, item_t<ValueIt>>) {
    const std::size_t num_runs =
        dispatch::run_unique_by_key(policy, "hindsight::unique_by_key_copy", keys_first, keys_last,
                                    values_first, keys_out, values_out, equal);
    return {detail::advanced(keys_out, num_runs), detail::advanced(values_out, num_runs)};
  } else {
    using thrust::system::detail::generic::unique_by_key_copy;
    return unique_by_key_copy(as_stock(policy), keys_first, keys_last, values_first, keys_out,
                              values_out, equal);
  }
}

template <class D, class S, class It, class Equal>
distance_t<It> unique_count(const execution_policy<D, S>& policy, It first, It last, Equal equal) {
  if constexpr (are_random_access<It> && copies<S, item_t<It>>) {
    return dispatch::run_unique_count(policy, "hindsight::unique_count", first, last,
                                      as_twin(equal));
  } else {
    using thrust::system::detail::generic::unique_count;
    return unique_count(as_stock(policy), first, last, equal);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
