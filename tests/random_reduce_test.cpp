// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/reduce_cases.h"

namespace hindsight_test {

TEST(RandomReduce, EqualsStock) {
  expect_same_bits(cases::reductions);
}

}  // namespace hindsight_test
