// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compaction in one pass: a tile counts what it keeps, looks back for what the tiles before it
// keep, and writes. Flags and positions stay in registers and shared memory. Source: Merrill &
// Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back".
#pragma once

#include "../scan/look_back.h"

namespace methods {

inline cost single_pass_compaction_cost(double n, const shape& s) {
  const cost scan = look_back_scan_cost(n, s);
  const double written = n / 2;  // half of the items are kept
  return {scan.operations, scan.steps, 1, scan.bytes - (n - written) * sizeof(item)};
}

namespace host {

inline void single_pass_compaction(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  word* const words = t.memory.take<word>(tiles);
  std::fill(words, words + tiles, word{0});
  if (tiles == 0) *t.num_kept = 0;
  launch_tiles(tiles, [&](std::size_t tile) {
    const range r = tile_range(tile, t.n);
    item count = 0;
    for (std::size_t i = r.begin; i < r.end; ++i) count += is_kept(t.in[i]);
    item position = look_back(words, tile, count);
    for (std::size_t i = r.begin; i < r.end; ++i)
      if (is_kept(t.in[i])) t.out[position++] = t.in[i];
    if (tile == tiles - 1) *t.num_kept = position;
  });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void single_pass_compaction_kernel(const item* in, std::size_t n, item* out,
                                              item* num_kept, word* words, unsigned* ticket) {
  __shared__ tile_storage shared;
  const unsigned tile = claim_tile(ticket, shared);
  item own[thread_items];
  load_tile(in, n, tile, own, shared);  // 0 beyond the end: not kept

  item count = 0, tile_count;
  for (const item value : own) count += is_kept(value);
  item place = block_exclusive_scan(count, tile_count, shared);
  if (threadIdx.x == 0) shared.carry = look_back(words, tile, tile_count);

  // Closed up in shared memory first, so that neighbours write neighbours.
  for (const item value : own)
    if (is_kept(value)) shared.items[place++] = value;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < tile_count; i += block_threads)
    out[shared.carry + i] = shared.items[i];
  const bool is_last = (std::size_t{tile} + 1) * tile_items >= n;
  if (is_last && threadIdx.x == 0) *num_kept = shared.carry + tile_count;
}

inline void single_pass_compaction(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  if (tiles == 0) return clear(t, t.num_kept, 1);
  word* const words = t.memory.take<word>(tiles + 1);  // the last one holds the tickets
  clear(t, words, tiles + 1);
  launch_tiles(t, tiles, single_pass_compaction_kernel, t.in, t.n, t.out, t.num_kept, words,
               reinterpret_cast<unsigned*>(words + tiles));
}

}  // namespace cuda
#endif

}  // namespace methods
