// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which items of a tile begin a segment, for scans: as bits, which the segments' offsets mark.
#pragma once

#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/tuning/loads.h>
#include <hindsight/detail/tuning/segments.h>

#include <cuda/std/functional>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Segments [first, last).
struct segment_span {
  std::size_t first, last;
};

/// The segments that begin at items [begin, end), empty ones included. Called by a full warp.
template <class OffsetIt>
HINDSIGHT_DEVICE segment_span find_segments(std::size_t begin, std::size_t end,
                                            const merged_segments<OffsetIt>& merged) {
  segment_search<segment_begins<OffsetIt>> first{{merged}, begin}, last{{merged}, end};
  cuda::search_both(first, last);
  return {first.low, last.low};
}

/// The first of the segments [low, high) that does not begin before `item`, or `high`. Called by a
/// thread.
template <class OffsetIt>
HINDSIGHT_DEVICE std::size_t first_not_before(const merged_segments<OffsetIt>& merged,
                                              std::size_t low, std::size_t high, std::size_t item) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (merged.begin(middle) < item) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// A bit for each item of a tile, set where a segment begins. If too many segments begin in a tile,
/// and so most of them are empty, no bit is set. Then each lane searches the offsets for its items.
template <int TileItems>
class segment_heads {
 public:
  /// Called by `num_threads` threads. A barrier among them has to follow.
  HINDSIGHT_DEVICE void clear(int thread, int num_threads) {
    HINDSIGHT_ROLL
    for (int w = thread; w <= num_words; w += num_threads) words_[w] = 0;
  }
  /// Called by the same threads after that barrier. Another one has to follow, among them and the
  /// threads that read the bits.
  ///   own    the segments that begin in the tile
  ///   begin  the tile's first item
  template <class OffsetIt>
  HINDSIGHT_DEVICE void mark(const merged_segments<OffsetIt>& merged, const segment_span& own,
                             std::size_t begin, int thread, int num_threads) {
    if (thread == 0) set_span(own);
    if (are_too_many(own)) return;
    for (std::size_t s = own.first; s < own.last; s += std::size_t(num_threads) * marked_at_once) {
      int items[marked_at_once];  // all are read before the first one is marked
      HINDSIGHT_UNROLL
      for (int j = 0; j < marked_at_once; ++j) {
        const std::size_t each = s + std::size_t(j) * num_threads + thread;
        items[j] = each < own.last ? static_cast<int>(merged.begin(each) - begin) : -1;
      }
      HINDSIGHT_UNROLL
      for (int j = 0; j < marked_at_once; ++j) {
        if (unsigned(items[j]) < unsigned(TileItems)) mark_item(items[j]);
      }
    }
  }

  /// The two parts of mark(), for a caller that knows that the segments are not too many.
  HINDSIGHT_DEVICE void set_span(const segment_span& own) { own_ = own; }
  HINDSIGHT_DEVICE void mark_item(int item) { atomicOr(&words_[item / 32], 1u << item % 32); }

  /// Bit i: whether a segment begins at item i of this lane, whose first one is item `at` of the
  /// tile.
  template <int LaneItems, class OffsetIt>
  HINDSIGHT_DEVICE unsigned of_lane(const merged_segments<OffsetIt>& merged, std::size_t begin,
                                    int at) const {
    static_assert(LaneItems < 32, "a word has them all");
    if (are_too_many(own_)) return search<LaneItems>(merged, begin + at);
    const unsigned low = words_[at / 32], high = words_[at / 32 + 1];
    return __funnelshift_r(low, high, at % 32) & ((1u << LaneItems) - 1);
  }

 private:
  static constexpr int num_words = TileItems / 32;
  static_assert(TileItems % 32 == 0, "a tile begins with a word");

  static HINDSIGHT_DEVICE bool are_too_many(const segment_span& own) {
    return own.last - own.first > crowded_segments_per_item * TileItems;
  }
  template <int LaneItems, class OffsetIt>
  HINDSIGHT_DEVICE unsigned search(const merged_segments<OffsetIt>& merged,
                                   std::size_t item) const {
    unsigned bits = 0;
    std::size_t s = own_.first;
    HINDSIGHT_ROLL
    for (int i = 0; i < LaneItems; ++i) {
      std::size_t reach = 1;  // the next one is mostly near
      while (s + reach < own_.last && merged.begin(s + reach) < item + i) reach *= 2;
      s = cuda::first_not_before(merged, s, ::cuda::std::min(s + reach, own_.last), item + i);
      if (s == own_.last) break;
      if (merged.begin(s) == item + i) bits |= 1u << i;
    }
    return bits;
  }

  segment_span own_;
  unsigned words_[num_words + 1];
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
