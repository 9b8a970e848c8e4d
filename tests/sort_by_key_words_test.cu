// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting by keys of four bytes on the GPU, with values of any size.
#include "sort_by_key_testing.h"

namespace hindsight_test {

template <class Pair>
struct SortByKeyOf : testing::Test {};
using pairs = testing::Types<pair_of<std::uint32_t, std::uint8_t>,
                             pair_of<std::uint32_t, std::uint32_t>, pair_of<std::uint32_t, double>,
                             pair_of<std::uint32_t, affine>, pair_of<std::uint32_t, wide>>;
TYPED_TEST_SUITE(SortByKeyOf, pairs);

TYPED_TEST(SortByKeyOf, InBothDirections) {
  TypeParam::expect_sorted();
}

}  // namespace hindsight_test
