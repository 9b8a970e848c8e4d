// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types, operators and bit patterns that the randomised tests draw from.
#pragma once

#include <hindsight/detail/config.h>

#include <thrust/functional.h>

#if HINDSIGHT_CUDA
#  include <cuda_bf16.h>
#  include <cuda_fp16.h>
#endif

#include "../affine_testing.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>

namespace hindsight_test {

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class byte_enum : u8 {};
enum class int_enum : i32 {};

/// More than a sort stages in shared memory.
struct wide_record {
  u32 words[8];
};

#if HINDSIGHT_CUDA
using half = __half;
using bfloat16 = __nv_bfloat16;
template <class T>
inline constexpr bool is_short_float = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
#else
template <class T>
inline constexpr bool is_short_float = false;
#endif

template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || is_short_float<T>;
template <class T>
inline constexpr bool is_record = std::is_same_v<T, affine> || std::is_same_v<T, wide_record>;

/// The number of bits of a float that hold its magnitude's fraction.
template <class T>
constexpr int fraction_bits() {
  if constexpr (std::is_same_v<T, double>) return 52;
  if constexpr (std::is_same_v<T, float>) return 23;
#if HINDSIGHT_CUDA
  if constexpr (std::is_same_v<T, bfloat16>) return 7;
#endif
  return 10;
}

/// As T is kept in a std::vector: one of bool would hold bits.
template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, u8, T>;

// ---- operators and predicates ----
// They name the type of their items: some algorithms pass them a reference that only converts to
// it.

/// (1 + a)(1 + b) - 1, for unsigned integers: associative and commutes.
template <class T>
struct star {
  HINDSIGHT_HD T operator()(const T& a, const T& b) const { return static_cast<T>(a + b + a * b); }
};
/// The last item that is not zero: associative, does not commute.
template <class T>
struct last_nonzero {
  HINDSIGHT_HD T operator()(const T& a, const T& b) const { return b != T{} ? b : a; }
};

/// A word of the item's bits, for predicates over any type.
template <class T>
HINDSIGHT_HD u32 first_word(const T& item) {
  if constexpr (std::is_same_v<T, affine>) {
    return item.b;
  } else if constexpr (std::is_same_v<T, wide_record>) {
    return item.words[0];
  } else if constexpr (is_float<T>) {
    u32 word = 0;
    memcpy(&word, &item, sizeof(T) < sizeof word ? sizeof(T) : sizeof word);
    return word;
  } else {
    return static_cast<u32>(item);
  }
}

template <class T>
struct is_odd {
  HINDSIGHT_HD bool operator()(const T& item) const { return first_word(item) & 1; }
};
struct first_is_odd {
  template <class Pair>
  HINDSIGHT_HD bool operator()(const Pair& pair) const {
    return first_word(thrust::get<0>(pair)) & 1;
  }
};
template <class T>
struct same_tens {
  HINDSIGHT_HD bool operator()(const T& a, const T& b) const { return a / 10 == b / 10; }
};

/// Another item of the same type, its own inverse.
template <class T>
struct flipped {
  HINDSIGHT_HD T operator()(const T& item) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !item;
    } else if constexpr (std::is_floating_point_v<T>) {
      return -item;
    } else if constexpr (std::is_same_v<T, affine>) {
      return {item.a, ~item.b, item.last};
    } else {
      return static_cast<T>(~item);
    }
  }
};
template <class T>
struct square {
  HINDSIGHT_HD u64 operator()(const T& item) const {
    return static_cast<u64>(item) * static_cast<u64>(item);
  }
};
struct sum_of_pair {
  template <class Pair>
  HINDSIGHT_HD u64 operator()(const Pair& pair) const {
    return static_cast<u64>(thrust::get<0>(pair)) + static_cast<u64>(thrust::get<1>(pair));
  }
};

// ---- order ----

/// Where the radix sort puts a key: numbers by value, the zeros together, NaNs by their bits.
template <class T>
u128 rank_of(const T& key) {
  if constexpr (is_float<T>) {
    u64 bits = 0;
    std::memcpy(&bits, &key, sizeof key);
    const u64 sign = u64{1} << (8 * sizeof key - 1);
    const u64 magnitude = bits & (sign - 1);
    return bits & sign ? sign - magnitude : sign + magnitude;  // both zeros: sign
  } else if constexpr (is_record<T>) {
    return first_word(key);
  } else {
    return std::is_same_v<T, u128> ? u128(key) : u128(i128(key)) + (u128{1} << 127);
  }
}

// ---- bit patterns ----

/// Which items may occur: all bit patterns; floats whose sums are exact; floats of which min and
/// max are associative (no NaN and no -0.0). Other types know the first only.
enum class values { any, exact, ordered };

/// What `Op` needs to be associative over T.
template <class T, class Op>
inline constexpr values values_for =
    !is_float<T>                                                                ? values::any
    : std::is_same_v<Op, thrust::plus<T>> || std::is_same_v<Op, thrust::plus<>> ? values::exact
                                                                                : values::ordered;

template <class T>
T from_words(u64 low, u64 high) {
  if constexpr (std::is_same_v<T, bool>) {
    return low & 1;
  } else if constexpr (std::is_same_v<T, affine>) {
    return {u32(low) | 1, u32(low >> 32), u32(high)};
  } else if constexpr (std::is_same_v<T, wide_record>) {
    wide_record record;
    for (u32 i = 0; i < 8; ++i) record.words[i] = u32((i % 2 ? high : low) >> 16) * (i + 1);
    record.words[0] = u32(low);
    return record;
  } else if constexpr (is_float<T>) {
    T value;
    std::memcpy(static_cast<void*>(&value), &low, sizeof value);
    return value;
  } else {
    return static_cast<T>(u128{high} << 64 | low);
  }
}

template <class T, class Random>
T any_item(Random& random) {
  const u64 low = random();
  return from_words<T>(low, sizeof(T) > 8 ? random() : 0);
}

/// Edges: zeros, ones and extremes of integers; of floats also two, infinities, denormals, and NaNs
/// of both signs with any payload.
template <class T, class Random>
T special_item(Random& random) {
  const u64 all = ~u64{0};
  if constexpr (is_float<T>) {
    const u64 sign = random() % 2 << (8 * sizeof(T) - 1);
    const u64 one_fraction = u64{1} << fraction_bits<T>();
    const u64 infinity = (u64{1} << (8 * sizeof(T) - 1)) - one_fraction;
    const u64 one = infinity / 2 & ~(one_fraction - 1);
    const u64 magnitudes[] = {0,
                              0,
                              one,
                              one + one_fraction,
                              1,
                              random() % one_fraction,
                              one_fraction,
                              infinity - 1,
                              infinity,
                              infinity + 1 + random() % (one_fraction - 1)};
    return from_words<T>(sign | magnitudes[random() % 10], 0);
  } else {
    constexpr bool is_wide = sizeof(T) > 8;
    const u64 top = u64{1} << (is_wide ? 63 : 8 * sizeof(T) - 1);
    const u64 low[] = {0, 1, all, is_wide ? 0 : top, is_wide ? all : top - 1, 2};
    const u64 high[] = {0, 0, all, top, top - 1, 0};
    const u64 which = random() % 6;
    return from_words<T>(low[which], high[which]);
  }
}

/// The item, or one of those allowed in its place.
template <class T>
T allowed(const T& item, values kind) {
  if constexpr (is_float<T>) {
    u64 bits = 0;
    std::memcpy(&bits, &item, sizeof item);
    const u64 sign = u64{1} << (8 * sizeof(T) - 1);
    const u64 infinity = sign - (u64{1} << fraction_bits<T>());
    if (kind == values::exact) return T(float(int(bits % 15) - 7));
    if (kind == values::ordered && (bits == sign || (bits & (sign - 1)) > infinity)) return T(1.0f);
  }
  return item;
}

}  // namespace hindsight_test
