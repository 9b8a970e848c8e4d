// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections, partitions and runs over 1 to 16 ranks against the same call over one range.
// labels: asan tsan
#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>

#include "functors_testing.h"
#include "ranks_testing.h"
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace {

using hindsight_test::affine;
using hindsight_test::compose;
using hindsight_test::for_each_cut;
using hindsight_test::in_shards;
using hindsight_test::is_odd_number;
using hindsight_test::joined;
using hindsight_test::some_affine;

constexpr std::size_t sizes[] = {0, 1, 40, 5000};
constexpr int longest_runs[] = {1, 5, 3000};

/// Few values in runs; the low bits tell items of one run apart.
std::vector<int> items_in_runs(std::size_t n, int longest) {
  std::mt19937 random{unsigned(n) + unsigned(longest)};
  std::vector<int> items(n);
  int value = 0, left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (left-- == 0) {
      value = int(random() % 3);
      left = int(random() % unsigned(longest));
    }
    items[i] = value << 16 | int(i % 65536);
  }
  return items;
}
struct same_run {
  bool operator()(int a, int b) const { return a >> 16 == b >> 16; }
};
/// Calls check(group, items, sizes of the shards).
template <class Check>
void for_each_input(Check check) {
  for (const std::size_t n : sizes)
    for (const int longest : longest_runs) {
      const auto items = items_in_runs(n, longest);
      for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
        SCOPED_TRACE(std::to_string(n) + " items, runs up to " + std::to_string(longest) + ", " +
                     std::to_string(ranks) + " ranks");
        hindsight::loopback::group g{int(ranks)};
        check(g, items, shard_sizes);
      });
    }
}

TEST(ranks_select, copy_if_and_rebalance) {
  for_each_input([](auto& g, const auto& items, const auto& shard_sizes) {
    std::vector<int> expected;
    std::copy_if(items.begin(), items.end(), std::back_inserter(expected), is_odd_number{});
    auto in = in_shards(items, shard_sizes), out = in;
    const auto ragged = hindsight::copy_if(g.par, hindsight::shards(g, in),
                                           hindsight::shards(g, out), is_odd_number{});
    EXPECT_EQ(joined(ragged), expected);
    std::vector<std::vector<int>> even(std::size_t(g.size()),
                                       std::vector<int>(expected.size() / shard_sizes.size() + 1));
    const auto target = hindsight::shards(g, even);
    EXPECT_EQ(joined(hindsight::rebalance(g.par, ragged, target)), expected);
    auto small = target;
    for (std::size_t i = 0; i < small.num_local(); ++i) small[i] = small[i].first(0);
    if (!expected.empty()) {
      EXPECT_THROW(hindsight::rebalance(g.par, ragged, small), hindsight::invalid_call);
    }
  });
}

TEST(ranks_select, unique_copy) {
  for_each_input([](auto& g, const auto& items, const auto& shard_sizes) {
    std::vector<int> expected;
    std::unique_copy(items.begin(), items.end(), std::back_inserter(expected), same_run{});
    auto in = in_shards(items, shard_sizes), out = in;
    EXPECT_EQ(joined(hindsight::unique_copy(g.par, hindsight::shards(g, in),
                                            hindsight::shards(g, out), same_run{})),
              expected);
  });
}

TEST(ranks_select, stable_partition) {
  for_each_input([](auto& g, const auto& items, const auto& shard_sizes) {
    auto expected = items;
    const auto border = std::stable_partition(expected.begin(), expected.end(), is_odd_number{});
    auto in = in_shards(items, shard_sizes);
    EXPECT_EQ(hindsight::partition(g.par, hindsight::shards(g, in), is_odd_number{}),
              std::size_t(border - expected.begin()));
    EXPECT_EQ(joined(in), expected);
  });
}

TEST(ranks_select, reduce_by_key) {
  for_each_input([](auto& g, const auto& items, const auto& shard_sizes) {
    const std::size_t n = items.size();
    const auto values = some_affine(n);
    std::vector<affine> sums(n);
    std::vector<int> keys(n);
    const auto ends =
        hindsight::reduce_by_key(hindsight::host::par, items.begin(), items.end(), values.begin(),
                                 keys.begin(), sums.begin(), same_run{}, compose{});
    keys.erase(ends.first, keys.end());
    sums.erase(ends.second, sums.end());
    auto key_pieces = in_shards(items, shard_sizes), keys_out = key_pieces;
    auto value_pieces = in_shards(values, shard_sizes), values_out = value_pieces;
    const auto [k, v] = hindsight::reduce_by_key(
        g.par, hindsight::shards(g, key_pieces), hindsight::shards(g, value_pieces),
        hindsight::shards(g, keys_out), hindsight::shards(g, values_out), same_run{}, compose{});
    EXPECT_EQ(joined(k), keys);
    EXPECT_EQ(joined(v), sums);
  });
}

/// Bytes are folded as bytes, though the sum of two is an int, also where a run goes on.
TEST(ranks_select, reduce_by_key_of_bytes) {
  for_each_input([](auto& g, const auto& items, const auto& shard_sizes) {
    const std::size_t n = items.size();
    const std::vector<std::uint8_t> values(n, 99);
    std::vector<int> keys(n), sums(n);
    const auto ends =
        hindsight::reduce_by_key(hindsight::host::par, items.begin(), items.end(), values.begin(),
                                 keys.begin(), sums.begin(), same_run{}, ::cuda::std::plus<int>{});
    sums.erase(ends.second, sums.end());
    auto keys_in = in_shards(items, shard_sizes), keys_out = keys_in, sums_out = keys_in;
    auto values_in = in_shards(values, shard_sizes);
    const auto written = hindsight::reduce_by_key(
        g.par, hindsight::shards(g, keys_in), hindsight::shards(g, values_in),
        hindsight::shards(g, keys_out), hindsight::shards(g, sums_out), same_run{});
    EXPECT_EQ(joined(written.second), sums);
  });
}

/// The sum of a run is rounded to the output's type when all of it is folded, not before.
TEST(ranks_select, reduce_by_key_to_narrower_outputs) {
  for_each_input([](auto& g, const auto& items, const auto& shard_sizes) {
    const std::size_t n = items.size();
    std::vector<int> numbers(n);
    std::vector<double> doubles(n);
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = int(i * i * 37 % 1000);
      doubles[i] = double(i % 10) + 0.75;
    }
    const auto check = [&](const auto& values, auto some_output, auto op) {
      std::vector<int> keys(n);
      std::vector<decltype(some_output)> sums(n);
      const auto ends =
          hindsight::reduce_by_key(hindsight::host::par, items.begin(), items.end(), values.begin(),
                                   keys.begin(), sums.begin(), same_run{}, op);
      sums.erase(ends.second, sums.end());
      auto keys_in = in_shards(items, shard_sizes), keys_out = keys_in;
      auto values_in = in_shards(values, shard_sizes);
      auto sums_out = in_shards(std::vector<decltype(some_output)>(n), shard_sizes);
      const auto written = hindsight::reduce_by_key(
          g.par, hindsight::shards(g, keys_in), hindsight::shards(g, values_in),
          hindsight::shards(g, keys_out), hindsight::shards(g, sums_out), same_run{}, op);
      EXPECT_EQ(joined(written.second), sums);
    };
    check(numbers, std::uint8_t{}, ::cuda::maximum<int>{});
    check(numbers, std::uint8_t{}, ::cuda::std::plus<>{});
    check(doubles, int{}, ::cuda::std::plus<>{});
  });
}

TEST(ranks_select, run_length_encode) {
  for_each_input([](auto& g, const auto& items, const auto& shard_sizes) {
    const std::size_t n = items.size();
    std::vector<int> heads(n), lengths(n);
    const auto ends = hindsight::run_length_encode(hindsight::host::par, items.begin(), items.end(),
                                                   heads.begin(), lengths.begin(), same_run{});
    heads.erase(ends.first, heads.end());
    lengths.erase(ends.second, lengths.end());
    auto in = in_shards(items, shard_sizes), heads_out = in, lengths_out = in;
    const auto [h, l] = hindsight::run_length_encode(g.par, hindsight::shards(g, in),
                                                     hindsight::shards(g, heads_out),
                                                     hindsight::shards(g, lengths_out), same_run{});
    EXPECT_EQ(joined(h), heads);
    EXPECT_EQ(joined(l), lengths);
  });
}

/// Asked for its address, it does not compile. Its constructor template would change a copy of an
/// item that is not const.
struct odd_item {
  int value = 0;
  odd_item() = default;
  odd_item(const odd_item&) = default;
  odd_item(odd_item&&) = default;
  odd_item& operator=(const odd_item&) = default;
  template <class T>
  odd_item(T&&) : value{-1} {}
  void operator&() const = delete;
  bool operator==(const odd_item& other) const { return value == other.value; }
};
struct by_value {
  bool operator()(const odd_item& a, const odd_item& b) const { return a.value < b.value; }
};

TEST(ranks_select, odd_items) {
  hindsight::loopback::group g{3};
  std::vector<std::vector<odd_item>> pieces(3, std::vector<odd_item>(4)), out = pieces;
  for (int i = 0; i < 12; ++i) pieces[std::size_t(i) / 4][std::size_t(i) % 4].value = 5 + i / 5;
  std::vector<std::vector<int>> counts(3, std::vector<int>(4)), ones(3, std::vector<int>(4, 1));
  const auto values_of = [](const auto& shards) {
    std::vector<int> values;
    for (const auto& shard : shards)
      for (const odd_item& item : shard) values.push_back(item.value);
    return values;
  };
  const auto v = hindsight::shards(g, pieces), w = hindsight::shards(g, out);
  const std::vector<int> values{5, 6, 7}, lengths{5, 5, 2};
  EXPECT_EQ(values_of(hindsight::unique_copy(g.par, v, w)), values);
  const auto runs = hindsight::run_length_encode(g.par, v, w, hindsight::shards(g, counts));
  EXPECT_EQ(values_of(runs.first), values);
  EXPECT_EQ(joined(runs.second), lengths);
  const auto sums = hindsight::reduce_by_key(g.par, v, hindsight::shards(g, ones), w,
                                             hindsight::shards(g, counts));
  EXPECT_EQ(values_of(sums.first), values);
  EXPECT_EQ(joined(sums.second), lengths);
  const auto ends = hindsight::minmax(g.par, v, by_value{});
  EXPECT_EQ(ends.first.value, 5);
  EXPECT_EQ(ends.second.value, 7);
}

}  // namespace
