// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_reduce.h"

namespace hindsight_test {

TEST(RandomTypedReduce, EqualsStock) {
  expect_same_bits(
      typed::all_reductions<join<up_to<64, with_address<types_b>>, types_of_engine>>());
}
TEST(RandomTypedCount, EqualsStock) {
  expect_same_bits(typed::all_counts<up_to<16, types_a>>());
}

}  // namespace hindsight_test
