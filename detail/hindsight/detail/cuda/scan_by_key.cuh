// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass scan that starts anew wherever the key changes. What a tile carries is whether a run
// begins in it, and the fold of the values since the last head.
// Source: Merrill & Garland 2016; Sengupta, Harris & Garland 2008, "Efficient Parallel Scan
// Algorithms for GPUs", for the operator on (head, fold).
#pragma once

#include <hindsight/detail/cuda/block/claimed_items.cuh>
#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/scan_by_key_tile.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/future_init.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/light_operators.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/scan_by_key_pipeline.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/by_key.h>
#include <hindsight/detail/tuning/plain.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Key, class T, int LaneItems, int Warps>
struct scan_by_key_storage : scan_by_key_tile<Key, T, LaneItems, Warps> {
  chain_storage<open_run<T>> chain;
};

/// Loads a warp's keys and values, of which there are `left`.
template <class Key, class T, int LaneItems, class KeyIt, class ValueIt>
HINDSIGHT_DEVICE void load_side_by_side(staged_warp<Key, LaneItems>& staged_keys, KeyIt keys,
                                        staged_warp<T, LaneItems>& staged_values, ValueIt values,
                                        std::ptrdiff_t left) {
  if (left >= warp_lanes * LaneItems) {
    staged_keys.begin_load(keys);
    staged_values.begin_load(values);
    staged_values.finish_loads();
  } else {
    staged_keys.load_partial(keys, left);
    staged_values.load_partial(values, left);
  }
}

/// A block stages one tile of keys and values in shared memory and looks back for the fold of the
/// run that is open where it begins.
///   keys, values, out  [n] items; out may be the values, or the keys if tile_heads is given
///   tile_heads         [num_tiles] whether a run begins with a tile, or null: compare the keys
template <class Tuning, class Kind, class T, class KeyIt, class ValueIt, class OutputIt, class Size,
          class Equal, class Op, class Init, class Chain>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void scan_by_key_kernel(KeyIt keys, ValueIt values, OutputIt out, const bool* tile_heads,
                        Size num_items, Equal equal, Op op, Init caller_init, Chain launched) {
  using Key = value_of<KeyIt>;
  constexpr tile_shape shape = Tuning::shape;
  const std::size_t n = detail::read_items(num_items);
  const auto& chain = cuda::chain_of(launched, num_items, n, shape.tile_items());
  HINDSIGHT_SHARED(shared, scan_by_key_storage<Key, T, shape.lane_items, shape.warps>);
  const append_run<Op> append{op};
  const auto& init = cuda::initial_value(caller_init);

  claimed_items at;
  if (!cuda::claim_items<Tuning>(chain, append, no_init{}, n, shared.chain, at)) return;
  const int warp = cuda::shared_warp_index(), lane = lane_index();
  const bool full = at.left >= shape.warp_items();
  uninitialized<Key> key_before;
  const bool is_saved = tile_heads != nullptr && warp == 0;
  const bool is_read = lane == 0 && at.first > 0 && at.left > 0 && !is_saved;
  if (is_read)  // loaded at the same time as the tile
    key_before.set(cuda::to_copy<Key>(keys[at.first - 1]));
  auto& staged_keys = shared.keys[warp];
  auto& staged_values = shared.values[warp];
  cuda::load_side_by_side(staged_keys, keys + at.first, staged_values, values + at.first, at.left);
  if (!is_read) key_before.set(staged_keys[lane > 0 ? lane * shape.lane_items - 1 : 0]);
  unsigned heads = cuda::find_heads(staged_keys, key_before.get(), equal);
  if (threadIdx.x == 0 && at.tile > 0 && is_saved) heads = (heads & ~1u) | tile_heads[at.tile];
  if (at.first + lane == 0) heads |= 1;

  uninitialized<T> before;
  open_run<T> tile_run;
  const bool head_before = cuda::fold_runs(
      shared, static_cast<int>(threadIdx.x), heads, op, init, before, tile_run,
      [] { __syncthreads(); },
      [&](const open_run<T>& fold) { cuda::publish(chain, at.tile, fold); });
  if constexpr (!only_sums<Chain>) {
    cuda::look_back<shape.warps>(chain, at.tile, tile_run, append, no_init{}, shared.chain);
    __syncthreads();

    if (!head_before && at.tile > 0) {
      const T carry = shared.chain.carry.get().fold();
      before.set(threadIdx.x > 0 ? op(carry, before.get()) : carry);
    }
    cuda::scan_own_runs<Kind>(staged_values, heads, before, op, init);
    full ? staged_values.store(out + at.first)
         : staged_values.store_partial(out + at.first, at.left);
  }
}

/// tile_heads[t] = whether a run begins with tile t > 0.
template <class KeyIt, class Size, class Equal>
HINDSIGHT_KERNEL void save_tile_heads_kernel(KeyIt keys, Size num_items, std::size_t tile_items,
                                             Equal equal, bool* tile_heads) {
  const std::size_t tile = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x + 1;
  const std::size_t first = tile * tile_items;
  if (first >= detail::read_items(num_items)) return;
  using key = value_of<KeyIt>;
  const key before = cuda::as_item<key>(keys[first - 1]), item = cuda::as_item<key>(keys[first]);
  tile_heads[tile] = !equal(before, item);
}

/// `init` as an argument of kernels that fold runs in T by Op. CUB does not make a T of it first,
/// as for scans of all items. (For the operators of libraries on numbers that changes nothing.)
template <class T, class Op, class Init>
auto init_of_runs(const Init& init) {
  using converted = decltype(cuda::kernel_init<T>(init));
  if constexpr (!std::is_same_v<Init, T> && std::is_same_v<converted, T> && !is_light<T, Op> &&
                std::is_invocable_v<Op&, const Init&, const T&>) {
    return own_init<T, Init>{init};
  } else {
    return cuda::kernel_init<T>(init);
  }
}

/// Host side, in CUB's two phases. T is the accumulator.
template <class T, class Kind, class KeyIt, class ValueIt, class OutputIt, class Size, class Equal,
          class Op, class Init>
cudaError_t scan_by_key(temporary_memory temp, std::size_t& temp_bytes, KeyIt keys_in,
                        ValueIt values_in, OutputIt out, Size num_items, Equal equal, Op op,
                        Init init, cudaStream_t stream) {
  const std::size_t n = detail::most_items(num_items);
  const auto size = cuda::unwrap_size(num_items);
  using tuning = scan_by_key_tuning<value_of<KeyIt>, T>;
  constexpr std::size_t tile_items = tuning::shape.tile_items();
  const std::size_t num_tiles = (n + tile_items - 1) / tile_items;
  carver space{temp};
  bool* tile_heads = num_tiles > 1 ? space.take<bool>(num_tiles) : nullptr;
  tile_chain<open_run<T>> chain{space, n, tile_items};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (n == 0) return cudaSuccess;

  const auto keys = cuda::unwrap(keys_in);
  const auto output = cuda::unwrap(out);
  const auto input = cuda::unwrap(values_in);
  if (!cuda::may_overlap(keys, output, n)) tile_heads = nullptr;
  if constexpr (!is_deferred<Size>) {
    bool launched = false;
    if (!tile_heads) {
      HINDSIGHT_TRY((cuda::scan_by_key_in_pipeline<tuning, Kind>(
          space, keys, input, output, n, equal, op, init, chain, stream, launched)));
    }
    if (launched) return detail::reported(cudaPeekAtLastError());
  }
  if (tile_heads) {
    const auto blocks = static_cast<unsigned>((num_tiles + plain_threads - 1) / plain_threads);
    HINDSIGHT_LAUNCH(blocks, plain_threads, 0, stream, save_tile_heads_kernel)
    (keys, size, tile_items, equal, tile_heads);
    HINDSIGHT_TRY(cudaPeekAtLastError());
  }
  if constexpr (may_sum_first<T, Size, unwrapped<KeyIt>, unwrapped<ValueIt>>) {
    const fold_with<T, Op> fold{op};
    if (chain.num_tiles >= fewest_summed_tiles) {
      const append_run<fold_with<T, Op>> append{fold};
      return cuda::scan_sums_first(chain, append, no_init{}, stream, [&](auto tiles, bool is_next) {
        constexpr auto kernel =
            scan_by_key_kernel<tuning, Kind, T, unwrapped<KeyIt>, unwrapped<ValueIt>,
                               unwrapped<OutputIt>, std::size_t, Equal, fold_with<T, Op>, Init,
                               decltype(tiles)>;
        return HINDSIGHT_LAUNCH_NEXT_IF(is_next, static_cast<unsigned>(num_tiles),
                                        tuning::shape.block_threads(), 0, stream, kernel)(
            keys, input, output, tile_heads, n, equal, fold, init, tiles);
      });
    }
  }
  constexpr auto kernel = scan_by_key_kernel<tuning, Kind, T, unwrapped<KeyIt>, unwrapped<ValueIt>,
                                             unwrapped<OutputIt>, unwrapped_size<Size>, Equal,
                                             fold_with<T, Op>, Init, tile_chain<open_run<T>>>;
  constexpr int block_threads = tuning::shape.block_threads();
  HINDSIGHT_TRY(chain.prepare(space, stream));
  return HINDSIGHT_LAUNCH_TILES(chain, block_threads, stream, kernel)(
      keys, input, output, tile_heads, size, equal, fold_with<T, Op>{op}, init, chain);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
