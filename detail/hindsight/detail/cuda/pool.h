// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temporary memory of the CUDA policies: one stream-ordered pool per device that never returns
// memory to the driver, so that in steady state no call runs cudaMalloc or cudaFree.
#pragma once

#include <hindsight/policy.h>

#include <cuda_runtime_api.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/detail/bad_alloc.h>

#include <array>
#include <cstdint>
#include <mutex>

namespace hindsight {
namespace detail {

inline constexpr int max_devices = 64;

/// The pool of the current device; null where the device has none (then cudaMalloc serves).
inline cudaError_t pool_of_current_device(cudaMemPool_t& pool) {
  struct entry {
    std::once_flag once;
    cudaMemPool_t pool = nullptr;
    cudaError_t status = cudaSuccess;
  };
  static std::array<entry, max_devices> entries;

  int device = 0;
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) return status;
  entry& own = entries[device % max_devices];
  std::call_once(own.once, [&own, device] {
    int supported = 0;
    own.status = cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device);
    if (own.status != cudaSuccess || !supported) return;
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = device;
    own.status = cudaMemPoolCreate(&own.pool, &props);
    if (own.status != cudaSuccess) return;
    std::uint64_t keep_all = UINT64_MAX;
    own.status = cudaMemPoolSetAttribute(own.pool, cudaMemPoolAttrReleaseThreshold, &keep_all);
  });
  pool = own.pool;
  return own.status;
}

inline void* pool_allocate(std::size_t bytes, cudaStream_t stream) {
  cudaMemPool_t pool = nullptr;
  void* buffer = nullptr;
  cudaError_t status = pool_of_current_device(pool);
  if (status == cudaSuccess) {
    status =
        pool ? cudaMallocFromPoolAsync(&buffer, bytes, pool, stream) : cudaMalloc(&buffer, bytes);
  }
  if (status == cudaSuccess) return buffer;
  cudaGetLastError();  // reported here: the next call must not see it again
  if (status != cudaErrorMemoryAllocation) {
    throw thrust::system_error(status, thrust::cuda_category(), "hindsight: temporary memory");
  }
  throw thrust::system::detail::bad_alloc("hindsight: no device memory for " +
                                          std::to_string(bytes) + " temporary bytes");
}

/// Called by destructors: an error shows up again at the next wait, so none is thrown here.
inline void pool_deallocate(void* buffer, cudaStream_t stream) noexcept {
  cudaMemPool_t pool = nullptr;
  const cudaError_t status = pool_of_current_device(pool);
  if (status != cudaSuccess || (pool ? cudaFreeAsync(buffer, stream) : cudaFree(buffer)))
    cudaGetLastError();
}

}  // namespace detail

// Found by ADL from thrust::detail::temporary_array; a policy with an allocator or a workspace has
// a nearer overload in Thrust.
template <class T, class Derived>
::cuda::std::pair<T*, std::ptrdiff_t> get_temporary_buffer(
    execution_policy<Derived, cuda::system>& policy, std::ptrdiff_t n) {
  const cudaStream_t stream = thrust::cuda_cub::stream(detail::derived(policy));
  return {static_cast<T*>(detail::pool_allocate(sizeof(T) * n, stream)), n};
}

template <class Pointer, class Derived>
void return_temporary_buffer(execution_policy<Derived, cuda::system>& policy, Pointer buffer,
                             std::ptrdiff_t) {
  const cudaStream_t stream = thrust::cuda_cub::stream(detail::derived(policy));
  detail::pool_deallocate(thrust::raw_pointer_cast(buffer), stream);
}

}  // namespace hindsight
