// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of a radix sort, and of the sort of its segments, that are small enough for many of them.
#pragma once

#include <hindsight/detail/tuning/sort.h>

#include <type_traits>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// As the library's, with few items a lane; a block has a thread for each digit all the same.
template <class Value, int OneLaunchTiles = 0, int LaneItems = 2>
struct tiny_sort_tuning {
  static constexpr tiles size = tiles::large;
  static constexpr int digit_bits = 8;
  static constexpr int num_digits = 256;
  static constexpr int block_threads = 256;
  static constexpr bool has_values = !std::is_empty_v<Value>;
  static constexpr bool stages_values = sizeof(Value) <= 16;
  static constexpr int lane_items = LaneItems, row_step = 1;
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr int min_blocks = 1;
  static constexpr int few_tiles = LaneItems == 1 ? OneLaunchTiles : 100;
  static constexpr int one_launch_tiles = OneLaunchTiles;
  static constexpr int segment_blocks = 4;
  static constexpr int rows_ahead = 3;
  static constexpr bool takes_many_tiles = !has_values;
  static constexpr int pass_blocks = 2;
  static constexpr int few_digits = 0, few_digits_of_few_keys = 0;
  static constexpr std::size_t least_split = 0;
  static constexpr unsigned portion_tiles = 1u << 20;
  static constexpr std::size_t most_narrow_places = std::size_t(-1);
  static constexpr std::size_t least_by_value = 0;
  static constexpr std::size_t least_in_order = 1500;
  static constexpr int max_shared_bytes = 200 * 1024;
  static constexpr int histogram_blocks = 2;
  static constexpr int histogram_lane_items = 2;
  static constexpr int histogram_tile_items = block_threads * histogram_lane_items;
};

struct tiny_segment_tuning {
  static constexpr int digit_bits = 8;
  static constexpr int num_digits = 256;
  static constexpr int block_threads = 256;
  static constexpr int lane_items = 1;
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr int small_tile_items = 128;
  static constexpr int least_mean = 64;
  static constexpr int min_blocks = 1;
  static constexpr int window_bits = 24;
  static constexpr int most_tied = 3;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
