// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds, histograms and scans over 1 to 16 ranks against the same call over one range.
// labels: asan tsan
#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>

#include "functors_testing.h"
#include "ranks_testing.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using hindsight_test::affine;
using hindsight_test::compose;
using hindsight_test::cut;
using hindsight_test::for_each_cut;
using hindsight_test::in_shards;
using hindsight_test::is_odd_number;
using hindsight_test::joined;
using hindsight_test::some_affine;

std::vector<int> random_ints(std::size_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<int> items(n);
  for (int& item : items) item = int(random()) >> 4;
  return items;
}

/// Where the thread of the call could have a stream of its own.
struct noted_place : hindsight::host_place {
  explicit noted_place(std::vector<std::thread::id>& to) : waits{&to} {}
  void wait_for_caller() const { waits->push_back(std::this_thread::get_id()); }
  std::vector<std::thread::id>* waits;
};

TEST(ranks, the_caller_waits_for_its_own_work) {
  std::vector<std::thread::id> waits;
  hindsight::loopback::group_of<noted_place> g{std::vector<noted_place>(3, noted_place{waits})};
  std::vector<std::vector<int>> pieces(3, std::vector<int>{1, 2});
  EXPECT_EQ(hindsight::reduce(g.par, hindsight::shards(g, pieces)), 9);
  EXPECT_EQ(waits, std::vector<std::thread::id>(3, std::this_thread::get_id()));
}

/// As a device, which a thread can leave.
struct left_place : hindsight::host_place {
  struct scope {
    scope(scope&&) = delete;
    ~scope() { left->push_back(std::this_thread::get_id()); }
    std::vector<std::thread::id>* left;
  };
  explicit left_place(std::vector<std::thread::id>& to) : left{&to} {}
  scope entered() const { return scope{left}; }
  std::vector<std::thread::id>* left;
};

/// A rank's own thread that went back to GPU 0 would make a context there.
TEST(ranks, only_the_callers_thread_goes_back_to_its_own_device) {
  std::vector<std::thread::id> left;
  hindsight::loopback::group_of<left_place> g{std::vector<left_place>(3, left_place{left})};
  std::vector<std::vector<int>> pieces(3, std::vector<int>{1, 2});
  EXPECT_EQ(hindsight::reduce(g.par, hindsight::shards(g, pieces)), 9);
  EXPECT_EQ(left, std::vector<std::thread::id>(1, std::this_thread::get_id()));
}

TEST(ranks, shards_of_a_c_array) {
  hindsight::loopback::group g{2};
  std::vector<int> pieces[] = {{3, 1}, {2}};
  EXPECT_EQ(hindsight::reduce(g.par, hindsight::shards(g, pieces)), 6);
}

/// As a GPU, which folds in the type that the operator gives.
struct no_host_place : hindsight::host_place {};

TEST(ranks, a_sum_of_floats_into_an_integer_is_rounded_once) {
  hindsight::loopback::group_of<no_host_place> g{std::vector<no_host_place>(3)};
  std::vector<std::vector<float>> pieces(3, std::vector<float>(25, 0.75f));
  EXPECT_EQ(hindsight::reduce(g.par, hindsight::shards(g, pieces), 1, ::cuda::std::plus<>{}), 57);
}

TEST(ranks, a_string_literal_stands_for_an_item) {
  hindsight::loopback::group g{2};
  const std::vector<std::vector<std::string_view>> words{{"b", "a"}, {"b"}};
  EXPECT_EQ(hindsight::count(g.par, hindsight::shards(g, words), "b"), 2u);
}

TEST(ranks, folds_into_another_type_are_those_of_one_range) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{70000}}) {
    std::vector<double> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = double(i % 400) + 0.75;
    const int sum = hindsight::reduce(hindsight::host::par, items.begin(), items.end(), 1,
                                      ::cuda::std::plus<>{});
    const auto largest = hindsight::reduce(hindsight::host::par, items.begin(), items.end(),
                                           std::uint8_t(2), ::cuda::maximum<>{});
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(items, shard_sizes);
      const auto v = hindsight::shards(g, pieces);
      EXPECT_EQ(hindsight::reduce(g.par, v, 1, ::cuda::std::plus<>{}), sum);
      EXPECT_EQ(hindsight::reduce(g.par, v, std::uint8_t(2), ::cuda::maximum<>{}), largest);
    });
  }
}

constexpr std::size_t sizes[] = {0, 1, 7, 1000, 70000};

TEST(ranks, folds_are_those_of_one_range) {
  for (const std::size_t n : sizes) {
    const auto items = random_ints(n);
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(items, shard_sizes);
      const auto v = hindsight::shards(g, pieces);
      EXPECT_EQ(hindsight::reduce(g.par, v, std::int64_t(5)),
                hindsight::reduce(hindsight::host::par, items, std::int64_t(5)));
      EXPECT_EQ(std::int64_t(hindsight::count_if(g.par, v, is_odd_number{})),
                hindsight::count_if(hindsight::host::par, items, is_odd_number{}));
      if (n > 0) {
        const auto [min, max] = hindsight::minmax(g.par, v);
        EXPECT_EQ(min, *std::min_element(items.begin(), items.end()));
        EXPECT_EQ(max, *std::max_element(items.begin(), items.end()));
        EXPECT_GE(hindsight::count(g.par, v, items[n / 2]), 1u);
      } else {
        EXPECT_THROW(hindsight::minmax(g.par, v), hindsight::invalid_call);
      }
    });
  }
}

TEST(ranks, a_sum_of_floats_is_the_same_in_every_run) {
  std::vector<float> items(70000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = std::sin(float(i)) * 1e3f;
  for_each_cut(items.size(), [&](std::size_t ranks, const auto& shard_sizes) {
    hindsight::loopback::group g{int(ranks)};
    auto pieces = in_shards(items, shard_sizes);
    const auto v = hindsight::shards(g, pieces);
    const float sum = hindsight::reduce(g.par, v, 1.0f);
    for (int run = 0; run < 3; ++run) EXPECT_EQ(hindsight::reduce(g.par, v, 1.0f), sum);
    if (ranks == 1) {
      EXPECT_EQ(sum, hindsight::reduce(hindsight::host::par, items, 1.0f));
    }
  });
}

/// Tiles that begin in one shard and end in a later one, also behind shards that are smaller.
TEST(ranks, a_fold_of_floats_can_have_the_same_bits_for_any_number_of_ranks) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{70000}, std::size_t{300001}}) {
    std::vector<float> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = std::sin(float(i)) * 1e3f;
    std::optional<float> sum;
    double exact = 2;
    for (const float item : items) exact += double(item);
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(items, shard_sizes);
      const float result = hindsight::reduce_same_bits(g.par, hindsight::shards(g, pieces), 2.0f);
      if (!sum) sum = result;
      EXPECT_EQ(result, *sum) << n << " items, " << ranks << " ranks";
      EXPECT_NEAR(double(result), exact, 1.0);
    });
  }
}

struct no_default {
  explicit no_default(int n) : number{n} {}
  int number;
};
struct add_numbers {
  no_default operator()(no_default a, no_default b) const {
    return no_default{a.number + b.number};
  }
};

TEST(ranks, items_of_folds_need_no_default_constructor) {
  hindsight::loopback::group g{3};
  std::vector<std::vector<no_default>> pieces(3, std::vector<no_default>(70000, no_default{2}));
  const auto v = hindsight::shards(g, pieces);
  EXPECT_EQ(hindsight::reduce(g.par, v, no_default{1}, add_numbers{}).number, 420001);
  EXPECT_EQ(hindsight::reduce_same_bits(g.par, v, no_default{1}, add_numbers{}).number, 420001);
}

/// What a rank begins its fold with must not make 0.0 of -0.0.
TEST(ranks, a_sum_of_negative_zeros_is_one) {
  hindsight::loopback::group g{3};
  std::vector<std::vector<double>> pieces(3, std::vector<double>(100, -0.0));
  EXPECT_TRUE(std::signbit(hindsight::reduce(g.par, hindsight::shards(g, pieces), -0.0)));
}

TEST(ranks, histograms_are_on_every_rank) {
  for (const std::size_t n : sizes) {
    const auto items = random_ints(n);
    std::vector<unsigned> expected(100);
    hindsight::histogram_even(hindsight::host::par, items, 100, -(1 << 27), 1 << 26,
                              expected.begin());
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(items, shard_sizes);
      std::vector<std::vector<unsigned>> counters(ranks, std::vector<unsigned>(100, 77u));
      hindsight::histogram_even(g.par, hindsight::shards(g, pieces), 100, -(1 << 27), 1 << 26,
                                hindsight::shards(g, counters));
      for (const auto& each : counters) EXPECT_EQ(each, expected);
      const std::vector<int> levels{-1000000, 0, 0, 5, 99999999};
      hindsight::histogram_range(g.par, hindsight::shards(g, pieces), levels.begin(), levels.end(),
                                 hindsight::shards(g, counters));
      std::vector<unsigned> in_ranges(4);
      hindsight::histogram_range(hindsight::host::par, items.begin(), items.end(), levels.begin(),
                                 levels.end(), in_ranges.begin());
      for (const auto& each : counters)
        EXPECT_TRUE(std::equal(in_ranges.begin(), in_ranges.end(), each.begin()));
    });
  }
}

TEST(ranks, scans_are_those_of_one_range) {
  for (const std::size_t n : sizes) {
    const auto items = random_ints(n);
    std::vector<int> inclusive(n);
    std::vector<std::int64_t> exclusive(n);
    hindsight::inclusive_scan(hindsight::host::par, items, inclusive.begin(),
                              ::cuda::std::bit_xor<int>{});
    hindsight::exclusive_scan(hindsight::host::par, items, exclusive.begin(), std::int64_t(9));
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(items, shard_sizes);
      auto sums = in_shards(std::vector<std::int64_t>(n), shard_sizes);
      const auto v = hindsight::shards(g, pieces);
      hindsight::exclusive_scan(g.par, v, hindsight::shards(g, sums), std::int64_t(9));
      EXPECT_EQ(joined(sums), exclusive);
      hindsight::inclusive_scan(g.par, v, v, ::cuda::std::bit_xor<int>{});
      EXPECT_EQ(joined(pieces), inclusive);
    });
  }
}

struct larger_as_int {
  int operator()(int a, int b) const { return a < b ? b : a; }
};

/// A scan without an initial value folds bytes as bytes, though the sum of two is an int.
TEST(ranks, scans_of_bytes_are_those_of_one_range) {
  for (const std::size_t n : sizes) {
    std::vector<std::int8_t> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = std::int8_t(i * i % 101);
    std::vector<int> sums(n), maxima(n);
    hindsight::inclusive_scan(hindsight::host::par, items, sums.begin());
    hindsight::inclusive_scan(hindsight::host::par, items, maxima.begin(), larger_as_int{});
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(items, shard_sizes);
      auto out = in_shards(std::vector<int>(n), shard_sizes);
      const auto v = hindsight::shards(g, pieces);
      hindsight::inclusive_scan(g.par, v, hindsight::shards(g, out));
      EXPECT_EQ(joined(out), sums);
      hindsight::inclusive_scan(g.par, v, hindsight::shards(g, out), larger_as_int{});
      EXPECT_EQ(joined(out), maxima);
    });
  }
}

/// Items and sums are numbers of the type of init, as in a scan of one range.
TEST(ranks, scans_of_floats_from_an_integer_are_those_of_one_range) {
  for (const std::size_t n : sizes) {
    std::vector<float> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = (float(i % 7) - 3) * 0.75f;
    std::vector<int> sums(n);
    std::vector<std::uint8_t> bytes(n);
    std::vector<double> maxima(n);
    hindsight::exclusive_scan(hindsight::host::par, items, sums.begin(), 3);
    hindsight::exclusive_scan(hindsight::host::par, items, bytes.begin(), std::uint8_t(3));
    hindsight::exclusive_scan(hindsight::host::par, items, maxima.begin(), 1, ::cuda::maximum<>{});
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(items, shard_sizes);
      const auto v = hindsight::shards(g, pieces);
      auto int_out = in_shards(std::vector<int>(n), shard_sizes);
      hindsight::exclusive_scan(g.par, v, hindsight::shards(g, int_out), 3);
      EXPECT_EQ(joined(int_out), sums);
      auto byte_out = in_shards(std::vector<std::uint8_t>(n), shard_sizes);
      hindsight::exclusive_scan(g.par, v, hindsight::shards(g, byte_out), std::uint8_t(3));
      EXPECT_EQ(joined(byte_out), bytes);
      auto out = in_shards(std::vector<double>(n), shard_sizes);
      hindsight::exclusive_scan(g.par, v, hindsight::shards(g, out), 1, ::cuda::maximum<>{});
      EXPECT_EQ(joined(out), maxima);
    });
  }
}

TEST(ranks, operands_of_scans_keep_their_order) {
  for (const std::size_t n : sizes) {
    const auto items = some_affine(n);
    std::vector<affine> inclusive(n), exclusive(n);
    hindsight::inclusive_scan(hindsight::host::par, items, inclusive.begin(), compose{});
    hindsight::exclusive_scan(hindsight::host::par, items, exclusive.begin(), affine{3, 4, 0},
                              compose{});
    for_each_cut(n, [&](std::size_t ranks, const auto& shard_sizes) {
      hindsight::loopback::group g{int(ranks)};
      auto pieces = in_shards(items, shard_sizes);
      auto out = pieces;
      const auto v = hindsight::shards(g, pieces);
      hindsight::exclusive_scan(g.par, v, hindsight::shards(g, out), affine{3, 4, 0}, compose{});
      EXPECT_EQ(joined(out), exclusive);
      hindsight::inclusive_scan(g.par, v, hindsight::shards(g, out), compose{});
      EXPECT_EQ(joined(out), inclusive);
    });
  }
}

TEST(ranks, functors_may_ask_for_items_that_are_not_const) {
  using rows = std::vector<std::vector<int>>;
  hindsight::loopback::group g{2};
  rows pieces{{5, 7, 1}, {1, 9}}, out{{0, 0, 0}, {0, 0}}, sums = out;
  const auto in = hindsight::shards(g, pieces);
  const auto to = hindsight::shards(g, out), folds = hindsight::shards(g, sums);
  const auto add = [](int& a, int& b) { return a += b; };
  const auto less = [](int& a, int& b) { return a < b; };
  const auto equal = [](int& a, int& b) { return a == b; };
  const auto is_large = [](int& item) { return item > 4; };
  EXPECT_EQ(hindsight::reduce(g.par, in, 1, add), 24);
  EXPECT_EQ(hindsight::reduce_same_bits(g.par, in, 1, add), 24);
  EXPECT_EQ(hindsight::count_if(g.par, in, is_large), 3u);
  const auto ends = hindsight::minmax(g.par, in, less);
  EXPECT_EQ(ends.first, 1);
  EXPECT_EQ(ends.second, 9);
  hindsight::inclusive_scan(g.par, in, to, add);
  EXPECT_EQ(out, (rows{{5, 12, 13}, {14, 23}}));
  hindsight::exclusive_scan(g.par, in, to, 1, add);
  EXPECT_EQ(out, (rows{{1, 6, 13}, {14, 15}}));
  EXPECT_EQ(joined(hindsight::copy_if(g.par, in, to, is_large)), (std::vector<int>{5, 7, 9}));
  EXPECT_EQ(joined(hindsight::unique_copy(g.par, in, to, equal)), (std::vector<int>{5, 7, 1, 9}));
  EXPECT_EQ(joined(hindsight::reduce_by_key(g.par, in, in, to, folds, equal, add).second),
            (std::vector<int>{5, 7, 2, 9}));
  EXPECT_EQ(joined(hindsight::run_length_encode(g.par, in, to, folds, equal).second),
            (std::vector<int>{1, 1, 2, 1}));
  EXPECT_EQ(hindsight::stable_partition(g.par, in, is_large), 3u);
  hindsight::sort(g.par, in, less);
  EXPECT_EQ(pieces, (rows{{1, 1, 5}, {7, 9}}));
}

}  // namespace
