// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The toolkit's header. The functions that the library calls are in runtime.cpp.
#pragma once

#include_next <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

// For other compilers than nvcc the toolkit defines these as attributes, which g++ does not know.
#undef __device__
#undef __global__
#undef __host__
#undef __forceinline__
#undef __launch_bounds__
#define __device__
#define __global__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

namespace emulation {

/// Work waits in its stream until somebody waits for it, or becomes a part of a graph.
void put(cudaStream_t stream, std::function<void()> work);
/// An error where the call of the runtime that asks is the one that is to fail.
cudaError_t refusal();
/// Threads share the number of bytes that a kernel may have: between this and the launch of one of
/// them another may set less. So an error where a kernel was given another number before.
cudaError_t allow_shared_bytes(const void* kernel, int bytes);

}  // namespace emulation

// What cuda_runtime.h has for kernels, which are no symbols here.

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, int, std::size_t) {
  *blocks = 4;
  return emulation::refusal();
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return emulation::refusal();
  return emulation::allow_shared_bytes(reinterpret_cast<const void*>(kernel), value);
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel*) {
  *attributes = {};
  attributes->ptxVersion = 90;
  return emulation::refusal();
}
