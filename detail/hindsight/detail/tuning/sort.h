// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/config.h>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

enum class tiles { small, medium, large };

/// One pass of the radix sort: a block ranks block_threads * lane_items keys by one digit. Few keys
/// take smaller tiles: a tile's time is that of one lane's keys, one by one.
template <class Key, class Value, tiles Size = tiles::large>
struct sort_tuning {
  static constexpr int digit_bits = 8;
  static constexpr int num_digits = 1 << digit_bits;
  static constexpr int block_threads = 256;

  /// Larger values are not staged in shared memory: each goes straight to its place.
  static constexpr bool stages_values = sizeof(Value) <= 16;

  HINDSIGHT_HD static constexpr int choose_lane_items() {
    constexpr int value_bytes = stages_values ? int(sizeof(Value)) : 0;
    constexpr int bytes = int(sizeof(Key)) > value_bytes ? int(sizeof(Key)) : value_bytes;
    if (Size == tiles::small) return bytes <= 4 ? 8 : 4;
    if (Size == tiles::medium) return bytes <= 4 ? 16 : 8;
    if (bytes <= 4) return value_bytes == 4 ? 28 : 32;
    return bytes <= 8 ? 20 : 8;
  }
  static constexpr int lane_items = choose_lane_items();
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr int min_blocks = 3;
  /// Up to this many small tiles keep more multiprocessors busy than a quarter as many large ones.
  static constexpr int few_tiles = 128;
  static constexpr int rows_ahead = 4;  ///< of the look-back board, read at once

  static constexpr int histogram_blocks = 6;  ///< per multiprocessor
  static constexpr int histogram_lane_items = sizeof(Key) >= 16 ? 4 : 16;
  static constexpr int histogram_tile_items = block_threads * histogram_lane_items;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
