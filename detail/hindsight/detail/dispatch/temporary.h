// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of temporary memory of a policy of either system.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>

#include <cstddef>

namespace hindsight::detail::dispatch {

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
    detail::require_gpu(name);
    detail::refuse_older_error(name);
    temporary<T, D> array(policy, n, name);
    use(array.data());
#endif
  }
  (void)name;
}

}  // namespace hindsight::detail::dispatch
