// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of upsweep_downsweep.h.
#pragma once

#include "upsweep_downsweep.h"

#if HINDSIGHT_CUDA
namespace methods::cuda {

/// counts[d * gridDim.x + tile] = how many items of the tile have digit d
__global__ void upsweep_kernel(const item* in, std::size_t n, unsigned bit, item* counts) {
  __shared__ item own_counts[block_warps][num_digits];  // a copy per warp: shorter queues
  const unsigned warp = threadIdx.x / warp_threads;
  if (threadIdx.x < block_warps * num_digits) own_counts[0][threadIdx.x] = 0;
  item own[thread_items];
  load_striped(in, n, blockIdx.x, own);
  __syncthreads();
  const std::size_t begin = std::size_t{blockIdx.x} * tile_items + threadIdx.x;
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k)
    if (begin + k * block_threads < n) atomicAdd(&own_counts[warp][digit_of(own[k], bit)], 1u);
  __syncthreads();
  if (threadIdx.x >= num_digits) return;
  item count = 0;
  for (unsigned w = 0; w < block_warps; ++w) count += own_counts[w][threadIdx.x];
  counts[std::size_t{threadIdx.x} * gridDim.x + blockIdx.x] = count;
}

/// Sorts the tile in shared memory by one bit: a split, as in split.h, of the block's own.
__device__ inline void split_tile(item (&own)[thread_items], unsigned bit, tile_storage& shared) {
  item zeros = 0, tile_zeros;
  for (const item value : own) zeros += is_zero(value, bit);
  item zero_place = block_exclusive_scan(zeros, tile_zeros, shared);
  item one_place = tile_zeros + threadIdx.x * thread_items - zero_place;
  for (const item value : own)
    shared.items[is_zero(value, bit) ? zero_place++ : one_place++] = value;
  __syncthreads();
#  pragma unroll
  for (unsigned k = 0; k < thread_items; ++k) own[k] = shared.items[threadIdx.x * thread_items + k];
}

/// places[d * gridDim.x + tile] = where the tile's first item of digit d goes
__global__ void downsweep_kernel(const item* in, std::size_t n, unsigned bit, const item* places,
                                 item* out) {
  __shared__ tile_storage shared;
  __shared__ unsigned first_of_digit[num_digits];
  item own[thread_items];
  load_tile(in, n, blockIdx.x, own, shared, ~item{0});  // beyond n: the largest, and behind all
  for (unsigned b = bit; b < bit + digit_bits; ++b) split_tile(own, b, shared);

  // The tile is sorted by its digit: neighbours of one digit go to neighbouring places.
  for (unsigned i = threadIdx.x; i < tile_items; i += block_threads) {
    const unsigned digit = digit_of(shared.items[i], bit);
    if (i == 0 || digit_of(shared.items[i - 1], bit) != digit) first_of_digit[digit] = i;
  }
  __syncthreads();
  const std::size_t begin = std::size_t{blockIdx.x} * tile_items;
  for (unsigned i = threadIdx.x; i < tile_items && begin + i < n; i += block_threads) {
    const unsigned digit = digit_of(shared.items[i], bit);
    out[places[std::size_t{digit} * gridDim.x + blockIdx.x] + i - first_of_digit[digit]] =
        shared.items[i];
  }
}

inline void upsweep_downsweep(const task& t) {
  const std::size_t tiles = num_tiles(t.n), num_counts = tiles * num_digits;
  item* const buffer = t.memory.take<item>(t.n);
  item* const counts = t.memory.take<item>(num_counts);
  item* const places = t.memory.take<item>(num_counts);
  const item* from = t.in;
  for (unsigned bit = 0; bit < item_bits; bit += digit_bits) {
    item* const to = bit / digit_bits % 2 == 0 ? buffer : t.out;
    launch_tiles(t, tiles, upsweep_kernel, from, t.n, bit, counts);
    reduce_then_scan(
        {counts, num_counts, places, nullptr, scan_kind::exclusive, t.memory, t.stream});
    launch_tiles(t, tiles, downsweep_kernel, from, t.n, bit, places, to);
    from = to;
  }
}

}  // namespace methods::cuda
#endif
