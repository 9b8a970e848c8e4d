// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of bitonic.h.
#pragma once

#include "bitonic.h"

#if HINDSIGHT_CUDA
namespace methods::cuda {

__global__ void mirror_kernel(item* items, std::size_t n, std::size_t run) {
  compare_exchange(items, n, mirrored(global_index(), run));
}
__global__ void apart_kernel(item* items, std::size_t n, std::size_t stride) {
  compare_exchange(items, n, apart(global_index(), stride));
}

/// The steps of a merge from `stride` down to 1, by one block on one tile.
__device__ inline void merge_down(item* tile, unsigned count, unsigned stride) {
  for (; stride > 0; stride /= 2) {
    for (unsigned i = threadIdx.x; i < bitonic_tile / 2; i += block_threads)
      compare_exchange(tile, count, apart(i, stride));
    __syncthreads();
  }
}

/// Sorts each tile.
__global__ void bitonic_tiles_kernel(const item* in, std::size_t n, item* out) {
  __shared__ item tile[bitonic_tile];
  const auto [begin, count] = bitonic_place(blockIdx.x, n);
  for (unsigned i = threadIdx.x; i < count; i += block_threads) tile[i] = in[begin + i];
  __syncthreads();
  for (unsigned run = 2; run <= bitonic_tile; run *= 2) {
    for (unsigned i = threadIdx.x; i < bitonic_tile / 2; i += block_threads)
      compare_exchange(tile, count, mirrored(i, run));
    __syncthreads();
    merge_down(tile, count, run / 4);
  }
  for (unsigned i = threadIdx.x; i < count; i += block_threads) out[begin + i] = tile[i];
}

/// Ends a merge: all steps whose stride is less than a tile.
__global__ void bitonic_merge_tiles_kernel(item* items, std::size_t n) {
  __shared__ item tile[bitonic_tile];
  const auto [begin, count] = bitonic_place(blockIdx.x, n);
  for (unsigned i = threadIdx.x; i < count; i += block_threads) tile[i] = items[begin + i];
  __syncthreads();
  merge_down(tile, count, bitonic_tile / 2);
  for (unsigned i = threadIdx.x; i < count; i += block_threads) items[begin + i] = tile[i];
}

inline void bitonic(const task& t) {
  const std::size_t tiles = (t.n + bitonic_tile - 1) / bitonic_tile;
  launch_tiles(t, tiles, bitonic_tiles_kernel, t.in, t.n, t.out);
  for (std::size_t run = 2 * bitonic_tile; run < 2 * t.n; run *= 2) {
    const std::size_t pairs = (t.n + run - 1) / run * (run / 2);
    launch(t, pairs, mirror_kernel, t.out, t.n, run);
    for (std::size_t stride = run / 4; stride >= bitonic_tile; stride /= 2)
      launch(t, pairs, apart_kernel, t.out, t.n, stride);
    launch_tiles(t, tiles, bitonic_merge_tiles_kernel, t.out, t.n);
  }
}

}  // namespace methods::cuda
#endif
