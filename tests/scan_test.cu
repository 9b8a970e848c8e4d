// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans on the GPU: each entry point against stock Thrust and against a loop on the CPU.
#include <hindsight/device_scan.cuh>
#include <hindsight/scan.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

template <class T, class Op>
std::vector<T> inclusive_on_cpu(std::vector<T> items, Op op) {
  for (std::size_t i = 1; i < items.size(); ++i) items[i] = op(items[i - 1], items[i]);
  return items;
}
template <class T, class Op>
std::vector<T> exclusive_on_cpu(std::vector<T> items, T init, Op op) {
  for (T& item : items) {
    const T before = init;
    init = op(init, item);
    item = before;
  }
  return items;
}
template <class T>
std::vector<std::size_t> sizes_of_scan() {
  using tuning = hindsight::detail::scan_tuning<T>;
  return sizes_of_look_back(tuning::shape.tile_items(), hindsight::detail::own_scan_tiles<T>);
}

template <class T>
struct ScanOf : testing::Test {};
using numbers = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                               std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(ScanOf, numbers);

TYPED_TEST(ScanOf, SumsEqualStock) {
  using T = TypeParam;
  for (const std::size_t n : sizes_of_scan<T>()) {
    for (const std::size_t shift : {0, 1}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", shift = " << shift);
      const auto items = random_items<T>(n);
      const device_array<T> in(items, shift), out(n, shift), stock_out(n, shift);

      thrust::inclusive_scan(stock, in.begin(), in.end(), stock_out.data());
      ASSERT_EQ(thrust::inclusive_scan(par, in.begin(), in.end(), out.data()), out.end());
      EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
      EXPECT_EQ(difference(out.to_host(), inclusive_on_cpu(items, wrapping_plus{})), "");
      EXPECT_TRUE(out.is_untouched(n));

      thrust::exclusive_scan(stock, in.begin(), in.end(), stock_out.data(), T(5));
      ASSERT_EQ(hindsight::exclusive_scan(par, in.begin(), in.end(), out.data(), T(5)), out.end());
      EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
      EXPECT_EQ(difference(out.to_host(), exclusive_on_cpu(items, T(5), wrapping_plus{})), "");

      thrust::inclusive_scan(par, in.begin(), in.end(), in.data());
      EXPECT_EQ(difference(in.to_host(), inclusive_on_cpu(items, wrapping_plus{})), "");
    }
  }
}

TEST(Scan, OfTwelveBytesByAnOperatorThatDoesNotCommute) {
  const affine init{3, 5, 7};
  for (const std::size_t n : sizes_of_scan<affine>()) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto items = random_items<affine>(n);
    const device_array<affine> in(items, 1), out(n, 1), stock_out(n, 1);

    thrust::inclusive_scan(stock, in.begin(), in.end(), stock_out.data(), compose{});
    thrust::inclusive_scan(par, in.begin(), in.end(), out.data(), compose{});
    EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
    EXPECT_EQ(difference(out.to_host(), inclusive_on_cpu(items, compose{})), "");

    thrust::exclusive_scan(stock, in.begin(), in.end(), stock_out.data(), init, compose{});
    thrust::exclusive_scan(par, in.begin(), in.end(), out.data(), init, compose{});
    EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
    EXPECT_EQ(difference(out.to_host(), exclusive_on_cpu(items, init, compose{})), "");

    out.fill_with_poison();
    std::size_t bytes = 0;
    check(hindsight::DeviceScan::InclusiveScanInit(nullptr, bytes, in.data(), out.data(), compose{},
                                                   init, n));
    const device_array<char> temp(bytes);
    check(hindsight::DeviceScan::InclusiveScanInit(temp.data(), bytes, in.data(), out.data(),
                                                   compose{}, init, n));
    auto with_init = items;
    if (n > 0) with_init[0] = compose{}(init, with_init[0]);
    EXPECT_EQ(difference(out.to_host(), inclusive_on_cpu(with_init, compose{})), "");

    thrust::exclusive_scan(par, in.begin(), in.end(), in.data(), init, compose{});
    EXPECT_EQ(difference(in.to_host(), stock_out.to_host()), "") << "in place";
  }
}

// The sum of a char is a char where no initial value says otherwise; with one, it decides.
TEST(Scan, AccumulatesInStocksTypes) {
  const std::size_t n = 100000;
  const device_array<std::int8_t> bytes(random_items<std::int8_t>(n));
  const device_array<std::int32_t> out(n), stock_out(n);
  thrust::inclusive_scan(stock, bytes.begin(), bytes.end(), stock_out.data());
  thrust::inclusive_scan(par, bytes.begin(), bytes.end(), out.data());
  EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
  thrust::exclusive_scan(stock, bytes.begin(), bytes.end(), stock_out.data(), 1000);
  thrust::exclusive_scan(par, bytes.begin(), bytes.end(), out.data(), 1000);
  EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
}

TEST(Scan, ThroughIterators) {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  for (const std::size_t n : {std::size_t{0}, std::size_t{777}, std::size_t{300001}}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto host_items = random_items<u32>(n);
    const thrust::device_vector<u32> in(host_items.begin(), host_items.end());
    std::vector<u64> expected(n), reversed(n);
    u64 sum = 0;
    for (std::size_t i = 0; i < n; ++i) expected[i] = sum += square{}(host_items[i]);

    thrust::device_vector<u64> out(n);
    const auto to_host = [&out] {
      std::vector<u64> items(out.size());
      thrust::copy(out.begin(), out.end(), items.begin());
      return items;
    };
    thrust::transform_inclusive_scan(par, in.begin(), in.end(), out.begin(), square{},
                                     thrust::plus<>{});
    EXPECT_EQ(difference(to_host(), expected), "") << "transform_inclusive_scan";

    const auto squares = thrust::make_transform_iterator(in.begin(), square{});
    hindsight::inclusive_scan(par, squares, squares + n, out.begin());
    EXPECT_EQ(difference(to_host(), expected), "") << "transform iterator";

    const auto numbers = thrust::make_counting_iterator(u64{0});
    const auto backwards = thrust::make_permutation_iterator(
        out.begin(), thrust::make_transform_iterator(numbers, from_the_end{n}));
    hindsight::inclusive_scan(par, squares, squares + n, backwards);
    auto got = to_host();
    EXPECT_EQ(difference(std::vector<u64>(got.rbegin(), got.rend()), expected), "")
        << "permutation iterator as output";

    hindsight::exclusive_scan(par, numbers, numbers + n, out.begin(), u64{1});
    for (std::size_t i = 0; i < n; ++i) expected[i] = 1 + i * (i - 1) / 2 * (i > 0);
    EXPECT_EQ(difference(to_host(), expected), "") << "counting iterator";

    const auto pairs = thrust::make_zip_iterator(in.begin(), numbers);
    thrust::transform_exclusive_scan(par, pairs, pairs + n, out.begin(), sum_of_pair{}, u64{9},
                                     thrust::plus<>{});
    sum = 9;
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = sum;
      sum += host_items[i] + i;
    }
    EXPECT_EQ(difference(to_host(), expected), "") << "zip iterator";

    hindsight::inclusive_scan(in, out.begin());  // no policy, a range
    u32 wrapped = 0;
    for (std::size_t i = 0; i < n; ++i) expected[i] = wrapped += host_items[i];
    EXPECT_EQ(difference(to_host(), expected), "") << "range";
  }
}

// Stock's bits differ from run to run here; ours must not, and rough_items makes every order show.
TEST(Scan, OfFloatsGivesOnePatternOfBits) {
  const std::size_t n = (1u << 22) + 3;
  const device_array<float> in(rough_items<float>(n)), out(n);
  hindsight::inclusive_scan(par, in.begin(), in.end(), out.data());
  const auto first = out.to_host();
  for (int run = 1; run < 50; ++run) {
    out.fill_with_poison();
    hindsight::inclusive_scan(par, in.begin(), in.end(), out.data());
    ASSERT_EQ(difference(out.to_host(), first), "") << "run " << run;
  }
  double sum = 0, magnitude = 0;
  const auto items = in.to_host();
  for (std::size_t i = 0; i < n; ++i) {
    sum += items[i];
    magnitude += std::abs(items[i]);
    ASSERT_NEAR(first[i], sum, 1e-5 * magnitude + 1e-6) << "item " << i;
  }
}

}  // namespace hindsight_test
