// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functors that ask for items that are not const, such as `[](int& a, int& b) { return a + b; }`.
// Calls of one range take them. What ranks gather is const, and shards are read as const items.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/host/operands.h>

#include <type_traits>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// Calls a functor with copies of its operands.
template <class F>
struct on_copies {
  mutable F f;
  _CCCL_EXEC_CHECK_DISABLE
  template <class... Operands>
  HINDSIGHT_HD auto operator()(Operands... operands) const {
    return f(operands...);
  }
};

/// `f`, as it can be called with const operands of these types.
template <class... Operands, class F>
auto takes_const(F f) {
  if constexpr (host::has_one_call<F>::value && !std::is_invocable_v<F&, const Operands&...> &&
                std::is_invocable_v<F&, Operands&...>) {
    return on_copies<F>{f};
  } else {
    return f;
  }
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
