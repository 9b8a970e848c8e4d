// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_present.h"

#include <cuda_runtime_api.h>

#include <cstdio>

namespace hindsight_test {

std::string why_no_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return cudaGetErrorString(status);
  return count == 0 ? "the driver reports no device" : "";
}

bool gpu_is_present() {
  const std::string reason = why_no_gpu();
  if (reason.empty()) return true;
  std::printf("skipped: no CUDA device (%s)\n", reason.c_str());
  return false;
}

}  // namespace hindsight_test
