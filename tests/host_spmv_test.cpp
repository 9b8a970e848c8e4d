// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Sparse matrix times vector on host threads, against plain loops.
#include <hindsight/spmv.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include "sparse_testing.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::host::par;

struct least {
  double operator()(double a, double b) const { return b < a ? b : a; }
};

TEST(HostSpmv, EqualsPlainLoops) {
  for (const std::size_t num_rows : {1u, 7u, 3000u}) {
    const sparse_case<float> a(num_rows, 2000, 1);
    const auto expected = a.times_x(0.f, std::plus<float>{}, std::multiplies<float>{});
    std::vector<float> y(num_rows, -1e9f);
    EXPECT_EQ(hindsight::spmv(par, hindsight::csr(a.offsets, a.columns, a.values), a.x.begin(),
                              y.begin()),
              y.end());
    EXPECT_EQ(y, expected);
    std::vector<float> z(num_rows, -1e9f);
    EXPECT_EQ(hindsight::spmv(par, hindsight::coo(num_rows, a.rows, a.columns, a.values),
                              a.x.begin(), z.begin()),
              z.end());
    EXPECT_EQ(z, expected);
  }
}

/// Made of anything, also, by a better match than the copy constructor, of an item that is not
/// const.
struct made_of_anything {
  double value = 0;
  made_of_anything() = default;
  made_of_anything(const made_of_anything&) = default;
  template <class T>
  made_of_anything(T&&) : value{-100} {}
};

TEST(HostSpmv, ItemsMadeOfAnythingAreCopied) {
  const std::vector<int> offsets{0, 1, 3}, columns{0, 0, 1};
  std::vector<made_of_anything> values(3), x(2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i].value = double(i + 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i].value = double(10 * i + 10);
  std::vector<double> y(2);
  const auto times = [](const made_of_anything& a, const made_of_anything& b) {
    return a.value * b.value;
  };
  hindsight::spmv(par, hindsight::csr(offsets, columns, values), x.begin(), y.begin(), 0.0,
                  std::plus<double>{}, times);
  EXPECT_EQ(y, (std::vector<double>{10, 80}));
}

TEST(HostSpmv, WithoutAPolicy) {
  const sparse_case<float> a(3000, 700, 6);
  const std::plus<float> plus;
  const std::multiplies<float> times;
  std::vector<float> y(a.num_rows), z(a.num_rows);
  EXPECT_EQ(hindsight::spmv(hindsight::csr(a.offsets, a.columns, a.values), a.x.begin(), y.begin()),
            y.end());
  EXPECT_EQ(y, a.times_x(0.f, plus, times));
  hindsight::spmv(hindsight::coo(a.num_rows, a.rows, a.columns, a.values), a.x.begin(), z.begin(),
                  1.f, plus, times);
  EXPECT_EQ(z, a.times_x(1.f, plus, times));
}

TEST(HostSpmv, OfArrays) {
  const int offsets[] = {0, 1, 3}, rows[] = {0, 1, 1}, columns[] = {1, 0, 1};
  const float values[] = {2, 3, 4}, x[] = {10, 1};
  std::vector<float> y(2), z(2);
  hindsight::spmv(hindsight::csr(offsets, columns, values), x, y.begin());
  hindsight::spmv(hindsight::coo(2, rows, columns, values), x, z.begin());
  EXPECT_EQ(y, (std::vector<float>{2, 34}));
  EXPECT_EQ(z, y);
}

TEST(HostSpmv, SumsAreOfTheTypeThatPlusGives) {
  const int offsets[] = {0, 3}, columns[] = {0, 0, 0};
  const signed char values[] = {100, 100, 90}, x[] = {1}, zero = 1;
  std::vector<long> y(1);
  hindsight::spmv(par, hindsight::csr(offsets, columns, values), x, y.begin(), zero, std::plus<>{},
                  std::multiplies<>{});
  EXPECT_EQ(y[0], 291);
  hindsight::spmv(par, hindsight::csr(offsets, columns, values), x, y.begin(), zero,
                  std::plus<signed char>{}, std::multiplies<>{});
  EXPECT_EQ(y[0], 35);
}

struct times_of_one_type {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a * b;
  }
};

// `times` gets items of device_vectors, and no device_references.
TEST(HostSpmv, OfDeviceVectors) {
  const sparse_case<float> a(3000, 700, 6);
  const thrust::device_vector<float> values(a.values.begin(), a.values.end()),
      x(a.x.begin(), a.x.end());
  const thrust::device_vector<int> offsets(a.offsets.begin(), a.offsets.end()),
      columns(a.columns.begin(), a.columns.end());
  std::vector<float> y(a.num_rows);
  hindsight::spmv(par, hindsight::csr(offsets, columns, values), x.begin(), y.begin(), 1.f,
                  std::plus<float>{}, times_of_one_type{});
  EXPECT_EQ(y, a.times_x(1.f, std::plus<float>{}, std::multiplies<float>{}));
}

TEST(HostSpmv, OfAnySemiring) {
  const sparse_case<float> a(2000, 500, 2);  // floats, multiplied and added in double precision
  const double zero = std::numeric_limits<double>::infinity();
  const auto expected = a.times_x(zero, least{}, std::plus<double>{});
  std::vector<double> y(a.num_rows, -1e9);
  hindsight::spmv(par, hindsight::csr(a.offsets, a.columns, a.values), a.x.begin(), y.begin(), zero,
                  least{}, std::plus<double>{});
  EXPECT_EQ(y, expected);
}

TEST(HostSpmv, DoublesAndMixedPrecision) {
  const sparse_case<double> a(3000, 700, 4);
  std::vector<double> y(a.num_rows, -1e9);
  hindsight::spmv(par, hindsight::csr(a.offsets, a.columns, a.values), a.x.begin(), y.begin());
  EXPECT_EQ(y, a.times_x(0.0, std::plus<double>{}, std::multiplies<double>{}));
  // Floats times floats in double precision: in single precision some sums would be rounded.
  sparse_case<float> mixed(3000, 700, 5);
  for (float& value : mixed.values) value *= 4097;
  for (float& x : mixed.x) x *= 4099;
  const auto expected = mixed.times_x(0.0, std::plus<double>{}, std::multiplies<double>{});
  hindsight::spmv(par, hindsight::coo(mixed.num_rows, mixed.rows, mixed.columns, mixed.values),
                  mixed.x.begin(), y.begin(), 0.0, std::plus<double>{}, std::multiplies<double>{});
  EXPECT_EQ(y, expected);
  EXPECT_TRUE(std::any_of(y.begin(), y.end(), [](double sum) { return sum != float(sum); }));
}

/// Operators that change an operand.
struct add_to {
  float operator()(float& a, float b) const { return a += b; }
};
struct scale {
  float operator()(float& a, float& b) const { return b = a *= b; }
};

TEST(HostSpmv, OperatorsThatChangeTheirOperandsGetCopies) {
  sparse_case<float> a(3000, 700, 5);
  const auto expected = a.times_x(0.f, std::plus<float>{}, std::multiplies<float>{});
  const auto values = a.values, x = a.x;
  std::vector<float> y(a.num_rows);
  hindsight::spmv(par, hindsight::csr(a.offsets, a.columns, a.values), a.x.begin(), y.begin(), 0.f,
                  add_to{}, scale{});
  EXPECT_EQ(y, expected);
  EXPECT_EQ(a.values, values);
  EXPECT_EQ(a.x, x);
}

TEST(HostSpmv, NoRows) {
  const std::vector<int> offsets{0}, none;
  std::vector<float> y(1, 7);
  const std::vector<float> values;
  EXPECT_EQ(hindsight::spmv(par, hindsight::csr(offsets, none, values), y.begin(), y.begin()),
            y.begin());
  EXPECT_EQ(y[0], 7);
}

TEST(HostSpmv, WritesWhereIteratorsOnlyWrite) {
  const sparse_case<float> a(3000, 700, 6);
  std::vector<float> y(a.num_rows);
  const auto write = [&](std::size_t row, float sum) { y[row] = sum; };
  hindsight::spmv(par, hindsight::csr(a.offsets, a.columns, a.values), a.x.begin(),
                  thrust::make_tabulate_output_iterator(write));
  EXPECT_EQ(y, a.times_x(0.f, std::plus<float>{}, std::multiplies<float>{}));
}

}  // namespace hindsight_test
