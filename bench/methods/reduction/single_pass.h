// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sum in one launch: each block leaves a partial sum, and the block that finishes last adds them.
// The last block adds in the order of the blocks, so even sums of floats would not vary.
// Source: NVIDIA, CUDA C++ Programming Guide, "Memory Fence Functions" (sample
// threadFenceReduction).
#pragma once

#include <cuda/atomic>

#include "warp_shuffle.h"

namespace methods {

inline cost single_pass_reduction_cost(double n, const shape&) {
  return {n - 1, levels(n), 1, n * sizeof(item)};
}

namespace host {

inline void single_pass_reduction(const task& t) {
  const std::size_t num_shares = team_size(t.n);
  item* const partial_sums = t.memory.take<item>(num_shares);
  std::atomic<std::size_t> num_finished{0};
  launch_tiles(num_shares, [&](std::size_t share) {
    partial_sums[share] =
        sum_by_lanes(t.in, {t.n * share / num_shares, t.n * (share + 1) / num_shares});
    // Release: the partial sum is there before the count says so. Acquire: who counts last sees
    // all.
    if (num_finished.fetch_add(1, std::memory_order_acq_rel) + 1 == num_shares)
      t.out[0] = sum_of(partial_sums, {0, num_shares});
  });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void single_pass_reduction_kernel(const item* in, std::size_t n, item* out,
                                             item* partial_sums, unsigned* num_finished) {
  __shared__ bool is_last;
  item sum = 0;
  for (std::size_t tile = blockIdx.x; tile * tile_items < n; tile += gridDim.x) {
    item own[thread_items];
    load_striped(in, n, tile, own);
    sum += sum_of(own);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    partial_sums[blockIdx.x] = sum;
    // Release: the partial sum is there before the count says so. Acquire: who counts last sees
    // all.
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> finished{*num_finished};
    is_last = finished.fetch_add(1, ::cuda::memory_order_acq_rel) + 1 == gridDim.x;
  }
  __syncthreads();  // passes on to the block what thread 0 has acquired
  if (!is_last) return;

  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += block_threads) sum += partial_sums[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[0] = sum;
}

inline void single_pass_reduction(const task& t) {
  const std::size_t blocks = std::max<std::size_t>(std::min(num_tiles(t.n), blocks_at_once()), 1);
  item* const partial_sums = t.memory.take<item>(blocks);
  unsigned* const num_finished = t.memory.take<unsigned>(1);
  clear(t, num_finished, 1);
  launch_tiles(t, blocks, single_pass_reduction_kernel, t.in, t.n, t.out, partial_sums,
               num_finished);
}

}  // namespace cuda
#endif

}  // namespace methods
