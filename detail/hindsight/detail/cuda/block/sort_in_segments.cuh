// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block's sort of the segments, or pieces of segments, that lie in its tile: by threads, and then
// by merges of neighbouring threads' items.
#pragma once

#include <hindsight/detail/cuda/block/head_bits.cuh>
#include <hindsight/detail/cuda/block/merge_path.cuh>
#include <hindsight/detail/cuda/block/sorting_network.cuh>
#include <hindsight/detail/cuda/merge_sort.cuh>
#include <hindsight/detail/radix_sortable.h>

#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Sorts a thread's items in segments by the odd-even merge network, in which items of different
/// segments are not compared: a network whose comparators all move the smaller item to the lower
/// place sorts each range of places by those of its comparators that lie in it. Equivalent items
/// may change places.
///   heads   a bit for each item: it begins a segment
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void sort_segments_by_network(uninitialized<Item> (&items)[Items], unsigned heads,
                                               Compare& compare) {
  cuda::odd_even_merge_network<Items>([&](int low, int high) {
    const unsigned between = (2u << high) - (2u << low);  // the places (low, high]
    if ((heads & between) != 0 || !bool(compare(items[high].get(), items[low].get()))) return;
    const Item lower = items[high].get();
    items[high].set(items[low].get());
    items[low].set(lower);
  });
}

/// Whether equivalent items have the same bits. Then a sort need not be stable.
template <class Compare, class Item>
inline constexpr bool sorts_whole_items = false;
template <class Direction, class Item>
inline constexpr bool sorts_whole_items<radix_order<Direction>, Item> = std::is_integral_v<Item>;

/// Sorts a thread's items by odd-even transposition, in segments.
///   heads   a bit for each item: it begins a segment
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void sort_segments_by_transposition(uninitialized<Item> (&items)[Items],
                                                     unsigned heads, Compare& compare) {
  const unsigned joined = ~heads & ((1u << Items) - 2);
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

/// Sorts a thread's items in segments.
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void sort_lane_in_segments(uninitialized<Item> (&items)[Items], unsigned heads,
                                            compare_items<Compare>& compare) {
  if constexpr (sorts_whole_items<Compare, Item>) {
    cuda::sort_segments_by_network(items, heads, compare);
  } else {
    cuda::sort_segments_by_transposition(items, heads, compare);
  }
}

/// Moves a thread's items, of which the first `count` exist, from or to a tile. Where there are
/// fewer, the last one is loaded again.
template <int Items, class Item>
HINDSIGHT_DEVICE void load_own_items(uninitialized<Item> (&items)[Items], const Item* from,
                                     int count) {
  if (count == Items) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i) items[i].set(from[i]);
  } else if (count > 0) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i) items[i].set(from[min(i, count - 1)]);
  }
}
template <int Items, class Item>
HINDSIGHT_DEVICE void store_own_items(uninitialized<Item> (&items)[Items], Item* to, int count) {
  if (count == Items) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i) cuda::write_item(to, i, items[i].get());
  } else {
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i)
      if (i < count) cuda::write_item(to, i, items[i].get());
  }
}

/// items[i], for i in [skip, stop): the merge of two runs in `staged`, from their beginnings on.
///   a_end  where the whole run of b begins: may be read
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void merge_some(uninitialized<Item> (&items)[Items], int skip, int stop,
                                 Item* staged, int a, int a_end, int b, int b_end,
                                 Compare& compare) {
  uninitialized<Item> head_of_a, head_of_b;
  if (a < b_end) head_of_a.set(staged[a]);
  if (b < b_end) head_of_b.set(staged[b]);
  // Where a's items end in the result, if no more of b's come before them; where all end.
  int a_stop = skip + (a_end - a);
  const int b_stop = a_stop + (b_end - b);
  HINDSIGHT_UNROLL
  for (int i = 0; i < Items; ++i) {
    if (i >= skip && i < stop) {
      const bool takes_b =
          a_stop < b_stop && (a_stop <= i || bool(compare(head_of_b.get(), head_of_a.get())));
      if (takes_b) {
        items[i].set(head_of_b.get());
      } else {
        items[i].set(head_of_a.get());
      }
      a_stop += takes_b;
      const int following = takes_b ? b_end - b_stop + a_stop : a_end - a_stop + i + 1;
      if (following < b_end) {
        if (takes_b) {
          head_of_b.set(staged[following]);
        } else {
          head_of_a.set(staged[following]);
        }
      }
    }
  }
}

/// The two runs that a merge takes: the parts of the segment that lies on both sides of `middle`,
/// as far as they are in [begin, end). Both are empty if no segment does.
struct tile_pair {
  int a, middle, b_end;

  template <int TileItems>
  HINDSIGHT_DEVICE tile_pair(const head_bits<TileItems>& heads, int begin, int middle_place,
                             int end, int count)
      : a{middle_place}, middle{middle_place}, b_end{middle_place} {
    if (middle == 0 || middle >= count) return;
    a = max(begin, heads.last_until(middle));
    if (a < middle) b_end = min(end, heads.first_after(middle));
  }
};

/// Whether one more step puts all items in order where each thread's are: each segment crosses one
/// boundary of threads at most, and fits a thread.
template <int Items>
HINDSIGHT_DEVICE bool is_one_step(int longest) {
  return longest <= Items;
}

/// Merges the parts [begin, middle) and [middle, end) of a segment in `staged`, by one thread,
/// which has room for them in `items`.
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void merge_across_threads(uninitialized<Item> (&items)[Items], int begin,
                                           int middle, int end, Compare& compare, Item* staged) {
  cuda::merge_some(items, 0, end - begin, staged, begin, middle, middle, end, compare);
  HINDSIGHT_UNROLL
  for (int i = 0; i < Items; ++i)
    if (i < end - begin) cuda::write_item(staged, begin + i, items[i].get());
}

/// Merges the sorted items of neighbouring threads in turn, in segments, until those of the block
/// are in order. `staged` has room for all; a barrier has to precede.
///   longest  at least the number of items in each of the tile's segments
template <class Tuning, class Item, class Compare>
HINDSIGHT_DEVICE void merge_segments_within_block(uninitialized<Item> (&items)[Tuning::lane_items],
                                                  int count, int longest, Compare& compare,
                                                  Item* staged,
                                                  const head_bits<Tuning::tile_items>& heads) {
  constexpr int lane_items = Tuning::lane_items;
  const int thread = static_cast<int>(threadIdx.x), first = thread * lane_items;
  bool is_last = false;
  for (int threads = 1; threads < Tuning::block_threads && threads * lane_items < count && !is_last;
       threads *= 2) {
    const int run = threads * lane_items;
    // No segment reaches from a boundary of runs to the middle of a run: so this round merges at
    // all boundaries at once.
    is_last = threads > 1 && 2 * longest <= run;
    int begin = (thread & -(2 * threads)) * lane_items, middle = begin + run;
    if (is_last) {
      middle = ((thread + threads / 2) & -threads) * lane_items;
      begin = middle - run;
    }
    const tile_pair pair{heads, begin, middle, middle + run, count};
    const int skip = max(pair.a - first, 0), stop = min(pair.b_end - first, lane_items);
    // The threads that read here before, and those that will read, may all be of this warp.
    threads <= warp_lanes && !is_last ? __syncwarp() : __syncthreads();
    if (skip < stop) {
      HINDSIGHT_UNROLL
      for (int i = 0; i < lane_items; ++i) cuda::write_item(staged, first + i, items[i].get());
    }
    2 * threads <= warp_lanes && !is_last ? __syncwarp() : __syncthreads();
    const bool is_whole = skip == 0 && stop == lane_items;
    Item *const a = staged + pair.a, *const b = staged + middle, *const b_end = staged + pair.b_end;
    const int diagonal = first + skip - pair.a;
    int of_a = 0;
    if (skip < stop)
      of_a = cuda::split_merge(a, middle - pair.a, b, pair.b_end - middle, diagonal, compare);
    if (__all_sync(all_lanes, is_whole)) {
      cuda::merge_serially<lane_items>(a + of_a, b, b + (diagonal - of_a), b_end, compare,
                                       [&](int i, const Item& item) { items[i].set(item); });
    } else if (skip < stop) {
      cuda::merge_some(items, skip, stop, staged, pair.a + of_a, middle, middle + (diagonal - of_a),
                       pair.b_end, compare);
    }
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
