// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sort by digits of 8 bits, one launch a digit, which reads each item once and writes it
// once. How often each digit occurs in all items is counted up front, for all passes at once. That
// says where the items of a digit begin in the output. How many of them come before a tile, the
// tile learns by look-back, one for each digit.
// Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
// The kernels are in onesweep_gpu.h.
#pragma once

#include "../scan/look_back.h"
#include "split.h"

namespace methods {

inline constexpr unsigned sweep_bits = 8, sweep_digits = 1u << sweep_bits;
inline constexpr unsigned num_sweeps = item_bits / sweep_bits;

/// Each pass ranks the items, as it has counted them before. A look-back publishes two words for
/// each digit of a tile, and reads two.
inline cost onesweep_cost(double n, const shape& s) {
  const double tiles = std::ceil(n / s.tile_items), words = tiles * sweep_digits;
  return {num_sweeps * (2 * n + 2 * words), num_sweeps * (s.tile_steps + levels(tiles)),
          1 + num_sweeps,
          n * sizeof(item) + num_sweeps * (2 * n * sizeof(item) + 4 * words * sizeof(word))};
}

/// The digit of a value that a pass sorts by.
HINDSIGHT_HD inline unsigned sweep_digit(item value, unsigned sweep) {
  return value >> sweep * sweep_bits & (sweep_digits - 1);
}

namespace host {

/// counts[sweep * sweep_digits + d] = how many items have digit d in this pass
inline void count_digits(const task& t, item* counts) {
  std::fill(counts, counts + num_sweeps * sweep_digits, item{0});
  launch_tiles(num_tiles(t.n), [=, in = t.in, n = t.n](std::size_t tile) {
    const range r = tile_range(tile, n);
    item own[num_sweeps * sweep_digits] = {};
    for (std::size_t i = r.begin; i < r.end; ++i)
      for (unsigned sweep = 0; sweep < num_sweeps; ++sweep)
        ++own[sweep * sweep_digits + sweep_digit(in[i], sweep)];
    // Relaxed: nobody reads a counter before the launch has ended.
    using counter = ::cuda::atomic_ref<item, ::cuda::thread_scope_device>;
    for (unsigned c = 0; c < num_sweeps * sweep_digits; ++c)
      if (own[c] > 0) counter{counts[c]}.fetch_add(own[c], ::cuda::memory_order_relaxed);
  });
}

inline void onesweep(const task& t) {
  const std::size_t n = t.n, tiles = num_tiles(n);
  item* const buffer = t.memory.take<item>(n);
  item* const counts = t.memory.take<item>(num_sweeps * sweep_digits);
  word* const words = t.memory.take<word>(tiles * sweep_digits);  // tile by tile
  count_digits(t, counts);
  const item* from = t.in;
  for (unsigned sweep = 0; sweep < num_sweeps; ++sweep) {
    item* const to = sweep % 2 == 0 ? buffer : t.out;  // an even number of passes ends in out
    item starts[sweep_digits];  // where the items of each digit begin in the output
    scan_range(counts + sweep * sweep_digits, {0, sweep_digits}, 0, starts, scan_kind::exclusive);
    std::fill(words, words + tiles * sweep_digits, word{0});
    launch_tiles(tiles, [=, &starts](std::size_t tile) {
      const range r = tile_range(tile, n);
      item own[sweep_digits] = {};  // first counts, then places
      for (std::size_t i = r.begin; i < r.end; ++i) ++own[sweep_digit(from[i], sweep)];
      for (unsigned d = 0; d < sweep_digits; ++d)
        own[d] = starts[d] + look_back(words + d, tile, own[d], sweep_digits);
      for (std::size_t i = r.begin; i < r.end; ++i)
        to[own[sweep_digit(from[i], sweep)]++] = from[i];
    });
    from = to;
  }
}

}  // namespace host

}  // namespace methods
