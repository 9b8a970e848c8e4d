// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call of several steps needs, on either system: temporary memory between its steps, and one
// wait at its end.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>

#include <cstddef>

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// use(array), where the array is [n] Ts of the policy's temporary memory, not initialised.
template <class T, class D, class System, class Use>
void with_temporary(const execution_policy<D, System>& policy, std::size_t n, const char* name,
                    Use use) {
  if constexpr (is_host<System>) {
    T* array = nullptr;
    auto memory = dispatch::memory_of(policy);
    const host::scratch room{memory, [&](carver& space) { array = space.take<T>(n); }};
    use(array);
  } else {
#if HINDSIGHT_CUDA
    detail::require_usable_stream(detail::stream_of(policy), name);
    temporary<T, D> array(policy, n, name);
    use(array.data());
#endif
  }
  (void)name;
}

/// The policy of each step of a call but the last one, which waits for all of them. A policy with
/// memory of its own waits after each step: its memory may know of no streams.
template <class D, class System>
decltype(auto) without_wait(const execution_policy<D, System>& policy) {
#if HINDSIGHT_CUDA
  if constexpr (!is_host<System>) {
    if constexpr (uses_pool<D>) {
      return hindsight::cuda::on_stream_nosync{detail::stream_of(policy)};
    } else {
      return derived(policy);
    }
  } else
#endif
    return derived(policy);
}

/// For calls that return a value only after several steps: throws before the first one if the
/// stream is captured.
template <class D, class System>
void require_no_capture(const execution_policy<D, System>& policy, const char* name) {
#if HINDSIGHT_CUDA
  if constexpr (!is_host<System>) {
    detail::require_gpu(name);
    detail::refuse_capture(detail::stream_of(policy), name);
  }
#endif
  (void)policy, (void)name;
}

/// Waits for what is under way in the policy's stream. Calls that copy a container need this: the
/// copy is made in the default stream, which may not wait for others.
template <class D, class System>
void wait_for_input(const execution_policy<D, System>& policy, const char* name) {
  dispatch::require_no_capture(policy, name);
#if HINDSIGHT_CUDA
  if constexpr (!is_host<System>)
    throw_on_error(cudaStreamSynchronize(detail::stream_of(policy)), name);
#endif
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch

namespace hindsight::detail {

// For calls that return containers: they call the other families.
using dispatch::require_no_capture;
using dispatch::wait_for_input;

}  // namespace hindsight::detail
