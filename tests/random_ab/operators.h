// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators over items of any type (parts.h), in every form that Thrust takes a functor in.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/std/memory>
#include <nv/target>

#include "arrays.h"
#include "parts.h"
#include <atomic>
#include <type_traits>

#if defined(__CUDACC__)
#  define HINDSIGHT_TEST_NOINLINE __noinline__
#else
#  define HINDSIGHT_TEST_NOINLINE
#endif

namespace hindsight_test {

// ---- operators see items only, never what lies behind them or was never set ----

inline std::atomic<bool> saw_no_item_on_host{false};
#if HINDSIGHT_CUDA
static __device__ unsigned saw_no_item_on_device;
#endif

template <class T>
HINDSIGHT_HD void expect_item(const T& item) {
  if (is_valid(item)) return;
  NV_IF_TARGET(NV_IS_HOST, (saw_no_item_on_host = true;), (atomicExch(&saw_no_item_on_device, 1u);))
}

/// Whether an operator was called with what is no item since the last question.
inline bool saw_no_item() {
  bool seen = saw_no_item_on_host.exchange(false);
#if HINDSIGHT_CUDA
  unsigned on_device = 0;
  memory::check(cudaMemcpyFromSymbol(&on_device, saw_no_item_on_device, sizeof on_device));
  if (on_device != 0) {
    seen = true;
    on_device = 0;
    memory::check(cudaMemcpyToSymbol(saw_no_item_on_device, &on_device, sizeof on_device));
  }
#endif
  return seen;
}

// ---- what operators compute ----

/// Part by part the composition of x -> a * x + b, whose a is the lower half of the part and whose
/// b is the upper one: associative, does not commute, and with odd a forgets nothing. A single bit
/// knows exclusive or.
template <class T>
HINDSIGHT_HD T compose_each_part(const T& f, const T& g) {
  expect_item(f);
  expect_item(g);
  T composed = f;
  for (int i = 0; i < parts<T>::count; ++i) {
    const int bits = parts<T>::bits(i), half = bits / 2;
    const u64 x = parts<T>::get(f, i), y = parts<T>::get(g, i);
    if (bits < 4) {
      parts<T>::set(composed, i, (x ^ y) & ((u64{1} << bits) - 1));
      continue;
    }
    const u64 mask = (u64{1} << half) - 1;
    const u64 a = (x & mask) * (y & mask) & mask;
    const u64 b = ((y & mask) * (x >> half) + (y >> half)) & mask;
    parts<T>::set(composed, i, b << half | a);
  }
  return composed;
}
/// Once for all places that call it: kernels compile faster.
template <class T>
HINDSIGHT_TEST_NOINLINE HINDSIGHT_HD T compose_apart(const T& f, const T& g) {
  return compose_each_part(f, g);
}
template <class T>
struct compose_parts {
  HINDSIGHT_HD T operator()(const T& f, const T& g) const {
    if constexpr (parts<T>::count > 1)
      return compose_apart(f, g);
    else
      return compose_each_part(f, g);
  }
};

/// Accepts about `level` of 256 items, by their first part.
template <class T>
struct accept {
  u32 level;
  HINDSIGHT_HD bool operator()(const T& item) const {
    expect_item(item);
    return (mixed_first_part(item) & 255) < level;
  }
};

/// Its own inverse, and never the item.
template <class T>
struct turn {
  u32 salt;
  HINDSIGHT_HD T operator()(const T& item) const {
    expect_item(item);
    return parts<T>::count > 1 ? apart(item, salt) : each_part(item, salt);
  }

 private:
  HINDSIGHT_TEST_NOINLINE HINDSIGHT_HD static T apart(const T& item, u32 salt) {
    return each_part(item, salt);
  }
  HINDSIGHT_HD static T each_part(const T& item, u32 salt) {
    T turned = item;
    for (int i = 0; i < parts<T>::count; ++i) {
      const int bits = parts<T>::bits(i);
      const u64 flips = bits < 4 ? 1 : u64(salt | 1) << 3;
      const u64 mask = bits < 64 ? (u64{1} << bits) - 1 : ~u64{0};
      parts<T>::set(turned, i, parts<T>::get(item, i) ^ (flips & mask));
    }
    return turned;
  }
};

template <class T>
struct equal_parts {
  HINDSIGHT_HD bool operator()(const T& a, const T& b) const {
    expect_item(a);
    expect_item(b);
    return same_parts(a, b);
  }
};

/// By some bits of the first part: many items are equivalent.
template <class T>
struct order_by_first {
  HINDSIGHT_HD bool operator()(const T& a, const T& b) const {
    return (mixed_first_part(a) & 63) < (mixed_first_part(b) & 63);
  }
};

// ---- forms ----

/// Converts to the result that is meant.
template <class T>
struct as {
  T value;
  HINDSIGHT_HD as(const T& item) : value{item} {}
  HINDSIGHT_HD operator T() const { return value; }
};

inline constexpr int num_forms = 6;

/// F as a functor, `Result` being what its call gives. None has a default constructor.
///   0  const call operator, operands by reference
///   1  call operator that is not const, operands by value
///   2  call operator template
///   3  keeps its operands in itself while it works: two threads must not share one
///   4  the result is of another type
///   5  final, large, operands by value
template <int Form, class T, class F>
struct formed {
  F f;
  HINDSIGHT_HD explicit formed(F function) : f{function} {}
  HINDSIGHT_HD auto operator()(const T& a) const { return f(a); }
  HINDSIGHT_HD auto operator()(const T& a, const T& b) const { return f(a, b); }
};
template <class T, class F>
struct formed<1, T, F> {
  F f;
  HINDSIGHT_HD explicit formed(F function) : f{function} {}
  HINDSIGHT_HD auto operator()(T a) { return f(a); }
  HINDSIGHT_HD auto operator()(T a, T b) { return f(a, b); }
};
template <class T, class F>
struct formed<2, T, F> {
  F f;
  HINDSIGHT_HD explicit formed(F function) : f{function} {}
  template <class A>
  HINDSIGHT_HD auto operator()(const A& a) const {
    return f(static_cast<const T&>(a));
  }
  template <class A, class B>
  HINDSIGHT_HD auto operator()(const A& a, const B& b) const {
    return f(static_cast<const T&>(a), static_cast<const T&>(b));
  }
};
template <class T, class F>
struct formed<3, T, F> {
  // Bytes, but not of halves: ptxas 13.0 stores the number that a half stands for, as an integer,
  // where PTX stores the lower byte of a half that was just computed.
  using unit = std::conditional_t<is_short_float<T>, std::uint16_t, unsigned char>;
  F f;
  unit kept[sizeof(T) / sizeof(unit)] = {};
  HINDSIGHT_HD explicit formed(F function) : f{function} {}
  HINDSIGHT_HD auto operator()(const T& a) { return f(keep(a)); }
  HINDSIGHT_HD auto operator()(const T& a, const T& b) { return f(keep(a), b); }

 private:
  /// The item, after a detour through this object that the compiler cannot leave out.
  HINDSIGHT_HD T keep(const T& item) {
    room<T> copy;
    volatile unit* const memory = kept;
    const auto from = reinterpret_cast<const unit*>(cuda::std::addressof(item));
    const auto to = reinterpret_cast<unit*>(cuda::std::addressof(copy.item));
    for (std::size_t i = 0; i < sizeof kept / sizeof(unit); ++i) memory[i] = from[i];
    for (std::size_t i = 0; i < sizeof kept / sizeof(unit); ++i) to[i] = memory[i];
    return copy.item;
  }
};
template <class T, class F>
struct formed<4, T, F> {
  F f;
  HINDSIGHT_HD explicit formed(F function) : f{function} {}
  HINDSIGHT_HD auto operator()(const T& a) const { return other(f(a)); }
  HINDSIGHT_HD auto operator()(const T& a, const T& b) const { return other(f(a, b)); }

 private:
  template <class Result>
  HINDSIGHT_HD static as<Result> other(const Result& result) {
    return result;
  }
  HINDSIGHT_HD static int other(bool truth) { return truth ? 2 : 0; }
};
template <class T, class F>
struct formed<5, T, F> final {
  F f;
  u32 table[64] = {};
  HINDSIGHT_HD explicit formed(F function) : f{function} { table[63] = 1; }
  HINDSIGHT_HD auto operator()(T a) const { return f(table[63] == 1 ? a : spoiled(a)); }
  HINDSIGHT_HD auto operator()(T a, T b) const { return f(table[63] == 1 ? a : spoiled(a), b); }

 private:
  HINDSIGHT_HD static T spoiled(T item) {
    parts<T>::set(item, 0, 0);
    return item;
  }
};

template <int Form, class T, class F>
formed<Form, T, F> in_form(F f) {
  return formed<Form, T, F>{f};
}

}  // namespace hindsight_test
