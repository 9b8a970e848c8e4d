// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/objects.h"

namespace hindsight_test {

TEST(RandomObjects, EqualStock) {
  expect_same_bits(objects::all);
}

}  // namespace hindsight_test
