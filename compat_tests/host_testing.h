// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the host's entry points share: inputs, comparison of bits, lists of types.
// Stock is one thread here (thrust::seq), so that floating-point sums are exact.
#pragma once

#include <hindsight/hindsight.h>

#include <thrust/execution_policy.h>

#include <algorithm>
#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

namespace host_test {

inline const std::vector<std::size_t> sizes = {0, 1, 2, 777, 65535, 65536, 65537, (1u << 20) + 7};

struct record {
  std::int32_t a, b, c;
  friend bool operator==(const record& l, const record& r) {
    return l.a == r.a && l.b == r.b && l.c == r.c;
  }
};

/// Two by two matrices of bytes: their product is associative and does not commute.
struct matrix {
  std::uint8_t m[4];
  friend bool operator==(const matrix& l, const matrix& r) {
    return std::memcmp(l.m, r.m, sizeof l.m) == 0;
  }
};
struct product {
  matrix operator()(const matrix& l, const matrix& r) const {
    const auto entry = [&](int i, int j) {
      return static_cast<std::uint8_t>(l.m[2 * i] * r.m[j] + l.m[2 * i + 1] * r.m[2 + j]);
    };
    return {{entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)}};
  }
};
struct add_records {
  record operator()(const record& l, const record& r) const {
    return {l.a + r.a, std::min(l.b, r.b), r.c};  // c: the last one, does not commute
  }
};

template <class T>
struct maker {
  static T make(std::mt19937_64& random) {
    if constexpr (std::is_floating_point_v<T>) {
      return T(int(random() % 9) - 4);  // sums of 2^20 squares of them are exact
    } else {
      return T(random() >> 7);
    }
  }
};
template <>
struct maker<record> {
  static record make(std::mt19937_64& random) {
    return {int(random() % 7), int(random() % 1000), int(random() % 100)};
  }
};
template <>
struct maker<matrix> {
  static matrix make(std::mt19937_64& random) {
    matrix made;
    for (std::uint8_t& entry : made.m) entry = std::uint8_t(random());
    return made;
  }
};

template <class T>
std::vector<T> random_items(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random{seed};
  std::vector<T> items(n);
  for (T& item : items) item = maker<T>::make(random);
  return items;
}
/// Items of few values, in runs of random lengths.
template <class T>
std::vector<T> random_runs(std::size_t n, unsigned seed = 2) {
  std::mt19937_64 random{seed};
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i)
    items[i] = i > 0 && random() % 4 != 0 ? items[i - 1] : T(random() % 5);
  return items;
}

template <class T>
struct is_odd {
  bool operator()(const T& item) const {
    if constexpr (std::is_same_v<T, record>) {
      return item.a % 2 != 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      return int(item) % 2 != 0;
    } else {
      return item % 2 != 0;
    }
  }
};

/// Same bits, whatever == says of them.
template <class T>
bool same_bits(const std::vector<T>& l, const std::vector<T>& r) {
  return l.size() == r.size() &&
         (l.empty() || std::memcmp(l.data(), r.data(), l.size() * sizeof(T)) == 0);
}
template <class T>
bool same_bits(const T& l, const T& r) {
  return std::memcmp(&l, &r, sizeof l) == 0;
}

inline const auto ours = hindsight::host::par;
inline const auto stock = thrust::seq;

using numbers =
    boost::mpl::list<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
/// One number of each size and kind: the random tests have the others.
using some_numbers =
    boost::mpl::list<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
/// One type of each size, for calls that only move items.
using moved_types = boost::mpl::list<std::int8_t, std::uint16_t, std::int32_t, double, record>;

// Overloads are long to compile, and those of a call end in one function. So not all types take
// every overload.

/// Of calls that compute: an integer and a floating-point number.
template <class T>
inline constexpr bool takes_every_overload =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, double>;
/// Of calls to which the type of items makes no difference: one type.
template <class T>
inline constexpr bool alone_takes_every_overload = std::is_same_v<T, std::int32_t>;

}  // namespace host_test
