// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls over several ranks: sizes from which the work is cut finer.
#pragma once

#include <cstddef>

namespace hindsight::detail {

/// Sort: bits of the digit that says which rank gets a key.
inline constexpr int bucket_bits = 8;

/// Sort: what a rank sorts at a time, and exchanges at a time. No number here changes a result.
struct bucket_sort_tuning {
  /// Buckets of so many keys on average are sorted one by one, smaller ones in groups.
  static constexpr std::size_t single_bucket_items = std::size_t{1} << 22;
  static constexpr std::size_t group_items = std::size_t{1} << 25;
  /// Bytes of a shard for each step of the exchange: sorts of a step run beside the next one's.
  static constexpr std::size_t step_bytes = std::size_t{1} << 26;
  static constexpr std::size_t most_steps = 16;
  /// A rank gets at most this part of an average shard in excess; else splitters cut the keys.
  static constexpr std::size_t excess_divisor = 4;
  static constexpr std::size_t lanes = 3;  ///< groups that a GPU sorts side by side
};

}  // namespace hindsight::detail
