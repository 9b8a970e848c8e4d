// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// min_element, max_element and minmax_element on the GPU, against stock and a loop on the CPU.
#include <hindsight/extrema.h>

#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/iterator/counting_iterator.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

template <class T>
struct ExtremaOf : testing::Test {};
using types = testing::Types<std::int8_t, std::uint32_t, double>;
TYPED_TEST_SUITE(ExtremaOf, types);

template <class T, class Less>
void expect_as_stock(const std::vector<T>& items, Less less) {
  const device_array<T> in(items, 1);
  const T* const first = in.begin();
  const T* const last = in.end();
  const auto least = std::min_element(items.begin(), items.end(), less) - items.begin();
  const auto greatest = std::max_element(items.begin(), items.end(), less) - items.begin();
  EXPECT_EQ(thrust::min_element(par, first, last, less) - first, least);
  EXPECT_EQ(thrust::max_element(par, first, last, less) - first, greatest);
  const auto both = thrust::minmax_element(par, first, last, less);
  EXPECT_EQ(both.first - first, least);
  EXPECT_EQ(both.second - first, greatest);
  if constexpr (std::is_same_v<Less, less_by_tens> && std::is_same_v<T, std::uint32_t>) {
    EXPECT_EQ(both, thrust::minmax_element(stock, first, last, less));
  }
}

TYPED_TEST(ExtremaOf, EqualStock) {
  using T = TypeParam;
  for (const std::size_t n : sizes_around(2048)) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    expect_as_stock(random_items<T>(n), std::less<T>{});
    expect_as_stock(random_items<T>(n), less_by_tens{});  // many equivalent ones
    expect_as_stock(items_in_runs<T>(n, runs::all_equal), std::less<T>{});
  }
}

/// The extremes at every place of a range of a few tiles, and at the end of a long one.
TEST(Extrema, AreFoundWhereverTheyAre) {
  thrust::device_vector<int> in(9001, 5);
  for (std::size_t i = 0; i < in.size(); i += 97) {
    in[i] = i % 2 == 0 ? 9 : 1;
    const auto both = hindsight::minmax_element(in);  // no policy
    EXPECT_EQ((i % 2 == 0 ? both.second : both.first) - in.begin(), std::ptrdiff_t(i));
    in[i] = 5;
  }
  const thrust::counting_iterator<long long> zero(0);
  const long long n = (1LL << 32) + 5;
  EXPECT_EQ(hindsight::max_element(par, zero, zero + n) - zero, n - 1);
  EXPECT_EQ(hindsight::min_element(par, zero, zero + n, less_by_tens{}) - zero, 0);
}

/// Braces around one of them make a list, as with many types of JSON values.
struct makes_lists {
  int value = 0;
  makes_lists() = default;
  HINDSIGHT_HD makes_lists(int number) : value{number} {}
  HINDSIGHT_HD makes_lists(std::initializer_list<makes_lists>) : value{-1} {}
  friend HINDSIGHT_HD bool operator<(const makes_lists& a, const makes_lists& b) {
    return a.value < b.value;
  }
};

TEST(Extrema, OfItemsThatMakeLists) {
  std::vector<makes_lists> items(5000, makes_lists(5));
  items[1700] = 9;
  items[4321] = 1;
  const device_array<makes_lists> in(items);
  const makes_lists *const first = in.begin(), *const last = in.end();
  EXPECT_EQ(thrust::min_element(par, first, last) - first, 4321);
  EXPECT_EQ(thrust::max_element(par, first, last) - first, 1700);
  const auto both = thrust::minmax_element(par, first, last);
  EXPECT_EQ(both.first - first, 4321);
  EXPECT_EQ(both.second - first, 1700);
}

TEST(Extrema, RefuseReversedRanges) {
  const thrust::device_vector<int> in(5);
  EXPECT_THROW(thrust::min_element(par, in.end(), in.begin()), hindsight::invalid_call);
  EXPECT_THROW(thrust::max_element(par, in.end(), in.begin()), hindsight::invalid_call);
  EXPECT_THROW(thrust::minmax_element(par, in.end(), in.begin()), hindsight::invalid_call);
}

}  // namespace hindsight_test
