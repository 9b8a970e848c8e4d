// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the GPU's memory busy from another stream: loads and stores then take long and arrive in
// another order, which is when races show.
#pragma once

#include "arrays.h"

namespace hindsight_test {

#if HINDSIGHT_CUDA

/// Adds all over `words` until told to stop, or for a second.
static __global__ void hammer_kernel(unsigned* words, std::size_t num_words,
                                     const volatile unsigned* stop) {
  constexpr long long patience = 2'000'000'000;  // cycles
  __shared__ bool goes_on;
  unsigned random = blockIdx.x * 1234567u + threadIdx.x * 7654321u + 1;
  for (const long long start = clock64();;) {
    if (threadIdx.x == 0) goes_on = *stop == 0 && clock64() - start < patience;
    __syncthreads();
    if (!goes_on) return;
    for (int i = 0; i < 64; ++i) {
      random = random * 1664525u + 1013904223u;
      atomicAdd(words + random * std::size_t{2654435761u} % num_words, 1u);
    }
    __syncthreads();
  }
}

class memory_load {
 public:
  explicit memory_load(bool is_wanted) {
    if (!is_wanted) return;
    constexpr unsigned blocks = 264, block_threads = 256;  // leaves room for others on each SM
    resources& own = instance();
    *own.stop = 0;
    hammer_kernel<<<blocks, block_threads, 0, own.stream>>>(own.words, num_words, own.stop);
    memory::check(cudaPeekAtLastError());
    is_running_ = true;
  }
  memory_load(const memory_load&) = delete;
  memory_load& operator=(const memory_load&) = delete;
  ~memory_load() { stop(); }

  void stop() const {
    if (is_running_) *instance().stop = 1;
  }

 private:
  static constexpr std::size_t num_words = std::size_t{1} << 26;  // more than the caches hold

  struct resources {  // live as long as the process
    resources() {
      memory::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      memory::check(cudaMalloc(&words, num_words * sizeof *words));
      void* page = nullptr;
      memory::check(cudaHostAlloc(&page, sizeof *stop, cudaHostAllocMapped));
      stop = static_cast<volatile unsigned*>(page);
    }
    cudaStream_t stream = nullptr;
    unsigned* words = nullptr;
    volatile unsigned* stop = nullptr;
  };
  static resources& instance() {
    static resources one;
    return one;
  }

  bool is_running_ = false;
};

#else

struct memory_load {
  explicit memory_load(bool) {}
  void stop() const {}
};

#endif

}  // namespace hindsight_test
