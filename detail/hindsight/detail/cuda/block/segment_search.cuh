// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which segments belong to a part of all items, or of all items and ends.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/tuning/segments.h>

#include <cuda/std/functional>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Where segments end in the merged sequence, as a search sees it.
template <class OffsetIt>
struct segment_ends {
  const merged_segments<OffsetIt>& merged;
  HINDSIGHT_DEVICE std::size_t place(std::size_t s) const { return merged.position_of_end(s); }
  HINDSIGHT_DEVICE std::size_t num_places() const { return merged.total(); }
  HINDSIGHT_DEVICE std::size_t fewest(std::size_t position) const {
    return merged.fewest_ends(position);
  }
  HINDSIGHT_DEVICE std::size_t most(std::size_t position) const {
    return merged.most_ends(position);
  }
};

/// Where they begin among the items.
template <class OffsetIt>
struct segment_begins {
  const merged_segments<OffsetIt>& merged;
  HINDSIGHT_DEVICE std::size_t place(std::size_t s) const { return merged.begin(s); }
  HINDSIGHT_DEVICE std::size_t num_places() const { return merged.num_items(); }
  HINDSIGHT_DEVICE std::size_t fewest(std::size_t) const { return 0; }
  HINDSIGHT_DEVICE std::size_t most(std::size_t) const { return merged.num_segments(); }
};

/// A search by a full warp for the number of segments whose place comes before `position`. In a
/// step each lane asks for the place of one segment. A step has two halves, ask and narrow: so
/// several searches can wait together.
template <class Segments>
struct segment_search {
  Segments segments;
  std::size_t position, low, high;

  HINDSIGHT_DEVICE segment_search(const Segments& all, std::size_t before)
      : segments{all}, position{before}, low{all.fewest(before)}, high{all.most(before)} {}

  HINDSIGHT_DEVICE bool is_done() const { return low >= high; }
  /// Whether the place of the segment that this lane asks for comes before `position`.
  HINDSIGHT_DEVICE bool ask() const {
    const std::size_t probe = low + (lane_index() + 1) * step() - 1;
    return probe < high && segments.place(probe) < position;
  }
  HINDSIGHT_DEVICE void narrow(bool is_before) {
    const std::size_t distance = step();
    low += __popc(__ballot_sync(all_lanes, is_before)) * distance;
    if (distance > 0) high = ::cuda::std::min(high, low + distance - 1);
  }

  /// A first step, which pays where there are many: lanes ask at distances of 1, 2, 4, ... before
  /// and behind the answer that segments of equal lengths would have.
  HINDSIGHT_DEVICE bool ask_near() const {
    const long long probe = probe_near(lane_index());
    if (probe < static_cast<long long>(low)) return true;
    return probe < static_cast<long long>(high) &&
           segments.place(static_cast<std::size_t>(probe)) < position;
  }
  HINDSIGHT_DEVICE void narrow_near(bool is_before) {
    const int count = __popc(__ballot_sync(all_lanes, is_before));
    const long long least = count > 0 ? probe_near(count - 1) + 1 : 0;
    const long long most = count < warp_lanes ? probe_near(count) : static_cast<long long>(high);
    low = ::cuda::std::max(low, static_cast<std::size_t>(::cuda::std::max(least, 0ll)));
    high = ::cuda::std::min(high, static_cast<std::size_t>(::cuda::std::max(most, 0ll)));
  }
  HINDSIGHT_DEVICE bool has_many() const { return high - low > many_segments; }
  HINDSIGHT_DEVICE void finish() {
    if (has_many()) narrow_near(ask_near());
    while (!is_done()) narrow(ask());
  }

 private:
  HINDSIGHT_DEVICE std::size_t step() const {
    return is_done() ? 0 : (high - low + warp_lanes - 1) / warp_lanes;
  }
  HINDSIGHT_DEVICE long long probe_near(int lane) const {
    const auto expected = static_cast<long long>(
        static_cast<double>(segments.merged.num_segments()) *
        (static_cast<double>(position) / static_cast<double>(segments.num_places())));
    return lane < 16 ? expected - (1ll << (15 - lane)) : expected + (1ll << (lane - 16)) - 1;
  }
};

/// Does two searches side by side, to their ends. Called by a full warp.
template <class Segments>
HINDSIGHT_DEVICE void search_both(segment_search<Segments>& first, segment_search<Segments>& last) {
  if (first.has_many() && last.has_many()) {
    const bool is_before_first = first.ask_near(), is_before_last = last.ask_near();
    first.narrow_near(is_before_first);
    last.narrow_near(is_before_last);
  }
  while (!first.is_done() || !last.is_done()) {
    const bool is_before_first = first.ask(), is_before_last = last.ask();
    first.narrow(is_before_first);
    last.narrow(is_before_last);
  }
}

/// How many ends are among the first `position` members, if that is in [low, high]. Called by a
/// full warp.
template <class OffsetIt>
HINDSIGHT_DEVICE std::size_t warp_count_ends(const merged_segments<OffsetIt>& merged,
                                             std::size_t position, std::size_t low,
                                             std::size_t high) {
  segment_search<segment_ends<OffsetIt>> search{{merged}, position};
  search.low = low;
  search.high = high;
  while (!search.is_done()) search.narrow(search.ask());
  return search.low;
}

/// Neighbours in the merged sequence: items [item, last_item) and the ends of segments [segment,
/// last_segment).
struct member_range {
  std::size_t segment, last_segment, item, last_item;
};

/// Members [begin, begin + count), as far as they exist. Called by a full warp.
template <class OffsetIt>
HINDSIGHT_DEVICE member_range find_members(std::size_t begin, std::size_t count,
                                           const merged_segments<OffsetIt>& merged) {
  const std::size_t end = ::cuda::std::min(begin + count, merged.total());
  segment_search<segment_ends<OffsetIt>> first{{merged}, begin}, last{{merged}, end};
  cuda::search_both(first, last);
  // Only offsets that decrease can make a difference here: no part ends before it begins.
  last.low = ::cuda::std::max(first.low, ::cuda::std::min(last.low, first.low + (end - begin)));
  return {first.low, last.low, begin - first.low, end - last.low};
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
