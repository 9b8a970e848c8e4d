// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting networks for any number of items, in registers and in shared memory. All comparators move
// the smaller item to the lower place: so comparators with a place past the last item can be left
// out, as if the largest of all items lay there.
// Source: Batcher 1968, "Sorting Networks and Their Applications"; Knuth 1998, "The Art of Computer
// Programming", volume 3, 5.2.2, algorithm M: odd-even merge of any number.
#pragma once

#include <hindsight/detail/config.h>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The least power of two that is at least n.
HINDSIGHT_HD constexpr int power_of_two_from(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

/// Calls exchange(i, j), i < j, for each comparator of the odd-even merge network of Items items.
template <int Items, int Span = power_of_two_from(Items) / 2,
          int Reach = power_of_two_from(Items) / 2, class Exchange>
HINDSIGHT_DEVICE void odd_even_merge_network(const Exchange& exchange) {
  if constexpr (Span > 0) {
    constexpr int top = power_of_two_from(Items) / 2;
    constexpr int distance = Reach == top ? Span : 2 * Reach - Span, bit = Reach == top ? 0 : Span;
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items - distance; ++i)
      if ((i & Span) == bit) exchange(i, i + distance);
    if constexpr (Reach > Span) {
      cuda::odd_even_merge_network<Items, Span, Reach / 2>(exchange);
    } else {
      cuda::odd_even_merge_network<Items, Span / 2, top>(exchange);
    }
  }
}

/// The same of the bitonic network, each of whose merges begins with a step that mirrors.
template <int Items, int Size = 2, int Distance = 0, class Exchange>
HINDSIGHT_DEVICE void bitonic_network(const Exchange& exchange) {
  if constexpr (Size <= power_of_two_from(Items)) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int other = Distance == 0 ? i ^ (Size - 1) : i ^ Distance;
      if (i < other && other < Items) exchange(i, other);
    }
    constexpr int next = Distance == 0 ? Size / 4 : Distance / 2;
    if constexpr (next > 0) {
      cuda::bitonic_network<Items, Size, next>(exchange);
    } else {
      cuda::bitonic_network<Items, 2 * Size, 0>(exchange);
    }
  }
}

/// The odd-even merge network of n items by a team: its members take the comparators of a step in
/// turn, and `barrier` comes before each step and after the last.
template <class Exchange, class Barrier>
HINDSIGHT_DEVICE void odd_even_merge_by_team(int n, int rank, int num_members, Exchange exchange,
                                             Barrier barrier) {
  const int top = power_of_two_from(n) / 2;
  for (int p = top; p > 0; p /= 2) {
    for (int q = top; q >= p; q /= 2) {
      const int distance = q == top ? p : 2 * q - p, bit = q == top ? 0 : p;
      barrier();
      for (int c = rank; c < top; c += num_members) {
        const int low = (c & -p) * 2 + (c & (p - 1)) + bit;  // a bit is put in at p's place
        if (low + distance < n) exchange(low, low + distance);
      }
    }
  }
  barrier();
}

/// The same of the bitonic network.
template <class Exchange, class Barrier>
HINDSIGHT_DEVICE void bitonic_by_team(int n, int rank, int num_members, Exchange exchange,
                                      Barrier barrier) {
  const int top = power_of_two_from(n) / 2;
  for (int half = 1; half <= top; half *= 2) {
    for (int distance = half; distance > 0; distance /= 2) {
      barrier();
      for (int c = rank; c < top; c += num_members) {
        const int low = (c & -distance) * 2 + (c & (distance - 1));
        const int high = distance == half ? low ^ (2 * half - 1) : low + distance;
        if (high < n) exchange(low, high);
      }
    }
  }
  barrier();
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
