// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys for the tests of selections.
#pragma once

#include <hindsight/detail/tuning/radix_select.h>

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

/// Calls check(n, shape) for sizes on both sides of where items are sorted instead, and random
/// ones. The largest has more tiles than a GPU runs blocks at once.
template <class Check>
void for_each_input(Check check) {
  constexpr std::size_t fewest = hindsight::detail::fewest_selected;
  std::mt19937_64 random{29};
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, fewest + random() % 100000,
                              (std::size_t{1} << 21) + random() % 100000})
    for (const shape s : shapes) check(n, s);
  check(fewest - 1, shape::few);
  check(fewest, shape::few);
}

}  // namespace hindsight_test
