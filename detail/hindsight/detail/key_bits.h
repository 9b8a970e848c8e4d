// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys as unsigned numbers of the same order.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

struct __half;  // known by name only: who sorts no halves does not pay for cuda_fp16.h
struct __nv_bfloat16;

namespace hindsight::detail {

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

/// std::is_integral, and the 128-bit integers, which -std=c++17 leaves out.
template <class Key>
inline constexpr bool is_integer =
    std::is_integral_v<Key> || std::is_same_v<Key, int128_t> || std::is_same_v<Key, uint128_t>;

template <std::size_t Bytes>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of_size<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of_size<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of_size<8> {
  using type = std::uint64_t;
};
template <>
struct unsigned_of_size<16> {
  using type = uint128_t;
};

template <std::size_t Bytes>
using unsigned_of_size_t = typename unsigned_of_size<Bytes>::type;

/// The bits of a float whose type is not known here.
template <std::size_t Bytes>
struct float_bits {
  unsigned_of_size_t<Bytes> bits;
};
template <class Key>
inline constexpr bool is_float_bits = false;
template <std::size_t Bytes>
inline constexpr bool is_float_bits<float_bits<Bytes>> = true;

/// IEEE-shaped keys: a sign bit, then a magnitude that orders as an unsigned number.
template <class Key>
inline constexpr bool is_float_like =
    std::is_same_v<Key, float> || std::is_same_v<Key, double> || std::is_same_v<Key, __half> ||
    std::is_same_v<Key, __nv_bfloat16> || is_float_bits<Key>;

/// Types that to_key_bits() takes.
template <class Key>
inline constexpr bool has_key_bits = is_float_like<Key> || is_integer<Key>;

/// The unsigned integer as wide as Key.
template <class Key>
using unsigned_bits_t = unsigned_of_size_t<sizeof(Key)>;

/// The highest of a key's bits.
template <class Key>
inline constexpr unsigned_bits_t<Key> sign_bit = unsigned_bits_t<Key>(unsigned_bits_t<Key>{1}
                                                                      << (sizeof(Key) * 8 - 1));

/// Key bits from which the key can be made again. They order as to_key_bits(), except that -0.0
/// comes right before +0.0.
template <class Key>
HINDSIGHT_HD constexpr unsigned_bits_t<Key> to_exact_bits(Key key) {
  using bits_t = unsigned_bits_t<Key>;
  static_assert(has_key_bits<Key>, "keys are integers or IEEE floats");
  if constexpr (is_float_like<Key>) {
    bits_t bits{};
    memcpy(&bits, &key, sizeof bits);
    // All ones where negative, else the sign bit: arithmetic, because kernels do this for each key
    // of each pass, and a branch would cost more than both its sides.
    const bits_t flips = bits_t(bits_t(0) - bits_t(bits >> (sizeof(Key) * 8 - 1))) | sign_bit<Key>;
    return bits_t(bits ^ flips);
  } else if constexpr (Key(-1) < Key(0)) {
    return bits_t(bits_t(key) ^ sign_bit<Key>);
  } else {
    return bits_t(key);
  }
}

/// Makes key bits of exact key bits: -0.0 takes the bits of +0.0.
template <class Key>
HINDSIGHT_HD constexpr unsigned_bits_t<Key> join_zeros(unsigned_bits_t<Key> exact) {
  using bits_t = unsigned_bits_t<Key>;
  if constexpr (is_float_like<Key>)
    return exact == bits_t(sign_bit<Key> - 1) ? sign_bit<Key> : exact;
  return exact;
}

/// The unsigned number that has the key's place in the order: a sorts before b exactly if
/// to_key_bits(a) < to_key_bits(b). Floats order as -NaN < -inf < ... < -0.0 == +0.0 < ... < +inf <
/// +NaN, NaNs by their bits; the two zeros share one number, so that a stable sort keeps their
/// input order.
template <class Key>
HINDSIGHT_HD constexpr unsigned_bits_t<Key> to_key_bits(Key key) {
  return join_zeros<Key>(to_exact_bits(key));
}

/// The same for descending order.
template <class Key>
HINDSIGHT_HD constexpr unsigned_bits_t<Key> to_descending_key_bits(Key key) {
  return unsigned_bits_t<Key>(~to_key_bits(key));
}

/// The key whose exact bits are `bits`.
template <class Key>
HINDSIGHT_HD constexpr Key from_key_bits(unsigned_bits_t<Key> bits) {
  using bits_t = unsigned_bits_t<Key>;
  if constexpr (is_float_like<Key>) {
    const bool negative = (bits & sign_bit<Key>) == 0;
    const bits_t raw = bits_t(negative ? ~bits : bits ^ sign_bit<Key>);
    static_assert(std::is_trivially_copyable_v<Key>);
    Key key;
    memcpy(static_cast<void*>(&key), &raw, sizeof key);
    return key;
  } else if constexpr (Key(-1) < Key(0)) {
    return Key(bits_t(bits ^ sign_bit<Key>));
  } else {
    return Key(bits);
  }
}

}  // namespace hindsight::detail
