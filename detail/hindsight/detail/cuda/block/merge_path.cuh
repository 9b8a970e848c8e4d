// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merging two sorted runs in parts of equal size: where a part begins, and a part by one thread.
// Source: Odeh, Green, Mwassi, Shmueli, Birk 2012, "Merge Path: Parallel Merging Made Simple".
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>

#include <cuda/std/functional>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// How many of the first `diagonal` items of the merged runs are a's; equivalent items of a come
/// before those of b. With a comparator that is no order, some number that both runs allow.
///   a  [a_size], b  [b_size], sorted
template <class Key, class Count, class Compare>
HINDSIGHT_DEVICE Count split_merge(Key* a, Count a_size, Key* b, Count b_size, Count diagonal,
                                   Compare& compare) {
  Count low = diagonal > b_size ? diagonal - b_size : 0;
  Count high = diagonal < a_size ? diagonal : a_size;
  while (low < high) {
    const Count middle = low + (high - low) / 2;
    if (bool(compare(b[diagonal - 1 - middle], a[middle]))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The same, found by several neighbouring lanes of a warp together, each of which looks at one
/// place in a step: for runs in global memory, where each step waits. All lanes of the warp call
/// it.
template <int Lanes, class Key, class Count, class Compare>
HINDSIGHT_DEVICE Count split_merge_by_lanes(Key* a, Count a_size, Key* b, Count b_size,
                                            Count diagonal, Compare& compare) {
  const int lane = lane_index() % Lanes, first_lane = lane_index() - lane;
  Count low = diagonal > b_size ? diagonal - b_size : 0;
  Count high = diagonal < a_size ? diagonal : a_size;
  while (__any_sync(all_lanes, low < high)) {
    const Count step = (high - low + Lanes - 1) / Lanes;
    const Count place = low + static_cast<Count>(lane + 1) * step - 1;
    const bool is_before =
        low < high && place < high && !bool(compare(b[diagonal - 1 - place], a[place]));
    const unsigned others = ~(__ballot_sync(all_lanes, is_before) >> first_lane);
    const int steps = others == 0 ? Lanes : min(__ffs(static_cast<int>(others)) - 1, Lanes);
    if (low >= high) continue;
    low += static_cast<Count>(steps) * step;
    high = ::cuda::std::min<Count>(high, low + step - 1);
  }
  return low;
}
template <class Key, class Count, class Compare>
HINDSIGHT_DEVICE Count split_merge_by_warp(Key* a, Count a_size, Key* b, Count b_size,
                                           Count diagonal, Compare& compare) {
  return cuda::split_merge_by_lanes<warp_lanes>(a, a_size, b, b_size, diagonal, compare);
}

/// Whether a thread's part of a merge may come to the end of a run.
enum class run_ends { far, near };

template <run_ends Ends, int Items, class Item, class Compare, class Visit>
HINDSIGHT_DEVICE void merge_steps(Item* a, Item* a_end, Item* b, Item* b_end, Compare& compare,
                                  Visit visit) {
  const auto exists = [=](const Item* place) { return Ends == run_ends::far || place < b_end; };
  uninitialized<Item> head_of_a, head_of_b;
  if (exists(a)) head_of_a.set(*a);
  if (exists(b)) head_of_b.set(*b);
  HINDSIGHT_UNROLL
  for (int i = 0; i < Items; ++i) {
    bool takes_a;
    if constexpr (Ends == run_ends::near) {
      takes_a = b >= b_end || (a < a_end && !bool(compare(head_of_b.ref(), head_of_a.ref())));
    } else {
      takes_a = !bool(compare(head_of_b.ref(), head_of_a.ref()));
    }
    if (takes_a) {
      visit(i, head_of_a.get());
    } else {
      visit(i, head_of_b.get());
    }
    a += takes_a;
    b += !takes_a;
    Item* const following = takes_a ? a : b;
    if (i + 1 < Items && exists(following)) {
      if (takes_a) {
        head_of_a.set(*following);
      } else {
        head_of_b.set(*following);
      }
    }
  }
}

/// Calls visit(i, item) for i in [0, Items): the merge of [a, a_end) and [b, b_end) from their
/// beginnings on. Reads and compares what is in the runs only; where they have fewer than Items
/// items together, the last ones visited are of no meaning. All lanes of the warp call it.
///   a, b  a's run ends where b's begins, or before
template <int Items, class Item, class Compare, class Visit>
HINDSIGHT_DEVICE void merge_serially(Item* a, Item* a_end, Item* b, Item* b_end, Compare& compare,
                                     Visit visit) {
  if (__all_sync(all_lanes, a_end - a >= Items && b_end - b >= Items)) {
    cuda::merge_steps<run_ends::far, Items>(a, a_end, b, b_end, compare, visit);
  } else {
    cuda::merge_steps<run_ends::near, Items>(a, a_end, b, b_end, compare, visit);
  }
}

/// A round of odd-even transposition: pairs of neighbours, from item `First` on, change places
/// where the second one sorts before the first.
template <int First, int Items, class Item, class Compare>
HINDSIGHT_DEVICE void transpose_pairs(uninitialized<Item> (&items)[Items], Compare& compare) {
  HINDSIGHT_UNROLL
  for (int i = First; i + 1 < Items; i += 2) {
    if (!bool(compare(items[i + 1].ref(), items[i].ref()))) continue;
    const Item lower = items[i].get();
    items[i].set(items[i + 1].get());
    items[i + 1].set(lower);
  }
}

/// Sorts a thread's items by odd-even transposition: only neighbours change places, so that
/// equivalent ones keep their order. Rounds are a loop: written out, they would be most of the code
/// of a sort.
template <int Items, class Item, class Compare>
HINDSIGHT_DEVICE void sort_by_transposition(uninitialized<Item> (&items)[Items], Compare& compare) {
  HINDSIGHT_ROLL
  for (int round = 0; round + 1 < Items; round += 2) {
    cuda::transpose_pairs<0>(items, compare);
    cuda::transpose_pairs<1>(items, compare);
  }
  if constexpr (Items % 2 != 0) cuda::transpose_pairs<0>(items, compare);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
