// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tile of keys and values does with its runs. Every kernel that reduces by key evaluates
// these, so all have the same association and the same bits.
#pragma once

#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A tile in shared memory: first its keys and values, then the runs that it closes.
template <class Key, class T, int LaneItems, int Warps>
struct reduce_by_key_tile {
  static constexpr int tile_items = Warps * warp_lanes * LaneItems;
  struct loaded_tile {
    staged_warp<Key, LaneItems> keys[Warps];
    staged_warp<T, LaneItems> values[Warps];
  };
  /// Run r sits in slot r + r / 32: so lanes that close many runs each have no bank conflicts. The
  /// slots of wide folds have pads instead.
  class closed_runs {
   public:
    HINDSIGHT_DEVICE uninitialized<Key>& key(unsigned r) { return keys_[r + r / warp_lanes]; }
    HINDSIGHT_DEVICE staging_slot<T>& fold(unsigned r) {
      return folds_[is_wide<T> ? r : r + r / warp_lanes];
    }

   private:
    uninitialized<Key> keys_[tile_items + tile_items / warp_lanes];
    staging_slot<T> folds_[is_wide<T> ? tile_items : tile_items + tile_items / warp_lanes];
  };
  room_for<loaded_tile, closed_runs> stage;  ///< one after the other
  unsigned warp_counts[Warps];
  uninitialized<T> warp_folds[Warps];
  bool first_is_head;  ///< the tile's first item begins a run: so the run of the carry has no
                       ///< item in the tile
};

/// A lane's items of a tile, which are neighbours, in registers.
template <class Key, class T, int LaneItems>
struct lane_pairs {
  uninitialized<Key> keys[LaneItems], key_before;
  uninitialized<T> values[LaneItems];
  unsigned heads;         ///< bit i: a run begins with item i
  uninitialized<T> fold;  ///< of the values since the last of them
};

/// Where runs begin, and the fold of this lane's values since the last head. From the lane's first
/// item on the input has `left` items, more or fewer than the lane. Where the input ends within the
/// lane, a run begins: so what comes after it is in no run of the input.
template <class Key, class T, int LaneItems, class Equal, class Op>
HINDSIGHT_DEVICE void find_runs(lane_pairs<Key, T, LaneItems>& own, bool is_first_of_all,
                                std::ptrdiff_t left, Equal& equal, Op& op) {
  own.heads = 0;
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    const Key& before = i > 0 ? own.keys[i - 1].get() : own.key_before.get();
    own.heads |= unsigned(!equal(before, own.keys[i].get())) << i;
  }
  if (is_first_of_all) own.heads |= 1;
  if (left < LaneItems) own.heads = left < 0 ? 0 : (own.heads & ((1u << left) - 1)) | 1u << left;
  own.fold.set(own.values[0].get());
  HINDSIGHT_UNROLL
  for (int i = 1; i < LaneItems; ++i) {
    const T& value = own.values[i].get();
    own.fold.set(own.heads >> i & 1 ? value : op(own.fold.get(), value));
  }
}

/// tile_fold = the fold of the run that is open after the tile; returns how many runs begin in the
/// tile. For a warp that is not the first, open = the fold of the run that is open before the warp,
/// and `rank` grows by how many runs begin before the warp.
template <class Key, class T, int LaneItems, int Warps, class Op>
HINDSIGHT_DEVICE int join_warps(reduce_by_key_tile<Key, T, LaneItems, Warps>& shared, int warp,
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

/// Stages the run that each head closes, from run `rank` of the tile on; the first one of the tile
/// lacks the carry yet. `open` is the fold of the run that is open before this lane, if one is;
/// afterwards, of the run that is open after this lane.
template <class Key, class T, int LaneItems, class Op, class ClosedRuns>
HINDSIGHT_DEVICE void stage_closed(lane_pairs<Key, T, LaneItems>& own, bool any_before,
                                   unsigned rank, Op& op, uninitialized<T>& open,
                                   ClosedRuns& closed) {
  const unsigned first = rank;
  const unsigned heads = ptx::opaque(own.heads);  // else a register keeps predicates for it
  uninitialized<T> fold;
  fold.set(own.values[0].get());
  if (heads & 1) {
    if (any_before) closed.fold(rank).set(open.get());
    closed.key(rank).set(own.key_before.get());
    ++rank;
  }
  HINDSIGHT_UNROLL
  for (int i = 1; i < LaneItems; ++i) {
    const T& value = own.values[i].get();
    const bool is_head = heads >> i & 1;
    if (is_head) {
      closed.fold(rank).set(fold.get());
      closed.key(rank).set(own.keys[i - 1].get());
    }
    rank += is_head;
    fold.set(is_head ? value : op(fold.get(), value));
  }
  const bool goes_on = any_before && !(heads & 1);  // what is open before this lane
  if (goes_on && rank > first) closed.fold(first).set(op(open.get(), closed.fold(first).get()));
  open.set(goes_on && rank == first ? op(open.get(), fold.get()) : fold.get());
}

/// What a tile does between its loads and its carry. Each thread of the tile's shape calls it, with
/// its number `thread`. Returns what the tile hands on, and stages the runs that its heads close.
/// open = the fold of the run that is open after this lane, without the carry.
///   sync()          a barrier among these threads
///   publish(fold)   by one of them
///   OnlyPublishes   if so, no runs are staged
template <bool OnlyPublishes = false, class Key, class T, int LaneItems, int Warps, class Equal,
          class Op, class Sync, class Publish>
HINDSIGHT_DEVICE open_run<T> fold_pairs(reduce_by_key_tile<Key, T, LaneItems, Warps>& shared,
                                        int thread, bool is_first_of_all, std::ptrdiff_t left,
                                        lane_pairs<Key, T, LaneItems>& own, Equal& equal, Op& op,
                                        uninitialized<T>& open, Sync sync, Publish publish) {
  const int warp = thread / warp_lanes, lane = lane_index();
  cuda::find_runs(own, is_first_of_all, left, equal, op);
  const unsigned lanes_with_head = __ballot_sync(all_lanes, own.heads != 0);
  const T lane_fold = cuda::warp_segmented_fold(own.fold.get(), lanes_with_head, op);
  const T lane_before = cuda::shuffle_up(lane_fold, 1);
  const int count = __popc(own.heads);
  const int rank_in_warp = cuda::warp_inclusive_fold(count, ::cuda::std::plus<int>{}) - count;
  if (lane == warp_lanes - 1) {
    shared.warp_counts[warp] = rank_in_warp + count;
    shared.warp_folds[warp].set(lane_fold);
  }
  sync();

  int rank = rank_in_warp;
  uninitialized<T> tile_fold;
  const int tile_runs = cuda::join_warps(shared, warp, op, rank, open, tile_fold);
  const bool head_in_warp = (lanes_with_head & ptx::lanes_below()) != 0;
  if (lane > 0) {
    open.set(head_in_warp || warp == 0 ? lane_before : op(open.get(), lane_before));
  }
  const auto tile_run = open_run<T>::make(tile_runs, tile_fold.get());
  if (thread == 0) publish(tile_run);
  if constexpr (OnlyPublishes) return tile_run;
  if (thread == 0) shared.first_is_head = own.heads & 1;
  cuda::stage_closed(own, thread > 0, unsigned(rank), op, open, shared.stage.second());
  return tile_run;
}

/// Completes the run that the tile's first head closes: it began before the tile.
template <class Key, class T, int LaneItems, int Warps, class Op>
HINDSIGHT_DEVICE void close_first(reduce_by_key_tile<Key, T, LaneItems, Warps>& shared,
                                  const uninitialized<open_run<T>>& carry, Op& op) {
  auto& fold = shared.stage.second().fold(0);
  fold.set(shared.first_is_head ? carry.get().fold() : op(carry.get().fold(), fold.get()));
}

/// Writes the run that head r of the tile closes. It is run `run` of the input.
template <class Key, class T, int LaneItems, int Warps, class KeyOutIt, class ValueOutIt, class Op>
HINDSIGHT_DEVICE void write_closed(reduce_by_key_tile<Key, T, LaneItems, Warps>& shared,
                                   const uninitialized<open_run<T>>& carry, unsigned r,
                                   std::uint64_t run, KeyOutIt keys_out, ValueOutIt values_out,
                                   Op& op) {
  auto& staged = shared.stage.second();
  uninitialized<T> closed;
  if (r == 0 && shared.first_is_head) {
    closed.set(carry.get().fold());
  } else {
    closed.set(staged.fold(r).get());
    if (r == 0) closed.set(op(carry.get().fold(), closed.get()));
  }
  keys_out[run] = staged.key(r).get();
  values_out[run] = closed.get();
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
