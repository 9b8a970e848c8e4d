// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that return their results in containers of their own.
#include <hindsight/reduce.h>
#include <hindsight/results.h>
#include <hindsight/scan.h>

#include <cuda/std/span>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <algorithm>
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using hindsight::host::par;

std::vector<int> some_items(int n) {
  std::vector<int> items;
  for (int i = 0; i < n; ++i) items.push_back(i * 7919 % 1000 / 100);
  return items;
}

TEST(Results, HistogramCountsEachValue) {
  const auto items = some_items(100003);
  const auto counts = hindsight::histogram(items, 10, 0, 10);
  ASSERT_EQ(counts.size(), 10u);
  for (int value = 0; value < 10; ++value)
    EXPECT_EQ(counts[std::size_t(value)],
              static_cast<unsigned long long>(std::count(items.begin(), items.end(), value)));
  EXPECT_EQ(hindsight::histogram(par, items, 10, 0, 10), counts);
  const thrust::host_vector<int> same(items.begin(), items.end());
  const thrust::host_vector<unsigned long long> same_counts = hindsight::histogram(same, 10, 0, 10);
  EXPECT_TRUE(std::equal(counts.begin(), counts.end(), same_counts.begin(), same_counts.end()));
  EXPECT_THROW(hindsight::histogram(items, -1, 0, 10), hindsight::invalid_call);
  try {
    hindsight::histogram(items, 0, 0, 10);
    ADD_FAILURE() << "no bins";
  } catch (const hindsight::invalid_call& error) {
    EXPECT_EQ(std::string(error.what()).find("null"), std::string::npos) << error.what();
  }
}

TEST(Results, SortedLeavesItsArgumentAsItIs) {
  const auto items = some_items(5000);
  auto expected = items;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(hindsight::sorted(items), expected);
  EXPECT_EQ(items, some_items(5000));
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(hindsight::sorted(par, items, std::greater<int>{}), expected);
  EXPECT_EQ(hindsight::sorted(std::array<int, 3>{3, 1, 2}), (std::array<int, 3>{1, 2, 3}));
  auto moved = items;
  const int* const place = moved.data();
  const auto taken = hindsight::sorted(std::move(moved));
  EXPECT_EQ(taken.data(), place) << "a temporary is not copied";
  const thrust::device_vector<int> on_device = items;
  EXPECT_EQ(hindsight::sorted(par, on_device), hindsight::sorted(items));
}

TEST(Results, RunLengthsHaveTheSizeOfTheRuns) {
  const std::vector<int> items{4, 4, 7, 4, 4, 4};
  const auto [values, lengths] = hindsight::run_lengths(items);
  EXPECT_EQ(values, (std::vector<int>{4, 7, 4}));
  EXPECT_EQ(lengths, (std::vector<std::size_t>{2, 1, 3}));
  EXPECT_TRUE(hindsight::run_lengths(par, std::vector<int>{}).first.empty());
}

TEST(Ranges, SpansAreRanges) {
  std::vector<int> items{5, 3, 9, 1, 7}, sums(3);
  const ::cuda::std::span<int> middle(items.data() + 1, 3);
  hindsight::sort(middle);
  EXPECT_EQ(items, (std::vector<int>{5, 1, 3, 9, 7}));
  EXPECT_EQ(hindsight::inclusive_scan(par, middle, sums.begin()), sums.end());
  EXPECT_EQ(sums, (std::vector<int>{1, 4, 13}));
  EXPECT_EQ(hindsight::reduce(middle), 13);
}

}  // namespace
