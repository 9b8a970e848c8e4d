// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_sizes.h"

namespace hindsight_test {

TEST(RandomTypedSizes, EqualStock) {
  expect_same_bits(typed::all_sizes<typed::items_up_to_64::rare>(), 1);
}

}  // namespace hindsight_test
