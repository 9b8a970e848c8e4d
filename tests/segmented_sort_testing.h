// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of segments: items, and what is to come out, found by std::stable_sort.
#pragma once

#include "segments_testing.h"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace hindsight_test {

/// Keys of which many are equivalent, and where they come from.
template <class Key>
struct sorted_case {
  std::vector<Key> keys, sorted;
  std::vector<std::uint32_t> places, order;

  /// `make` makes a key of a random number; `spare` items behind the last segment stay.
  template <class Compare, class Make>
  sorted_case(const segment_lengths& lengths, std::size_t spare, Compare compare, Make make) {
    std::mt19937_64 random{lengths.offsets.size()};
    for (std::size_t i = 0; i < lengths.offsets.back() + spare; ++i) {
      keys.push_back(make(random()));
      places.push_back(std::uint32_t(i));
    }
    order = places;
    for (std::size_t s = 0; s + 1 < lengths.offsets.size(); ++s)
      std::stable_sort(order.begin() + lengths.offsets[s], order.begin() + lengths.offsets[s + 1],
                       [&](auto a, auto b) { return compare(keys[a], keys[b]); });
    for (const std::uint32_t place : order) sorted.push_back(keys[place]);
  }
};

/// Keeps the low bits, so that many keys are equivalent and few are equal.
struct by_low_bits {
  HINDSIGHT_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 64 < b % 64; }
};
struct to_word {
  std::uint32_t operator()(std::uint64_t random) const { return std::uint32_t(random >> 7); }
};

/// More bytes than sorts move in each pass.
struct wide_key {
  std::uint32_t words[6];
};
struct by_first_word {
  HINDSIGHT_HD bool operator()(const wide_key& a, const wide_key& b) const {
    return a.words[0] < b.words[0];
  }
};
struct to_wide_key {
  wide_key operator()(std::uint64_t random) const {
    const auto word = std::uint32_t(random >> 9);
    return {{word % 32, word, 3, 4, 5, word + 1}};
  }
};

/// Numbers with both zeros and NaNs of both signs, in the order of radix sorts.
struct to_float {
  float operator()(std::uint64_t random) const {
    static const float specials[] = {0.0f, -0.0f, NAN, -NAN, INFINITY, -1.5f, 2.0f};
    return specials[random % 7];
  }
};

}  // namespace hindsight_test
