// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of a lane's items exist, and predicates of these. The last tile has places for more.
#pragma once

#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::function {
struct is_set;  // of dispatch/facade.cuh
}

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Bit i: whether item i of this lane exists. `left` items exist from its item 0 on.
template <int Neighbours, int LaneItems>
HINDSIGHT_DEVICE unsigned existing_items(std::ptrdiff_t left) {
  constexpr int row_items = Neighbours * warp_lanes;
  if (left > striped_position<Neighbours>(LaneItems - 1)) return ~0u >> (32 - LaneItems);
  if (left <= 0) return 0;
  const int in_last_row = min(static_cast<int>(left) % row_items, Neighbours);
  return (1u << (static_cast<int>(left) / row_items * Neighbours + in_last_row)) - 1;
}

/// The same of neighbours: `left` items exist from the first of them on.
template <int LaneItems>
HINDSIGHT_DEVICE unsigned existing_neighbours(std::ptrdiff_t left) {
  return left <= 0 ? 0 : left < LaneItems ? (1u << left) - 1 : ~0u >> (32 - LaneItems);
}

/// Calls visit(i) for each item i that exists, as bit i of `exist` says.
template <int LaneItems, class Visit>
HINDSIGHT_DEVICE void visit_existing(unsigned exist, Visit visit) {
  if (exist == ~0u >> (32 - LaneItems)) {  // a full tile asks no more
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) visit(i);
  } else {
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i)
      if (exist >> i & 1) visit(i);
  }
}

/// Our own predicate of flags changes nothing. So it is called for all places: that saves a loop.
template <class Predicate>
inline constexpr bool asks_all_slots = std::is_same_v<Predicate, detail::function::is_set>;

/// Bit i: item i exists, and predicate(item i). The predicate is called once for each item that
/// exists, and for no other: it may insert the item into a set, and say whether it was new. Where
/// all places are asked, those past the end may have any bit.
template <class T, int LaneItems, class Predicate>
HINDSIGHT_DEVICE unsigned bits_where(uninitialized<T> (&items)[LaneItems], unsigned exist,
                                     Predicate& predicate) {
  unsigned bits = 0;
  const auto ask = [&](int i) { bits |= unsigned(bool(predicate(items[i].ref()))) << i; };
  if constexpr (asks_all_slots<Predicate>) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) ask(i);
  } else {
    cuda::visit_existing<LaneItems>(exist, ask);
  }
  return bits;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
