// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels are built from: a tile in shared memory, and the scan of a block.
#pragma once

#include "gpu.h"

#if HINDSIGHT_CUDA

namespace methods::cuda {

struct tile_storage {
  item items[tile_items];
  item warp_sums[block_warps];
  item carry;
  unsigned ticket;
};

/// Gives the block a tile. Blocks take tickets in the order in which they start, so the owners of
/// all lower tiles are running: the block may wait for them, whatever blockIdx the scheduler starts
/// first.
__device__ inline unsigned claim_tile(unsigned* ticket, tile_storage& shared) {
  if (threadIdx.x == 0) shared.ticket = atomicAdd(ticket, 1u);  // relaxed: only the number counts
  __syncthreads();
  return shared.ticket;
}

/// own[k] = item k * block_threads + threadIdx.x of the tile: neighbours read neighbours. `padding`
/// stands for items beyond n.
__device__ inline void load_striped(const item* in, std::size_t n, std::size_t tile,
                                    item (&own)[thread_items], item padding = 0) {
  const std::size_t begin = tile * tile_items + threadIdx.x;
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k)
    own[k] = begin + k * block_threads < n ? in[begin + k * block_threads] : padding;
}

/// own = the thread_items neighbours of the tile that belong to this thread.
__device__ inline void load_tile(const item* in, std::size_t n, std::size_t tile,
                                 item (&own)[thread_items], tile_storage& shared,
                                 item padding = 0) {
  load_striped(in, n, tile, own, padding);
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k)
    shared.items[k * block_threads + threadIdx.x] = own[k];
  __syncthreads();
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k) own[k] = shared.items[threadIdx.x * thread_items + k];
}

/// The way back. The threads' own places in shared memory need no barrier before.
__device__ inline void store_tile(item* out, std::size_t n, std::size_t tile,
                                  const item (&own)[thread_items], tile_storage& shared) {
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k) shared.items[threadIdx.x * thread_items + k] = own[k];
  __syncthreads();
  const std::size_t begin = tile * tile_items + threadIdx.x;
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k) {
    const std::size_t i = begin + k * block_threads;
    if (i < n) out[i] = shared.items[k * block_threads + threadIdx.x];
  }
}

__device__ inline item sum_of(const item (&own)[thread_items]) {
  item sum = 0;
  for (const item value : own) sum += value;
  return sum;
}

/// The sum of `value` over the lanes up to this one, in five steps.
__device__ inline item warp_inclusive_scan(item value) {
  const unsigned lane = threadIdx.x % warp_threads;
  for (unsigned distance = 1; distance < warp_threads; distance *= 2) {
    const item left = __shfl_up_sync(~0u, value, distance);
    if (lane >= distance) value += left;
  }
  return value;
}

/// The sum of `value` over the threads before this one; aggregate = over all threads of the block.
__device__ inline item block_exclusive_scan(item value, item& aggregate, tile_storage& shared) {
  const unsigned warp = threadIdx.x / warp_threads;
  const item scanned = warp_inclusive_scan(value);
  if (threadIdx.x % warp_threads == warp_threads - 1) shared.warp_sums[warp] = scanned;
  __syncthreads();
  item before = 0;
  aggregate = 0;
  for (unsigned w = 0; w < block_warps; ++w) {
    if (w < warp) before += shared.warp_sums[w];
    aggregate += shared.warp_sums[w];
  }
  __syncthreads();  // the sums may be written again
  return before + scanned - value;
}

/// Replaces a thread's items by their scan, with `before` in front of it.
__device__ inline void scan_own(item (&own)[thread_items], item before, scan_kind kind) {
  for (item& value : own) {
    const item next = before + value;
    value = kind == scan_kind::inclusive ? next : before;
    before = next;
  }
}

}  // namespace methods::cuda

#endif
