// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The beginning of every look-back kernel: the block claims a tile, and a warp or a lane finds its
// items in it.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/tile_sums.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Where the items of this warp, or of this lane, begin.
struct claimed_items {
  std::size_t tile;     ///< the block's tile
  int begin;            ///< place of the first item in the tile
  std::size_t first;    ///< place of the first item in the input
  std::ptrdiff_t left;  ///< items from there to the end of the input; 0 or less: none
};

/// Claims a tile for the block. False if there is none for it: then the block is done.
///   Neighbours  how many a lane holds side by side: `at` is where this lane's items begin; or 0:
///               where the warp's begin
template <class Tuning, int Neighbours = 0, class Chain, class Op, class Init, class Storage>
HINDSIGHT_DEVICE bool claim_items(const Chain& chain, Op op, Init init, std::size_t n,
                                  Storage& shared, claimed_items& at) {
  constexpr tile_shape shape = Tuning::shape;
  if (!cuda::claim_tile<shape.warps>(chain, op, init, shared, at.tile)) return false;
  at.begin = cuda::shared_warp_index() * shape.warp_items() + Neighbours * lane_index();
  at.first = at.tile * shape.tile_items() + at.begin;
  at.left = static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(at.first);
  return true;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
