// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/host/scan_by_key.h>

#include <thrust/scan.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/scan_by_key.cuh>
#endif

namespace hindsight::detail::dispatch {

#if HINDSIGHT_CUDA

template <class D, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op>
OutputIt inclusive_scan_by_key(hindsight::cuda::system,
                               const execution_policy<D, hindsight::cuda::system>& policy,
                               KeyIt keys_first, KeyIt keys_last, ValueIt values, OutputIt out,
                               Equal equal, Op op) {
  using accumulator = item_t<ValueIt>;
  if constexpr (are_random_access<KeyIt, ValueIt, OutputIt> && are_copyable<item_t<KeyIt>> &&
                are_plain<accumulator>) {
    constexpr auto name = "hindsight::inclusive_scan_by_key";
    const std::size_t n = detail::length(keys_first, keys_last, name);
    if (n == 0) return out;
    run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      return detail::scan_by_key<accumulator, inclusive>(temp, bytes, keys_first, values, out, n,
                                                         equal, op, no_init{}, stream);
    });
    return detail::advanced(out, n);
  } else {
    using thrust::system::detail::generic::inclusive_scan_by_key;
    return inclusive_scan_by_key(as_stock(policy), keys_first, keys_last, values, out, equal, op);
  }
}

template <class D, class KeyIt, class ValueIt, class OutputIt, class T, class Equal, class Op>
OutputIt exclusive_scan_by_key(hindsight::cuda::system,
                               const execution_policy<D, hindsight::cuda::system>& policy,
                               KeyIt keys_first, KeyIt keys_last, ValueIt values, OutputIt out,
                               T init, Equal equal, Op op) {
  if constexpr (are_random_access<KeyIt, ValueIt, OutputIt> && are_copyable<item_t<KeyIt>> &&
                are_plain<T>) {
    constexpr auto name = "hindsight::exclusive_scan_by_key";
    const std::size_t n = detail::length(keys_first, keys_last, name);
    if (n == 0) return out;
    run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      return detail::scan_by_key<T, exclusive>(temp, bytes, keys_first, values, out, n, equal, op,
                                               init, stream);
    });
    return detail::advanced(out, n);
  } else {
    using thrust::system::detail::generic::exclusive_scan_by_key;
    return exclusive_scan_by_key(as_stock(policy), keys_first, keys_last, values, out, init, equal,
                                 op);
  }
}

#endif  // HINDSIGHT_CUDA

template <class D, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op>
OutputIt inclusive_scan_by_key(hindsight::host::system,
                               const execution_policy<D, hindsight::host::system>& policy,
                               KeyIt keys_first, KeyIt keys_last, ValueIt values, OutputIt out,
                               Equal equal, Op op) {
  if constexpr (are_random_access<KeyIt, ValueIt, OutputIt>) {
    const std::size_t n =
        dispatch::host_length("hindsight::inclusive_scan_by_key", keys_first, keys_last, values, out);
    auto memory = dispatch::memory_of(policy);
    host::inclusive_scan_by_key(keys_first, values, out, n, equal, op, memory);
    return detail::advanced(out, n);
  } else {
    using thrust::system::detail::generic::inclusive_scan_by_key;
    return inclusive_scan_by_key(as_stock(policy), keys_first, keys_last, values, out, equal, op);
  }
}

template <class D, class KeyIt, class ValueIt, class OutputIt, class T, class Equal, class Op>
OutputIt exclusive_scan_by_key(hindsight::host::system,
                               const execution_policy<D, hindsight::host::system>& policy,
                               KeyIt keys_first, KeyIt keys_last, ValueIt values, OutputIt out,
                               T init, Equal equal, Op op) {
  if constexpr (are_random_access<KeyIt, ValueIt, OutputIt>) {
    const std::size_t n =
        dispatch::host_length("hindsight::exclusive_scan_by_key", keys_first, keys_last, values, out);
    auto memory = dispatch::memory_of(policy);
    host::exclusive_scan_by_key(keys_first, values, out, n, equal, op, init, memory);
    return detail::advanced(out, n);
  } else {
    using thrust::system::detail::generic::exclusive_scan_by_key;
    return exclusive_scan_by_key(as_stock(policy), keys_first, keys_last, values, out, init, equal,
                                 op);
  }
}

}  // namespace hindsight::detail::dispatch
