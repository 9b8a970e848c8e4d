// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of a stable sort, as places, for the tests of sorting on both engines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace hindsight_test {

/// Where the items of a stable sort come from.
template <class Key, class Less = std::less<>>
std::vector<std::uint32_t> places_in_order(const std::vector<Key>& keys, Less less = {}) {
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return bool(less(keys[a], keys[b])); });
  return places;
}

template <class T>
std::vector<T> gathered(const std::vector<T>& items, const std::vector<std::uint32_t>& places) {
  std::vector<T> result;
  result.reserve(places.size());
  for (const std::uint32_t place : places) result.push_back(items[place]);
  return result;
}

}  // namespace hindsight_test
