// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the CUDA runtime that the library calls: one device, one stream, done at once.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector_types.h>

#define CUDART_VERSION 12080

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorInvalidConfiguration = 9,
};
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice = 3, cudaMemcpyDefault = 4 };
enum cudaDeviceAttr {
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrReservedSharedMemoryPerBlock = 111,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
using cudaStream_t = struct CUstream_st*;

inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? 2 : 200 * 1024;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int, std::size_t) {
  *blocks = 4;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int) {
  return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
struct cudaFuncAttributes {
  int ptxVersion = 90;
};
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel) {
  *attributes = {};
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t count, cudaStream_t) {
  std::memset(to, byte, count);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t count, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memmove(to, from, count);
  return cudaSuccess;
}
inline cudaError_t cudaPeekAtLastError() {
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}

namespace emulation {

/// What is put into a stream is done at once.
template <class Work>
void put(cudaStream_t, Work work) {
  work();
}

}  // namespace emulation

/// What the driver says of every allocation: that so many bytes follow an address, if not 0.
inline std::size_t bytes_of_allocations = 0;
inline int say_bytes_of_allocations(unsigned long long* begin, std::size_t* bytes,
                                    unsigned long long address) {
  *begin = address;
  *bytes = bytes_of_allocations;
  return bytes_of_allocations > 0 ? 0 : 1;
}
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess };
enum cudaGetDriverEntryPointFlags { cudaEnableDefault };
inline cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned, int,
                                                    cudaDriverEntryPointQueryResult*) {
  *function = reinterpret_cast<void*>(say_bytes_of_allocations);
  return cudaSuccess;
}
