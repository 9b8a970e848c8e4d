// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Merge sort: tiles that are sorted, the search for parts of runs, passes that merge them.
#include <hindsight/detail/cuda/comparison_sort.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace {

template <int Words>
struct key {
  std::uint32_t words[Words];
};
using small = key<1>;
using large = key<9>;

}  // namespace

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// As the library's, with few items a lane.
struct emulated_merge_tuning {
  static constexpr int block_threads = 64, lane_items = 3, sort_blocks = 1;
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr int merge_threads = 64, merge_lane_items = 6, merge_blocks = 1;
  static constexpr int merge_tile_items = merge_threads * merge_lane_items;
  static constexpr int few_tiles = 3;
  static constexpr bool has_room = false;  // for a sample sort
};
template <class Value>
struct merge_sort_tuning<small, Value> : emulated_merge_tuning {};
template <>
struct merge_sort_tuning<std::uint32_t, no_value> : emulated_merge_tuning {};

struct emulated_tuning_of_few : emulated_merge_tuning {
  static constexpr int merge_lane_items = 1, merge_tile_items = merge_threads * merge_lane_items;
  static constexpr int few_tiles = 100;  // a warp of each block searches
  static constexpr std::size_t most_items = 600;
};
template <class Value>
struct merge_sort_tuning_of_few<small, Value> : emulated_tuning_of_few {};
template <>
struct merge_sort_tuning_of_few<std::uint32_t, no_value> : emulated_tuning_of_few {};

/// Sample sort: buckets of 120 items, of which blocks sort up to 96 and up to 192; samples so few
/// that some are larger.
struct emulated_sample_tuning {
  static constexpr int block_threads = 256, lane_items = 4, find_blocks = 1, move_blocks = 1;
  static constexpr int tile_items = block_threads * lane_items;
  struct merges : emulated_merge_tuning {
    static constexpr int merge_lane_items = 3, merge_tile_items = merge_threads * merge_lane_items;
  };
  using samples = merges;
  static constexpr int samples_of_bucket = 1;
  static constexpr std::size_t bucket_items = 120;
  struct small_buckets : merges {
    static constexpr int block_threads = 32, tile_items = block_threads * lane_items;
    static constexpr int skipped_items = 1;
  };
  struct medium_buckets : merges {
    static constexpr int skipped_items = small_buckets::tile_items;
    static constexpr int merge_tile_items = tile_items;
  };
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

struct by_low_bits {
  template <int Words>
  bool operator()(const key<Words>& a, const key<Words>& b) {
    return (a.words[0] & 1023) < (b.words[0] & 1023);
  }
};

/// Sorts in place, by a merge sort.
struct by_merges {
  template <class Key, class Value, class Compare>
  cudaError_t operator()(void* temp, std::size_t& bytes, Key* keys, Value* values, std::size_t n,
                         Compare compare) const {
    return comparison_sort(temp, bytes, keys, keys, values, values, n, compare, nullptr);
  }
};
/// By a sample sort.
struct by_samples {
  template <class Key, class Value, class Compare>
  cudaError_t operator()(void* temp, std::size_t& bytes, Key* keys, Value* values, std::size_t n,
                         Compare compare) const {
    const item_range<Key, Value> items{keys, values};
    return sample_sort<emulated_sample_tuning>(temp, bytes, items, items, n, compare, nullptr);
  }
};

/// Sorts in place; values are where the items were.
template <class Key, class Value, class Sort = by_merges>
class merge_sort_of {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;

 public:
  explicit merge_sort_of(std::size_t n)
      : keys_(n), got_{n}, values_(n), got_values_{n}, call_{[=](void* temp, std::size_t& bytes) {
          Value* const values = has_values ? got_values_.data() : nullptr;
          return Sort{}(temp, bytes, got_.data(), values, n, by_low_bits{});
        }} {
    auto words = random_items<std::uint32_t>(n);
    for (std::size_t i = 0; i < n; ++i)
      if (i % 3 == 0) words[i] = (words[i] & ~1023u) | 5;  // a frequent value
    std::vector<std::size_t> places(n);
    for (std::size_t i = 0; i < n; ++i) {
      places[i] = i;
      for (auto& word : keys_[i].words) word = words[i];
      std::memcpy(static_cast<void*>(&values_[i]), &i, std::min(sizeof(Value), sizeof i));
    }
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return by_low_bits{}(keys_[a], keys_[b]);
    });
    for (const std::size_t p : places) {
      expected_.push_back(keys_[p]);
      expected_values_.push_back(values_[p]);
    }
  }
  experiment make() {
    return {[this] {
              got_.assign(keys_);
              got_values_.assign(values_);
            },
            call_,
            [this] {
              std::string wrong = difference(got_.to_host(), expected_);
              if constexpr (has_values)
                wrong += difference(got_values_.to_host(), expected_values_);
              return wrong;
            }};
  }

 private:
  std::vector<Key> keys_, expected_;
  device_array<Key> got_;
  std::vector<Value> values_, expected_values_;
  device_array<Value> got_values_;
  two_phases call_;
};

TEST(merge_sort, of_keys) {
  for (const std::size_t n : {190, 192, 500, 600, 700, 1300, 2000, 4000})
    EXPECT_EQ(try_on_machines(10, merge_sort_of<small, no_value>{n}.make()), "") << n;
}
// As many keys as lie in front of an array that has room for more.
TEST(merge_sort, of_deferred_sizes) {
  using sizes = std::pair<std::size_t, std::size_t>;
  for (const auto& [n, most] :
       {sizes{0, 700}, sizes{10, 150}, sizes{190, 1600}, sizes{700, 1600}, sizes{1600, 1600}}) {
    auto keys = std::vector<small>(most);
    const auto words = random_items<std::uint32_t>(most);
    for (std::size_t i = 0; i < most; ++i)
      for (auto& word : keys[i].words) word = words[i];
    auto expected = keys;
    std::stable_sort(expected.begin(), expected.begin() + std::ptrdiff_t(n), by_low_bits{});
    device_array<small> got(most);
    const device_array<int> size(std::vector<int>{int(n)});
    no_value* const none = nullptr;
    const two_phases call{[&, room = most](void* temp, std::size_t& bytes) {
      return comparison_sort(temp, bytes, got.data(), got.data(), none, none,
                             hindsight::deferred<const int*>{size.data(), room}, by_low_bits{},
                             nullptr);
    }};
    const experiment sort{[&] { got.assign(keys); }, call,
                          [&] { return difference(got.to_host(), expected); }};
    EXPECT_EQ(try_on_machines(6, sort), "") << n << " of " << most;
  }
}

TEST(merge_sort, of_pairs) {
  for (const std::size_t n : {100, 1000, 3000})
    EXPECT_EQ(try_on_machines(10, merge_sort_of<small, std::uint32_t>{n}.make()), "") << n;
}
TEST(merge_sort, of_large_keys_by_their_indices) {
  EXPECT_EQ(try_on_machines(10, merge_sort_of<large, no_value>{500}.make()), "");
}
/// A large key that is made of a number.
struct made_key {
  std::uint32_t number, others[8];
  made_key(std::uint32_t of) : number{of % 100}, others{} {}
  bool operator==(const made_key& other) const { return number == other.number; }
};
struct by_reference {
  bool operator()(made_key& a, made_key& b) const { return a.number < b.number; }
};
TEST(merge_sort, compares_large_keys_that_are_made_of_others) {
  const std::size_t n = 500;
  const auto numbers = random_items<std::uint32_t>(n);
  const std::vector<made_key> keys(numbers.begin(), numbers.end());
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(),
                   [](made_key a, made_key b) { return by_reference{}(a, b); });
  const device_array<std::uint32_t> numbers_in(numbers);
  const device_array<made_key> keys_in(keys);
  device_array<made_key> got(n), got_of_keys(n);
  const auto sort_to = [&](const auto& in, const auto& out) {
    return two_phases{[&](void* temp, std::size_t& bytes) {
      no_value* const none = nullptr;
      const auto* const from = in.data();
      return comparison_sort(temp, bytes, from, out.data(), none, none, n, by_reference{}, nullptr);
    }};
  };
  auto of_numbers = sort_to(numbers_in, got), of_keys = sort_to(keys_in, got_of_keys);
  const experiment sort{
      [&] { got.poison(), got_of_keys.poison(); }, [&] { of_numbers(), of_keys(); },
      [&]() -> std::string {
        const bool are_equal = got.to_host() == expected && got_of_keys.to_host() == expected;
        return are_equal ? "" : "another order";
      }};
  EXPECT_EQ(try_on_machines(3, sort), "");
}
struct no_order {
  bool operator()(const small& a, const small& b) {
    return (a.words[0] * 2654435761u ^ b.words[0] * 40503u) & 64;
  }
};
/// Sorts n different items by a comparator that is no order. What else happened to them.
template <class Sort>
std::string sort_by_no_order(std::size_t n) {
  std::vector<small> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i].words[0] = unsigned(i) + 1;
  device_array<small> got{n};
  two_phases call{[&](void* temp, std::size_t& bytes) {
    no_value* const none = nullptr;
    return Sort{}(temp, bytes, got.data(), none, n, no_order{});
  }};
  const auto check = [&]() -> std::string {
    for (const small& item : got.to_host())
      if (item.words[0] == 0 || item.words[0] > n) return "an item that was not there";
    return "";
  };
  return try_on_machines(10, {[&] { got.assign(keys); }, call, check});
}
TEST(merge_sort, by_no_order_reads_items_only) {
  for (const std::size_t n : {1300, 4000}) EXPECT_EQ(sort_by_no_order<by_merges>(n), "") << n;
}
TEST(merge_sort, needs_every_ordering) {
  expect_all_needed(10, merge_sort_of<small, std::uint32_t>{700}.make());  // each block searches
  expect_all_needed(10, merge_sort_of<small, no_value>{1600}.make());      // a kernel does
}

TEST(sample_sort, of_keys) {
  for (const std::size_t n : {1, 2, 3, 100, 700, 1024, 1025, 3000, 9000})
    EXPECT_EQ(try_on_machines(4, merge_sort_of<small, no_value, by_samples>{n}.make()), "") << n;
}
TEST(sample_sort, of_pairs) {
  for (const std::size_t n : {500, 5000})
    EXPECT_EQ(try_on_machines(4, merge_sort_of<small, std::uint32_t, by_samples>{n}.make()), "")
        << n;
}
TEST(sample_sort, by_no_order_reads_items_only) {
  for (const std::size_t n : {1300, 4000}) EXPECT_EQ(sort_by_no_order<by_samples>(n), "") << n;
}

/// Large buckets among items that stay where they are.
class sort_of_large_buckets {
 public:
  using tuning = emulated_sample_tuning::medium_buckets;
  sort_of_large_buckets(std::size_t n, const std::vector<std::pair<unsigned, unsigned>>& buckets)
      : keys_(n), got_{n}, buffer_{n}, all_{1} {
    const auto words = random_items<std::uint32_t>(n);
    for (std::size_t i = 0; i < n; ++i)
      for (auto& word : keys_[i].words) word = words[i];
    expected_ = keys_;
    for (const auto& [begin, end] : buckets) {
      std::stable_sort(&expected_[begin], &expected_[begin] + (end - begin), by_low_bits{});
      const unsigned num_tiles = (end - begin + tuning::tile_items - 1) / tuning::tile_items;
      for (unsigned t = 0; t < num_tiles; ++t) listed_.push_back({begin, end, t});
      for (int passes = 0; unsigned(1 << passes) < num_tiles; ++passes)
        totals_.num_passes = std::max(totals_.num_passes, passes + 1);
    }
    totals_.num_parts = static_cast<unsigned>(listed_.size());
    std::reverse(listed_.begin(), listed_.end());
  }
  experiment make() {
    return {[this] {
              got_.assign(keys_);
              buffer_.poison();
              all_.assign({totals_});
            },
            [this, parts = std::make_shared<device_array<bucket_part>>(listed_)] {
              using range = item_range<small, no_value>;
              EXPECT_EQ(sort_large_buckets<tuning>(range{got_.data(), nullptr},
                                                   range{buffer_.data(), nullptr},
                                                   large_buckets{parts->data(), all_.data()},
                                                   keys_.size(), by_low_bits{}, nullptr),
                        cudaSuccess);
            },
            [this] { return difference(got_.to_host(), expected_); }};
  }

 private:
  std::vector<small> keys_, expected_;
  std::vector<bucket_part> listed_;
  large_buckets::totals totals_{};
  device_array<small> got_, buffer_;
  device_array<large_buckets::totals> all_;
};
TEST(large_buckets, of_any_number_of_tiles) {
  const std::vector<std::pair<unsigned, unsigned>> buckets{
      {10, 210}, {300, 3300}, {3300, 3876}, {4000, 4193}, {4193, 4577}};  // 2, 16, 3, 2, 2 tiles
  EXPECT_EQ(try_on_machines(20, sort_of_large_buckets{5000, buckets}.make()), "");
}
TEST(large_buckets, need_every_ordering) {
  expect_all_needed(10, sort_of_large_buckets{2000, {{0, 1400}, {1500, 1900}}}.make());
}

}  // namespace
