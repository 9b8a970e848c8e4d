// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// filter() returns what is selected in a container of its own.
#include <hindsight/filter.h>

#include <thrust/host_vector.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace {

template <class Container, class Pred>
void expect_as_std(const Container& items, Pred pred) {
  const Container before = items;
  Container expected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected), pred);
  EXPECT_EQ(hindsight::filter(items, pred), expected);
  EXPECT_EQ(hindsight::filter(hindsight::host::par, items, pred), expected);
  EXPECT_EQ(hindsight::filter(Container(items), pred), expected) << "of a temporary";
  EXPECT_EQ(items, before);
}

TEST(Filter, EqualsStd) {
  const auto third = [](int i) { return i % 3 == 0; };
  for (const int n : {0, 1, 1000, 300007}) {
    std::vector<int> items;
    for (int i = 0; i < n; ++i) items.push_back(i * 7 % 1000);
    expect_as_std(items, third);
    expect_as_std(items, [](int) { return false; });
    expect_as_std(thrust::host_vector<int>(items.begin(), items.end()), third);
  }
  const std::vector<std::string> words{"a", "bb", "", "ccc"};
  expect_as_std(words, [](const std::string& word) { return word.size() % 2 == 1; });
}

}  // namespace
