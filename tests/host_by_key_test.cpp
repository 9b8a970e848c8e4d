// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// The host engine's scans and sums by key: against a loop where every order gives one result, and
// against the documented order, evaluated naively, where it does not.
#include <hindsight/detail/host/reduce_by_key.h>
#include <hindsight/detail/host/scan_by_key.h>

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "host_engine_testing.h"
#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace host = hindsight::detail::host;
using hindsight::detail::tile_shape;
using hindsight_test::compose_packed;
using hindsight_test::rough_items;
using hindsight_test::small;
using hindsight_test::tiny;
using host::cut;

const std::size_t sizes[] = {0, 1, 2, 31, 33, 64, 65, 191, 193, 2047, 2049, 6145, 20001};

/// Keys in runs of random lengths; `mean` 0 makes one run.
std::vector<int> random_keys(std::size_t n, unsigned mean) {
  std::mt19937 random{unsigned(n) + mean};
  std::vector<int> keys(n);
  int key = 0;
  for (int& k : keys) k = mean > 0 && random() % mean == 0 ? ++key : key;
  return keys;
}

template <class T, class Op>
std::vector<T> inclusive(const std::vector<int>& keys, std::vector<T> values, Op op) {
  for (std::size_t i = 1; i < values.size(); ++i)
    if (keys[i - 1] == keys[i]) values[i] = op(values[i - 1], values[i]);
  return values;
}
template <class T, class Op>
std::vector<T> exclusive(const std::vector<int>& keys, std::vector<T> values, T init, Op op) {
  T next = init;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T before = i > 0 && keys[i - 1] == keys[i] ? next : init;
    next = op(before, values[i]);
    values[i] = before;
  }
  return values;
}

const cut cuts[] = {{}, {1, 1}, {2, 1}, {3, 7}, {7, 64}};

template <class T, class Op>
void check_against_loops(Op op, T init) {
  const std::equal_to<int> equal;
  for (const std::size_t n : sizes)
    for (const unsigned mean : {0u, 1u, 5u, 300u})
      for (const cut wanted : cuts) {
        const auto keys = random_keys(n, mean);
        const auto values = rough_items<T>(n);
        std::vector<T> out(n);
        host::inclusive_scan_by_key<tiny>(keys.begin(), values.begin(), out.begin(), n, equal, op,
                                          wanted);
        ASSERT_EQ(out, inclusive(keys, values, op));
        out = values;
        host::exclusive_scan_by_key<small>(keys.begin(), out.begin(), out.begin(), n, equal, op,
                                           init, wanted);
        ASSERT_EQ(out, exclusive(keys, values, init, op)) << "onto the values";
      }
}

TEST(host_scan_by_key, integers_by_operators_of_any_order) {
  check_against_loops<std::uint32_t>(std::plus<>{}, 5u);
  check_against_loops<std::int8_t>(thrust::maximum<std::int8_t>{}, std::int8_t{-7});
}
TEST(host_scan_by_key, operators_that_do_not_commute) {
  check_against_loops<std::uint32_t>(compose_packed{}, 1u << 16 | 3);
}

/// A packed function, and words that show where a part of an item is lost.
struct large_item {
  std::uint32_t function, words[19];
  friend bool operator==(const large_item& a, const large_item& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
};
large_item make_large(std::uint32_t function) {
  large_item item;
  item.function = function;
  for (std::uint32_t i = 0; i < 19; ++i) item.words[i] = function * (2 * i + 3);
  return item;
}
struct compose_large {
  large_item operator()(const large_item& f, const large_item& g) const {
    return make_large(compose_packed{}(f.function, g.function));
  }
};

TEST(host_scan_by_key, large_items) {
  for (const std::size_t n : sizes)
    for (const unsigned mean : {0u, 1u, 5u, 300u})
      for (const cut wanted : cuts) {
        const auto keys = random_keys(n, mean);
        std::vector<large_item> values(n), out(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = make_large(std::uint32_t(i) * 2654435761u);
        host::inclusive_scan_by_key(keys.begin(), values.cbegin(), out.begin(), n,
                                    std::equal_to<int>{}, compose_large{}, wanted);
        ASSERT_TRUE(out == inclusive(keys, values, compose_large{})) << n << ' ' << mean;
        const large_item init = make_large(1u << 16 | 3);
        const auto expected = exclusive(keys, values, init, compose_large{});
        host::exclusive_scan_by_key(keys.begin(), values.cbegin(), out.begin(), n,
                                    std::equal_to<int>{}, compose_large{}, init, wanted);
        ASSERT_TRUE(out == expected) << n << ' ' << mean;
        host::exclusive_scan_by_key(keys.begin(), values.begin(), values.begin(), n,
                                    std::equal_to<int>{}, compose_large{}, init, wanted);
        ASSERT_TRUE(values == expected) << "onto the values";
      }
}

TEST(host_scan_by_key, onto_the_keys) {
  for (const std::size_t n : sizes)
    for (const cut wanted : cuts) {
      const auto keys = random_keys(n, 5);
      const auto values = rough_items<int>(n);
      auto data = keys;
      const auto xors = std::bit_xor<>{};
      host::inclusive_scan_by_key<tiny>(data.begin(), values.begin(), data.begin(), n,
                                        std::equal_to<int>{}, xors, wanted);
      ASSERT_EQ(data, inclusive(keys, values, xors));
    }
}

TEST(host_scan_by_key, items_that_are_not_trivial) {
  const std::size_t n = 3000;
  const auto keys = random_keys(n, 5);
  std::vector<std::string> values(n), out(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = std::string(1, char('a' + i % 26));
  host::inclusive_scan_by_key(keys.begin(), values.begin(), out.begin(), n, std::equal_to<int>{},
                              std::plus<>{});
  EXPECT_EQ(out, inclusive(keys, values, std::plus<>{}));
  host::exclusive_scan_by_key(keys.begin(), values.begin(), out.begin(), n, std::equal_to<int>{},
                              std::plus<>{}, std::string{"-"});
  EXPECT_EQ(out, exclusive(keys, values, std::string{"-"}, std::plus<>{}));
}

TEST(host_scan_by_key, reads_through_iterators) {
  const std::size_t n = 5000;
  const auto numbers = thrust::make_counting_iterator(0);
  const auto tens = [](int i) { return i / 10; };
  const auto keys = thrust::make_transform_iterator(numbers, tens);
  std::vector<std::int64_t> out(n);
  host::exclusive_scan_by_key(keys, numbers, out.begin(), n, std::equal_to<int>{}, std::plus<>{},
                              std::int64_t{0}, cut{2, 0});
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t first = std::int64_t(i) / 10 * 10, count = std::int64_t(i) % 10;
    ASSERT_EQ(out[i], first * count + count * (count - 1) / 2) << i;
  }
}

TEST(host_scan_by_key, a_thrown_exception_reaches_the_caller) {
  const std::size_t n = 5000;
  const auto keys = random_keys(n, 50);
  const auto values = rough_items<double>(n);
  std::vector<double> out(n);
  const auto op = [&](double a, double b) {
    if (b == values[3333]) throw std::runtime_error("no");
    return a + b;
  };
  EXPECT_THROW(host::inclusive_scan_by_key<tiny>(keys.begin(), values.begin(), out.begin(), n,
                                                 std::equal_to<int>{}, op, cut{4, 0}),
               std::runtime_error);
}

// ---- the documented order, naively ----

/// A stretch of items: whether a run begins in it, and the fold from the last begin on.
template <class T>
struct stretch {
  bool begun;
  T fold;
};

template <class T, class Op>
class documented_order {
 public:
  documented_order(tile_shape shape, std::vector<bool> heads, std::vector<T> values, Op op)
      : shape_{shape}, heads_{std::move(heads)}, values_{std::move(values)}, op_{op} {}

  std::vector<T> scan() const {
    std::vector<T> out;
    each_lane([&](auto carry, auto before, auto, std::size_t begin, std::size_t end) {
      if (carry) before = before ? join(*carry, *before) : carry;
      std::optional<stretch<T>> own;
      for (std::size_t i = begin; i < end; ++i) {
        const stretch<T> item{heads_[i], values_[i]};
        own = own ? join(*own, item) : item;
        out.push_back((before ? join(*before, *own) : *own).fold);
      }
    });
    return out;
  }

  /// The scan before each item, if a run starts with init before its first item, and values_ hold
  /// op(init, item) there.
  std::vector<T> scan_before(T init) const {
    std::vector<T> out;
    each_lane([&](auto carry, auto before, auto, std::size_t begin, std::size_t end) {
      if (carry) before = before ? join(*carry, *before) : carry;
      std::optional<stretch<T>> own;
      for (std::size_t i = begin; i < end; ++i) {
        std::optional<stretch<T>> open = before;
        if (own) open = open ? join(*open, *own) : own;
        out.push_back(heads_[i] ? init : open->fold);
        const stretch<T> item{heads_[i], values_[i]};
        own = own ? join(*own, item) : item;
      }
    });
    return out;
  }

  std::vector<T> sums() const {
    std::vector<T> closed;
    bool any_in_tile = false;
    each_lane([&](auto carry, auto before, auto after, std::size_t begin, std::size_t end) {
      if (!before) any_in_tile = false;
      std::optional<stretch<T>> own;
      const auto close = [&](std::optional<stretch<T>> open) {
        if (!any_in_tile && carry) open = open ? join(*carry, *open) : *carry;
        closed.push_back(open->fold);
      };
      const auto open_here = [&] {
        std::optional<stretch<T>> open = before;
        if (own) open = open ? join(*open, *own) : *own;
        return open;
      };
      for (std::size_t i = begin; i < end; ++i) {
        if (heads_[i] && i > 0) close(open_here());
        any_in_tile = any_in_tile || heads_[i];
        const stretch<T> item{heads_[i], values_[i]};
        own = own ? join(*own, item) : item;
      }
      if (end < values_.size()) return;
      // The end closes a run as a head would: one behind a whole lane finds what that lane leaves,
      // but for the last lane of a tile, behind which there is none.
      const bool is_whole_lane = end - begin == std::size_t(shape_.lane_items);
      const bool is_whole_tile = end % std::size_t(shape_.tile_items()) == 0;
      close(is_whole_lane && !is_whole_tile ? after : open_here());
    });
    return closed;
  }

 private:
  stretch<T> join(const stretch<T>& a, const stretch<T>& b) const {
    if (b.begun) return b;
    return {a.begun, op_(a.fold, b.fold)};
  }
  std::vector<stretch<T>> kogge_stone(std::vector<stretch<T>> lanes) const {
    for (std::size_t step = 1; step < lanes.size(); step *= 2)
      for (std::size_t i = lanes.size() - 1; i >= step; --i)
        lanes[i] = join(lanes[i - step], lanes[i]);
    return lanes;
  }
  stretch<T> fold_lane(std::size_t begin, std::size_t end) const {
    stretch<T> fold{heads_[begin], values_[begin]};
    for (std::size_t i = begin + 1; i < end; ++i) fold = join(fold, {heads_[i], values_[i]});
    return fold;
  }
  /// Calls f(carry into the tile, fold of the tile's lanes before, the same with this lane, begin,
  /// end) for every lane; the first two are empty where nothing precedes.
  template <class F>
  void each_lane(F f) const {
    const std::size_t n = values_.size(), lane_items = std::size_t(shape_.lane_items);
    std::optional<stretch<T>> window_carry;
    std::vector<stretch<T>> window;
    for (std::size_t tile = 0; tile < n; tile += std::size_t(shape_.tile_items())) {
      std::optional<stretch<T>> carry = window_carry;
      if (!window.empty()) {
        const stretch<T> scanned = kogge_stone(window).back();
        carry = carry ? join(*carry, scanned) : scanned;
      }
      if (window.size() == 32) {
        window_carry = carry;
        window.clear();
      }
      std::optional<stretch<T>> warps;
      const std::size_t tile_end = std::min(n, tile + std::size_t(shape_.tile_items()));
      for (std::size_t warp = tile; warp < tile_end; warp += std::size_t(shape_.warp_items())) {
        const std::size_t warp_end = std::min(tile_end, warp + std::size_t(shape_.warp_items()));
        std::vector<stretch<T>> lanes;
        for (std::size_t lane = warp; lane < warp_end; lane += lane_items)
          lanes.push_back(fold_lane(lane, std::min(warp_end, lane + lane_items)));
        lanes = kogge_stone(lanes);
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
          std::optional<stretch<T>> before = warps;
          if (lane > 0) before = warps ? join(*warps, lanes[lane - 1]) : lanes[lane - 1];
          const std::optional<stretch<T>> after = warps ? join(*warps, lanes[lane]) : lanes[lane];
          const std::size_t begin = warp + lane * lane_items;
          f(carry, before, after, begin, std::min(warp_end, begin + lane_items));
        }
        warps = warps ? join(*warps, lanes.back()) : lanes.back();
      }
      window.push_back(*warps);
    }
  }

  tile_shape shape_;
  std::vector<bool> heads_;
  std::vector<T> values_;
  Op op_;
};

TEST(host_reduce_by_key, operators_that_do_not_commute) {
  for (const std::size_t n : sizes)
    for (const unsigned mean : {0u, 1u, 5u, 300u})
      for (const cut wanted : cuts) {
        const auto keys = random_keys(n, mean);
        const auto values = rough_items<std::uint32_t>(n);
        const auto scanned = inclusive(keys, values, compose_packed{});
        std::vector<std::uint32_t> expected, sums(n);
        std::vector<int> expected_keys, keys_out(n);
        for (std::size_t i = 0; i < n; ++i)
          if (i + 1 == n || keys[i] != keys[i + 1]) {
            expected_keys.push_back(keys[i]);
            expected.push_back(scanned[i]);
          }
        const std::size_t runs =
            host::reduce_by_key<small>(keys.begin(), values.begin(), keys_out.begin(), sums.begin(),
                                       n, std::equal_to<int>{}, compose_packed{}, wanted);
        sums.resize(runs);
        keys_out.resize(runs);
        ASSERT_EQ(sums, expected);
        ASSERT_EQ(keys_out, expected_keys);
      }
}

template <class Tuning, class T>
void check_order() {
  const std::plus<> op;
  for (const std::size_t n : sizes)
    for (const unsigned mean : {0u, 3u, 20u, 300u, 5000u}) {
      const auto keys = random_keys(n, mean);
      const auto values = rough_items<T>(n);
      std::vector<bool> heads(n);
      for (std::size_t i = 0; i < n; ++i) heads[i] = i == 0 || keys[i - 1] != keys[i];
      const documented_order<T, std::plus<>> expected(Tuning::shape, heads, values, op);
      for (const unsigned threads : {1u, 3u}) {
        SCOPED_TRACE(testing::Message()
                     << "n = " << n << ", mean " << mean << ", " << threads << " threads");
        std::vector<T> out(n);
        std::vector<int> keys_out(n);
        host::inclusive_scan_by_key<Tuning>(keys.begin(), values.begin(), out.begin(), n,
                                            std::equal_to<int>{}, op, cut{threads, 0});
        ASSERT_EQ(out, expected.scan());
        const T init(0.1);
        auto started = values;
        for (std::size_t i = 0; i < n; ++i)
          if (heads[i]) started[i] = op(init, values[i]);
        host::exclusive_scan_by_key<Tuning>(keys.begin(), values.begin(), out.begin(), n,
                                            std::equal_to<int>{}, op, init, cut{threads, 0});
        ASSERT_EQ(out, (documented_order<T, std::plus<>>(Tuning::shape, heads, started, op)
                            .scan_before(init)));
        out.resize(host::reduce_by_key<Tuning>(keys.begin(), values.begin(), keys_out.begin(),
                                               out.begin(), n, std::equal_to<int>{}, op,
                                               cut{threads, 0}));
        ASSERT_EQ(out, expected.sums());
      }
    }
}

/// A float, but no number to the engine.
struct boxed {
  float value;
  friend bool operator==(boxed a, boxed b) { return a.value == b.value; }
  friend boxed operator+(boxed a, boxed b) { return {a.value + b.value}; }
};

std::vector<boxed> boxed_items(std::size_t n) {
  std::vector<boxed> items;
  for (const float item : rough_items<float>(n)) items.push_back({item});
  return items;
}

/// Sums into arrays of their own, which are written at once, and onto the values, which are not.
template <class Tuning, class T>
void check_sums(std::vector<T> (*items)(std::size_t)) {
  const std::plus<> op;
  const std::equal_to<int> equal;
  for (const std::size_t n : sizes)
    for (const unsigned mean : {0u, 1u, 3u, 20u, 300u, 5000u}) {
      const auto keys = random_keys(n, mean);
      const auto values = items(n);
      std::vector<bool> heads(n);
      for (std::size_t i = 0; i < n; ++i) heads[i] = i == 0 || keys[i - 1] != keys[i];
      const auto expected =
          documented_order<T, std::plus<>>(Tuning::shape, heads, values, op).sums();
      std::vector<int> expected_keys;
      for (std::size_t i = 0; i < n; ++i)
        if (heads[i]) expected_keys.push_back(keys[i]);
      for (const unsigned threads : {1u, 3u, 8u}) {
        SCOPED_TRACE(testing::Message()
                     << "n = " << n << ", mean " << mean << ", " << threads << " threads");
        std::vector<T> out(n);
        std::vector<int> keys_out(n);
        out.resize(host::reduce_by_key<Tuning>(keys.begin(), values.begin(), keys_out.begin(),
                                               out.begin(), n, equal, op, cut{threads, 0}));
        keys_out.resize(out.size());
        ASSERT_TRUE(out == expected);
        ASSERT_EQ(keys_out, expected_keys);
        auto onto = values;
        keys_out.assign(n, 0);
        onto.resize(host::reduce_by_key<Tuning>(keys.begin(), onto.begin(), keys_out.begin(),
                                                onto.begin(), n, equal, op, cut{threads, 0}));
        keys_out.resize(onto.size());
        ASSERT_TRUE(onto == expected) << "onto the values";
        ASSERT_EQ(keys_out, expected_keys) << "onto the values";
      }
    }
}

TEST(host_reduce_by_key, sums_onto_the_values_have_the_same_order) {
  check_sums<tiny, float>(rough_items<float>);
  check_sums<small, double>(rough_items<double>);
  check_sums<tiny, boxed>(boxed_items);
  check_sums<small, boxed>(boxed_items);
}

TEST(host_reduce_by_key, a_thrown_exception_reaches_the_caller) {
  const std::size_t n = 20001;
  const auto keys = random_keys(n, 5);
  const auto values = rough_items<double>(n);
  std::vector<double> out(n);
  std::vector<int> keys_out(n);
  const auto sum_or_throw = [&](double a, double b) {
    if (a == values[13333] || b == values[13333]) throw std::runtime_error("no");
    return a + b;
  };
  const auto equal_or_throw = [&](const int& a, const int& b) {
    if (&b == &keys[13333]) throw std::runtime_error("no");
    return a == b;
  };
  for (const unsigned threads : {1u, 2u, 7u}) {
    EXPECT_THROW(
        host::reduce_by_key<tiny>(keys.begin(), values.begin(), keys_out.begin(), out.begin(), n,
                                  std::equal_to<int>{}, sum_or_throw, cut{threads, 0}),
        std::runtime_error);
    EXPECT_THROW(
        host::reduce_by_key<tiny>(keys.begin(), values.begin(), keys_out.begin(), out.begin(), n,
                                  equal_or_throw, std::plus<>{}, cut{threads, 0}),
        std::runtime_error);
  }
}

TEST(host_by_key, floats_add_in_the_documented_order) {
  check_order<tiny, float>();
  check_order<small, float>();
  check_order<small, double>();
}

}  // namespace
