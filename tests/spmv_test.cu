// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrix times vector on the GPU: against plain loops where sums are exact, else against the
// host engine's bits.
#include <hindsight/spmv.h>

#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include "gpu_testing.h"
#include "sparse_testing.h"
#include <cmath>
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;

struct least {
  HINDSIGHT_HD double operator()(double a, double b) const { return b < a ? b : a; }
};
struct sum {
  HINDSIGHT_HD double operator()(double a, double b) const { return a + b; }
};

template <class T>
struct device_case {
  device_array<std::uint32_t> rows, offsets;
  device_array<int> columns;
  device_array<T> values, x;
  explicit device_case(const sparse_case<T>& a)
      : rows(a.rows), offsets(a.offsets), columns(a.columns), values(a.values), x(a.x) {}
  auto csr() const {
    return hindsight::csr(offsets.begin(), offsets.end(), columns.begin(), values.begin());
  }
};

TEST(Spmv, EqualsPlainLoops) {
  for (const std::size_t num_rows : {1u, 7u, 30'000u}) {
    const sparse_case<float> a(num_rows, 3000, 1);
    const device_case<float> on_device(a);
    const auto expected =
        a.times_x(0.f, ::cuda::std::plus<float>{}, ::cuda::std::multiplies<float>{});
    const device_array<float> y(num_rows);
    EXPECT_EQ(hindsight::spmv(par, on_device.csr(), on_device.x.begin(), y.begin()), y.end());
    EXPECT_EQ(difference(y.to_host(), expected), "");
    y.fill_with_poison();
    hindsight::spmv(par,
                    hindsight::coo(num_rows, on_device.rows.begin(), on_device.rows.end(),
                                   on_device.columns.begin(), on_device.values.begin()),
                    on_device.x.begin(), y.begin());
    EXPECT_EQ(difference(y.to_host(), expected), "");
  }
}

TEST(Spmv, OfAnySemiring) {
  const sparse_case<float> a(2000, 500, 2);
  const device_case<float> on_device(a);
  const double zero = std::numeric_limits<double>::infinity();
  const device_array<double> y(a.num_rows);
  hindsight::spmv(par, on_device.csr(), on_device.x.begin(), y.begin(), zero, least{}, sum{});
  EXPECT_EQ(difference(y.to_host(), a.times_x(zero, least{}, sum{})), "");
}

// Where iterators say, which raw pointers do not.
TEST(Spmv, WithoutAPolicy) {
  const sparse_case<float> a(3000, 700, 6);
  const thrust::device_vector<std::uint32_t> offsets = a.offsets;
  const thrust::device_vector<int> columns = a.columns;
  const thrust::device_vector<float> values = a.values, x = a.x;
  thrust::device_vector<float> y(a.num_rows);
  hindsight::spmv(hindsight::csr(offsets, columns, values), x.begin(), y.begin());
  std::vector<float> found(a.num_rows);
  thrust::copy(y.begin(), y.end(), found.begin());
  EXPECT_EQ(found, a.times_x(0.f, ::cuda::std::plus<float>{}, ::cuda::std::multiplies<float>{}));
}

// Doubles; and floats times floats in double precision.
TEST(Spmv, DoublesAndMixedPrecision) {
  const sparse_case<double> a(30'000, 7000, 4);
  const device_case<double> on_device(a);
  const device_array<double> y(a.num_rows);
  hindsight::spmv(par, on_device.csr(), on_device.x.begin(), y.begin());
  const ::cuda::std::plus<double> plus;
  const ::cuda::std::multiplies<double> times;
  EXPECT_EQ(difference(y.to_host(), a.times_x(0.0, plus, times)), "");

  sparse_case<float> rough(30'000, 7000, 5);
  rough.values = rough_items<float>(rough.values.size());
  rough.x = rough_items<float>(rough.x.size(), 5);
  const device_case<float> rough_on_device(rough);
  std::vector<double> expected(rough.num_rows);
  hindsight::spmv(hindsight::host::par, hindsight::csr(rough.offsets, rough.columns, rough.values),
                  rough.x.begin(), expected.begin(), 0.0, plus, times);
  for (int run = 0; run < 3; ++run) {
    y.fill_with_poison();
    hindsight::spmv(par, rough_on_device.csr(), rough_on_device.x.begin(), y.begin(), 0.0, plus,
                    times);
    EXPECT_EQ(difference(y.to_host(), expected), "");
  }
  // Products that were rounded to floats would be wrong in the eighth digit.
  const auto sums = rough.times_x(0.0, plus, times);
  const auto sizes = rough.times_x(0.0, plus, [](double a, double b) { return std::abs(a * b); });
  for (std::size_t row = 0; row < sums.size(); ++row)
    ASSERT_NEAR(expected[row], sums[row], 1e-11 * sizes[row]) << row;
}

TEST(Spmv, RoughFloatsHaveTheBitsOfTheHost) {
  sparse_case<float> a(200'000, 40'000, 3);
  a.values = rough_items<float>(a.values.size());
  a.x = rough_items<float>(a.x.size(), 5);
  const device_case<float> on_device(a);
  std::vector<float> expected(a.num_rows);
  hindsight::spmv(hindsight::host::par, hindsight::csr(a.offsets, a.columns, a.values), a.x.begin(),
                  expected.begin());
  const device_array<float> y(a.num_rows);
  for (int run = 0; run < 3; ++run) {
    y.fill_with_poison();
    hindsight::spmv(par, on_device.csr(), on_device.x.begin(), y.begin());
    EXPECT_EQ(difference(y.to_host(), expected), "");
  }
}

}  // namespace hindsight_test
