// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort_by on host threads: random inputs against std's stable sort.
#include <hindsight/sort_by.h>

#include <cuda/std/utility>
#include <thrust/device_vector.h>
#include <thrust/tuple.h>

#include "named_items_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
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
