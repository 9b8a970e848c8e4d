// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by key: ours or stock.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/sizes.h>
#include <hindsight/detail/host/scan_by_key.h>

#include <thrust/scan.h>

#include <tuple>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/scan_by_key.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

#if HINDSIGHT_CUDA
/// Returns the end of the most items that there may be.
template <class D, class KeyIt, class Last, class ValueIt, class OutputIt, class Equal, class Op,
          class... T>
OutputIt run_by_key(const cuda_policy<D>& policy, const char* name, KeyIt keys_first,
                    Last keys_last, ValueIt values, OutputIt out, Equal equal, Op op, T... init) {
  const auto size = dispatch::size_of(keys_first, keys_last, name);
  const std::size_t n = detail::most_items(size);
  if (n == 0) return out;
  using kind = std::conditional_t<sizeof...(T) == 0, cuda::inclusive, cuda::exclusive>;
  using accumulator = std::tuple_element_t<0, std::tuple<T..., item_t<ValueIt>>>;
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::scan_by_key<accumulator, kind>(temp, bytes, keys_first, values, out, size,
                                                as_twin(equal), as_twin(op),
                                                detail::value_or(cuda::no_init{}, init...), stream);
  });
  return detail::advanced(out, n);
}
#endif

/// `init` is one value, and the scan exclusive, or there is none.
template <class D, class KeyIt, class Last, class ValueIt, class OutputIt, class Equal, class Op,
          class... T>
OutputIt run_by_key(const host_policy<D>& policy, const char* name, KeyIt keys_first,
                    Last keys_last, ValueIt values, OutputIt out, Equal equal, Op op, T... init) {
  const std::size_t n = dispatch::host_length(
      name, keys_first, dispatch::last_of(keys_first, keys_last, name), values, out);
  auto memory = dispatch::memory_of(policy);
  if constexpr (sizeof...(T) == 0) {
    host::inclusive_scan_by_key(keys_first, values, out, n, as_twin(equal), as_twin(op), memory);
  } else {
    host::exclusive_scan_by_key(keys_first, values, out, n, as_twin(equal), as_twin(op), init...,
                                memory);
  }
  return detail::advanced(out, n);
}

template <class D, class S, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op>
OutputIt inclusive_scan_by_key(const execution_policy<D, S>& policy, const char* name,
                               KeyIt keys_first, KeyIt keys_last, ValueIt values, OutputIt out,
                               Equal equal, Op op) {
  if constexpr (are_random_access<KeyIt, ValueIt, OutputIt> && copies<S, item_t<KeyIt>> &&
                holds<S, item_t<ValueIt>>) {
    return dispatch::run_by_key(policy, name, keys_first, keys_last, values, out, equal, op);
  } else {
    using thrust::system::detail::generic::inclusive_scan_by_key;
    return inclusive_scan_by_key(as_stock(policy), keys_first, keys_last, values, out, equal, op);
  }
}

template <class D, class S, class KeyIt, class ValueIt, class OutputIt, class T, class Equal,
          class Op>
OutputIt exclusive_scan_by_key(const execution_policy<D, S>& policy, const char* name,
                               KeyIt keys_first, KeyIt keys_last, ValueIt values, OutputIt out,
                               T init, Equal equal, Op op) {
  if constexpr (are_random_access<KeyIt, ValueIt, OutputIt> && copies<S, item_t<KeyIt>> &&
                holds<S, T>) {
    return dispatch::run_by_key(policy, name, keys_first, keys_last, values, out, equal, op, init);
  } else {
    using thrust::system::detail::generic::exclusive_scan_by_key;
    return exclusive_scan_by_key(as_stock(policy), keys_first, keys_last, values, out, init, equal,
                                 op);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
