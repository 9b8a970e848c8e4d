// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sum by a tree in global memory: each launch adds the upper half of what is left to the lower.
// Source: JaJa 1992, "An Introduction to Parallel Algorithms", section 1.3 (balanced trees).
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

inline cost global_tree_cost(double n, const shape&) {
  const double halves = n;  // n / 2 + n / 4 + ...
  return {n - 1, levels(n), 1, (2 * halves + halves) * sizeof(item)};
}

namespace host {

inline void global_tree(const task& t) {
  item* const sums = t.memory.take<item>(t.n / 2 + 1);
  const item* from = t.in;
  std::size_t count = t.n;
  do {
    const std::size_t half = std::max<std::size_t>((count + 1) / 2, 1);
    item* const to = half == 1 ? t.out : sums;
    launch(half, [=](std::size_t i) {
      const item lower = i < count ? from[i] : 0;
      const item upper = i + half < count ? from[i + half] : 0;
      to[i] = lower + upper;
    });
    from = to;
    count = half;
  } while (count > 1);
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

/// to may be from: thread i alone reads and writes item i, and no thread writes an upper half.
__global__ void add_halves_kernel(const item* from, std::size_t count, std::size_t half, item* to) {
  const std::size_t i = global_index();
  if (i >= half) return;
  const item lower = i < count ? from[i] : 0;
  const item upper = i + half < count ? from[i + half] : 0;
  to[i] = lower + upper;
}

inline void global_tree(const task& t) {
  item* const sums = t.memory.take<item>(t.n / 2 + 1);
  const item* from = t.in;
  std::size_t count = t.n;
  do {
    const std::size_t half = std::max<std::size_t>((count + 1) / 2, 1);
    item* const to = half == 1 ? t.out : sums;
    launch(t, half, add_halves_kernel, from, count, half, to);
    from = to;
    count = half;
  } while (count > 1);
}

}  // namespace cuda
#endif

}  // namespace methods
