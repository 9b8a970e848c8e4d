// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// systems: CPP OMP TBB
// Sorts on host threads by pairs, tuples and arrays of numbers: the order of std::stable_sort, and
// each zero keeps its sign.
#include <hindsight/detail/host/sort.h>
#include <hindsight/hindsight.h>

#include <cuda/std/array>
#include <thrust/device_vector.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>

#include "order_testing.h"
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
using hindsight_test::gathered;
using hindsight_test::places_in_order;
const auto& par = hindsight::host::par;
template <class... Ts>
using tuple = thrust::tuple<Ts...>;

template <class Key, class Work>
void for_each_member(Key& key, Work work) {
  ::cuda::std::apply([&](auto&... all) { (work(all), ...); }, key);
}
template <class A, class B, class Work>
void for_each_member(std::pair<A, B>& key, Work work) {
  work(key.first);
  work(key.second);
}
template <class A, class B, class Work>
void for_each_member(const std::pair<A, B>& key, Work work) {
  work(key.first);
  work(key.second);
}

/// The members' bytes, without those between them.
template <class Key>
std::string bytes_of(const Key& key) {
  std::string bytes;
  for_each_member(key, [&](const auto& member) {
    bytes.append(reinterpret_cast<const char*>(&member), sizeof member);
  });
  return bytes;
}
template <class Key>
std::vector<std::string> bytes_of(const std::vector<Key>& keys) {
  std::vector<std::string> all;
  for (const Key& key : keys) all.push_back(bytes_of(key));
  return all;
}

/// Few or many values, both zeros and infinities among them: later members decide, and equivalent
/// keys differ in bits.
template <class Key>
std::vector<Key> random_keys(std::size_t n, int kind) {
  std::mt19937_64 random{n * 8 + std::size_t(kind)};
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t place = i;
    for_each_member(keys[i], [&](auto& member) {
      using member_t = std::decay_t<decltype(member)>;
      std::uint64_t bits = kind == 2 ? place : random();
      if (kind == 1) bits &= random() & random();
      if constexpr (std::is_floating_point_v<member_t>) {
        member = kind == 2 ? member_t(bits) : member_t(std::int64_t(bits) >> (kind == 0 ? 8 : 61));
        if (bits % 5 == 0) member = bits & 64 ? member_t(-0.0) : member_t(0.0);
        if (bits % 97 == 1) member = -std::numeric_limits<member_t>::infinity();
      } else {
        member = member_t(kind == 3 ? bits % 3 : bits >> (bits & 32));
      }
      place = 0;
    });
  }
  return keys;
}

template <class Key, class Compare>
void check(const std::vector<Key>& keys, Compare compare, host::cut wanted) {
  const std::size_t n = keys.size();
  const auto places = places_in_order(keys, compare);
  const auto expected = bytes_of(gathered(keys, places));

  auto alone = keys;
  host::sort(alone.begin(), n, compare, wanted);
  ASSERT_EQ(bytes_of(alone), expected);

  auto paired = keys;
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  host::sort_by_key(paired.begin(), values.begin(), n, compare, wanted);
  ASSERT_EQ(bytes_of(paired), expected);
  ASSERT_EQ(values, places);
}

/// Values that are not trivially copyable move apart from the keys.
template <class Key>
void check_with_names(const std::vector<Key>& keys, host::cut wanted) {
  const auto places = places_in_order(keys);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys.size(); ++i) names.push_back(std::to_string(i));
  const auto names_expected = gathered(names, places);
  auto sorted = keys;
  host::sort_by_key(sorted.begin(), names.begin(), keys.size(), thrust::less<Key>{}, wanted);
  ASSERT_EQ(bytes_of(sorted), bytes_of(gathered(keys, places)));
  ASSERT_EQ(names, names_expected);
}

template <class Key>
class host_sort_tuples : public testing::Test {};
using key_types =
    testing::Types<thrust::pair<std::uint32_t, float>, std::pair<int, int>,
                   std::pair<std::int8_t, double>, tuple<std::uint8_t, std::int8_t>,
                   tuple<float, std::int16_t, double>, tuple<bool, std::int64_t, float>,
                   tuple<float>, ::cuda::std::array<unsigned char, 11>>;
TYPED_TEST_SUITE(host_sort_tuples, key_types);

TYPED_TEST(host_sort_tuples, have_the_order_of_stable_sort) {
  static_assert(host::sorts_by_digits<TypeParam, thrust::less<TypeParam>>);
  for (int kind = 0; kind < 4; ++kind) {
    SCOPED_TRACE(kind);
    for (const std::size_t n : {0, 1, 2, 33, 600, 3500})
      for (const host::cut wanted : {host::cut{}, host::cut{2, 40}, host::cut{3, 500}})
        check(random_keys<TypeParam>(n, kind), thrust::less<TypeParam>{}, wanted);
    check(random_keys<TypeParam>(50021, kind), thrust::less<TypeParam>{}, {5, 0});
  }
}

/// One type of each kind takes what is the same for all, and long to compile: the other direction,
/// values that are not trivially copyable, calls that forward to these sorts.
template <class Key>
class host_sort_some_tuples : public testing::Test {};
using some_key_types =
    testing::Types<thrust::pair<std::uint32_t, float>, tuple<std::uint8_t, std::int8_t>,
                   tuple<float, std::int16_t, double>, ::cuda::std::array<unsigned char, 11>>;
TYPED_TEST_SUITE(host_sort_some_tuples, some_key_types);

TYPED_TEST(host_sort_some_tuples, have_the_order_of_stable_sort) {
  for (int kind = 0; kind < 4; ++kind) {
    SCOPED_TRACE(kind);
    for (const std::size_t n : {0, 1, 2, 33, 600, 3500})
      for (const host::cut wanted : {host::cut{}, host::cut{2, 40}, host::cut{3, 500}}) {
        check(random_keys<TypeParam>(n, kind), std::greater<>{}, wanted);
        check_with_names(random_keys<TypeParam>(n, kind), wanted);
      }
    check_with_names(random_keys<TypeParam>(50021, kind), {5, 0});
  }
}

TYPED_TEST(host_sort_some_tuples, are_sorted_by_every_call) {
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

TEST(HostSortTuples, ZippedRanges) {
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

TEST(HostSortTuples, NaNsGoByTheirBits) {
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

TEST(HostSortTuples, OtherKeysAreCompared) {
  using host::sorts_by_digits;
  using three = tuple<std::int64_t, std::int64_t, std::int8_t>;  // over 16 bytes
  static_assert(!sorts_by_digits<three, std::less<>>);
  static_assert(!sorts_by_digits<std::pair<std::string, int>, std::less<>>);
  static_assert(!sorts_by_digits<std::pair<int, long double>, std::less<>>);
  static_assert(!sorts_by_digits<std::pair<const int, int>, std::less<>>);
  static_assert(!sorts_by_digits<tuple<int&, int>, std::less<>>);
  static_assert(!sorts_by_digits<tuple<>, std::less<>>);
  static_assert(!sorts_by_digits<std::pair<int, int>, std::less<std::pair<int, long>>>);
  static_assert(!sorts_by_digits<std::array<int, 2>, std::less<>>);
  static_assert(sorts_by_digits<std::pair<int, int>, thrust::greater<>>);
  const auto keys = random_keys<three>(5000, 3);
  auto sorted = keys;
  hindsight::sort(par, sorted);
  EXPECT_EQ(bytes_of(sorted), bytes_of(gathered(keys, places_in_order(keys))));
}

TEST(HostSortTuples, ProjectionsToTuples) {
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
