// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting network of merges: sorted runs of `run` items are merged in pairs, which takes a stride
// of `run`, then run / 2, down to 1. Fewer comparisons than the bitonic network, in as many steps.
// Source: Batcher 1968, "Sorting Networks and their Applications".
#pragma once

#include "odd_even_transposition.h"

namespace methods {

inline cost odd_even_merge_cost(double n, const shape&) {
  const double p = levels(n), steps = p * (p + 1) / 2;
  const double comparisons = (p * p - p + 4) * std::exp2(p) / 4 - 1;
  return {comparisons, steps, steps, (steps + 1) * 2 * n * sizeof(item)};
}

/// Does step (run, stride) for pair i of at most n / 2. Each pair has its smaller item at its lower
/// place in the end, so places beyond n may be thought to hold the largest item: any n will do.
HINDSIGHT_HD inline void odd_even_merge_step(item* items, std::size_t n, std::size_t run,
                                             std::size_t stride, std::size_t i) {
  const std::size_t lower = stride % run + i / stride * (2 * stride) + i % stride;
  const std::size_t upper = lower + stride;
  const bool same_merge = lower / (2 * run) == upper / (2 * run);
  if (upper < n && same_merge) compare_exchange(items[lower], items[upper]);
}

namespace host {

inline void odd_even_merge(const task& t) {
  launch(t.n, [&](std::size_t i) { t.out[i] = t.in[i]; });
  const std::size_t n = t.n;
  item* const out = t.out;
  for (std::size_t run = 1; run < n; run *= 2)
    for (std::size_t stride = run; stride > 0; stride /= 2)
      launch(n / 2, [=](std::size_t i) { odd_even_merge_step(out, n, run, stride, i); });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void odd_even_merge_kernel(item* items, std::size_t n, std::size_t run,
                                      std::size_t stride) {
  odd_even_merge_step(items, n, run, stride, global_index());
}

inline void odd_even_merge(const task& t) {
  copy_input(t);
  for (std::size_t run = 1; run < t.n; run *= 2)
    for (std::size_t stride = run; stride > 0; stride /= 2)
      launch(t, t.n / 2, odd_even_merge_kernel, t.out, t.n, run, stride);
}

}  // namespace cuda
#endif

}  // namespace methods
