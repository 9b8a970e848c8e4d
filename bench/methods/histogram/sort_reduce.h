// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histogram without atomics: sort the items' bins, then each bin is one run, and reduce_by_key
// counts the runs. No bin is heavier than another, and there may be any number of bins. Source:
// Thrust's example histogram.cu; Bell & Hoberock 2011, "Thrust: A Productivity-Oriented Library for
// CUDA".
#pragma once

#include <thrust/iterator/constant_iterator.h>

#include "../host.h"
#include "../tile.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_radix_sort.cuh>
#  include <hindsight/device_reduce.cuh>
#else
#  include <hindsight/reduce_by_key.h>
#  include <hindsight/sort.h>
#endif

namespace methods {

using bin_index = std::uint8_t;
static_assert(num_bins == 256);

/// The sort has one pass over bytes: count, then read and write.
inline cost sort_reduce_cost(double n, const shape& s) {
  const double bins = n * (sizeof(item) + 1), sort = 3 * n, runs = n;
  return {3 * n, 3 * s.tile_steps, 4, bins + sort + runs};
}

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void bins_kernel(const item* in, std::size_t n, bin_index* bins) {
  if (global_index() < n) bins[global_index()] = bin_index(bin_of(in[global_index()]));
}

__global__ void place_runs_kernel(const bin_index* run_bins, const item* run_lengths,
                                  const item* num_runs, item* out) {
  if (threadIdx.x < *num_runs) out[run_bins[threadIdx.x]] = run_lengths[threadIdx.x];
}

inline void sort_reduce(const task& t) {
  bin_index* const bins = t.memory.take<bin_index>(t.n);
  bin_index* const sorted = t.memory.take<bin_index>(t.n);
  bin_index* const run_bins = t.memory.take<bin_index>(num_bins);
  item* const run_lengths = t.memory.take<item>(num_bins);
  item* const num_runs = t.memory.take<item>(1);
  launch(t, t.n, bins_kernel, t.in, t.n, bins);
  run_library(t, [&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceRadixSort::SortKeys(temp, bytes, bins, sorted, t.n, 0, 8, t.stream);
  });
  run_library(t, [&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceReduce::ReduceByKey(temp, bytes, sorted, run_bins,
                                                thrust::constant_iterator<item>{1}, run_lengths,
                                                num_runs, ::cuda::std::plus<>{}, t.n, t.stream);
  });
  clear(t, t.out, num_bins);  // bins without items
  launch_tiles(t, 1, place_runs_kernel, run_bins, run_lengths, num_runs, t.out);
}

}  // namespace cuda
#else
namespace host {

inline void sort_reduce(const task& t) {
  bin_index* const bins = t.memory.take<bin_index>(t.n);
  bin_index run_bins[num_bins];
  item run_lengths[num_bins];
  launch(t.n, [&](std::size_t i) { bins[i] = bin_index(bin_of(t.in[i])); });
  num_launches += 2;
  const auto policy = hindsight::host::par;
  hindsight::sort(policy, bins, bins + t.n);
  const auto ends = hindsight::reduce_by_key(
      policy, bins, bins + t.n, thrust::constant_iterator<item>{1}, run_bins, run_lengths);
  const std::size_t num_runs = std::size_t(ends.first - run_bins);
  std::fill(t.out, t.out + num_bins, item{0});  // bins without items
  for (std::size_t run = 0; run < num_runs; ++run) t.out[run_bins[run]] = run_lengths[run];
}

}  // namespace host
#endif

}  // namespace methods
