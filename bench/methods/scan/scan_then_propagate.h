// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan in two passes over tiles: first each tile for itself, then what lies before a tile is added
// to all its items. Items are read twice and written twice.
// Source: Sengupta, Harris, Zhang & Owens 2007, "Scan Primitives for GPU Computing".
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

inline cost scan_then_propagate_cost(double n, const shape& s) {
  if (n <= s.tile_items) return {n, s.tile_steps, 1, 2 * n * sizeof(item)};
  const cost of_sums = scan_then_propagate_cost(std::ceil(n / s.tile_items), s);
  return {2 * n + of_sums.operations, s.tile_steps + 1 + of_sums.steps, 2,
          4 * n * sizeof(item) + of_sums.bytes};
}

namespace host {

inline void scan_then_propagate(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  item* const sums = t.memory.take<item>(tiles);
  item* const before = t.memory.take<item>(tiles);
  launch_tiles(tiles, [&](std::size_t tile) {
    const range r = tile_range(tile, t.n);
    const item last = t.in[r.end - 1];  // an exclusive scan leaves it out
    scan_range(t.in, r, 0, t.out, t.kind);
    sums[tile] = t.out[r.end - 1] + (t.kind == scan_kind::exclusive ? last : 0);
  });
  if (tiles <= 1) return;
  scan_then_propagate({sums, tiles, before, nullptr, scan_kind::exclusive, t.memory, t.stream});
  launch_tiles(tiles, [&](std::size_t tile) {
    const range r = tile_range(tile, t.n);
    for (std::size_t i = r.begin; i < r.end; ++i) t.out[i] += before[tile];
  });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void scan_each_tile_kernel(const item* in, std::size_t n, scan_kind kind, item* out,
                                      item* sums) {
  __shared__ tile_storage shared;
  item own[thread_items], aggregate;
  load_tile(in, n, blockIdx.x, own, shared);
  const item before = block_exclusive_scan(sum_of(own), aggregate, shared);
  if (threadIdx.x == 0) sums[blockIdx.x] = aggregate;
  scan_own(own, before, kind);
  store_tile(out, n, blockIdx.x, own, shared);
}

__global__ void propagate_kernel(item* out, std::size_t n, const item* before) {
  item own[thread_items];
  load_striped(out, n, blockIdx.x, own);
  const std::size_t begin = std::size_t{blockIdx.x} * tile_items + threadIdx.x;
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k)
    if (begin + k * block_threads < n) out[begin + k * block_threads] = before[blockIdx.x] + own[k];
}

inline void scan_then_propagate(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  item* const sums = t.memory.take<item>(tiles);
  item* const before = t.memory.take<item>(tiles);
  launch_tiles(t, tiles, scan_each_tile_kernel, t.in, t.n, t.kind, t.out, sums);
  if (tiles <= 1) return;
  scan_then_propagate({sums, tiles, before, nullptr, scan_kind::exclusive, t.memory, t.stream});
  launch_tiles(t, tiles, propagate_kernel, t.out, t.n, before);
}

}  // namespace cuda
#endif

}  // namespace methods
