// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which stock Thrust and CUB add on sm_60 to sm_90 (half and bfloat16: from sm_80 on):
// all that hindsight knows of it, so that a floating-point reduce returns stock's bits. It was read
// in CCCL 3.0; 3.1 to 3.6 differ where CCCL_VERSION is tested. Elsewhere the order is our own.
// Source: cub/agent/agent_reduce.cuh, thread/thread_reduce.cuh, dispatch/dispatch_reduce.cuh,
// dispatch/tuning/tuning_reduce.cuh.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/key_bits.h>

#include <cub/device/dispatch/dispatch_reduce.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <thrust/functional.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if HINDSIGHT_HAS_HALF
#  include <cuda_fp16.h>
#endif
#if HINDSIGHT_HAS_BFLOAT16
#  include <cuda_bf16.h>
#endif

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

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

/// Integers, also of 128 bits, which std::is_integral knows in GNU's dialect alone. Their
/// arithmetic gives the same bits in any order.
template <class T>
inline constexpr bool is_exact =
    std::is_integral_v<T> || std::is_same_v<T, int128_t> || std::is_same_v<T, uint128_t>;

/// The order for sums of type T over items of type Item. For integers the shape serves speed alone:
/// 128 bytes a thread, in 16-byte loads.
/// Everything else follows stock.
template <class T, class Item = T>
HINDSIGHT_HD constexpr reduce_order reduce_order_of() {
  constexpr int size = static_cast<int>(sizeof(T)), item_bytes = static_cast<int>(sizeof(Item));
  if (is_exact<T> && (size <= 8 || item_bytes == size)) {
    return {256, item_bytes < 128 ? 128 / item_bytes : 1,
            16 % item_bytes == 0 ? 16 / item_bytes : 1};
  }
  const int scaled = 16 * 4 / size;
  const int items = scaled < 1 ? 1 : scaled > 32 ? 32 : scaled;
  const int threads_that_fit = (48 * 1024 / (size * items) + 31) / 32 * 32;
  return {threads_that_fit < 256 ? threads_that_fit : 256, items, items < 4 ? items : 4};
}

/// The type of two neighbouring T that one instruction folds; void if there is none.
template <class T>
struct pair_of {
  using type = void;
};
#if HINDSIGHT_HAS_HALF
template <>
struct pair_of<__half> {
  using type = __half2;
};
#endif
#if HINDSIGHT_HAS_BFLOAT16
template <>
struct pair_of<__nv_bfloat16> {
  using type = __nv_bfloat162;
};
#endif
template <class T>
inline constexpr bool has_pairs = !std::is_void_v<typename pair_of<T>::type>;

template <class Op, class T, template <class> class... Names>
inline constexpr bool is_one_of =
    ((std::is_same_v<Op, Names<void>> || std::is_same_v<Op, Names<T>>) || ...);

/// Whether a thread folds its values in pairs: first all values of even and all of odd index, each
/// one after the other; then both results; last a value that has no neighbour.
template <class T, class Op>
inline constexpr bool folds_in_pairs = has_pairs<T>&&
    is_one_of<Op, T, ::cuda::std::plus, ::cuda::std::multiplies, ::cuda::maximum, ::cuda::minimum>;

/// Whether stock knows what the operator does.
template <class Op, class T>
inline constexpr bool is_known_op =
    is_one_of<Op, T, ::cuda::std::plus, ::cuda::std::multiplies, ::cuda::std::bit_and,
              ::cuda::std::bit_or, ::cuda::std::bit_xor, ::cuda::maximum, ::cuda::minimum>;

/// Where a thread does not fold in pairs: whether it folds its values as a binary tree (neighbours
/// first), or one after the other.
template <class T, class Op>
inline constexpr bool folds_as_tree = !std::is_integral_v<T> && sizeof(T) < 8 && is_known_op<Op, T>;

/// Whether stock reads neighbours of this type at once.
template <class Item>
inline constexpr bool is_read_in_vectors = std::is_arithmetic_v<Item> || has_pairs<Item>;

/// Whether a range may be read `vector` values at a time: behind a raw pointer only.
template <class T, class It>
HINDSIGHT_HD constexpr bool may_read_vectors() {
  constexpr reduce_order order = reduce_order_of<T, value_of<It>>();
  return std::is_pointer_v<It> && is_read_in_vectors<value_of<It>> && order.vector > 1 &&
         order.items % order.vector == 0;
}

/// Whether it is read so: a pointer that is aligned to the whole vector, or, from CCCL 3.1 on, to
/// 16 bytes of a larger one. For stock's order `in` has to be what the caller passed.
template <class T, class It>
bool reads_vectors(It in) {
  if constexpr (may_read_vectors<T, It>()) {
    constexpr std::size_t vector_bytes =
        reduce_order_of<T, value_of<It>>().vector * sizeof(value_of<It>);
    constexpr std::size_t alignment =
        CCCL_VERSION >= 3001000 && vector_bytes > 16 ? 16 : vector_bytes;
    return reinterpret_cast<std::size_t>(in) % alignment == 0;
  } else {
    return false;
  }
}

/// The width of stock's offsets, which are part of its kernel's type.
enum class offset_bits { by_count, narrow, wide };

/// Thrust takes 64 bits for 2^31 items or more, unless told otherwise.
#if defined(THRUST_FORCE_32_BIT_OFFSET_TYPE)
inline constexpr offset_bits thrust_offset_bits = offset_bits::narrow;
#elif defined(THRUST_FORCE_64_BIT_OFFSET_TYPE)
inline constexpr offset_bits thrust_offset_bits = offset_bits::wide;
#else
inline constexpr offset_bits thrust_offset_bits = offset_bits::by_count;
#endif

/// CUB goes by the type of the number of items.
template <class NumItems>
inline constexpr offset_bits cub_offset_bits = sizeof(NumItems) <= 4 ? offset_bits::narrow
                                                                     : offset_bits::wide;

#if CCCL_VERSION >= 3000000 && CCCL_VERSION < 3001000

/// How many blocks of stock's kernel fit a multiprocessor. The kernel is compiled for this question
/// alone, and never runs.
template <class Offset, class T, class It, class Transform, class Op>
cudaError_t ask_stocks_kernel(int& blocks) {
  namespace stock = cub::detail::reduce;
  return blocks_per_multiprocessor<stock::DeviceReduceKernel<
      typename stock::policy_hub<T, Offset, Op>::MaxPolicy, It, Offset, Op, T, Transform>>(
      reduce_order_of<T>().block_threads, blocks);
}

/// Whether `&item` is the address of an item.
template <class T, class = void>
inline constexpr bool has_address = false;
template <class T>
inline constexpr bool has_address<T, std::void_t<decltype(&std::declval<T&>())>> =
    std::is_same_v<decltype(&std::declval<T&>()), T*>;

/// Whether stock's kernel compiles at all. It makes a T without a value, assigns it, takes its
/// address by &, and reads through the iterator itself, which the iterators of std's containers do
/// not allow on a GPU.
template <class T, class It, class Transform>
inline constexpr bool has_stock_kernel =
    std::is_default_constructible_v<T>&& std::is_copy_assignable_v<T>&& has_address<T>&&
        std::is_convertible_v<::cuda::std::invoke_result_t<Transform&, value_of<It>>, T> &&
    (std::is_pointer_v<It> || !thrust::is_contiguous_iterator_v<It> ||
     !std::is_same_v<typename thrust::iterator_system<It>::type, thrust::host_system_tag>);

template <class T, offset_bits Bits, class It, class Transform, class Op>
cudaError_t stock_blocks_per_multiprocessor(std::size_t n, int& blocks) {
  if constexpr (has_stock_kernel<T, It, Transform>) {
    if constexpr (Bits != offset_bits::wide) {
      if (Bits == offset_bits::narrow || n <= INT32_MAX) {
        return ask_stocks_kernel<std::uint32_t, T, It, Transform, Op>(blocks);
      }
    }
    if constexpr (Bits != offset_bits::narrow) {
      return ask_stocks_kernel<unsigned long long, T, It, Transform, Op>(blocks);
    }
  }
  return cudaSuccess;
}

#else

/// In these versions stock's kernel is not asked: 32 registers a thread are assumed. Measured in
/// 3.6: 48 for long ranges of floats behind a pointer.
template <class T, offset_bits Bits, class It, class Transform, class Op>
cudaError_t stock_blocks_per_multiprocessor(std::size_t n, int& blocks) {
  if (CCCL_VERSION >= 3006000 && std::is_same_v<T, float> && std::is_pointer_v<It> &&
      (Bits == offset_bits::wide || n > INT32_MAX)) {
    blocks = 5;
  }
  return cudaSuccess;
}

#endif

/// The most strips that num_tiles tiles are cut into: one for each block that stock launches, five
/// waves of its kernel. Stock is not asked where there are at most five tiles for each
/// multiprocessor: then each tile is a strip in any case.
template <class T, offset_bits Bits, class It, class Transform, class Op>
cudaError_t max_reduce_strips(std::size_t n, std::size_t num_tiles, std::size_t& max_strips) {
  int multiprocessors = 0;
  HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
  const std::size_t wave = std::size_t{5} * multiprocessors;
  int blocks = 2048 / reduce_order_of<T>().block_threads;
  if (num_tiles > wave) {
    HINDSIGHT_TRY((stock_blocks_per_multiprocessor<T, Bits, It, Transform, Op>(n, blocks)));
  }
  max_strips = wave * blocks;
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
