// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the GPU versions are built from: launches, and the shape of a tile.
#pragma once

#include "method.h"

#if HINDSIGHT_CUDA
#  include <stdexcept>

namespace methods::cuda {

inline constexpr unsigned warp_threads = 32, block_threads = 256;
inline constexpr unsigned block_warps = block_threads / warp_threads;
/// An odd number: a warp's threads read shared memory so many words apart, and meet all 32 banks.
inline constexpr unsigned thread_items = 15;
inline constexpr unsigned tile_items = block_threads * thread_items;

inline std::size_t num_tiles(std::size_t n) {
  return (n + tile_items - 1) / tile_items;
}

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Starts a block for each of `blocks` tiles.
template <class... Parameters, class... Arguments>
void launch_tiles(const task& t, std::size_t blocks, void (*kernel)(Parameters...),
                  Arguments... arguments) {
  if (blocks == 0) return;
  kernel<<<unsigned(blocks), block_threads, 0, t.stream>>>(arguments...);
  check(cudaGetLastError());
}

/// Starts a thread for each of `count` items, and the rest of the last block.
template <class... Parameters, class... Arguments>
void launch(const task& t, std::size_t count, void (*kernel)(Parameters...),
            Arguments... arguments) {
  launch_tiles(t, (count + block_threads - 1) / block_threads, kernel, arguments...);
}

/// As many blocks as run at once: for kernels whose blocks take several tiles each.
inline std::size_t blocks_at_once() {
  constexpr int blocks_per_processor = 8;
  static const int processors = [] {
    int device = 0, count = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
  }();
  return std::size_t(processors) * blocks_per_processor;
}

template <class T>
void clear(const task& t, T* data, std::size_t count) {
  check(cudaMemsetAsync(data, 0, count * sizeof(T), t.stream));
}

/// Runs a call of the library in its two phases: how much temporary memory, then the work.
template <class Call>
void run_library(const task& t, Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  check(call(t.memory.take<char>(bytes), bytes));
}

__device__ inline std::size_t global_index() {
  return std::size_t{blockIdx.x} * block_threads + threadIdx.x;
}

inline shape engine_shape(double) {
  constexpr double block_scan_steps = 5 + block_warps;
  return {tile_items, 2 * thread_items + block_scan_steps};
}

}  // namespace methods::cuda

#endif
