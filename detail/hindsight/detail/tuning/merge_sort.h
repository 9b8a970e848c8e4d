// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sorts: items of a thread and blocks of a multiprocessor.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Merge sort: a block sorts a tile, or merges one from two runs. A thread's number of items is
/// odd, so that neighbours' items at the same place lie in different banks of shared memory.
template <class Key, class Value>
struct merge_sort_tuning {
  static constexpr bool has_values = !std::is_empty_v<Value>;
  HINDSIGHT_HD static constexpr int choose_lane_items() {
    if (sizeof(Key) <= 4) return 17;
    if (sizeof(Key) <= 8) return 11;
    return 9;
  }
  static constexpr int block_threads = has_values || sizeof(Key) > 8 ? 256 : 512;
  static constexpr int lane_items = choose_lane_items();
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr int sort_blocks = 1024 / block_threads;  ///< that share a multiprocessor
  static constexpr int merge_threads = block_threads;
  static constexpr int merge_lane_items = lane_items;
  static constexpr int merge_tile_items = merge_threads * merge_lane_items;
  static constexpr int merge_blocks = 1536 / merge_threads;
  /// Up to this many tiles a block searches its part of the two runs itself: a kernel that does it
  /// for all of them would take longer to start.
  static constexpr int few_tiles = 1024;
};

/// Larger keys and values stay where they are while their indices are sorted, and move once.
inline constexpr std::size_t most_merged_key_bytes = 16;
inline constexpr std::size_t most_merged_value_bytes = 8;

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
