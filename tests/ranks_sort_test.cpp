// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts over 1 to 16 ranks against std::stable_sort and the sort of one range, bit for bit.
// labels: asan tsan
#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>

#include <thrust/host_vector.h>

#include "nan_keys_testing.h"
#include "ranks_testing.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using hindsight_test::for_each_cut;
using hindsight_test::in_shards;
using hindsight_test::joined;

enum class keys_are { random, few, equal, sorted, reversed, skewed };
constexpr keys_are all_kinds[] = {keys_are::random, keys_are::few,      keys_are::equal,
                                  keys_are::sorted, keys_are::reversed, keys_are::skewed};

template <class Key>
std::vector<Key> keys_like(keys_are kind, std::size_t n) {
  std::mt19937_64 random{n};
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random();
    if (kind == keys_are::random) keys[i] = Key(bits >> 1);
    if (kind == keys_are::few) keys[i] = Key(bits % 3);
    if (kind == keys_are::equal) keys[i] = Key(7);
    if (kind == keys_are::sorted) keys[i] = Key(i);
    if (kind == keys_are::reversed) keys[i] = Key(n - i);
    if (kind == keys_are::skewed) keys[i] = Key(bits >> (32 + bits % 32));
  }
  return keys;
}

constexpr std::size_t sizes[] = {0, 1, 16, 3000};

TEST(ranks_sort, keys) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{16}, std::size_t{20000}})
    for (const keys_are kind : all_kinds) {
      const auto keys = keys_like<std::uint32_t>(kind, n);
      auto expected = keys;
      std::sort(expected.begin(), expected.end());
      for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
        hindsight::loopback::group g{int(ranks)};
        auto pieces = in_shards(keys, shard_sizes);
        hindsight::sort(g.par, hindsight::shards(g, pieces));
        ASSERT_EQ(joined(pieces), expected) << n << " keys, " << ranks << " ranks";
        for (std::size_t r = 0; r < ranks; ++r) ASSERT_EQ(pieces[r].size(), shard_sizes[r]);
      });
    }
}

TEST(ranks_sort, bools) {
  for_each_cut(1000, [](std::size_t ranks, const auto& shard_sizes) {
    hindsight::loopback::group g{int(ranks)};
    std::vector<thrust::host_vector<bool>> pieces;  // a std::vector has no array of bools
    for (const std::size_t size : shard_sizes) {
      pieces.emplace_back(size);
      for (std::size_t i = 0; i < size; ++i) pieces.back()[i] = i % 3 == 0;
    }
    auto expected = joined(pieces);
    std::sort(expected.begin(), expected.end());
    hindsight::sort(g.par, hindsight::shards(g, pieces));
    EXPECT_EQ(joined(pieces), expected) << ranks << " ranks";
  });
}

TEST(ranks_sort, nans_in_tuples_go_by_their_bits) {
  using key = thrust::pair<int, float>;
  for (const std::size_t n : {std::size_t{16}, std::size_t{3000}}) {
    const auto keys = hindsight_test::keys_with_nans<key>(n);
    auto expected = keys;
    hindsight::sort(hindsight::host::par, expected);
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(keys, shard_sizes);
      hindsight::sort(g.par, hindsight::shards(g, pieces));
      ASSERT_EQ(hindsight_test::bits_of_keys(joined(pieces)),
                hindsight_test::bits_of_keys(expected))
          << n << " keys, " << ranks << " ranks";
    });
  }
}

/// Zeros of both signs are equal and keep their order, NaNs go by their bits.
TEST(ranks_sort, floats_descending_with_values) {
  constexpr double odd[] = {0.0,
                            -0.0,
                            std::numeric_limits<double>::quiet_NaN(),
                            -std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(),
                            -1.5};
  for (const std::size_t n : sizes) {
    auto keys = keys_like<double>(keys_are::skewed, n);
    for (std::size_t i = 0; i < n; i += 3) keys[i] = odd[i / 3 % 6];
    std::vector<std::uint32_t> values(n);
    std::iota(values.begin(), values.end(), 0u);
    auto sorted_keys = keys;
    auto sorted_values = values;
    hindsight::sort_by_key(hindsight::host::par, sorted_keys.begin(), sorted_keys.end(),
                           sorted_values.begin(), thrust::greater<double>{});
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto key_pieces = in_shards(keys, shard_sizes);
      auto value_pieces = in_shards(values, shard_sizes);
      hindsight::sort_by_key(g.par, hindsight::shards(g, key_pieces),
                             hindsight::shards(g, value_pieces), thrust::greater<double>{});
      ASSERT_EQ(joined(value_pieces), sorted_values) << n << " keys, " << ranks << " ranks";
      const auto result = joined(key_pieces);
      ASSERT_TRUE(n == 0 ||
                  std::memcmp(result.data(), sorted_keys.data(), n * sizeof(double)) == 0);
    });
  }
}

/// An order of the caller's, in which many keys are equivalent.
struct by_last_digit {
  bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
TEST(ranks_sort, comparators) {
  for (const std::size_t n : sizes) {
    const auto keys = keys_like<int>(keys_are::sorted, n);
    auto expected = keys;
    std::stable_sort(expected.begin(), expected.end(), by_last_digit{});
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(keys, shard_sizes);
      hindsight::stable_sort(g.par, hindsight::shards(g, pieces), by_last_digit{});
      ASSERT_EQ(joined(pieces), expected) << n << " keys, " << ranks << " ranks";
    });
  }
}

/// NaNs are neither less nor greater than anything. Then no cuts need to fit together.
TEST(ranks_sort, no_key_is_lost_where_the_comparator_makes_no_order) {
  int refused = 0;
  for (const std::size_t ranks : {3, 4, 8}) {
    std::vector<float> keys(1000 * ranks);
    std::mt19937 random{unsigned(ranks)};
    for (float& key : keys) {
      const unsigned bits = random();
      key = bits % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : float(bits >> 8);
    }
    hindsight::loopback::group g{int(ranks)};
    auto pieces = in_shards(keys, std::vector<std::size_t>(ranks, 1000));
    try {
      hindsight::sort(g.par, hindsight::shards(g, pieces), [](float a, float b) { return a < b; });
      auto result = joined(pieces);
      hindsight::sort(hindsight::host::par, result);  // NaNs by their bits
      hindsight::sort(hindsight::host::par, keys);
      EXPECT_EQ(std::memcmp(result.data(), keys.data(), keys.size() * sizeof(float)), 0);
    } catch (const hindsight::invalid_call&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

/// Notes how many bytes all ranks together send to each of them at a time.
class noting_communicator
    : public hindsight::detail::ranks::loopback_communicator<hindsight::host_place> {
 public:
  noting_communicator(hindsight::detail::ranks::rendezvous& all, int rank, std::size_t& most_bytes)
      : loopback_communicator{all, rank, {}}, most_bytes_{most_bytes} {}
  void all_gather(const void* mine, void* all, std::size_t bytes) {
    if (rank() == 0) most_bytes_ = std::max(most_bytes_, bytes * std::size_t(size()));
    loopback_communicator::all_gather(mine, all, bytes);
  }

 private:
  std::size_t& most_bytes_;
};

TEST(ranks_sort, many_ranks_need_little_memory) {
  constexpr std::size_t ranks = 32;
  const auto keys = keys_like<int>(keys_are::sorted, 3200);
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(), by_last_digit{});
  std::size_t most_bytes = 0;
  hindsight::detail::ranks::rendezvous all{int(ranks)};
  std::vector<std::unique_ptr<noting_communicator>> communicators;
  for (std::size_t r = 0; r < ranks; ++r)
    communicators.push_back(std::make_unique<noting_communicator>(all, int(r), most_bytes));
  const hindsight::rank_group<noting_communicator> g{std::move(communicators)};
  using hindsight_test::cut;
  auto pieces = in_shards(keys, hindsight_test::shard_sizes(keys.size(), ranks, cut::even));
  hindsight::sort(g.par, hindsight::shards(g, pieces), by_last_digit{});
  EXPECT_EQ(joined(pieces), expected);
  EXPECT_LT(most_bytes, std::size_t{1} << 22);  // on each of the ranks
}

/// Its result is a bool only as a condition.
struct condition {
  bool is_met;
  explicit operator bool() const { return is_met; }
};
TEST(ranks_sort, comparators_that_return_conditions) {
  hindsight::loopback::group g{3};
  std::vector<std::vector<int>> pieces{{5, 1}, {4, 2, 0}, {3}};
  hindsight::sort(g.par, hindsight::shards(g, pieces),
                  [](int a, int b) { return condition{a < b}; });
  EXPECT_EQ(joined(pieces), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

/// Keys that are equal by `equal` are on one rank; values tell the order.
template <class Key, class Compare, class Equal>
void check_ragged(const std::vector<Key>& keys, Compare compare, Equal equal) {
  const std::size_t n = keys.size();
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  auto sorted_values = values;
  std::stable_sort(sorted_values.begin(), sorted_values.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return compare(keys[a], keys[b]); });
  for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
    hindsight::loopback::group g{int(ranks)};
    const auto key_pieces = in_shards(keys, shard_sizes);
    auto value_pieces = in_shards(values, shard_sizes);
    std::vector<std::vector<Key>> keys_out(ranks, std::vector<Key>(n));
    std::vector<std::vector<std::uint32_t>> values_out(ranks, std::vector<std::uint32_t>(n));
    const auto key_view = hindsight::shards(g, key_pieces);
    const auto [k, v] = hindsight::sort_by_key_to_ragged(
        g.par, key_view, hindsight::shards(g, value_pieces), hindsight::shards(g, keys_out),
        hindsight::shards(g, values_out), compare);
    ASSERT_EQ(joined(v), sorted_values) << n << " keys, " << ranks << " ranks";
    const Key* last = nullptr;  // of the ranks before
    for (const auto& shard : k) {
      if (shard.empty()) continue;
      ASSERT_FALSE(last && equal(*last, shard.front())) << n << " keys, " << ranks << " ranks";
      last = &shard.back();
    }
    const auto alone =
        hindsight::sort_to_ragged(g.par, key_view, hindsight::shards(g, keys_out), compare);
    for (std::size_t r = 0; r < ranks; ++r) ASSERT_EQ(alone[r].size(), k[r].size());
    ASSERT_EQ(joined(key_pieces), keys);
  });
}

TEST(ranks_sort, as_splitters_fall) {
  const auto equal = [](auto a, auto b) { return a == b; };
  for (const keys_are kind : all_kinds)
    for (const std::size_t n : {std::size_t{1}, std::size_t{3000}})
      check_ragged(keys_like<std::uint32_t>(kind, n), thrust::less<std::uint32_t>{}, equal);
  check_ragged(keys_like<int>(keys_are::random, 3000), by_last_digit{},
               [](int a, int b) { return a % 10 == b % 10; });
}

TEST(ranks_sort, as_splitters_fall_needs_room) {
  hindsight::loopback::group g{3};
  std::vector<std::vector<int>> keys(3, std::vector<int>(10, 5)), out = keys;
  EXPECT_THROW(
      hindsight::sort_to_ragged(g.par, hindsight::shards(g, keys), hindsight::shards(g, out)),
      hindsight::invalid_call);
  out[2].resize(30);  // a rank begins where its run of equal keys does
  const auto written =
      hindsight::sort_to_ragged(g.par, hindsight::shards(g, keys), hindsight::shards(g, out));
  EXPECT_EQ(written[2].size(), 30u);
}

}  // namespace
