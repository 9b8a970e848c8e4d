// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and sums by key: how many blocks share a multiprocessor. The shape of a tile defines bits:
// order.h.
#pragma once

#include <hindsight/detail/tuning/architecture.h>
#include <hindsight/detail/tuning/order.h>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Threads that share a multiprocessor: sums by key; scans by key of up to 8 bytes of key and
/// value, and of more.
struct by_key_row {
  int sums, narrow_scans, wide_scans;
};
inline constexpr by_architecture<by_key_row> by_key_rows{/* sm_80 */ {1024, 1536, 1280},
                                                         /* sm_90 */ {1024, 1536, 1280},
                                                         /* sm_100 */ {1024, 1536, 1280},
                                                         /* other */ {1024, 1536, 1280}};

template <class Key, class Value>
struct reduce_by_key_tuning {
  static constexpr tile_shape shape = by_key_shape<Key, Value>();
  static constexpr int min_blocks =
      sizeof(Value) <= 8 ? row_of_binary(by_key_rows).sums / shape.block_threads() : 1;
  /// Slots of a pipeline's ring, as far as shared memory allows, and how many tiles there must be
  /// for each slot for a pipeline to be faster than a block for each tile.
  static constexpr int pipeline_slots = 16, pipeline_tiles_per_slot = 1;
};

template <class Key, class Value>
struct scan_by_key_tuning {
  static constexpr tile_shape shape = by_key_shape<Key, Value>();
  HINDSIGHT_HD static constexpr int choose_resident_threads() {
    if (sizeof(Value) > 8) return shape.block_threads();
    constexpr by_key_row row = row_of_binary(by_key_rows);
    return sizeof(Key) + sizeof(Value) <= 8 ? row.narrow_scans : row.wide_scans;
  }
  /// Blocks that share a multiprocessor: what the compiler must leave registers for.
  static constexpr int min_blocks = choose_resident_threads() / shape.block_threads();
  /// As reduce_by_key_tuning's.
  static constexpr int pipeline_slots = 16;
  static constexpr double pipeline_tiles_per_slot = 0.85;
};

/// A pipeline takes values of at least 4 bytes, and up to 12 with their keys. (A tile of 16 bytes
/// an item has too few items for what a squad spends on each tile.)
template <class Key, class Value>
inline constexpr bool by_key_suits_pipeline = sizeof(Value) >= 4 &&
                                              sizeof(Key) + sizeof(Value) <= 12;

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
