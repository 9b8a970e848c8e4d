// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
#include "random_ab/select_cases.h"

namespace hindsight_test {

TEST(RandomSelect, EqualsStock) {
  expect_same_bits(cases::selections);
}

}  // namespace hindsight_test
