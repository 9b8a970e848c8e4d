// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/scan_cases.h"

namespace hindsight_test {

TEST(RandomScan, EqualsStock) {
  expect_same_bits(cases::scans);
}

}  // namespace hindsight_test
