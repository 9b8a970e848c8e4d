// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_scan.h"

namespace hindsight_test {

TEST(RandomTypedScanMore, EqualsStock) {
  expect_same_bits(typed::all_scans<up_to<64, types_c>>());
}

}  // namespace hindsight_test
