// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Scans and sums by key of wide items of many sizes: in words of 4, 8 and 16 bytes and not in
// words, with pads and without.
#include "emulation/wide_tiles.h"

namespace {

using namespace emulation;

template <class T>
class wide_words : public testing::Test {};
using types = testing::Types<many_words<std::uint8_t, 33>,      // not in words
                             many_words<std::uint32_t, 9>,      // 36 bytes
                             many_words<std::uint64_t, 5>,      // 40 bytes
                             many_words<std::uint64_t, 6, 16>,  // 48 bytes, in words of 16
                             many_words<std::uint32_t, 35>>;    // 140 bytes, shuffled in memory
TYPED_TEST_SUITE(wide_words, types);

TYPED_TEST(wide_words, of_a_partial_tile_at_the_end) {
  using T = TypeParam;
  expect_right<T>(fewest_summed_tiles * tiny_tiles<T>::shape.tile_items() - 1);
}

}  // namespace
