// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the GPU of keys of one and two bytes.
#include "sort_keys_testing.h"

namespace hindsight_test {

template <class Key>
struct SortOf : testing::Test {};
using radix_keys = testing::Types<bool, char, signed char, unsigned char, short, unsigned short>;
TYPED_TEST_SUITE(SortOf, radix_keys);

TYPED_TEST(SortOf, KeysInBothDirections) {
  expect_sorted_in_both_directions<TypeParam>();
}

template <class Key>
struct SortOfMany : testing::Test {};
using counted_keys = testing::Types<short, unsigned short>;
TYPED_TEST_SUITE(SortOfMany, counted_keys);

TYPED_TEST(SortOfMany, KeysOfTwoBytes) {  // by counting them
  const std::size_t n = hindsight::detail::counting_sort_16_tuning::least_items + 5;
  for (const values kind : {values::of_all_bits, values::few, values::one}) {
    SCOPED_TRACE(testing::Message() << "values " << int(kind));
    const auto keys = random_keys<TypeParam>(n, kind);
    const key_array<TypeParam> sorted(keys, 1);
    thrust::sort(hindsight::cuda::par, sorted.begin(), sorted.end());
    EXPECT_EQ(difference(sorted.to_host(), sorted_on_cpu(keys, order::ascending)), "");
    sorted.assign(keys);
    thrust::sort(hindsight::cuda::par, sorted.begin(), sorted.end(), thrust::greater<TypeParam>{});
    EXPECT_EQ(difference(sorted.to_host(), sorted_on_cpu(keys, order::descending)), "");
  }
}

}  // namespace hindsight_test
