// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_runs.h"

namespace hindsight_test {

TEST(RandomTypedRunLength, EqualsStock) {
  expect_same_bits(typed::all_run_lengths<types_c>());
}

}  // namespace hindsight_test
