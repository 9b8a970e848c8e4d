// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Digits of a key's value in place of its bits. The highest bits of doubles are their exponents:
// where numbers are spread evenly over a range, half of them have the same one. The highest bits of
// 64-bit integers are often the same for all.
#pragma once

#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/tuning/sort.h>

#include <cuda/std/bit>

#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Key>
inline constexpr bool has_value_digits = std::is_same_v<Key, double> ||
                                         (is_integer<Key> && sizeof(Key) == 8);

/// The code of a key, from 0 to 65535. A key that sorts before another never has a greater code. It
/// is linear in the value between two bounds, and constant beyond each.
template <class Direction, class Key>
struct value_code;

/// Looks at the higher half of the key, as a float: numbers that are too small for that count as
/// zero, and NaNs as what is greatest or least. Every kernel finds the same code, as all roundings
/// are explicit.
template <class Direction>
struct value_code<Direction, double> {
  using Key = double;
  using word = std::uint32_t;
  value_scale scale;
  static constexpr int bits = 16;

  HINDSIGHT_DEVICE unsigned operator()(unsigned_bits_t<Key> in_pass) const {
    const float x = float_of(scale.least_word, word_of(in_pass));
    const float part = __saturatef(__fmaf_rn(x, scale.factor, scale.offset));
    const auto code = ::cuda::std::bit_cast<std::uint32_t>(__fmaf_rn(part, 65535.0f, 8388608.0f));
    return is_descending ? ~code & 0xffff : code & 0xffff;  // the lowest bits of 2^23 + the code
  }
  HINDSIGHT_DEVICE value_code again() const {
    value_code same = *this;
    same.scale.least_word = ptx::opaque(scale.least_word);
    return same;
  }
  /// The higher half of the key bits, ascending.
  HINDSIGHT_DEVICE static std::uint32_t word_of(unsigned_bits_t<Key> in_pass) {
    const auto word = static_cast<std::uint32_t>(in_pass >> 32);
    return is_descending ? ~word : word;
  }
  /// Whether codes can tell at least `keys` keys apart between `least` and `greatest`.
  HINDSIGHT_DEVICE static bool tells_apart(unsigned keys, const value_scale& scale,
                                           std::uint32_t least, std::uint32_t greatest) {
    const float begin = float_of(scale.least_word, least);
    const float end = float_of(scale.least_word, greatest);
    const auto largest = ::cuda::std::bit_cast<std::uint32_t>(
        ::cuda::std::max(::cuda::std::max(begin, -begin), ::cuda::std::max(end, -end)));
    const auto power_of_two = ::cuda::std::bit_cast<float>(largest & 0x7f800000);
    return (end - begin) / power_of_two * 0x1p20f >= static_cast<float>(keys);
  }
  /// The codes of keys between two, and a little beyond: these are the ends of a sample.
  HINDSIGHT_DEVICE static value_scale scale_between(std::uint32_t least, std::uint32_t greatest) {
    constexpr std::uint32_t exponent = 0x7ff00000, exponents = 200u << 20;
    const std::uint32_t highest =
        ::cuda::std::max(number(least) & exponent, number(greatest) & exponent);
    value_scale scale{};
    scale.least_word = highest > exponents ? highest - exponents : 0;
    const float begin = float_of(scale.least_word, least);
    const float range = float_of(scale.least_word, greatest) - begin;
    const float margin = range / value_sample_tuning::margin_part;
    scale.factor = 1 / (range + 2 * margin);
    scale.offset = (margin - begin) * scale.factor;
    return scale;
  }

 private:
  static constexpr bool is_descending = std::is_same_v<Direction, descending>;
  static constexpr std::uint32_t sign = 0x80000000;

  /// The higher half of the double.
  HINDSIGHT_DEVICE static std::uint32_t number(std::uint32_t key_bits) {
    const auto is_positive = static_cast<std::uint32_t>(static_cast<std::int32_t>(key_bits) >> 31);
    return key_bits ^ ~(is_positive & ~sign);
  }
  /// That double as a float, less powers of two that are the same for all. Magnitudes up to
  /// least_word become 0.
  HINDSIGHT_DEVICE static float float_of(std::uint32_t least_word, std::uint32_t key_bits) {
    constexpr std::uint32_t most = 0x7f7fffff >> 3;
    const std::uint32_t word = number(key_bits);
    const auto magnitude =
        ::cuda::std::min(::cuda::std::max(word & ~sign, least_word), least_word + most);
    return ::cuda::std::bit_cast<float>((magnitude - least_word) << 3 | (word & sign));
  }
};

/// Looks at how far the key bits of an integer are above the least ones.
template <class Direction, class Key>
struct value_code {
  using word = unsigned long long;
  value_scale scale;
  static constexpr int bits = 16;

  HINDSIGHT_DEVICE unsigned operator()(unsigned_bits_t<Key> in_pass) const {
    const word key_bits = word_of(in_pass);
    const word above = key_bits > scale.least ? (key_bits - scale.least) >> scale.shift : 0;
    const unsigned part = above >> 32 == 0 ? static_cast<unsigned>(above) : ~0u;
    return ::cuda::std::min(__umulhi(part, scale.multiplier), 0xffffu);
  }
  HINDSIGHT_DEVICE value_code again() const {
    value_code same = *this;
    same.scale.least = scale.least >> 32 << 32 | ptx::opaque(static_cast<unsigned>(scale.least));
    return same;
  }
  HINDSIGHT_DEVICE static word word_of(unsigned_bits_t<Key> in_pass) {
    return cuda::key_bits_of<Direction, Key>(in_pass);
  }
  /// Whether at least `keys` numbers lie between `least` and `greatest`, and codes split them
  /// better than bits do. Bits do as well where all keys share the upper half, or where they reach
  /// from one end of all numbers to the other.
  HINDSIGHT_DEVICE static bool tells_apart(unsigned keys, const value_scale&, word least,
                                           word greatest) {
    return greatest - least >= keys && (least ^ greatest) >> 32 != 0 &&
           greatest - least < ~word{0} / 16 * value_sample_tuning::most_sixteenths;
  }
  /// The codes of keys between two, and a little beyond: these are the ends of a sample. The last
  /// key has the greatest code, as places past the end must.
  HINDSIGHT_DEVICE static value_scale scale_between(word least, word greatest) {
    const word margin = (greatest - least) / value_sample_tuning::margin_part;
    value_scale scale{};
    scale.least = least > margin ? least - margin : 0;
    const word range = (greatest > ~margin ? ~word{0} : greatest + margin) - scale.least;
    while (range >> scale.shift >> 32 != 0) ++scale.shift;
    const word last = ::cuda::std::max(range >> scale.shift, word{1});
    const word multiplier = (word{65535} << 32) / last + 1;
    scale.multiplier = static_cast<unsigned>(::cuda::std::min(multiplier, word{~0u}));
    return scale;
  }
};

/// A digit of the code.
template <class Direction, class Key>
struct value_digit {
  value_code<Direction, Key> code;
  unsigned shift;
  HINDSIGHT_DEVICE unsigned operator()(unsigned_bits_t<Key> in_pass) const {
    return code(in_pass) >> shift & 0xff;
  }
  /// As digit_of::again.
  HINDSIGHT_DEVICE value_digit again() const { return {code.again(), shift}; }
};

/// The same as the host names it: the scale of the codes is known on the device only.
template <class Direction, class Key>
struct planned_value_digit {
  unsigned shift;
};

template <class Direction, class Key>
HINDSIGHT_DEVICE digit_of<Direction, Key> planned_digit(const sort_plan&,
                                                        digit_of<Direction, Key> digit) {
  return digit;
}
template <class Direction, class Key>
HINDSIGHT_DEVICE value_digit<Direction, Key> planned_digit(
    const sort_plan& plan, planned_value_digit<Direction, Key> digit) {
  return {{plan.scale}, digit.shift};
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
