// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass reduction of runs of equal keys. The tile in which the next run begins closes a run:
// the carry is the number of runs begun so far and the fold of the last of them.
#pragma once

#include <hindsight/detail/cuda/block/claimed_items.cuh>
#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/reduce_by_key_tile.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/reduce_by_key_pipeline.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/by_key.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Key, class T, int LaneItems, int Warps>
struct reduce_by_key_storage : reduce_by_key_tile<Key, T, LaneItems, Warps> {
  chain_storage<open_run<T>> chain;
};

template <class LoadedTile, class KeyIt, class ValueIt, class Key, class T, int LaneItems>
HINDSIGHT_DEVICE void load_pairs(LoadedTile& loaded, KeyIt keys_in, ValueIt values_in,
                                 const claimed_items& at, lane_pairs<Key, T, LaneItems>& own) {
  const int lane = lane_index();
  auto& keys = loaded.keys[warp_index()];
  auto& values = loaded.values[warp_index()];
  const bool full = at.left >= warp_lanes * LaneItems;
  if (full) {
    keys.begin_load(keys_in + at.first);
    values.begin_load(values_in + at.first);
  }
  // Loaded at the same time as the tile.
  if (lane == 0)
    own.key_before.set(
        cuda::to_copy<Key>(keys_in[at.first > 0 && at.left >= 0 ? at.first - 1 : 0]));
  if (full) {
    values.finish_loads();
  } else {
    keys.load_partial(keys_in + at.first, at.left);
    values.load_partial(values_in + at.first, at.left);
  }
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    own.keys[i].set(keys.lane_item(i));
    own.values[i].set(values.lane_item(i));
  }
  if (lane > 0) own.key_before.set(keys[lane * LaneItems - 1]);
}

/// Writes the runs that a tile closes, which are staged, and the last tile the one that the input
/// closes. shared.chain.carry is the carry into the tile.
template <class Tuning, class Storage, class Key, class T, int LaneItems, class KeyOutIt,
          class ValueOutIt, class CountIt, class Op>
HINDSIGHT_DEVICE void write_runs(Storage& shared, std::size_t tile, std::size_t num_tiles,
                                 std::size_t n, const open_run<T>& tile_run,
                                 lane_pairs<Key, T, LaneItems>& own, const uninitialized<T>& open,
                                 KeyOutIt keys_out, ValueOutIt values_out, CountIt num_runs,
                                 Op& op) {
  constexpr tile_shape shape = Tuning::shape;
  // Head r of the tile closes run `runs_before + r - 1` of the input.
  const int tile_runs = static_cast<int>(tile_run.count());
  const std::uint64_t runs_before = tile > 0 ? shared.chain.carry.get().count() : 0;
  if constexpr (moves_in_words<T, ValueOutIt>) {
    if (threadIdx.x == 0 && tile > 0 && tile_runs > 0)
      cuda::close_first(shared, shared.chain.carry, op);
    __syncthreads();
    auto& closed = shared.stage.second();
    const int first = tile > 0 ? 0 : 1;  // the first head of the input closes no run
    for (int r = first + threadIdx.x; r < tile_runs; r += shape.block_threads())
      keys_out[runs_before + r - 1] = closed.key(r).get();
    cuda::store_staged<shape.block_threads()>(&closed.fold(first), tile_runs - first,
                                              values_out + (runs_before + first - 1));
  } else {
    for (int r = threadIdx.x; r < tile_runs; r += shape.block_threads()) {
      const std::uint64_t run = runs_before + r;
      if (run > 0)
        cuda::write_closed(shared, shared.chain.carry, r, run - 1, keys_out, values_out, op);
    }
  }
  if (tile + 1 < num_tiles || threadIdx.x + 1 < shape.block_threads()) return;
  const bool is_full = n % shape.tile_items() == 0;  // otherwise its end has closed the last run
  const std::uint64_t total = runs_before + tile_runs - !is_full;
  if (is_full) {
    const bool needs_carry = tile > 0 && tile_runs == 0;
    keys_out[total - 1] = own.keys[LaneItems - 1].get();
    const T& fold = needs_carry ? op(shared.chain.carry.get().fold(), open.get()) : open.get();
    values_out[total - 1] = fold;
  }
  *num_runs = total;
}

/// For run r of equal neighbouring keys: keys_out[r] = its last key, values_out[r] = the fold of
/// its values, from left to right in an association that depends on positions alone.
///   num_runs  [1]
template <class Tuning, class T, class KeyIt, class ValueIt, class KeyOutIt, class ValueOutIt,
          class CountIt, class Size, class Equal, class Op, class Chain>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void reduce_by_key_kernel(KeyIt keys_in, ValueIt values_in, KeyOutIt keys_out,
                          ValueOutIt values_out, CountIt num_runs, Size num_items, Equal equal,
                          Op op, Chain launched) {
  using Key = value_of<KeyIt>;
  constexpr tile_shape shape = Tuning::shape;
  constexpr int lane_items = shape.lane_items;
  HINDSIGHT_SHARED(shared, reduce_by_key_storage<Key, T, lane_items, shape.warps>);
  const append_run<Op> append{op};
  const std::size_t n = detail::read_items(num_items);
  const auto& chain = cuda::chain_of(launched, num_items, n, shape.tile_items());
  if (cuda::found_none(num_items, n, num_runs)) return;

  claimed_items at;
  if (!cuda::claim_items<Tuning>(chain, append, no_init{}, n, shared.chain, at)) return;
  const int lane = lane_index();
  lane_pairs<Key, T, lane_items> own;
  cuda::load_pairs(shared.stage.first(), keys_in, values_in, at, own);
  uninitialized<T> open;
  const open_run<T> tile_run = cuda::fold_pairs<only_sums<Chain>>(
      shared, static_cast<int>(threadIdx.x), at.first + lane == 0, at.left - lane * lane_items, own,
      equal, op, open, [] { __syncthreads(); },
      [&](const open_run<T>& run) { cuda::publish(chain, at.tile, run); });
  if constexpr (!only_sums<Chain>) {
    cuda::look_back<shape.warps>(chain, at.tile, tile_run, append, no_init{}, shared.chain);
    __syncthreads();
    cuda::write_runs<Tuning>(shared, at.tile, chain.num_tiles, n, tile_run, own, open, keys_out,
                             values_out, num_runs, op);
  }
}

/// Host side, in CUB's two phases. T is the accumulator. The outputs must not overlap the inputs.
template <class T, class KeyIt, class ValueIt, class KeyOutIt, class ValueOutIt, class CountIt,
          class Size, class Equal, class Op>
cudaError_t reduce_by_key(temporary_memory temp, std::size_t& temp_bytes, KeyIt keys_in,
                          ValueIt values_in, KeyOutIt keys_out, ValueOutIt values_out,
                          CountIt num_runs, Size num_items, Equal equal, Op op,
                          cudaStream_t stream) {
  using tuning = reduce_by_key_tuning<value_of<KeyIt>, T>;
  const std::size_t n = detail::most_items(num_items);
  carver space{temp};
  tile_chain<open_run<T>> chain{space, n, tuning::shape.tile_items()};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (n == 0) return cuda::store(0, num_runs, stream);

  const auto keys = cuda::unwrap(keys_in);
  const auto values = cuda::unwrap(values_in);
  const auto keys_to = cuda::unwrap(keys_out);
  const auto values_to = cuda::unwrap(values_out);
  if constexpr (!is_deferred<Size>) {
    bool launched = false;
    HINDSIGHT_TRY((cuda::reduce_by_key_in_pipeline<tuning, T>(
        space, keys, values, keys_to, values_to, num_runs, n, equal, op, chain, stream, launched)));
    if (launched) return detail::reported(cudaPeekAtLastError());
  }
  if constexpr (may_sum_first<T, Size, unwrapped<KeyIt>, unwrapped<ValueIt>>) {
    const fold_with<T, Op> fold{op};
    if (chain.num_tiles >= fewest_summed_tiles) {
      const append_run<fold_with<T, Op>> append{fold};
      return cuda::scan_sums_first(chain, append, no_init{}, stream, [&](auto tiles, bool is_next) {
        constexpr auto kernel =
            reduce_by_key_kernel<tuning, T, unwrapped<KeyIt>, unwrapped<ValueIt>,
                                 unwrapped<KeyOutIt>, unwrapped<ValueOutIt>, CountIt, std::size_t,
                                 Equal, fold_with<T, Op>, decltype(tiles)>;
        return HINDSIGHT_LAUNCH_NEXT_IF(is_next, static_cast<unsigned>(tiles.num_tiles),
                                        tuning::shape.block_threads(), 0, stream, kernel)(
            keys, values, keys_to, values_to, num_runs, n, equal, fold, tiles);
      });
    }
  }
  const auto size = cuda::unwrap_size(num_items);
  constexpr auto kernel =
      reduce_by_key_kernel<tuning, T, unwrapped<KeyIt>, unwrapped<ValueIt>, unwrapped<KeyOutIt>,
                           unwrapped<ValueOutIt>, CountIt, unwrapped_size<Size>, Equal,
                           fold_with<T, Op>, tile_chain<open_run<T>>>;
  constexpr int block_threads = tuning::shape.block_threads();
  HINDSIGHT_TRY(chain.prepare(space, stream));
  return HINDSIGHT_LAUNCH_TILES(chain, block_threads, stream, kernel)(
      keys, values, keys_to, values_to, num_runs, size, equal, fold_with<T, Op>{op}, chain);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
