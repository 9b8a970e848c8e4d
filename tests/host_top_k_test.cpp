// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// top_k, nth_element and partial_sort on host threads: random inputs against std's stable sort.
#include <hindsight/sort.h>
#include <hindsight/top_k.h>

#include "named_items_testing.h"
#include "nan_keys_testing.h"
#include "order_testing.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace hindsight_test;

const auto& par = hindsight::host::par;
const auto more = [](const item& a, const item& b) { return a.key > b.key; };

TEST(HostTopK, OfAnyItems) {
  for (const std::size_t n : {1, 100, 5000, 60000})
    for (const int most : {1, 50, 1000000})
      for (const std::size_t k : {std::size_t{1}, std::size_t{5}, n / 500, n / 3, n, n + 7}) {
        const auto items = random_items(n, most);
        auto expected = names_in_order(items, more);
        expected.resize(std::min(n, k));
        std::vector<item> out(std::min(n, k) + 1);
        const auto end = hindsight::top_k(par, items, k, out.begin(), more);
        ASSERT_EQ(end - out.begin(), std::ptrdiff_t(expected.size()));
        out.pop_back();
        ASSERT_EQ(names_of(out), expected) << n << " " << most << " " << k;
      }
}

TEST(HostTopK, OfNumbersWithTheirPlaces) {
  const std::size_t n = 400000;
  std::mt19937 random{3};
  std::vector<float> keys(n);
  for (float& key : keys) key = float(int(random() % 1001) - 500) * (random() & 1 ? -0.5f : 0.5f);
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  const auto order = places_in_order(keys);
  for (const std::size_t k : {0, 1, 1000, 200000}) {
    std::vector<float> best(k);
    std::vector<std::uint32_t> where(k);
    hindsight::top_k_by_key(par, keys.begin(), keys.end(), places.begin(), k, best.begin(),
                            where.begin(), std::less<>{});
    ASSERT_TRUE(std::equal(where.begin(), where.end(), order.begin())) << k;
    for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(best[i], keys[order[i]]);
  }
}

// The same places whether few items are selected or all are sorted, on any number of threads.
TEST(HostTopK, NaNsGoByTheirBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float some[] = {nan, -nan, 0.0f, -0.0f, 3, -4};
  std::mt19937 random{7};
  std::vector<float> keys(100000);
  for (float& key : keys) key = random() % 3 ? float(random() % 1000) : some[random() % 6];
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  auto sorted = keys;
  auto order = places;
  hindsight::stable_sort_by_key(par, sorted.begin(), sorted.end(), order.begin(), std::greater<>{});
  for (const unsigned threads : {1u, 7u})
    for (const std::size_t k : {1, 20, 50000}) {
      std::vector<float> best(k);
      std::vector<std::uint32_t> where(k);
      hindsight::top_k_by_key(par.threads(threads), keys.begin(), keys.end(), places.begin(), k,
                              best.begin(), where.begin());
      EXPECT_TRUE(std::equal(where.begin(), where.end(), order.begin())) << k << " " << threads;
    }
}

TEST(HostTopK, NaNsInTuplesGoByTheirBits) {
  const auto check = [](auto compare, auto some_key) {
    const auto keys = keys_with_nans<decltype(some_key)>(60000);
    auto sorted = keys;
    hindsight::stable_sort(par, sorted.begin(), sorted.end(), compare);
    const auto expected = bits_of_keys(sorted);
    for (const unsigned threads : {1u, 5u})
      for (const std::size_t k : {5, 100, 30000}) {
        std::vector<decltype(some_key)> best(k);
        hindsight::top_k(par.threads(threads), keys, k, best.begin(), compare);
        EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + std::ptrdiff_t(k),
                               bits_of_keys(best).begin()))
            << k << " " << threads;
      }
  };
  check(thrust::greater<>{}, thrust::tuple<int, float>{});
  check(std::less<>{}, std::pair<int, float>{});
}

TEST(HostTopK, NthElementAndPartialSort) {
  const auto items = random_items(20000, 700);
  const auto expected = names_in_order(items, fewer);
  auto some = items;
  hindsight::partial_sort(some.begin(), some.begin() + 100, some.end(), fewer);
  EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + 100, names_of(some).begin()));
  some = items;
  hindsight::nth_element(some.begin(), some.begin() + 9000, some.end(), fewer);
  for (std::size_t i = 0; i < some.size(); ++i) {
    ASSERT_LE(some[std::min<std::size_t>(i, 9000)].key, some[9000].key);
    ASSERT_GE(some[std::max<std::size_t>(i, 9000)].key, some[9000].key);
  }
  EXPECT_EQ(some[9000].key, items[std::stoul(expected[9000])].key);
  hindsight::nth_element(some.begin(), some.end(), some.end(), fewer);
  EXPECT_THROW(hindsight::partial_sort(some.begin() + 5, some.begin(), some.end(), fewer),
               hindsight::invalid_call);
  EXPECT_THROW(hindsight::nth_element(some.begin(), some.end(), some.begin() + 5, fewer),
               hindsight::invalid_call);
}

// With a range, and without a policy: as with first and last.
TEST(HostTopK, ByKeyOfRangesAndWithoutAPolicy) {
  const std::vector<int> keys{3, 1, 4, 1, 5}, names{10, 11, 12, 13, 14};
  const auto expect = [&](const std::vector<int>& wanted, auto call) {
    std::vector<int> best(3, -1), winners(3, -1);
    const auto ends = call(best.begin(), winners.begin());
    EXPECT_EQ(ends.first - best.begin(), 2);
    EXPECT_EQ(ends.second - winners.begin(), 2);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(best[i], keys[std::size_t(winners[i] - 10)]);
    EXPECT_EQ(winners, wanted);
  };
  const std::vector<int> highest{14, 12, -1}, lowest{11, 13, -1};
  const auto values = names.begin();
  const std::less<> less;
  expect(highest, [&](auto best, auto winners) {
    return hindsight::top_k_by_key(par, keys, values, 2, best, winners);
  });
  expect(lowest, [&](auto best, auto winners) {
    return hindsight::top_k_by_key(par, keys, values, 2, best, winners, less);
  });
  expect(highest, [&](auto best, auto winners) {
    return hindsight::top_k_by_key(keys, values, 2, best, winners);
  });
  expect(lowest, [&](auto best, auto winners) {
    return hindsight::top_k_by_key(keys, values, 2, best, winners, less);
  });
  expect(highest, [&](auto best, auto winners) {
    return hindsight::top_k_by_key(keys.begin(), keys.end(), values, 2, best, winners);
  });
  expect(lowest, [&](auto best, auto winners) {
    return hindsight::top_k_by_key(keys.begin(), keys.end(), values, 2, best, winners, less);
  });
}

TEST(HostTopK, ComparatorsMayThrow) {
  const auto items = random_items(60000, 1000);
  std::vector<item> out(10);
  EXPECT_THROW(
      hindsight::top_k(par, items, 10, out.begin(),
                       [](const item&, const item&) -> bool { throw std::runtime_error{""}; }),
      std::runtime_error);
}

TEST(HostTopK, MinusOneAsksForAllItems) {
  const std::vector<int> items{3, 1, 4};
  std::vector<int> out(3);
  EXPECT_EQ(hindsight::top_k(items, -1, out.begin()), out.end());
  EXPECT_EQ(out, (std::vector<int>{4, 3, 1}));
}

}  // namespace
