// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/sort_by_key_cases.h"

namespace hindsight_test {

TEST(RandomSortByKey, EqualsStock) {
  expect_same_bits(cases::sorts_by_key);
}

}  // namespace hindsight_test
