// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clears what the blocks of a launch share. No launch can start early behind a memset; behind this
// kernel it can (next_launch.cuh).
#pragma once

#include <hindsight/detail/config.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// words[i] = 0.
template <int Threads>
HINDSIGHT_BOUNDED_KERNEL(Threads, 1)
void clear_kernel(unsigned* words, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * Threads;
  for (std::size_t i = std::size_t{blockIdx.x} * Threads + threadIdx.x; i < count; i += step)
    words[i] = 0;
}

inline constexpr int clear_threads = 256;
inline constexpr std::size_t most_clear_blocks = 1024;

/// memory[0, bytes) = 0, for the launch that follows, which may start early. Requires multiples of
/// 4.
inline cudaError_t clear(void* memory, std::size_t bytes, cudaStream_t stream) {
  const std::size_t count = bytes / sizeof(unsigned);
  const std::size_t blocks = (count + clear_threads - 1) / clear_threads;
  if (blocks == 0) return cudaSuccess;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(blocks < most_clear_blocks ? blocks : most_clear_blocks),
                   clear_threads, 0, stream, clear_kernel<clear_threads>)
  (static_cast<unsigned*>(memory), count);
  return cudaPeekAtLastError();
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
