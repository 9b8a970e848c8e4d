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

/// items[i], for i in [skip, stop): the merge of two runs, from their beginnings on.
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void merge_some(uninitialized<Item> (&items)[Items], int skip, int stop, Item* a,
                                 Item* a_end, Item* b, Item* b_end, Compare& compare) {
  uninitialized<Item> head_of_a, head_of_b;
  if (a < b_end) head_of_a.set(*a);
  if (b < b_end) head_of_b.set(*b);
  HINDSIGHT_UNROLL
  for (int i = 0; i < Items; ++i) {
    if (i >= skip && i < stop) {
      const bool takes_a =
          b >= b_end || (a < a_end && !bool(compare(head_of_b.get(), head_of_a.get())));
      if (takes_a) {
        items[i].set(head_of_a.get());
      } else {
        items[i].set(head_of_b.get());
      }
      a += takes_a;
      b += !takes_a;
      Item* const following = takes_a ? a : b;
      if (following < b_end) {
        if (takes_a) {
          head_of_a.set(*following);
        } else {
          head_of_b.set(*following);
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

/// How far each of a thread's items goes, in 5 bits each.
template <int Items>
class item_moves {
  static constexpr int per_word = 6;

 public:
  HINDSIGHT_DEVICE void set(int i, unsigned distance) {
    words_[i / per_word] |= distance << i % per_word * 5;
  }
  HINDSIGHT_DEVICE int get(int i) const {
    return static_cast<int>(words_[i / per_word] >> i % per_word * 5 & 31);
  }

 private:
  unsigned words_[(Items + per_word - 1) / per_word] = {};
};

/// Whether one step puts all items in order: each segment crosses one boundary of threads at most.
template <int Items>
HINDSIGHT_DEVICE bool is_one_step(int longest) {
  return Items < 31 && longest <= Items + 1;
}

/// staged[0, count) = the items of the block, in order, where each thread's are in order already
/// and is_one_step(). Each item that lies beside a boundary of threads finds its place by how many
/// of the other side's come before it. A barrier has to precede, and one has to follow.
template <class Tuning, class Item, class Compare>
HINDSIGHT_DEVICE void place_in_segments(uninitialized<Item> (&items)[Tuning::lane_items], int count,
                                        Compare& compare, Item* staged,
                                        const head_bits<Tuning::tile_items>& heads) {
  constexpr int lane_items = Tuning::lane_items;
  const int first = static_cast<int>(threadIdx.x) * lane_items, next = first + lane_items;
  const int own_count = min(max(count - first, 0), lane_items);
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i)
    if (i < own_count) cuda::write_item(staged, first + i, items[i].get());
  __syncthreads();
  const tile_pair left{heads, 0, first, count, count}, right{heads, 0, next, count, count};
  const int of_left = left.b_end - first, before_right = right.a - first;
  item_moves<lane_items> moves;
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    int low = 0, high = 0;
    if (i < of_left) {  // goes down by those of the left side that do not come before it
      low = left.a, high = first;
      while (low < high) {
        const int middle = (low + high) / 2;
        const bool is_before = !bool(compare(items[i].get(), staged[middle]));
        (is_before ? low : high) = is_before ? middle + 1 : middle;
      }
      moves.set(i, static_cast<unsigned>(first - low));
    } else if (i >= before_right && i < own_count) {  // goes up by those of the right side that do
      low = next, high = right.b_end;
      while (low < high) {
        const int middle = (low + high) / 2;
        const bool is_before = bool(compare(staged[middle], items[i].get()));
        (is_before ? low : high) = is_before ? middle + 1 : middle;
      }
      moves.set(i, static_cast<unsigned>(low - next));
    }
  }
  __syncthreads();
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    const int place = first + i + (i < of_left ? -moves.get(i) : moves.get(i));
    if (i < own_count) cuda::write_item(staged, place, items[i].get());
  }
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
      cuda::merge_some(items, skip, stop, a + of_a, b, b + (diagonal - of_a), b_end, compare);
    }
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
