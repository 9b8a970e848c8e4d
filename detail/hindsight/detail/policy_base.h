// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base of every policy, and the two systems that policies name.
#pragma once

#include <hindsight/detail/config.h>

#include <thrust/detail/execution_policy.h>
#include <thrust/execution_policy.h>

#include <type_traits>

namespace hindsight {

/// Base of every hindsight policy. `System` is cuda::system or host::system: the engine that runs
/// the algorithms, and the stock backend of all others.
template <class Derived, class System>
struct execution_policy : System::template stock_policy<Derived> {};

namespace detail {

template <class Derived, class System>
HINDSIGHT_HD Derived& derived(const execution_policy<Derived, System>& policy) {
  return const_cast<Derived&>(static_cast<const Derived&>(policy));
}

/// The same policy seen as its stock base: with this static type no hindsight overload is viable,
/// so Thrust's own implementation runs, on the same stream and with the same allocator.
template <class Derived, class System>
HINDSIGHT_HD typename System::template stock_policy<Derived>& as_stock(
    const execution_policy<Derived, System>& policy) {
  return derived(policy);
}

/// Whether a policy is one of ours. Generic code may pass it on as its base of Thrust's.
template <class Derived, class System>
std::true_type finds_our_base(const execution_policy<Derived, System>*);
std::false_type finds_our_base(const void*);
template <class Policy>
inline constexpr bool is_our_policy =
    decltype(detail::finds_our_base(static_cast<const Policy*>(nullptr)))::value;

/// The policy whose base this is.
template <class Derived>
HINDSIGHT_HD Derived& derived(const thrust::detail::execution_policy_base<Derived>& policy) {
  return thrust::detail::derived_cast(thrust::detail::strip_const(policy));
}

}  // namespace detail

namespace host {
inline namespace HINDSIGHT_HOST_ABI {

/// Runs on this process's threads. The stock backend is the translation unit's device system if
/// that is a host system (CPP, OMP, TBB), else Thrust's host system.
struct system {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  template <class Derived>
  using stock_policy = thrust::system::__THRUST_HOST_SYSTEM_NAMESPACE::execution_policy<Derived>;
#else
  template <class Derived>
  using stock_policy = thrust::system::__THRUST_DEVICE_SYSTEM_NAMESPACE::execution_policy<Derived>;
#endif
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Runs on the current CUDA device, in the policy's stream; the stock backend is thrust::cuda.
struct system {
  template <class Derived>
  using stock_policy = thrust::cuda::execution_policy<Derived>;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace cuda
#endif

}  // namespace hindsight
