// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every call of the CUDA runtime that the library makes can be made to fail. The file that includes
// this has to have the linker wrap these functions:
//   cudaMallocFromPoolAsync cudaFreeAsync cudaMemPoolCreate cudaMemPoolSetAttribute
//   cudaHostAlloc cudaMemsetAsync cudaMemcpyAsync cudaPeekAtLastError cudaStreamSynchronize
//   cudaStreamIsCapturing cudaGetDevice cudaGetDeviceCount cudaDeviceGetAttribute
//   cudaFuncSetAttribute cudaLaunchKernelExC cudaStreamGetId
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

namespace hindsight_test {

int calls_until_fault = -1;       ///< none where negative
std::atomic<int> pool_arrays{0};  ///< allocated and not freed
bool stream_is_broken = false;

/// Whether the call that asks is the one that is to fail.
bool fails_now() {
  return calls_until_fault >= 0 && calls_until_fault-- == 0;
}

}  // namespace hindsight_test

#define HINDSIGHT_FAULTY(name, parameters, arguments, fault)              \
  extern "C" cudaError_t __real_##name parameters;                        \
  extern "C" cudaError_t __wrap_##name parameters {                       \
    return hindsight_test::fails_now() ? fault : __real_##name arguments; \
  }
HINDSIGHT_FAULTY(cudaMemPoolCreate, (cudaMemPool_t * pool, const cudaMemPoolProps* props),
                 (pool, props), cudaErrorMemoryAllocation)
HINDSIGHT_FAULTY(cudaMemPoolSetAttribute,
                 (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value),
                 (pool, attribute, value), cudaErrorInvalidValue)
HINDSIGHT_FAULTY(cudaHostAlloc, (void** data, std::size_t bytes, unsigned flags),
                 (data, bytes, flags), cudaErrorMemoryAllocation)
HINDSIGHT_FAULTY(cudaMemsetAsync, (void* data, int value, std::size_t bytes, cudaStream_t stream),
                 (data, value, bytes, stream), cudaErrorInvalidValue)
HINDSIGHT_FAULTY(cudaMemcpyAsync,
                 (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                  cudaStream_t stream),
                 (to, from, bytes, kind, stream), cudaErrorInvalidValue)
HINDSIGHT_FAULTY(cudaPeekAtLastError, (), (), cudaErrorLaunchOutOfResources)
HINDSIGHT_FAULTY(cudaLaunchKernelExC,
                 (const cudaLaunchConfig_t* config, const void* kernel, void** arguments),
                 (config, kernel, arguments), cudaErrorLaunchOutOfResources)
HINDSIGHT_FAULTY(cudaGetDevice, (int* device), (device), cudaErrorUnknown)
HINDSIGHT_FAULTY(cudaGetDeviceCount, (int* count), (count), cudaErrorUnknown)
HINDSIGHT_FAULTY(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device),
                 (value, attribute, device), cudaErrorInvalidValue)
HINDSIGHT_FAULTY(cudaStreamGetId, (cudaStream_t stream, unsigned long long* id), (stream, id),
                 cudaErrorUnknown)
HINDSIGHT_FAULTY(cudaFuncSetAttribute, (const void* kernel, cudaFuncAttribute attribute, int value),
                 (kernel, attribute, value), cudaErrorInvalidDeviceFunction)

extern "C" {
// Who may not ask whether a stream is captured may not wait for it either.
cudaError_t __real_cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (!hindsight_test::fails_now()) return __real_cudaStreamIsCapturing(stream, status);
  hindsight_test::stream_is_broken = true;
  return cudaErrorUnknown;
}
cudaError_t __real_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  const bool was_broken = hindsight_test::stream_is_broken;
  hindsight_test::stream_is_broken = false;
  if (was_broken || hindsight_test::fails_now()) return cudaErrorUnknown;
  return __real_cudaStreamSynchronize(stream);
}
cudaError_t __real_cudaMallocFromPoolAsync(void** data, std::size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream);
cudaError_t __wrap_cudaMallocFromPoolAsync(void** data, std::size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
  if (hindsight_test::fails_now()) return cudaErrorMemoryAllocation;
  ++hindsight_test::pool_arrays;
  return __real_cudaMallocFromPoolAsync(data, bytes, pool, stream);
}
cudaError_t __real_cudaFreeAsync(void* data, cudaStream_t stream);
cudaError_t __wrap_cudaFreeAsync(void* data, cudaStream_t stream) {
  --hindsight_test::pool_arrays;
  return __real_cudaFreeAsync(data, stream);
}
}
