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
#include <limits>
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
using types = testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::int32_t,
                             std::uint64_t, float, double, long double>;
TYPED_TEST_SUITE(HostExtrema, types);

TYPED_TEST(HostExtrema, EqualStd) {
  using T = TypeParam;
  for (const std::size_t n : {0, 1, 2, 33, 16384, 16385, 300007, 2000003}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::mt19937 random{unsigned(n)};
    std::vector<T> items(n);
    for (auto&& item : items) item = static_cast<T>(int(random() % 100000) - 50000);
    expect_as_std(items, std::less<T>{});
    expect_as_std(items, less_by_tens{});
    expect_as_std(std::vector<T>(n, T(3)), std::greater<T>{});
  }
}

/// The extremum at each place near the ends of groups that are compared at once.
TYPED_TEST(HostExtrema, AreFoundWhereverTheyAre) {
  using T = TypeParam;
  for (const std::size_t n : {511, 512, 513, 4095, 4096, 4097, 70001}) {
    std::vector<T> items(n, T(1));
    for (const std::size_t at :
         {std::size_t{0}, std::size_t{1}, n / 2, std::size_t{511}, n - 2, n - 1}) {
      if (at >= n) continue;
      SCOPED_TRACE(testing::Message() << "n = " << n << ", at " << at);
      items[at] = T(0);
      expect_as_std(items, std::less<T>{});
      expect_as_std(items, std::greater<>{});
      items[at] = T(1);
    }
  }
}

/// With NaNs and with zeros of both signs as one thread of the standard library finds them.
TEST(HostExtremaTypes, OfNansAndZeros) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t n : {5, 600, 5000}) {
    for (const float first : {nan, 0.f, -0.f, 3.f}) {
      std::mt19937 random{unsigned(n)};
      std::vector<float> items(n);
      for (float& item : items) {
        const float choice[] = {nan, 0.f, -0.f, 1.f};
        item = choice[random() % 4];
      }
      items[0] = first;
      SCOPED_TRACE(testing::Message() << "n = " << n << ", first " << first);
      expect_as_std(items, std::less<float>{});
      expect_as_std(items, std::greater<float>{});
    }
  }
}

TEST(HostExtremaTypes, AmongNans) {
  for (const std::size_t at : {1, 33, 511, 512, 700, 1500, 1999}) {
    SCOPED_TRACE(at);
    std::vector<float> items(2000, std::numeric_limits<float>::quiet_NaN());
    items[0] = 3;
    items[at] = 1;
    expect_as_std(items, std::less<float>{});
    items[at] = 4;
    expect_as_std(items, std::less<float>{});
  }
}

/// Items that cannot be assigned, and a comparator that is not const.
TEST(HostExtremaTypes, OfItemsWithConstMembers) {
  struct fixed {
    const int key;
  };
  std::vector<fixed> items;
  for (int i = 0; i < 40000; ++i) items.push_back({i * 7919 % 40000});
  int calls = 0;
  const auto less = [calls](const fixed& a, const fixed& b) mutable {
    ++calls;
    return a.key < b.key;
  };
  const fixed *const first = items.data(), *const last = first + items.size();
  EXPECT_EQ(thrust::min_element(par, first, last, less)->key, 0);
  EXPECT_EQ(thrust::max_element(par, first, last, less)->key, 39999);
}

/// No comma may stand between it and anything.
struct no_comma {
  int value;
  bool operator<(const no_comma& other) const { return value < other.value; }
};
template <class T>
void operator,(const no_comma&, T&&) = delete;

TEST(HostExtremaTypes, OfItemsWithACommaOfTheirOwn) {
  std::vector<no_comma> items;
  for (int i = 0; i < 40000; ++i) items.push_back({i * 7919 % 40000});
  expect_as_std(items, ::cuda::std::less<no_comma>{});
}

/// A copy has to be asked for.
struct copied_explicitly {
  explicit copied_explicitly(int v) : value{v} {}
  explicit copied_explicitly(const copied_explicitly&) = default;
  copied_explicitly& operator=(const copied_explicitly&) = default;
  int value;
  bool operator<(const copied_explicitly& other) const { return value < other.value; }
};

TEST(HostExtremaTypes, OfItemsThatAreCopiedExplicitly) {
  std::vector<copied_explicitly> items;
  for (int i = 0; i < 40000; ++i) items.emplace_back(i * 7919 % 40000);
  expect_as_std(items, ::cuda::std::less<copied_explicitly>{});
}

/// An order's result that only a condition takes.
struct yes_or_no {
  bool value;
  explicit operator bool() const { return value; }
};

TEST(HostExtremaTypes, ByAnOrderWithAResultOfItsOwn) {
  std::vector<int> items;
  for (int i = 0; i < 40000; ++i) items.push_back(i * 7919 % 40000);
  expect_as_std(items, [](int a, int b) { return yes_or_no{a < b}; });
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
