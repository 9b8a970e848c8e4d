// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_select.h"

namespace hindsight_test {

TEST(RandomTypedSelect, EqualsStock) {
  expect_same_bits(typed::all_selections<types_of_system>());
}

}  // namespace hindsight_test
