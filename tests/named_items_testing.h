// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that are not trivially copyable, with a key that others have too and a name of their own:
// what the host tests of sort_by and top_k sort.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace hindsight_test {

struct item {
  int key;
  std::string name;
  float price;
};
inline std::vector<item> random_items(std::size_t n, int most) {
  std::mt19937 random{unsigned(n)};
  std::vector<item> items(n);
  for (std::size_t i = 0; i < n; ++i)
    items[i] = {int(random() % unsigned(most)), std::to_string(i), random() & 1 ? -0.0f : 0.0f};
  return items;
}
template <class Less>
std::vector<std::string> names_in_order(std::vector<item> items, Less less) {
  std::stable_sort(items.begin(), items.end(), less);
  std::vector<std::string> names;
  for (const item& i : items) names.push_back(i.name);
  return names;
}
inline std::vector<std::string> names_of(const std::vector<item>& items) {
  std::vector<std::string> names;
  for (const item& i : items) names.push_back(i.name);
  return names;
}
const auto fewer = [](const item& a, const item& b) { return a.key < b.key; };

}  // namespace hindsight_test
