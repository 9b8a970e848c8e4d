// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/output_cases.h"

namespace hindsight_test {

TEST(RandomSegments, EqualPlainLoops) {
  expect_same_bits(cases::all_of_segments());
}

}  // namespace hindsight_test
