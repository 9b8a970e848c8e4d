// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histogram by private copies: each block counts in shared memory, where a queue is short and fast,
// and adds its copy to the result once.
// Source: Podlozhnyuk 2007, "Histogram calculation in CUDA".
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

/// Steps: those of an item whose copy is shared by a tile's worth of others, then the copies' sum.
inline cost private_copies_cost(double n, const shape& s) {
  const double copies = std::ceil(n / s.tile_items);
  return {n + copies * num_bins, s.tile_items / num_bins + levels(copies), 1, n * sizeof(item)};
}

namespace host {

inline void private_copies(const task& t) {
  const std::size_t num_shares = team_size(t.n);
  item* const copies = t.memory.take<item>(num_shares * num_bins);
  launch_tiles(num_shares, [&](std::size_t share) {
    item counts[num_bins] = {};  // on this thread's stack: no other thread's line
    const std::size_t end = t.n * (share + 1) / num_shares;
    for (std::size_t i = t.n * share / num_shares; i < end; ++i) ++counts[bin_of(t.in[i])];
    std::copy(counts, counts + num_bins, copies + share * num_bins);
  });
  launch(num_bins, [&](std::size_t bin) {
    item sum = 0;
    for (std::size_t share = 0; share < num_shares; ++share) sum += copies[share * num_bins + bin];
    t.out[bin] = sum;
  });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void count_in_shared_kernel(const item* in, std::size_t n, item* out) {
  __shared__ item counters[num_bins];
  for (unsigned bin = threadIdx.x; bin < num_bins; bin += block_threads) counters[bin] = 0;
  __syncthreads();
  for (std::size_t tile = blockIdx.x; tile * tile_items < n; tile += gridDim.x) {
    item own[thread_items];
    load_striped(in, n, tile, own);
    const std::size_t begin = tile * tile_items + threadIdx.x;
#  pragma unroll
    for (unsigned k = 0; k < thread_items; ++k)
      if (begin + k * block_threads < n) atomicAdd(&counters[bin_of(own[k])], 1u);
  }
  __syncthreads();
  // Relaxed, as atomicAdd is: nobody reads a counter before the launch has ended.
  for (unsigned bin = threadIdx.x; bin < num_bins; bin += block_threads)
    if (counters[bin] > 0) atomicAdd(&out[bin], counters[bin]);
}

inline void private_copies(const task& t) {
  clear(t, t.out, num_bins);
  launch_tiles(t, std::min(num_tiles(t.n), blocks_at_once()), count_in_shared_kernel, t.in, t.n,
               t.out);
}

}  // namespace cuda
#endif

}  // namespace methods
