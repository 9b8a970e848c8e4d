// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp folds the segments of its tile by itself: no other warp takes part, and no block waits.
#pragma once

#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/tuning/loads.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A warp's room: this tile's items and the next one's, and a bit for each item that begins a
/// segment.
template <class T, int LaneItems>
struct segment_fold_storage {
  staged_warp<T, LaneItems> items[2];
  unsigned heads[LaneItems];
};

/// Begins to copy a tile's items, of which there may be none. Where the hardware can copy without
/// waiting, it ends a group of copies. Only whole tiles at a multiple of 16 bytes are fast. If the
/// input begins at one, these are all tiles but a chunk's first and last.
template <class T, int LaneItems, class It>
HINDSIGHT_DEVICE void begin_load_tile(staged_warp<T, LaneItems>& staged, It in, int num_items) {
  using staged_items = staged_warp<T, LaneItems>;
  if constexpr (staged_items::template copies_items<It>) {
    if (num_items == staged_items::items && staged_items::is_aligned(in)) {
      staged.begin_copy(in);
    } else if (num_items > 0) {
      HINDSIGHT_UNROLL_BY(4)
      for (int i = lane_index(); i < staged_items::items; i += warp_lanes)
        __pipeline_memcpy_async(::cuda::std::addressof(staged[i]),
                                in + ::cuda::std::min(i, num_items - 1), sizeof(T));
    }
    __pipeline_commit();
  } else {
    staged.begin_load_any(in, num_items);
  }
}

/// How many of the segments [first, last) end in a tile of items [begin, end), or at its end; marks
/// the items at which others begin. A barrier of the warp has to follow.
///   heads  all zero
template <class OffsetIt>
HINDSIGHT_DEVICE std::size_t mark_ended(const merged_segments<OffsetIt>& merged, std::size_t first,
                                        std::size_t last, std::size_t begin, std::size_t end,
                                        unsigned* heads) {
  std::size_t count = 0;
  for (bool all_end = true; all_end;) {
    std::size_t ends[marked_at_once];
    HINDSIGHT_UNROLL
    for (int w = 0; w < marked_at_once; ++w) {
      const std::size_t s = first + count + w * warp_lanes + lane_index();
      ends[w] = s < last ? merged.end(s) : end + 1;
    }
    HINDSIGHT_UNROLL
    for (int w = 0; w < marked_at_once && all_end; ++w) {
      if (ends[w] - begin < end - begin) {
        const auto i = static_cast<int>(ends[w] - begin);
        atomicOr(heads + i / 32, 1u << i % 32);
      }
      const unsigned ended = __ballot_sync(all_lanes, ends[w] <= end);
      all_end = ended == all_lanes;
      count += all_end ? warp_lanes : __ffs(static_cast<int>(~ended)) - 1;
    }
  }
  return count;
}

/// The fold of a lane's first `own` items, in which no segment begins; of all its items, if `own`
/// is not positive or not less than their number.
template <class T, int LaneItems, class Op>
HINDSIGHT_DEVICE T fold_inner(staged_warp<T, LaneItems>& staged, int own, Op op) {
  uninitialized<T> fold;
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    if (i > 0 && i == own) break;
    const T& item = staged.lane_item(i);
    fold.set(i > 0 ? op(fold.get(), item) : item);
  }
  return fold.get();
}

/// The fold of a tile's items, which lie in one segment, in two steps: each lane's, then the
/// tile's. The second one leaves the tile's room alone. Require num_items > 0.
template <class T, int LaneItems, class Op>
HINDSIGHT_DEVICE T fold_lane(staged_warp<T, LaneItems>& staged, int num_items, Op op) {
  return num_items == warp_lanes * LaneItems
             ? cuda::fold_inner(staged, LaneItems, op)
             : cuda::fold_inner(staged, num_items - lane_index() * LaneItems, op);
}
template <class T, class Op>
HINDSIGHT_DEVICE T join_lanes(const T& own, int num_items, int lane_items, Op op) {
  return cuda::shuffle_from(cuda::warp_segmented_fold(own, 0, op), (num_items - 1) / lane_items);
}
template <class T, int LaneItems, class Op>
HINDSIGHT_DEVICE T fold_tile(staged_warp<T, LaneItems>& staged, int num_items, Op op) {
  return cuda::join_lanes(cuda::fold_lane(staged, num_items, op), num_items, LaneItems, op);
}

/// Replaces the last item of each segment in the tile by the fold of the segment's items in the
/// tile. A barrier of the warp has to follow.
template <class T, int LaneItems, class Op>
HINDSIGHT_DEVICE void fold_tile_by_segment(staged_warp<T, LaneItems>& staged, const unsigned* heads,
                                           int num_items, Op op) {
  const int lane = lane_index(), at = lane * LaneItems;
  const unsigned lane_heads = (heads[at / 32] >> at % 32) & (~0u >> (32 - LaneItems));
  uninitialized<T> folds[LaneItems];
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) folds[i].set(staged.lane_item(i));
  HINDSIGHT_UNROLL
  for (int i = 1; i < LaneItems; ++i) {
    if (!(lane_heads >> i & 1)) folds[i].set(op(folds[i - 1].get(), folds[i].get()));
  }
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems - 1; ++i) staged.lane_item(i) = folds[i].get();
  const T& own = folds[LaneItems - 1].get();
  staged.lane_item(LaneItems - 1) = own;

  const unsigned lanes_with_head = __ballot_sync(all_lanes, lane_heads != 0);
  const T before = cuda::shuffle_up(cuda::warp_segmented_fold(own, lanes_with_head, op), 1);
  const int first_head = lane_heads != 0 ? __ffs(static_cast<int>(lane_heads)) - 1 : LaneItems;
  const int num_open = ::cuda::std::min(first_head, num_items - at);  // of an earlier segment
  if (lane > 0 && num_open > 0) {
    T& fold = staged.lane_item(num_open - 1);
    fold = op(before, fold);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
