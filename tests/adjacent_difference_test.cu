// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// adjacent_difference on the GPU, in place too, against stock and a loop on the CPU.
#include <hindsight/adjacent_difference.h>

#include <cuda/std/functional>
#include <thrust/adjacent_difference.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

template <class T>
struct AdjacentDifferenceOf : testing::Test {};
using types = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, double>;
TYPED_TEST_SUITE(AdjacentDifferenceOf, types);

TYPED_TEST(AdjacentDifferenceOf, EqualsStock) {
  using T = TypeParam;
  constexpr std::size_t tile = hindsight::detail::select_tuning<T>::shape.tile_items();
  for (const std::size_t n : sizes_around(tile)) {
    for (const std::size_t shift : {0, 1}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", shift " << shift);
      const auto items = random_items<T>(n);
      auto expected = items;
      for (std::size_t i = 1; i < n; ++i) expected[i] = mix{}(items[i], items[i - 1]);
      const device_array<T> in(items, shift), out(n, shift), stock_out(n, shift);
      EXPECT_EQ(thrust::adjacent_difference(par, in.begin(), in.end(), out.data(), mix{}),
                out.end());
      EXPECT_EQ(difference(out.to_host(), expected), "");
      EXPECT_TRUE(out.is_untouched(n));
      thrust::adjacent_difference(par, in.begin(), in.end(), out.data());
      thrust::adjacent_difference(stock, in.begin(), in.end(), stock_out.data());
      EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
      hindsight::adjacent_difference(par, in.begin(), in.end(), in.data(), mix{});
      EXPECT_EQ(difference(in.to_host(), expected), "") << "in place";
      EXPECT_TRUE(in.is_untouched(n));
    }
  }
}

/// Many times, because what a tile must not read too late is only sometimes overwritten early.
TEST(AdjacentDifference, InPlaceManyTimes) {
  constexpr std::size_t n = 3000001;
  const auto items = random_items<std::uint32_t>(n);
  auto expected = items;
  for (std::size_t i = 1; i < n; ++i) expected[i] = mix{}(items[i], items[i - 1]);
  const device_array<std::uint32_t> data(n);
  for (int i = 0; i < 20; ++i) {
    data.assign(items);
    hindsight::adjacent_difference(par, data.begin(), data.end(), data.begin(), mix{});
    ASSERT_EQ(difference(data.to_host(), expected), "");
  }
}

// The first item is copied by way of the type that the operator returns.
TEST(AdjacentDifference, OperatorsOfOtherTypes) {
  const auto items = random_items<std::uint32_t>(70001);
  const device_array<std::uint32_t> in(items);
  const auto expect_same = [&](auto op) {
    const device_array<double> out(items.size()), stock_out(items.size());
    thrust::adjacent_difference(par, in.begin(), in.end(), out.data(), op);
    thrust::adjacent_difference(stock, in.begin(), in.end(), stock_out.data(), op);
    EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
  };
  expect_same(::cuda::std::not_equal_to<>{});
  expect_same(thrust::minus<float>{});
  expect_same(thrust::minus<std::int16_t>{});
}

TEST(AdjacentDifference, RangesAndIterators) {
  thrust::device_vector<long long> out(100000, 7);
  const thrust::counting_iterator<long long> five(5);
  hindsight::adjacent_difference(par, five, five + 100000, out.begin());
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[99999], 1);
  hindsight::adjacent_difference(out, out.begin());  // no policy
  EXPECT_EQ(out[1], -4);
  EXPECT_EQ(out[99999], 0);
  EXPECT_THROW(thrust::adjacent_difference(par, out.end(), out.begin(), out.begin()),
               hindsight::invalid_call);
}

}  // namespace hindsight_test
