// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items and the ends of their segments as one sequence, which is cut into equal parts. So the time
// depends only on the number of items and segments, and not on which segments are long.
// Source: Odeh, Green, Mwassi, Shmueli & Birk 2012, "Merge Path"; Merrill & Garland 2016,
// "Merge-based Parallel Sparse Matrix-Vector Multiplication".
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight::detail {

/// Segment s has the items [begin(s), end(s)), counted from the first segment's first item on. In
/// the merged sequence its end follows the items and the ends that lie before it.
///   offsets  [num_segments + 1], not decreasing
template <class OffsetIt>
class merged_segments {
 public:
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD merged_segments(OffsetIt offsets, std::size_t num_segments)
      : offsets_{offsets},
        num_segments_{num_segments},
        first_{static_cast<std::size_t>(offsets[0])} {}

  HINDSIGHT_HD std::size_t num_segments() const { return num_segments_; }
  /// Where the first segment begins.
  HINDSIGHT_HD std::size_t first() const { return first_; }
  HINDSIGHT_HD std::size_t num_items() const { return begin(num_segments_); }
  HINDSIGHT_HD std::size_t total() const { return num_items() + num_segments_; }
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD std::size_t begin(std::size_t s) const {
    return static_cast<std::size_t>(offsets_[s]) - first_;
  }
  HINDSIGHT_HD std::size_t end(std::size_t s) const { return begin(s + 1); }
  /// How many items and ends precede the end of s.
  HINDSIGHT_HD std::size_t position_of_end(std::size_t s) const { return end(s) + s; }

  /// The number of ends among the first `position` members lies in [fewest, most].
  HINDSIGHT_HD std::size_t fewest_ends(std::size_t position) const {
    return position > num_items() ? position - num_items() : 0;
  }
  HINDSIGHT_HD std::size_t most_ends(std::size_t position) const {
    return position < num_segments_ ? position : num_segments_;
  }

 private:
  OffsetIt offsets_;
  std::size_t num_segments_, first_;
};

/// Neighbours in the merged sequence: items [item, item + num_items) and the ends of segments
/// [segment, segment + num_ends).
struct segment_part {
  std::size_t segment, item;
  int num_items, num_ends;
};

}  // namespace hindsight::detail
