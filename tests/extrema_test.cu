// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// min_element, max_element and minmax_element on the GPU, against stock and a loop on the CPU.
#include <hindsight/extrema.h>

#include <cuda/std/tuple>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

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
using types = testing::Types<std::int8_t, std::uint16_t, std::uint32_t, double>;
TYPED_TEST_SUITE(ExtremaOf, types);

/// What is found in [first, first + items.size()), which refers to the items in this order, is what
/// the standard library finds on the CPU.
template <class It, class Item, class Less>
void expect_extrema(It first, const std::vector<Item>& items, Less less) {
  const It last = first + std::ptrdiff_t(items.size());
  const auto least = std::min_element(items.begin(), items.end(), less) - items.begin();
  const auto greatest = std::max_element(items.begin(), items.end(), less) - items.begin();
  EXPECT_EQ(thrust::min_element(par, first, last, less) - first, least);
  EXPECT_EQ(thrust::max_element(par, first, last, less) - first, greatest);
  const auto both = thrust::minmax_element(par, first, last, less);
  EXPECT_EQ(both.first - first, least);
  EXPECT_EQ(both.second - first, greatest);
}

template <class T, class Less>
void expect_as_stock(const std::vector<T>& items, Less less) {
  for (const std::size_t shift : {0, 1}) {  // at a multiple of 16 bytes, and at none
    const device_array<T> in(items, shift);
    const T* const first = in.begin();
    expect_extrema(first, items, less);
    if constexpr (std::is_same_v<Less, less_by_tens> && std::is_same_v<T, std::uint32_t>) {
      EXPECT_EQ(thrust::minmax_element(par, first, first + items.size(), less),
                thrust::minmax_element(stock, first, first + items.size(), less));
    }
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

/// Items of which comparisons look at one member: of all widths, and with a copy constructor of
/// their own.
template <int Bytes>
struct tagged {
  int key;
  char rest[Bytes - sizeof(int)];
};
struct counted_copies {
  int key;
  counted_copies() = default;
  HINDSIGHT_HD counted_copies(int number) : key{number} {}
  HINDSIGHT_HD counted_copies(const counted_copies& other) : key{other.key} {}
  HINDSIGHT_HD counted_copies& operator=(const counted_copies& other) {
    key = other.key;
    return *this;
  }
};
struct less_by_key {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& a, const T& b) const {
    return a.key < b.key;
  }
};

template <class T>
struct ExtremaOfStructs : testing::Test {};
using structs = testing::Types<tagged<12>, tagged<16>, tagged<28>, tagged<32>, tagged<36>,
                               tagged<128>, tagged<204>, counted_copies>;
TYPED_TEST_SUITE(ExtremaOfStructs, structs);

TYPED_TEST(ExtremaOfStructs, AreTheFirst) {
  for (const std::size_t n : {1, 257, 2048, 100003, 700001}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const std::vector<int> keys = random_items<int>(n);
    std::vector<TypeParam> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i].key = keys[i] % 50000;
    const device_array<TypeParam> in(items);
    expect_extrema(static_cast<const TypeParam*>(in.begin()), items, less_by_key{});
  }
}

struct wide_square {
  HINDSIGHT_HD long long operator()(int x) const { return 1LL * x * x; }
};
struct less_first {
  template <class Pair>
  HINDSIGHT_HD bool operator()(const Pair& a, const Pair& b) const {
    return ::cuda::std::get<0>(a) < ::cuda::std::get<0>(b);
  }
};

/// Items that are computed, or lie in another order.
TEST(Extrema, ThroughIterators) {
  for (const std::size_t n : {1, 256, 70001, 3000017}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::vector<int> items = random_items<int>(n), places(n);
    for (int& item : items) item %= 1000;
    for (std::size_t i = 0; i < n; ++i) places[i] = int((i * 7 + 3) % n);
    const device_array<int> in(items), order(places);
    std::vector<int> reversed(items.rbegin(), items.rend()), permuted(n);
    std::vector<long long> squares(n);
    std::vector<::cuda::std::tuple<int, int>> zipped(n);
    for (std::size_t i = 0; i < n; ++i) {
      permuted[i] = items[std::size_t(places[i])];
      squares[i] = wide_square{}(items[i]);
      zipped[i] = {items[i], places[i]};
    }
    expect_extrema(thrust::make_reverse_iterator(in.end()), reversed, std::less<int>{});
    expect_extrema(thrust::make_permutation_iterator(in.begin(), order.begin()), permuted,
                   thrust::less<int>{});
    expect_extrema(thrust::make_transform_iterator(in.begin(), wide_square{}), squares,
                   thrust::less<long long>{});
    expect_extrema(thrust::make_zip_iterator(in.begin(), order.begin()), zipped, less_first{});
  }
}

TEST(Extrema, RefuseReversedRanges) {
  const thrust::device_vector<int> in(5);
  EXPECT_THROW(thrust::min_element(par, in.end(), in.begin()), hindsight::invalid_call);
  EXPECT_THROW(thrust::max_element(par, in.end(), in.begin()), hindsight::invalid_call);
  EXPECT_THROW(thrust::minmax_element(par, in.end(), in.begin()), hindsight::invalid_call);
}

}  // namespace hindsight_test
