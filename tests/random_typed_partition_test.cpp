// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_select.h"

namespace hindsight_test {

TEST(RandomTypedPartition, EqualsStock) {
  expect_same_bits(typed::all_partitions<types_of_system>());
}

}  // namespace hindsight_test
