// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of two numbers, a few ints and floats with NaNs of several bits among them. `<` is no order
// of these.
#pragma once

#include <thrust/pair.h>
#include <thrust/tuple.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace hindsight_test {

/// NaNs of both signs, zeros of both signs, and small numbers.
inline float some_float_or_nan(std::mt19937& random) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float some[] = {nan, -nan, 0.0f, -0.0f, 3, -4};
  return random() % 3 ? float(random() % 1000) : some[random() % 6];
}

/// Key is made from an int and a float.
template <class Key>
std::vector<Key> keys_with_nans(std::size_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<Key> keys;
  for (std::size_t i = 0; i < n; ++i) {
    const int first = int(random() % 3);
    keys.push_back(Key(first, some_float_or_nan(random)));
  }
  return keys;
}

/// Both members of each key, to be compared without the rules for floats.
template <class Key>
std::vector<std::pair<int, std::uint32_t>> bits_of_keys(const std::vector<Key>& keys) {
  std::vector<std::pair<int, std::uint32_t>> all;
  for (const Key& key : keys) {
    using std::get;
    using thrust::get;
    const float number = get<1>(key);
    std::uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    all.emplace_back(get<0>(key), bits);
  }
  return all;
}

}  // namespace hindsight_test
