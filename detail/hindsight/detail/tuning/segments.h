// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/tuning/scan.h>

#include <cstddef>

namespace hindsight::detail {

/// Tiles of the merged sequence of items and ends of segments, and with them the order in which
/// items are folded: host threads and CUDA blocks both follow it. A lane has so many bytes of items.
template <class T>
HINDSIGHT_HD constexpr tile_shape segment_shape(int lane_bytes) {
  if (sizeof(T) <= 4) return {lane_bytes / 4, 8};
  if (sizeof(T) <= 8) return {lane_bytes / 8, 8};
  if (sizeof(T) <= 16) return {lane_bytes / 16, 8};
  if (sizeof(T) <= 64) return {2, 8};
  return {1, 2};
}

inline namespace HINDSIGHT_ARCH_ABI {

template <class T>
struct segment_reduce_tuning {
  static constexpr tile_shape shape = segment_shape<T>(64);
  /// Blocks that share a multiprocessor: what the compiler must leave registers for.
  static constexpr int min_blocks = sizeof(T) <= 8 ? 1280 / shape.block_threads() : 1;
  /// A reduction cuts the merged sequence into at most so many chunks, each of whole tiles: so the
  /// number of items need not be known where the kernel is launched.
  static constexpr std::size_t most_chunks = 2048;
};

template <class T>
struct segment_scan_tuning {
  static constexpr tile_shape shape = segment_shape<T>(128);
  static constexpr int min_blocks = sizeof(T) <= 8 ? 1280 / shape.block_threads() : 1;
};

}  // namespace HINDSIGHT_ARCH_ABI

/// Members of the merged sequence in a chunk of a reduction, of `total` in all.
template <class Tuning>
HINDSIGHT_HD constexpr std::size_t segment_chunk_items(std::size_t total) {
  constexpr std::size_t tile_items = Tuning::shape.tile_items();
  const std::size_t tiles = (total + tile_items - 1) / tile_items;
  const std::size_t chunk_tiles = (tiles + Tuning::most_chunks - 1) / Tuning::most_chunks;
  return (chunk_tiles > 0 ? chunk_tiles : 1) * tile_items;
}

}  // namespace hindsight::detail
