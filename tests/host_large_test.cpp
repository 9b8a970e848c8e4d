// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts beyond 32 bits, and segments of 2^30 items, on host threads.
#include <hindsight/hindsight.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace {

namespace host = hindsight::detail::host;

/// One constant sample, n times: nothing is read from memory, so this takes a second or two.
std::vector<std::uint64_t> count_sample(std::size_t n, host::cut wanted) {
  std::vector<std::uint64_t> counters(5);
  host::histogram_even(thrust::constant_iterator<int>{3}, n, counters.begin(), 5, 0, 5, wanted);
  return counters;
}

TEST(host_large, histograms_sum_beyond_32_bits) {
  const std::size_t n = (std::size_t{1} << 32) + 7;
  EXPECT_EQ(count_sample(n, {}), (std::vector<std::uint64_t>{0, 0, 0, n, 0}));
}

// A thread counts in two tables, so each of them goes beyond 32 bits here.
TEST(host_large, histograms_count_beyond_32_bits) {
  const std::size_t n = (std::size_t{1} << 33) + 7;
  EXPECT_EQ(count_sample(n, {1, 0}), (std::vector<std::uint64_t>{0, 0, 0, n, 0}));
}

constexpr std::uint32_t num_threes = 1u << 24, long_one = 1u << 30;

/// Segment s of 2^24 ones of three items, one of 2^30 and an empty one.
struct offset_behind_threes {
  HINDSIGHT_HD std::uint32_t operator()(std::uint32_t s) const {
    return s <= num_threes ? 3 * s : 3 * num_threes + long_one;
  }
};

// Neither items nor offsets are in memory.
TEST(host_large, segments_of_three_items_and_of_2_to_30) {
  const thrust::counting_iterator<std::uint32_t> numbers(0);
  const auto offsets = thrust::make_transform_iterator(numbers, offset_behind_threes{});
  const auto segments = hindsight::by_offsets(offsets, offsets + (num_threes + 3));
  const thrust::constant_iterator<std::uint32_t> ones(1);
  std::vector<std::uint32_t> sums(num_threes + 2, 9);
  hindsight::reduce_segments(hindsight::host::par, ones, ones + (3 * num_threes + long_one),
                             segments, sums.begin());
  EXPECT_EQ(std::count(sums.begin(), sums.begin() + num_threes, 3u), num_threes);
  EXPECT_EQ(sums[num_threes], long_one);
  EXPECT_EQ(sums[num_threes + 1], 0u);
}

}  // namespace
