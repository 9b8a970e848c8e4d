// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicates and operators of several tests, for both engines.
#pragma once

#include <hindsight/detail/config.h>

#include <thrust/tuple.h>

#include <cstddef>
#include <cstdint>

namespace hindsight_test {

struct is_nine {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& item) const {
    return item == T(9);
  }
};
struct is_odd_number {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& item) const {
    return item % 2 != 0;
  }
};
struct is_even_number {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& item) const {
    return item % 2 == 0;
  }
};
struct first_is_odd {
  template <class Pair>
  HINDSIGHT_HD bool operator()(const Pair& pair) const {
    return thrust::get<0>(pair) % 2 != 0;
  }
};

// Comparisons that do not see all of an item: tests see which of several is taken.

struct equal_tens {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& a, const T& b) const {
    return static_cast<long long>(a) / 10 == static_cast<long long>(b) / 10;
  }
};
/// Many items are equivalent.
struct by_twelve_bits {
  HINDSIGHT_HD bool operator()(std::uint32_t a, std::uint32_t b) const {
    return (a & 0xfff) < (b & 0xfff);
  }
};
struct less_by_tens {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& a, const T& b) const {
    return static_cast<long long>(a) / 10 < static_cast<long long>(b) / 10;
  }
};

struct twice {
  HINDSIGHT_HD std::uint32_t operator()(std::uint32_t x) const { return 2 * x; }
};
struct square {
  HINDSIGHT_HD std::uint64_t operator()(std::uint32_t x) const { return std::uint64_t(x) * x; }
};
struct sum_of_pair {
  template <class Pair>
  HINDSIGHT_HD std::uint64_t operator()(const Pair& pair) const {
    return std::uint64_t(thrust::get<0>(pair)) + thrust::get<1>(pair);
  }
};
/// A difference that tells its operands apart.
struct mix {
  template <class T>
  HINDSIGHT_HD T operator()(const T& item, const T& before) const {
    return static_cast<T>(item * T(3) - before * T(2));
  }
};

// Of places.

/// Runs of a hundred.
struct hundreds {
  HINDSIGHT_HD std::uint64_t operator()(std::uint64_t i) const { return i / 100; }
};
struct from_the_end {
  std::size_t n;
  HINDSIGHT_HD std::size_t operator()(std::size_t i) const { return n - 1 - i; }
};

}  // namespace hindsight_test
