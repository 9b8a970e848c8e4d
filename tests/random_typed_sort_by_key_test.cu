// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_sort.h"

namespace hindsight_test {

// In the order of their keys, of 4, 1, 8, 2 and 4 bytes: values that share the keys' room, that are
// fetched in the order of the output, that take more room than a key, small ones.
TEST(RandomTypedSortByKey, EqualsStock) {
  using values =
      type_list<types::blob<6, 2>, types::blob<20, 4>, types::blob<16>, bool, types::no_default>;
  expect_same_bits(typed::all_sorts<values>());
}

}  // namespace hindsight_test
