// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections of the k lowest: threads of a block, digits of a round.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// A block counts the digits of a round in shared memory.
struct radix_select_tuning {
  static constexpr int block_threads = 512, lane_items = 8;
  static constexpr int blocks = 2;  ///< of a multiprocessor
  static constexpr int digit_bits = 11, num_digits = 1 << digit_bits;
  static constexpr std::size_t tile_items = std::size_t{block_threads} * lane_items;
  /// Candidates are put on a list if there are at most n / list_part of them, or at most this many.
  static constexpr std::size_t list_part = 8, always_listed = 1 << 16;
};

/// Fewer items are sorted instead, and so are those of which more than n / selected_part are asked
/// for: the k lowest are sorted by their places, too.
inline constexpr std::size_t fewest_selected = 1 << 16, selected_part = 32;

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
