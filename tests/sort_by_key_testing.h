// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of one type of key and value on the GPU, in both directions, against a stable sort on the
// CPU by an independent reading of the keys.
#pragma once

#include <hindsight/sort.h>

#include <thrust/sort.h>

#include "sort_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

struct wide {
  std::uint64_t words[4];
};

template <class Value>
std::vector<Value> numbered(std::size_t n) {
  std::vector<Value> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<Value, wide>) {
      items[i] = {{i, ~i, 3 * i, 5}};
    } else if constexpr (std::is_same_v<Value, affine>) {
      items[i] = {std::uint32_t(i), std::uint32_t(~i), 7};
    } else {
      items[i] = Value(i);
    }
  }
  return items;
}

template <class Key, class Value>
void expect_pairs_sorted() {
  const auto& par = hindsight::cuda::par;
  for (const std::size_t n : sort_sizes<Key, Value>()) {
    for (const values kind : {values::of_all_bits, values::few, values::one}) {
      if (kind != values::of_all_bits && n > 70000) continue;
      SCOPED_TRACE(testing::Message() << "n = " << n << ", values " << int(kind));
      const auto keys = random_keys<Key>(n, kind);
      const auto items = numbered<Value>(n);
      const key_array<Key> sorted(keys, 1);
      const device_array<Value> moved(items, 1);

      auto places = sorted_places(keys, order::ascending);
      thrust::sort_by_key(par, sorted.begin(), sorted.end(), moved.data());
      EXPECT_EQ(difference(sorted.to_host(), gathered(keys, places)), "");
      EXPECT_EQ(difference(moved.to_host(), gathered(items, places)), "");

      sorted.assign(keys);
      moved.assign(items);
      places = sorted_places(keys, order::descending);
      hindsight::stable_sort_by_key(par, sorted.begin(), sorted.end(), moved.data(),
                                    thrust::greater<Key>{});
      EXPECT_EQ(difference(sorted.to_host(), gathered(keys, places)), "");
      EXPECT_EQ(difference(moved.to_host(), gathered(items, places)), "");
    }
  }
}

template <class Key, class Value>
struct pair_of {
  static void expect_sorted() { expect_pairs_sorted<Key, Value>(); }
};

}  // namespace hindsight_test
