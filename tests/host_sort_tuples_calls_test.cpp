// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// systems: CPP OMP TBB
// Every call that sorts on host threads by pairs, tuples and arrays of numbers; NaNs, zipped
// ranges, projections, and keys that are compared after all.
#include <hindsight/detail/host/sort.h>
#include <hindsight/sort.h>
#include <hindsight/sort_by.h>
#include <hindsight/sort_segments.h>

#include <cuda/std/array>
#include <thrust/device_vector.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>

#include "order_testing.h"
#include "tuples_testing.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace host = hindsight::detail::host;
using hindsight_test::bytes_of;
using hindsight_test::gathered;
using hindsight_test::places_in_order;
using hindsight_test::random_keys;
const auto& par = hindsight::host::par;
template <class... Ts>
using tuple = thrust::tuple<Ts...>;

template <class Key>
class host_sort_tuples_calls : public testing::Test {};
using key_types =
    testing::Types<thrust::pair<std::uint32_t, float>, tuple<float, std::int16_t, double>,
                   ::cuda::std::array<unsigned char, 11>>;
TYPED_TEST_SUITE(host_sort_tuples_calls, key_types);

TYPED_TEST(host_sort_tuples_calls, all_sort) {
  const std::size_t n = 20000;
  const auto keys = random_keys<TypeParam>(n, 1);
  const auto places = places_in_order(keys);
  const auto expected = bytes_of(gathered(keys, places));
  auto sorted = keys;
  thrust::sort(par, sorted.begin(), sorted.end());
  EXPECT_EQ(bytes_of(sorted), expected);
  sorted = keys;
  hindsight::stable_sort(sorted);
  EXPECT_EQ(bytes_of(sorted), expected);
  sorted = keys;
  thrust::stable_sort(par, thrust::make_reverse_iterator(sorted.end()),
                      thrust::make_reverse_iterator(sorted.begin()), std::less<TypeParam>{});
  std::reverse(sorted.begin(), sorted.end());
  auto reversed = keys;
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(bytes_of(sorted), bytes_of(gathered(reversed, places_in_order(reversed))));
  sorted = keys;
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  thrust::stable_sort_by_key(par, sorted.begin(), sorted.end(), values.begin());
  EXPECT_EQ(bytes_of(sorted), expected);
  EXPECT_EQ(values, places);
}

TEST(HostSortTuplesCalls, ZippedRanges) {
  std::mt19937 random{5};
  std::vector<std::int16_t> first(30000);
  std::vector<float> second(first.size());
  thrust::device_vector<int> third(first.size());
  std::vector<tuple<std::int16_t, float, int>> items;
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = std::int16_t(random() % 7);
    second[i] = random() % 3 ? -0.0f : 0.0f;
    third[i] = int(random() % 50);
    items.emplace_back(first[i], second[i], third[i]);
  }
  const auto begin = thrust::make_zip_iterator(first.begin(), second.begin(), third.begin());
  thrust::sort(par, begin, begin + std::ptrdiff_t(first.size()));
  const auto expected = gathered(items, places_in_order(items));
  for (std::size_t i = 0; i < first.size(); ++i) {
    const tuple<std::int16_t, float, int> item{first[i], second[i], third[i]};
    ASSERT_EQ(bytes_of(item), bytes_of(expected[i])) << i;
  }
}

TEST(HostSortTuplesCalls, NaNsGoByTheirBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> order{-nan, -inf, -1.0f, -0.0f, 1.0f, inf, nan};
  std::vector<std::pair<float, float>> expected;
  for (const float a : order)
    for (const float b : order) expected.emplace_back(a, b);
  auto keys = expected;
  std::shuffle(keys.begin(), keys.end(), std::mt19937{9});
  hindsight::sort(par, keys);
  EXPECT_EQ(bytes_of(keys), bytes_of(expected));
}

TEST(HostSortTuplesCalls, OtherKeysAreCompared) {
  using host::sorts_by_digits;
  using three = tuple<std::int64_t, std::int64_t, std::int8_t>;  // over 16 bytes
  static_assert(!sorts_by_digits<three, std::less<>>);
  static_assert(!sorts_by_digits<std::pair<std::string, int>, std::less<>>);
  static_assert(!sorts_by_digits<std::pair<int, long double>, std::less<>>);
  static_assert(!sorts_by_digits<std::pair<const int, int>, std::less<>>);
  static_assert(!sorts_by_digits<tuple<int&, int>, std::less<>>);
  static_assert(!sorts_by_digits<tuple<>, std::less<>>);
  static_assert(!sorts_by_digits<std::pair<int, int>, std::less<std::pair<int, long>>>);
  static_assert(!sorts_by_digits<std::array<int, 5>, std::less<>>);
  static_assert(!sorts_by_digits<std::tuple<int, std::string>, std::less<>>);
  static_assert(sorts_by_digits<std::pair<int, int>, thrust::greater<>>);
  const auto keys = random_keys<three>(5000, 3);
  auto sorted = keys;
  hindsight::sort(par, sorted);
  EXPECT_EQ(bytes_of(sorted), bytes_of(gathered(keys, places_in_order(keys))));
}

/// More than 16 bytes, with NaNs: in short segments and in a long one as on the GPU, by their bits.
TEST(HostSortTuplesCalls, SegmentsOfWideTuplesWithNaNs) {
  using key = tuple<double, double, int>;
  const std::size_t n = 300000;
  std::vector<key> keys(n);
  std::vector<int> values(n), places(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    keys[i] = {i % 5 == 0 ? nan : double(i * 7 % 11) - 5, i % 7 == 0 ? -nan : double(i * 5 % 13),
               int(i * 3 % 17)};
    values[i] = places[i] = int(i);
  }
  const std::vector<std::size_t> offsets{0, 40, 41, 100, n};
  const hindsight::detail::composite_order<key, hindsight::detail::ascending> order;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(places.begin() + std::ptrdiff_t(offsets[s]),
                     places.begin() + std::ptrdiff_t(offsets[s + 1]), [&](int a, int b) {
                       return order(keys[std::size_t(a)], keys[std::size_t(b)]);
                     });
  auto sorted = keys;
  hindsight::sort_segments(par, sorted.begin(), sorted.end(),
                           hindsight::by_offsets(offsets.begin(), offsets.end()));
  std::vector<key> expected;
  for (const int place : places) expected.push_back(keys[std::size_t(place)]);
  EXPECT_TRUE(std::memcmp(sorted.data(), expected.data(), n * sizeof(key)) == 0);
  sorted = keys;
  hindsight::sort_segments_by_key(par, sorted.begin(), sorted.end(), values.begin(),
                                  hindsight::by_offsets(offsets.begin(), offsets.end()));
  EXPECT_EQ(values, places);
}

TEST(HostSortTuplesCalls, ProjectionsToTuples) {
  const auto keys = random_keys<tuple<int, int, float>>(20000, 3);
  auto sorted = keys;
  hindsight::sort_by(par, sorted, [](const auto& key) {
    return std::pair<float, int>{thrust::get<2>(key), thrust::get<0>(key)};
  });
  const auto less = [](const auto& a, const auto& b) {
    if (thrust::get<2>(a) != thrust::get<2>(b)) return thrust::get<2>(a) < thrust::get<2>(b);
    return thrust::get<0>(a) < thrust::get<0>(b);
  };
  EXPECT_EQ(bytes_of(sorted), bytes_of(gathered(keys, places_in_order(keys, less))));
}

}  // namespace
