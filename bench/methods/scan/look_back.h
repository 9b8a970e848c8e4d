// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan in one pass without the chain: a tile publishes its own sum before it knows what lies before
// it, and looks back over such sums until it meets a tile that does know.
// Source: Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back".
#pragma once

#include "../host.h"
#include "../look_back.h"
#include "../tile.h"

namespace methods {

/// Steps: if all tiles publish at once, the second half of them meets no prefix in the first.
/// Usually the prefix is a few tiles away.
inline cost look_back_scan_cost(double n, const shape& s) {
  const double tiles = std::ceil(n / s.tile_items);
  return {2 * n + 2 * tiles, s.tile_steps + levels(tiles), 1,
          2 * n * sizeof(item) + 4 * tiles * sizeof(word)};
}

/// The sum of all tiles before this one. Nearer tiles are added on the right, so the operator need
/// not commute. The words of neighbouring tiles lie `stride` words apart.
HINDSIGHT_HD inline item look_back(word* words, std::size_t tile, item aggregate,
                                   std::size_t stride = 1) {
  word& own = words[tile * stride];
  if (tile == 0) {
    publish(own, {tile_state::prefix, aggregate});
    return 0;
  }
  publish(own, {tile_state::aggregate, aggregate});
  item carry = 0;
  for (std::size_t i = tile; i-- > 0;) {
    const tile_word before = wait(words[i * stride]);
    carry = before.value + carry;
    if (before.state == tile_state::prefix) break;  // tile 0 has one, so i never passes it
  }
  publish(own, {tile_state::prefix, carry + aggregate});
  return carry;
}

namespace host {

inline void look_back_scan(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  word* const words = t.memory.take<word>(tiles);
  std::fill(words, words + tiles, word{0});
  launch_tiles(tiles, [&](std::size_t tile) {
    const range r = tile_range(tile, t.n);
    const item carry = look_back(words, tile, sum_of(t.in, r));
    scan_range(t.in, r, carry, t.out, t.kind);
  });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void look_back_scan_kernel(const item* in, std::size_t n, scan_kind kind, item* out,
                                      word* words, unsigned* ticket) {
  __shared__ tile_storage shared;
  const unsigned tile = claim_tile(ticket, shared);
  item own[thread_items], aggregate;
  load_tile(in, n, tile, own, shared);
  const item before = block_exclusive_scan(sum_of(own), aggregate, shared);
  if (threadIdx.x == 0) shared.carry = look_back(words, tile, aggregate);
  __syncthreads();
  scan_own(own, shared.carry + before, kind);
  store_tile(out, n, tile, own, shared);
}

inline void look_back_scan(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  word* const words = t.memory.take<word>(tiles + 1);  // the last one holds the tickets
  clear(t, words, tiles + 1);
  launch_tiles(t, tiles, look_back_scan_kernel, t.in, t.n, t.kind, t.out, words,
               reinterpret_cast<unsigned*>(words + tiles));
}

}  // namespace cuda
#endif

}  // namespace methods
