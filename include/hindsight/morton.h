// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Morton codes: the bits of coordinates, interleaved. Points near each other mostly have codes
// near each other; sorted by them, they form the tree of a linear BVH (examples/lbvh.cpp).
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/config.h>

#include <cstdint>
#include <type_traits>

namespace hindsight {
namespace detail {

/// Bit b of x goes to bit 2 b.
HINDSIGHT_HD constexpr std::uint64_t spread_by_2(std::uint64_t x) {
  x &= 0xffff'ffff;
  x = (x | x << 16) & 0x0000'ffff'0000'ffff;
  x = (x | x << 8) & 0x00ff'00ff'00ff'00ff;
  x = (x | x << 4) & 0x0f0f'0f0f'0f0f'0f0f;
  x = (x | x << 2) & 0x3333'3333'3333'3333;
  return (x | x << 1) & 0x5555'5555'5555'5555;
}
/// Bit b < 21 of x goes to bit 3 b.
HINDSIGHT_HD constexpr std::uint64_t spread_by_3(std::uint64_t x) {
  x &= 0x1f'ffff;
  x = (x | x << 32) & 0x001f'0000'0000'ffff;
  x = (x | x << 16) & 0x001f'0000'ff00'00ff;
  x = (x | x << 8) & 0x100f'00f0'0f00'f00f;
  x = (x | x << 4) & 0x10c3'0c30'c30c'30c3;
  return (x | x << 2) & 0x1249'2492'4924'9249;
}

template <class Code>
inline constexpr bool is_morton_code =
    std::is_same_v<Code, std::uint32_t> || std::is_same_v<Code, std::uint64_t>;

}  // namespace detail

/// Bit b of x in bit 2 b of the code, bit b of y in bit 2 b + 1. Of each coordinate it takes the
/// low 16 bits (Code = std::uint32_t) or 32 bits (std::uint64_t).
///   Time    some dozens of operations; in host and device code
///   Memory, Order, Sync, Errors  none: a value is made of values
///   Source  Morton 1966, "A computer oriented geodetic data base"
///   Example
///     const auto code = hindsight::morton_code<std::uint32_t>(3, 1);  // 0b111
template <class Code>
HINDSIGHT_HD constexpr Code morton_code(std::uint32_t x, std::uint32_t y) {
  static_assert(detail::is_morton_code<Code>,
                "hindsight: a Morton code is a std::uint32_t or a std::uint64_t");
  return static_cast<Code>(detail::spread_by_2(x) | detail::spread_by_2(y) << 1);
}

/// Bit b of x in bit 3 b of the code, of y in bit 3 b + 1, of z in bit 3 b + 2. Of each coordinate
/// it takes the low 10 bits (Code = std::uint32_t: a code of 30 bits) or 21 bits (std::uint64_t: of
/// 63).
///   Example
///     const auto code = hindsight::morton_code<std::uint64_t>(1, 0, 3);  // 0b100101
template <class Code>
HINDSIGHT_HD constexpr Code morton_code(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  static_assert(detail::is_morton_code<Code>,
                "hindsight: a Morton code is a std::uint32_t or a std::uint64_t");
  constexpr std::uint32_t mask = sizeof(Code) == 4 ? 0x3ff : 0x1f'ffff;
  return static_cast<Code>(detail::spread_by_3(x & mask) | detail::spread_by_3(y & mask) << 1 |
                           detail::spread_by_3(z & mask) << 2);
}

/// The code of a point of the unit cube, whose sides are cut into 2^10 (std::uint32_t) or 2^21
/// (std::uint64_t) parts. Points outside count as the nearest inside; so do coordinates that are
/// not numbers, as 0.
///   Time, Memory, Order, Sync, Errors  as morton_code
///   Example
///     const auto code = hindsight::morton_code_of_point<std::uint32_t>(0.5f, 0.5f, 0.5f);
template <class Code, class Real>
HINDSIGHT_HD Code morton_code_of_point(Real x, Real y, Real z) {
  constexpr std::uint32_t parts = sizeof(Code) == 4 ? 1u << 10 : 1u << 21;
  using number =
      std::conditional_t<(sizeof(Real) < 4), float, Real>;  // 2^21 is too large for a half
  const auto part = [](Real coordinate) {
    const number at = static_cast<number>(coordinate);
    if (!(at > number(0))) return std::uint32_t{0};
    if (at >= number(1)) return parts - 1;
    const auto index = static_cast<std::uint32_t>(at * number(parts));
    return index < parts ? index : parts - 1;
  };
  return hindsight::morton_code<Code>(part(x), part(y), part(z));
}

}  // namespace hindsight
