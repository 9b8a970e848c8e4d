// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which stock Thrust adds on sm_60 to sm_90 (CCCL 3.0 to 3.6): all that hindsight
// knows of it, so that a floating-point reduce returns stock's bits.
// Source: cub/agent/agent_reduce.cuh, thread/thread_reduce.cuh, dispatch/tuning/tuning_reduce.cuh.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/functional>
#include <cuda/std/functional>
#include <thrust/functional.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {

/// How one reduction walks its input. Block b of G takes tiles b, b + G, b + 2G, ...; thread t of a
/// full tile takes `items` values, `vector` neighbours at a time (value w * vector + j sits at
/// (w * block_threads + t) * vector + j) or, striped, one at a time (value i at t + i *
/// block_threads). A block then folds its warps by shuffle-down, and thread 0 the warps in order.
struct reduce_order {
  int block_threads;
  int items;
  int vector;
  HINDSIGHT_HD constexpr int tile_items() const { return block_threads * items; }
};

/// Integer arithmetic gives the same bits in any order, so there the shape serves speed alone:
/// 16-byte loads. Everything else follows stock.
template <class T>
HINDSIGHT_HD constexpr reduce_order reduce_order_of() {
  constexpr int size = static_cast<int>(sizeof(T));
  if (std::is_integral_v<T> && size <= 8) return {256, size == 8 ? 8 : 64 / size, 16 / size};
  const int scaled = 16 * 4 / size;
  const int items = scaled < 1 ? 1 : scaled > 32 ? 32 : scaled;
  const int threads_that_fit = (48 * 1024 / (size * items) + 31) / 32 * 32;
  return {threads_that_fit < 256 ? threads_that_fit : 256, items, items < 4 ? items : 4};
}

/// Whether a thread folds its values as a binary tree (neighbours first) or one after the other.
template <class T, class Op>
inline constexpr bool folds_as_tree =
    !std::is_integral_v<T> && sizeof(T) < 8 &&
    (std::is_same_v<Op, ::cuda::std::plus<>> || std::is_same_v<Op, ::cuda::std::plus<T>> ||
     std::is_same_v<Op, ::cuda::std::multiplies<>> ||
     std::is_same_v<Op, ::cuda::std::multiplies<T>> || std::is_same_v<Op, ::cuda::maximum<>> ||
     std::is_same_v<Op, ::cuda::maximum<T>> || std::is_same_v<Op, ::cuda::minimum<>> ||
     std::is_same_v<Op, ::cuda::minimum<T>>);

/// Whether a range is read `vector` values at a time: for stock's order only where the caller
/// passed a raw pointer to an arithmetic type, and aligned to the whole vector.
template <class T, class It>
bool reads_vectors(It in) {
  if constexpr (std::is_pointer_v<It>) {
    using Item = std::remove_cv_t<std::remove_pointer_t<It>>;
    constexpr std::size_t vector_bytes = reduce_order_of<T>().vector * sizeof(Item);
    constexpr std::size_t alignment =
        CCCL_VERSION >= 3001000 && vector_bytes > 16 ? 16 : vector_bytes;
    return std::is_arithmetic_v<Item> && reduce_order_of<T>().vector > 1 &&
           reinterpret_cast<std::size_t>(in) % alignment == 0;
  } else {
    return false;
  }
}

/// The most blocks that stock launches: five waves of its kernel, which at 32 registers a thread
/// fits a multiprocessor eight times.
template <class T>
constexpr std::size_t max_reduce_blocks(int multiprocessors) {
  return std::size_t{5} * 2048 / reduce_order_of<T>().block_threads * multiprocessors;
}

}  // namespace hindsight::detail
