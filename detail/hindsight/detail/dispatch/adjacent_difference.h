// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of neighbours: ours or stock.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/sizes.h>
#include <hindsight/detail/host/adjacent_difference.h>

#include <thrust/adjacent_difference.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/adjacent_difference.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

#if HINDSIGHT_CUDA
/// Returns the most items that there may be.
template <class D, class InputIt, class Last, class OutputIt, class Op>
std::size_t run_adjacent_difference(const cuda_policy<D>& policy, const char* name, InputIt first,
                                    Last last, OutputIt out, Op op) {
  const auto size = dispatch::size_of(first, last, name);
  const std::size_t n = detail::most_items(size);
  if (n == 0) return 0;
  run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
    return cuda::adjacent_difference(temp, bytes, first, out, size, op, stream);
  });
  return n;
}
#endif

template <class D, class InputIt, class Last, class OutputIt, class Op>
std::size_t run_adjacent_difference(const host_policy<D>& policy, const char* name, InputIt first,
                                    Last last, OutputIt out, Op op) {
  const std::size_t n =
      dispatch::host_length(name, first, dispatch::last_of(first, last, name), out);
  auto memory = dispatch::memory_of(policy);
  host::adjacent_difference(first, out, n, op, memory);
  return n;
}

template <class D, class S, class InputIt, class OutputIt, class Op>
OutputIt adjacent_difference(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                             OutputIt out, Op op) {
  if constexpr (are_random_access<InputIt, OutputIt> && copies<S, item_t<InputIt>> &&
                (!is_host<S> || host::is_cheap<item_t<InputIt>>)) {
    return detail::advanced(
        out, dispatch::run_adjacent_difference(policy, "hindsight::adjacent_difference", first,
                                               last, out, as_twin(op)));
  } else {
    using thrust::system::detail::generic::adjacent_difference;
    return adjacent_difference(as_stock(policy), first, last, out, op);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
