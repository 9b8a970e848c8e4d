// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which segments lie in a part of the items, by searches of the offsets.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/std_basics.h>

#include <atomic>
#include <cstddef>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// How many ends of segments are among the first `position` members of the merged sequence.
/// Requires that this is in [low, high].
template <class OffsetIt>
std::size_t count_ends(const merged_segments<OffsetIt>& merged, std::size_t position,
                       std::size_t low, std::size_t high) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (merged.position_of_end(middle) < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Members [begin, end) of the merged sequence, if `segment` ends are before them.
template <class OffsetIt>
segment_part part_of(const merged_segments<OffsetIt>& merged, std::size_t begin, std::size_t end,
                     std::size_t segment) {
  const std::size_t most = std::min(segment + (end - begin), merged.most_ends(end));
  const std::size_t low = std::max(segment, merged.fewest_ends(end));
  const std::size_t num_ends = host::count_ends(merged, end, low, most) - segment;
  return {segment, begin - segment, int(end - begin - num_ends), int(num_ends)};
}

/// Members [begin, end) of the merged sequence.
template <class OffsetIt>
segment_part part_of(const merged_segments<OffsetIt>& merged, std::size_t begin, std::size_t end) {
  return host::part_of(
      merged, begin, end,
      host::count_ends(merged, begin, merged.fewest_ends(begin), merged.most_ends(begin)));
}

/// Whether no segment ends before it begins. Segments of other offsets are taken one by one.
template <class OffsetIt>
bool are_in_order(const merged_segments<OffsetIt>& merged, cut wanted) {
  const tiling tiles{merged.num_segments(), sizeof(value_of<OffsetIt>), {wanted.num_threads, 0}};
  std::atomic<bool> all_are{true};
  host::for_each_tile(tiles, [&](std::size_t tile) {
    unsigned decreases = 0;
    const std::size_t begin = tiles.begin(tile), end = begin + tiles.size(tile);
    for (std::size_t s = begin; s < end; ++s) decreases |= unsigned(merged.decreases(s));
    if (decreases != 0) all_are.store(false, std::memory_order_relaxed);
  });
  return all_are;
}

/// How many items a segment has: none if it ends before it begins.
template <class OffsetIt>
std::size_t size_of_segment(const merged_segments<OffsetIt>& merged, std::size_t s) {
  const auto size = static_cast<std::ptrdiff_t>(merged.end(s) - merged.begin(s));
  return size > 0 ? std::size_t(size) : 0;
}

/// How many segments begin before an item.
template <class OffsetIt>
std::size_t count_begins(const merged_segments<OffsetIt>& merged, std::size_t item) {
  std::size_t low = 0, high = merged.num_segments();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    merged.begin(middle) < item ? low = middle + 1 : high = middle;
  }
  return low;
}

/// heads[i] = whether a segment begins at item begin + i, i < size.
template <class OffsetIt>
void mark_heads(const merged_segments<OffsetIt>& merged, std::size_t begin, std::size_t size,
                bool* heads) {
  std::fill(heads, heads + size, false);
  for (std::size_t s = host::count_begins(merged, begin);
       s < merged.num_segments() && merged.begin(s) < begin + size; ++s)
    heads[merged.begin(s) - begin] = true;
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
