// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_sort.h"

namespace hindsight_test {

TEST(RandomTypedSortByKey, EqualsStock) {
  expect_same_bits(typed::all_sorts<with_address<types_b>>());
}

}  // namespace hindsight_test
