// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/scan_by_key_cases.h"

namespace hindsight_test {

TEST(RandomScanByKey, EqualsStock) {
  expect_same_bits(cases::scans_by_key);
}

}  // namespace hindsight_test
