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

/// Values, not bits, split integers of a part of all numbers into segments: evenly spread ones in
/// any order, one of them far away, and sorted ones.
TEST(SortOfIntegers, NumbersOfARange) {
  const auto& par = hindsight::cuda::par;
  const std::size_t n =
      hindsight::detail::sort_tuning<long, hindsight::detail::no_value>::least_by_value + 3;
  std::mt19937_64 random{n};
  std::vector<long> keys(n);
  for (long& key : keys) key = long(random() % 4'000'000'000'000) - 1'000'000'000'000;
  keys[77] = std::numeric_limits<long>::max();
  const key_array<long> descending(keys);
  hindsight::stable_sort(par, descending.begin(), descending.end(), thrust::greater<long>{});
  EXPECT_EQ(difference(descending.to_host(), sorted_on_cpu(keys, order::descending)), "");

  for (std::size_t i = 0; i < n; ++i) keys[i] = long(i * (std::numeric_limits<long>::max() / n));
  const key_array<long> sorted(keys);
  thrust::sort(par, sorted.begin(), sorted.end());
  EXPECT_EQ(difference(sorted.to_host(), keys), "");
}

}  // namespace hindsight_test
