// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ab/typed_sort.h"

namespace hindsight_test {

/// Of bytes, of words, with padding, without a default constructor; of more than moves in passes.
using keys = type_list<types::blob<3>, types::padded_between, types::no_default, types::blob<16, 8>,
                       types::mostly_padding>;

TEST(RandomTypedSort, EqualsStock) {
  expect_same_bits(typed::all_comparison_sorts<keys>());
}

}  // namespace hindsight_test
