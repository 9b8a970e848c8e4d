// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the place of the library's header: where kernels are tested alone, none is kept.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail {

inline cudaError_t take_zeroed_memory(std::size_t, cudaStream_t, void*& memory) {
  return memory = nullptr, cudaSuccess;
}

}  // namespace hindsight::detail
