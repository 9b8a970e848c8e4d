// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of the cases, and their names as in NVIDIA's benchmarks.
#pragma once

#include <cstdint>

namespace ab {

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

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

}  // namespace ab
