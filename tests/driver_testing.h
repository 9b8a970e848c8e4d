// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the driver for tests, which do not link it.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "gpu_testing.h"
#include <stdexcept>
#include <string>

namespace hindsight_test {

template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
#else
  check(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result));
#endif
  if (found == nullptr) throw std::runtime_error(name);
  return reinterpret_cast<Function>(found);
}
#define HINDSIGHT_DRIVER(name) ::hindsight_test::driver_function<decltype(&name)>(#name)

inline void check(CUresult status) {
  if (status != CUDA_SUCCESS) throw std::runtime_error("driver: error " + std::to_string(status));
}

}  // namespace hindsight_test
