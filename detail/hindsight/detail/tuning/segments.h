// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of segments: how many blocks share a multiprocessor. The shapes of tiles and
// the number of chunks define bits: order.h.
#pragma once

#include <hindsight/detail/tuning/architecture.h>
#include <hindsight/detail/tuning/order.h>

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Threads that share a multiprocessor: reductions, scans.
struct segment_row {
  int reductions, scans;
};
inline constexpr by_architecture<segment_row> segment_rows{/* sm_80 */ {1280, 1280},
                                                           /* sm_90 */ {1280, 1280},
                                                           /* sm_100 */ {1280, 1280},
                                                           /* other */ {1280, 1280}};

template <class T>
struct segment_reduce_tuning {
  static constexpr tile_shape shape = segment_shape<T>(64);
  static constexpr std::size_t most_chunks = most_segment_chunks;
  static constexpr int min_blocks =
      sizeof(T) <= 8 ? row_of_binary(segment_rows).reductions / shape.block_threads() : 1;
};

template <class T>
struct segment_scan_tuning {
  static constexpr tile_shape shape = segment_shape<T>(128);
  static constexpr int min_blocks =
      sizeof(T) <= 8 ? row_of_binary(segment_rows).scans / shape.block_threads() : 1;
};

}  // namespace HINDSIGHT_ARCH_ABI

/// Items and ends in a chunk of a reduction, of `total` in all.
template <class Tuning>
HINDSIGHT_HD constexpr std::size_t segment_chunk_items(std::size_t total) {
  constexpr std::size_t tile_items = Tuning::shape.tile_items();
  const std::size_t tiles = (total + tile_items - 1) / tile_items;
  const std::size_t chunk_tiles = (tiles + Tuning::most_chunks - 1) / Tuning::most_chunks;
  return (chunk_tiles > 0 ? chunk_tiles : 1) * tile_items;
}

}  // namespace hindsight::detail
