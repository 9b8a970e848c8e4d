// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a sort of keys of 4 or more bytes is split into segments, whose keys agree in their highest
// bits, and where these begin.
#pragma once

#include <hindsight/detail/board/word.h>
#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/cuda/value_digits.cuh>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/tuning/sort.h>

#include <cuda/std/bit>
#include <cuda/std/functional>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// How a sort of n keys is split into segments. If all digits are equally frequent, each segment
/// fits a block. A larger one is sorted in several pieces (large_segment_sort.cuh): up to
/// most_pieces, fewer where the GPU would wait for one block.
struct segment_split {
  int num_passes = 0;  ///< over the highest digits; 0: not split
  int bits = 0;        ///< how many of a key's highest bits name its segment
  int most_pieces = 1;
  skew_test test{};  ///< segments of keys that fail it are too large

  static constexpr int most_samples = value_sample_tuning::samples;
  /// How many keys so many passes split.
  template <class Tuning>
  static constexpr std::size_t most_keys(int passes) {
    return static_cast<std::size_t>(Tuning::tile_items * segment_fill *
                                    (1 << passes * Tuning::digit_bits));
  }

  segment_split() = default;
  template <class Key, class Tuning>
  static segment_split of(std::size_t n) {
    return {n, Tuning::tile_items, Tuning::digit_bits, is_wide_key<Key> ? 0 : Tuning::least_mean};
  }
  /// capacity: keys that fit a block. After one pass its whole digit names a segment. After
  /// several, as few bits as possible do; of narrow keys all bits that the passes sort by, if
  /// segments then have at least least_mean keys on average. For wide keys least_mean is 0.
  segment_split(std::size_t n, int capacity, int digit_bits, int least_mean = 0) {
    const double keys = double(n), most_of_segment = capacity * segment_fill;
    const double digits = double(1 << digit_bits);
    num_passes = keys <= most_of_segment * digits            ? 1
                 : keys <= most_of_segment * digits * digits ? 2
                                                             : 3;
    const int sorted_bits = num_passes * digit_bits;
    bits = num_passes == 1 ? sorted_bits : 0;
    if (least_mean > 0 && std::ldexp(keys, -sorted_bits) >= least_mean) bits = sorted_bits;
    while (bits < sorted_bits && std::ldexp(keys, -bits) > most_of_segment) ++bits;
    const double mean = std::ldexp(keys, -bits);
    if (mean > most_of_segment) num_passes = 0;
    if (num_passes == 1) test.most_of_lowest = std::uint64_t(capacity);
    if (num_passes < 2) return;
    most_pieces = static_cast<int>(
        between(num_segments() / limits::segments_per_piece, 1, limits::most_pieces));
    if (least_mean == 0) {
      limit_skew_of_wide_keys(capacity, mean, keys / digits, sorted_bits - bits);
    } else {
      limit_skew_of_narrow_keys(capacity, mean, keys / digits);
    }
  }

 private:
  using limits = large_segment_tuning;

  void limit_skew_of_wide_keys(double capacity, double mean, double mean_of_digit, int bits_below) {
    const double skew_that_fits = capacity / mean;
    const double most_skew = bits_below > 0 ? limits::most_skew : limits::most_skew_without_bits;
    test = test_of(
        ::cuda::std::min(bits, int{skew_test::max_bits}),
        ::cuda::std::max(skew_that_fits,
                         between(num_segments() / limits::segments_per_skew, 0, most_skew)));
    // If no digit is more frequent than this, and digits are independent, each segment fits.
    const double most =
        mean_of_digit * between(std::pow(skew_that_fits, 1.0 / num_passes), 1, most_digit_share);
    test.most_of_lowest =
        std::uint64_t(::cuda::std::max(most, most_of_lowest_digit(capacity, mean_of_digit)));
    test.most_of_digit = std::uint64_t(::cuda::std::max(most, mean_of_digit * most_pieces));
  }
  /// Merges cost more than the one pass that narrow keys save, so few keys may need them.
  void limit_skew_of_narrow_keys(double capacity, double mean, double mean_of_digit) {
    const double skew_that_fits = capacity / mean;
    test = test_of(::cuda::std::min(bits, int{skew_test::max_bits_of_narrow_keys}), skew_that_fits);
    test.most_of_lowest = std::uint64_t(most_of_lowest_digit(capacity, mean_of_digit));
    test.most_of_digit =
        std::uint64_t(mean_of_digit * between(skew_that_fits, 1, most_digit_share));
  }
  /// The lowest of the digits shows keys that are concentrated in one segment: it is even where
  /// keys have a smooth density. Pieces of such a segment have to be merged, so the limit is lower
  /// than for the other digits.
  double most_of_lowest_digit(double capacity, double mean_of_digit) const {
    return mean_of_digit + capacity * between(num_segments() / limits::segments_per_merged_piece, 0,
                                              limits::most_merged_pieces);
  }

  double num_segments() const { return std::ldexp(1.0, bits); }
  static double between(double x, double least, double most) {
    return x < least ? least : x > most ? most : x;
  }
  /// A test that keys with this skew pass: of their samples, 1 in 10,000 fails by chance.
  static skew_test test_of(int segment_bits, double skew) {
    const double segments = std::ldexp(1.0, segment_bits);
    const double samples = segments < most_samples ? segments : most_samples;
    // Keys with this skew collide as often as keys spread evenly over so many segments.
    const double even_segments = segments / skew;
    const double collisions = samples - even_segments * (1 - std::exp(-samples / even_segments));
    const double most = collisions + limits::skew_deviations * std::sqrt(collisions);
    return {segment_bits, static_cast<unsigned>(samples), static_cast<unsigned>(most), 0, 0};
  }
};

/// The segment of a key as passes leave it: its `bits` highest bits below end_bit, or those of its
/// value's code.
template <class Direction, class Key>
struct segment_of_key {
  const sort_plan* plan;
  int end_bit, bits;
  HINDSIGHT_DEVICE unsigned operator()(const Key& key) const {
    const auto in_pass = ::cuda::std::bit_cast<unsigned_bits_t<Key>>(key);
    if constexpr (has_value_digits<Key>) {
      const value_code<Direction, Key> code{plan->scale};
      if (plan->by_value) return code(in_pass) >> (code.bits - bits);
    }
    return cuda::highest_bits(cuda::key_bits_of<Direction, Key>(in_pass), end_bit, bits);
  }
};

/// Where in [low, high] the first key is whose segment is not before `segment`, found by a warp.
template <class Key, class SegmentOf>
HINDSIGHT_DEVICE std::size_t find_segment(const Key* keys, std::size_t low, std::size_t high,
                                          unsigned segment, const SegmentOf& segment_of) {
  while (low < high) {
    const std::size_t step = (high - low + warp_lanes - 1) / warp_lanes;
    const std::size_t at = low + lane_index() * step;
    const bool before = at < high && segment_of(keys[at]) < segment;
    const unsigned num_before = __popc(__ballot_sync(all_lanes, before));
    high = ::cuda::std::min(high, low + num_before * step);
    if (num_before > 0) low += (num_before - 1) * step + 1;
  }
  return low;
}

/// starts[s] = where segment s begins; lists those of more than `capacity` keys, and says in the
/// plan if one has more than `most`.
///   starts          [1 << segment_bits]
///   large_segments  as many, if `most` is more than `capacity`; null: nobody wants a list
template <int Threads, class Direction, class Key, class Size>
HINDSIGHT_BOUNDED_KERNEL(Threads, 0)
void find_segments_kernel(sort_buffers<Key> buffers, Size num_items, sort_plan* plan,
                          std::uint64_t* starts, unsigned* large_segments, int num_passes,
                          int end_bit, int segment_bits, int capacity, int most) {
  ptx::wait_for_launch_before();
  if (!plan->segmented) return;
  const std::size_t n = detail::read_items(num_items);
  const std::size_t segment = (std::size_t{blockIdx.x} * Threads + threadIdx.x) / warp_lanes;
  if (segment >> segment_bits != 0) return;
  const pass_role role{(1u << num_passes) - 1, num_passes, buffers.in == buffers.out};
  const Key* const keys = role.moves ? buffers.spare : buffers.out;
  const segment_of_key<Direction, Key> segment_of{plan, end_bit, segment_bits};
  const std::size_t begin =
      cuda::find_segment(keys, 0, n, static_cast<unsigned>(segment), segment_of);
  if (lane_index() != 0) return;
  starts[segment] = begin;
  const auto has_more = [&](int size) {
    return begin + size < n && segment_of(keys[begin + size]) == segment;
  };
  if (!has_more(capacity)) return;
  if (has_more(most)) {
    detail::store_word<std::uint32_t>(plan->oversized, 1);
  } else if (large_segments != nullptr) {
    large_segments[atomicAdd(&plan->num_large, 1u)] = static_cast<unsigned>(segment);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
