// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of sort and stable_sort.
#pragma once

#include <hindsight/sort.h>

#include <thrust/sort.h>

#include "stock_sort.h"

namespace hindsight_test::cases {

template <class Key, class Compare = thrust::less<Key>, class View = pointer>
void sort(trial& t) {
  const auto keys = t.items<Key>(t.size(sort_edges<Key, no_value>()));
  const outputs<Key> out(keys, t.shift());
  t.both([&](const auto& policy, side which) {
    const auto first = View::begin(out[which]);
    const auto last = ahead(first, keys.size());
    if constexpr (is_stock<decltype(policy)>) {
      sort_as_stock(policy, first, last, Compare{});
    } else {
      thrust::sort(policy, first, last, Compare{});
    }
    return 0;
  });
  t.compare("keys", out, keys.size());
}

/// Without a comparator.
template <class Key>
void stable_sort(trial& t) {
  const auto keys = t.items<Key>(t.size(sort_edges<Key, no_value>()));
  const outputs<Key> out(keys, t.shift());
  t.both([&](const auto& policy, side which) {
    const auto first = vector::begin(out[which]);
    const auto last = ahead(first, keys.size());
    if constexpr (is_stock<decltype(policy)>) {
      sort_as_stock(policy, first, last, thrust::less<Key>{});
    } else {
      thrust::stable_sort(policy, first, last);
    }
    return 0;
  });
  t.compare("keys", out, keys.size());
}

inline const std::vector<random_case> sorts = {
    HINDSIGHT_CASE(sort<bool>),
    HINDSIGHT_CASE(sort<char, thrust::greater<char>>),
    HINDSIGHT_CASE(sort<signed char>),
    HINDSIGHT_CASE(sort<u8, thrust::less<u8>, reversed>),
    HINDSIGHT_CASE(sort<i16>),
    HINDSIGHT_CASE(sort<u16, thrust::greater<u16>>),
    HINDSIGHT_CASE(sort<i32>),
    HINDSIGHT_CASE(sort<i32, thrust::greater<i32>, vector>),
    HINDSIGHT_CASE(sort<u32, thrust::less<u32>, device_pointer>),
    HINDSIGHT_CASE(sort<i64, thrust::greater<i64>>),
    HINDSIGHT_CASE(sort<u64>),
    HINDSIGHT_CASE(sort<i128>),
    HINDSIGHT_CASE(sort<u128, thrust::greater<u128>>),
    HINDSIGHT_CASE(sort<float>),
    HINDSIGHT_CASE(sort<float, thrust::greater<float>>),
    HINDSIGHT_CASE(sort<double, thrust::less<double>, vector>),
#if HINDSIGHT_CUDA
    HINDSIGHT_CASE(sort<half>),
    HINDSIGHT_CASE(sort<half, thrust::greater<half>>),
    HINDSIGHT_CASE(sort<bfloat16>),
#endif
    HINDSIGHT_CASE(sort<byte_enum>),
    HINDSIGHT_CASE(sort<int_enum, thrust::greater<int_enum>>),
    HINDSIGHT_CASE(sort<u32, less_by_low_bits<u32>>),
    HINDSIGHT_CASE(stable_sort<i8>),
    HINDSIGHT_CASE(stable_sort<u32>),
    HINDSIGHT_CASE(stable_sort<double>),
};

}  // namespace hindsight_test::cases
