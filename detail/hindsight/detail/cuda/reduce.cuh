// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction in one launch: the block that finishes last folds the others' partial results.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/look_back.cuh>
#include <hindsight/detail/cuda/run.cuh>
#include <hindsight/detail/cuda/stock_reduce_order.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstring>

namespace hindsight::detail {

/// items[j] = in[j] in accesses as wide as `in` is aligned for: 16 bytes, or all of a smaller
/// vector.
template <int Vector, class T>
HINDSIGHT_DEVICE void load_aligned(const T* in, T (&items)[Vector]) {
  constexpr int bytes = Vector * int(sizeof(T));
  using access = std::conditional_t<
      bytes % 16 == 0, uint4,
      std::conditional_t<bytes == 8, uint2,
                         std::conditional_t<bytes == 4, unsigned,
                                            std::conditional_t<bytes == 2, unsigned short, T>>>>;
  HINDSIGHT_UNROLL
  for (int i = 0; i < bytes / int(sizeof(access)); ++i) {
    const access raw = reinterpret_cast<const access*>(in)[i];
    memcpy(reinterpret_cast<char*>(items) + i * sizeof(access), &raw, sizeof raw);
  }
}

/// Folds values[0, Count) in the association that stock uses within a thread.
template <int Count, class T, class Op>
HINDSIGHT_DEVICE T fold_in_thread(T (&values)[Count], Op op) {
  if constexpr (folds_as_tree<T, Op>) {
    HINDSIGHT_UNROLL
    for (int i = 1; i < Count; i *= 2) {
      HINDSIGHT_UNROLL
      for (int j = 0; j + i < Count; j += 2 * i) values[j] = op(values[j], values[j + i]);
    }
    return values[0];
  } else {
    T fold = values[0];
    HINDSIGHT_UNROLL
    for (int i = 1; i < Count; ++i) fold = op(fold, values[i]);
    return fold;
  }
}

template <class T, class It, class Transform>
struct reduce_input {
  It in;
  std::size_t n;
  bool vectors;  ///< read `vector` neighbours at a time
  Transform transform;

  HINDSIGHT_DEVICE T operator[](std::size_t i) const { return static_cast<T>(transform(in[i])); }
};

/// This thread's values of the full tile at `begin`, in stock's order, into values[0, items).
template <class T, class It, class Transform>
HINDSIGHT_DEVICE void load_full(const reduce_input<T, It, Transform>& input, std::size_t begin,
                                T* values) {
  constexpr reduce_order order = reduce_order_of<T>();
  if constexpr (std::is_pointer_v<It>) {
    if (input.vectors) {
      using Item = std::remove_cv_t<std::remove_pointer_t<It>>;
      Item items[order.items / order.vector][order.vector];
      HINDSIGHT_UNROLL
      for (int w = 0; w < order.items / order.vector; ++w) {
        load_aligned<order.vector>(
            input.in + begin + (w * order.block_threads + threadIdx.x) * order.vector, items[w]);
      }
      HINDSIGHT_UNROLL
      for (int i = 0; i < order.items; ++i) {
        values[i] = static_cast<T>(input.transform(items[i / order.vector][i % order.vector]));
      }
      return;
    }
  }
  HINDSIGHT_UNROLL
  for (int i = 0; i < order.items; ++i)
    values[i] = input[begin + threadIdx.x + i * order.block_threads];
}

/// The fold of the block's first `count` threads' values, in thread 0.
template <int BlockThreads, class T, class Op>
HINDSIGHT_DEVICE T fold_block(T value, std::size_t count, Op op, uninitialized<T>* shared_warps) {
  const int last_lane =
      min(warp_lanes, int(min(count, std::size_t{BlockThreads})) - warp_index() * warp_lanes) - 1;
  HINDSIGHT_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const T right =
        shuffle_words(value, [=](unsigned w) { return __shfl_down_sync(all_lanes, w, distance); });
    if (lane_index() + distance <= last_lane) value = op(value, right);
  }
  if (lane_index() == 0) shared_warps[warp_index()].set(value);
  __syncthreads();
  if (threadIdx.x == 0) {
    HINDSIGHT_UNROLL
    for (int w = 1; w < BlockThreads / warp_lanes; ++w) {
      if (w * warp_lanes < count) value = op(value, shared_warps[w].get());
    }
  }
  return value;
}

/// The fold of tiles block, block + stride, ... of the input, in thread 0 of the block.
template <class T, class It, class Transform, class Op>
HINDSIGHT_DEVICE T fold_tiles(const reduce_input<T, It, Transform>& input, std::size_t block,
                              std::size_t num_blocks, Op op, uninitialized<T>* shared_warps) {
  constexpr reduce_order order = reduce_order_of<T>();
  constexpr std::size_t tile_items = order.tile_items();
  std::size_t begin = block * tile_items;
  uninitialized<T> fold;
  const auto fold_remainder = [&](std::size_t i) {
    for (; i < input.n; i += order.block_threads) fold.set(op(fold.get(), input[i]));
  };

  if (input.n - begin < tile_items) {  // fewer threads than a block may hold a value
    const std::size_t own = begin + threadIdx.x;
    if (own < input.n) {
      fold.set(input[own]);
      fold_remainder(own + order.block_threads);
    }
    return fold_block<order.block_threads>(fold.get(), input.n - begin, op, shared_warps);
  }
  uninitialized<T[order.items]> first;
  load_full(input, begin, first.get());
  fold.set(fold_in_thread(first.get(), op));
  for (begin += num_blocks * tile_items; begin + tile_items <= input.n;
       begin += num_blocks * tile_items) {
    uninitialized<T[order.items + 1]> next;
    load_full(input, begin, next.get() + 1);
    next.get()[0] = fold.get();
    fold.set(fold_in_thread(next.get(), op));
  }
  if (begin < input.n) fold_remainder(begin + threadIdx.x);
  return fold_block<order.block_threads>(fold.get(), order.block_threads, op, shared_warps);
}

/// *result = init op (fold of the input). One block folds a strip of tiles.
///   partials  [gridDim.x], unused for one block
template <class T, class It, class Transform, class Op, class Init, class ResultIt>
HINDSIGHT_BOUNDED_KERNEL(reduce_order_of<T>().block_threads)
void reduce_kernel(reduce_input<T, It, Transform> input, Op op, Init init, ResultIt result,
                   T* partials, launch_state* state) {
  constexpr reduce_order order = reduce_order_of<T>();
  __shared__ uninitialized<T> warps[order.block_threads / warp_lanes];
  __shared__ bool is_last;

  T fold = fold_tiles(input, blockIdx.x, gridDim.x, op, warps);
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) {
      partials[blockIdx.x] = fold;
      is_last = count_finished(state) == gridDim.x;
    }
    __syncthreads();
    if (!is_last) return;
    const reduce_input<T, const T*, ::cuda::std::identity> rest{
        partials, gridDim.x, std::is_arithmetic_v<T>, {}};
    fold = fold_tiles(rest, 0, 1, op, warps);
  }
  if (threadIdx.x == 0) *result = op(init, fold);
}

/// Host side of every reduction, in CUB's two phases. T is the accumulator; `in` is the iterator as
/// the caller has it, because stock's order depends on its kind and alignment.
template <class T, class It, class Transform, class Op, class Init, class ResultIt>
cudaError_t reduce(void* temp, std::size_t& temp_bytes, It in, std::size_t n, Transform transform,
                   Op op, Init init, ResultIt result, cudaStream_t stream) {
  constexpr reduce_order order = reduce_order_of<T>();
  const std::size_t num_tiles = (n + order.tile_items() - 1) / order.tile_items();
  std::size_t num_blocks = num_tiles;
  if (num_tiles > 1) {
    int multiprocessors = 0;
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
    num_blocks = ::cuda::std::min(num_tiles, max_reduce_blocks<T>(multiprocessors));
  }
  carver space{temp};
  launch_state* const state = num_blocks > 1 ? space.take<launch_state>(1) : nullptr;
  T* const partials = num_blocks > 1 ? space.take<T>(num_blocks) : nullptr;
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;

  if (n == 0) {
    store_kernel<<<1, 1, 0, stream>>>(init, result);
    return cudaPeekAtLastError();
  }
  const auto raw = unwrap(in);
  // Integers: read vectors wherever the address allows it, whatever the iterator is called.
  const bool vectors = std::is_integral_v<T> ? reads_vectors<T>(raw) : reads_vectors<T>(in);
  const reduce_input<T, std::decay_t<decltype(raw)>, Transform> input{raw, n, vectors, transform};
  if (state) HINDSIGHT_TRY(cudaMemsetAsync(state, 0, sizeof *state, stream));
  reduce_kernel<<<static_cast<unsigned>(num_blocks), order.block_threads, 0, stream>>>(
      input, op, init, result, partials, state);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail
