// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp's striped items beside the items before them, and which of them begin a run.
#pragma once

#include <hindsight/detail/cuda/block/existing_items.cuh>
#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/iterator.cuh>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// in[place], whatever constructors its type has.
template <class It>
HINDSIGHT_DEVICE uninitialized<value_of<It>> item_at(It in, std::size_t place) {
  uninitialized<value_of<It>> item;
  item.set(cuda::to_copy<value_of<It>>(in[place]));
  return item;
}

/// Calls visit(i, item i of this lane, the item before it) for every i; visit() may overwrite the
/// item. (T may have a constructor that takes anything: only what is const is copied as it is.)
///   row_before  in lane 0: the item before the warp's first one
template <int Neighbours, class T, int LaneItems, class Visit>
HINDSIGHT_DEVICE void visit_neighbours(uninitialized<T> (&items)[LaneItems],
                                       uninitialized<T>& row_before, Visit visit) {
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; i += Neighbours) {
    uninitialized<T> before;
    before.set(cuda::shuffle_from(items[i + Neighbours - 1].get(),
                                  (lane_index() + warp_lanes - 1) % warp_lanes));
    if (lane_index() == 0) {
      const T row_last = before.get();
      before.set(row_before.get());
      row_before.set(row_last);
    }
    HINDSIGHT_UNROLL
    for (int j = i; j < i + Neighbours; ++j) {
      const T item = items[j].get();
      visit(j, items[j], before.get());
      before.set(item);
    }
  }
}

/// Bit i is set if item i of this lane exists and begins a run. Item 0 of the input begins one.
///   in      the input
///   first   the place in it of this lane's item 0; `left` items exist from there on
/// Calls visit(item, the item before it) for every item; it may overwrite the former.
template <int Neighbours, class It, class T, int LaneItems, class Equal, class Visit>
HINDSIGHT_DEVICE unsigned head_flags(It in, std::size_t first, std::ptrdiff_t left,
                                     uninitialized<T> (&items)[LaneItems], Equal equal,
                                     Visit visit) {
  uninitialized<T> row_before;
  if (lane_index() == 0)
    row_before.set(cuda::to_copy<T>(in[first > 0 && left > 0 ? first - 1 : 0]));
  unsigned heads = 0;
  cuda::visit_neighbours<Neighbours>(items, row_before,
                                     [&](int i, uninitialized<T>& item, const T& before) {
                                       heads |= unsigned(!equal(before, item.get())) << i;
                                       visit(item, before);
                                     });
  if (first == 0) heads |= 1;
  return heads & existing_items<Neighbours, LaneItems>(left);
}

/// Bit i is set if item i of this lane exists, and of it and the item before it exactly one begins
/// a run. The bit of item 0 of the input is not set.
template <int Neighbours, class It, class T, int LaneItems, class Equal>
HINDSIGHT_DEVICE unsigned head_flag_changes(It in, std::size_t first, std::ptrdiff_t left,
                                            uninitialized<T> (&items)[LaneItems], Equal equal) {
  const unsigned heads =
      cuda::head_flags<Neighbours>(in, first, left, items, equal, [](auto&&, auto&&) {});
  constexpr unsigned row_firsts =
      ~0u / ((1u << Neighbours) - 1);  // the first neighbour of each row
  unsigned before = cuda::shuffle_from(heads, (lane_index() + warp_lanes - 1) % warp_lanes);
  if (lane_index() == 0) {  // before its row comes the last lane's row before
    const auto differ = [&](const T& a, const T& b) { return !equal(a, b); };
    const bool is_head =
        first < 2 || left <= 0 ||
        differ(cuda::item_at(in, first - 2).get(), cuda::item_at(in, first - 1).get());
    before = before << 1 | unsigned(is_head);
  } else {
    before >>= Neighbours - 1;
  }
  before = (before & row_firsts) | (heads << 1 & ~row_firsts);
  if (first == 0) before |= 1;  // item 0
  return (heads ^ before) & existing_items<Neighbours, LaneItems>(left);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
