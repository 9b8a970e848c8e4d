// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items and the ends of their segments as one sequence, which is cut into equal parts. So the time
// depends only on the number of items and segments, and not on which segments are long.
// Source: Odeh, Green, Mwassi, Shmueli & Birk 2012, "Merge Path"; Merrill & Garland 2016,
// "Merge-based Parallel Sparse Matrix-Vector Multiplication".
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {

/// Segment s has the items [begin(s), end(s)), counted from the first segment's first item on. In
/// the merged sequence its end follows the items and the ends that lie before it.
///   offsets   [num_segments + 1], not decreasing. (Of others, the GPU's reductions and scans make
///             any results. But they end, and access no item behind the last offset.)
///   Position  counts the members of the sequence
template <class OffsetIt, class Position = std::size_t>
class merged_segments {
 public:
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD merged_segments(OffsetIt offsets, Position num_segments)
      : offsets_{offsets}, num_segments_{num_segments}, first_{static_cast<Position>(offsets[0])} {}

  HINDSIGHT_HD Position num_segments() const { return num_segments_; }
  /// Where the first segment begins.
  HINDSIGHT_HD Position first() const { return first_; }
  /// Where an item is in the input. Offsets may be negative; of 32 bits they are ints.
  HINDSIGHT_HD std::ptrdiff_t place_of(Position item) const {
    const Position place = first_ + item;
    if constexpr (sizeof(Position) == sizeof(int)) return static_cast<int>(place);
    return static_cast<std::ptrdiff_t>(place);
  }
  HINDSIGHT_HD Position num_items() const {
    const Position n = begin(num_segments_);
    return n <= ~Position{0} / 2 ? n : 0;  // none, if the last offset is less than the first
  }
  HINDSIGHT_HD Position total() const { return num_items() + num_segments_; }
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD Position begin(Position s) const {
    return static_cast<Position>(offsets_[s]) - first_;
  }
  HINDSIGHT_HD Position end(Position s) const { return begin(s + 1); }
  /// Whether s ends before it begins.
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD bool decreases(Position s) const {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(offsets_[s])>>)
      return offsets_[s + 1] < offsets_[s];  // as they are: the compiler takes several at a time
    return end(s) < begin(s);
  }
  /// How many items and ends precede the end of s.
  HINDSIGHT_HD Position position_of_end(Position s) const { return end(s) + s; }

  /// The number of ends among the first `position` members lies in [fewest, most].
  HINDSIGHT_HD Position fewest_ends(Position position) const {
    return position > num_items() ? position - num_items() : 0;
  }
  HINDSIGHT_HD Position most_ends(Position position) const {
    return position < num_segments_ ? position : num_segments_;
  }

 private:
  OffsetIt offsets_;
  Position num_segments_, first_;
};

/// Neighbours in the merged sequence: items [item, item + num_items) and the ends of segments
/// [segment, segment + num_ends).
struct segment_part {
  std::size_t segment, item;
  int num_items, num_ends;
};

}  // namespace hindsight::detail
