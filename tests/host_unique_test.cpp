// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// systems: CPP OMP
// The unique family on host threads, against the standard library.
#include <hindsight/detail/host/select.h>
#include <hindsight/unique.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/unique.h>

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

TEST(HostUniqueTypes, RefusesReversedRanges) {
  std::vector<int> items(9), out(9);
  const auto first = items.begin(), last = items.end();
  EXPECT_THROW(thrust::unique(par, last, first), hindsight::invalid_call);
  EXPECT_THROW(thrust::unique_copy(par, last, first, out.begin()), hindsight::invalid_call);
  EXPECT_THROW(thrust::unique_count(par, last, first), hindsight::invalid_call);
  EXPECT_THROW(thrust::unique_by_key(par, last, first, out.begin()), hindsight::invalid_call);
}

}  // namespace
