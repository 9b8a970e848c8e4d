// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sort: sorted tiles are merged in pairs. Each thread finds by a binary search which items of
// both runs make up its share of the output, so all threads merge the same number of items.
// Source: Odeh, Green, Mwassi, Shmueli & Birk 2012, "Merge Path - Parallel Merging Made Simple";
// Green, McColl & Bader 2012, "GPU Merge Path". The kernels are in merge_gpu.h.
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

inline cost merge_cost(double n, const shape& s) {
  const double merges = levels(std::ceil(n / s.tile_items)), passes = 1 + merges;
  const double log_tile = std::log2(std::fmin(n, s.tile_items));
  return {n * (log_tile + merges), s.tile_steps * passes + merges * levels(n), passes,
          passes * 2 * n * sizeof(item)};
}

/// Two sorted runs.
struct run_pair {
  const item *a, *b;
  std::size_t a_count, b_count;
};

/// The runs of `run` items whose merge has item `place` of the output.
HINDSIGHT_HD inline run_pair runs_at(const item* in, std::size_t n, std::size_t run,
                                     std::size_t place) {
  const std::size_t begin = place / (2 * run) * (2 * run);
  const std::size_t middle = begin + run < n ? begin + run : n;
  const std::size_t end = middle + run < n ? middle + run : n;
  return {in + begin, in + middle, middle - begin, end - middle};
}

/// How many of the first `count` items of the merge come from a. Of equal items a's come first.
HINDSIGHT_HD inline std::size_t merge_path(run_pair runs, std::size_t count) {
  std::size_t low = count > runs.b_count ? count - runs.b_count : 0;
  std::size_t high = count < runs.a_count ? count : runs.a_count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (runs.a[middle] <= runs.b[count - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// What is left of both runs after the first `count` items of their merge.
HINDSIGHT_HD inline run_pair after(run_pair runs, std::size_t count) {
  const std::size_t from_a = merge_path(runs, count), from_b = count - from_a;
  return {runs.a + from_a, runs.b + from_b, runs.a_count - from_a, runs.b_count - from_b};
}

/// Takes the next item of the merge. Requires that one is left.
HINDSIGHT_HD inline item take_next(run_pair& runs) {
  if (runs.b_count == 0 || (runs.a_count > 0 && *runs.a <= *runs.b)) {
    --runs.a_count;
    return *runs.a++;
  }
  --runs.b_count;
  return *runs.b++;
}

namespace host {

inline void merge_sort(const task& t) {
  const std::size_t n = t.n, tiles = num_tiles(n);
  item* const buffer = t.memory.take<item>(n);
  unsigned merges = 0;
  while (tile_items << merges < n) ++merges;
  item* from = merges % 2 == 0 ? t.out : buffer;  // so that the last merge ends in out
  item* to = merges % 2 == 0 ? buffer : t.out;
  launch_tiles(tiles, [&](std::size_t tile) {
    const range r = tile_range(tile, n);
    std::copy(t.in + r.begin, t.in + r.end, from + r.begin);
    std::sort(from + r.begin, from + r.end);
  });
  for (std::size_t run = tile_items; run < n; run *= 2, std::swap(from, to)) {
    launch_tiles(tiles, [&](std::size_t tile) {
      const range r = tile_range(tile, n);
      const run_pair runs = runs_at(from, n, run, r.begin);
      run_pair left = after(runs, r.begin - std::size_t(runs.a - from));
      for (std::size_t i = r.begin; i < r.end; ++i) to[i] = take_next(left);
    });
  }
}

}  // namespace host
}  // namespace methods
