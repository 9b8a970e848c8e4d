// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// main of every GPU test of GoogleTest. A program that skips all of its cases is skipped, too.
#include "gpu_present.h"
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!testing::GTEST_FLAG(list_tests) && !hindsight_test::gpu_is_present()) {
    return hindsight_test::exit_skipped;
  }
  const int status = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  const bool has_skipped_all = tests.skipped_test_count() > 0 && tests.successful_test_count() == 0;
  return status == 0 && has_skipped_all ? hindsight_test::exit_skipped : status;
}
