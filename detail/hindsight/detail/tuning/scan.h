// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans: how many blocks share a multiprocessor. The shape of a tile defines bits: order.h.
#pragma once

#include <hindsight/detail/tuning/architecture.h>
#include <hindsight/detail/tuning/look_back.h>
#include <hindsight/detail/tuning/order.h>

#include <cuda/std/functional>

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Threads that share a multiprocessor, for items of 4 bytes, of up to 8, of up to 16.
struct scan_row {
  int of_4, up_to_8, up_to_16;
};
inline constexpr by_architecture<scan_row> scan_rows{/* sm_80 */ {1280, 1536, 1024},
                                                     /* sm_90 */ {1280, 1536, 1024},
                                                     /* sm_100 */ {1280, 1536, 1024},
                                                     /* other */ {1280, 1536, 1024}};

template <class T>
struct scan_tuning {
  static constexpr tile_shape shape = scan_shape<T>();
  HINDSIGHT_HD static constexpr int choose_resident_threads() {
    constexpr scan_row row = row_of_binary(scan_rows);
    if (sizeof(T) == 4) return row.of_4;
    if (sizeof(T) <= 8) return row.up_to_8;
    if (sizeof(T) <= 16) return row.up_to_16;
    return shape.block_threads();
  }
  /// Blocks that share a multiprocessor: what the compiler must leave registers for.
  static constexpr int min_blocks = choose_resident_threads() / shape.block_threads();
  /// Slots of a pipeline's ring, as far as shared memory allows, and how many tiles there must be
  /// for each slot for a pipeline to be faster than a block for each tile.
  static constexpr int pipeline_slots = 16, pipeline_tiles_per_slot = 1;
};

/// Up to so many tiles a scan has no scout: they have room on an H200 at a time, so all aggregates
/// arrive at about the same time.
template <class T, class Tuning = scan_tuning<T>>
inline constexpr std::size_t own_scan_tiles =
    ::cuda::std::min<std::size_t>(132 * Tuning::min_blocks, most_own_windows<T>* window_tiles);

/// Few tiles are shared by several blocks, so that more multiprocessors load and fold.
template <class T>
struct scan_parts_tuning {
  static constexpr tile_shape shape = scan_tuning<T>::shape;
  /// From two to this many tiles are shared, 0: none. The board of so many fits in zeroed memory
  /// (zeroed_memory.h). All tiles of such items have 8 warps, but in tests.
  static constexpr int most_tiles = shape.warps < 8   ? 0
                                    : sizeof(T) <= 8  ? 32
                                    : sizeof(T) <= 16 ? 16
                                                      : 0;
  /// Warps of a block: they divide a tile's.
  static constexpr int warps = 2;
  /// Items that a lane reads before it uses the first of them: more than in a block of eight warps,
  /// which has fewer registers for each.
  static constexpr int at_once = shape.lane_items < 16 ? shape.lane_items : 16;
};

/// A pipeline scans items of 4 or 8 bytes. (Smaller ones are bound by instructions, and a pipeline
/// has fewer warps for them.)
template <class T>
inline constexpr bool scan_suits_pipeline = sizeof(T) == 4 || sizeof(T) == 8;

}  // namespace HINDSIGHT_ARCH_ABI

}  // namespace hindsight::detail
