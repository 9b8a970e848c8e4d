// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which CUDA context is the current one, and what a thread may do while a stream is captured.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/driver.h>

#include <cuda_runtime_api.h>

#include <atomic>

namespace hindsight::detail {
inline namespace HINDSIGHT_STREAM_ABI {

/// While one lives, this thread may do what CUDA forbids while a stream is being captured: make
/// pools, allocate pinned memory, wait for other streams. None of it becomes part of a graph.
class outside_capture {
 public:
  outside_capture() : is_outside_{exchange()} {}
  ~outside_capture() {
    if (is_outside_) exchange();
  }
  outside_capture(const outside_capture&) = delete;
  outside_capture& operator=(const outside_capture&) = delete;

 private:
  /// Whether it worked. If not, what is forbidden fails, and says so.
  bool exchange() {
    if (cudaThreadExchangeStreamCaptureMode(&other_mode_) == cudaSuccess) return true;
    return cudaGetLastError(), false;
  }
  cudaStreamCaptureMode other_mode_ = cudaStreamCaptureModeRelaxed;
  bool is_outside_;
};

/// cuCtxGetId: the context, or null for the current one; its number; 0 for success.
using context_id_function_t = int (*)(void*, unsigned long long*);

/// Null where the driver is older than CUDA 12.
inline context_id_function_t context_id_function() {
  static std::atomic<context_id_function_t> known{nullptr};
  return detail::driver_function(known, "cuCtxGetId", 12000);
}

/// A number that no other context of this process has or had: a device that is reset gets another.
/// Makes the current device's context if there is none yet. With a driver older than CUDA 12 the
/// number is only the device's.
inline cudaError_t id_of_current_context(unsigned long long& id) {
  const auto get_id = context_id_function();
  if (!get_id) {
    int device = 0;
    HINDSIGHT_TRY(cudaGetDevice(&device));
    return id = static_cast<unsigned long long>(device), cudaSuccess;
  }
  if (get_id(nullptr, &id) == 0) return cudaSuccess;
  const outside_capture guard;
  HINDSIGHT_TRY(cudaFree(nullptr));
  return static_cast<cudaError_t>(get_id(nullptr, &id));  // both APIs number errors alike
}

}  // namespace HINDSIGHT_STREAM_ABI
}  // namespace hindsight::detail
