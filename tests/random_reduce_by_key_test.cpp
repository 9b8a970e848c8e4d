// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/reduce_by_key_cases.h"

namespace hindsight_test {

TEST(RandomReduceByKey, EqualsStock) {
  expect_same_bits(cases::runs);
}

}  // namespace hindsight_test
