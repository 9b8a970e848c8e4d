// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of keys of one or two bytes: counts how often each value occurs, and writes the keys anew.
#pragma once

#include <hindsight/detail/host/radix_scatter.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Keys that have few values and can be made from their key bits: they need not be moved. Half
/// floats are none of these, since their two zeros have the same key bits.
template <class Key>
inline constexpr bool is_countable = is_integer<Key> && sizeof(Key) <= 2;

/// Sorts n keys by counting each value and writing that many of it.
template <class Direction, class Key>
class counting_sorter {
 public:
  counting_sorter(std::size_t n, cut wanted) : parts_{in_parts(n, wanted)} {}

  /// Fewer keys than this are sorted by radix.
  static constexpr std::size_t fewest = radix_tuning::keys_per_counted_value << 8 * sizeof(Key);

  ///   Memory  two tables of all values for each thread
  void carve(carver& space) {
    counts_.carve(space, parts_.num_tiles, all_bits.count());
    others_.carve(space, parts_.num_tiles, all_bits.count());
  }

  void sort(Key* keys) const {
    host::for_each_tile(parts_, [&](std::size_t p) {
      host::count_digits(keys + parts_.begin(p), parts_.size(p), all_bits, counts_[p], others_[p]);
    });

    std::size_t* const ends = counts_[0];
    std::size_t sum = 0;
    for (std::size_t d = 0; d < all_bits.count(); ++d) {
      for (std::size_t p = 0; p < parts_.num_tiles; ++p) sum += counts_[p][d];
      ends[d] = sum;
    }
    host::for_each_tile(parts_, [&](std::size_t p) {
      std::size_t at = parts_.begin(p);
      const std::size_t stop = at + parts_.size(p);
      // The first value with ends[d] > at. The number of values is a power of two.
      std::size_t d = 0;
      for (std::size_t step = all_bits.count() / 2; step > 0; step /= 2)
        if (ends[d + step - 1] <= at) d += step;
      for (; at < stop; ++d) {
        const std::size_t end = std::min(ends[d], stop);
        std::fill(keys + at, keys + end, Direction::template key<Key>(unsigned_bits_t<Key>(d)));
        at = end;
      }
    });
  }

 private:
  static constexpr digit_at<Direction> all_bits{0, int(sizeof(Key)) * 8};
  static tiling in_parts(std::size_t n, cut wanted) {
    const unsigned threads = tiling{n, sizeof(Key), {wanted.num_threads, 0}}.num_threads;
    return {n, sizeof(Key), {threads, (n + threads - 1) / threads}};
  }

  tiling parts_;
  rooms<std::size_t> counts_;  // of each part
  rooms<unsigned> others_;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
