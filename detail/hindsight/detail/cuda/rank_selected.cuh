// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a selection of few numbers: the k lowest are put in order.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/selection_round.cuh>
#include <hindsight/detail/ptx.cuh>

#include <cuda/std/functional>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// 1 if a < b, else 0.
template <class Number>
HINDSIGHT_HD unsigned is_lower(Number a, Number b) {
  if constexpr (sizeof(Number) <= 8) {
    return a < b ? 1 : 0;
  } else {  // the borrow of a - b: of four words this takes fewer instructions than a comparison
    const auto borrows = static_cast<Number>((~a & b) | (~(a ^ b) & (a - b)));
    return static_cast<unsigned>(borrows >> (sizeof(Number) * 8 - 1));
  }
}

template <class Tuning, class Number>
struct rank_tile {
  Number numbers[Tuning::rank_tile];
  unsigned ranks[warp_lanes];
};

/// write(rank, number) for the k lowest of the numbers that a selection has left, if these are few.
/// A number's rank is how many are lower. Each block finds the ranks of a row of numbers: each lane
/// has one, and each warp compares them with a part of all numbers.
template <class Tuning, class Number, class Write>
HINDSIGHT_BOUNDED_KERNEL(Tuning::rank_threads, 1)
void rank_kernel(selection<Tuning, Number> all, Write write) {
  constexpr unsigned threads = Tuning::rank_threads, tile_items = Tuning::rank_tile;
  constexpr unsigned warps = threads / warp_lanes, at_once = 8;
  static_assert(tile_items % (at_once * warps) == 0);
  using tile = rank_tile<Tuning, Number>;
  HINDSIGHT_SHARED(shared, tile);
  ptx::wait_for_launch_before();
  const auto& left = all.state->result;
  const auto num_selected = static_cast<unsigned>(left.num_selected);
  const unsigned size = num_selected + static_cast<unsigned>(left.list_size);
  if (blockIdx.x * warp_lanes >= size) return;
  const Number* const list = all.list_for(left.round);
  const auto at = [&](unsigned i) {
    if (i >= size) return static_cast<Number>(~Number{0});  // lower than none
    return i < num_selected ? all.selected[i] : list[i - num_selected];
  };
  const unsigned item = blockIdx.x * warp_lanes + lane_index();
  const Number number = at(item);
  if (warp_index() == 0) shared.ranks[lane_index()] = 0;
  unsigned rank = 0;
  for (unsigned begin = 0; begin < size; begin += tile_items) {
    HINDSIGHT_UNROLL
    for (unsigned i = threadIdx.x; i < tile_items; i += threads) shared.numbers[i] = at(begin + i);
    __syncthreads();
    const unsigned end = ::cuda::std::min(tile_items, size - begin);
    for (unsigned first = warp_index(); first < end; first += at_once * warps) {
      HINDSIGHT_UNROLL
      for (unsigned i = 0; i < at_once; ++i)  // up to the tile's end there is always a number
        rank += cuda::is_lower(shared.numbers[first + i * warps], number);
    }
    __syncthreads();
  }
  atomicAdd(shared.ranks + lane_index(), rank);
  __syncthreads();
  if (warp_index() != 0 || item >= size) return;
  rank = shared.ranks[lane_index()];
  if (rank < all.k) write(rank, number);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
