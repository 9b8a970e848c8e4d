// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass reduction of runs of equal keys. The tile in which the next run begins closes a run:
// the carry is the number of runs begun so far and the fold of the last of them.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/warp_run.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/by_key.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail {

template <class Key, class T, int LaneItems, int Warps>
struct reduce_by_key_storage {
  static constexpr int tile_items = Warps * warp_lanes * LaneItems;
  struct loaded_tile {
    warp_run<Key, LaneItems> keys[Warps];
    warp_run<T, LaneItems> values[Warps];
  };
  /// Run r sits in slot r + r / 32: lanes that close many runs each then meet in no bank.
  class closed_runs {
   public:
    HINDSIGHT_DEVICE uninitialized<Key>& key(int r) { return keys_[r + r / warp_lanes]; }
    HINDSIGHT_DEVICE uninitialized<T>& fold(int r) { return folds_[r + r / warp_lanes]; }

   private:
    uninitialized<Key> keys_[tile_items + tile_items / warp_lanes];
    uninitialized<T> folds_[tile_items + tile_items / warp_lanes];
  };
  room_for<loaded_tile, closed_runs> stage;  ///< one after the other
  unsigned warp_counts[Warps];
  uninitialized<T> warp_folds[Warps];
  bool begins_with_run;  ///< the tile's first item begins a run: nothing of the tile is in the
                         ///< carry's
  chain_storage<open_run<T>> chain;
};

/// For run r of equal neighbouring keys: keys_out[r] = its last key, values_out[r] = the fold of
/// its values, from left to right in an association that depends on positions alone.
///   num_runs  [1]
template <class Tuning, class T, class KeyIt, class ValueIt, class KeyOutIt, class ValueOutIt,
          class CountIt, class Size, class Equal, class Op>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void reduce_by_key_kernel(KeyIt keys_in, ValueIt values_in, KeyOutIt keys_out,
                          ValueOutIt values_out, CountIt num_runs, Size num_items, Equal equal,
                          Op op, tile_chain<open_run<T>> launched) {
  using Key = value_of<KeyIt>;
  constexpr tile_shape shape = Tuning::shape;
  constexpr int lane_items = shape.lane_items;
  HINDSIGHT_SHARED(shared, reduce_by_key_storage<Key, T, lane_items, shape.warps>);
  const append_run<Op> append{op};
  const std::size_t n = detail::read_items(num_items);
  const auto& chain = detail::chain_of(launched, num_items, n, shape.tile_items());
  if (detail::found_none(num_items, n, num_runs)) return;

  std::size_t tile;
  if (!detail::claim_tile<shape.warps>(chain, append, no_init{}, shared.chain, tile)) return;
  const int warp = warp_index(), lane = lane_index();
  const std::size_t first = tile * shape.tile_items() + warp * shape.warp_items();
  const auto left = static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);
  const int own = static_cast<int>(::cuda::std::max<std::ptrdiff_t>(
      0, ::cuda::std::min<std::ptrdiff_t>(lane_items, left - lane * lane_items)));

  uninitialized<Key> keys[lane_items], key_before;
  auto& key_run = shared.stage.first().keys[warp];
  auto& value_run = shared.stage.first().values[warp];
  const bool full = left >= shape.warp_items();
  if (full) {
    key_run.begin_load(keys_in + first);
    value_run.begin_load(values_in + first);
  }
  // On its way beside the tile.
  if (lane == 0) key_before.set(keys_in[first > 0 && left > 0 ? first - 1 : 0]);
  if (full) {
    value_run.finish_loads();
  } else {
    key_run.load_partial(keys_in + first, left);
    value_run.load_partial(values_in + first, left);
  }
  uninitialized<T> values[lane_items];
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    keys[i].set(key_run.own(i / key_run.piece_items)[i % key_run.piece_items]);
    values[i].set(value_run.own(i / value_run.piece_items)[i % value_run.piece_items]);
  }
  if (lane > 0) key_before.set(key_run[lane * lane_items - 1]);

  // Where runs begin, and the fold of this lane's values since the last begin.
  unsigned begins = 0;
  uninitialized<T> fold;
  fold.set(values[0].get());
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    if (i >= own) continue;
    const Key& before = i > 0 ? keys[i - 1].get() : key_before.get();
    const bool is_begin = !equal(before, keys[i].get()) || (i == 0 && first + lane == 0);
    begins |= unsigned(is_begin) << i;
    if (i > 0) fold.set(is_begin ? values[i].get() : op(fold.get(), values[i].get()));
  }
  const unsigned lanes_with_begin = __ballot_sync(all_lanes, begins != 0);
  const T lane_fold = detail::warp_segmented_fold(fold.get(), lanes_with_begin, op);
  const T lane_before = detail::shuffle_up(lane_fold, 1);
  const int count = __popc(begins);
  const int rank_in_warp = detail::warp_inclusive_fold(count, ::cuda::std::plus<int>{}) - count;
  if (lane == warp_lanes - 1) {
    shared.warp_counts[warp] = rank_in_warp + count;
    shared.warp_folds[warp].set(lane_fold);
  }
  __syncthreads();

  // The same over warps: runs before this lane, and the fold of the one that is open there.
  int rank = rank_in_warp, tile_runs = 0;
  uninitialized<T> open, tile_fold;
  for (int w = 0; w < shape.warps; ++w) {
    if (w == warp && w > 0) {
      rank += tile_runs;
      open.set(tile_fold.get());
    }
    const bool restarts = w == 0 || shared.warp_counts[w] > 0;
    const T& warp_fold = shared.warp_folds[w].get();
    tile_fold.set(restarts ? warp_fold : op(tile_fold.get(), warp_fold));
    tile_runs += shared.warp_counts[w];
  }
  const bool begun_in_warp = (lanes_with_begin & ptx::lanes_below()) != 0;
  if (lane > 0) {
    open.set(begun_in_warp || warp == 0 ? lane_before : op(open.get(), lane_before));
  }
  const auto tile_run = open_run<T>::make(tile_runs, tile_fold.get());
  if (threadIdx.x == 0) detail::publish(chain, tile, tile_run);

  // Stage what each begin closes. What the tile's first begin closes lacks the carry yet.
  auto& closed_runs = shared.stage.second();
  if (threadIdx.x == 0) shared.begins_with_run = begins & 1;
  const bool any_before = threadIdx.x > 0;
  bool begun = !any_before;  // what is open began in this lane
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    if (i >= own) continue;
    if (begins >> i & 1) {
      if (i > 0) {
        closed_runs.fold(rank).set(begun ? fold.get() : op(open.get(), fold.get()));
      } else if (any_before) {
        closed_runs.fold(rank).set(open.get());
      }
      closed_runs.key(rank).set(i > 0 ? keys[i - 1].get() : key_before.get());
      ++rank;
      begun = true;
      fold.set(values[i].get());
    } else {
      fold.set(i > 0 ? op(fold.get(), values[i].get()) : values[i].get());
    }
  }
  open.set(begun ? fold.get() : op(open.get(), fold.get()));
  detail::look_back<shape.warps>(chain, tile, tile_run, append, no_init{}, shared.chain);
  __syncthreads();

  // Begin r of the tile closes run `runs_before + r - 1` of the input.
  const std::uint64_t runs_before = tile > 0 ? shared.chain.carry.get().count() : 0;
  for (int r = threadIdx.x; r < tile_runs; r += shape.block_threads()) {
    const std::uint64_t run = runs_before + r;
    if (run == 0) continue;
    uninitialized<T> closed;
    if (r == 0 && shared.begins_with_run) {
      closed.set(shared.chain.carry.get().fold());
    } else {
      closed.set(closed_runs.fold(r).get());
      if (r == 0) closed.set(op(shared.chain.carry.get().fold(), closed.get()));
    }
    keys_out[run - 1] = closed_runs.key(r).get();
    values_out[run - 1] = closed.get();
  }
  if (own > 0 && first + lane * lane_items + own == n) {  // the owner of the last item
    const std::uint64_t total = runs_before + tile_runs;
    const bool needs_carry = tile > 0 && tile_runs == 0;
    keys_out[total - 1] = keys_in[n - 1];
    values_out[total - 1] =
        needs_carry ? op(shared.chain.carry.get().fold(), open.get()) : open.get();
    *num_runs = total;
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
  const tile_chain<open_run<T>> chain{space, n, tuning::shape.tile_items()};
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
  if (n == 0) {
    HINDSIGHT_LAUNCH(1, 1, 0, stream, store_kernel)(0, num_runs);
    return cudaPeekAtLastError();
  }
  HINDSIGHT_TRY(chain.prepare(space, stream));
  HINDSIGHT_LAUNCH(chain.num_blocks(), tuning::shape.block_threads(), 0, stream,
                   reduce_by_key_kernel<tuning, T>)
  (detail::unwrap(keys_in), detail::unwrap(values_in), detail::unwrap(keys_out),
   detail::unwrap(values_out), num_runs, detail::unwrap_size(num_items), equal,
   fold_with<T, Op>{op}, chain);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail
