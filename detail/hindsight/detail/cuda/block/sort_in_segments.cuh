// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block's sort of the segments, or pieces of segments, that lie in its tile: by threads, and then
// by merges of neighbouring threads' items.
#pragma once

#include <hindsight/detail/cuda/block/head_bits.cuh>
#include <hindsight/detail/cuda/block/merge_path.cuh>
#include <hindsight/detail/cuda/merge_sort.cuh>

namespace hindsight::detail {

/// Sorts a thread's items by odd-even transposition, in segments.
///   begins  a bit for each item: it begins a segment
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void sort_segments_by_transposition(uninitialized<Item> (&items)[Items],
                                                     unsigned begins, Compare& compare) {
  const unsigned joined = ~begins & ((1u << Items) - 2);
  int rounds = joined != 0;  // as many as the longest segment has items
  for (unsigned longer = joined; longer != 0; longer &= longer << 1) ++rounds;
  HINDSIGHT_UNROLL
  for (int round = 0; round < Items; ++round) {
    if (round < rounds) {
      HINDSIGHT_UNROLL
      for (int i = round % 2; i + 1 < Items; i += 2) {
        if (!(joined >> (i + 1) & 1) || !bool(compare(items[i + 1].get(), items[i].get())))
          continue;
        const Item lower = items[i].get();
        items[i].set(items[i + 1].get());
        items[i + 1].set(lower);
      }
    }
  }
}

/// items[i], for i in [skip, stop): the merge of two runs, from their beginnings on.
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void merge_some(uninitialized<Item> (&items)[Items], int skip, int stop, Item* a,
                                 Item* a_end, Item* b, Item* b_end, Compare& compare) {
  HINDSIGHT_UNROLL
  for (int i = 0; i < Items; ++i) {
    if (i >= skip && i < stop) {
      const bool takes_a = b >= b_end || (a < a_end && !bool(compare(*b, *a)));
      items[i].set(takes_a ? *a : *b);
      a += takes_a;
      b += !takes_a;
    }
  }
}

/// Merges the sorted items of neighbouring threads in turn, in segments, until those of the block
/// are in order. `staged` has room for all; a barrier has to precede.
template <class Tuning, class Item, class Compare>
HINDSIGHT_DEVICE void merge_segments_within_block(uninitialized<Item> (&items)[Tuning::lane_items],
                                                  int count, Compare& compare, Item* staged,
                                                  const head_bits<Tuning::tile_items>& heads) {
  constexpr int lane_items = Tuning::lane_items;
  const int thread = static_cast<int>(threadIdx.x), first = thread * lane_items;
  for (int threads = 1; threads < Tuning::block_threads && threads * lane_items < count;
       threads *= 2) {
    const int run = threads * lane_items, begin = (thread & -(2 * threads)) * lane_items;
    const int middle = begin + run;
    int a = middle, b_end = middle;  // of the segment that lies in both runs
    if (middle < count) {
      a = max(begin, heads.last_until(middle));
      if (a < middle) b_end = min(begin + 2 * run, heads.first_after(middle));
    }
    const int skip = max(a - first, 0), stop = min(b_end - first, lane_items);
    // The threads that read here before, and those that will read, may all be of this warp.
    threads <= warp_lanes ? __syncwarp() : __syncthreads();
    if (skip < stop) {
      HINDSIGHT_UNROLL
      for (int i = 0; i < lane_items; ++i) detail::write_item(staged, first + i, items[i].get());
    }
    2 * threads <= warp_lanes ? __syncwarp() : __syncthreads();
    const bool is_whole = skip == 0 && stop == lane_items;
    if (__all_sync(all_lanes, is_whole)) {
      const int diagonal = first - a;
      const int of_a = detail::split_merge(staged + a, middle - a, staged + middle, b_end - middle,
                                           diagonal, compare);
      detail::merge_serially<lane_items>(
          staged + a + of_a, staged + middle, staged + middle + (diagonal - of_a), staged + b_end,
          compare, [&](int i, const Item& item) { items[i].set(item); });
    } else if (skip < stop) {
      const int diagonal = first + skip - a;
      const int of_a = detail::split_merge(staged + a, middle - a, staged + middle, b_end - middle,
                                           diagonal, compare);
      detail::merge_some(items, skip, stop, staged + a + of_a, staged + middle,
                         staged + middle + (diagonal - of_a), staged + b_end, compare);
    }
  }
}

}  // namespace hindsight::detail
