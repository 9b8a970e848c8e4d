// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of floating-point numbers have stock's bits, whatever they round to: all lengths,
// kinds of iterators, operators and types. Transforms: reduce_order_transform_test.cu.
#include <hindsight/device_reduce.cuh>

#include <cub/device/device_reduce.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include "reduce_order_testing.h"
#include <numeric>

namespace hindsight_test {

using thrust::reduce;
namespace ours = hindsight::detail::cuda;

#if CCCL_VERSION >= 3000000 && CCCL_VERSION < 3001000

// The rules in stock_reduce_order.h, against those of the CCCL that was read.
template <class T>
constexpr bool has_stocks_shape() {
  using policy =
      typename cub::detail::reduce::policy_hub<T, std::uint32_t,
                                               cuda::std::plus<>>::Policy600::ReducePolicy;
  constexpr ours::reduce_order order = ours::reduce_order_of<T>();
  return order.block_threads == policy::BLOCK_THREADS && order.items == policy::ITEMS_PER_THREAD &&
         order.vector == std::min(policy::ITEMS_PER_THREAD, policy::VECTOR_LOAD_LENGTH) &&
         ours::is_read_in_vectors<T> == cub::detail::is_primitive_v<T>;
}
template <class T, class... Ops>
constexpr bool folds_pairs_as_stock() {
  return ((ours::folds_in_pairs<T, Ops> ==
           cub::internal::enable_generic_simd_reduction_traits<T, Ops>::value) &&
          ...);
}
template <class T>
constexpr bool follows_stock() {
  return has_stocks_shape<T>() &&
         folds_pairs_as_stock<T, cuda::std::plus<>, cuda::std::plus<T>, cuda::std::multiplies<>,
                              cuda::std::multiplies<T>, cuda::maximum<>, cuda::maximum<T>,
                              cuda::minimum<>, cuda::minimum<T>, cuda::std::bit_or<>, add_words>();
}
template <std::size_t Bytes>
struct bytes {
  unsigned char of[Bytes];
};
static_assert(follows_stock<float>() && follows_stock<double>());
static_assert(follows_stock<__half>() && follows_stock<__nv_bfloat16>());
static_assert(follows_stock<bytes<1>>() && follows_stock<bytes<3>>() && follows_stock<bytes<8>>());
static_assert(follows_stock<bytes<24>>() && follows_stock<bytes<100>>() &&
              follows_stock<bytes<512>>());

#endif

template <class T>
struct ReduceOrder : testing::Test {};
using wide_types = testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceOrder, wide_types);

/// Behind a pointer, aligned and misaligned in all ways, and behind device_vector's iterator.
template <class T>
void expect_stocks_sums(const std::vector<std::size_t>& lengths, double scale = 1) {
  const made_array<T> items(longest<T>() + 4, rough<T>{scale});
  for (const std::size_t shift : {0, 1, 2, 3, 4}) {
    SCOPED_TRACE(testing::Message() << "shift = " << shift);
    const T* const first = items.data() + shift;
    expect_stocks_bits(lengths, [=](const auto& policy, std::size_t n) {
      return reduce(policy, first, first + n, T(0.1));
    });
  }
  SCOPED_TRACE("device_vector");
  const thrust::device_vector<T> vector(items.begin(), items.end());
  expect_stocks_bits(lengths, [&](const auto& policy, std::size_t n) {
    return reduce(policy, vector.begin(), vector.begin() + n, T(0.1));
  });
}

TYPED_TEST(ReduceOrder, OfEveryShortRange) {
  std::vector<std::size_t> lengths(5001);
  std::iota(lengths.begin(), lengths.end(), std::size_t{0});
  expect_stocks_sums<TypeParam>(lengths);
}
TYPED_TEST(ReduceOrder, OfLongRanges) {
  expect_stocks_sums<TypeParam>(lengths_around_grids<TypeParam>());
  expect_stocks_sums<TypeParam>(random_lengths<TypeParam>(200));
}

struct random_place {
  std::size_t n;
  HINDSIGHT_HD std::uint32_t operator()(std::size_t i) const { return std::uint32_t(mixed(i) % n); }
};

TYPED_TEST(ReduceOrder, OfFancyIterators) {
  using T = TypeParam;
  const auto lengths = lengths_around_grids<T>();
  const std::size_t n = longest<T>();

  const auto one = thrust::make_constant_iterator(T(0.1));  // every partial sum rounds
  expect_stocks_bits(lengths, [=](const auto& policy, std::size_t n) {
    return reduce(policy, one, one + n, T(0));
  });

  const made_array<T> items(n, rough<T>{});
  const made_array<std::uint32_t> places(n, random_place{n});
  const auto shuffled = thrust::make_permutation_iterator(items.begin(), places.begin());
  expect_stocks_bits(lengths, [=](const auto& policy, std::size_t n) {
    return reduce(policy, shuffled, shuffled + n, T(0));
  });
}

/// Not one of the operators that stock knows.
struct add {
  template <class T>
  HINDSIGHT_HD T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

TYPED_TEST(ReduceOrder, OfOtherOperators) {
  using T = TypeParam;
  const auto lengths = lengths_around_grids<T>();
  const auto expect = [&](const made_array<T>& items, auto op, T init) {
    expect_stocks_bits(lengths, [&](const auto& policy, std::size_t n) {
      return reduce(policy, items.begin(), items.begin() + n, init, op);
    });
  };
  expect({longest<T>(), rough<T>{}}, add{}, T(0));
  expect({longest<T>(), near_one<T>{1e-3}}, thrust::multiplies<T>{}, T(1));
  expect({longest<T>(), doubtful<T>{-1}}, thrust::maximum<>{}, T(-1e9));
}

template <class T>
struct ReduceOrderOfHalves : testing::Test {};
using narrow_types = testing::Types<__half, __nv_bfloat16>;
TYPED_TEST_SUITE(ReduceOrderOfHalves, narrow_types);

TYPED_TEST(ReduceOrderOfHalves, Sums) {
  using T = TypeParam;
  std::vector<std::size_t> lengths(1001);
  std::iota(lengths.begin(), lengths.end(), std::size_t{0});
  expect_stocks_sums<T>(lengths, 1e-4);
  expect_stocks_sums<T>(lengths_around_grids<T>(), 1e-4);

  SCOPED_TRACE("added as float");
  const made_array<T> items(longest<float>(), rough<T>{1e-4});
  expect_stocks_bits(lengths_around_grids<float>(), [&](const auto& policy, std::size_t n) {
    return reduce(policy, items.begin(), items.begin() + n, 0.1f, thrust::plus<float>{});
  });
}

TYPED_TEST(ReduceOrderOfHalves, OtherOperators) {
  using T = TypeParam;
  const auto lengths = lengths_around_grids<T>();
  const auto expect = [&](const made_array<T>& items, auto op, T init) {
    expect_stocks_bits(lengths, [&](const auto& policy, std::size_t n) {
      return reduce(policy, items.begin(), items.begin() + n, init, op);
    });
  };
  expect({longest<T>(), rough<T>{1e-4}}, add{}, T(0));
  expect({longest<T>(), near_one<T>{0x1p-7}}, thrust::multiplies<T>{}, T(1));
  expect({longest<T>(), doubtful<T>{-1}}, thrust::maximum<T>{}, T(-1e4));
  expect({longest<T>(), doubtful<T>{1}}, thrust::minimum<>{}, T(1e4));
}

template <class Number>
struct number_pair {
  Number x, y;
  HINDSIGHT_HD friend number_pair operator+(number_pair a, number_pair b) {
    return {a.x + b.x, a.y + b.y};
  }
};

template <class Number>
struct rough_pair {
  HINDSIGHT_HD number_pair<Number> operator()(std::size_t i) const {
    return {rough<Number>{1e-4}(2 * i), rough<Number>{1e-4}(2 * i + 1)};
  }
};

// A sum of structs: a tree below 8 bytes, else one after the other.
template <class Number>
void expect_stocks_sums_of_pairs() {
  using pair = number_pair<Number>;
  const made_array<pair> items(longest<pair>(), rough_pair<Number>{});
  expect_stocks_bits(lengths_around_grids<pair>(), [&](const auto& policy, std::size_t n) {
    return reduce(policy, items.begin(), items.begin() + n, pair{Number(1), Number(2)},
                  thrust::plus<pair>{});
  });
}
TEST(ReduceOrderOfStructs, Pairs) {
  expect_stocks_sums_of_pairs<__half>();
  expect_stocks_sums_of_pairs<float>();
  expect_stocks_sums_of_pairs<double>();
}

// CUB's offsets are as wide as the number of items.
template <class NumItems>
void expect_cubs_bits(const made_array<float>& items) {
  const device_array<float> actual(1), expected(1);
  for (const std::size_t n : lengths_around_grids<float>()) {
    const auto count = static_cast<NumItems>(n);
    std::size_t bytes = 0, stock_bytes = 0;
    check(hindsight::DeviceReduce::Sum(nullptr, bytes, items.data(), actual.data(), count));
    check(cub::DeviceReduce::Sum(nullptr, stock_bytes, items.data(), expected.data(), count));
    const device_array<char> temp(std::max(bytes, stock_bytes));
    check(hindsight::DeviceReduce::Sum(temp.data(), bytes, items.data(), actual.data(), count));
    check(cub::DeviceReduce::Sum(temp.data(), stock_bytes, items.data(), expected.data(), count));
    ASSERT_EQ(difference(actual.to_host(), expected.to_host()), "") << "n = " << n;
  }
}
TEST(ReduceOrderInCubsShape, Sums) {
  const made_array<float> items(longest<float>(), rough<float>{});
  expect_cubs_bits<int>(items);
  expect_cubs_bits<std::int64_t>(items);
}

// Stock's kernel for wide offsets, which is another one.
template <class T>
void expect_stocks_bits_above_31_bits() {
  const std::size_t n = (std::size_t{1} << 31) + 5;
  if (!is_room_for(n, sizeof(T))) GTEST_SKIP() << "too little free GPU memory";
  const made_array<T> items(n + 1, rough<T>{});
  for (const T* const first : {items.data(), items.data() + 1}) {
    expect_stocks_bits({n}, [=](const auto& policy, std::size_t n) {
      return reduce(policy, first, first + n, T(0.1));
    });
  }
  const thrust::device_ptr<const T> first(items.data());
  expect_stocks_bits({n - 6, n - 5, n}, [=](const auto& policy, std::size_t n) {
    return reduce(policy, first, first + n, T(0.1));
  });
}
TYPED_TEST(ReduceOrder, Above31Bits) {
  expect_stocks_bits_above_31_bits<TypeParam>();
}

}  // namespace hindsight_test
