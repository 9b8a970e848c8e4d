// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_scan.h"

namespace hindsight_test {

TEST(RandomTypedScanByKey, EqualsStock) {
  expect_same_bits(typed::all_scans_by_key<all_types>());
}

TEST(RandomTypedScanByKey, OverTheKeysEqualsStock) {
  expect_same_bits(typed::all_scans_over_keys<types_a>());
}

}  // namespace hindsight_test
