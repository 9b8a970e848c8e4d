// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// systems: CPP OMP
// adjacent_difference on host threads, in place too, against a loop.
#include <hindsight/adjacent_difference.h>

#include <thrust/adjacent_difference.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include "functors_testing.h"
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <list>
#include <string>
#include <vector>

namespace {

using hindsight_test::mix;

const auto& par = hindsight::host::par;

template <class T>
struct HostAdjacentDifference : testing::Test {};
using types = testing::Types<std::uint8_t, std::uint32_t, double>;
TYPED_TEST_SUITE(HostAdjacentDifference, types);

TYPED_TEST(HostAdjacentDifference, EqualsALoop) {
  using T = TypeParam;
  for (const std::size_t n : {0, 1, 2, 33, 32767, 32768, 32769, 300007, 2000003}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::vector<T> items(n), expected(n), out(n);
    for (std::size_t i = 0; i < n; ++i) {
      items[i] = static_cast<T>(i * i % 1009);
      expected[i] = i == 0 ? items[0] : mix{}(items[i], items[i - 1]);
    }
    EXPECT_EQ(thrust::adjacent_difference(par, items.begin(), items.end(), out.begin(), mix{}),
              out.end());
    EXPECT_EQ(out, expected);
    hindsight::adjacent_difference(items, items.begin(), mix{});  // no policy, in place
    EXPECT_EQ(items, expected);
  }
}

TEST(HostAdjacentDifferenceTypes, InPlaceThroughTwoTypesOfIterators) {
  const std::size_t n = 300007;
  std::vector<int> items(n), backward(n), doubled(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<int>(i * i % 1009);
  for (std::size_t i = 0; i < n; ++i) {
    backward[i] = i + 1 == n ? items[i] : items[i] - items[i + 1];
    doubled[i] = i == 0 ? 2 * items[i] : 2 * items[i] - 2 * items[i - 1];
  }
  std::vector<int> data = items;
  thrust::adjacent_difference(par.threads(4), data.crbegin(), data.crend(), data.rbegin());
  EXPECT_EQ(data, backward);
  data = items;
  const auto twice = thrust::make_transform_iterator(data.data(), [](int i) { return 2 * i; });
  thrust::adjacent_difference(par.threads(4), twice, twice + std::ptrdiff_t(n), data.begin());
  EXPECT_EQ(data, doubled);
}

/// No comma may stand between it and anything.
struct no_comma {
  int value;
  friend no_comma operator-(no_comma a, no_comma b) { return {a.value - b.value}; }
};
template <class T>
void operator,(const no_comma&, T&&) = delete;

TEST(HostAdjacentDifferenceTypes, OfItemsWithoutAComma) {
  const std::vector<no_comma> items{{3}, {1}, {4}};
  std::vector<no_comma> out(3);
  thrust::adjacent_difference(par, items.begin(), items.end(), out.begin());
  EXPECT_EQ(out[0].value, 3);
  EXPECT_EQ(out[2].value, 3);
}

/// Takes numbers, and not what stands for one.
struct negative {
  template <class T>
  T operator()(const T& item) const {
    return T(-item);
  }
};

TEST(HostAdjacentDifferenceTypes, InPlaceThroughFunctorsOfAnyNumber) {
  std::vector<int> items{-3, -1, -4};
  const auto first =
      thrust::make_transform_input_output_iterator(items.begin(), negative{}, negative{});
  thrust::adjacent_difference(par, first, first + 3, first);
  EXPECT_EQ(items, (std::vector<int>{-3, 2, -3}));
}

/// Takes two of one type, and changes its own copy of the first.
struct minus_in_place {
  template <class T>
  T operator()(T a, T b) const {
    thrust::get<0>(a) -= thrust::get<0>(b);
    return a;
  }
};

TEST(HostAdjacentDifferenceTypes, OfTuplesAndNotOfWhatRefersToThem) {
  using numbers = thrust::tuple<double, double, double>;
  std::vector<double> a(100001), others(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = double(i * i % 1000);
  const std::vector<double> items = a;
  const auto first = thrust::make_zip_iterator(a.begin(), others.begin(), others.begin());
  std::vector<numbers> out(a.size());
  const auto n = std::ptrdiff_t(a.size());
  thrust::adjacent_difference(par.threads(4), first, first + n, out.begin(), minus_in_place{});
  EXPECT_EQ(a, items);
  std::vector<double> x(a.size()), y(a.size()), z(a.size());
  const auto apart = thrust::make_zip_iterator(x.begin(), y.begin(), z.begin());
  thrust::adjacent_difference(par.threads(4), first, first + n, apart, minus_in_place{});
  EXPECT_EQ(a, items);
  for (std::size_t i = 1; i < a.size(); ++i) {
    EXPECT_EQ(thrust::get<0>(out[i]), items[i] - items[i - 1]) << i;
    EXPECT_EQ(x[i], items[i] - items[i - 1]) << i;
  }
}

TEST(HostAdjacentDifferenceTypes, OfListsAndBits) {
  std::vector<int> out(3);
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP  // stock's other systems take no lists
  const std::list<int> list{3, 1, 4};
  thrust::adjacent_difference(par, list.begin(), list.end(), out.begin());
  EXPECT_EQ(out, (std::vector<int>{3, -2, 3}));
#endif
  std::vector<bool> bits(100001), expected(100001);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bits[i] = i / 5 % 2 != 0;
    expected[i] = i > 0 && i % 5 == 0;
  }
  const auto differ = [](bool a, bool b) { return a != b; };
  hindsight::adjacent_difference(bits, bits.begin(), differ);
  EXPECT_EQ(bits, expected);
  EXPECT_THROW(thrust::adjacent_difference(par, out.end(), out.begin(), out.begin()),
               hindsight::invalid_call);
}

}  // namespace
