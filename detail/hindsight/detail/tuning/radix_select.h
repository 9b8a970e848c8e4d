// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections of the k lowest: threads of a block, digits of a round.
#pragma once

#include <hindsight/detail/tuning/architecture.h>

#include <cmath>
#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Threads that share a multiprocessor.
inline constexpr by_architecture<int> radix_select_rows{/* sm_80 */ 1024,
                                                        /* sm_90 */ 1024,
                                                        /* sm_100 */ 1024,
                                                        /* other */ 1024};

/// A block counts the digits of a round in shared memory.
struct radix_select_tuning {
  static constexpr int block_threads = 512, lane_items = 8;
  static constexpr int blocks = row_of_binary(radix_select_rows) / block_threads;
  static constexpr int digit_bits = 11, num_digits = 1 << digit_bits;
  static constexpr std::size_t tile_items = std::size_t{block_threads} * lane_items;
  /// Candidates are put on a list if there are at most n / list_part of them, or at most this many.
  /// An eighth of the floats that are spread evenly over [0, 1) have the same highest digit.
  static constexpr std::size_t list_part = 6, always_listed = 1 << 16;
  /// From so many items on a sample tells which are the lowest, if at most n / sampled_part of them
  /// are asked for. 16,384 reads by one block took 9 us, by 16 blocks 1.
  static constexpr int sample_threads = 1024, sample_blocks = 16, num_samples = 1 << 14;
  static constexpr std::size_t fewest_sampled = 1 << 16, sampled_part = 32;
  /// So many numbers at most are ranked, each by a comparison with all: 2,500 take 6 us, 6,000
  /// take 12 (of 16 bytes 30), where two more rounds take 16 to 22.
  static constexpr int rank_threads = 512, rank_tile = 1024;
  static constexpr unsigned most_ranked = 8192;
};

/// Which of the samples to ask for, from 1 on, so that hardly ever fewer than k of n items are
/// below it. The number of samples below the k-th lowest item is spread like its own square root.
template <class Tuning>
std::size_t sample_rank(std::size_t n, std::size_t k) {
  const double expected =
      static_cast<double>(k) / static_cast<double>(n) * static_cast<double>(Tuning::num_samples);
  return static_cast<std::size_t>(expected + 5 * std::sqrt(expected)) + 4;
}

/// Fewer items are sorted instead, and so are those of which more than n / selected_part are asked
/// for: the k lowest are sorted by their places, too. On the H200, in us, selection and sort: the
/// first 1,000 of 2^16 floats 21 and 26, of 64-bit integers 22 and 21; of 2^20 27 and 45, 29
/// and 62.
inline constexpr std::size_t fewest_selected = 1 << 16, selected_part = 32;

/// Numbers that a warp collects before it asks for places in global memory, since all warps ask one
/// counter: two of each lane, or one where numbers have 16 bytes.
template <class Number>
inline constexpr int collected_items = sizeof(Number) > 8 ? 32 : 64;

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
