// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_scan.h"

namespace hindsight_test {

TEST(RandomTypedScan, EqualsStock) {
  expect_same_bits(typed::all_scans<types_of_system>());
}

}  // namespace hindsight_test
