// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function object with each index, in no order.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/tuning/plain.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class F>
HINDSIGHT_KERNEL void for_each_index_kernel(std::size_t n, F f) {
  ptx::wait_for_launch_before();
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) f(i);
}

/// f(i) for each i in [0, n), in no order.
///   is_next  another kernel of the same call is launched before
template <class F>
cudaError_t for_each_index(std::size_t n, F f, cudaStream_t stream, bool is_next = false) {
  if (n == 0) return cudaSuccess;
  const std::size_t blocks = (n + plain_threads - 1) / plain_threads;
  return HINDSIGHT_LAUNCH_NEXT_IF(
      is_next, static_cast<unsigned>(blocks < index_blocks ? blocks : index_blocks), plain_threads,
      0, stream, for_each_index_kernel<F>)(n, f);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
