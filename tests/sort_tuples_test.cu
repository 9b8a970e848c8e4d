// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the GPU of pairs and tuples of integers, of which the radix sort makes one number
// each: against stock Thrust, which merges, and against a stable sort on the CPU.
#include <hindsight/sort.h>

#include <cuda/std/tuple>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>

#include "sort_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;
const std::size_t sizes[] = {0, 1, 2, 1000, 70001, 1300001};

template <class Key>
struct TuplesOf : testing::Test {};
using keys_of_two_and_three =
    testing::Types<thrust::pair<std::int32_t, std::uint32_t>,
                   thrust::tuple<std::int32_t, std::int64_t, std::uint16_t>>;
TYPED_TEST_SUITE(TuplesOf, keys_of_two_and_three);

/// Values of few bits among them, so that later members decide.
struct random_members {
  std::mt19937_64 random{17};
  template <class Member>
  void operator()(Member& member) {
    const std::uint64_t bits = random();
    member = static_cast<Member>(bits % 3 == 0 ? bits >> 32 & 3 : bits >> 8);
  }
};

template <class Key>
std::vector<Key> random_tuples(std::size_t n) {
  std::vector<Key> keys(n);
  random_members fill;
  for (Key& key : keys) ::cuda::std::apply([&](auto&... each) { (fill(each), ...); }, key);
  return keys;
}

template <class T>
bool equal(const thrust::device_vector<T>& got, const std::vector<T>& expected) {
  return thrust::host_vector<T>(got) == thrust::host_vector<T>(expected.begin(), expected.end());
}

TYPED_TEST(TuplesOf, Integers) {
  using Key = TypeParam;
  static_assert(hindsight::detail::is_composite_sortable<Key, thrust::less<Key>>);
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto keys = random_tuples<Key>(n);
    auto places = places_in_order(keys);
    thrust::device_vector<Key> sorted(keys.begin(), keys.end());
    thrust::device_vector<unsigned> values(n);
    thrust::sequence(values.begin(), values.end());
    thrust::sort_by_key(par, sorted.begin(), sorted.end(), values.begin());
    EXPECT_TRUE(equal(sorted, gathered(keys, places)));
    EXPECT_TRUE(equal(values, places)) << "equal keys keep their order";

    thrust::stable_sort(par, sorted.begin(), sorted.end(), thrust::greater<Key>{});
    std::reverse(places.begin(), places.end());
    EXPECT_TRUE(equal(sorted, gathered(keys, places))) << "descending";
  }
}

TEST(Tuples, AsStockHasThem) {
  using Key = thrust::pair<std::int16_t, std::uint8_t>;
  const std::size_t n = 70001;
  const auto keys = random_tuples<Key>(n);
  thrust::device_vector<Key> ours(keys.begin(), keys.end()), theirs = ours;
  thrust::device_vector<unsigned> our_values(n), their_values(n);
  thrust::sequence(our_values.begin(), our_values.end());
  thrust::sequence(their_values.begin(), their_values.end());
  thrust::stable_sort_by_key(par, ours.begin(), ours.end(), our_values.begin());
  thrust::stable_sort_by_key(stock, theirs.begin(), theirs.end(), their_values.begin());
  EXPECT_TRUE(ours == theirs);
  EXPECT_TRUE(our_values == their_values);
}

TEST(Tuples, OfZippedRanges) {
  const std::size_t n = 300007;
  const auto random = random_keys<std::uint32_t>(2 * n, values::of_all_bits);
  std::vector<std::pair<std::uint16_t, std::int32_t>> expected(n);
  for (std::size_t i = 0; i < n; ++i)
    expected[i] = {std::uint16_t(random[2 * i] & 7), std::int32_t(random[2 * i + 1])};
  thrust::host_vector<std::uint16_t> high(n);
  thrust::host_vector<std::int32_t> low(n);
  for (std::size_t i = 0; i < n; ++i) high[i] = expected[i].first, low[i] = expected[i].second;
  thrust::device_vector<std::uint16_t> first = high;
  thrust::device_vector<std::int32_t> second = low;
  const auto zipped = thrust::make_zip_iterator(first.begin(), second.begin());
  thrust::sort(par, zipped, zipped + n);
  std::sort(expected.begin(), expected.end());
  high = first;
  low = second;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(high[i], expected[i].first) << i;
    ASSERT_EQ(low[i], expected[i].second) << i;
  }
}

}  // namespace hindsight_test
