// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on the GPU: each entry point against stock Thrust and against a loop on the CPU. Sums
// of floats have stock's bits, whatever they round to.
#include <hindsight/device_reduce.cuh>
#include <hindsight/reduce.h>

#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

template <class T>
struct ReduceOf : testing::Test {};
using numbers = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                               std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(ReduceOf, numbers);

// Tiles hold 2048 items of 8 bytes, 4096 of 4 and 16384 of one: stock's sizes.
std::vector<std::size_t> reduce_sizes() {
  auto sizes = sizes_around(4096);
  for (const std::size_t tile : {2048, 8192, 16384})
    sizes.insert(sizes.end(), {tile - 1, tile, tile + 1});
  return sizes;
}

TYPED_TEST(ReduceOf, SumsEqualStock) {
  using T = TypeParam;
  for (const std::size_t n : reduce_sizes()) {
    for (const std::size_t shift : {0, 1}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", shift = " << shift);
      const auto items = random_items<T>(n);
      const device_array<T> in(items, shift);
      T expected = T(5);
      for (const T item : items) expected = wrapping_sum(expected, item);
      EXPECT_EQ(thrust::reduce(stock, in.begin(), in.end(), T(5)), expected);
      EXPECT_EQ(thrust::reduce(par, in.begin(), in.end(), T(5)), expected);
      EXPECT_EQ(hindsight::reduce(par, in.begin(), in.end(), T(5)), expected);

      const device_array<T> out(1);
      hindsight::reduce_into(par, in.begin(), in.end(), out.data(), T(5));
      EXPECT_EQ(difference(out.to_host(), {expected}), "");
    }
  }
}

template <class T>
void expect_stocks_bits(std::size_t n) {
  const auto items = rough_items<T>(n);
  for (const std::size_t shift : {0, 1, 2, 4}) {
    SCOPED_TRACE(testing::Message() << "n = " << n << ", shift = " << shift);
    const device_array<T> in(items, shift);
    const T init = T(0.1);
    EXPECT_EQ(difference_of_values(thrust::reduce(par, in.begin(), in.end(), init),
                                   thrust::reduce(stock, in.begin(), in.end(), init)),
              "");
  }
  SCOPED_TRACE(testing::Message() << "n = " << n << ", device_vector");
  const thrust::device_vector<T> in(items.begin(), items.end());
  EXPECT_EQ(difference_of_values(thrust::reduce(par, in.begin(), in.end(), T(0.1)),
                                 thrust::reduce(stock, in.begin(), in.end(), T(0.1))),
            "");
}

TEST(Reduce, OfFloatsHasStocksBits) {
  for (const std::size_t n : reduce_sizes()) expect_stocks_bits<float>(n);
  expect_stocks_bits<float>((1u << 22) + 3);
  expect_stocks_bits<float>(2 * 5280 * 4096 + 4097);  // more tiles than stock has blocks
}
TEST(Reduce, OfDoublesHasStocksBits) {
  for (const std::size_t n : reduce_sizes()) expect_stocks_bits<double>(n);
  expect_stocks_bits<double>(2 * 5280 * 2048 + 2049);
}

// init decides in what type stock adds.
TEST(Reduce, AccumulatesInStocksTypes) {
  const std::size_t n = 100000;
  const device_array<std::int8_t> bytes(random_items<std::int8_t>(n));
  EXPECT_EQ(thrust::reduce(par, bytes.begin(), bytes.end()),
            thrust::reduce(stock, bytes.begin(), bytes.end()));
  EXPECT_EQ(thrust::reduce(par, bytes.begin(), bytes.end(), 0),
            thrust::reduce(stock, bytes.begin(), bytes.end(), 0));
  const device_array<float> floats(rough_items<float>(n));
  EXPECT_EQ(thrust::reduce(par, floats.begin(), floats.end(), 0),
            thrust::reduce(stock, floats.begin(), floats.end(), 0));
  EXPECT_EQ(thrust::reduce(par, floats.begin(), floats.end(), 0.0),
            thrust::reduce(stock, floats.begin(), floats.end(), 0.0));
}

TEST(Reduce, OfTwelveBytes) {
  for (const std::size_t n : reduce_sizes()) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto items = random_items<affine>(n);
    const device_array<affine> in(items, 1);
    const affine init{3, 5, 7};
    affine expected = init;
    for (const affine& item : items) expected = add_words{}(expected, item);
    EXPECT_EQ(difference_of_values(thrust::reduce(par, in.begin(), in.end(), init, add_words{}),
                                   expected),
              "");

    // Stock's reduce wants an operator that commutes; given another, ours still folds as it does.
    EXPECT_EQ(difference_of_values(thrust::reduce(par, in.begin(), in.end(), init, compose{}),
                                   thrust::reduce(stock, in.begin(), in.end(), init, compose{})),
              "");
  }
}

/// Nobody may take its address by &, as stock's kernel does.
struct without_address {
  std::uint32_t number;
  HINDSIGHT_HD void operator&() const = delete;
};
struct add_without_address {
  HINDSIGHT_HD without_address operator()(without_address a, without_address b) const {
    return {a.number + b.number};
  }
};

/// Thrust's own calls do not compile with such items: in kernels they take addresses.
TEST(Reduce, OfItemsWithoutAnAddress) {
  for (const std::size_t n : reduce_sizes()) {
    std::vector<without_address> items;
    std::uint32_t expected = 3;
    for (const std::uint32_t number : random_items<std::uint32_t>(n)) {
      items.push_back({number});
      expected += number;
    }
    const device_array<without_address> in(items), sum(1);
    std::size_t bytes = 0;
    const auto reduce = [&](void* temp) {
      check(hindsight::DeviceReduce::Reduce(temp, bytes, in.begin(), sum.data(), int(n),
                                            add_without_address{}, without_address{3}));
    };
    reduce(nullptr);
    const device_array<char> temp(bytes);
    reduce(temp.data());
    EXPECT_EQ(sum.to_host()[0].number, expected) << n;
  }
}

/// True is 4 here: stock's CUDA backend would count fourfold.
struct third_bit {
  HINDSIGHT_HD int operator()(std::uint32_t item) const { return static_cast<int>(item & 4); }
};

TEST(Reduce, TheOtherReductionsAndIterators) {
  using u64 = std::uint64_t;
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{777}, std::size_t{300001}}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto items = random_items<std::uint32_t>(n);
    const thrust::device_vector<std::uint32_t> in(items.begin(), items.end());
    u64 squares = 1, weighted = 2, pairs = 3, odd = 0, sevens = 0;
    std::uint32_t largest = 4, every_third = 5;
    u64 with_third_bit = 0;
    for (std::size_t i = 0; i < n; ++i) {
      squares += square{}(items[i]);
      weighted += items[i] * u64(i);
      pairs += items[i] + u64(i);
      odd += items[i] % 2;
      with_third_bit += (items[i] & 4) != 0;
      sevens += items[i] == items[n / 2];
      largest = std::max(largest, items[i]);
      if (3 * i < n) every_third += items[3 * i];
    }
    const auto numbers = thrust::make_counting_iterator(u64{0});
    EXPECT_EQ(
        thrust::transform_reduce(par, in.begin(), in.end(), square{}, u64{1}, thrust::plus<>{}),
        squares);
    EXPECT_EQ(thrust::inner_product(par, numbers, numbers + n, in.begin(), u64{2}), weighted);
    const auto zipped = thrust::make_zip_iterator(in.begin(), numbers);
    EXPECT_EQ(hindsight::transform_reduce(par, zipped, zipped + n, sum_of_pair{}, u64{3},
                                          thrust::plus<>{}),
              pairs);
    EXPECT_EQ(u64(thrust::count_if(par, in.begin(), in.end(), is_odd{})), odd);
    EXPECT_EQ(u64(thrust::count_if(par, in.begin(), in.end(), third_bit{})), with_third_bit);
    if (n > 0) {
      EXPECT_EQ(u64(thrust::count(par, in.begin(), in.end(), items[n / 2])), sevens);
    }
    EXPECT_EQ(hindsight::reduce(in, std::uint32_t{4}, thrust::maximum<>{}), largest) << "range";
    EXPECT_EQ(hindsight::reduce(par, numbers, numbers + n, u64{0}),
              n == 0 ? 0 : u64(n) * (n - 1) / 2);
    const auto thirds = thrust::make_transform_iterator(numbers, thrust::placeholders::_1 * 3);
    const auto third_items = thrust::make_permutation_iterator(in.begin(), thirds);
    EXPECT_EQ(hindsight::reduce(par, third_items, third_items + (n + 2) / 3, std::uint32_t{5}),
              every_third);
  }
}

/// The room is what a call on the whole array asks for.
template <class T>
void expect_sums_from_anywhere() {
  for (const std::size_t n : {20, 1000, 65537, 1000003}) {
    const auto items = random_items<T>(n);
    const device_array<T> in(items), out(1);
    std::size_t bytes = 0;
    check(hindsight::DeviceReduce::Sum(nullptr, bytes, in.data(), out.data(), n));
    const device_array<char> temp(bytes);
    for (const std::size_t skipped : {0, 1, 2, 3, 5, 8, 15, 16, 17, 19}) {
      check(hindsight::DeviceReduce::Sum(temp.data(), bytes, in.data() + skipped, out.data(),
                                         n - skipped));
      const T sum = std::accumulate(items.begin() + std::ptrdiff_t(skipped), items.end(), T{},
                                    [](T a, T b) { return T(a + b); });
      EXPECT_EQ(out.to_host()[0], sum) << n << " items, without the first " << skipped;
    }
  }
}
TEST(Reduce, OfArraysThatBeginAnywhere) {
  expect_sums_from_anywhere<std::uint8_t>();
  expect_sums_from_anywhere<std::uint16_t>();
  expect_sums_from_anywhere<std::uint32_t>();
  expect_sums_from_anywhere<std::uint64_t>();
}

TEST(Reduce, InCubsShape) {
  const std::size_t n = 300001;
  const auto items = random_items<std::int32_t>(n);
  const device_array<std::int32_t> in(items), out(1);
  std::size_t bytes = 0;
  check(hindsight::DeviceReduce::Min(nullptr, bytes, in.data(), out.data(), n));
  const device_array<char> temp(bytes);
  check(hindsight::DeviceReduce::Min(temp.data(), bytes, in.data(), out.data(), n));
  EXPECT_EQ(out.to_host()[0], *std::min_element(items.begin(), items.end()));
}

}  // namespace hindsight_test
