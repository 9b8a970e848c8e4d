// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort_by on host threads: random inputs against std's stable sort.
#include <hindsight/sort.h>
#include <hindsight/sort_by.h>

#include <cuda/std/utility>
#include <thrust/device_vector.h>
#include <thrust/tuple.h>

#include "named_items_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace hindsight_test;

const auto& par = hindsight::host::par;

TEST(HostSortBy, MembersAndFunctions) {
  for (const std::size_t n : {0, 1, 1000, 70000}) {
    const auto items = random_items(n, 300);
    auto sorted = items;
    hindsight::sort_by(par, sorted, &item::key);  // numbers: by radix
    EXPECT_EQ(names_of(sorted), names_in_order(items, fewer));
    sorted = items;
    hindsight::sort_by(sorted.begin(), sorted.end(), [](const item& i) { return i.price; });
    EXPECT_EQ(names_of(sorted), names_of(items)) << "the zeros are equivalent";
    sorted = items;
    hindsight::sort_by(sorted, &item::name, std::greater<>{});  // strings: by comparisons
    EXPECT_EQ(names_of(sorted),
              names_in_order(items, [](auto& a, auto& b) { return a.name > b.name; }));
    sorted = items;
    hindsight::sort_by(sorted, [](item& i) { return thrust::tuple<float&, int&>(i.price, i.key); });
    EXPECT_EQ(names_of(sorted), names_in_order(items, fewer));
  }
}

TEST(HostSortBy, ItemsBehindProxies) {  // as a device_vector's on host threads
  thrust::device_vector<cuda::std::pair<int, float>> pairs(1000);
  for (int i = 0; i < 1000; ++i) pairs[i] = cuda::std::pair<int, float>{i, float(i * 7919 % 1000)};
  hindsight::sort_by(pairs, &cuda::std::pair<int, float>::second);
  for (int i = 0; i < 1000; ++i) {
    const cuda::std::pair<int, float> pair = pairs[i];
    ASSERT_EQ(pair.second, float(i));
    ASSERT_EQ(pair.first * 7919 % 1000, i);
  }
}

// Keys that no radix sort of host threads takes have the order of those that it takes.
TEST(HostSortBy, NaNsInKeysOfSeveralNumbersGoByTheirBits) {
  using triple = thrust::tuple<double, double, double>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{2, nan, -1, -nan, 0.0, nan, -0.0, 5, -nan, 1};
  std::vector<item> items;
  for (std::size_t i = 0; i < 300; ++i)
    items.push_back({int(i % 7), std::to_string(i), float(values[i * 7 % 10])});
  const auto expected = [&] {
    auto sorted = items;
    std::vector<thrust::tuple<float, int>> keys;
    for (const item& i : items) keys.emplace_back(i.price, i.key);
    hindsight::sort_by_key(par, keys.begin(), keys.end(), sorted.begin());
    return names_of(sorted);
  }();
  auto sorted = items;
  hindsight::sort_by(par, sorted, [](item& i) { return thrust::tie(i.price, i.key); });
  EXPECT_EQ(names_of(sorted), expected);
  sorted = items;
  hindsight::sort_by(par, sorted, [](const item& i) { return triple(i.price, i.key, 1); });
  EXPECT_EQ(names_of(sorted), expected);

  // std's, too.
  using std_triple = std::tuple<double, double, double>;
  sorted = items;
  hindsight::sort_by(par, sorted,
                     [](const item& i) { return std::tuple<float, int>(i.price, i.key); });
  EXPECT_EQ(names_of(sorted), expected);
  sorted = items;
  hindsight::sort_by(par, sorted, [](const item& i) { return std_triple(i.price, i.key, 1); });
  EXPECT_EQ(names_of(sorted), expected);
  sorted = items;
  hindsight::sort_by(par, sorted,
                     [](const item& i) { return std::pair<double, __int128>(i.price, i.key); });
  EXPECT_EQ(names_of(sorted), expected);

  // And sorts of the keys themselves.
  std::vector<triple> keys;
  std::vector<std_triple> std_keys;
  for (const item& i : items) {
    keys.emplace_back(i.price, i.key, 1);
    std_keys.emplace_back(i.price, i.key, 1);
  }
  sorted = items;
  hindsight::sort_by_key(par, keys.begin(), keys.end(), sorted.begin());
  EXPECT_EQ(names_of(sorted), expected);
  sorted = items;
  hindsight::sort_by_key(par, std_keys.begin(), std_keys.end(), sorted.begin());
  EXPECT_EQ(names_of(sorted), expected);
}

struct without_address {
  int key;
  void operator&() const = delete;
};

TEST(HostSortBy, ItemsWithAnOperatorOfAddressOfTheirOwn) {
  std::vector<without_address> items{{3}, {1}, {2}};
  hindsight::sort_by(items, [](const without_address& item) { return item.key; });
  EXPECT_TRUE(items[0].key == 1 && items[1].key == 2 && items[2].key == 3);
}

}  // namespace
