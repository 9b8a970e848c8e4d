// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction in one launch: the block that finishes last folds the partial results of all.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/clear.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/stock_reduce_order.h>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/order.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda/std/utility>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Copies in[0, Vector) to `items`, 16 bytes at a time, or a smaller vector at once. `in` has to be
/// aligned to that.
template <int Vector, class T>
HINDSIGHT_DEVICE void load_aligned(const T* in, void* items) {
  constexpr int bytes = Vector * int(sizeof(T));
  using access = std::conditional_t<
      bytes % 16 == 0, uint4,
      std::conditional_t<bytes == 8, uint2,
                         std::conditional_t<bytes == 4, unsigned,
                                            std::conditional_t<bytes == 2, unsigned short, T>>>>;
  HINDSIGHT_UNROLL
  for (int i = 0; i < bytes / int(sizeof(access)); ++i) {
    const access raw = reinterpret_cast<const access*>(in)[i];
    memcpy(static_cast<char*>(items) + i * sizeof(access), &raw, sizeof raw);
  }
}

/// (a.x op b.x, a.y op b.y)
template <class T, class Op, class Pair>
HINDSIGHT_DEVICE Pair fold_pair(Pair a, Pair b) {
  if constexpr (is_one_of<Op, T, ::cuda::std::plus>) return __hadd2(a, b);
  if constexpr (is_one_of<Op, T, ::cuda::std::multiplies>) return __hmul2(a, b);
  if constexpr (is_one_of<Op, T, ::cuda::maximum>) return __hmax2(a, b);
  if constexpr (is_one_of<Op, T, ::cuda::minimum>) return __hmin2(a, b);
}

template <class Op, int Count, class T>
HINDSIGHT_DEVICE T fold_in_pairs(const T (&values)[Count]) {
  using pair = typename pair_of<T>::type;
  const auto pair_from = [](T x, T y) {
    const T items[] = {x, y};
    pair both;
    memcpy(&both, items, sizeof both);
    return both;
  };
  pair fold = pair_from(values[0], values[1]);
  HINDSIGHT_UNROLL
  for (int i = 2; i + 1 < Count; i += 2) {
    fold = cuda::fold_pair<T, Op>(fold, pair_from(values[i], values[i + 1]));
  }
  fold = cuda::fold_pair<T, Op>(fold, pair_from(fold.y, fold.x));
  if (Count % 2) fold = cuda::fold_pair<T, Op>(fold, pair_from(values[Count - 1], T{}));
  return fold.x;
}

/// Folds values[0, Count) in the association that stock uses within a thread.
template <int Count, class T, class Op>
HINDSIGHT_DEVICE T fold_in_thread(T (&values)[Count], Op op) {
  if constexpr (folds_in_pairs<T, Op>) {
    return cuda::fold_in_pairs<Op>(values);
  } else if constexpr (folds_as_tree<T, Op>) {
    HINDSIGHT_UNROLL
    for (int i = 1; i < Count; i *= 2) {
      HINDSIGHT_UNROLL
      for (int j = 0; j + i < Count; j += 2 * i) values[j] = op(values[j], values[j + i]);
    }
    return ::cuda::std::as_const(values[0]);
  } else {
    T fold = ::cuda::std::as_const(values[0]);
    HINDSIGHT_UNROLL
    for (int i = 1; i < Count; ++i) fold = op(fold, values[i]);
    return fold;
  }
}

/// How a thread reads its items: one by one, or several with each load.
enum class reads { items, vectors };

/// How many items a thread reads at a time where a tile is not full: one, unless they are in an
/// array.
template <class It>
inline constexpr int items_read_ahead = !std::is_pointer_v<It> || sizeof(value_of<It>) > 16 ? 1
                                        : sizeof(value_of<It>) > 4                          ? 2
                                                                                            : 4;

/// What a reduction folds: transformed items, in stock's order.
template <class T, class It, class Transform>
struct reduce_input {
  using value = T;
  using item = cuda::value_of<It>;
  static constexpr bool has_vectors = may_read_vectors<T, It>();
  static constexpr bool has_any_order = is_exact<T>;
  /// Code that computes a value has to be beside the operator's: see fold_full_tiles().
  static constexpr int items_ahead =
      has_any_order || std::is_same_v<Transform, ::cuda::std::identity> ? items_read_ahead<It> : 1;
  It in;
  std::size_t n;
  bool vectors;  ///< read `vector` neighbours at a time
  mutable Transform transform;
  unsigned num_before = 0;  ///< items in front of `in`, fewer than a vector has

  std::size_t num_items() const { return num_before + n; }
  /// Lets `in` begin with a whole vector: where any order gives the same bits, items before it are
  /// folded apart. Only of bytes: larger items are as fast one by one.
  void begin_with_vector() {
    if constexpr (has_vectors && has_any_order && sizeof(item) == 1) {
      constexpr std::size_t bytes = order().vector * sizeof(item);
      const std::size_t beyond = reinterpret_cast<std::size_t>(in) % bytes;
      const std::size_t before = (bytes - beyond) / sizeof(item);
      if (vectors || beyond % sizeof(item) != 0 || n <= before) return;
      num_before = static_cast<unsigned>(before);
      in += before;
      n -= before;
      vectors = true;
    }
  }

  HINDSIGHT_HD static constexpr reduce_order order() { return reduce_order_of<T, item>(); }
  HINDSIGHT_HD static constexpr std::size_t tile_items() { return order().tile_items(); }
  /// Blocks that share a multiprocessor. Where the work needs few registers, as many as its 2048
  /// threads allow; for transforms and operators of the user, no number is required.
  template <class Op>
  static constexpr int min_blocks =
      std::is_arithmetic_v<T>&& std::is_same_v<Transform, ::cuda::std::identity>&&
              is_known_op<Op, T>
          ? 2048 / order().block_threads
          : 4;

  HINDSIGHT_DEVICE T operator[](std::size_t i) const {
    return static_cast<T>(transform(cuda::as_item<item>(in[i])));
  }
  /// The same in two steps, of items of an array.
  HINDSIGHT_DEVICE item read(std::size_t i) const { return cuda::as_item<item>(in[i]); }
  HINDSIGHT_DEVICE T value_of(const item& one, std::size_t) const {
    return static_cast<T>(transform(static_cast<item>(one)));
  }

  /// Folds this thread's values of the full tiles at begin, begin + stride, and so on, of which
  /// there is at least one. Moves `begin` behind them. Transform and fold are in one basic block,
  /// as in stock's kernel: where both are arithmetic, the compiler then contracts the same products
  /// and sums.
  template <reads Reads, class Op>
  HINDSIGHT_DEVICE T fold_full_tiles(std::size_t& begin, std::size_t stride, Op op) const {
    constexpr int items = order().items;
    uninitialized<T[items]> first;
    load_full<Reads>(begin, first.ref());
    uninitialized<T> fold;
    fold.set(cuda::fold_in_thread(first.ref(), op));
    for (begin += stride; begin + order().tile_items() <= n; begin += stride) {
      uninitialized<T[items + 1]> next;
      load_full<Reads>(begin, next.ref() + 1);
      next.ref()[0] = fold.get();
      fold.set(cuda::fold_in_thread(next.ref(), op));
    }
    return fold.get();
  }

 private:
  /// This thread's values of the full tile at `begin`, in stock's order, into values[0, items).
  template <reads Reads>
  HINDSIGHT_DEVICE void load_full(std::size_t begin, T* values) const {
    constexpr reduce_order o = order();
    if constexpr (Reads == reads::vectors) {
      item items[o.items / o.vector][o.vector];
      HINDSIGHT_UNROLL
      for (int w = 0; w < o.items / o.vector; ++w) {
        cuda::load_aligned<o.vector>(in + begin + (w * o.block_threads + threadIdx.x) * o.vector,
                                     items[w]);
      }
      HINDSIGHT_UNROLL
      for (int i = 0; i < o.items; ++i) {
        values[i] = static_cast<T>(transform(items[i / o.vector][i % o.vector]));
      }
    } else {
      HINDSIGHT_UNROLL
      for (int i = 0; i < o.items; ++i)
        values[i] = (*this)[begin + threadIdx.x + i * o.block_threads];
    }
  }
};

/// The fold of the block's first `count` threads' values, in thread 0.
template <int BlockThreads, class T, class Op>
HINDSIGHT_DEVICE T fold_block(T value, std::size_t count, Op op, uninitialized<T>* shared_warps) {
  const int last_lane =
      min(warp_lanes, int(min(count, std::size_t{BlockThreads})) - warp_index() * warp_lanes) - 1;
  HINDSIGHT_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const T right = cuda::shuffle_words(
        value, [=](unsigned w) { return __shfl_down_sync(all_lanes, w, distance); });
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

/// Appends to `fold` this thread's items of in[begin, n), fewer than a tile, in stock's order:
/// every block_threads-th one. Several are on their way at a time.
template <class Input, class Op, class T = typename Input::value>
HINDSIGHT_DEVICE void fold_rest(const Input& input, std::size_t begin, Op op,
                                uninitialized<T>& fold) {
  constexpr int block_threads = Input::order().block_threads, ahead = Input::items_ahead;
  HINDSIGHT_ROLL
  for (begin += threadIdx.x; begin < input.n; begin += ahead * block_threads) {
    if constexpr (ahead == 1) {
      fold.set(op(fold.get(), input[begin]));
    } else {
      const auto left = static_cast<int>(
          ::cuda::std::min<std::size_t>(input.n - begin, Input::order().tile_items()));
      uninitialized<typename Input::item> items[ahead];
      HINDSIGHT_UNROLL
      for (int i = 0; i < ahead; ++i)
        if (i * block_threads < left) items[i].set(input.read(begin + i * block_threads));
      HINDSIGHT_UNROLL
      for (int i = 0; i < ahead; ++i) {
        if (i * block_threads < left)
          fold.set(op(fold.get(), input.value_of(items[i].get(), begin + i * block_threads)));
      }
    }
  }
}

/// The same in another order: `vector` neighbours with each load, and those left over one by one;
/// also `num_before` items in front of the input. `is_empty`: there is no fold yet. Returns how
/// many threads, the first of the block, have items.
template <class Input, class Op, class T = typename Input::value>
HINDSIGHT_DEVICE std::size_t fold_rest_by_vectors(const Input& input, std::size_t begin, Op op,
                                                  int num_before, bool is_empty,
                                                  uninitialized<T>& fold) {
  constexpr int vector = Input::order().vector;
  const int left = begin < input.n ? static_cast<int>(input.n - begin) : 0;
  const auto thread = static_cast<int>(threadIdx.x);
  const int num_vectors = left / vector, num_others = left % vector;
  const auto append = [&](const typename Input::item& item, std::size_t at) {
    const T next = input.value_of(item, at);
    fold.set(is_empty ? next : op(fold.get(), next));
    is_empty = false;
  };
  HINDSIGHT_ROLL
  for (int v = thread; v < num_vectors; v += Input::order().block_threads) {
    const std::size_t first = begin + static_cast<unsigned>(v * vector);
    uninitialized<typename Input::item> items[vector];
    cuda::load_aligned<vector>(input.in + first, items);
    HINDSIGHT_UNROLL
    for (int i = 0; i < vector; ++i) append(items[i].get(), first + static_cast<unsigned>(i));
  }
  const std::size_t other = begin + static_cast<unsigned>(num_vectors * vector + thread);
  if (thread < num_others) append(input.read(other), other);
  if (thread < num_before) append(*(input.in - (thread + 1)), 0);
  return static_cast<std::size_t>(max(max(num_vectors, num_others), num_before));
}

/// Returns to thread 0 the fold of a strip of the input: tiles strip, strip + num_strips, and so
/// on.
template <class Input, class Op, class T = typename Input::value>
HINDSIGHT_DEVICE T fold_strip(const Input& input, std::size_t strip, std::size_t num_strips, Op op,
                              uninitialized<T>* shared_warps) {
  constexpr int block_threads = Input::order().block_threads;
  constexpr std::size_t tile_items = Input::order().tile_items();
  std::size_t begin = strip * tile_items;
  std::size_t num_values = block_threads;  // of the block's first threads
  uninitialized<T> fold;
  const bool has_tile = input.n - begin >= tile_items;
  if (has_tile) {
    const std::size_t stride = num_strips * tile_items;
    if constexpr (Input::has_vectors) {
      fold.set(input.vectors ? input.template fold_full_tiles<reads::vectors>(begin, stride, op)
                             : input.template fold_full_tiles<reads::items>(begin, stride, op));
    } else {
      fold.set(input.template fold_full_tiles<reads::items>(begin, stride, op));
    }
  }
  bool in_order = true;
  if constexpr (Input::has_any_order && Input::has_vectors) in_order = !input.vectors;
  if (in_order) {
    if (!has_tile) {
      num_values = input.n - begin;
      if (threadIdx.x < num_values) fold.set(input[begin + threadIdx.x]);
      begin += block_threads;
    }
    cuda::fold_rest(input, begin, op, fold);
  } else if constexpr (Input::has_any_order && Input::has_vectors) {
    const int num_before = strip == 0 ? static_cast<int>(input.num_before) : 0;
    if (begin < input.n || num_before > 0) {
      const std::size_t others =
          cuda::fold_rest_by_vectors(input, begin, op, num_before, !has_tile, fold);
      if (!has_tile) num_values = others;
    }
  }
  return cuda::fold_block<block_threads>(fold.get(), num_values, op, shared_warps);
}

template <class T, int Warps>
struct reduce_storage {
  uninitialized<T> warps[Warps];
  bool is_last;
};

/// The number of strips where only kernels know the number of items: one for each tile, but at most
/// `most`.
template <class CountIt>
struct deferred_strips {
  deferred<CountIt> size;
  unsigned most;
};

/// What a kernel gets as the number of its strips: that of the host, or one that depends on the
/// number of items in device memory, up to that of the host.
template <class Size>
auto strips_of(Size num_items, std::size_t most) {
  if constexpr (is_deferred<Size>) {
    const auto size = cuda::unwrap_size(num_items);
    return deferred_strips<std::decay_t<decltype(size.count)>>{size, static_cast<unsigned>(most)};
  } else {
    return static_cast<unsigned>(most);
  }
}

/// Returns the number of strips. Sets input.n where only kernels know it. Where the host knows it,
/// there is at least one strip for each block.
template <class Input>
HINDSIGHT_DEVICE unsigned count_strips(unsigned num_strips, Input&) {
  return num_strips;
}
template <class CountIt, class Input>
HINDSIGHT_DEVICE unsigned count_strips(const deferred_strips<CountIt>& strips, Input& input) {
  input.n = detail::read_items(strips.size);
  const std::size_t num_tiles = (input.n + input.tile_items() - 1) / input.tile_items();
  return static_cast<unsigned>(::cuda::std::min<std::size_t>(num_tiles, strips.most));
}

/// *result = init op (fold of the input). The strips are the blocks of stock's launch, whose order
/// this follows; a block that is done with one takes another.
///   partials  [num_strips], unused for one strip
template <class Input, class Op, class Init, class ResultIt, class Strips = unsigned>
HINDSIGHT_BOUNDED_KERNEL((Input::order().block_threads), (Input::template min_blocks<Op>))
void reduce_kernel(Input input, Op op, Init init, ResultIt result, Strips strips,
                   typename Input::value* partials, launch_state* state) {
  using T = typename Input::value;
  const unsigned num_strips = cuda::count_strips(strips, input);
  if constexpr (!std::is_same_v<Strips, unsigned>) {
    if (num_strips <= 1 && blockIdx.x > 0) return;
    if (num_strips == 0) {
      if (threadIdx.x == 0) *result = init;
      return;
    }
  }
  HINDSIGHT_SHARED(shared, reduce_storage<T, Input::order().block_threads / warp_lanes>);

  uninitialized<T> fold;
  for (unsigned strip = blockIdx.x; strip < num_strips; strip += gridDim.x) {
    fold.set(cuda::fold_strip(input, strip, num_strips, op, shared.warps));
    if (threadIdx.x == 0 && num_strips > 1) partials[strip] = fold.get();
    __syncthreads();  // `shared.warps` is free again
  }
  if (num_strips > 1) {
    if (threadIdx.x == 0) shared.is_last = detail::count_finished(state) == gridDim.x;
    __syncthreads();
    if (!shared.is_last) return;
    const reduce_input<T, const T*, ::cuda::std::identity> rest{
        partials, num_strips, is_read_in_vectors<T>, {}};
    fold.set(cuda::fold_strip(rest, 0, 1, op, shared.warps));
  }
  if (threadIdx.x == 0) *result = op(init, fold.get());
}

/// How many strips a floating-point reduction has: as many as stock has blocks on this GPU, or a
/// number that depends on n alone, for the same bits on every GPU.
enum class strip_rule { as_stock, by_size };

/// The number of strips for exact items and for extrema, where any number gives the same bits: a
/// strip for each resident block.
struct strip_for_each_block {
  cudaError_t operator()(std::size_t /*num_tiles*/, std::size_t& /*most*/) const {
    return cudaSuccess;
  }
};

/// A launch of reduce_kernel: strips, and blocks that take them.
struct reduce_shape {
  std::size_t num_strips, num_blocks;
};

/// The launch for num_tiles tiles. most_strips(num_tiles, most) changes `most` from the number of
/// resident blocks to another one.
template <auto Kernel, class MostStrips>
cudaError_t choose_reduce_shape(std::size_t num_tiles, int block_threads, MostStrips most_strips,
                                reduce_shape& shape) {
  shape = {num_tiles, num_tiles};
  if (num_tiles <= 1) return cudaSuccess;
  std::size_t wave = 0;
  HINDSIGHT_TRY(resident_blocks<Kernel>(block_threads, wave));
  std::size_t most = wave;
  HINDSIGHT_TRY(most_strips(num_tiles, most));
  shape.num_strips = ::cuda::std::min(num_tiles, most);
  shape.num_blocks = ::cuda::std::min(shape.num_strips, wave);
  return cudaSuccess;
}

/// Host side of every reduction, in CUB's two phases. `input` has at most input.n items.
template <class Input, class Size, class Op, class Init, class ResultIt, class MostStrips>
cudaError_t fold(temporary_memory temp, std::size_t& temp_bytes, const Input& input, Size num_items,
                 Op op, Init init, ResultIt result, MostStrips most_strips, cudaStream_t stream) {
  using T = typename Input::value;
  constexpr reduce_order order = Input::order();
  using strips_t = decltype(cuda::strips_of(num_items, 0));
  constexpr auto kernel = reduce_kernel<Input, Op, Init, ResultIt, strips_t>;
  const auto num_tiles = [&](std::size_t n) {
    return (n + order.tile_items() - 1) / order.tile_items();
  };
  reduce_shape shape;
  HINDSIGHT_TRY((choose_reduce_shape<kernel>(num_tiles(input.num_items()), order.block_threads,
                                             most_strips, shape)));
  carver space{temp};
  launch_state* state = shape.num_strips > 1 ? space.take<launch_state>(1) : nullptr;
  T* const partials = shape.num_strips > 1 ? space.take<T>(shape.num_strips) : nullptr;
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;

  if (input.n == 0) return cuda::store(init, result, stream);
  if (state) HINDSIGHT_TRY(cuda::provide_zeroed(space, state, 1, stream));
  shape.num_strips = ::cuda::std::min(shape.num_strips, num_tiles(input.n));
  shape.num_blocks = ::cuda::std::min(shape.num_blocks, shape.num_strips);
  HINDSIGHT_LAUNCH(static_cast<unsigned>(shape.num_blocks), order.block_threads, 0, stream, kernel)
  (input, op, init, result, cuda::strips_of(num_items, shape.num_strips), partials, state);
  return detail::reported(cudaPeekAtLastError());
}

/// The fold of transformed items, in CUB's two phases. T is the accumulator; `in` is the iterator
/// as the caller has it, because stock's order depends on its kind and alignment.
template <class T, offset_bits Bits = thrust_offset_bits, strip_rule Strips = strip_rule::as_stock,
          class It, class Size, class Transform, class Op, class Init, class ResultIt>
cudaError_t reduce(temporary_memory temp, std::size_t& temp_bytes, It in, Size num_items,
                   Transform transform, Op op, Init init, ResultIt result, cudaStream_t stream) {
  const std::size_t n = detail::most_items(num_items);
  const auto raw = cuda::unwrap(in);
  // Integers are read in vectors wherever the address allows it, whatever the type of `in`.
  const bool vectors = is_exact<T> ? reads_vectors<T>(raw) : reads_vectors<T>(in);
  reduce_input<T, unwrapped<It>, Transform> input{raw, n, vectors, transform};
  if constexpr (is_exact<T>) {
    if constexpr (!is_deferred<Size>) input.begin_with_vector();
    return cuda::fold(temp, temp_bytes, input, num_items, op, init, result, strip_for_each_block{},
                      stream);
  } else {
    const auto most_strips = [&](std::size_t num_tiles, std::size_t& most) {
      if constexpr (Strips == strip_rule::by_size) {
        return most = detail::most_strips, cudaSuccess;
      } else {
        return max_reduce_strips<T, Bits, It, Transform, Op>(n, num_tiles, most);
      }
    };
    return cuda::fold(temp, temp_bytes, input, num_items, op, init, result, most_strips, stream);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
