// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_sort.h"

namespace hindsight_test {

TEST(RandomTypedSort, EqualsStock) {
  expect_same_bits(typed::all_comparison_sorts<types_c>());
}

}  // namespace hindsight_test
