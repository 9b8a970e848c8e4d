// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the GPU of floats, and of integers of sixteen bytes.
#include "sort_keys_testing.h"
#include <array>
#include <cmath>
#include <limits>

namespace hindsight_test {

template <class Key>
struct SortOf : testing::Test {};
using radix_keys = testing::Types<float, double, __half, __nv_bfloat16, int128, uint128>;
TYPED_TEST_SUITE(SortOf, radix_keys);

TYPED_TEST(SortOf, KeysInBothDirections) {
  expect_sorted_in_both_directions<TypeParam>();
}

/// Values, not exponents, split such numbers into segments: evenly spread ones, some with others
/// among them that are far away. Zeros of both signs are equal.
TEST(SortOfDoubles, NumbersOfARange) {
  const auto& par = hindsight::cuda::par;
  const double inf = std::numeric_limits<double>::infinity();
  const double far[] = {-0.0, 0.0, inf, -inf, std::nan(""), -std::nan(""), 5e-324, -1e300};
  const std::size_t n =
      hindsight::detail::sort_tuning<double, hindsight::detail::no_value>::least_by_value + 3;
  for (const auto& range : {std::array<double, 2>{0, 1}, {-3, 7}}) {
    SCOPED_TRACE(testing::Message() << "from " << range[0]);
    std::mt19937_64 random{n};
    std::vector<double> keys(n);
    for (auto& key : keys) key = range[0] + range[1] * (double(random() >> 11) * 0x1p-53);
    if (range[0] < 0) {  // as few as a sample does not see
      for (std::size_t i = 5; i < n; i += 100000) keys[i] = far[i / 100000 % 8];
    }
    for (const order direction : {order::ascending, order::descending}) {
      if (range[0] == 0 && direction == order::descending) continue;
      const key_array<double> sorted(keys);
      if (direction == order::ascending) {
        thrust::sort(par, sorted.begin(), sorted.end());
      } else {
        hindsight::stable_sort(par, sorted.begin(), sorted.end(), thrust::greater<double>{});
      }
      EXPECT_EQ(difference(sorted.to_host(), sorted_on_cpu(keys, direction)), "");
    }
  }
}

/// Those in the middle of a range are three times as many as they are on average.
TEST(SortOfDoubles, NumbersThatAreNotSpreadEvenly) {
  const std::size_t n =
      hindsight::detail::sort_tuning<double, hindsight::detail::no_value>::least_by_value + 3;
  std::mt19937_64 random{n};
  std::normal_distribution<double> normal;
  std::vector<double> keys(n);
  for (auto& key : keys) key = normal(random);
  const key_array<double> sorted(keys);
  thrust::sort(hindsight::cuda::par, sorted.begin(), sorted.end());
  EXPECT_EQ(difference(sorted.to_host(), sorted_on_cpu(keys, order::ascending)), "");
}

}  // namespace hindsight_test
