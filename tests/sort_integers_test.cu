// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the GPU of integers of four and eight bytes.
#include "sort_keys_testing.h"

namespace hindsight_test {

template <class Key>
struct SortOf : testing::Test {};
using radix_keys =
    testing::Types<int, unsigned, long, unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(SortOf, radix_keys);

TYPED_TEST(SortOf, KeysInBothDirections) {
  expect_sorted_in_both_directions<TypeParam>();
}

/// Integers of a narrow range are split into segments by value, not by bits. In any order, and
/// sorted.
TEST(SortOfIntegers, NumbersOfARange) {
  const auto& par = hindsight::cuda::par;
  const std::size_t n =
      hindsight::detail::sort_tuning<long, hindsight::detail::no_value>::least_by_value;
  std::vector<long> keys(n), expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t place = i * 0x9E3779B97F4A7C15u % n;  // n is a power of two: all of them
    keys[i] = long(place) * 70'000 - 1'000'000'000'000;
    expected[n - 1 - i] = long(i) * 70'000 - 1'000'000'000'000;
  }
  const key_array<long> descending(keys);
  hindsight::stable_sort(par, descending.begin(), descending.end(), thrust::greater<long>{});
  EXPECT_EQ(difference(descending.to_host(), expected), "");

  for (std::size_t i = 0; i < n; ++i) keys[i] = long(i * (std::numeric_limits<long>::max() / n));
  const key_array<long> sorted(keys);
  thrust::sort(par, sorted.begin(), sorted.end());
  EXPECT_EQ(difference(sorted.to_host(), keys), "");
}

}  // namespace hindsight_test
