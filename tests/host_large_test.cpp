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

TEST(host_large, histograms_count_beyond_32_bits) {
  const std::size_t n = (std::size_t{1} << 32) + 7;  // seconds, since no sample is read from memory
  const thrust::constant_iterator<int> samples{3};
  std::vector<std::uint64_t> counters(5);
  hindsight::histogram_even(hindsight::host::par, samples, samples + std::ptrdiff_t(n), 5, 0, 5,
                            counters.begin());
  EXPECT_EQ(counters, (std::vector<std::uint64_t>{0, 0, 0, n, 0}));
}

// A table of 32 bits holds half of a thread's samples, so what overflows it takes too long to run.
TEST(host_large, tables_of_32_bits_serve_up_to_as_many_samples) {
  EXPECT_TRUE(host::counts_in_32_bits(0xffffffffu));
  EXPECT_FALSE(host::counts_in_32_bits(std::size_t{1} << 32));
  EXPECT_FALSE(host::counts_in_32_bits(std::size_t{1} << 40));
  std::vector<std::uint64_t> counters(1);
  host::team_counters<std::uint64_t> table{3, 1, 1};
  const host::scratch memory{host::heap, [&](auto& space) { table.carve(space); }};
  table.count(thrust::constant_iterator<int>{0}, [](int) { return 0; });
  table.sum(1, [&](std::size_t bin, std::uint64_t count) { counters[bin] += count; });
  EXPECT_EQ(counters[0], 3u);
}

}  // namespace
