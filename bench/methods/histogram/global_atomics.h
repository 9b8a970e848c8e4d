// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histogram by one counter per bin: each item adds 1 to its bin in global memory. Items of one bin
// queue for its counter.
// Source: the definition; measured by Podlozhnyuk 2007, "Histogram calculation in CUDA".
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

/// Steps: random items reach each counter n / num_bins times, equal ones n times.
inline cost global_atomics_cost(double n, const shape&) {
  return {n, n / num_bins, 1, n * sizeof(item)};
}

namespace host {

inline void global_atomics(const task& t) {
  std::atomic<item>* const counters = t.memory.take<std::atomic<item>>(num_bins);
  launch(num_bins, [=](std::size_t bin) { new (counters + bin) std::atomic<item>{0}; });
  // Relaxed: nobody reads a counter before the launch has ended.
  launch(t.n,
         [&](std::size_t i) { counters[bin_of(t.in[i])].fetch_add(1, std::memory_order_relaxed); });
  launch(num_bins,
         [&](std::size_t bin) { t.out[bin] = counters[bin].load(std::memory_order_relaxed); });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void count_in_global_kernel(const item* in, std::size_t n, item* counters) {
  const std::size_t i = global_index();
  // Relaxed, as atomicAdd is: nobody reads a counter before the launch has ended.
  if (i < n) atomicAdd(&counters[bin_of(in[i])], 1u);
}

inline void global_atomics(const task& t) {
  clear(t, t.out, num_bins);
  launch(t, t.n, count_in_global_kernel, t.in, t.n, t.out);
}

}  // namespace cuda
#endif

}  // namespace methods
