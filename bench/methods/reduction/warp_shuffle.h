// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sum by warps: a thread adds several items in registers, the lanes of a warp add theirs by
// shuffles, without shared memory or barriers, and one barrier brings the warps' sums together.
// Source: Luitjens 2014, "Faster Parallel Reductions on Kepler".
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

inline cost warp_shuffle_cost(double n, const shape& s) {
  return {n - 1, levels(n), 1, (n + 2 * n / s.tile_items) * sizeof(item)};
}

namespace host {

/// 32 sums side by side, as the lanes have them and as vector registers like them.
inline item sum_by_lanes(const item* in, range r) {
  constexpr unsigned num_lanes = 32;
  item lanes[num_lanes] = {};
  std::size_t i = r.begin;
  for (; i + num_lanes <= r.end; i += num_lanes)
    for (unsigned lane = 0; lane < num_lanes; ++lane) lanes[lane] += in[i + lane];
  for (unsigned lane = 0; i < r.end; ++i, ++lane) lanes[lane] += in[i];
  for (unsigned half = num_lanes / 2; half > 0; half /= 2)
    for (unsigned lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  return lanes[0];
}

inline void warp_shuffle(const task& t) {
  const item* from = t.in;
  std::size_t count = t.n;
  do {
    const std::size_t tiles = std::max<std::size_t>(num_tiles(count), 1);
    item* const to = tiles == 1 ? t.out : t.memory.take<item>(tiles);
    launch_tiles(tiles,
                 [=](std::size_t tile) { to[tile] = sum_by_lanes(from, tile_range(tile, count)); });
    from = to;
    count = tiles;
  } while (count > 1);
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__device__ inline item warp_sum(item value) {
  for (unsigned distance = warp_threads / 2; distance > 0; distance /= 2)
    value += __shfl_down_sync(~0u, value, distance);
  return value;  // in lane 0
}

/// The sum of `value` over the block, in thread 0.
__device__ inline item block_sum(item value) {
  __shared__ item warp_sums[block_warps];
  const unsigned lane = threadIdx.x % warp_threads, warp = threadIdx.x / warp_threads;
  value = warp_sum(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();
  return warp == 0 ? warp_sum(lane < block_warps ? warp_sums[lane] : 0) : 0;
}

__global__ void warp_shuffle_kernel(const item* from, std::size_t count, item* to) {
  item own[thread_items];
  load_striped(from, count, blockIdx.x, own);
  const item sum = block_sum(sum_of(own));
  if (threadIdx.x == 0) to[blockIdx.x] = sum;
}

inline void warp_shuffle(const task& t) {
  const item* from = t.in;
  std::size_t count = t.n;
  do {
    const std::size_t tiles = std::max<std::size_t>(num_tiles(count), 1);
    item* const to = tiles == 1 ? t.out : t.memory.take<item>(tiles);
    launch_tiles(t, tiles, warp_shuffle_kernel, from, count, to);
    from = to;
    count = tiles;
  } while (count > 1);
}

}  // namespace cuda
#endif

}  // namespace methods
