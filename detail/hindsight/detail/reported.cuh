// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors that are returned.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda_runtime_api.h>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// An error that is returned is not left to later calls, as in CUB.
inline cudaError_t reported(cudaError_t status) {
  if (status != cudaSuccess) cudaGetLastError();
  return status;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
