// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan in one pass: each tile waits for the sum of all tiles before it, adds its own and passes it
// on. Items are read once and written once, but the tiles form one long chain.
// Source: Yan, Long & Zhang 2013, "StreamScan: Fast Scan Algorithms for GPUs without Global Barrier
// Synchronization".
#pragma once

#include "../host.h"
#include "../look_back.h"
#include "../tile.h"

namespace methods {

inline cost chained_scan_cost(double n, const shape& s) {
  const double tiles = std::ceil(n / s.tile_items);
  return {2 * n + tiles, s.tile_steps + tiles, 1, 2 * n * sizeof(item) + 3 * tiles * sizeof(word)};
}

/// Receives the sum of all tiles before this one, and sends it on with this tile's sum.
HINDSIGHT_HD inline item pass_on(word* words, std::size_t tile, item aggregate) {
  const item carry = tile > 0 ? wait(words[tile - 1]).value : 0;
  publish(words[tile], {tile_state::prefix, carry + aggregate});
  return carry;
}

namespace host {

inline void chained_scan(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  word* const words = t.memory.take<word>(tiles);
  std::fill(words, words + tiles, word{0});
  launch_tiles(tiles, [&](std::size_t tile) {
    const range r = tile_range(tile, t.n);
    const item carry = pass_on(words, tile, sum_of(t.in, r));
    scan_range(t.in, r, carry, t.out, t.kind);  // the tile's items are still in the cache
  });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void chained_scan_kernel(const item* in, std::size_t n, scan_kind kind, item* out,
                                    word* words, unsigned* ticket) {
  __shared__ tile_storage shared;
  const unsigned tile = claim_tile(ticket, shared);
  item own[thread_items], aggregate;
  load_tile(in, n, tile, own, shared);
  const item before = block_exclusive_scan(sum_of(own), aggregate, shared);
  if (threadIdx.x == 0) shared.carry = pass_on(words, tile, aggregate);
  __syncthreads();
  scan_own(own, shared.carry + before, kind);
  store_tile(out, n, tile, own, shared);
}

inline void chained_scan(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  word* const words = t.memory.take<word>(tiles + 1);  // the last one holds the tickets
  clear(t, words, tiles + 1);
  launch_tiles(t, tiles, chained_scan_kernel, t.in, t.n, t.kind, t.out, words,
               reinterpret_cast<unsigned*>(words + tiles));
}

}  // namespace cuda
#endif

}  // namespace methods
