// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// systems: CPP OMP
// The unique family on host threads, against the standard library.
#include <hindsight/counts.h>
#include <hindsight/detail/host/select.h>
#include <hindsight/unique.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/unique.h>

#include "functors_testing.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <list>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using hindsight_test::equal_tens;

const auto& par = hindsight::host::par;
const std::size_t sizes[] = {0, 1, 2, 33, 1000, 65537, 300007, 2000003};

/// `mean` 1: no two neighbours are equal; 0: all are.
template <class T>
std::vector<T> items_in_runs(std::size_t n, unsigned mean) {
  std::mt19937 random{unsigned(n) + mean};
  std::vector<T> items(n);
  unsigned value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (mean == 1 || (mean > 1 && random() % mean == 0)) ++value;
    items[i] = static_cast<T>(value % 2 * 10 + i * 7 % 10);
  }
  return items;
}

template <class T>
struct HostUnique : testing::Test {};
using types = testing::Types<std::uint8_t, std::uint32_t, double>;
TYPED_TEST_SUITE(HostUnique, types);

TYPED_TEST(HostUnique, EqualsStd) {
  using T = TypeParam;
  for (const std::size_t n : sizes) {
    for (const unsigned mean : {0, 1, 2, 50}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", mean " << mean);
      auto items = items_in_runs<T>(n, mean);
      std::vector<T> expected;
      std::unique_copy(items.begin(), items.end(), std::back_inserter(expected), equal_tens{});
      std::vector<T> out(n, T(7));
      const auto end =
          thrust::unique_copy(par, items.begin(), items.end(), out.begin(), equal_tens{});
      ASSERT_EQ(end - out.begin(), std::ptrdiff_t(expected.size()));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
      EXPECT_TRUE(std::all_of(end, out.end(), [](T item) { return item == T(7); }));
      EXPECT_EQ(thrust::unique_count(par, items.begin(), items.end(), equal_tens{}),
                std::ptrdiff_t(expected.size()));

      std::vector<unsigned> values(n), values_out(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = unsigned(i);
      const auto ends = thrust::unique_by_key_copy(par, items.begin(), items.end(), values.begin(),
                                                   out.begin(), values_out.begin(), equal_tens{});
      ASSERT_EQ(ends.first - out.begin(), std::ptrdiff_t(expected.size()));
      ASSERT_EQ(ends.second - values_out.begin(), std::ptrdiff_t(expected.size()));
      for (std::size_t r = 0; r < expected.size(); ++r) {
        ASSERT_EQ(out[r], expected[r]);
        ASSERT_EQ(items[values_out[r]], expected[r]);
        ASSERT_TRUE(r == 0 || values_out[r - 1] < values_out[r]);
      }
      auto keys = items;
      const auto in_place =
          hindsight::unique_by_key(par, keys.begin(), keys.end(), values.begin(), equal_tens{});
      ASSERT_EQ(in_place.first - keys.begin(), std::ptrdiff_t(expected.size()));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), keys.begin()));
      EXPECT_TRUE(std::equal(values.begin(), in_place.second, values_out.begin()));

      const auto last = hindsight::unique(items, equal_tens{});  // no policy
      ASSERT_EQ(last - items.begin(), std::ptrdiff_t(expected.size()));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), items.begin()));
    }
  }
}

TEST(HostUniqueTypes, OfStringsListsAndBits) {
  std::vector<std::string> words;
  for (int i = 0; i < 100000; ++i) words.push_back("a word that is long " + std::to_string(i / 3));
  std::vector<std::string> out(words.size());
  EXPECT_EQ(hindsight::unique_copy(words, out.begin()) - out.begin(), 33334);
  EXPECT_EQ(out[33333], "a word that is long 33333");
  EXPECT_EQ(hindsight::unique_count(words), 33334);
  EXPECT_EQ(hindsight::unique(words) - words.begin(), 33334);  // stock's

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP  // stock's other systems take no lists
  std::list<int> list{1, 1, 2, 3, 3, 3};
  EXPECT_EQ(std::distance(list.begin(), thrust::unique(par, list.begin(), list.end())), 3);
  EXPECT_EQ(thrust::unique_count(par, list.begin(), list.end()), 3);
#endif
  std::vector<bool> bits(100001);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i / 5 % 2 != 0;
  EXPECT_EQ(thrust::unique(par, bits.begin(), bits.end()) - bits.begin(), 20001);
  EXPECT_TRUE(!bits[0] && bits[1] && !bits[20000]);
}

/// In place, but the library cannot compare where input and output begin. Without equal neighbours
/// each item is written where it was read. Under ThreadSanitizer.
TEST(HostUniqueTypes, InPlaceThroughTwoTypesOfIterators) {
  for (const unsigned one_in : {0u, 2u, 1000u}) {
    std::mt19937 random{one_in};
    std::deque<int> items;
    for (int i = 0; i < 300007; ++i)
      items.push_back(one_in > 0 && i > 0 && random() % one_in == 0 ? items.back() : i);
    std::deque<int> expected = items, others = items;
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    std::size_t count = 0;
    hindsight::unique_copy_into(par, items.cbegin(), items.cend(), items.begin(), &count);
    ASSERT_EQ(count, expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), items.begin()));

    const auto first = [](const auto& a, const auto& b) {
      return thrust::get<0>(a) == thrust::get<0>(b);
    };
    const auto in = thrust::make_zip_iterator(others.cbegin(), thrust::counting_iterator<int>{});
    std::vector<int> places(others.size());
    hindsight::unique_copy_into(par, in, in + std::ptrdiff_t(others.size()),
                                thrust::make_zip_iterator(others.begin(), places.begin()), &count,
                                first);
    ASSERT_EQ(count, expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), others.begin()));
    ASSERT_TRUE(one_in > 0 || places.back() == 300006);
  }
}

/// Throws at one of its calls.
struct equal_until {
  std::atomic<long>* calls_left;
  bool operator()(int a, int b) const {
    if (--*calls_left == 0) throw std::runtime_error{"equal"};
    return a == b;
  }
};

/// No value loses its key, and no first pair of a run is lost.
TEST(HostUniqueTypes, KeysKeepTheirValuesWhenEqualThrows) {
  const int n = 200003;
  std::vector<int> keys, values;
  for (int i = 0; i < n; ++i) keys.push_back(i / 3 * 2), values.push_back(i);
  for (const long call : {1l, 7l, 100000l, 150000l, 199999l, 200002l, 250000l}) {
    SCOPED_TRACE(testing::Message() << "call " << call);
    std::atomic<long> calls_left{call};
    auto k = keys;
    auto v = values;
    const auto run = [&] {
      thrust::unique_by_key(par, k.begin(), k.end(), v.begin(), equal_until{&calls_left});
    };
    if (call < n) {
      EXPECT_THROW(run(), std::runtime_error);
    } else {
      run();
      EXPECT_EQ(calls_left, call - (n - 1));  // one call for each pair of neighbours
    }
    std::vector<bool> is_there(std::size_t(n), false);
    for (std::size_t i = 0; i < std::size_t(n); ++i) {
      is_there[std::size_t(v[i])] = true;
      ASSERT_EQ(k[i], keys[std::size_t(v[i])]) << i;
    }
    for (std::size_t i = 0; i < std::size_t(n); i += 3) ASSERT_TRUE(is_there[i]) << i;
  }
}

TEST(HostUniqueTypes, RefusesReversedRanges) {
  std::vector<int> items(9), out(9);
  const auto first = items.begin(), last = items.end();
  EXPECT_THROW(thrust::unique(par, last, first), hindsight::invalid_call);
  EXPECT_THROW(thrust::unique_copy(par, last, first, out.begin()), hindsight::invalid_call);
  EXPECT_THROW(thrust::unique_count(par, last, first), hindsight::invalid_call);
  EXPECT_THROW(thrust::unique_by_key(par, last, first, out.begin()), hindsight::invalid_call);
}

}  // namespace
