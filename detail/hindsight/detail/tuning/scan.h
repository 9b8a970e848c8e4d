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

/// A lane folds its items in chains of this many, then chain after chain. What a chain of n sums of
/// similar items rounds away grows with n * n, so short ones keep the tile's aggregate exact.
/// Integers are exact in one chain, which is faster.
template <class T>
inline constexpr int chain_items = std::is_integral_v<T> ? 64 : 8;

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
  HINDSIGHT_HD static constexpr int choose_resident_threads() {
    if (sizeof(T) == 4) return 1280;
    if (sizeof(T) <= 8) return 1536;
    if (sizeof(T) <= 16) return 1024;
    return shape.block_threads();
  }
  /// Blocks that share a multiprocessor: what the compiler must leave registers for.
  static constexpr int min_blocks = choose_resident_threads() / shape.block_threads();
};
}  // namespace HINDSIGHT_ARCH_ABI

}  // namespace hindsight::detail
