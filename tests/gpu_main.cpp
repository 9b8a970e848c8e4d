// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// main of every GPU test of GoogleTest.
#include "gpu_present.h"
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!testing::GTEST_FLAG(list_tests) && !hindsight_test::gpu_is_present()) {
    return hindsight_test::exit_skipped;
  }
  return RUN_ALL_TESTS();
}
