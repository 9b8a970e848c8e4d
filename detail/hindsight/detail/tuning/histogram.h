// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms: threads, loads in flight, and shared memory for counters.
#pragma once

#include <hindsight/detail/tuning/architecture.h>

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// What the shared memory of a multiprocessor decides.
struct histogram_row {
  int copies_bytes, max_shared_bytes;
};
inline constexpr by_architecture<histogram_row> histogram_rows{/* sm_80 */ {40 * 1024, 200 * 1024},
                                                               /* sm_90 */ {40 * 1024, 200 * 1024},
                                                               /* sm_100 */ {40 * 1024, 200 * 1024},
                                                               /* other */ {40 * 1024, 200 * 1024}};

struct histogram_tuning {
  static constexpr int block_threads = 512;
  static constexpr int blocks = 4;        ///< per multiprocessor, as far as shared memory allows
  static constexpr int lane_vectors = 2;  ///< 16-byte loads in flight per thread
  /// So many samples for each thread are enough for a block, where all multiprocessors have one.
  template <class Sample>
  static constexpr int least_lane_samples = sizeof(Sample) <= 4 ? 16 : 8;
  /// A block counts in shared memory, in as many copies as fit in so many bytes: fewer threads then
  /// add to the same counter.
  static constexpr int copies_bytes = row_of_binary(histogram_rows).copies_bytes;
  /// The most shared memory of a block; less, if the device has less.
  static constexpr int max_shared_bytes = row_of_binary(histogram_rows).max_shared_bytes;
  /// From so many samples on a guide to the levels pays for being built.
  static constexpr std::size_t guided_samples = std::size_t{1} << 20;
  /// From so many samples on, two blocks look at each sample and count half of the bins each, where
  /// shared memory does not hold all bins.
  static constexpr std::size_t samples_in_parts = std::size_t{1} << 23;
  static constexpr int guide_cells_per_bin = 4;  ///< mostly one level or none lies in a cell
  /// Bins of so many bytes of samples are searched together: more of them take too many registers.
  static constexpr int searched_bytes = 16;
  static constexpr int cache_slots = 8192;  ///< counters of the cache that serves beyond that
  /// A block of the launch clears so many bins at most; more have a memset.
  static constexpr int most_bins_cleared_beside = 1 << 16;
  /// Levels from the host travel in the arguments of launches: bytes in one launch.
  static constexpr int level_chunk_bytes = 2048;
};

/// One block has all shared memory of a multiprocessor.
struct histogram_parts_tuning : histogram_tuning {
  static constexpr int block_threads = 1024, blocks = 1;
};

/// Samples of one byte. Fewer blocks clear and add fewer counters: a block has 256 for each lane.
struct histogram_bytes_tuning : histogram_tuning {
  static constexpr int block_threads = 1024, blocks = 1, lane_vectors = 4;
  template <class Sample>
  static constexpr int least_lane_samples = 8;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
