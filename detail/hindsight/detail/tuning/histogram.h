// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/config.h>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

struct histogram_tuning {
  static constexpr int block_threads = 512;
  static constexpr int blocks = 4;        ///< per multiprocessor, as far as shared memory allows
  static constexpr int lane_vectors = 2;  ///< 16-byte loads in flight per thread
  /// A block counts in shared memory, in several copies where they fit: fewer threads then meet in
  /// one counter.
  static constexpr int copies_bytes = 40 * 1024;
  static constexpr int max_shared_bytes = 200 * 1024;  ///< or what the device has, if that is less
  static constexpr int cache_slots = 8192;  ///< counters of the cache that serves beyond that
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
