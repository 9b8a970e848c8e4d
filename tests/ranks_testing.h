// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of calls over several ranks share: ways to cut a range into shards.
#pragma once

#include "affine_testing.h"
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace hindsight_test {

enum class cut { even, ragged, all_in_first, all_in_last, every_other_empty };

inline constexpr cut all_cuts[] = {cut::even, cut::ragged, cut::all_in_first, cut::all_in_last,
                                   cut::every_other_empty};

/// Sizes of shards that make n items together.
inline std::vector<std::size_t> shard_sizes(std::size_t n, std::size_t ranks, cut how) {
  std::vector<std::size_t> sizes(ranks, 0);
  std::mt19937 random{unsigned(n + ranks)};
  std::size_t left = n;
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::size_t share = left / (ranks - r);
    if (how == cut::even) sizes[r] = share;
    if (how == cut::ragged) sizes[r] = left == 0 ? 0 : random() % left;
    if (how == cut::every_other_empty && r % 2 == 1) sizes[r] = 2 * n / ranks;
    if (sizes[r] > left) sizes[r] = left;
    left -= sizes[r];
  }
  (how == cut::all_in_first ? sizes.front() : sizes.back()) += left;
  return sizes;
}

template <class T>
std::vector<std::vector<T>> in_shards(const std::vector<T>& items,
                                      const std::vector<std::size_t>& sizes) {
  std::vector<std::vector<T>> shards;
  auto at = items.begin();
  for (const std::size_t size : sizes) {
    shards.emplace_back(at, at + std::ptrdiff_t(size));
    at += std::ptrdiff_t(size);
  }
  return shards;
}

template <class Shards>
auto joined(const Shards& shards) {
  std::vector<std::decay_t<decltype(*shards.begin()->begin())>> items;
  for (const auto& shard : shards) items.insert(items.end(), shard.begin(), shard.end());
  return items;
}

inline bool operator==(const affine& f, const affine& g) {
  return f.a == g.a && f.b == g.b && f.last == g.last;
}
/// Functions of which no two are the same.
inline std::vector<affine> some_affine(std::size_t n) {
  std::vector<affine> items(n);
  for (std::size_t i = 0; i < n; ++i)
    items[i] = {std::uint32_t(2 * i + 1), std::uint32_t(i * i + 7), std::uint32_t(i)};
  return items;
}

/// Calls check(ranks, sizes) for numbers of ranks up to 16 and all cuts of n items.
template <class Check>
void for_each_cut(std::size_t n, Check check) {
  for (const std::size_t ranks : {1, 2, 3, 5, 16})
    for (const cut how : all_cuts) check(ranks, shard_sizes(n, ranks, how));
}

}  // namespace hindsight_test
