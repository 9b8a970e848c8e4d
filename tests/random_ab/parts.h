// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tests look into an item of any type: as a few numbers. A part holds the integers below
// 2^bits exactly, whatever it is; padding is no part.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/std/memory>

#include "types.h"
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight_test {

// ---- one number ----

template <class S>
HINDSIGHT_HD constexpr int payload_bits() {
  if constexpr (std::is_same_v<S, bool> || std::is_same_v<S, types::bool_enum>) return 1;
  if constexpr (std::is_same_v<S, float>) return 20;
  if constexpr (std::is_same_v<S, double>) return 40;
#if !HINDSIGHT_CUDA
  if constexpr (std::is_same_v<S, long double>) return 60;
#endif
#if HINDSIGHT_CUDA
  if constexpr (std::is_same_v<S, half>) return 10;
  if constexpr (std::is_same_v<S, bfloat16>) return 8;
#endif
  return 8 * int(sizeof(S));
}
template <class S>
HINDSIGHT_HD u64 to_payload(const S& value) {
  if constexpr (std::is_pointer_v<S>) {
    return reinterpret_cast<u64>(value);
  } else if constexpr (is_short_float<S>) {
    return static_cast<u64>(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<S> && payload_bits<S>() < 64) {
    return static_cast<u64>(value) & ((u64{1} << payload_bits<S>()) - 1);  // no sign
  } else {
    return static_cast<u64>(value);
  }
}
template <class S>
HINDSIGHT_HD S from_payload(u64 payload) {
  if constexpr (std::is_pointer_v<S>) {
    return reinterpret_cast<S>(payload);
  } else if constexpr (is_short_float<S>) {
    return S(static_cast<float>(payload));
  } else {
    return static_cast<S>(payload);
  }
}

// ---- the parts of an item ----

template <class T, class = void>
struct parts {
  static constexpr int count = 1;
  HINDSIGHT_HD static constexpr int bits(int) { return payload_bits<T>(); }
  HINDSIGHT_HD static u64 get(const T& item, int) { return to_payload(item); }
  HINDSIGHT_HD static void set(T& item, int, u64 payload) { item = from_payload<T>(payload); }
};

template <>
struct parts<u128> {
  static constexpr int count = 2;
  HINDSIGHT_HD static constexpr int bits(int) { return 64; }
  HINDSIGHT_HD static u64 get(u128 item, int i) { return u64(item >> 64 * i); }
  HINDSIGHT_HD static void set(u128& item, int i, u64 payload) {
    item = (item & ~(u128{~u64{0}} << 64 * i)) | u128{payload} << 64 * i;
  }
};

template <class T>
struct parts<T, std::void_t<decltype(std::declval<T&>().words)>> {
  using word = std::decay_t<decltype(std::declval<T&>().words[0])>;
  static constexpr int count = int(sizeof(T::words) / sizeof(word));
  HINDSIGHT_HD static constexpr int bits(int) { return payload_bits<word>(); }
  HINDSIGHT_HD static u64 get(const T& item, int i) { return to_payload(item.words[i]); }
  HINDSIGHT_HD static void set(T& item, int i, u64 payload) {
    item.words[i] = from_payload<word>(payload);
  }
};

template <>
struct parts<types::nothing> {
  static constexpr int count = 0;
  HINDSIGHT_HD static constexpr int bits(int) { return 0; }
  HINDSIGHT_HD static u64 get(const types::nothing&, int) { return 0; }
  HINDSIGHT_HD static void set(types::nothing&, int, u64) {}
};

template <>
struct parts<types::bit_fields> {
  static constexpr int count = 3;
  HINDSIGHT_HD static constexpr int bits(int i) { return i == 0 ? 12 : i == 1 ? 20 : 14; }
  HINDSIGHT_HD static u64 get(const types::bit_fields& item, int i) {
    return i == 0 ? u64(item.low) : i == 1 ? u64(item.high) : u64(item.rest);
  }
  HINDSIGHT_HD static void set(types::bit_fields& item, int i, u64 payload) {
    if (i == 0) item.low = u32(payload) & 0xfff;
    if (i == 1) item.high = u32(payload) & 0xfffff;
    if (i == 2) item.rest = u16(payload & 0x3fff);
  }
};

/// An array of numbers by another name.
template <class T, class Number, int Count>
struct parts_of_array {
  static constexpr int count = Count;
  HINDSIGHT_HD static constexpr int bits(int) { return payload_bits<Number>(); }
  HINDSIGHT_HD static u64 get(const T& item, int i) {
    return to_payload(reinterpret_cast<const Number*>(&item)[i]);
  }
  HINDSIGHT_HD static void set(T& item, int i, u64 payload) {
    reinterpret_cast<Number*>(&item)[i] = from_payload<Number>(payload);
  }
};
template <class F>
struct parts<thrust::complex<F>> : parts_of_array<thrust::complex<F>, F, 2> {};
template <class F>
struct parts<cuda::std::complex<F>> : parts_of_array<cuda::std::complex<F>, F, 2> {};
template <class F>
struct parts<std::complex<F>> : parts_of_array<std::complex<F>, F, 2> {};
template <class F, std::size_t Count>
struct parts<cuda::std::array<F, Count>> : parts_of_array<cuda::std::array<F, Count>, F, Count> {};

/// Two numbers of two types.
template <class T, class A, class B>
struct parts_of_two {
  static constexpr int count = 2;
  HINDSIGHT_HD static constexpr int bits(int i) {
    return i == 0 ? payload_bits<A>() : payload_bits<B>();
  }
  HINDSIGHT_HD static u64 get(const T& item, int i) {
    return i == 0 ? to_payload(item.first) : to_payload(item.second);
  }
  HINDSIGHT_HD static void set(T& item, int i, u64 payload) {
    if (i == 0) item.first = from_payload<A>(payload);
    if (i == 1) item.second = from_payload<B>(payload);
  }
};
template <>
struct parts<types::padded_between> : parts_of_two<types::padded_between, u8, u32> {};
template <>
struct parts<types::padded_behind> : parts_of_two<types::padded_behind, u64, u16> {};
template <class A, class B>
struct parts<cuda::std::pair<A, B>> : parts_of_two<cuda::std::pair<A, B>, A, B> {};
template <class A, class B>
struct parts<std::pair<A, B>> : parts_of_two<std::pair<A, B>, A, B> {};

template <class... Ts>
struct parts<cuda::std::tuple<Ts...>> {
  using tuple = cuda::std::tuple<Ts...>;
  static constexpr int count = int(sizeof...(Ts));
  HINDSIGHT_HD static constexpr int bits(int i) {
    const int all[] = {payload_bits<Ts>()...};
    return all[i];
  }
  HINDSIGHT_HD static u64 get(const tuple& item, int i) {
    return get(item, i, std::index_sequence_for<Ts...>{});
  }
  HINDSIGHT_HD static void set(tuple& item, int i, u64 payload) {
    set(item, i, payload, std::index_sequence_for<Ts...>{});
  }

 private:
  template <std::size_t... Is>
  HINDSIGHT_HD static u64 get(const tuple& item, int i, std::index_sequence<Is...>) {
    u64 payload = 0;
    ((int(Is) == i ? void(payload = to_payload(cuda::std::get<Is>(item))) : void()), ...);
    return payload;
  }
  template <std::size_t... Is>
  HINDSIGHT_HD static void set(tuple& item, int i, u64 payload, std::index_sequence<Is...>) {
    ((int(Is) == i ? void(cuda::std::get<Is>(item) = from_payload<Ts>(payload)) : void()), ...);
  }
};

// ---- items ----

/// Room for an item that need not be default constructible.
template <class T>
union room {
  HINDSIGHT_HD room() {}
  HINDSIGHT_HD ~room() {}
  T item;
};

/// As an item is kept in a std::vector, where one of bool would hold bits.
template <class T>
struct boxed {
  T item;
};
template <class T>
using item_vector = std::vector<boxed<T>>;

/// The bytes of a T as one.
template <class T>
T item_from(const unsigned char* bytes) {
  room<T> made;
  std::memcpy(static_cast<void*>(cuda::std::addressof(made.item)), bytes, sizeof(T));
  return made.item;
}

/// Parts of items are 1 modulo 4, and stay so under compose_parts: what is not was never an item.
HINDSIGHT_HD constexpr u64 valid_payload(u64 any, int bits) {
  const u64 mask = bits < 64 ? (u64{1} << bits) - 1 : ~u64{0};
  return bits < 4 ? any & mask : ((any & ~u64{3}) | 1) & mask;
}
/// Looks at the first and the last part.
template <class T>
HINDSIGHT_HD bool is_valid(const T& item) {
  constexpr int last = parts<T>::count - 1;
  if constexpr (last >= 0) {
    if (parts<T>::bits(0) >= 4 && parts<T>::get(item, 0) % 4 != 1) return false;
    if (parts<T>::bits(last) >= 4 && parts<T>::get(item, last) % 4 != 1) return false;
  }
  return true;
}

/// An item of the parts that `next` gives.
template <class T, class Next>
T make_item(Next next) {
  const unsigned char zeros[sizeof(T)] = {};
  T item = item_from<T>(zeros);
  for (int i = 0; i < parts<T>::count; ++i)
    parts<T>::set(item, i, valid_payload(next(), parts<T>::bits(i)));
  return item;
}

template <class T>
HINDSIGHT_HD bool same_parts(const T& a, const T& b) {
  for (int i = 0; i < parts<T>::count; ++i)
    if (parts<T>::get(a, i) != parts<T>::get(b, i)) return false;
  return true;
}

/// A number that depends on the item's first part alone: loads of the others may still be under way
/// when it is known.
template <class T>
HINDSIGHT_HD u32 mixed_first_part(const T& item) {
  if constexpr (parts<T>::count == 0) return 0;
  return u32(parts<T>::get(item, 0) * 0x9E3779B97F4A7C15u >> 40);
}

}  // namespace hindsight_test
