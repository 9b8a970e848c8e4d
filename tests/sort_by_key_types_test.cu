// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting by keys of other types than words on the GPU.
#include "sort_by_key_testing.h"

namespace hindsight_test {

template <class Pair>
struct SortByKeyOf : testing::Test {};
using pairs =
    testing::Types<pair_of<std::uint8_t, std::uint32_t>, pair_of<std::int16_t, std::uint64_t>,
                   pair_of<std::int64_t, std::uint32_t>, pair_of<float, std::uint32_t>,
                   pair_of<__half, std::uint16_t>, pair_of<int128, affine>>;
TYPED_TEST_SUITE(SortByKeyOf, pairs);

TYPED_TEST(SortByKeyOf, InBothDirections) {
  TypeParam::expect_sorted();
}

}  // namespace hindsight_test
