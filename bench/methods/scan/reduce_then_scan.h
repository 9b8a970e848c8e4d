// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan in two passes over tiles: first only the tiles' sums, then, from the scan of those, each
// tile with what lies before it. Items are read twice and written once. Source: Dotsenko et al.
// 2008, "Fast Scan Algorithms on Graphics Processors"; Merrill & Grimshaw 2009, "Parallel Scan for
// Stream Architectures".
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

inline cost reduce_then_scan_cost(double n, const shape& s) {
  if (n <= s.tile_items) return {n, s.tile_steps, 1, 2 * n * sizeof(item)};
  const cost of_sums = reduce_then_scan_cost(std::ceil(n / s.tile_items), s);
  return {2 * n + of_sums.operations, 2 * s.tile_steps + of_sums.steps, 2,
          3 * n * sizeof(item) + of_sums.bytes};
}

namespace host {

inline void reduce_then_scan(const task& t) {
  if (t.n <= tile_items) {
    launch(1, [&](std::size_t) { scan_range(t.in, {0, t.n}, 0, t.out, t.kind); });
    return;
  }
  const std::size_t tiles = num_tiles(t.n);
  item* const sums = t.memory.take<item>(tiles);
  item* const before = t.memory.take<item>(tiles);
  launch_tiles(tiles, [&](std::size_t tile) { sums[tile] = sum_of(t.in, tile_range(tile, t.n)); });
  reduce_then_scan({sums, tiles, before, nullptr, scan_kind::exclusive, t.memory, t.stream});
  launch_tiles(tiles, [&](std::size_t tile) {
    scan_range(t.in, tile_range(tile, t.n), before[tile], t.out, t.kind);
  });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void tile_sums_kernel(const item* in, std::size_t n, item* sums) {
  __shared__ tile_storage shared;
  item own[thread_items], aggregate;
  load_striped(in, n, blockIdx.x, own);  // any order will do for a sum
  block_exclusive_scan(sum_of(own), aggregate, shared);
  if (threadIdx.x == 0) sums[blockIdx.x] = aggregate;
}

/// before  what lies before each tile; null if there is only one
__global__ void scan_tiles_kernel(const item* in, std::size_t n, const item* before, scan_kind kind,
                                  item* out) {
  __shared__ tile_storage shared;
  item own[thread_items], aggregate;
  load_tile(in, n, blockIdx.x, own, shared);
  item carry = block_exclusive_scan(sum_of(own), aggregate, shared);
  if (before) carry += before[blockIdx.x];
  scan_own(own, carry, kind);
  store_tile(out, n, blockIdx.x, own, shared);
}

inline void reduce_then_scan(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  item* before = nullptr;
  if (tiles > 1) {
    item* const sums = t.memory.take<item>(tiles);
    before = t.memory.take<item>(tiles);
    launch_tiles(t, tiles, tile_sums_kernel, t.in, t.n, sums);
    reduce_then_scan({sums, tiles, before, nullptr, scan_kind::exclusive, t.memory, t.stream});
  }
  launch_tiles(t, tiles, scan_tiles_kernel, t.in, t.n, before, t.kind, t.out);
}

}  // namespace cuda
#endif

}  // namespace methods
