// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of keys on the GPU: as stock Thrust sorts them, by any comparator, through iterators, in
// CUB's shape. sort_{short_keys,integers,floats}_test.cu sort every type of key.
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/sort.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>

#include "sort_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

template <class Key>
struct SortLikeStockOf : testing::Test {};
using some_keys = testing::Types<unsigned char, short, unsigned, float, double>;
TYPED_TEST_SUITE(SortLikeStockOf, some_keys);

TYPED_TEST(SortLikeStockOf, KeysInBothDirections) {
  using Key = TypeParam;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{70000},
                              (std::size_t{1} << 20) + 7}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto keys = random_keys<Key>(n, values::of_all_bits);
    const device_array<Key> ours(keys), theirs(keys);
    thrust::sort(par, ours.begin(), ours.end(), thrust::less<>{});
    thrust::sort(stock, theirs.begin(), theirs.end(), thrust::less<>{});
    EXPECT_EQ(difference(ours.to_host(), theirs.to_host()), "");
    ours.assign(keys);
    theirs.assign(keys);
    thrust::sort(par, ours.begin(), ours.end(), thrust::greater<>{});
    thrust::sort(stock, theirs.begin(), theirs.end(), thrust::greater<>{});
    EXPECT_EQ(difference(ours.to_host(), theirs.to_host()), "");
  }
}

// Stock's radix sort has them so: a zero is a zero, and each NaN goes where its bits say.
TEST(Sort, ZerosAndNans) {
  const float nan = NAN, inf = INFINITY;
  const std::vector<float> keys = {0.0f, nan, -0.0f, 1.0f, -nan, 0.0f, -inf, -0.0f, inf, -1.0f};
  const device_array<float> sorted(keys);
  thrust::sort(par, sorted.begin(), sorted.end());
  EXPECT_EQ(
      difference(sorted.to_host(), {-nan, -inf, -1.0f, 0.0f, -0.0f, 0.0f, -0.0f, 1.0f, inf, nan}),
      "");
  sorted.assign(keys);
  thrust::sort(par, sorted.begin(), sorted.end(), thrust::greater<float>{});
  EXPECT_EQ(
      difference(sorted.to_host(), {nan, inf, 1.0f, 0.0f, -0.0f, 0.0f, -0.0f, -1.0f, -inf, -nan}),
      "");
}

// Orders that no radix sort has go to stock.
struct by_last_digit {
  HINDSIGHT_HD bool operator()(unsigned a, unsigned b) const { return a % 10 < b % 10; }
};
struct by_slope {
  HINDSIGHT_HD bool operator()(const affine& f, const affine& g) const { return f.a < g.a; }
};

TEST(Sort, ByAComparatorOfTheCaller) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{70001}}) {
    auto keys = random_keys<unsigned>(n, values::of_all_bits);
    const device_array<unsigned> sorted(keys);
    thrust::stable_sort(par, sorted.begin(), sorted.end(), by_last_digit{});
    std::stable_sort(keys.begin(), keys.end(), by_last_digit{});
    EXPECT_EQ(difference(sorted.to_host(), keys), "");

    auto functions = random_items<affine>(n);
    const device_array<affine> sorted_functions(functions);
    hindsight::sort(par, sorted_functions.begin(), sorted_functions.end(), by_slope{});
    std::stable_sort(functions.begin(), functions.end(), by_slope{});
    EXPECT_EQ(difference(sorted_functions.to_host(), functions), "");
  }
}

struct shuffled {
  std::size_t n;
  HINDSIGHT_HD std::size_t operator()(std::size_t i) const { return i * 7919 % n; }
};

TEST(Sort, ThroughIterators) {
  const std::size_t n = 300007;  // prime
  const auto keys = random_keys<unsigned>(n, values::of_all_bits);
  const auto ascending = sorted_on_cpu(keys, order::ascending);
  thrust::device_vector<unsigned> sorted(keys.begin(), keys.end());
  const auto to_host = [&] {
    std::vector<unsigned> items(n);
    thrust::copy(sorted.begin(), sorted.end(), items.begin());
    return items;
  };
  thrust::sort(par, sorted.begin(), sorted.end());
  EXPECT_EQ(difference(to_host(), ascending), "") << "device_vector";

  const auto backwards = thrust::make_reverse_iterator(sorted.end());
  hindsight::sort(par, backwards, backwards + n);
  EXPECT_EQ(difference(to_host(), sorted_on_cpu(keys, order::descending)), "")
      << "reverse iterator";

  thrust::copy(keys.begin(), keys.end(), sorted.begin());
  const auto places =
      thrust::make_transform_iterator(thrust::make_counting_iterator(std::size_t{0}), shuffled{n});
  const auto permuted = thrust::make_permutation_iterator(sorted.begin(), places);
  hindsight::sort(par, permuted, permuted + n);
  const auto got = to_host();
  std::vector<unsigned> gathered(n);
  for (std::size_t i = 0; i < n; ++i) gathered[i] = got[shuffled{n}(i)];
  EXPECT_EQ(difference(gathered, ascending), "") << "permutation iterator";

  hindsight::sort(sorted);  // no policy, a range
  EXPECT_EQ(difference(to_host(), ascending), "") << "range";
}

TEST(Sort, InCubsShape) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, std::size_t{300001}}) {
    const auto keys = random_keys<unsigned>(n, values::of_all_bits);
    const device_array<unsigned> in(keys), out(n);
    std::size_t bytes = 0;
    check(hindsight::DeviceRadixSort::SortKeys(nullptr, bytes, in.data(), out.data(), n, 5, 17));
    const device_array<char> temp(bytes);
    check(
        hindsight::DeviceRadixSort::SortKeys(temp.data(), bytes, in.data(), out.data(), n, 5, 17));
    auto expected = keys;
    std::stable_sort(expected.begin(), expected.end(),
                     [](unsigned a, unsigned b) { return (a >> 5 & 0xfff) < (b >> 5 & 0xfff); });
    EXPECT_EQ(difference(out.to_host(), expected), "") << "bits 5 to 16, n = " << n;
    EXPECT_EQ(difference(in.to_host(), keys), "") << "the input stays";
  }
}

}  // namespace hindsight_test
