// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass reduction of runs of equal keys. The tile in which the next run begins closes a run:
// the carry is the number of runs begun so far and the fold of the last of them.
#pragma once

#include <hindsight/detail/cuda/block/claimed_items.cuh>
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

namespace hindsight::detail::cuda {

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

/// A lane's items of a tile, which are neighbours, in registers.
template <class Key, class T, int LaneItems>
struct lane_pairs {
  uninitialized<Key> keys[LaneItems], key_before;
  uninitialized<T> values[LaneItems];
  int count;              ///< so many are items of the input
  unsigned begins = 0;    ///< bit i: a run begins with item i
  uninitialized<T> fold;  ///< of the values since the last of them
};

template <class LoadedTile, class KeyIt, class ValueIt, class Key, class T, int LaneItems>
HINDSIGHT_DEVICE void load_pairs(LoadedTile& loaded, KeyIt keys_in, ValueIt values_in,
                                 const claimed_items& at, lane_pairs<Key, T, LaneItems>& own) {
  const int lane = lane_index();
  auto& keys = loaded.keys[warp_index()];
  auto& values = loaded.values[warp_index()];
  own.count = static_cast<int>(::cuda::std::max<std::ptrdiff_t>(
      0, ::cuda::std::min<std::ptrdiff_t>(LaneItems, at.left - lane * LaneItems)));
  const bool full = at.left >= warp_lanes * LaneItems;
  if (full) {
    keys.begin_load(keys_in + at.first);
    values.begin_load(values_in + at.first);
  }
  // On its way beside the tile.
  if (lane == 0) own.key_before.set(keys_in[at.first > 0 && at.left > 0 ? at.first - 1 : 0]);
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

/// Where runs begin, and the fold of this lane's values since the last begin.
template <class Key, class T, int LaneItems, class Equal, class Op>
HINDSIGHT_DEVICE void find_runs(lane_pairs<Key, T, LaneItems>& own, bool is_first_of_all,
                                Equal& equal, Op& op) {
  own.fold.set(own.values[0].get());
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    if (i >= own.count) continue;
    const Key& before = i > 0 ? own.keys[i - 1].get() : own.key_before.get();
    const T& value = own.values[i].get();
    const bool is_begin = !equal(before, own.keys[i].get()) || (i == 0 && is_first_of_all);
    own.begins |= unsigned(is_begin) << i;
    if (i > 0) own.fold.set(is_begin ? value : op(own.fold.get(), value));
  }
}

/// The fold of the run that is open after the tile, and how many runs begin in it. Before this warp:
/// the fold of the open one, and `rank` plus how many begin.
template <class Key, class T, int LaneItems, int Warps, class Op>
HINDSIGHT_DEVICE int join_warps(reduce_by_key_storage<Key, T, LaneItems, Warps>& shared, int warp,
                                Op& op, int& rank, uninitialized<T>& open,
                                uninitialized<T>& tile_fold) {
  int tile_runs = 0;
  for (int w = 0; w < Warps; ++w) {
    if (w == warp && w > 0) {
      rank += tile_runs;
      open.set(tile_fold.get());
    }
    const bool restarts = w == 0 || shared.warp_counts[w] > 0;
    const T& warp_fold = shared.warp_folds[w].get();
    tile_fold.set(restarts ? warp_fold : op(tile_fold.get(), warp_fold));
    tile_runs += shared.warp_counts[w];
  }
  return tile_runs;
}

/// Stages what each begin closes, from run `rank` of the tile on; the first of the tile lacks the
/// carry yet. `open` is the fold of what is open before this lane, then after it.
template <class Key, class T, int LaneItems, class Op, class ClosedRuns>
HINDSIGHT_DEVICE void stage_closed(lane_pairs<Key, T, LaneItems>& own, int rank, Op& op,
                                   uninitialized<T>& open, ClosedRuns& closed) {
  const bool any_before = threadIdx.x > 0;
  bool begun = !any_before;  // what is open began in this lane
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    if (i >= own.count) continue;
    const T& value = own.values[i].get();
    if (own.begins >> i & 1) {
      if (i > 0) {
        closed.fold(rank).set(begun ? own.fold.get() : op(open.get(), own.fold.get()));
      } else if (any_before) {
        closed.fold(rank).set(open.get());
      }
      closed.key(rank).set(i > 0 ? own.keys[i - 1].get() : own.key_before.get());
      ++rank;
      begun = true;
      own.fold.set(value);
    } else {
      own.fold.set(i > 0 ? op(own.fold.get(), value) : value);
    }
  }
  open.set(begun ? own.fold.get() : op(open.get(), own.fold.get()));
}

/// Writes what begin r of the tile closes, which is run `run` of the input.
template <class Key, class T, int LaneItems, int Warps, class KeyOutIt, class ValueOutIt, class Op>
HINDSIGHT_DEVICE void write_closed(reduce_by_key_storage<Key, T, LaneItems, Warps>& shared, int r,
                                   std::uint64_t run, KeyOutIt keys_out, ValueOutIt values_out,
                                   Op& op) {
  auto& staged = shared.stage.second();
  uninitialized<T> closed;
  if (r == 0 && shared.begins_with_run) {
    closed.set(shared.chain.carry.get().fold());
  } else {
    closed.set(staged.fold(r).get());
    if (r == 0) closed.set(op(shared.chain.carry.get().fold(), closed.get()));
  }
  keys_out[run] = staged.key(r).get();
  values_out[run] = closed.get();
}

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
  const auto& chain = cuda::chain_of(launched, num_items, n, shape.tile_items());
  if (cuda::found_none(num_items, n, num_runs)) return;

  claimed_items at;
  if (!cuda::claim_items<Tuning>(chain, append, no_init{}, n, shared.chain, at)) return;
  const int warp = warp_index(), lane = lane_index();
  lane_pairs<Key, T, lane_items> own;
  cuda::load_pairs(shared.stage.first(), keys_in, values_in, at, own);
  cuda::find_runs(own, at.first + lane == 0, equal, op);
  const unsigned lanes_with_begin = __ballot_sync(all_lanes, own.begins != 0);
  const T lane_fold = cuda::warp_segmented_fold(own.fold.get(), lanes_with_begin, op);
  const T lane_before = cuda::shuffle_up(lane_fold, 1);
  const int count = __popc(own.begins);
  const int rank_in_warp = cuda::warp_inclusive_fold(count, ::cuda::std::plus<int>{}) - count;
  if (lane == warp_lanes - 1) {
    shared.warp_counts[warp] = rank_in_warp + count;
    shared.warp_folds[warp].set(lane_fold);
  }
  __syncthreads();

  int rank = rank_in_warp;
  uninitialized<T> open, tile_fold;
  const int tile_runs = cuda::join_warps(shared, warp, op, rank, open, tile_fold);
  const bool begun_in_warp = (lanes_with_begin & ptx::lanes_below()) != 0;
  if (lane > 0) {
    open.set(begun_in_warp || warp == 0 ? lane_before : op(open.get(), lane_before));
  }
  const auto tile_run = open_run<T>::make(tile_runs, tile_fold.get());
  if (threadIdx.x == 0) cuda::publish(chain, at.tile, tile_run);
  if (threadIdx.x == 0) shared.begins_with_run = own.begins & 1;
  cuda::stage_closed(own, rank, op, open, shared.stage.second());
  cuda::look_back<shape.warps>(chain, at.tile, tile_run, append, no_init{}, shared.chain);
  __syncthreads();

  // Begin r of the tile closes run `runs_before + r - 1` of the input.
  const std::uint64_t runs_before = at.tile > 0 ? shared.chain.carry.get().count() : 0;
  for (int r = threadIdx.x; r < tile_runs; r += shape.block_threads()) {
    const std::uint64_t run = runs_before + r;
    if (run > 0) cuda::write_closed(shared, r, run - 1, keys_out, values_out, op);
  }
  if (own.count > 0 && at.first + lane * lane_items + own.count == n) {  // it has the last item
    const std::uint64_t total = runs_before + tile_runs;
    const bool needs_carry = at.tile > 0 && tile_runs == 0;
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
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (n == 0) return cuda::store(0, num_runs, stream);
  HINDSIGHT_LAUNCH_TILES(chain, space, tuning, stream, reduce_by_key_kernel<tuning, T>)
  (cuda::unwrap(keys_in), cuda::unwrap(values_in), cuda::unwrap(keys_out),
   cuda::unwrap(values_out), num_runs, cuda::unwrap_size(num_items), equal,
   fold_with<T, Op>{op}, chain);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail::cuda
