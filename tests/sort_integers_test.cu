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

}  // namespace hindsight_test
