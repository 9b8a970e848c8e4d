// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that measures ends where a call of CUDA fails.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}
