// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of flags, several at a time: as the bytes of a word, or as the bits of one.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/std_basics.h>

#include <cuda/std/bit>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

inline constexpr std::size_t flags_of_word = sizeof(std::uint64_t);

/// The first flags_of_word of `count` flags, or all: flag i is bit 8 * i. (Processors that store
/// the highest byte first are not supported.)
inline std::uint64_t load_flags(const bool* flags, std::size_t count) {
  std::uint64_t word = 0;
  if (count >= flags_of_word) {
    std::memcpy(&word, flags, flags_of_word);
  } else {
    std::memcpy(&word, flags, count);
  }
  return word;
}

/// How many of flags[0, n) are set.
inline std::size_t count_flags(const bool* flags, std::size_t n) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::size_t most = 31 * flags_of_word;  // so the sum of all bytes is one byte
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < n; begin += most) {
    const std::size_t end = std::min(begin + most, n);
    std::uint64_t sum = 0;
    for (std::size_t i = begin; i < end; i += flags_of_word)
      sum += host::load_flags(flags + i, end - i);
    count += sum * ones >> 56;
  }
  return count;
}

/// The first flag of [begin, end) that is set, or end.
inline std::size_t first_flag(const bool* flags, std::size_t begin, std::size_t end) {
  for (; begin < end; begin += flags_of_word)
    if (const std::uint64_t word = host::load_flags(flags + begin, end - begin))
      return begin + std::size_t(::cuda::std::countr_zero(word)) / 8;
  return end;
}

/// So many flags as one word: bit j is flags[begin + j], and 0 where begin + j >= n.
inline constexpr std::size_t flags_at_once = 64;
inline std::uint64_t load_flag_bits(const bool* flags, std::size_t begin, std::size_t n) {
  constexpr std::uint64_t gather = 0x0102040810204080;  // moves bit 0 of byte i to bit 56 + i
  const std::size_t count = std::min(flags_at_once, n - begin);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; i += flags_of_word)
    bits |= (host::load_flags(flags + begin + i, count - i) * gather >> 56) << i;
  return bits;
}

/// Calls visit(j) for each bit j that is set.
template <class Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(std::size_t(::cuda::std::countr_zero(bits)));
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
