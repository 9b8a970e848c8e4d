// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's two phases, of stock functions whose kernels g++ does not compile.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace cub {

/// The temporary memory that stock functions ask for here. No function of the library asks for it.
constexpr std::size_t stock_bytes = 123457;

/// Runs `work` in the second phase, on the host.
template <class Work>
cudaError_t in_stock_phases(void* temp, std::size_t& temp_bytes, cudaStream_t stream, Work work) {
  if (temp == nullptr) return temp_bytes = stock_bytes, cudaSuccess;
  if (temp_bytes < stock_bytes) return cudaErrorInvalidValue;
  const cudaError_t status = cudaStreamSynchronize(stream);
  if (status == cudaSuccess) work();
  return status;
}

}  // namespace cub
