// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys for the tests of selections.
#pragma once

#include "sort_testing.h"
#include <algorithm>

namespace hindsight_test {

enum class shape { random, few, one, narrow };
inline constexpr shape shapes[] = {shape::random, shape::few, shape::one, shape::narrow};

template <class Key>
std::vector<Key> keys_of(shape s, std::size_t n) {
  if (s == shape::few) return random_keys<Key>(n, values::few);
  if (s == shape::one) return random_keys<Key>(n, values::one);
  auto keys = random_keys<Key>(n, values::of_all_bits);
  if (s == shape::random) return keys;
  std::mt19937_64 random{n};  // most share their highest digits
  for (Key& key : keys)
    if (random() % 100 > 0) key = static_cast<Key>(1000 + int(random() % 3000));
  return keys;
}

template <class T>
std::vector<T> first_of(std::vector<T> items, std::size_t k) {
  items.resize(std::min(items.size(), k));
  return items;
}

/// Calls check(n, shape) for sizes on both sides of where items are sorted instead, random ones,
/// and one of more tiles than blocks.
template <class Check>
void for_each_input(Check check) {
  std::vector<std::size_t> sizes{1, 1000, 65535, 65536};
  std::mt19937_64 random{29};
  for (int i = 0; i < 2; ++i) sizes.push_back(66000 + random() % 100000);
  for (const std::size_t n : sizes)
    for (const shape s : shapes) check(n, s);
  check(1200007, shape::narrow);
}

}  // namespace hindsight_test
