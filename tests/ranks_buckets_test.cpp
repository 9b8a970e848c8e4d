// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sort over ranks by buckets of the highest bits, cut so finely that few keys make many groups
// and steps.
// labels: asan tsan
#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>

#include "ranks_testing.h"
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

namespace ranks = hindsight::detail::ranks;
using hindsight_test::for_each_cut;
using hindsight_test::in_shards;
using hindsight_test::joined;

struct bucket_by_bucket {
  static constexpr std::size_t single_bucket_items = 0, group_items = 1;
  static constexpr std::size_t step_bytes = 256, most_steps = 5, lanes = 2;
};
struct in_groups {
  static constexpr std::size_t single_bucket_items = std::size_t(-1), group_items = 300;
  static constexpr std::size_t step_bytes = 256, most_steps = 3, lanes = 2;
};

/// Keys that differ in bits [0, width) only.
template <class Key>
std::vector<Key> keys_of_width(std::size_t n, int width) {
  std::mt19937_64 random{n + std::size_t(width)};
  std::vector<Key> keys(n);
  for (Key& key : keys) key = Key(random() & ((std::uint64_t{1} << width) - 1));
  return keys;
}

/// Sorts keys with their places as values. Returns whether buckets were even enough.
template <class Tuning, class Compare, class Key>
bool check(const std::vector<Key>& keys, std::size_t num_ranks,
           const std::vector<std::size_t>& sizes) {
  hindsight::loopback::group g{int(num_ranks)};
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  auto key_pieces = in_shards(keys, sizes);
  auto value_pieces = in_shards(places, sizes);
  std::vector<int> is_sorted(num_ranks, 0);
  const auto targets = ranks::begins_of(sizes);
  g.par.run("sort by buckets", [&](auto& rank, std::size_t i) {
    using member = std::decay_t<decltype(rank)>;
    using records = ranks::records<Key, std::uint32_t>;
    const records shard{key_pieces[i].data(), value_pieces[i].data()};
    ranks::bucket_sort<member, Key, std::uint32_t, Compare, Tuning> sort{
        rank, shard, sizes[i], {shard, sizes[i], ranks::cut::at_sizes}, targets, Compare{}};
    is_sorted[i] = sort.run().has_value();
  });
  EXPECT_EQ(std::count(is_sorted.begin(), is_sorted.end(), is_sorted[0]),
            std::ptrdiff_t(num_ranks));
  auto expected = places;
  if (is_sorted[0])
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return Compare{}(keys[a], keys[b]); });
  EXPECT_EQ(joined(value_pieces), expected) << num_ranks << " ranks";
  const auto result = joined(key_pieces);
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_EQ(result[i], keys[expected[i]]);
  return is_sorted[0];
}

TEST(ranks_buckets, sorts_are_stable_for_any_width) {
  int sorted = 0;
  for (const int width : {1, 8, 9, 32}) {
    const auto keys = keys_of_width<std::uint32_t>(5000, width);
    for_each_cut(keys.size(), [&](std::size_t num_ranks, const auto& sizes) {
      sorted += check<bucket_by_bucket, thrust::less<std::uint32_t>>(keys, num_ranks, sizes);
      sorted += check<in_groups, thrust::greater<std::uint32_t>>(keys, num_ranks, sizes);
    });
  }
  EXPECT_GT(sorted, 60);  // the others had a bucket that is too large
}

/// Half of the keys in one bucket: nothing moves, and the plan says so.
TEST(ranks_buckets, uneven_buckets_are_refused) {
  auto keys = keys_of_width<std::uint32_t>(3000, 32);
  for (std::size_t i = 0; i < keys.size(); i += 2) keys[i] %= 1000;
  const std::vector<std::size_t> sizes(4, 750);
  EXPECT_FALSE((check<bucket_by_bucket, thrust::less<std::uint32_t>>(keys, 4, sizes)));
}

TEST(ranks_buckets, wide_and_signed_keys) {
  auto keys = keys_of_width<std::int64_t>(3000, 41);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] -= std::int64_t{1} << 40;
  std::vector<float> floats(keys.begin(), keys.end());
  floats[7] = -0.0f;
  floats[8] = 0.0f;
  for_each_cut(keys.size(), [&](std::size_t num_ranks, const auto& sizes) {
    check<bucket_by_bucket, thrust::less<std::int64_t>>(keys, num_ranks, sizes);
    check<in_groups, thrust::greater<float>>(floats, num_ranks, sizes);
  });
}

TEST(ranks_buckets, the_leading_digit_ends_with_the_highest_bit_that_varies) {
  const auto shift = [](const std::vector<std::uint32_t>& keys) {
    std::vector<std::size_t> counts;
    for (int p = 0; p < 4; ++p) {
      const hindsight::detail::host::digit_at<hindsight::detail::ascending> digit{8 * p, 8};
      const auto of_pass =
          hindsight::detail::host::digit_slices{keys.data(), keys.size(), digit}.totals();
      counts.insert(counts.end(), of_pass.begin(), of_pass.end());
    }
    return ranks::shift_of_buckets(counts, 0);
  };
  EXPECT_EQ(shift({}), -1);
  EXPECT_EQ(shift({7, 7, 7}), -1);
  EXPECT_EQ(shift({6, 7}), 0);
  EXPECT_EQ(shift({0, 255}), 0);
  EXPECT_EQ(shift({0, 256}), 1);
  EXPECT_EQ(shift({0xfff00000u, 0xfff80000u}), 12);
  EXPECT_EQ(shift({0, ~0u}), 24);
}

/// Work beside an exchange fails on one rank: the exchange goes on, then all ranks throw.
TEST(ranks_buckets, all_ranks_throw_where_one_fails_between_two_steps) {
  hindsight::loopback::group g{4};
  std::vector<int> num_used(4, 0);
  const auto fail = [&](auto& rank, std::size_t i) {
    rank.exchange_in_steps(
        3, [&](std::size_t, auto& send, auto& receive) { send.resize(4), receive.resize(4); },
        [&](std::size_t step) {
          ++num_used[i];
          if (i == 2 && step == 0) throw std::length_error("on rank 2");
        });
  };
  EXPECT_THROW(g.par.run("steps", fail), std::length_error);
  EXPECT_EQ(num_used, (std::vector<int>{3, 3, 1, 3}));
  std::vector<std::vector<int>> ones(4, std::vector<int>(10, 1));
  EXPECT_EQ(hindsight::reduce(g.par, hindsight::shards(g, ones)), 40);
}

}  // namespace
