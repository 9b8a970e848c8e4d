// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_histogram.h"

namespace hindsight_test {

TEST(RandomTypedHistogram, EqualsStock) {
  expect_same_bits(typed::histograms);
}

}  // namespace hindsight_test
