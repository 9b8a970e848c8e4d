// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// The host engine's scans: against the standard library where every order gives one result, and
// against the documented order, evaluated naively, where it does not.
#include <hindsight/detail/host/scan.h>
#include <hindsight/scan.h>

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include "host_engine_testing.h"
#include <any>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace host = hindsight::detail::host;
using hindsight::detail::scan_tuning;
using hindsight::detail::tile_shape;
using hindsight_test::compose_packed;
using hindsight_test::rough_items;
using hindsight_test::small;
using hindsight_test::tiny;
using host::cut;

struct long_lanes {  // of two chains and a half
  static constexpr tile_shape shape{20, 2};
};

const std::size_t sizes[] = {0,  1,   2,   31,  32,   33,   63,   64,   65,   96,
                             97, 191, 192, 193, 2047, 2048, 2049, 6145, 50001};

// ---- one result in any order ----

template <class T, class Op>
void check_against_std(Op op, T init) {
  for (std::size_t n : sizes)
    for (cut wanted : {cut{}, cut{1, 1}, cut{2, 1}, cut{3, 7}, cut{7, 64}}) {
      const auto items = rough_items<T>(n);
      std::vector<T> expected(n), out(n);
      std::inclusive_scan(items.begin(), items.end(), expected.begin(), op);
      host::inclusive_scan<T, tiny>(items.begin(), out.begin(), n, op, wanted);
      ASSERT_EQ(out, expected);
      std::inclusive_scan(items.begin(), items.end(), expected.begin(), op, init);
      host::inclusive_scan<T, small>(items.begin(), out.begin(), n, op, init, wanted);
      ASSERT_EQ(out, expected);
      std::exclusive_scan(items.begin(), items.end(), expected.begin(), init, op);
      out = items;
      host::exclusive_scan<T, tiny>(out.begin(), out.begin(), n, op, init, wanted);
      ASSERT_EQ(out, expected);
    }
}

TEST(host_scan, associative_operators) {
  check_against_std<std::uint32_t>(thrust::plus<std::uint32_t>{}, 5u);
  check_against_std<std::uint8_t>(thrust::plus<>{}, std::uint8_t(5));
  check_against_std<std::int64_t>(thrust::maximum<std::int64_t>{}, -3);
  check_against_std<std::uint64_t>(thrust::bit_xor<std::uint64_t>{}, 9u);
  check_against_std<std::uint32_t>(compose_packed{}, 0x10000u);
}

TEST(host_scan, large_default_tiles) {
  const std::size_t n = (1 << 20) + 7;
  const auto items = rough_items<std::uint32_t>(n);
  std::vector<std::uint32_t> expected(n), out(n);
  for (unsigned threads : {0u, 1u, 2u, 7u}) {
    std::inclusive_scan(items.begin(), items.end(), expected.begin());
    host::inclusive_scan<std::uint32_t>(items.begin(), out.begin(), n, thrust::plus<>{},
                                        cut{threads, 0});
    EXPECT_EQ(out, expected);
    std::inclusive_scan(items.begin(), items.end(), expected.begin(), compose_packed{});
    host::inclusive_scan<std::uint32_t>(items.begin(), out.begin(), n, compose_packed{},
                                        cut{threads, 0});
    EXPECT_EQ(out, expected);
  }
}

TEST(host_scan, accumulates_in_the_type_asked_for) {
  const std::vector<float> items(5, 1.9f);
  std::vector<float> out(5);
  host::exclusive_scan<int>(items.begin(), out.begin(), 5, thrust::plus<>{}, 0);
  EXPECT_EQ(out, (std::vector<float>{0, 1, 2, 3, 4}));
  const std::vector<char> chars(3, 100);
  std::vector<int> sums(3);
  host::inclusive_scan<char>(chars.begin(), sums.begin(), 3, thrust::plus<>{});
  EXPECT_EQ(sums, (std::vector<int>{100, char(200), 44}));
}

TEST(host_scan, fancy_iterators_and_types_that_cannot_be_relayed) {
  const std::size_t n = 10000;
  std::vector<std::int64_t> a(n);
  std::vector<std::int64_t> b(n);
  using pair = thrust::tuple<std::int64_t, std::int64_t>;
  const auto both = [](const pair& x, const pair& y) {
    return pair{thrust::get<0>(x) + thrust::get<0>(y),
                std::max(thrust::get<1>(x), thrust::get<1>(y))};
  };
  const thrust::counting_iterator<std::int64_t> counting{0};
  host::inclusive_scan<pair, tiny>(thrust::make_zip_iterator(counting, counting),
                                   thrust::make_zip_iterator(a.begin(), b.begin()), n, both,
                                   cut{2, 0});
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(a[i], std::int64_t(i * (i + 1) / 2));
    ASSERT_EQ(b[i], std::int64_t(i));
  }
  std::vector<std::string> words{"a", "b", "c"};
  host::inclusive_scan<std::string>(words.begin(), words.begin(), 3, std::plus<>{});
  EXPECT_EQ(words[2], "abc");
  host::exclusive_scan<std::string>(words.begin(), words.begin(), 3, std::plus<>{}, "-");
  EXPECT_EQ(words[2], "-aab");
}

/// A std::any can be made of every argument of a call.
TEST(host_scan, items_that_are_made_of_anything) {
  std::vector<std::any> items{1, 2, 3}, out(3);
  const auto add = [](const std::any& a, const std::any& b) {
    return std::any(std::any_cast<int>(a) + std::any_cast<int>(b));
  };
  hindsight::inclusive_scan(hindsight::host::par, items.begin(), items.end(), out.begin(), add);
  EXPECT_EQ(std::any_cast<int>(out[2]), 6);
  hindsight::exclusive_scan(hindsight::host::par, items.begin(), items.end(), out.begin(),
                            std::any(10), add);
  EXPECT_EQ(std::any_cast<int>(out[2]), 13);
}

TEST(host_scan, rethrows_and_does_not_hang) {
  std::vector<std::uint32_t> items(5000), out(5000);
  std::iota(items.begin(), items.end(), 0u);
  for (std::uint32_t bad : {1u, 70u, 2500u, 4999u})
    for (unsigned threads : {1u, 2u, 7u}) {
      const auto op = [bad](std::uint32_t a, std::uint32_t b) {
        if (a == bad || b == bad) throw std::runtime_error{"bad item"};
        return b;
      };
      EXPECT_THROW((host::inclusive_scan<std::uint32_t, tiny>(items.begin(), out.begin(), 5000, op,
                                                              cut{threads, 0})),
                   std::runtime_error);
    }
}

// ---- the documented order ----

/// Maybe a value: "nothing before" is a value of its own here, not a case of each rule.
template <class T>
std::optional<T> join(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a) return b;
  if (!b) return a;
  return *a + *b;
}

/// Inclusive Kogge-Stone over up to 32 values, each step from a copy.
template <class T>
std::vector<T> kogge_stone(std::vector<T> x) {
  for (std::size_t step = 1; step < 32; step *= 2) {
    const std::vector<T> old = x;
    for (std::size_t i = step; i < x.size(); ++i) x[i] = old[i - step] + old[i];
  }
  return x;
}

template <class T>
struct naive_scan {
  std::size_t lane_items, warps;
  const std::vector<T>& in;
  std::vector<T> inclusive, exclusive;

  std::size_t n() const { return in.size(); }

  T lane_fold(std::size_t begin, std::size_t end) const {
    std::optional<T> lane;
    for (std::size_t chain = begin; chain < std::min(end, n()); chain += 8) {
      std::optional<T> eight;
      for (std::size_t i = chain; i < std::min({chain + 8, end, n()}); ++i)
        eight = join(eight, std::optional<T>{in[i]});
      lane = join(lane, eight);
    }
    return *lane;
  }
  std::vector<T> warp_lanes(std::size_t begin) const {
    std::vector<T> lanes;
    for (std::size_t l = 0; l < 32 && begin + l * lane_items < n(); ++l)
      lanes.push_back(lane_fold(begin + l * lane_items, begin + (l + 1) * lane_items));
    return kogge_stone(lanes);
  }
  std::optional<T> warps_before(std::size_t tile_begin, std::size_t warp) const {
    std::optional<T> sum;
    for (std::size_t w = 0; w < warp && tile_begin + w * 32 * lane_items < n(); ++w)
      sum = join(sum, std::optional<T>{warp_lanes(tile_begin + w * 32 * lane_items).back()});
    return sum;
  }

  void run(std::optional<T> init) {
    const std::size_t warp_items = 32 * lane_items, tile_items = warps * warp_items;
    inclusive.resize(n());
    exclusive.resize(n());
    std::vector<T> window;  // aggregates of the tiles of this window so far
    std::optional<T> start = init;
    for (std::size_t tile = 0; tile * tile_items < n(); ++tile) {
      std::optional<T> carry = start;
      if (!window.empty()) carry = join(start, std::optional<T>{kogge_stone(window).back()});
      const std::size_t tile_begin = tile * tile_items;
      for (std::size_t w = 0; w < warps && tile_begin + w * warp_items < n(); ++w) {
        const std::size_t warp_begin = tile_begin + w * warp_items;
        const std::optional<T> before_warp = join(carry, warps_before(tile_begin, w));
        const std::vector<T> lanes = warp_lanes(warp_begin);
        for (std::size_t l = 0; l < lanes.size(); ++l) {
          const std::optional<T> before =
              l == 0 ? before_warp : join(before_warp, std::optional<T>{lanes[l - 1]});
          std::optional<T> own, running = before;
          for (std::size_t i = warp_begin + l * lane_items;
               i < std::min(warp_begin + (l + 1) * lane_items, n()); ++i) {
            exclusive[i] = running.value_or(T{});
            own = join(own, std::optional<T>{in[i]});
            running = join(before, own);
            inclusive[i] = *running;
          }
        }
      }
      window.push_back(*warps_before(tile_begin, warps));
      if (window.size() == 32) {
        start = join(start, std::optional<T>{kogge_stone(window).back()});
        window.clear();
      }
    }
  }
};

template <class T, class Tuning>
void check_order(std::size_t n, unsigned threads) {
  SCOPED_TRACE(testing::Message() << "n " << n << ", threads " << threads);
  const auto items = rough_items<T>(n);
  naive_scan<T> expected{
      std::size_t(Tuning::shape.lane_items), std::size_t(Tuning::shape.warps), items, {}, {}};
  std::vector<T> out(n);
  const cut wanted{threads, 0};
  expected.run({});
  host::inclusive_scan<T, Tuning>(items.begin(), out.begin(), n, thrust::plus<T>{}, wanted);
  ASSERT_EQ(out, expected.inclusive);
  expected.run(T(0.1));
  host::inclusive_scan<T, Tuning>(items.begin(), out.begin(), n, thrust::plus<T>{}, T(0.1), wanted);
  ASSERT_EQ(out, expected.inclusive);
  out = items;
  host::exclusive_scan<T, Tuning>(out.begin(), out.begin(), n, thrust::plus<T>{}, T(0.1), wanted);
  ASSERT_EQ(out, expected.exclusive);
}

TEST(host_scan, floats_follow_the_documented_order) {
  for (std::size_t n : sizes)
    for (unsigned threads : {1u, 2u, 7u}) {
      check_order<float, tiny>(n, threads);
      check_order<float, small>(n, threads);
      check_order<double, small>(n, threads);
      check_order<float, long_lanes>(n, threads);
    }
  for (std::size_t n : {8191, 8192, 8193, 300001}) {
    check_order<float, scan_tuning<float>>(n, 3);
    check_order<double, scan_tuning<double>>(n, 2);
  }
}

}  // namespace
