// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions by key: ours or stock.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/host/reduce_by_key.h>

#include <thrust/reduce.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/reduce_by_key.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// What reduce_by_key adds by default: the output's value type, or the input's if it has none.
template <class ValueIt, class ValueOut>
using sum_by_key_t = std::conditional_t<only_writes<ValueOut>, item_t<ValueIt>, item_t<ValueOut>>;

#if HINDSIGHT_CUDA
template <class D, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal, class Op>
std::size_t run_reduce_by_key(const cuda_policy<D>& policy, const char* name, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
                              ValueOut values_out, Equal equal, Op op) {
  const std::size_t n = detail::length(keys_first, keys_last, name);
  if (n == 0) return 0;
  return run_for<std::size_t>(
      policy, name,
      [&](temporary_memory temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return cuda::reduce_by_key<item_t<ValueIt>>(temp, bytes, keys_first, values_first, keys_out,
                                                    values_out, result, n, as_twin(equal),
                                                    as_twin(op), stream);
      });
}
#endif

template <class D, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal, class Op>
std::size_t run_reduce_by_key(const host_policy<D>& policy, const char* name, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
                              ValueOut values_out, Equal equal, Op op) {
  const std::size_t n =
      dispatch::host_length(name, keys_first, keys_last, values_first, keys_out, values_out);
  auto memory = dispatch::memory_of(policy);
  return host::reduce_by_key(keys_first, values_first, keys_out, values_out, n, as_twin(equal),
                             as_twin(op), memory);
}

template <class D, class S, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal,
          class Op>
::cuda::std::pair<KeyOut, ValueOut> reduce_by_key(const execution_policy<D, S>& policy,
                                                  const char* name, KeyIt keys_first,
                                                  KeyIt keys_last, ValueIt values_first,
                                                  KeyOut keys_out, ValueOut values_out, Equal equal,
                                                  Op op) {
  if constexpr (are_random_access<KeyIt, ValueIt, KeyOut, ValueOut> && copies<S, item_t<KeyIt>> &&
                holds<S, item_t<ValueIt>>) {
    const std::size_t num_runs = dispatch::run_reduce_by_key(
        policy, name, keys_first, keys_last, values_first, keys_out, values_out, equal, op);
    return {detail::advanced(keys_out, num_runs), detail::advanced(values_out, num_runs)};
  } else {
    using thrust::system::detail::generic::reduce_by_key;
    return reduce_by_key(as_stock(policy), keys_first, keys_last, values_first, keys_out,
                         values_out, equal, op);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
