// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least and the greatest item: ours or stock.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/host/extrema.h>

#include <thrust/extrema.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/extrema.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

#if HINDSIGHT_CUDA
struct place_pair {
  std::size_t least, greatest;
};

/// What `pick` picks: one place, or two. The range is not empty.
template <class Places, class Found, class D, class It, class Pick>
Places run_pick(const cuda_policy<D>& policy, const char* name, It first, std::size_t n,
                Pick pick) {
  return run_for<Places>(
      policy, name, [&](temporary_memory temp, std::size_t& bytes, Places* result, auto stream) {
        const cuda::write_place write{reinterpret_cast<std::size_t*>(result)};
        return cuda::extremum<Found>(temp, bytes, first, n, pick, write, stream);
      });
}

template <class D, class It, class Pick>
It run_pick_element(const cuda_policy<D>& policy, const char* name, It first, It last, Pick pick) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return last;
  return detail::advanced(
      first, dispatch::run_pick<std::size_t, cuda::placed_of<It>>(policy, name, first, n, pick));
}
template <class D, class It, class Less>
It run_min_element(const cuda_policy<D>& policy, const char* name, It first, It last, Less less) {
  return dispatch::run_pick_element(policy, name, first, last, cuda::pick_least<Less>{less});
}
template <class D, class It, class Less>
It run_max_element(const cuda_policy<D>& policy, const char* name, It first, It last, Less less) {
  return dispatch::run_pick_element(policy, name, first, last, cuda::pick_greatest<Less>{less});
}
template <class D, class It, class Less>
::cuda::std::pair<It, It> run_minmax_element(const cuda_policy<D>& policy, const char* name,
                                             It first, It last, Less less) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return {last, last};
  const cuda::pick_both<Less> pick{{less}, {less}};
  const auto places = dispatch::run_pick<place_pair, cuda::placed_pair<cuda::placed_of<It>>>(
      policy, name, first, n, pick);
  return {detail::advanced(first, places.least), detail::advanced(first, places.greatest)};
}
#endif

template <class D, class It, class Less>
It run_min_element(const host_policy<D>& policy, const char* name, It first, It last, Less less) {
  const std::size_t n = dispatch::host_length(name, first, last);
  if (n == 0) return last;
  auto memory = dispatch::memory_of(policy);
  return detail::advanced(first, host::min_element(first, n, less, memory));
}
template <class D, class It, class Less>
It run_max_element(const host_policy<D>& policy, const char* name, It first, It last, Less less) {
  const std::size_t n = dispatch::host_length(name, first, last);
  if (n == 0) return last;
  auto memory = dispatch::memory_of(policy);
  return detail::advanced(first, host::max_element(first, n, less, memory));
}
template <class D, class It, class Less>
::cuda::std::pair<It, It> run_minmax_element(const host_policy<D>& policy, const char* name,
                                             It first, It last, Less less) {
  const std::size_t n = dispatch::host_length(name, first, last);
  if (n == 0) return {last, last};
  auto memory = dispatch::memory_of(policy);
  const auto places = host::minmax_element(first, n, less, memory);
  return {detail::advanced(first, places.least), detail::advanced(first, places.greatest)};
}

template <class D, class S, class It, class Less>
It min_element(const execution_policy<D, S>& policy, It first, It last, Less less) {
  if constexpr (are_random_access<It> && holds<S, item_t<It>>) {
    return dispatch::run_min_element(policy, "hindsight::min_element", first, last, as_twin(less));
  } else {
    using thrust::system::detail::generic::min_element;
    return min_element(as_stock(policy), first, last, less);
  }
}

template <class D, class S, class It, class Less>
It max_element(const execution_policy<D, S>& policy, It first, It last, Less less) {
  if constexpr (are_random_access<It> && holds<S, item_t<It>>) {
    return dispatch::run_max_element(policy, "hindsight::max_element", first, last, as_twin(less));
  } else {
    using thrust::system::detail::generic::max_element;
    return max_element(as_stock(policy), first, last, less);
  }
}

template <class D, class S, class It, class Less>
::cuda::std::pair<It, It> minmax_element(const execution_policy<D, S>& policy, It first, It last,
                                         Less less) {
  if constexpr (are_random_access<It> && holds<S, item_t<It>>) {
    return dispatch::run_minmax_element(policy, "hindsight::minmax_element", first, last,
                                        as_twin(less));
  } else {
    using thrust::system::detail::generic::minmax_element;
    return minmax_element(as_stock(policy), first, last, less);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
