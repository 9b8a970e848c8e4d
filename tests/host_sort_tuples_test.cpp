// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Sorts on host threads by pairs, tuples and arrays of numbers: the order of std::stable_sort, and
// each zero keeps its sign.
#include <hindsight/detail/host/sort.h>

#include <cuda/std/array>
#include <thrust/functional.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>

#include "order_testing.h"
#include "tuples_testing.h"
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace host = hindsight::detail::host;
using hindsight_test::bytes_of;
using hindsight_test::gathered;
using hindsight_test::places_in_order;
using hindsight_test::random_keys;
template <class... Ts>
using tuple = thrust::tuple<Ts...>;

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
                   tuple<float>, ::cuda::std::array<unsigned char, 11>,
                   std::tuple<std::int16_t, bool, double>, std::array<float, 3>>;
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
/// and values that are not trivially copyable.
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

}  // namespace
