// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Morton codes against a loop over bits.
#include <hindsight/morton.h>

#include "morton_testing.h"
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

TEST(Morton, EqualsALoopOverBits) {
  std::mt19937 random{1};
  for (int i = 0; i < 20'000; ++i) {
    std::uint32_t c[3];
    for (std::uint32_t& x : c)
      x = i < 64 ? std::uint32_t(std::uint64_t{1} << i % 32) - i / 32 : std::uint32_t(random());
    EXPECT_EQ(hindsight::morton_code<std::uint32_t>(c[0], c[1]),
              hindsight_test::morton_code_by_bits<std::uint32_t>(c, 2, 16));
    EXPECT_EQ(hindsight::morton_code<std::uint64_t>(c[0], c[1]),
              hindsight_test::morton_code_by_bits<std::uint64_t>(c, 2, 32));
    EXPECT_EQ(hindsight::morton_code<std::uint32_t>(c[0], c[1], c[2]),
              hindsight_test::morton_code_by_bits<std::uint32_t>(c, 3, 10));
    EXPECT_EQ(hindsight::morton_code<std::uint64_t>(c[0], c[1], c[2]),
              hindsight_test::morton_code_by_bits<std::uint64_t>(c, 3, 21));
  }
}

TEST(Morton, OfPoints) {
  const float none = std::numeric_limits<float>::quiet_NaN(),
              far = std::numeric_limits<float>::infinity();
  const auto code = [](float x, float y, float z) {
    return hindsight::morton_code_of_point<std::uint32_t>(x, y, z);
  };
  EXPECT_EQ(code(0, 0, 0), 0u);
  EXPECT_EQ(code(-far, none, -1), 0u);
  EXPECT_EQ(code(1, far, 0.9999999f), (1u << 30) - 1);
  EXPECT_EQ(code(0.5f, 0, 0.25f), 1u << 27 | 1u << 26);
  EXPECT_EQ((hindsight::morton_code_of_point<std::uint64_t>(1.0, 1.0, 1.0)),
            (std::uint64_t{1} << 63) - 1);
}

/// A number of 16 bits, in 256ths. It is too small to hold 2^21.
class short_number {
 public:
  explicit short_number(double value)
      : bits_(std::int16_t(value < 127 ? value * 256 : 127 * 256)) {}
  operator float() const { return float(bits_) / 256; }

 private:
  std::int16_t bits_;
};

TEST(Morton, OfPointsWhoseTypeIsNarrow) {
  const short_number x(0.25), y(0.75), z(-1);
  EXPECT_EQ(hindsight::morton_code_of_point<std::uint32_t>(x, y, z),
            hindsight::morton_code_of_point<std::uint32_t>(0.25, 0.75, -1.0));
  EXPECT_EQ(hindsight::morton_code_of_point<std::uint64_t>(x, y, z),
            hindsight::morton_code_of_point<std::uint64_t>(0.25, 0.75, -1.0));
}

}  // namespace
