// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {

/// Shape of a tile, and with it the order in which a floating-point scan adds: host threads and
/// CUDA blocks both follow it, so it depends on the size of T alone. A tile is `warps` runs of 32
/// lanes, and a lane owns `lane_items` neighbouring items.
struct tile_shape {
  int lane_items;
  int warps;
  HINDSIGHT_HD constexpr int warp_items() const { return 32 * lane_items; }
  HINDSIGHT_HD constexpr int tile_items() const { return warps * warp_items(); }
  HINDSIGHT_HD constexpr int block_threads() const { return warps * 32; }
};

/// Whether a lane folds its own items first and puts what precedes it before each of these folds:
/// then a floating-point sum is rounded once at the size of what precedes, and not once per item.
/// Integers are exact either way, and save the second operation.
template <class T>
inline constexpr bool folds_own_first = !std::is_integral_v<T>;

/// Lanes of about 128 bytes (64 for single bytes, whose items are bound by instructions).
template <class T>
HINDSIGHT_HD constexpr tile_shape scan_shape() {
  if (sizeof(T) == 1) return {64, 8};
  if (sizeof(T) == 2) return {64, 8};
  if (sizeof(T) <= 4) return {32, 8};
  if (sizeof(T) <= 8) return {16, 8};
  if (sizeof(T) <= 16) return {8, 8};
  if (sizeof(T) <= 64) return {4, 4};
  return {1, 2};
}

inline namespace HINDSIGHT_ARCH_ABI {
template <class T>
struct scan_tuning {
  static constexpr tile_shape shape = scan_shape<T>();
  /// Blocks that share a multiprocessor: shared memory allows six, so must the registers.
  static constexpr int min_blocks = sizeof(T) <= 8 ? 1536 / shape.block_threads() : 1;
};
}  // namespace HINDSIGHT_ARCH_ABI

}  // namespace hindsight::detail
