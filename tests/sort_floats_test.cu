// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the GPU of floats, and of integers of sixteen bytes.
#include "sort_keys_testing.h"

namespace hindsight_test {

template <class Key>
struct SortOf : testing::Test {};
using radix_keys = testing::Types<float, double, __half, __nv_bfloat16, int128, uint128>;
TYPED_TEST_SUITE(SortOf, radix_keys);

TYPED_TEST(SortOf, KeysInBothDirections) {
  expect_sorted_in_both_directions<TypeParam>();
}

}  // namespace hindsight_test
