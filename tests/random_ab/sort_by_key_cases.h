// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of sort_by_key and stable_sort_by_key.
#pragma once

#include <hindsight/sort.h>

#include <thrust/sort.h>

#include "stock_sort.h"

namespace hindsight_test::cases {

template <class Key, class Value, class Compare = thrust::less<Key>, class View = pointer>
void sort_by_key(trial& t) {
  const auto keys = t.items<Key>(t.size(sort_edges<Key, Value>()));
  const auto values = t.items<Value>(keys.size());
  const outputs<Key> out_keys(keys, t.shift());
  const outputs<Value> out(values, t.shift());
  const bool stable = t.one_in(2);
  t.note(stable ? "stable" : "any order");
  t.both([&](const auto& policy, side which) {
    const auto first = View::begin(out_keys[which]);
    const auto last = ahead(first, keys.size());
    const auto with = View::begin(out[which]);
    if constexpr (is_stock<decltype(policy)>) {
      sort_by_key_as_stock(policy, first, last, with, Compare{});
    } else if (stable) {
      thrust::stable_sort_by_key(policy, first, last, with, Compare{});
    } else {
      thrust::sort_by_key(policy, first, last, with, Compare{});
    }
    return 0;
  });
  t.compare("keys", out_keys, keys.size());
  t.compare("values", out, keys.size());
}

inline const std::vector<random_case> sorts_by_key = {
    HINDSIGHT_CASE(sort_by_key<bool, u32>),
    HINDSIGHT_CASE(sort_by_key<i8, affine, thrust::greater<i8>>),
    HINDSIGHT_CASE(sort_by_key<u16, wide_record>),
    HINDSIGHT_CASE(sort_by_key<i32, u8>),
    HINDSIGHT_CASE(sort_by_key<u32, u32, thrust::greater<u32>, vector>),
    HINDSIGHT_CASE(sort_by_key<u32, u16, thrust::less<u32>, permuted>),
    HINDSIGHT_CASE(sort_by_key<i64, double>),
    HINDSIGHT_CASE(sort_by_key<u128, bool>),
    HINDSIGHT_CASE(sort_by_key<float, u32>),
    HINDSIGHT_CASE(sort_by_key<double, i128, thrust::greater<double>>),
#if HINDSIGHT_CUDA
    HINDSIGHT_CASE(sort_by_key<half, u32>),
    HINDSIGHT_CASE(sort_by_key<bfloat16, u64, thrust::greater<bfloat16>>),
#endif
    HINDSIGHT_CASE(sort_by_key<int_enum, u32>),
    HINDSIGHT_CASE(sort_by_key<affine, i16, less_by_low_bits<affine>>),
};

}  // namespace hindsight_test::cases
