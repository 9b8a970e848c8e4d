// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initial values that lie in device memory: kernels read them, since the host does not know them
// yet.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/block/look_back.cuh>

#include <cub/util_type.cuh>
#include <cuda/std/iterator>

#if __has_include(<cuda/argument>)  // CCCL 3.6
#  include <cuda/argument>
#endif

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// An initial value of type T that `value`, a cub::FutureValue, reads when a kernel asks.
template <class T, class Future>
struct future_init {
  Future value;
};

/// The initial value of a launch, in device code.
template <class Init>
HINDSIGHT_DEVICE const Init& initial_value(const Init& init) {
  return init;
}
template <class T, class Future>
HINDSIGHT_DEVICE T initial_value(const future_init<T, Future>& init) {
  return static_cast<T>(static_cast<typename Future::value_type>(init.value));
}

/// The type of an initial value as a caller gives it.
template <class Init>
struct init_value {
  using type = Init;
  template <class T>
  static T as(const Init& init) {
    return static_cast<T>(init);
  }
};
template <class Value, class It>
struct init_value<cub::FutureValue<Value, It>> {
  using type = Value;
  template <class T>
  static future_init<T, cub::FutureValue<Value, It>> as(const cub::FutureValue<Value, It>& init) {
    return {init};
  }
};
#if __has_include(<cuda/argument>)
/// CCCL's own values in device memory.
template <class It, class Bounds>
struct init_value<::cuda::args::deferred<It, Bounds>> {
  using type = typename ::cuda::std::iterator_traits<It>::value_type;
  using future = cub::FutureValue<type, It>;
  template <class T>
  static future_init<T, future> as(const ::cuda::args::deferred<It, Bounds>& init) {
    return {future{::cuda::args::__unwrap(init)}};
  }
};
#endif
template <class Init>
using init_value_t = typename init_value<Init>::type;

/// `init` as an argument of kernels that fold in T.
template <class T, class Init>
auto kernel_init(const Init& init) {
  return init_value<Init>::template as<T>(init);
}
template <class T>
no_init kernel_init(no_init none) {
  return none;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
