// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tile does with its scans by run: of equal keys, or of a segment.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/scan_tile.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>

#include <cuda/std/utility>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The values of a tile, and what its warps tell each other of them.
template <class T, int LaneItems, int Warps>
struct tile_of_runs {
  staged_warp<T, LaneItems> values[Warps];
  unsigned warp_has_head[Warps];  ///< whether a run begins there
  uninitialized<T> warp_folds[Warps];
};

template <class Key, class T, int LaneItems, int Warps>
struct scan_by_key_tile : tile_of_runs<T, LaneItems, Warps> {
  staged_warp<Key, LaneItems> keys[Warps];
};

/// An initial value of another type than the fold. The operator gets it as it is.
template <class T, class Init>
struct own_init {
  Init value;
  HINDSIGHT_DEVICE operator T() const { return static_cast<T>(value); }
};
template <class T, class Init, class Op>
HINDSIGHT_DEVICE T prepend(const own_init<T, Init>& before, const T& value, fold_with<T, Op> fold) {
  return static_cast<T>(fold.op(before.value, value));
}

/// The fold of this lane's values since the last head. Bit i of `heads`: a run begins at item i.
template <class T, int LaneItems, class Op, class Init>
HINDSIGHT_DEVICE T fold_own_run(staged_warp<T, LaneItems>& staged, unsigned heads, Op op,
                                Init init) {
  uninitialized<T> fold;
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    const T& item = staged.lane_item(i);
    if (heads >> i & 1) {
      fold.set(cuda::prepend(init, item, op));
    } else {
      fold.set(i > 0 ? op(fold.get(), item) : item);
    }
  }
  return fold.get();
}

/// Replaces this lane's values by their scan by run; `before` is the fold of the run that is open
/// before the first of them, and means nothing where a run begins there.
template <class Kind, class T, int LaneItems, class Op, class Init>
HINDSIGHT_DEVICE void scan_own_runs(staged_warp<T, LaneItems>& staged, unsigned heads,
                                    const uninitialized<T>& before, Op op, Init init) {
  uninitialized<T> next, own_fold;  // the run's fold up to here; the part of it that is this lane's
  next.set(before.get());
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    T& slot = staged.lane_item(i);
    const T item = ::cuda::std::as_const(slot);
    const bool is_head = heads >> i & 1;
    if constexpr (std::is_same_v<Kind, exclusive>) slot = is_head ? init : next.get();
    if (is_head) {
      own_fold.set(cuda::prepend(init, item, op));
      next.set(own_fold.get());
    } else if constexpr (folds_own_first<T>) {
      const bool is_open_before = (heads & ((2u << i) - 1)) == 0;
      own_fold.set(i > 0 ? op(own_fold.get(), item) : item);
      next.set(is_open_before ? op(before.get(), own_fold.get()) : own_fold.get());
    } else {
      next.set(op(next.get(), item));
    }
    if constexpr (std::is_same_v<Kind, inclusive>) slot = next.get();
  }
}

/// Which of this lane's keys differ from their predecessors, as bits. `before` is the predecessor
/// of the first.
template <class Key, int LaneItems, class Equal>
HINDSIGHT_DEVICE unsigned find_heads(staged_warp<Key, LaneItems>& staged, const Key& before,
                                     Equal equal) {
  unsigned heads = 0;
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    const Key& left = i > 0 ? staged.lane_item(i - 1) : before;
    heads |= unsigned(!equal(left, ::cuda::std::as_const(staged.lane_item(i)))) << i;
  }
  return heads;
}

/// tile_fold = the fold of the run that is open after the tile, as far as it lies in the tile;
/// returns whether this run begins in the tile. For a warp that is not the first, `before` and
/// `head_before` say the same of the run that is open before the warp.
template <class T, int LaneItems, int Warps, class Op>
HINDSIGHT_DEVICE bool join_warps(tile_of_runs<T, LaneItems, Warps>& shared, int warp, Op& op,
                                 bool& head_before, uninitialized<T>& before,
                                 uninitialized<T>& tile_fold) {
  bool has_head = false;
  for (int w = 0; w < Warps; ++w) {
    if (w == warp && w > 0) {
      before.set(tile_fold.get());
      head_before = has_head;
    }
    const T& warp_fold = shared.warp_folds[w].get();
    const bool restarts = w == 0 || shared.warp_has_head[w];
    tile_fold.set(restarts ? warp_fold : op(tile_fold.get(), warp_fold));
    has_head = has_head || shared.warp_has_head[w];
  }
  return has_head;
}

/// What a tile does between its loads and its carry. Each thread of the tile's shape calls it, with
/// its number `thread`. run = what the tile hands on. Returns whether a run begins in the tile
/// before this lane; before = the fold of the run that is open there, as far as it is in the tile.
///   sync()          a barrier among these threads
///   publish(fold)   by one of them
template <class T, int LaneItems, int Warps, class Op, class Init, class Sync, class Publish>
HINDSIGHT_DEVICE bool fold_runs(tile_of_runs<T, LaneItems, Warps>& shared, int thread,
                                unsigned heads, Op& op, const Init& init, uninitialized<T>& before,
                                open_run<T>& run, Sync sync, Publish publish) {
  const int warp = thread / warp_lanes, lane = lane_index();
  const unsigned lanes_with_head = __ballot_sync(all_lanes, heads != 0);
  const T lane_fold = cuda::warp_segmented_fold(
      cuda::fold_own_run(shared.values[warp], heads, op, init), lanes_with_head, op);
  const T lane_before = cuda::shuffle_up(lane_fold, 1);
  if (lane == warp_lanes - 1) {
    shared.warp_has_head[warp] = lanes_with_head != 0;
    shared.warp_folds[warp].set(lane_fold);
  }
  sync();

  bool head_before = false;
  uninitialized<T> tile_fold;
  const bool has_head = cuda::join_warps(shared, warp, op, head_before, before, tile_fold);
  run = open_run<T>::make(has_head, tile_fold.get());
  if (thread == 0) publish(run);
  if (lane == 0) return head_before;
  const bool head_in_warp = (lanes_with_head & ptx::lanes_below()) != 0;
  before.set(head_in_warp || warp == 0 ? lane_before : op(before.get(), lane_before));
  return head_before || head_in_warp;
}

/// What a warp of a pipeline does with a tile that has its carry: scans its values, and writes
/// them.
///   step  has the members op, init, out, and items_from()
///   slot  a tile_of_runs; lane_heads and lanes_before hold what fold_runs() gave each lane: its
///         heads, with the result in the highest bit, and `before`
template <class Kind, class T, class Step>
HINDSIGHT_DEVICE void write_scan_by_run(const Step& step, std::size_t tile,
                                        typename Step::slot_type& slot,
                                        const uninitialized<open_run<T>>& carry, int warp) {
  constexpr tile_shape shape = Step::shape;
  const int thread = warp * warp_lanes + lane_index();
  const std::size_t first = tile * shape.tile_items() + warp * shape.warp_items();
  const unsigned heads = slot.lane_heads[thread];
  uninitialized<T> before;
  before.set(slot.lanes_before[thread].get());
  if (heads >> 31 == 0 && tile > 0) {
    const T open = carry.get().fold();
    before.set(thread > 0 ? step.op(open, before.get()) : open);
  }
  auto& staged = slot.values[warp];
  cuda::scan_own_runs<Kind>(staged, heads, before, step.op, step.init);
  const std::ptrdiff_t left = step.items_from(first);
  left >= shape.warp_items() ? staged.store(step.out + first)
                             : staged.store_partial(step.out + first, left);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
