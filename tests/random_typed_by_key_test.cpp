// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_runs.h"

namespace hindsight_test {

TEST(RandomTypedByKey, EqualsStock) {
  expect_same_bits(typed::all_folds_by_key<types_of_system>());
}

}  // namespace hindsight_test
