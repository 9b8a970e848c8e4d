// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of onesweep.h.
#pragma once

#include "onesweep.h"

#if HINDSIGHT_CUDA
namespace methods::cuda {

/// counts[sweep * sweep_digits + d] += how many items have digit d in this pass
__global__ void count_digits_kernel(const item* in, std::size_t n, item* counts) {
  __shared__ item own_counts[num_sweeps * sweep_digits];
  for (unsigned c = threadIdx.x; c < num_sweeps * sweep_digits; c += block_threads)
    own_counts[c] = 0;
  __syncthreads();
  for (std::size_t tile = blockIdx.x; tile * tile_items < n; tile += gridDim.x) {
    item own[thread_items];
    load_striped(in, n, tile, own);
    const std::size_t begin = tile * tile_items + threadIdx.x;
#  pragma unroll
    for (unsigned k = 0; k < thread_items && begin + k * block_threads < n; ++k)
      for (unsigned sweep = 0; sweep < num_sweeps; ++sweep)
        atomicAdd(&own_counts[sweep * sweep_digits + sweep_digit(own[k], sweep)], 1u);
  }
  __syncthreads();
  // Relaxed, as atomicAdd is: nobody reads a counter before the launch has ended.
  for (unsigned c = threadIdx.x; c < num_sweeps * sweep_digits; c += block_threads)
    if (own_counts[c] > 0) atomicAdd(&counts[c], own_counts[c]);
}

static_assert(block_threads == sweep_digits, "each thread looks after one digit");

struct sweep_storage {
  tile_storage tile;
  item warp_counts[block_warps][sweep_digits];
  item places[sweep_digits];
};

/// Returns how many items of this digit come before this lane's in the warp, and counts this
/// lane's. `counts` are those of the warp's earlier items.
__device__ inline item rank_in_warp(unsigned digit, item* counts) {
  const unsigned lanes_below = (1u << threadIdx.x % warp_threads) - 1;
  const unsigned peers = __match_any_sync(~0u, digit);
  const unsigned peers_below = __popc(peers & lanes_below);
  const item before = counts[digit];
  __syncwarp();                                                  // all lanes have read
  if (peers_below == 0) counts[digit] = before + __popc(peers);  // one lane counts for all peers
  __syncwarp();
  return before + peers_below;
}

/// out = in, stably sorted by the digit of this pass.
///   counts  [sweep_digits] of this pass
///   words   [tiles][sweep_digits], all empty
__global__ void sweep_kernel(const item* in, std::size_t n, unsigned sweep, const item* counts,
                             item* out, word* words, unsigned* ticket) {
  __shared__ sweep_storage shared;
  const unsigned d = threadIdx.x;  // the digit that this thread looks after
  const unsigned warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
  for (unsigned w = 0; w < block_warps; ++w) shared.warp_counts[w][d] = 0;
  const std::size_t tile_begin = std::size_t{claim_tile(ticket, shared.tile)} * tile_items;
  const std::size_t begin = tile_begin + warp * warp_threads * thread_items + lane;

  // A warp's neighbours are loaded row by row, and ranked in this order: the sort is stable.
  item own[thread_items], ranks[thread_items];
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k) {
    const std::size_t i = begin + k * warp_threads;
    own[k] = i < n ? in[i] : ~item{0};  // beyond n: the largest digit, and behind all others
  }
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k)
    ranks[k] = rank_in_warp(sweep_digit(own[k], sweep), shared.warp_counts[warp]);
  __syncthreads();

  // Digit d: how many does the tile have, how many have the tiles before it, where do they begin?
  item count = 0, all;
  for (unsigned w = 0; w < block_warps; ++w) count += shared.warp_counts[w][d];
  const item before = look_back(words + d, tile_begin / tile_items, count, sweep_digits);
  const item start = block_exclusive_scan(counts[d], all, shared.tile);
  item begin_in_tile = block_exclusive_scan(count, all, shared.tile);
  shared.places[d] = start + before - begin_in_tile;
  for (unsigned w = 0; w < block_warps; ++w) {
    const item of_warp = shared.warp_counts[w][d];
    shared.warp_counts[w][d] = begin_in_tile;  // where the warp's items of this digit begin
    begin_in_tile += of_warp;
  }
  __syncthreads();

  // Sorted in shared memory first, so that neighbours of one digit write neighbours.
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k)
    shared.tile.items[shared.warp_counts[warp][sweep_digit(own[k], sweep)] + ranks[k]] = own[k];
  __syncthreads();
  for (unsigned i = threadIdx.x; i < tile_items && tile_begin + i < n; i += block_threads) {
    const item value = shared.tile.items[i];
    out[shared.places[sweep_digit(value, sweep)] + i] = value;
  }
}

inline void onesweep(const task& t) {
  const std::size_t tiles = num_tiles(t.n), num_words = tiles * sweep_digits;
  item* const buffer = t.memory.take<item>(t.n);
  item* const counts = t.memory.take<item>(num_sweeps * sweep_digits);
  word* const words = t.memory.take<word>(num_words + 1);  // the last one holds the tickets
  clear(t, counts, num_sweeps * sweep_digits);
  launch_tiles(t, std::min(tiles, blocks_at_once()), count_digits_kernel, t.in, t.n, counts);
  const item* from = t.in;
  for (unsigned sweep = 0; sweep < num_sweeps; ++sweep) {
    item* const to = sweep % 2 == 0 ? buffer : t.out;
    clear(t, words, num_words + 1);
    launch_tiles(t, tiles, sweep_kernel, from, t.n, sweep, counts + sweep * sweep_digits, to, words,
                 reinterpret_cast<unsigned*>(words + num_words));
    from = to;
  }
}

}  // namespace methods::cuda
#endif
