// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_reduce.h"

namespace hindsight_test {

TEST(RandomTypedReduce, EqualsStock) {
  expect_same_bits(typed::all_reductions<all_types>());
}
TEST(RandomTypedCount, EqualsStock) {
  expect_same_bits(typed::all_counts<all_types>());
}

}  // namespace hindsight_test
