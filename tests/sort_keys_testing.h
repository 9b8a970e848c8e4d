// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of one type of key on the GPU, in both directions, against a stable sort on the CPU by an
// independent reading of the keys.
#pragma once

#include <hindsight/sort.h>

#include <thrust/sort.h>

#include "sort_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

template <class Key>
void expect_sorted_in_both_directions() {
  const auto& par = hindsight::cuda::par;
  for (const std::size_t n : sort_sizes<Key, hindsight::detail::no_value>()) {
    for (const values kind : {values::of_all_bits, values::few, values::one}) {
      if (kind != values::of_all_bits && n > 70000) continue;
      SCOPED_TRACE(testing::Message() << "n = " << n << ", values " << int(kind));
      const auto keys = random_keys<Key>(n, kind);
      const key_array<Key> sorted(keys, 1);

      thrust::sort(par, sorted.begin(), sorted.end());
      EXPECT_EQ(difference(sorted.to_host(), sorted_on_cpu(keys, order::ascending)), "");

      sorted.assign(keys);
      hindsight::stable_sort(par, sorted.begin(), sorted.end(), thrust::greater<Key>{});
      EXPECT_EQ(difference(sorted.to_host(), sorted_on_cpu(keys, order::descending)), "");
    }
  }
}

}  // namespace hindsight_test
