// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort_by on host threads: random inputs against std's stable sort.
#include <hindsight/sort_by.h>

#include <cuda/std/utility>
#include <thrust/device_vector.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace {

const auto& par = hindsight::host::par;

struct item {
  int key;
  std::string name;
  float price;
};
std::vector<item> random_items(std::size_t n, int most) {
  std::mt19937 random{unsigned(n)};
  std::vector<item> items(n);
  for (std::size_t i = 0; i < n; ++i)
    items[i] = {int(random() % unsigned(most)), std::to_string(i), random() & 1 ? -0.0f : 0.0f};
  return items;
}
template <class Less>
std::vector<std::string> names_in_order(std::vector<item> items, Less less) {
  std::stable_sort(items.begin(), items.end(), less);
  std::vector<std::string> names;
  for (const item& i : items) names.push_back(i.name);
  return names;
}
std::vector<std::string> names_of(const std::vector<item>& items) {
  std::vector<std::string> names;
  for (const item& i : items) names.push_back(i.name);
  return names;
}
const auto fewer = [](const item& a, const item& b) { return a.key < b.key; };

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

}  // namespace
