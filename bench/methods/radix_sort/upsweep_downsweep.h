// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sort by digits of 4 bits, three launches a digit: the upsweep counts each tile's digits, a
// scan turns the counts into places, and the downsweep moves the items there.
// Source: Satish, Harris & Garland 2009, "Designing Efficient Sorting Algorithms for Manycore
// GPUs"; Merrill & Grimshaw 2011, "High Performance and Scalable Radix Sorting". The kernels are in
// upsweep_downsweep_gpu.h.
#pragma once

#include "split.h"

namespace methods {

inline constexpr unsigned digit_bits = 4, num_digits = 1u << digit_bits;

inline cost upsweep_downsweep_cost(double n, const shape& s) {
  const double passes = item_bits / digit_bits, counts = num_digits * std::ceil(n / s.tile_items);
  const cost scan = reduce_then_scan_cost(counts, s);
  return {passes * ((1 + digit_bits) * n + scan.operations),
          passes * ((1 + digit_bits) * s.tile_steps + scan.steps), passes * 2,
          passes * ((3 * n + 2 * counts) * sizeof(item) + scan.bytes)};
}

HINDSIGHT_HD inline unsigned digit_of(item value, unsigned bit) {
  return value >> bit & (num_digits - 1);
}

namespace host {

inline void upsweep_downsweep(const task& t) {
  const std::size_t n = t.n, tiles = num_tiles(n), num_counts = tiles * num_digits;
  item* const buffer = t.memory.take<item>(n);
  item* const counts = t.memory.take<item>(num_counts);  // digit by digit: a row has all tiles
  item* const places = t.memory.take<item>(num_counts);
  const item* from = t.in;
  for (unsigned bit = 0; bit < item_bits; bit += digit_bits) {
    item* const to = bit / digit_bits % 2 == 0 ? buffer : t.out;
    launch_tiles(tiles, [=](std::size_t tile) {
      const range r = tile_range(tile, n);
      item own[num_digits] = {};
      for (std::size_t i = r.begin; i < r.end; ++i) ++own[digit_of(from[i], bit)];
      for (unsigned d = 0; d < num_digits; ++d) counts[d * tiles + tile] = own[d];
    });
    reduce_then_scan(
        {counts, num_counts, places, nullptr, scan_kind::exclusive, t.memory, t.stream});
    launch_tiles(tiles, [=](std::size_t tile) {
      const range r = tile_range(tile, n);
      item own[num_digits];
      for (unsigned d = 0; d < num_digits; ++d) own[d] = places[d * tiles + tile];
      for (std::size_t i = r.begin; i < r.end; ++i) to[own[digit_of(from[i], bit)]++] = from[i];
    });
    from = to;
  }
}

}  // namespace host

}  // namespace methods
