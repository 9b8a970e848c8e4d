// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-length encoding: ours or stock's recipe.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/reduce_by_key.h>
#include <hindsight/detail/host/run_length_encode.h>

#include <thrust/reduce.h>
#include <thrust/version.h>

#if THRUST_VERSION < 300100
#  include <thrust/iterator/constant_iterator.h>
#else
#  include <cuda/iterator>
#endif

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/run_length_encode.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// The type of a run's length: what the output holds, else a difference of input iterators.
template <class InputIt, class CountsOut>
using run_length_t =
    std::conditional_t<only_writes<CountsOut>, distance_t<InputIt>, item_t<CountsOut>>;

#if THRUST_VERSION < 300100  // later ones deprecate the former
using thrust::constant_iterator;
#else
using ::cuda::constant_iterator;
#endif

/// An iterator over ones: a run's length is their sum.
template <class InputIt, class CountsOut>
HINDSIGHT_HD auto ones() {
  return constant_iterator<run_length_t<InputIt, CountsOut>>(1);
}

/// Stock's recipe, with any policy.
_CCCL_EXEC_CHECK_DISABLE
template <class Policy, class InputIt, class UniqueOut, class CountsOut, class Equal>
HINDSIGHT_HD ::cuda::std::pair<UniqueOut, CountsOut> run_length_recipe(const Policy& policy,
                                                                       InputIt first, InputIt last,
                                                                       UniqueOut unique_out,
                                                                       CountsOut counts_out,
                                                                       Equal equal) {
  return thrust::reduce_by_key(policy, first, last, ones<InputIt, CountsOut>(), unique_out,
                               counts_out, equal);
}

#if HINDSIGHT_CUDA
template <class D, class InputIt, class UniqueOut, class CountsOut, class Equal>
std::size_t run_encode(const cuda_policy<D>& policy, const char* name, InputIt first, InputIt last,
                       UniqueOut unique_out, CountsOut counts_out, Equal equal) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return 0;
  return run_for<std::size_t>(
      policy, name,
      [&](temporary_memory temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return cuda::run_length_encode(temp, bytes, first, unique_out, counts_out, result, n,
                                       as_twin(equal), stream);
      });
}
#endif

template <class D, class InputIt, class UniqueOut, class CountsOut, class Equal>
std::size_t run_encode(const host_policy<D>& policy, const char* name, InputIt first, InputIt last,
                       UniqueOut unique_out, CountsOut counts_out, Equal equal) {
  detail::require_call_operators<Equal>();
  const std::size_t n = dispatch::host_length(name, first, last, unique_out, counts_out);
  auto memory = dispatch::memory_of(policy);
  using known = twin_t<Equal>;
  if constexpr (std::is_same_v<known, ::cuda::std::equal_to<item_t<InputIt>>> ||
                std::is_same_v<known, ::cuda::std::equal_to<>>) {
    return host::run_length_encode(first, n, unique_out, counts_out, memory);
  } else {
    using sum = ::cuda::std::plus<run_length_t<InputIt, CountsOut>>;
    return host::reduce_by_key(first, ones<InputIt, CountsOut>(), unique_out, counts_out, n, equal,
                               sum{}, memory);
  }
}

template <class D, class S, class InputIt, class UniqueOut, class CountsOut, class Equal>
::cuda::std::pair<UniqueOut, CountsOut> run_length_encode(const execution_policy<D, S>& policy,
                                                          InputIt first, InputIt last,
                                                          UniqueOut unique_out,
                                                          CountsOut counts_out, Equal equal) {
  if constexpr (are_random_access<InputIt, UniqueOut, CountsOut> && copies<S, item_t<InputIt>>) {
    const std::size_t num_runs = dispatch::run_encode(policy, "hindsight::run_length_encode", first,
                                                      last, unique_out, counts_out, equal);
    return {detail::advanced(unique_out, num_runs), detail::advanced(counts_out, num_runs)};
  } else {
    return run_length_recipe(derived(policy), first, last, unique_out, counts_out, equal);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
