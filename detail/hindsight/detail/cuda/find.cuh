// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first item with a property. Warps search side by side, in order of places; once an item is
// found, no work begins on places behind it.
#pragma once

#include <hindsight/detail/board/first_place.h>
#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/cuda/block/existing_items.cuh>
#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/select.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// *result = the least i with pred(in[i]), or n.
template <class Tuning, class It, class Pred>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void find_kernel(It in, std::size_t n, Pred pred, first_place found, std::size_t* result,
                 launch_state* state) {
  using T = value_of<It>;
  constexpr tile_shape shape = Tuning::shape;
  constexpr int lane_items = shape.lane_items, neighbours = striped_neighbours<T>;
  const std::size_t step = std::size_t{gridDim.x} * shape.tile_items();
  const int lane_begin = neighbours * lane_index();
  std::size_t begin = std::size_t{blockIdx.x} * shape.tile_items() +
                      static_cast<unsigned>(warp_index() * shape.warp_items());
  for (; begin < n; begin += step) {
    if (cuda::shuffle_from(found.place(), 0) < begin) break;
    const auto left =
        static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(begin) - lane_begin;
    uninitialized<T> items[lane_items];
    cuda::load_striped<neighbours, false>(in + begin + lane_begin, left, items);
    const unsigned hits =
        cuda::bits_where(items, existing_items<neighbours, lane_items>(left), pred);
    const unsigned at =
        hits ? unsigned(lane_begin + striped_position<neighbours>(__ffs(int(hits)) - 1)) : UINT_MAX;
    const unsigned first = cuda::warp_minimum(at);
    if (first != UINT_MAX && lane_index() == 0) found.note(begin + first);
  }
  __syncthreads();
  if (threadIdx.x == 0 && detail::count_finished(state) == gridDim.x)
    *result = ::cuda::std::min(n, found.place());
}

/// Host side, in CUB's two phases.
template <class It, class Pred>
cudaError_t find(temporary_memory temp, std::size_t& temp_bytes, It in, std::size_t n, Pred pred,
                 std::size_t* result, cudaStream_t stream) {
  using tuning = select_tuning<value_of<It>>;
  const auto items = cuda::unwrap(in);
  carver space{temp};
  launch_state* const state = space.take<launch_state>(1);
  std::uint64_t* const word = space.take<std::uint64_t>(1);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  constexpr auto kernel = find_kernel<tuning, std::remove_const_t<decltype(items)>, Pred>;
  std::size_t wave = 0;
  HINDSIGHT_TRY(resident_blocks<kernel>(tuning::shape.block_threads(), wave));
  const std::size_t num_tiles = (n + tuning::shape.tile_items() - 1) / tuning::shape.tile_items();
  const std::size_t num_blocks =
      ::cuda::std::max<std::size_t>(1, ::cuda::std::min(num_tiles, wave));
  if (!space.is_zero())
    HINDSIGHT_TRY(cudaMemsetAsync(space.begin(), 0, space.used_bytes(), stream));
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_blocks), tuning::shape.block_threads(), 0, stream,
                   kernel)
  (items, n, pred, first_place{word}, result, state);
  return detail::reported(cudaPeekAtLastError());
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
