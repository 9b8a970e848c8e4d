// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the host engine's scans and folds share: small tiles, inputs, an operator.
#pragma once

#include <hindsight/detail/tuning/order.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

namespace hindsight_test {

struct tiny {  // 64 items a tile: many windows in a small range
  static constexpr hindsight::detail::tile_shape shape{1, 2};
};
struct small {
  static constexpr hindsight::detail::tile_shape shape{3, 2};
};

/// Integers of all values; floating-point numbers of many magnitudes: every order of addition
/// rounds differently.
template <class T>
std::vector<T> rough_items(std::size_t n) {
  std::mt19937 random{unsigned(n) + 7};
  std::vector<T> items(n);
  for (T& item : items) {
    if constexpr (std::is_floating_point_v<T>) {
      item = std::ldexp(T(random()), -int(random() % 40)) * (random() % 2 ? 1 : -1);
    } else {
      item = T(random());
    }
  }
  return items;
}

/// x -> a * x + b modulo 2^16, packed: associative, does not commute.
struct compose_packed {
  std::uint32_t operator()(std::uint32_t f, std::uint32_t g) const {
    const std::uint32_t fa = f >> 16, fb = f & 0xffff, ga = g >> 16, gb = g & 0xffff;
    return ((fa * ga) & 0xffff) << 16 | ((ga * fb + gb) & 0xffff);
  }
};

}  // namespace hindsight_test
