// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys for the tests of sorts by comparators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace hindsight_test {

/// Keys of inputs that sorts like or dislike.
inline std::vector<std::uint32_t> keys_of_shape(int shape, std::size_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = std::uint32_t(i), size = std::uint32_t(n);
    const std::uint32_t shapes[] = {std::uint32_t(random() & 0xffffff),
                                    std::uint32_t(random() % 3),
                                    at,
                                    size - at,
                                    7,
                                    std::min(at, size - at)};
    keys[i] = shapes[shape];
  }
  return keys;
}
inline constexpr int num_shapes = 6;

}  // namespace hindsight_test
