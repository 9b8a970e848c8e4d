// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programmatic dependent launch. A launch may start as soon as the blocks of the launch before it
// have ended, before the GPU has made sure that all they wrote is visible. That saves about 1 us
// between two launches.
//
// Each thread of such a kernel calls ptx::wait_for_launch_before(). Until then it neither touches
// what the launch before wrote, nor writes what that one touched. What still earlier launches did
// is visible: the launch before has waited for them.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/device.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The first driver that takes such launches in graphs, too.
inline constexpr int driver_of_early_starts = 12030;

/// Whether blocks of a kernel may start early on the current device: its code must have been
/// compiled for an architecture where it waits. Asks once per thread and device.
template <auto Kernel>
bool may_start_early() {
  thread_local int known_device = -1;
  thread_local bool known_answer = false;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  if (device != known_device) {
    int architecture = 0, driver = 0;
    known_answer = architecture_of_code<Kernel>(architecture) == cudaSuccess &&
                   cudaDriverGetVersion(&driver) == cudaSuccess && architecture >= 90 &&
                   driver >= driver_of_early_starts;
    known_device = device;
  }
  return known_answer;
}

/// HINDSIGHT_LAUNCH_NEXT(blocks, threads, shared_bytes, stream, kernel)(arguments). An error is
/// left for cudaPeekAtLastError(), as by <<<>>>.
template <auto Kernel>
class next_launch {
 public:
  next_launch(unsigned blocks, int threads, std::size_t shared_bytes, cudaStream_t stream) {
    config_.gridDim = blocks;
    config_.blockDim = static_cast<unsigned>(threads);
    config_.dynamicSmemBytes = shared_bytes;
    config_.stream = stream;
  }
  template <class... Args>
  void operator()(const Args&... arguments) {
    cudaLaunchAttribute starts_early{};
    starts_early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    starts_early.val.programmaticStreamSerializationAllowed = 1;
    config_.attrs = &starts_early;
    config_.numAttrs = cuda::may_start_early<Kernel>() ? 1 : 0;
    cudaLaunchKernelEx(&config_, Kernel, arguments...);
  }

 private:
  cudaLaunchConfig_t config_{};
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
