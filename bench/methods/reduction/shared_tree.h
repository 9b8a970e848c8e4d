// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sum by trees in shared memory: a block folds 512 items where only it sees them, and writes one.
// Launches repeat until one item is left.
// Source: Harris 2007, "Optimizing Parallel Reduction in CUDA".
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

inline constexpr unsigned tree_items = 512;

inline cost shared_tree_cost(double n, const shape&) {
  const double sums = n / tree_items;
  return {n - 1, levels(n), 1, (n + 2 * sums) * sizeof(item)};
}

namespace host {

inline void shared_tree(const task& t) {
  const item* from = t.in;
  std::size_t count = t.n;
  do {
    const std::size_t num_trees = std::max<std::size_t>((count + tree_items - 1) / tree_items, 1);
    item* const to = num_trees == 1 ? t.out : t.memory.take<item>(num_trees);
    const auto fold = [=](std::size_t tree) {
      item sums[tree_items] = {};
      const std::size_t begin = tree * tree_items;
      std::copy(from + begin, from + std::min(begin + tree_items, count), sums);
      for (unsigned half = tree_items / 2; half > 0; half /= 2)
        for (unsigned i = 0; i < half; ++i) sums[i] += sums[i + half];
      to[tree] = sums[0];
    };
    launch(num_trees, fold, tree_items);
    from = to;
    count = num_trees;
  } while (count > 1);
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

static_assert(tree_items == 2 * block_threads);

/// The active threads stay neighbours, so whole warps retire, and no two lanes share a bank.
__global__ void shared_tree_kernel(const item* from, std::size_t count, item* to) {
  __shared__ item sums[block_threads];
  const std::size_t i = std::size_t{blockIdx.x} * tree_items + threadIdx.x;
  const item lower = i < count ? from[i] : 0;
  const item upper = i + block_threads < count ? from[i + block_threads] : 0;
  sums[threadIdx.x] = lower + upper;
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) to[blockIdx.x] = sums[0];
}

inline void shared_tree(const task& t) {
  const item* from = t.in;
  std::size_t count = t.n;
  do {
    const std::size_t num_trees = std::max<std::size_t>((count + tree_items - 1) / tree_items, 1);
    item* const to = num_trees == 1 ? t.out : t.memory.take<item>(num_trees);
    launch_tiles(t, num_trees, shared_tree_kernel, from, count, to);
    from = to;
    count = num_trees;
  } while (count > 1);
}

}  // namespace cuda
#endif

}  // namespace methods
