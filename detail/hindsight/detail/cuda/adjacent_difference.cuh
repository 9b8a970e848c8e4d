// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of neighbours. In place, the item before a tile may be overwritten before the tile
// reads it: a first kernel puts those items aside.
#pragma once

#include <hindsight/detail/cuda/block/existing_items.cuh>
#include <hindsight/detail/cuda/block/head_flags.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/tuning/plain.h>
#include <hindsight/detail/tuning/select.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// aside[t] = the last item of tile t.
template <class It, class T, class Size>
HINDSIGHT_KERNEL void put_aside_kernel(It in, uninitialized<T>* aside, Size num_items,
                                       int tile_items) {
  const std::size_t t = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if ((t + 1) * tile_items < detail::read_items(num_items))
    aside[t].set(cuda::to_copy<T>(in[(t + 1) * tile_items - 1]));
}

/// The item without a neighbour as stock writes it: by way of the type that `op` returns.
template <class Result, class T>
HINDSIGHT_DEVICE decltype(auto) as_result(const T& item) {
  if constexpr (std::is_same_v<Result, T> || !std::is_convertible_v<const T&, Result>) {
    return (item);
  } else {
    return static_cast<Result>(item);
  }
}

/// out[i] = op(in[i], in[i - 1]), out[0] = in[0].
///   aside  [num_tiles - 1], the last item of each tile, or null: then `out` is not the input
template <class Tuning, class InputIt, class OutputIt, class Size, class T, class Op>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void adjacent_difference_kernel(InputIt in, OutputIt out, Size num_items,
                                const uninitialized<T>* aside, Op op) {
  ptx::wait_for_launch_before();
  constexpr tile_shape shape = Tuning::shape;
  const std::size_t n = detail::read_items(num_items);
  constexpr int lane_items = shape.lane_items, neighbours = striped_neighbours<T>;
  const std::size_t tile_begin = std::size_t{blockIdx.x} * shape.tile_items();
  if (is_deferred<Size> && tile_begin >= n) return;
  const std::size_t first = tile_begin + static_cast<unsigned>(warp_index() * shape.warp_items() +
                                                               neighbours * lane_index());
  const auto left = static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);

  uninitialized<T> items[lane_items];
  cuda::load_striped<neighbours>(in + first, left, items);
  uninitialized<T> row_before;
  if (lane_index() == 0) {
    if (aside && first == tile_begin && blockIdx.x > 0) {
      row_before.set(aside[blockIdx.x - 1].get());
    } else {
      row_before.set(cuda::to_copy<T>(in[first > 0 && left > 0 ? first - 1 : 0]));
    }
  }
  if (aside) __syncthreads();  // all of the tile has been read
  const unsigned existing = existing_items<neighbours, lane_items>(left);
  cuda::visit_neighbours<neighbours>(
      items, row_before, [&](int i, const uninitialized<T>& item, const T& before) {
        const int at = striped_position<neighbours>(i);
        if (existing >> i & 1) {
          if (first + at == 0) {
            using result = decltype(op(item.get(), before));
            out[first] = cuda::as_result<std::decay_t<result>>(item.get());
          } else {
            out[first + at] = op(item.get(), before);
          }
        }
      });
}

/// Outputs from the last one to the first. Their iterator may have no type of items.
template <class OutputIt>
struct outputs_from_last {
  OutputIt out;
  std::size_t last;
  HINDSIGHT_DEVICE decltype(auto) operator[](std::size_t i) const { return out[last - i]; }
};

/// Host side, in CUB's two phases. `out` may be `in`, but not overlap it otherwise.
template <class InputIt, class OutputIt, class Size, class Op>
cudaError_t adjacent_difference(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                Size num_items, Op op, cudaStream_t stream) {
  const std::size_t n = detail::most_items(num_items);
  const auto size = cuda::unwrap_size(num_items);
  using T = value_of<InputIt>;
  using tuning = select_tuning<T>;
  constexpr int tile_items = tuning::shape.tile_items();
  const auto from = cuda::unwrap(in);
  const auto to = cuda::unwrap(out);
  const std::size_t num_tiles = (n + tile_items - 1) / tile_items;
  const bool puts_aside = cuda::may_overlap(from, to, n);
  carver space{temp};
  auto* const aside = puts_aside ? space.take<uninitialized<T>>(num_tiles) : nullptr;
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (n == 0) return cudaSuccess;
  if (num_tiles >= 0x7fff'ffff) return cudaErrorInvalidConfiguration;
  const bool is_put_aside = puts_aside && num_tiles > 1;
  if (is_put_aside) {
    const std::size_t blocks = (num_tiles + plain_threads - 1) / plain_threads;
    HINDSIGHT_LAUNCH(static_cast<unsigned>(blocks), plain_threads, 0, stream, put_aside_kernel)
    (from, aside, size, tile_items);
    HINDSIGHT_TRY(cudaPeekAtLastError());
  }
  constexpr auto kernel =
      adjacent_difference_kernel<tuning, unwrapped<InputIt>, unwrapped<OutputIt>,
                                 unwrapped_size<Size>, T, Op>;
  return HINDSIGHT_LAUNCH_NEXT_IF(is_put_aside, static_cast<unsigned>(num_tiles),
                                  tuning::shape.block_threads(), 0, stream, kernel)(
      from, to, size, static_cast<const uninitialized<T>*>(aside), op);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
