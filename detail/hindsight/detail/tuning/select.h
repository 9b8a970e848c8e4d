// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/tuning/scan.h>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// A lane holds its items in registers and a bit for each in one word: at most 32.
template <class T>
struct select_tuning {
  HINDSIGHT_HD static constexpr tile_shape choose() {
    if (sizeof(T) <= 1) return {32, 16};
    if (sizeof(T) <= 4) return {32, 8};
    if (sizeof(T) <= 8) return {16, 8};
    if (sizeof(T) <= 16) return {8, 8};
    if (sizeof(T) <= 64) return {2, 8};
    if (sizeof(T) <= 256) return {1, 4};
    return {1, 2};
  }
  static constexpr tile_shape shape = choose();
  /// Blocks that share a multiprocessor: what the compiler must leave registers for. Three where 32
  /// items take a register each: with four, the compiler has too few and spills.
  static constexpr int min_blocks = (sizeof(T) == 4 ? 768 : 1024) / shape.block_threads();
};

/// As select_tuning; each item also has a 4-byte position in shared memory.
template <class T>
struct run_length_tuning {
  HINDSIGHT_HD static constexpr tile_shape choose() {
    if (sizeof(T) <= 4) return {16, 8};
    if (sizeof(T) <= 8) return {12, 8};
    if (sizeof(T) <= 16) return {8, 8};
    if (sizeof(T) <= 64) return {2, 8};
    if (sizeof(T) <= 256) return {1, 4};
    return {1, 2};
  }
  static constexpr tile_shape shape = choose();
  static constexpr int min_blocks = 1024 / shape.block_threads();
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
