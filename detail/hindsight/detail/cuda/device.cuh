// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/config.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail {

inline cudaError_t multiprocessors_of_current_device(int& count) {
  int device = 0;
  HINDSIGHT_TRY(cudaGetDevice(&device));
  return cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
}

/// How many blocks of so many threads the current device has room for at once.
inline cudaError_t resident_blocks(int block_threads, std::size_t& count) {
  int multiprocessors = 0;
  HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
  count = std::size_t(multiprocessors) * (2048 / block_threads);
  return cudaSuccess;
}

/// *result = value: what is left to do for an empty range.
template <class T, class ResultIt>
HINDSIGHT_KERNEL void store_kernel(T value, ResultIt result) {
  *result = value;
}

}  // namespace hindsight::detail
