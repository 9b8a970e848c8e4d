// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decoupled look-back, 32 tiles at a time: the lanes of a warp read 32 words at once, so a walk
// over many tiles costs the latency of one load per window, not per tile. Source: Merrill & Garland
// 2016, where a whole warp looks back.
#pragma once

#include "look_back.h"

namespace methods {

inline constexpr unsigned window_tiles = 32;

inline cost look_back_window_cost(double n, const shape& s) {
  const double tiles = std::ceil(n / s.tile_items);
  return {2 * n + window_tiles * tiles, s.tile_steps + levels(tiles), 1,
          2 * n * sizeof(item) + (2 + window_tiles) * tiles * sizeof(word)};
}

namespace host {

/// The window's words are read before any of them is waited for.
inline item look_back_by_windows(word* words, std::size_t tile) {
  item carry = 0;
  for (std::size_t end = tile; end > 0;) {
    const std::size_t begin = end > window_tiles ? end - window_tiles : 0;
    tile_word seen[window_tiles];
    for (std::size_t i = begin; i < end; ++i) seen[i - begin] = peek(words[i]);
    while (end > begin) {
      tile_word& before = seen[--end - begin];
      if (before.state == tile_state::empty) before = wait(words[end]);
      carry = before.value + carry;
      if (before.state == tile_state::prefix) return carry;
    }
  }
  return carry;
}

inline void look_back_window(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  word* const words = t.memory.take<word>(tiles);
  std::fill(words, words + tiles, word{0});
  launch_tiles(tiles, [&](std::size_t tile) {
    const range r = tile_range(tile, t.n);
    const item aggregate = sum_of(t.in, r);
    publish(words[tile], {tile_state::aggregate, aggregate});
    const item carry = look_back_by_windows(words, tile);
    publish(words[tile], {tile_state::prefix, carry + aggregate});
    scan_range(t.in, r, carry, t.out, t.kind);
  });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

/// Called by a full warp. Lane 0 watches the nearest tile of a window. An operator that does not
/// commute would need the lanes' values folded in tile order here.
__device__ inline item look_back_by_windows(word* words, unsigned tile) {
  const int lane = int(threadIdx.x % warp_threads);
  item carry = 0;
  for (int nearest = int(tile) - 1;; nearest -= int(window_tiles)) {
    const int watched = nearest - lane;
    // In front of tile 0 lies nothing, and that is known.
    const tile_word before = watched >= 0 ? wait(words[watched]) : tile_word{tile_state::prefix, 0};
    const unsigned prefixes = __ballot_sync(~0u, before.state == tile_state::prefix);
    const int last = prefixes ? __ffs(int(prefixes)) - 1 : int(window_tiles) - 1;
    carry += __reduce_add_sync(~0u, lane <= last ? before.value : 0);
    if (prefixes) return carry;
  }
}

__global__ void look_back_window_kernel(const item* in, std::size_t n, scan_kind kind, item* out,
                                        word* words, unsigned* ticket) {
  __shared__ tile_storage shared;
  const unsigned tile = claim_tile(ticket, shared);
  item own[thread_items], aggregate;
  load_tile(in, n, tile, own, shared);
  const item before = block_exclusive_scan(sum_of(own), aggregate, shared);
  if (threadIdx.x < warp_threads) {
    const bool speaks = threadIdx.x == 0;
    if (speaks) publish(words[tile], {tile_state::aggregate, aggregate});
    const item carry = look_back_by_windows(words, tile);
    if (speaks) publish(words[tile], {tile_state::prefix, carry + aggregate});
    if (speaks) shared.carry = carry;
  }
  __syncthreads();
  scan_own(own, shared.carry + before, kind);
  store_tile(out, n, tile, own, shared);
}

inline void look_back_window(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  word* const words = t.memory.take<word>(tiles + 1);  // the last one holds the tickets
  clear(t, words, tiles + 1);
  launch_tiles(t, tiles, look_back_window_kernel, t.in, t.n, t.kind, t.out, words,
               reinterpret_cast<unsigned*>(words + tiles));
}

}  // namespace cuda
#endif

}  // namespace methods
