// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of the cases. The names of numbers are those in NVIDIA's benchmarks.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ab {

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

/// Words that are added one by one, and ordered by the first ones that differ.
template <int Bytes>
struct plain_struct {
  static constexpr int num_words = Bytes / 4;
  std::uint32_t words[num_words];

  friend HINDSIGHT_HD plain_struct operator+(const plain_struct& a, const plain_struct& b) {
    plain_struct sum;
    for (int w = 0; w < num_words; ++w) sum.words[w] = a.words[w] + b.words[w];
    return sum;
  }
  friend HINDSIGHT_HD bool operator<(const plain_struct& a, const plain_struct& b) {
    for (int w = 0; w < num_words; ++w)
      if (a.words[w] != b.words[w]) return a.words[w] < b.words[w];
    return false;
  }
  friend HINDSIGHT_HD bool operator==(const plain_struct& a, const plain_struct& b) {
    for (int w = 0; w < num_words; ++w)
      if (a.words[w] != b.words[w]) return false;
    return true;
  }
};

template <class T>
inline constexpr bool is_struct = false;
template <int Bytes>
inline constexpr bool is_struct<plain_struct<Bytes>> = true;

/// What a predicate looks at: the first word of a struct, else the item itself.
template <class T>
HINDSIGHT_HD auto& number_in(T& item) {
  if constexpr (is_struct<std::remove_const_t<T>>) {
    return item.words[0];
  } else {
    return item;
  }
}

/// The greatest default size of cases with items of this type: arrays of structs are large.
template <class T>
inline constexpr std::size_t most_items_of = is_struct<T> ? std::size_t{1} << 24 : std::size_t(-1);

template <class T>
inline constexpr const char* name_of = nullptr;
template <>
inline constexpr const char* name_of<std::int8_t> = "I8";
template <>
inline constexpr const char* name_of<std::int16_t> = "I16";
template <>
inline constexpr const char* name_of<std::int32_t> = "I32";
template <>
inline constexpr const char* name_of<std::int64_t> = "I64";
template <>
inline constexpr const char* name_of<int128_t> = "I128";
template <>
inline constexpr const char* name_of<std::uint8_t> = "U8";
template <>
inline constexpr const char* name_of<float> = "F32";
template <>
inline constexpr const char* name_of<double> = "F64";
template <>
inline constexpr const char* name_of<plain_struct<32>> = "S32";
template <>
inline constexpr const char* name_of<plain_struct<64>> = "S64";
template <>
inline constexpr const char* name_of<plain_struct<128>> = "S128";

}  // namespace ab
