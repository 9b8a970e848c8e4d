// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/host/radix_scatter.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/key_bits.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hindsight::detail::host {

/// Keys with few values, each of which is its image decoded: they need no moving. Not half floats,
/// whose two zeros share an image.
template <class Key>
inline constexpr bool is_countable = is_integer<Key> && sizeof(Key) <= 2;

/// Sorts keys[0, n) by counting each value and writing that many of it.
template <class Direction, class Key>
void counting_sort(Key* keys, std::size_t n, cut wanted = {}) {
  constexpr digit_at<Direction> image{0, int(sizeof(Key)) * 8};
  const unsigned threads = tiling{n, sizeof(Key), {wanted.num_threads, 0}}.num_threads;
  const tiling parts{n, sizeof(Key), {threads, (n + threads - 1) / threads}};
  std::vector<std::vector<std::size_t>> counts(parts.num_tiles);
  for_each_tile(parts, [&](std::size_t p) {
    counts[p].resize(image.count());
    count_digits(keys + parts.begin(p), parts.size(p), image, counts[p].data());
  });

  std::vector<std::size_t> ends(image.count());
  std::size_t sum = 0;
  for (std::size_t d = 0; d < image.count(); ++d) {
    for (const std::vector<std::size_t>& part : counts) sum += part[d];
    ends[d] = sum;
  }
  for_each_tile(parts, [&](std::size_t p) {
    std::size_t at = parts.begin(p);
    const std::size_t stop = at + parts.size(p);
    std::size_t d = std::size_t(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
    for (; at < stop; ++d) {
      const std::size_t end = std::min(ends[d], stop);
      std::fill(keys + at, keys + end, Direction::template key<Key>(unsigned_bits_t<Key>(d)));
      at = end;
    }
  });
}

}  // namespace hindsight::detail::host
