// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections of the k lowest: threads of a block, digits of a round.
#pragma once

#include <hindsight/detail/tuning/architecture.h>

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
  /// are asked for. One block reads it.
  static constexpr int sample_threads = 1024, num_samples = 16 * sample_threads;
  static constexpr std::size_t fewest_sampled = 1 << 23, sampled_part = 64;
};

/// Which of the samples to ask for, from 1 on, so that hardly ever fewer than k of n items are
/// below it. The number of samples below the k-th lowest item is spread like its own square root.
template <class Tuning>
std::size_t sample_rank(std::size_t n, std::size_t k) {
  const double expected =
      static_cast<double>(k) / static_cast<double>(n) * static_cast<double>(Tuning::num_samples);
  double root = 1;
  while (root * root < expected) root *= 2;
  return static_cast<std::size_t>(expected + 5 * root) + 16;
}

/// Fewer items are sorted instead, and so are those of which more than n / selected_part are asked
/// for: the k lowest are sorted by their places, too. On the H200, in us, selection and sort: the
/// first 1,000 of 2^20 floats 75 and 56, of 2^22 97 and 132; of 64-bit integers 95 and 76, 110 and
/// 193.
inline constexpr std::size_t fewest_selected = 1 << 21, selected_part = 32;

/// Numbers that a warp collects before it asks for places in global memory, since all warps ask one
/// counter: two of each lane, or one where numbers have 16 bytes.
template <class Number>
inline constexpr int collected_items = sizeof(Number) > 8 ? 32 : 64;

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
