// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// systems: CPP OMP
// min_element, max_element and minmax_element on host threads, against the standard library.
#include <hindsight/extrema.h>

#include <thrust/extrema.h>

#include "functors_testing.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <list>
#include <random>
#include <string>
#include <vector>

namespace {

using hindsight_test::less_by_tens;

const auto& par = hindsight::host::par;

template <class Items, class Less>
void expect_as_std(const Items& items, Less less) {
  const auto first = items.begin(), last = items.end();
  const auto least = std::min_element(first, last, less);
  const auto greatest = std::max_element(first, last, less);
  EXPECT_EQ(thrust::min_element(par, first, last, less), least);
  EXPECT_EQ(thrust::max_element(par, first, last, less), greatest);
  const auto both = hindsight::minmax_element(items, less);  // no policy
  EXPECT_EQ(both.first, least);
  EXPECT_EQ(both.second, greatest);  // the first one, unlike std's
}

template <class T>
struct HostExtrema : testing::Test {};
using types = testing::Types<std::uint8_t, std::int32_t, double>;
TYPED_TEST_SUITE(HostExtrema, types);

TYPED_TEST(HostExtrema, EqualStd) {
  using T = TypeParam;
  for (const std::size_t n : {0, 1, 2, 33, 16384, 16385, 300007, 2000003}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::mt19937 random{unsigned(n)};
    std::vector<T> items(n);
    for (T& item : items) item = static_cast<T>(int(random() % 100000) - 50000);
    expect_as_std(items, std::less<T>{});
    expect_as_std(items, less_by_tens{});
    expect_as_std(std::vector<T>(n, T(3)), std::greater<T>{});
  }
}

TEST(HostExtremaTypes, OfStringsAndLists) {
  std::vector<std::string> words;
  for (int i = 0; i < 50000; ++i) words.push_back("word " + std::to_string(i * 7919 % 50000));
  expect_as_std(words, std::less<std::string>{});
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP  // stock's other systems take no lists
  const std::list<int> list{3, 1, 2, 1, 3};
  EXPECT_EQ(std::distance(list.begin(), thrust::min_element(par, list.begin(), list.end())), 1);
  EXPECT_EQ(std::distance(list.begin(), thrust::max_element(par, list.begin(), list.end())), 0);
#endif
}

TEST(HostExtremaTypes, RefuseReversedRanges) {
  const std::vector<int> in(5);
  EXPECT_THROW(thrust::min_element(par, in.end(), in.begin()), hindsight::invalid_call);
  EXPECT_THROW(thrust::max_element(par, in.end(), in.begin()), hindsight::invalid_call);
  EXPECT_THROW(thrust::minmax_element(par, in.end(), in.begin()), hindsight::invalid_call);
}

}  // namespace
