// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block's sort of the segments, or pieces of segments, that lie in its tile: by threads, and then
// by merges of neighbouring threads' items. A thread or a warp merges short ones alone.
#pragma once

#include <hindsight/detail/cuda/block/head_bits.cuh>
#include <hindsight/detail/cuda/block/merge_path.cuh>
#include <hindsight/detail/cuda/block/sorting_network.cuh>
#include <hindsight/detail/cuda/block/staged_form.cuh>
#include <hindsight/detail/cuda/merge_sort.cuh>
#include <hindsight/detail/ptx.cuh>
#include <hindsight/detail/radix_sortable.h>

#include <cuda/std/functional>

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
    if ((heads & between) != 0 || !bool(compare(items[high].ref(), items[low].ref()))) return;
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

/// A round of odd-even transposition in segments, from item `First` on.
///   joined  a bit for each item: it is in the segment of the one before it
template <int First, int Items, class Item, class Compare>
HINDSIGHT_DEVICE void transpose_joined_pairs(uninitialized<Item> (&items)[Items], unsigned joined,
                                             Compare& compare) {
  HINDSIGHT_UNROLL
  for (int i = First; i + 1 < Items; i += 2) {
    if (!(joined >> (i + 1) & 1) || !bool(compare(items[i + 1].ref(), items[i].ref()))) continue;
    const Item lower = items[i].get();
    items[i].set(items[i + 1].get());
    items[i + 1].set(lower);
  }
}

/// Sorts a thread's items by odd-even transposition, in segments.
///   heads   a bit for each item: it begins a segment
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void sort_segments_by_transposition(uninitialized<Item> (&items)[Items],
                                                     unsigned heads, Compare& compare) {
  const unsigned joined = ~heads & ((1u << Items) - 2);
  int rounds = joined != 0;  // as many as the longest segment has items, or one more
  for (unsigned longer = joined; longer != 0; longer &= longer << 1) ++rounds;
  HINDSIGHT_ROLL
  for (int round = 0; round < rounds; round += 2) {
    cuda::transpose_joined_pairs<0>(items, joined, compare);
    cuda::transpose_joined_pairs<1>(items, joined, compare);
  }
}

/// Sorts a thread's items in segments, stably.
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void sort_lane_in_segments(uninitialized<Item> (&items)[Items], unsigned heads,
                                            compare_items<Compare>& compare) {
  if constexpr (sorts_whole_items<Compare, Item>) {
    cuda::sort_segments_by_network(items, heads, compare);
  } else {
    cuda::sort_segments_by_transposition(items, heads, compare);
  }
}
/// Without a -0.0, equivalent floats have the same bits.
template <int Items, class Item, class Direction, class Key>
HINDSIGHT_DEVICE void sort_lane_in_segments(
    uninitialized<Item> (&items)[Items], unsigned heads,
    compare_items<order_of_exact_bits<Direction, Key>>& compare) {
  bool has_minus_zero = false;
  HINDSIGHT_UNROLL
  for (int i = 0; i < Items; ++i)
    has_minus_zero |= items[i].get() == order_of_exact_bits<Direction, Key>::minus_zero;
  if (has_minus_zero) {
    cuda::sort_segments_by_transposition(items, heads, compare);
  } else {
    ::cuda::std::less<Item> by_bits;
    cuda::sort_segments_by_network(items, heads, by_bits);
  }
}

/// Moves a thread's items, of which the first `count` exist, from or to a tile. Where there are
/// fewer, the last one is loaded again.
template <class Form, int Items, class Item>
HINDSIGHT_DEVICE void load_own_items(uninitialized<typename Form::item> (&items)[Items],
                                     const Item* from, int count) {
  if (count == Items) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i) items[i].set(Form::stage(from[i]));
  } else if (count > 0) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i) items[i].set(Form::stage(from[min(i, count - 1)]));
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

/// Whether merges take single items by ptx::staged_merge.
template <class Item>
inline constexpr bool merges_in_registers = sizeof(Item) == 4 || sizeof(Item) == 8;

/// Calls visit(i, item) for i in [0, count), perhaps also for others in [0, Items), whose items are
/// of no meaning: the merge of two runs in `staged`, from their beginnings on.
///   a_end  where the whole run of b begins: there is an item
template <int Items, class Item, class Compare, class Visit>
HINDSIGHT_DEVICE void merge_some(int count, Item* staged, int a, int a_end, int b, int b_end,
                                 Compare& compare, Visit visit) {
  if constexpr (merges_in_registers<Item>) {
    ptx::staged_merge<Item> merge{staged + a, staged + a_end, staged + b, staged + b_end};
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i == Items / 2 && count <= i) break;
      Item head_of_a = merge.head_of_a(), head_of_b = merge.head_of_b();
      visit(i, merge.take(compare(head_of_b, head_of_a)));
    }
  } else {
    uninitialized<Item> head_of_a, head_of_b;
    if (a < b_end) head_of_a.set(staged[a]);
    if (b < b_end) head_of_b.set(staged[b]);
    // Where a's items end in the result, if no more of b's come before them; where all end.
    int a_stop = a_end - a;
    const int b_stop = a_stop + (b_end - b);
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i < count) {
        const bool takes_b =
            a_stop < b_stop && (a_stop <= i || bool(compare(head_of_b.ref(), head_of_a.ref())));
        if (takes_b) {
          visit(i, head_of_b.get());
        } else {
          visit(i, head_of_a.get());
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

/// Merges the pieces [begin, middle) and [middle, end) of a segment in `staged`, by one thread: at
/// most Items + 2 items. The first and the last of these take their places at once, where no item
/// lies that is not read already. `items` has room for the others.
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void merge_across_threads(uninitialized<Item> (&items)[Items], int begin,
                                           int middle, int end, Compare& compare, Item* staged) {
  const int count = end - begin;
  cuda::merge_some<Items + 2>(count, staged, begin, middle, middle, end, compare,
                              [&](int i, const Item& item) {
                                if (i == 0 || (i == Items + 1 && i < count)) {
                                  cuda::write_item(staged, begin + i, item);
                                } else if (i <= Items) {
                                  items[i - 1].set(item);
                                }
                              });
  HINDSIGHT_UNROLL
  for (int i = 0; i < Items; ++i)
    if (i + 1 < count) cuda::write_item(staged, begin + 1 + i, items[i].get());
}

/// Sorts [begin, end) in `staged`, at most as many items as a warp has lanes. Each one finds its
/// place by how many come before it. All lanes of the warp call it.
template <class Item, class Compare>
HINDSIGHT_DEVICE void sort_by_warp(int begin, int end, Compare& compare, Item* staged) {
  const int own = begin + lane_index();
  uninitialized<Item> item;
  int place = begin;
  if (own < end) {
    item.set(staged[own]);
    HINDSIGHT_UNROLL_BY(4)
    for (int i = begin; i < end; ++i) {
      const bool comes_before =
          i < own ? !bool(compare(item.ref(), staged[i])) : bool(compare(staged[i], item.ref()));
      place += i != own && comes_before;
    }
  }
  __syncwarp();
  if (own < end) cuda::write_item(staged, place, item.get());
}

/// The segment [begin, end) that begins last in a thread's items, which are [first, first + Items).
template <int Items>
struct last_segment {
  int first, begin, end;
  HINDSIGHT_DEVICE int size() const { return end - begin; }
  HINDSIGHT_DEVICE bool goes_on() const { return end > first + Items; }
  /// Whether the thread merges its pieces: two that have room.
  HINDSIGHT_DEVICE bool fits_thread() const {
    return end <= first + 2 * Items && size() <= Items + 2;
  }
};

/// Merges the sorted items of neighbouring threads in turn, in segments, until those of the block
/// are in order in `staged`; between two barriers.
///   items    room
///   longest  at least the number of items in each of the tile's segments
template <class Tuning, class Item, class Compare>
HINDSIGHT_DEVICE void merge_segments_within_block(uninitialized<Item> (&items)[Tuning::lane_items],
                                                  int count, int longest, Compare& compare,
                                                  Item* staged,
                                                  const head_bits<Tuning::tile_items>& heads) {
  constexpr int lane_items = Tuning::lane_items;
  const int thread = static_cast<int>(threadIdx.x), first = thread * lane_items;
  const auto keep = [&](int i, const Item& item) { items[i].set(item); };
  bool is_last = false;
  for (int threads = 1; threads < Tuning::block_threads && threads * lane_items < count && !is_last;
       threads *= 2) {
    const int run = threads * lane_items;
    // No segment reaches from a boundary of runs to the middle of a run: so this round merges at
    // all boundaries at once.
    is_last = threads > 1 && 2 * longest <= run;
    // The threads that wrote what this round reads, and that read where it writes.
    const bool are_of_warp = 2 * threads <= warp_lanes && !is_last;
    if (threads > 1) are_of_warp ? __syncwarp() : __syncthreads();
    int begin = (thread & -(2 * threads)) * lane_items, middle = begin + run;
    if (is_last) {
      middle = ((thread + threads / 2) & -threads) * lane_items;
      begin = middle - run;
    }
    const tile_pair pair{heads, begin, middle, middle + run, count};
    const int low = max(pair.a, first), num_merged = min(pair.b_end, first + lane_items) - low;
    Item *const a = staged + pair.a, *const b = staged + middle, *const b_end = staged + pair.b_end;
    const int diagonal = low - pair.a;
    int of_a = 0;
    if (num_merged > 0)
      of_a = cuda::split_merge(a, middle - pair.a, b, pair.b_end - middle, diagonal, compare);
    if (!merges_in_registers<Item> && __all_sync(all_lanes, num_merged == lane_items)) {
      cuda::merge_serially<lane_items>(a + of_a, b, b + (diagonal - of_a), b_end, compare, keep);
    } else if (num_merged > 0) {
      cuda::merge_some<lane_items>(num_merged, staged, pair.a + of_a, middle,
                                   middle + (diagonal - of_a), pair.b_end, compare, keep);
    }
    are_of_warp ? __syncwarp() : __syncthreads();
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i)
      if (i < num_merged) cuda::write_item(staged, low + i, items[i].get());
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
