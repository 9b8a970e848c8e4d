// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/segment_cases.h"

namespace hindsight_test {

TEST(RandomSegments, EqualPlainLoops) {
  expect_same_bits(cases::segments);
}

}  // namespace hindsight_test
