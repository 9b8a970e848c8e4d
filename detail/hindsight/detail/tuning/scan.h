// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight::detail {

/// Shape of a scan tile, and with it the order in which a floating-point scan adds: host threads
/// and CUDA blocks both follow it, so it depends on the size of T alone. A tile is `warps` runs of
/// `rounds` rows; a row is 32 lanes of `vector` neighbouring items.
struct scan_shape {
  int vector;
  int rounds;
  int warps;
  HINDSIGHT_HD constexpr int row_items() const { return 32 * vector; }
  HINDSIGHT_HD constexpr int warp_items() const { return rounds * row_items(); }
  HINDSIGHT_HD constexpr int tile_items() const { return warps * warp_items(); }
  HINDSIGHT_HD constexpr int block_threads() const { return warps * 32; }
};

template <class T>
HINDSIGHT_HD constexpr scan_shape scan_shape_of() {
  if (sizeof(T) == 1) return {16, 4, 8};
  if (sizeof(T) == 2) return {8, 8, 8};
  if (sizeof(T) <= 4) return {4, 8, 8};
  if (sizeof(T) <= 8) return {2, 8, 8};
  if (sizeof(T) <= 16) return {1, 8, 8};
  return {1, 4, 4};
}

inline namespace HINDSIGHT_ARCH_ABI {
template <class T>
struct scan_tuning {
  static constexpr scan_shape shape = scan_shape_of<T>();
};
}  // namespace HINDSIGHT_ARCH_ABI

}  // namespace hindsight::detail
