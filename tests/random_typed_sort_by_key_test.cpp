// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_sort.h"

namespace hindsight_test {

TEST(RandomTypedSortByKey, EqualsStock) {
  expect_same_bits(typed::all_sorts<join<types_a, types_b, types_of_engine>>());
}

}  // namespace hindsight_test
