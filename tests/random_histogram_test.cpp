// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/histogram_cases.h"

namespace hindsight_test {

TEST(RandomHistogram, EqualsStock) {
  expect_same_bits(cases::histograms);
}

}  // namespace hindsight_test
