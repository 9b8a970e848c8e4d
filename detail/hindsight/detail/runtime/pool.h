// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temporary memory of the CUDA policies: one stream-ordered pool per context that keeps what it
// has, so that in steady state no call runs cudaMalloc or cudaFree.
#pragma once

#include <hindsight/detail/decimal.h>
#include <hindsight/detail/policy_base.h>
#include <hindsight/detail/runtime/context.h>

#include <cuda_runtime_api.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/detail/bad_alloc.h>
#include <thrust/system_error.h>

#include <cstddef>
#include <string>

namespace hindsight {
namespace detail {
inline namespace HINDSIGHT_STREAM_ABI {  // as what is kept in a context

/// The pool of the current context; null where its device has none (then cudaMalloc serves).
inline cudaError_t current_pool(cudaMemPool_t& pool) {
  context_memory* memory = nullptr;
  HINDSIGHT_TRY(context_memory::of_current_context(memory));
  return memory->pool(pool);
}

/// cudaMalloc, where there is no pool. A graph cannot contain it.
inline cudaError_t allocate_at_once(void** buffer, std::size_t bytes, cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  HINDSIGHT_TRY(cudaStreamIsCapturing(stream, &status));
  if (status != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
  return cudaMalloc(buffer, bytes);
}

/// While `stream` is captured, the buffer becomes the graph's: each replay has it anew.
inline cudaError_t try_pool_allocate(void** buffer, std::size_t bytes, cudaStream_t stream) {
  cudaMemPool_t pool = nullptr;
  cudaError_t status = current_pool(pool);
  if (status == cudaSuccess) {
    status = pool ? cudaMallocFromPoolAsync(buffer, bytes, pool, stream)
                  : allocate_at_once(buffer, bytes, stream);
  }
  if (status != cudaSuccess) cudaGetLastError();  // reported here: the next call must not see it
  return status;
}

}  // namespace HINDSIGHT_STREAM_ABI

// The exceptions that these throw are in a namespace of Thrust's that names the architectures.
inline namespace HINDSIGHT_ARCH_ABI {

/// The same, but it throws an error.
inline void* pool_allocate(std::size_t bytes, cudaStream_t stream) {
  void* buffer = nullptr;
  const cudaError_t status = try_pool_allocate(&buffer, bytes, stream);
  if (status == cudaSuccess) return buffer;
  if (status != cudaErrorMemoryAllocation) {
    throw thrust::system_error(status, thrust::cuda_category(), "hindsight: temporary memory");
  }
  throw thrust::system::detail::bad_alloc("hindsight: no device memory for " +
                                          decimal(static_cast<long long>(bytes)) +
                                          " temporary bytes");
}

/// Called by destructors: an error shows up again at the next wait, so none is thrown here.
inline void pool_deallocate(void* buffer, cudaStream_t stream) noexcept {
  cudaMemPool_t pool = nullptr;
  const cudaError_t status = current_pool(pool);
  if (status != cudaSuccess || (pool ? cudaFreeAsync(buffer, stream) : cudaFree(buffer)))
    cudaGetLastError();
}

/// For release_memory().
inline void release_current_context() {
  context_memory* memory = nullptr;
  cudaError_t status = context_memory::of_current_context(memory);
  if (status == cudaSuccess) status = memory->release();
  if (status == cudaSuccess) return;
  cudaGetLastError();
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) return;  // none is kept
  throw thrust::system_error(status, thrust::cuda_category(), "hindsight::release_memory");
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace detail

// Found by ADL from thrust::detail::temporary_array; a policy with an allocator or a workspace has
// a nearer overload in Thrust.
template <class T, class Derived>
::cuda::std::pair<T*, std::ptrdiff_t> get_temporary_buffer(
    execution_policy<Derived, hindsight::cuda::system>& policy, std::ptrdiff_t n) {
  const cudaStream_t stream = thrust::cuda_cub::stream(detail::derived(policy));
  return {static_cast<T*>(detail::pool_allocate(sizeof(T) * n, stream)), n};
}

template <class Pointer, class Derived>
void return_temporary_buffer(execution_policy<Derived, hindsight::cuda::system>& policy,
                             Pointer buffer, std::ptrdiff_t) {
  const cudaStream_t stream = thrust::cuda_cub::stream(detail::derived(policy));
  detail::pool_deallocate(thrust::raw_pointer_cast(buffer), stream);
}

}  // namespace hindsight
