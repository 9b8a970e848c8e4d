// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of neighbours in CUB's shape: names, argument order and two phases of cub::Device*,
// so that one template body compiles against either namespace.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items, too little room),
//           before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/adjacent_difference.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

#include <cuda/std/functional>
#include <thrust/iterator/reverse_iterator.h>

#include <cstddef>
#include <type_traits>

namespace hindsight {

inline namespace HINDSIGHT_ARCH_ABI {

/// Differences of neighbours, or what `op` makes of them. The item that has no neighbour is copied
/// by way of the type that `op` returns, as in CUB.
/// Time and Memory as adjacent_difference.
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     std::size_t bytes = 0;
///     hindsight::DeviceAdjacentDifference::SubtractLeftCopy(nullptr, bytes, in.begin(),
///         out.begin(), 1000);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceAdjacentDifference::SubtractLeftCopy(temp.data().get(), bytes, in.begin(),
///         out.begin(), 1000);
struct DeviceAdjacentDifference {
  /// out[i] = op(in[i], in[i - 1]), out[0] = in[0]. `out` must not overlap the input.
  template <class InputIt, class OutputIt, class Op = ::cuda::std::minus<>, class NumItems>
  static cudaError_t SubtractLeftCopy(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                      NumItems num_items, Op op = {},
                                      detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::adjacent_difference(temp, temp_bytes, in, out, detail::to_size(num_items),
                                             op, stream);
  }

  /// SubtractLeftCopy in place.
  template <class It, class Op = ::cuda::std::minus<>, class NumItems>
  static cudaError_t SubtractLeft(void* temp, std::size_t& temp_bytes, It data, NumItems num_items,
                                  Op op = {}, detail::stream_argument stream = {}) {
    return SubtractLeftCopy(temp, temp_bytes, data, data, num_items, op, stream);
  }

  /// out[i] = op(in[i], in[i + 1]); the last item is copied. `out` must not overlap the input. The
  /// host has to know the number of items.
  template <class InputIt, class OutputIt, class Op = ::cuda::std::minus<>, class NumItems>
  static cudaError_t SubtractRightCopy(void* temp, std::size_t& temp_bytes, InputIt in,
                                       OutputIt out, NumItems num_items, Op op = {},
                                       detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    const std::size_t n = detail::to_known_size(num_items);
    const auto to = detail::cuda::unwrap(out);
    return detail::cuda::adjacent_difference(
        temp, temp_bytes, thrust::make_reverse_iterator(detail::cuda::unwrap(in) + n),
        detail::cuda::outputs_from_last<std::remove_const_t<decltype(to)>>{to, n - 1}, n, op,
        stream);
  }

  /// SubtractRightCopy in place.
  template <class It, class Op = ::cuda::std::minus<>, class NumItems>
  static cudaError_t SubtractRight(void* temp, std::size_t& temp_bytes, It data, NumItems num_items,
                                   Op op = {}, detail::stream_argument stream = {}) {
    return SubtractRightCopy(temp, temp_bytes, data, data, num_items, op, stream);
  }

  /// SubtractLeftCopy in one call.
  template <class InputIt, class OutputIt, class Op = ::cuda::std::minus<>, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SubtractLeftCopy(InputIt in, OutputIt out, NumItems num_items, Op op = {},
                                      const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SubtractLeftCopy(temp, temp_bytes, in, out, num_items, op, stream);
    });
  }
  /// SubtractLeft in one call.
  template <class It, class Op = ::cuda::std::minus<>, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SubtractLeft(It data, NumItems num_items, Op op = {}, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SubtractLeft(temp, temp_bytes, data, num_items, op, stream);
    });
  }
  /// SubtractRightCopy in one call.
  template <class InputIt, class OutputIt, class Op = ::cuda::std::minus<>, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SubtractRightCopy(InputIt in, OutputIt out, NumItems num_items, Op op = {},
                                       const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SubtractRightCopy(temp, temp_bytes, in, out, num_items, op, stream);
    });
  }
  /// SubtractRight in one call.
  template <class It, class Op = ::cuda::std::minus<>, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SubtractRight(It data, NumItems num_items, Op op = {}, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SubtractRight(temp, temp_bytes, data, num_items, op, stream);
    });
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
