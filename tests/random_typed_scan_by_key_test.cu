// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_scan.h"

namespace hindsight_test {

TEST(RandomTypedScanByKey, EqualsStock) {
  expect_same_bits(typed::all_scans_by_key<up_to<64, with_address<types_b>>>());
}

}  // namespace hindsight_test
