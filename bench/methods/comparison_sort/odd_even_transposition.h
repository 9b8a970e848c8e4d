// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sort by swapping neighbours: n rounds, the pairs of even and of odd places in turn. The shortest
// sorting network to write down, and quadratic work.
// Source: Habermann 1972, "Parallel Neighbor-Sort"; Knuth, TAOCP volume 3, section 5.3.4.
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

inline cost odd_even_transposition_cost(double n, const shape&) {
  return {n * (n - 1) / 2, n, n, n * 2 * n * sizeof(item) + 2 * n * sizeof(item)};
}

/// The smaller of two items goes to the lower place.
HINDSIGHT_HD inline void compare_exchange(item& lower, item& upper) {
  if (upper < lower) {
    const item smaller = upper;
    upper = lower;
    lower = smaller;
  }
}

namespace host {

inline void odd_even_transposition(const task& t) {
  launch(t.n, [&](std::size_t i) { t.out[i] = t.in[i]; });
  for (std::size_t round = 0; round < t.n; ++round)
    launch((t.n - round % 2) / 2, [&](std::size_t pair) {
      item* const lower = t.out + 2 * pair + round % 2;
      compare_exchange(lower[0], lower[1]);
    });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void transposition_kernel(item* items, std::size_t pairs) {
  const std::size_t pair = global_index();
  if (pair < pairs) compare_exchange(items[2 * pair], items[2 * pair + 1]);
}

inline void copy_input(const task& t) {
  check(cudaMemcpyAsync(t.out, t.in, t.n * sizeof(item), cudaMemcpyDeviceToDevice, t.stream));
}

inline void odd_even_transposition(const task& t) {
  copy_input(t);
  for (std::size_t round = 0; round < t.n; ++round) {
    const std::size_t first = round % 2, pairs = (t.n - first) / 2;
    launch(t, pairs, transposition_kernel, t.out + first, pairs);
  }
}

}  // namespace cuda
#endif

}  // namespace methods
