// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stock's sorts, or where they leave the order open what they are compared by.
#pragma once

#include <thrust/sort.h>

#include "run.h"
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace hindsight_test::cases {

/// A comparator that is the user's own: stock merges, and so do we.
template <class T>
struct less_by_low_bits {
  HINDSIGHT_HD bool operator()(const T& a, const T& b) const {
    return (first_word(a) & 1023) < (first_word(b) & 1023);
  }
};

#if HINDSIGHT_CUDA

template <class Policy, class It, class Compare>
void sort_as_stock(const Policy& policy, It first, It last, Compare compare) {
  thrust::stable_sort(policy, first, last, compare);
}
template <class Policy, class KeyIt, class ValueIt, class Compare>
void sort_by_key_as_stock(const Policy& policy, KeyIt first, KeyIt last, ValueIt values,
                          Compare compare) {
  thrust::stable_sort_by_key(policy, first, last, values, compare);
}

#else

// Stock's host sorts leave open where NaNs go, and CCCL 3.0.1's put the negative integers last:
// there std::stable_sort decides, by the order of stock's CUDA backend.

template <class T, class Compare>
bool comes_before(const T& a, const T& b, Compare compare) {
  if constexpr (std::is_same_v<Compare, thrust::less<T>>) {
    return rank_of(a) < rank_of(b);
  } else if constexpr (std::is_same_v<Compare, thrust::greater<T>>) {
    return rank_of(a) > rank_of(b);
  } else {
    return compare(a, b);
  }
}

template <class KeyIt, class ValueIt, class Compare>
void sort_by_key_as_stock(const decltype(stock_policy)&, KeyIt first, KeyIt last, ValueIt values,
                          Compare compare) {
  using Key = typename std::iterator_traits<KeyIt>::value_type;
  using Value = typename std::iterator_traits<ValueIt>::value_type;
  const std::size_t n = std::size_t(last - first);
  std::vector<std::pair<Key, Value>> pairs(n);
  for (std::size_t i = 0; i < n; ++i) pairs[i] = {*ahead(first, i), *ahead(values, i)};
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
    return comes_before(a.first, b.first, compare);
  });
  for (std::size_t i = 0; i < n; ++i) {
    *ahead(first, i) = pairs[i].first;
    *ahead(values, i) = pairs[i].second;
  }
}
template <class It, class Compare>
void sort_as_stock(const decltype(stock_policy)& policy, It first, It last, Compare compare) {
  std::vector<char> nothing(std::size_t(last - first));
  sort_by_key_as_stock(policy, first, last, nothing.begin(), compare);
}

#endif

}  // namespace hindsight_test::cases
