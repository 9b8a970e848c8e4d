// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
#include "random_ab/sort_cases.h"

namespace hindsight_test {

TEST(RandomSort, EqualsStock) {
  expect_same_bits(cases::sorts);
}

}  // namespace hindsight_test
