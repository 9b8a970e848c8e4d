// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block's part of items and ends of segments: where it begins, and the fold of its items by
// segment.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/warp_run.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>
#include <hindsight/detail/merged_segments.h>

#include <cstddef>

namespace hindsight::detail::cuda {

/// A search by a full warp for the number of ends among the first `position` members. Each lane
/// asks for one end at a time. A step is in two halves, so that several searches can wait together.
template <class OffsetIt>
struct end_search {
  const merged_segments<OffsetIt>& merged;
  std::size_t position, low, high;

  HINDSIGHT_DEVICE end_search(const merged_segments<OffsetIt>& all, std::size_t members)
      : merged{all},
        position{members},
        low{all.fewest_ends(members)},
        high{all.most_ends(members)} {}

  HINDSIGHT_DEVICE bool is_done() const { return low >= high; }
  /// Whether the end that this lane asks for is one of those.
  HINDSIGHT_DEVICE bool ask() const {
    const std::size_t probe = low + (lane_index() + 1) * step() - 1;
    return probe < high && merged.position_of_end(probe) < position;
  }
  HINDSIGHT_DEVICE void narrow(bool is_before) {
    const std::size_t distance = step();
    low += __popc(__ballot_sync(all_lanes, is_before)) * distance;
    if (distance > 0) high = ::cuda::std::min(high, low + distance - 1);
  }

  /// The same where segments of equal lengths would have it, at distances of 1, 2, 4, ... before and
  /// behind: a first step, which pays where there are many.
  HINDSIGHT_DEVICE bool ask_near() const {
    const long long probe = probe_near(lane_index());
    if (probe < static_cast<long long>(low)) return true;
    return probe < static_cast<long long>(high) &&
           merged.position_of_end(static_cast<std::size_t>(probe)) < position;
  }
  HINDSIGHT_DEVICE void narrow_near(bool is_before) {
    const int count = __popc(__ballot_sync(all_lanes, is_before));
    const long long least = count > 0 ? probe_near(count - 1) + 1 : 0;
    const long long most = count < warp_lanes ? probe_near(count) : static_cast<long long>(high);
    low = ::cuda::std::max(low, static_cast<std::size_t>(::cuda::std::max(least, 0ll)));
    high = ::cuda::std::min(high, static_cast<std::size_t>(::cuda::std::max(most, 0ll)));
  }
  HINDSIGHT_DEVICE bool has_many() const { return high - low > 4 * warp_lanes; }

 private:
  HINDSIGHT_DEVICE std::size_t step() const {
    return is_done() ? 0 : (high - low + warp_lanes - 1) / warp_lanes;
  }
  HINDSIGHT_DEVICE long long probe_near(int lane) const {
    const auto expected = static_cast<long long>(static_cast<double>(merged.num_segments()) *
                                                 (static_cast<double>(position) /
                                                  static_cast<double>(merged.total())));
    return lane < 16 ? expected - (1ll << (15 - lane)) : expected + (1ll << (lane - 16)) - 1;
  }
};

/// How many ends are among the first `position` members, if that is in [low, high]. Called by a
/// full warp.
template <class OffsetIt>
HINDSIGHT_DEVICE std::size_t warp_count_ends(const merged_segments<OffsetIt>& merged,
                                             std::size_t position, std::size_t low,
                                             std::size_t high) {
  end_search<OffsetIt> search{merged, position};
  search.low = low;
  search.high = high;
  while (!search.is_done()) search.narrow(search.ask());
  return search.low;
}

/// Neighbours in the merged sequence: items [item, last_item) and the ends of segments [segment,
/// last_segment).
struct member_range {
  std::size_t segment, last_segment, item, last_item;
};

/// Members [begin, begin + count), as far as they exist. Called by a full warp.
template <class OffsetIt>
HINDSIGHT_DEVICE member_range find_members(std::size_t begin, std::size_t count,
                                           const merged_segments<OffsetIt>& merged) {
  const std::size_t end = ::cuda::std::min(begin + count, merged.total());
  end_search<OffsetIt> first{merged, begin}, last{merged, end};
  if (first.has_many() && last.has_many()) {
    const bool is_before_begin = first.ask_near(), is_before_end = last.ask_near();
    first.narrow_near(is_before_begin);
    last.narrow_near(is_before_end);
  }
  while (!first.is_done() || !last.is_done()) {
    const bool is_before_begin = first.ask(), is_before_end = last.ask();
    first.narrow(is_before_begin);
    last.narrow(is_before_end);
  }
  return {first.low, last.low, begin - first.low, end - last.low};
}

/// A tile's items.
template <class T, int LaneItems, int Warps>
struct segment_items {
  static constexpr int warp_items = warp_lanes * LaneItems;
  warp_run<T, LaneItems> runs[Warps];

  HINDSIGHT_DEVICE T& operator[](int i) { return runs[i / warp_items][i % warp_items]; }

  /// Begins to load those of a part, each warp its own.
  template <class InputIt, class OffsetIt>
  HINDSIGHT_DEVICE void begin_load(InputIt in, const merged_segments<OffsetIt>& merged,
                                   const segment_part& part) {
    const int begin = warp_index() * warp_items;
    runs[warp_index()].begin_load_any(in + (merged.first() + part.item + begin),
                                      part.num_items - begin);
  }
};

/// What a block knows of its tile beside the items.
template <class T, int LaneItems, int Warps>
struct segment_tile_storage {
  static constexpr int warp_items = warp_lanes * LaneItems;
  unsigned heads[Warps * warp_items / 32];  ///< a bit for each item: a segment begins there
  unsigned warp_begins[Warps];              ///< whether one begins in the warp
  uninitialized<T> warp_folds[Warps];
  chain_storage<open_run<T>> chain;
};

/// What a thread knows of its tile.
template <class T>
struct segment_folds {
  unsigned begins;          ///< which of the lane's items begin a segment
  bool begun_before;        ///< one begins in the tile before this lane
  bool tile_begun;          ///< one begins in the tile
  uninitialized<T> before;  ///< the fold of what is open before this lane, as far as it is the
                            ///< tile's; not in thread 0
  uninitialized<T> tile;    ///< the fold of what is open after the tile's last item
};

/// Sets the bits of the items of a part that begin a segment: between a barrier, which also ends
/// all access to the items of the part before, and one that has to follow.
template <int BlockThreads, int LaneItems, class T, int Warps, class OffsetIt>
HINDSIGHT_DEVICE void mark_heads(segment_tile_storage<T, LaneItems, Warps>& shared,
                                 const merged_segments<OffsetIt>& merged, const segment_part& part,
                                 bool first_is_head) {
  constexpr int num_words = sizeof shared.heads / sizeof(unsigned);
  for (int w = threadIdx.x; w < num_words; w += BlockThreads) shared.heads[w] = 0;
  __syncthreads();
  for (int j = threadIdx.x; j < part.num_ends; j += BlockThreads) {
    const auto next = static_cast<int>(merged.end(part.segment + j) - part.item);
    if (next < part.num_items) atomicOr(&shared.heads[next / 32], 1u << next % 32);
  }
  if (threadIdx.x == 0 && first_is_head) atomicOr(&shared.heads[0], 1u);
}

/// The fold of a lane's first `own` items, or of all, where no segment begins.
template <class T, int LaneItems, class Op>
HINDSIGHT_DEVICE T fold_inner(warp_run<T, LaneItems>& run, int own, Op op) {
  uninitialized<T> fold;
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    if (i > 0 && i == own) break;
    const T& item = run.lane_item(i);
    fold.set(i > 0 ? op(fold.get(), item) : item);
  }
  return fold.get();
}

/// The fold of a lane's first `own` items (all of them, if there are fewer) since the last begin.
template <class T, int LaneItems, class Op, class Init>
HINDSIGHT_DEVICE T fold_existing(warp_run<T, LaneItems>& run, unsigned begins, int own, Op op,
                                 Init init) {
  uninitialized<T> fold;
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    if (i > 0 && i == own) break;
    const T& item = run.lane_item(i);
    if (begins >> i & 1) {
      fold.set(cuda::prepend(init, item, op));
    } else {
      fold.set(i > 0 ? op(fold.get(), item) : item);
    }
  }
  return fold.get();
}

/// Folds the items of a part that has some by segment. Called by the whole block, after a barrier
/// since heads were marked and items loaded.
template <int LaneItems, int Warps, class T, class Op, class Init>
HINDSIGHT_DEVICE void fold_segments(segment_tile_storage<T, LaneItems, Warps>& shared,
                                    segment_items<T, LaneItems, Warps>& items, int num_items, Op op,
                                    Init init, segment_folds<T>& folds) {
  constexpr int warp_items = warp_lanes * LaneItems;
  const int warp = warp_index(), lane = lane_index();
  const int left = num_items - warp * warp_items;
  auto& run = items.runs[warp];
  const int at = warp * warp_items + lane * LaneItems;
  folds.begins = (shared.heads[at / 32] >> at % 32) & (~0u >> (32 - LaneItems));
  unsigned lanes_with_begin = 0;
  uninitialized<T> lane_before;
  if (left > 0) {
    lanes_with_begin = __ballot_sync(all_lanes, folds.begins != 0);
    const T own = lanes_with_begin == 0
                      ? cuda::fold_inner(run, left - lane * LaneItems, op)
                      : cuda::fold_existing(run, folds.begins, left - lane * LaneItems, op, init);
    const T lane_fold = cuda::warp_segmented_fold(own, lanes_with_begin, op);
    lane_before.set(cuda::shuffle_up(lane_fold, 1));
    if (lane == ::cuda::std::min(left - 1, warp_items - 1) / LaneItems) {
      shared.warp_begins[warp] = lanes_with_begin != 0;
      shared.warp_folds[warp].set(lane_fold);
    }
  }
  __syncthreads();

  folds.begun_before = folds.tile_begun = false;
  for (int w = 0; w * warp_items < num_items; ++w) {
    if (w == warp && w > 0) {
      folds.before.set(folds.tile.get());
      folds.begun_before = folds.tile_begun;
    }
    const T& warp_fold = shared.warp_folds[w].get();
    const bool restarts = w == 0 || shared.warp_begins[w];
    folds.tile.set(restarts ? warp_fold : op(folds.tile.get(), warp_fold));
    folds.tile_begun = folds.tile_begun || shared.warp_begins[w];
  }
  if (lane > 0 && left > 0) {
    const bool begun_in_warp = (lanes_with_begin & ptx::lanes_below()) != 0;
    folds.before.set(begun_in_warp || warp == 0 ? lane_before.get()
                                                : op(folds.before.get(), lane_before.get()));
    folds.begun_before = folds.begun_before || begun_in_warp;
  }
}

/// Replaces the part's items in shared memory by their scan by segment. `carry` is the fold of what
/// is open before the part, if its first item does not begin a segment. A barrier has to follow.
template <class Kind, int LaneItems, int Warps, class T, class Op, class Init>
HINDSIGHT_DEVICE void scan_segment_tile(segment_items<T, LaneItems, Warps>& items, int num_items,
                                        segment_folds<T>& folds, bool has_carry,
                                        const uninitialized<T>& carry, Op op, Init init) {
  if (warp_index() * warp_lanes * LaneItems >= num_items) return;
  if (has_carry && !folds.begun_before) {
    folds.before.set(threadIdx.x > 0 ? op(carry.get(), folds.before.get()) : carry.get());
  }
  cuda::scan_own_runs<Kind>(items.runs[warp_index()], folds.begins, folds.before, op, init);
}

}  // namespace hindsight::detail::cuda
