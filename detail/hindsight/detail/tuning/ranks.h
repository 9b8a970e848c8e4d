// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls over several ranks: sizes from which the work is cut finer.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_VERSION_ABI {

/// Sort: bits of the digit that says which rank gets a key.
inline constexpr int bucket_bits = 8;

/// Reductions in a fixed order: items that a thread reads before it folds the first of them. The
/// order, which defines bits, is in order.h.
inline constexpr std::size_t rank_items_at_once = 16;

/// Sort: what a rank sorts at a time, and exchanges at a time. No number here changes a result.
struct bucket_sort_tuning {
  /// Buckets that have so many keys or more on average are sorted one by one, smaller ones in
  /// groups.
  static constexpr std::size_t single_bucket_items = std::size_t{1} << 22;
  static constexpr std::size_t group_items = std::size_t{1} << 25;
  /// The exchange has a step for so many bytes of a shard. The sorts of one step's groups run
  /// beside the next step.
  static constexpr std::size_t step_bytes = std::size_t{1} << 26;
  static constexpr std::size_t most_steps = 16;
  /// A rank may get more than its shard, but at most an average shard / excess_divisor more. Else
  /// the ranks take the sort of merge_sort_shards().
  static constexpr std::size_t excess_divisor = 4;
  static constexpr std::size_t lanes = 3;  ///< groups that a GPU sorts side by side
};

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail
