// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting network of bitonic merges: two sorted runs, the second read backwards, are compared item
// by item, which leaves two halves to be merged in the same way. All comparisons whose distance is
// less than a tile need one launch, in shared memory or in a core's cache. Source: Batcher 1968,
// "Sorting Networks and their Applications".
#pragma once

#include "odd_even_transposition.h"

namespace methods {

inline constexpr unsigned bitonic_tile = 2048;  // a power of two, so that no pair leaves its tile

inline cost bitonic_cost(double n, const shape&) {
  const double p = levels(n), outer = std::fmax(p - std::log2(bitonic_tile), 0);
  const double passes = 1 + outer * (outer + 1) / 2 + outer;
  return {p * (p + 1) / 4 * std::exp2(p), p * (p + 1) / 2, passes, passes * 2 * n * sizeof(item)};
}

struct item_pair {
  std::size_t lower, upper;
};
/// First step of a merge of `run` items: pair i of the run's mirror images.
HINDSIGHT_HD inline item_pair mirrored(std::size_t i, std::size_t run) {
  const std::size_t begin = i / (run / 2) * run, offset = i % (run / 2);
  return {begin + offset, begin + run - 1 - offset};
}
/// The other steps.
HINDSIGHT_HD inline item_pair apart(std::size_t i, std::size_t stride) {
  const std::size_t lower = i / stride * (2 * stride) + i % stride;
  return {lower, lower + stride};
}
/// The smaller item always goes to the lower place, so places beyond n may be thought to hold the
/// largest item: any n will do.
HINDSIGHT_HD inline void compare_exchange(item* items, std::size_t n, item_pair pair) {
  if (pair.upper < n) compare_exchange(items[pair.lower], items[pair.upper]);
}

/// Where a tile begins, and how many items it has.
struct tile_place {
  std::size_t begin;
  unsigned count;
};
HINDSIGHT_HD inline tile_place bitonic_place(std::size_t tile, std::size_t n) {
  const std::size_t begin = tile * bitonic_tile;
  return {begin, n - begin < bitonic_tile ? unsigned(n - begin) : bitonic_tile};
}

namespace host {

/// The steps of a merge from `stride` down to 1, of a tile that stays in a core's cache.
inline void merge_down(item* tile, unsigned count, unsigned stride) {
  for (; stride > 0; stride /= 2)
    for (unsigned i = 0; i < bitonic_tile / 2; ++i) compare_exchange(tile, count, apart(i, stride));
}

inline void bitonic(const task& t) {
  const std::size_t n = t.n, tiles = (n + bitonic_tile - 1) / bitonic_tile;
  item* const out = t.out;
  const auto sort_tile = [&](std::size_t tile) {
    const tile_place place = bitonic_place(tile, n);
    std::copy(t.in + place.begin, t.in + place.begin + place.count, out + place.begin);
    for (unsigned run = 2; run <= bitonic_tile; run *= 2) {
      for (unsigned i = 0; i < bitonic_tile / 2; ++i)
        compare_exchange(out + place.begin, place.count, mirrored(i, run));
      merge_down(out + place.begin, place.count, run / 4);
    }
  };
  const auto merge_tile = [=](std::size_t tile) {
    const tile_place place = bitonic_place(tile, n);
    merge_down(out + place.begin, place.count, bitonic_tile / 2);
  };
  launch(tiles, sort_tile, bitonic_tile);
  for (std::size_t run = 2 * bitonic_tile; run < 2 * n; run *= 2) {
    const std::size_t pairs = (n + run - 1) / run * (run / 2);
    launch(pairs, [=](std::size_t i) { compare_exchange(out, n, mirrored(i, run)); });
    for (std::size_t stride = run / 4; stride >= bitonic_tile; stride /= 2)
      launch(pairs, [=](std::size_t i) { compare_exchange(out, n, apart(i, stride)); });
    launch(tiles, merge_tile, bitonic_tile);
  }
}

}  // namespace host
}  // namespace methods
