// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that occupy the whole GPU, except room for one block or a few.
#pragma once

#include "gpu_testing.h"
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace hindsight_test {

/// Holds its threads and shared memory until *stop, or for five seconds.
static __global__ void hold(volatile int* stop, int* started) {
  if (threadIdx.x == 0) {  // the others wait at the barrier: what is tested needs the memory's time
    atomicAdd_system(started, 1);
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
      __nanosleep(100'000);
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (!*stop && now - begin < 5'000'000'000);
  }
  __syncthreads();
}

/// Leaves free `free_threads` threads of one multiprocessor.
class occupying_kernels {
 public:
  explicit occupying_kernels(int free_threads) {
    check(cudaHostAlloc(&flags_, 2 * sizeof(int), cudaHostAllocMapped));
    flags_[0] = flags_[1] = 0;
    for (cudaStream_t& stream : streams_)
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int sms = 0, threads = 0, shared_bytes = 0;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    check(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    // Shared memory stays as it is split while a block runs: split it for the kernels to come.
    check(cudaFuncSetAttribute(hold, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared));
    hold<<<sms - 1, 1024, shared_bytes, streams_[0]>>>(flags_, flags_ + 1);  // one for each
    check(cudaGetLastError());
    int expected = sms - 1;
    wait_for(expected);
    int left = threads - free_threads;
    for (int i = 1; i < 4 && left > 0; ++i) {
      const int block = std::min(left, 1024);
      hold<<<1, block, 0, streams_[i]>>>(flags_, flags_ + 1);
      check(cudaGetLastError());
      wait_for(++expected);
      left -= block;
    }
  }
  ~occupying_kernels() {
    *static_cast<volatile int*>(flags_) = 1;
    for (cudaStream_t stream : streams_) {
      cudaStreamSynchronize(stream);
      cudaStreamDestroy(stream);
    }
    cudaFreeHost(flags_);
  }
  bool are_running() const { return cudaStreamQuery(streams_[0]) == cudaErrorNotReady; }

 private:
  void wait_for(int expected) {
    for (int i = 0; i < 2000 && *static_cast<volatile int*>(flags_ + 1) < expected; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (flags_[1] < expected) throw std::runtime_error("the GPU does not hold all these blocks");
  }
  int* flags_ = nullptr;  ///< stop, number of blocks that have started
  cudaStream_t streams_[4];
};

}  // namespace hindsight_test
