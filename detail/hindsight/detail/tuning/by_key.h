// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/tuning/scan.h>

namespace hindsight::detail {

/// Tiles of keys and values, and with them the order in which values are folded: host threads and
/// CUDA blocks both follow it. A lane has about 128 bytes of both together.
template <class Key, class Value>
HINDSIGHT_HD constexpr tile_shape by_key_shape() {
  constexpr int bytes = int(sizeof(Key) + sizeof(Value));
  if (bytes <= 8) return {16, 8};
  if (bytes <= 12) return {12, 8};
  if (bytes <= 16) return {8, 8};
  if (bytes <= 32) return {4, 8};
  if (bytes <= 64) return {2, 8};
  if (bytes <= 512) return {1, 2};
  return {1, 1};
}

inline namespace HINDSIGHT_ARCH_ABI {

template <class Key, class Value>
struct reduce_by_key_tuning {
  static constexpr tile_shape shape = by_key_shape<Key, Value>();
  static constexpr int min_blocks = sizeof(Value) <= 8 ? 1024 / shape.block_threads() : 1;
};

template <class Key, class Value>
struct scan_by_key_tuning {
  static constexpr tile_shape shape = by_key_shape<Key, Value>();
  HINDSIGHT_HD static constexpr int choose_resident_threads() {
    if (sizeof(Value) > 8) return shape.block_threads();
    return sizeof(Key) + sizeof(Value) <= 8 ? 1536 : 1280;
  }
  /// Blocks that share a multiprocessor: what the compiler must leave registers for.
  static constexpr int min_blocks = choose_resident_threads() / shape.block_threads();
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
