// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clears what the blocks of the next launch share, so that this launch may start early
// (next_launch.cuh): it cannot behind a memset.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/workspace.h>
#include <hindsight/detail/zeroed_memory.h>

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

/// The first driver that takes launches that start early in graphs, too.
inline constexpr int driver_of_early_starts = 12030;

/// Whether launches may start early on the current device: their code must have been compiled for
/// an architecture where it waits, which is the same for all kernels.
HINDSIGHT_OUT_OF_LINE inline cudaError_t may_start_early(bool& answer) {
  return cuda::once_per_device(answer, [](bool& found) {
    int architecture = 0, driver = 0;
    HINDSIGHT_TRY(architecture_of_code<clear_kernel<clear_threads>>(architecture));
    HINDSIGHT_TRY(cudaDriverGetVersion(&driver));
    return found = architecture >= 90 && driver >= driver_of_early_starts, cudaSuccess;
  });
}

/// memory[0, bytes) = 0: by a kernel where this is asked for and the next launch may start early,
/// else by a memset. Requires multiples of 4.
HINDSIGHT_OUT_OF_LINE inline cudaError_t clear(void* memory, std::size_t bytes, bool by_kernel,
                                               cudaStream_t stream) {
  if (by_kernel) HINDSIGHT_TRY(may_start_early(by_kernel));
  if (!by_kernel) return detail::reported(cudaMemsetAsync(memory, 0, bytes, stream));
  const std::size_t count = bytes / sizeof(unsigned);
  const std::size_t blocks = (count + clear_threads - 1) / clear_threads;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(blocks < most_clear_blocks ? blocks : most_clear_blocks),
                   clear_threads, 0, stream, clear_kernel<clear_threads>)
  (static_cast<unsigned*>(memory), count);
  return detail::reported(cudaPeekAtLastError());
}

/// Lets `shared` [count], which was taken from `space`, point to zeros: to other memory, or by a
/// memset.
template <class T>
cudaError_t provide_zeroed(const carver& space, T*& shared, std::size_t count,
                           cudaStream_t stream) {
  if (space.is_zero()) return cudaSuccess;
  void* zeros = nullptr;
  HINDSIGHT_TRY(detail::take_zeroed_memory(count * sizeof(T), stream, zeros));
  if (!zeros) return detail::reported(cudaMemsetAsync(shared, 0, count * sizeof(T), stream));
  return shared = static_cast<T*>(zeros), cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
