// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts beyond 32 bits on host threads.
#include <hindsight/hindsight.h>

#include <thrust/iterator/constant_iterator.h>

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

}  // namespace
