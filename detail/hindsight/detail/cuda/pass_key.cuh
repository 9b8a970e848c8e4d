// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A key as the passes of a radix sort move it, and its digits.
#pragma once

#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/ptx.cuh>

#include <cuda/std/bit>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Passes move a float as its exact key bits (key_bits.h). They move an integer as it is: its
/// digits differ from those of its key bits by the constant `flips`.
template <class Direction, class Key>
struct pass_key {
  using bits_t = unsigned_bits_t<Key>;
  static constexpr bool moves_key_bits = is_float_like<Key>;

  HINDSIGHT_DEVICE static bits_t from(const Key& key) {
    if constexpr (moves_key_bits) return Direction::exact(key);
    return ::cuda::std::bit_cast<bits_t>(key);
  }
  HINDSIGHT_DEVICE static Key to_key(bits_t in_pass) {
    if constexpr (moves_key_bits) return Direction::template key<Key>(in_pass);
    return ::cuda::std::bit_cast<Key>(in_pass);
  }
  HINDSIGHT_HD static constexpr bits_t flips() {
    if constexpr (moves_key_bits) return 0;
    return Direction::bits(Key{});
  }
  /// None of its digits is smaller than another key's.
  HINDSIGHT_HD static constexpr bits_t last() { return bits_t(~flips()); }
  /// Whether digits differ from those of the key bits by `flips` alone.
  static constexpr bool flips_digits = !moves_key_bits;
  HINDSIGHT_DEVICE static bits_t key_bits(bits_t in_pass) {
    if constexpr (moves_key_bits) return Direction::template join_zeros<Key>(in_pass);
    return bits_t(in_pass ^ flips());
  }
};

/// The key bits of a key in a pass.
template <class Direction, class Key>
HINDSIGHT_DEVICE unsigned_bits_t<Key> key_bits_of(unsigned_bits_t<Key> in_pass) {
  return pass_key<Direction, Key>::key_bits(in_pass);
}

/// Bits [end_bit - num_bits, end_bit) of key bits; fewer than 32.
template <class Bits>
HINDSIGHT_DEVICE unsigned highest_bits(Bits key_bits, int end_bit, int num_bits) {
  return static_cast<unsigned>(key_bits >> (end_bit - num_bits)) & ((1u << num_bits) - 1);
}

/// The digit of a key in a pass: its key bits from `shift` on, as many as `mask` has.
template <class Direction, class Key>
struct digit_of {
  unsigned shift;
  unsigned mask;
  unsigned flips;
  HINDSIGHT_DEVICE unsigned operator()(unsigned_bits_t<Key> in_pass) const {
    if constexpr (pass_key<Direction, Key>::flips_digits) {
      return (static_cast<unsigned>(in_pass >> shift) & mask) ^ flips;
    } else {
      return of_key_bits(cuda::key_bits_of<Direction, Key>(in_pass));
    }
  }
  /// The same, given key_bits_of(in_pass).
  HINDSIGHT_DEVICE unsigned of_key_bits(unsigned_bits_t<Key> key_bits) const {
    return static_cast<unsigned>(key_bits >> shift) & mask;
  }
  /// The same, but the compiler does not know that it is the same. Else it would keep the digits of
  /// one use for the next, and run out of registers.
  HINDSIGHT_DEVICE digit_of again() const { return {ptx::opaque(shift), mask, flips}; }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
