// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// standard: 20
// Views of C++20 as ranges.
#include <hindsight/hindsight.h>

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <ranges>
#include <span>
#include <vector>

namespace {

const auto& par = hindsight::host::par;

TEST(Views, AreRead) {
  EXPECT_EQ(hindsight::reduce(std::views::iota(1, 101)), 5050);
  const std::vector<int> items{5, 3, 9, 1, 4};
  std::vector<int> out(5);
  const auto twice = items | std::views::transform([](int item) { return 2 * item; });
  EXPECT_EQ(hindsight::reduce(par, twice, 1), 45);
  hindsight::inclusive_scan(par, twice, out.begin());
  EXPECT_EQ(out[4], 44);
  hindsight::inclusive_scan(std::views::reverse(items), out.begin());
  EXPECT_EQ(out[4], 22);
  EXPECT_EQ(out[1], 5);
  const auto odd = hindsight::copy_if(twice | std::views::drop(1) | std::views::take(3),
                                      out.begin(), [](int item) { return item > 3; });
  EXPECT_EQ(odd - out.begin(), 2);
  EXPECT_EQ(*hindsight::max_element(twice), 18);
  std::vector<unsigned> counters(5);
  hindsight::histogram_even(par, twice, 5, 0, 20, counters.begin());
  EXPECT_EQ(counters, (std::vector<unsigned>{1, 1, 2, 0, 1}));
}

TEST(Views, AreSortedInPlace) {
  std::vector<int> items{5, 3, 9, 1, 4};
  hindsight::sort(items | std::views::drop(2));
  EXPECT_EQ(items, (std::vector<int>{5, 3, 1, 4, 9}));
  hindsight::sort(par, std::views::reverse(items));
  EXPECT_EQ(items, (std::vector<int>{9, 5, 4, 3, 1}));
  hindsight::sort(std::span{items}.first(2));
  EXPECT_EQ(items, (std::vector<int>{5, 9, 4, 3, 1}));
  const auto kept = hindsight::unique(std::span{items}.last(3));
  EXPECT_EQ(kept - std::span{items}.last(3).begin(), 3);
}

// Large ones go to several threads.
TEST(Views, AreSharedByThreads) {
  const int n = 300007;
  const auto squares = std::views::iota(0, n) |
                       std::views::transform([](int i) { return 1u * unsigned(i) * unsigned(i); });
  unsigned sum = 0;
  std::vector<unsigned> sums(n);
  for (int i = 0; i < n; ++i) sums[std::size_t(i)] = sum += 1u * unsigned(i) * unsigned(i);
  EXPECT_EQ(hindsight::reduce(squares), sum);
  std::vector<unsigned> out(n);
  hindsight::inclusive_scan(squares, out.begin());
  EXPECT_EQ(out, sums);
}

// Without compiler extensions the distance between two places of such a view is no integer that
// std::iterator_traits knows, and then it knows nothing of the iterator.
TEST(Views, OfNumbersOf64BitsAreReadWithoutCompilerExtensions) {
  const std::size_t n = 100000;
  const auto places = std::views::iota(std::size_t{0}, n);
  std::vector<std::size_t> out(n);
  EXPECT_EQ(hindsight::reduce(places), n * (n - 1) / 2);
  hindsight::exclusive_scan(places, out.begin());
  EXPECT_EQ(out[n - 1], (n - 1) * (n - 2) / 2);
  hindsight::adjacent_difference(places, out.begin());
  EXPECT_EQ(out[n - 1], 1u);
  const auto odd = [](std::size_t place) { return place % 2 == 1; };
  EXPECT_EQ(hindsight::copy_if(places, out.begin(), odd) - out.begin(), std::ptrdiff_t(n / 2));
  EXPECT_EQ(out[1], 3u);
  EXPECT_EQ(*hindsight::max_element(places), n - 1);
  std::vector<int> counters(10);
  const auto levels = std::views::iota(std::size_t{0}, std::size_t{11});
  hindsight::histogram_even(places, 10, std::size_t{0}, n, counters.begin());
  EXPECT_EQ(counters[3], 10000);
  hindsight::histogram_range(places, levels.begin(), levels.end(), counters.begin());
  EXPECT_EQ(counters[3], 1);
}

// Overload resolution, and so a caller's own concepts, sees what is a range, with a policy and
// without; a call of something else is no error before it is made.
#define HINDSIGHT_TAKES(name, ...)                                                          \
  template <class Range>                                                                    \
  concept name = requires(Range range, int* out) {                                          \
    hindsight::__VA_ARGS__;                                                                 \
  };                                                                                        \
  static_assert(name<std::vector<int>&> && name<const int(&)[4]> && name<std::span<int>> && \
                !name<int> && !name<std::vector<int>*> && !name<const int(&)[]>)
HINDSIGHT_TAKES(reduces, reduce(range));
HINDSIGHT_TAKES(reduces_by_policy, reduce(par, range));
HINDSIGHT_TAKES(scans, inclusive_scan(range, out));
HINDSIGHT_TAKES(scans_by_policy, exclusive_scan(par, range, out));
HINDSIGHT_TAKES(scans_by_key, inclusive_scan_by_key(par, range, out, out));
HINDSIGHT_TAKES(copies, copy_if(range, out, std::identity{}));
HINDSIGHT_TAKES(parts, stable_partition(par, range, std::identity{}));
HINDSIGHT_TAKES(finds, find(range, 3));
HINDSIGHT_TAKES(sorts, sort(range));
HINDSIGHT_TAKES(sorts_by_policy, sort(par, range));
HINDSIGHT_TAKES(sorts_by_key, sort_by_key(range, out));
HINDSIGHT_TAKES(counts_bins, histogram_even(range, 10, 0, 10, out));
HINDSIGHT_TAKES(encodes, run_length_encode(par, range, out, out));
HINDSIGHT_TAKES(sums_segments, reduce_segments(range, hindsight::by_offsets(out, out), out));
HINDSIGHT_TAKES(averages, mean(range));
HINDSIGHT_TAKES(averages_by_policy, mean(par, range));
HINDSIGHT_TAKES(finds_places, pack_index(range, out));
HINDSIGHT_TAKES(selects, top_k(par, range, 3, out));

}  // namespace
