// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of what a function makes of floating-point numbers have stock's bits. A function that
// needs many registers leaves room for fewer of stock's blocks, and so changes its order; a product
// may be contracted with the sum that follows, as stock's is.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform_reduce.h>

#include "reduce_order_testing.h"

namespace hindsight_test {

template <class T>
struct ReduceOrder : testing::Test {};
using types = testing::Types<float, double, __half, __nv_bfloat16>;
TYPED_TEST_SUITE(ReduceOrder, types);

template <class T>
struct ReduceOrderOfHeavy : testing::Test {};
using wide_types = testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceOrderOfHeavy, wide_types);

template <class T>
struct square {
  HINDSIGHT_HD T operator()(T x) const { return x * x; }
};
template <class T>
struct sine {
  HINDSIGHT_HD T operator()(T x) const { return sin(x); }
};
template <class T>
struct power {
  HINDSIGHT_HD T operator()(T x) const { return pow(fabs(x), T(0.7)); }
};
struct scaled_difference {
  template <class T>
  HINDSIGHT_HD T operator()(const T& x, const T& y) const {
    return (x - y) * x;
  }
  template <class Pair>
  HINDSIGHT_HD auto operator()(const Pair& pair) const {
    return (*this)(thrust::get<0>(pair), thrust::get<1>(pair));
  }
};

/// transform_reduce of a pointer, aligned or not, and of device_vector's iterator.
template <class T, class Unary>
void expect_stocks_sums_of(Unary unary, double scale) {
  const auto lengths = lengths_around_grids<T>();
  const made_array<T> items(longest<T>() + 1, rough<T>{scale});
  for (const T* const first : {items.data(), items.data() + 1}) {
    expect_stocks_bits(lengths, [=](const auto& policy, std::size_t n) {
      return thrust::transform_reduce(policy, first, first + n, unary, T(0.1), thrust::plus<T>{});
    });
  }
  SCOPED_TRACE("device_vector");
  const thrust::device_vector<T> vector(items.begin(), items.end());
  expect_stocks_bits(lengths, [&](const auto& policy, std::size_t n) {
    return thrust::transform_reduce(policy, vector.begin(), vector.begin() + n, unary, T(0.1),
                                    thrust::plus<T>{});
  });
}

TYPED_TEST(ReduceOrder, OfSquares) {
  expect_stocks_sums_of<TypeParam>(square<TypeParam>{}, sizeof(TypeParam) == 2 ? 1e-5 : 1);
}
TYPED_TEST(ReduceOrderOfHeavy, Sines) {
  expect_stocks_sums_of<TypeParam>(sine<TypeParam>{},
                                   1e3);  // beyond the range that sin reduces cheaply
}
TYPED_TEST(ReduceOrderOfHeavy, Powers) {
  expect_stocks_sums_of<TypeParam>(power<TypeParam>{}, 1);
}

template <class T>
struct moments {
  T first, second, third;
  HINDSIGHT_HD friend moments operator+(const moments& a, const moments& b) {
    return {a.first + b.first, a.second + b.second, a.third + b.third};
  }
};
template <class T>
struct moments_of {
  HINDSIGHT_HD moments<T> operator()(T x) const { return {x, x * x, x * x * x}; }
};

// Threads take five floats each, which is no multiple of what an access could read.
TEST(ReduceOrderOfStructs, Moments) {
  using sums = moments<float>;
  const made_array<float> items(longest<sums>(), rough<float>{});
  expect_stocks_bits(lengths_around_grids<sums>(), [&](const auto& policy, std::size_t n) {
    return thrust::transform_reduce(policy, items.begin(), items.begin() + n, moments_of<float>{},
                                    sums{}, thrust::plus<sums>{});
  });
}

TYPED_TEST(ReduceOrder, OfInnerProducts) {
  using T = TypeParam;
  const double scale = sizeof(T) == 2 ? 1e-5 : 1;
  const made_array<T> a(longest<T>(), rough<T>{scale}), b(longest<T>(), rough<T>{scale}, 1);
  const auto lengths = lengths_around_grids<T>();
  expect_stocks_bits(lengths, [&](const auto& policy, std::size_t n) {
    return thrust::inner_product(policy, a.begin(), a.begin() + n, b.begin() + (b.size() - n),
                                 T(0.1));
  });
  expect_stocks_bits(lengths, [&](const auto& policy, std::size_t n) {
    return thrust::inner_product(policy, a.begin(), a.begin() + n, b.begin() + (b.size() - n),
                                 T(0.1), thrust::plus<>{}, scaled_difference{});
  });
}

TYPED_TEST(ReduceOrderOfHeavy, TransformIterators) {
  using T = TypeParam;
  const auto lengths = lengths_around_grids<T>();
  const auto made =
      thrust::make_transform_iterator(thrust::make_counting_iterator(std::size_t{0}), rough<T>{});
  expect_stocks_bits(lengths, [=](const auto& policy, std::size_t n) {
    return thrust::reduce(policy, made, made + n, T(0));
  });

  const made_array<T> a(longest<T>(), rough<T>{}), b(longest<T>(), near_one<T>{0.5});
  const auto pairs = thrust::make_zip_iterator(a.begin(), b.begin());
  const auto mapped = thrust::make_transform_iterator(pairs, scaled_difference{});
  expect_stocks_bits(lengths, [=](const auto& policy, std::size_t n) {
    return thrust::reduce(policy, mapped, mapped + n, T(0));
  });
  expect_stocks_bits(lengths, [=](const auto& policy, std::size_t n) {
    return thrust::transform_reduce(policy, pairs, pairs + n, scaled_difference{}, T(0),
                                    thrust::plus<T>{});
  });
}

// Stock's kernels for wide offsets.
TYPED_TEST(ReduceOrderOfHeavy, Above31Bits) {
  using T = TypeParam;
  const std::size_t n = (std::size_t{1} << 31) + 5;
  if (!is_room_for(n, sizeof(T))) GTEST_SKIP() << "too little free GPU memory";
  const made_array<T> items(n + 1, rough<T>{});
  for (const T* const first : {items.data(), items.data() + 1}) {
    expect_stocks_bits({n}, [=](const auto& policy, std::size_t n) {
      return thrust::transform_reduce(policy, first, first + n, square<T>{}, T(0.1),
                                      thrust::plus<T>{});
    });
    const T* const second = items.data() + (first == items.data());
    expect_stocks_bits({n}, [=](const auto& policy, std::size_t n) {
      return thrust::inner_product(policy, first, first + n, second, T(0.1));
    });
  }
  const auto near = thrust::make_transform_iterator(thrust::make_counting_iterator(std::size_t{0}),
                                                    near_one<T>{1e-5});
  expect_stocks_bits({n}, [=](const auto& policy, std::size_t n) {
    return thrust::reduce(policy, near, near + n, T(1), thrust::multiplies<T>{});
  });
}

}  // namespace hindsight_test
