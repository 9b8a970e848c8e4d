// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp's items in registers, striped: lane l holds items l, 32 + l, 64 + l, ... of the warp's
// run, so that a row of 32 is one coalesced access and one ballot.
#pragma once

#include <hindsight/detail/cuda/warp.cuh>

#include <cstddef>

namespace hindsight::detail {

/// items[i] = in[32 * i] for the items that exist, `left` of them counted from `in` on; the others
/// repeat in[0], or in[left - 1] where not even that exists, so that operators see real values
/// only.
template <class It, class T, int LaneItems>
HINDSIGHT_DEVICE void load_striped(It in, std::ptrdiff_t left,
                                   uninitialized<T> (&items)[LaneItems]) {
  if (left > (LaneItems - 1) * warp_lanes) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) items[i].set(in[i * warp_lanes]);
  } else {
    const std::ptrdiff_t fallback = left > 0 ? 0 : left - 1;
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) {
      items[i].set(in[i * warp_lanes < left ? i * warp_lanes : fallback]);
    }
  }
}

/// Bit i: whether item 32 * i exists, of `left` items.
template <int LaneItems>
HINDSIGHT_DEVICE unsigned existing_items(std::ptrdiff_t left) {
  const std::ptrdiff_t count = left > 0 ? (left + warp_lanes - 1) / warp_lanes : 0;
  return count >= LaneItems ? ~0u >> (32 - LaneItems) : (1u << count) - 1;
}

/// The sum of counts[0, count).
HINDSIGHT_DEVICE unsigned sum_first(const unsigned* counts, int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; ++i) sum += counts[i];
  return sum;
}

}  // namespace hindsight::detail
