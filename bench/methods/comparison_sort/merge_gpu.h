// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of merge.h.
#pragma once

#include "merge.h"
#include "odd_even_transposition.h"

#if HINDSIGHT_CUDA
namespace methods::cuda {

/// Sorts a thread's own items. All indices are constants, so the items stay in registers.
__device__ inline void sort_own(item (&own)[thread_items]) {
#  pragma unroll
  for (unsigned round = 0; round < thread_items; ++round)
#  pragma unroll
    for (unsigned i = round % 2; i + 1 < thread_items; i += 2) compare_exchange(own[i], own[i + 1]);
}

/// own = items [first, first + thread_items) of the merge, as far as there are so many.
__device__ inline void merge_own(run_pair runs, unsigned first, item (&own)[thread_items]) {
  const std::size_t total = runs.a_count + runs.b_count;
  run_pair left = after(runs, first < total ? first : total);
  for (item& value : own)
    if (left.a_count + left.b_count > 0) value = take_next(left);
}

/// Sorts each tile: the threads' own items, then merges of twice as many in each round.
__global__ void merge_tiles_kernel(const item* in, std::size_t n, item* out) {
  __shared__ tile_storage shared;
  item own[thread_items];
  load_tile(in, n, blockIdx.x, own, shared, ~item{0});  // beyond n: the largest, and never stored
  sort_own(own);
  const unsigned place = threadIdx.x * thread_items;
  for (unsigned run = thread_items; run < tile_items; run *= 2) {
    for (unsigned k = 0; k < thread_items; ++k) shared.items[place + k] = own[k];
    __syncthreads();
    const run_pair runs = runs_at(shared.items, tile_items, run, place);
    merge_own(runs, place - unsigned(runs.a - shared.items), own);
    __syncthreads();
  }
  store_tile(out, n, blockIdx.x, own, shared);
}

/// Merges runs of `run` items, a multiple of a tile. Each block makes one tile of the output.
__global__ void merge_runs_kernel(const item* in, std::size_t n, std::size_t run, item* out) {
  __shared__ tile_storage shared;
  __shared__ run_pair ends[2];  // what is left at the tile's begin and at its end
  const std::size_t begin = std::size_t{blockIdx.x} * tile_items;
  const unsigned count = n - begin < tile_items ? unsigned(n - begin) : tile_items;
  if (threadIdx.x < 2) {
    const run_pair runs = runs_at(in, n, run, begin);
    ends[threadIdx.x] = after(runs, begin - std::size_t(runs.a - in) + threadIdx.x * count);
  }
  __syncthreads();
  const run_pair tile = ends[0];
  const unsigned a_count = unsigned(tile.a_count - ends[1].a_count);
  for (unsigned i = threadIdx.x; i < count; i += block_threads)
    shared.items[i] = i < a_count ? tile.a[i] : tile.b[i - a_count];
  __syncthreads();
  item own[thread_items] = {};
  merge_own({shared.items, shared.items + a_count, a_count, count - a_count},
            threadIdx.x * thread_items, own);
  __syncthreads();
  store_tile(out, n, blockIdx.x, own, shared);
}

inline void merge_sort(const task& t) {
  const std::size_t tiles = num_tiles(t.n);
  item* const buffer = t.memory.take<item>(t.n);
  unsigned merges = 0;
  while (std::size_t{tile_items} << merges < t.n) ++merges;
  item* from = merges % 2 == 0 ? t.out : buffer;  // so that the last merge ends in out
  item* to = merges % 2 == 0 ? buffer : t.out;
  launch_tiles(t, tiles, merge_tiles_kernel, t.in, t.n, from);
  for (std::size_t run = tile_items; run < t.n; run *= 2, std::swap(from, to))
    launch_tiles(t, tiles, merge_runs_kernel, from, t.n, run, to);
}

}  // namespace methods::cuda
#endif
