// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programmatic dependent launch. A launch may start as soon as the blocks of the launch before it
// have ended, before the GPU has made sure that all they wrote is visible. That saves about 1 us
// between two launches. Only launches of the same call: what a caller's kernel has waited for is
// not known.
//
// Each thread of such a kernel calls ptx::wait_for_launch_before(). Until then it neither touches
// what the launch before wrote, nor writes what that one touched. What still earlier launches did
// is visible: the launch before has waited for them.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/clear.cuh>
#include <hindsight/detail/reported.cuh>

#include <cuda/std/type_traits>
#include <cuda_runtime_api.h>
#include <thrust/addressof.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A launch that may start early.
class any_launch {
 public:
  any_launch(bool is_next, dim3 blocks, int threads, std::size_t shared_bytes, cudaStream_t stream)
      : is_next_{is_next} {
    config_.gridDim = blocks;
    config_.blockDim = static_cast<unsigned>(threads);
    config_.dynamicSmemBytes = shared_bytes;
    config_.stream = stream;
  }

 protected:
  /// Not by cudaLaunchKernelEx: that takes addresses by operator&, which may be the caller's own.
  HINDSIGHT_OUT_OF_LINE cudaError_t launch(const void* kernel, const void** arguments) {
    bool starts_early = false;
    if (is_next_) HINDSIGHT_TRY(may_start_early(starts_early));
    cudaLaunchAttribute early_start{};
    early_start.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early_start.val.programmaticStreamSerializationAllowed = 1;
    config_.attrs = &early_start;
    config_.numAttrs = starts_early ? 1 : 0;
    return detail::reported(cudaLaunchKernelExC(&config_, kernel, const_cast<void**>(arguments)));
  }

 private:
  bool is_next_;
  cudaLaunchConfig_t config_{};
};

/// What the HINDSIGHT_LAUNCH_ words make: to be called with the kernel's arguments.
template <class... Params>
class next_launch : any_launch {
 public:
  using kernel_type = void (*)(Params...);

  next_launch(bool is_next, dim3 blocks, int threads, std::size_t shared_bytes, cudaStream_t stream,
              kernel_type kernel)
      : any_launch{is_next, blocks, threads, shared_bytes, stream}, kernel_{kernel} {}
  [[nodiscard]] cudaError_t operator()(::cuda::std::type_identity_t<const Params&>... arguments) {
    const void* pointers[] = {static_cast<const void*>(::cuda::std::addressof(arguments))...};
    return launch(reinterpret_cast<const void*>(kernel_), pointers);
  }

 private:
  kernel_type kernel_;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
