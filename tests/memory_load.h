// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the GPU's memory busy from a stream of its own while something else is tested: loads then
// arrive late and out of order, which is what it takes to see that a kernel did not wait for one.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu_testing.h"
#include <cstddef>

namespace hindsight_test {

/// Adds to random words until `cycles` have gone by.
static __global__ void scatter_adds_kernel(unsigned* words, std::size_t num_words,
                                           long long cycles) {
  const long long start = clock64();
  unsigned random = blockIdx.x * 1234567u + threadIdx.x * 7654321u + 1;
  while (clock64() - start < cycles) {
    for (int i = 0; i < 16; ++i) {
      random = random * 1664525u + 1013904223u;
      atomicAdd(words + (std::size_t{random} * 2654435761u) % num_words, 1u);
    }
  }
}

class memory_load {
 public:
  memory_load() {
    check(cudaMalloc(&words_, num_words * sizeof(unsigned)));
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  memory_load(const memory_load&) = delete;
  memory_load& operator=(const memory_load&) = delete;
  ~memory_load() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
    cudaFree(words_);
  }

  /// Starts about 3 ms of it on two blocks a multiprocessor of the largest GPUs.
  void start() const {
    scatter_adds_kernel<<<264, 256, 0, stream_>>>(words_, num_words, 5'000'000);
    check(cudaGetLastError());
  }
  void wait() const { check(cudaStreamSynchronize(stream_)); }

 private:
  static constexpr std::size_t num_words = std::size_t{1} << 28;
  unsigned* words_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace hindsight_test
