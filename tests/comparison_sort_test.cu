// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts by comparators: the order of std::stable_sort, for items of any size.
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/hindsight.h>

#include <thrust/sort.h>

#include "comparison_testing.h"
#include "gpu_testing.h"
#include "order_testing.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

namespace {

using namespace hindsight_test;
using hindsight::detail::merge_sort_tuning;
using hindsight::detail::merge_sort_tuning_of_few;
using hindsight::detail::no_value;
using hindsight::detail::sample_sort_tuning;
const auto& par = hindsight::par;

/// An item of so many bytes, which orders by its key.
template <int Words>
struct item {
  std::uint32_t words[Words];
};
template <int Words>
HINDSIGHT_HD std::uint32_t key_of(const item<Words>& i) {
  return i.words[Words / 2];
}
HINDSIGHT_HD inline std::uint32_t key_of(std::uint32_t key) {
  return key >> 8;
}
template <class T>
T make(std::uint32_t key, std::uint32_t number) {
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    return key << 8 | (number & 255);
  } else {
    T made{};
    for (auto& word : made.words) word = number;
    made.words[sizeof(T) / 8] = key;
    return made;
  }
}

/// Its call operator is not const, and takes what no temporary binds to.
struct by_key {
  std::uint32_t calls = 0;
  template <class T>
  HINDSIGHT_HD int operator()(T& a, T& b) {
    return ++calls, key_of(a) < key_of(b) ? 2 : 0;
  }
};

template <class T>
std::vector<T> items_of(const std::vector<std::uint32_t>& keys) {
  std::vector<T> items(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) items[i] = make<T>(keys[i], std::uint32_t(i));
  return items;
}
template <class T>
std::vector<T> sorted_items(const std::vector<std::uint32_t>& keys) {
  return gathered(items_of<T>(keys), places_in_order(keys));
}

template <class Key, class Value>
std::vector<std::size_t> sizes() {
  using few = merge_sort_tuning_of_few<Key, Value>;
  const std::size_t tile = few::tile_items, most = few::most_items;
  const std::size_t large_tile = merge_sort_tuning<Key, Value>::tile_items;
  return {1,
          2,
          31,
          few::lane_items + 1,
          1000,
          2000,
          tile - 1,
          tile,
          tile + 1,
          70000,
          5 * tile + 3,
          16 * tile + 1,
          most,
          most + 1,
          most + 3 * large_tile + 5};
}

template <class T>
void check_keys(std::size_t n, int shape) {
  const auto keys = keys_of_shape(shape, n);
  const device_array<T> got(items_of<T>(keys), 1);
  thrust::stable_sort(par, got.begin(), got.end(), by_key{});
  ASSERT_EQ(difference(got.to_host(), sorted_items<T>(keys)), "") << n << ", shape " << shape;
}
template <class T>
void check_all_keys() {
  for (const std::size_t n : sizes<T, no_value>()) check_keys<T>(n, int(n % 2));
  for (int shape = 0; shape < num_shapes; ++shape) check_keys<T>(100003, shape);
}
TEST(comparison_sort, keys_of_4_bytes) {
  check_all_keys<std::uint32_t>();
}
TEST(comparison_sort, keys_of_16_bytes) {
  check_all_keys<item<4>>();
}
TEST(comparison_sort, keys_of_36_bytes) {
  check_all_keys<item<9>>();
}

/// From here on a kernel of its own searches for the parts that blocks merge.
TEST(comparison_sort, of_many_tiles) {
  using tuning = merge_sort_tuning<std::uint32_t, no_value>;
  const std::size_t n = std::size_t{tuning::merge_tile_items} * tuning::few_tiles + 12345;
  check_keys<std::uint32_t>(n, 0);
  check_keys<std::uint32_t>(n, 1);
}

template <class Key, class Value>
void check_pairs(std::size_t n, int shape) {
  const auto keys = keys_of_shape(shape, n);
  const device_array<Key> got_keys(items_of<Key>(keys));
  const device_array<Value> got(items_of<Value>(keys));
  thrust::sort_by_key(par, got_keys.begin(), got_keys.end(), got.begin(), by_key{});
  ASSERT_EQ(difference(got_keys.to_host(), sorted_items<Key>(keys)), "") << n << ", " << shape;
  ASSERT_EQ(difference(got.to_host(), sorted_items<Value>(keys)), "") << n << ", " << shape;
}
TEST(comparison_sort, pairs_of_4_bytes) {
  for (const std::size_t n : sizes<std::uint32_t, std::uint32_t>())
    check_pairs<std::uint32_t, std::uint32_t>(n, int(n % 2));
  for (int shape = 0; shape < num_shapes; ++shape)
    check_pairs<std::uint32_t, std::uint32_t>(100003, shape);
}
TEST(comparison_sort, pairs_of_many_tiles) {  // four runs at a time; the last group has three
  using tuning = merge_sort_tuning<std::uint32_t, std::uint32_t>;
  check_pairs<std::uint32_t, std::uint32_t>(std::size_t{tuning::tile_items} * 700 + 17, 1);
}
TEST(comparison_sort, large_values) {
  for (const std::size_t n : sizes<std::uint32_t, std::uint32_t>())
    check_pairs<std::uint32_t, item<9>>(n, 1);
}

/// Around the number of items from which on a sample sort pays; and more, so that passes make more
/// buckets.
template <class Key, class Value>
std::vector<std::size_t> sizes_of_samples() {
  const std::size_t least = sample_sort_tuning<Key, Value>::least_items;
  return {least - 1, least, least + 12345};
}
TEST(comparison_sort, many_keys) {
  for (const std::size_t n : sizes_of_samples<std::uint32_t, no_value>())
    for (int shape = 0; shape < num_shapes; ++shape) check_keys<std::uint32_t>(n, shape);
  for (const std::size_t n : sizes_of_samples<item<4>, no_value>())
    for (int shape = 0; shape < num_shapes; ++shape) check_keys<item<4>>(n, shape);
  check_keys<std::uint32_t>(40000007, 0);
}
TEST(comparison_sort, many_keys_of_24_and_32_bytes) {  // larger ones stay where they are
  for (const std::size_t n : sizes_of_samples<item<6>, no_value>()) {
    check_keys<item<6>>(n, 0);
    check_keys<item<6>>(n, 1);
    check_keys<item<8>>(n, 0);
    check_keys<item<8>>(n, 2);
    check_keys<item<9>>(n, 1);
  }
  check_keys<item<9>>(sample_sort_tuning<std::uint32_t, no_value>::least_items, 0);
}
TEST(comparison_sort, many_pairs) {
  for (const std::size_t n : sizes_of_samples<std::uint32_t, std::uint32_t>())
    for (int shape = 0; shape < num_shapes; ++shape)
      check_pairs<std::uint32_t, std::uint32_t>(n, shape);
  for (const std::size_t n : sizes_of_samples<item<8>, item<2>>())
    check_pairs<item<8>, item<2>>(n, 0);
  check_pairs<std::uint32_t, item<9>>(4000007, 1);
}
/// All sizes that a sample sort may have, also those at which it does not pay.
TEST(comparison_sort, few_keys_by_samples) {
  using key = std::uint32_t;
  using range = hindsight::detail::cuda::item_range<key, no_value>;
  for (const std::size_t n : {1, 2, 3, 1000, 6143, 6144, 6145, 20000, 100003, 1000003}) {
    for (int shape = 0; shape < num_shapes; ++shape) {
      const auto keys = keys_of_shape(shape, n);
      const device_array<key> got(items_of<key>(keys), 1);
      const range items{got.data(), nullptr};
      const auto sort = [&](void* temp, std::size_t& bytes) {
        return hindsight::detail::cuda::sample_sort<sample_sort_tuning<key, no_value>>(
            temp, bytes, items, items, n, by_key{}, nullptr);
      };
      std::size_t bytes = 0;
      check(sort(nullptr, bytes));
      const device_array<char> temp(bytes);
      check(sort(temp.data(), bytes));
      ASSERT_EQ(difference(got.to_host(), sorted_items<key>(keys)), "") << n << ", " << shape;
    }
  }
}
/// Temporary memory for n items is enough for fewer.
TEST(comparison_sort, memory_for_fewer_items) {
  const auto bytes_for = [](auto key, std::size_t n) {
    using Key = decltype(key);
    std::size_t bytes = 0;
    check(hindsight::DeviceMergeSort::StableSortKeys(nullptr, bytes, static_cast<Key*>(nullptr), n,
                                                     by_key{}));
    return bytes;
  };
  const auto check_around = [&](auto key) {
    const std::size_t least = sample_sort_tuning<decltype(key), no_value>::least_items;
    std::size_t fewer = 0;
    for (const std::size_t n : {least / 2, least - 1, least, least + 1, 2 * least, 16 * least}) {
      const std::size_t bytes = bytes_for(key, n);
      EXPECT_GE(bytes, fewer) << sizeof key << " bytes, " << n;
      fewer = bytes;
    }
  };
  check_around(std::uint32_t{});
  check_around(item<4>{});
  check_around(item<6>{});
  check_around(item<8>{});
  check_around(item<9>{});
}

/// What cannot be told from an order by a name.
struct less_in_name_only : thrust::less<int> {
  HINDSIGHT_HD bool operator()(int a, int b) const { return a > b; }
};
TEST(comparison_sort, comparators_that_resemble_less) {
  std::vector<int> items;
  for (const std::uint32_t key : keys_of_shape(0, 20000)) items.push_back(int(key) - 8000000);
  auto ascending = items, descending = items;
  std::sort(ascending.begin(), ascending.end());
  std::sort(descending.begin(), descending.end(), std::greater<>{});
  const device_array<int> got(items);
  thrust::sort(par, got.begin(), got.end(), less_in_name_only{});
  EXPECT_EQ(difference(got.to_host(), descending), "");
  got.assign(items);
  thrust::sort(par, got.begin(), got.end(), thrust::less<short>{});
  auto by_short = items;
  std::stable_sort(by_short.begin(), by_short.end(), thrust::less<short>{});
  EXPECT_EQ(difference(got.to_host(), by_short), "");
  got.assign(items);
  thrust::sort(par, got.begin(), got.end(), std::less<int>{});  // without relaxed constexpr
  EXPECT_EQ(difference(got.to_host(), ascending), "");
  got.assign(items);
  thrust::sort(par, got.begin(), got.end(), std::greater<>{});
  EXPECT_EQ(difference(got.to_host(), descending), "");
}

TEST(comparison_sort, facade_copies_and_tells_its_memory) {
  using facade = hindsight::DeviceMergeSort;
  using tuning = merge_sort_tuning_of_few<std::uint32_t, std::uint32_t>;
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{tuning::tile_items}, std::size_t{90001}}) {
    const auto keys = keys_of_shape(1, n);
    const device_array<std::uint32_t> in(items_of<std::uint32_t>(keys)), out(n);
    const device_array<std::uint32_t> values_in(items_of<std::uint32_t>(keys)), values_out(n);
    const auto sort = [&](void* temp, std::size_t& bytes) {
      return facade::SortPairsCopy(temp, bytes, in.begin(), values_in.begin(), out.begin(),
                                   values_out.begin(), n, by_key{});
    };
    std::size_t bytes = 0;
    ASSERT_EQ(sort(nullptr, bytes), cudaSuccess);
    EXPECT_EQ(bytes == 1, n <= std::size_t{tuning::tile_items});
    EXPECT_LE(bytes, n * 8 + 20000);
    const device_array<char> temp(bytes);
    ASSERT_EQ(sort(temp.data(), bytes), cudaSuccess);
    EXPECT_EQ(difference(in.to_host(), items_of<std::uint32_t>(keys)), "");
    EXPECT_EQ(difference(out.to_host(), sorted_items<std::uint32_t>(keys)), "");
    EXPECT_EQ(difference(values_out.to_host(), sorted_items<std::uint32_t>(keys)), "");
    if (bytes > 1) {
      EXPECT_EQ(sort(temp.data(), --bytes), cudaErrorInvalidValue);
    }
  }
  const auto keys = keys_of_shape(1, 90001);
  const device_array<std::uint32_t> alone(items_of<std::uint32_t>(keys));
  cub::NullType* const no_values = nullptr;  // as in CUB: keys alone
  std::size_t bytes = 0;
  ASSERT_EQ(facade::SortPairs(nullptr, bytes, alone.data(), no_values, 90001, by_key{}),
            cudaSuccess);
  const device_array<char> temp(bytes);
  ASSERT_EQ(facade::SortPairs(temp.data(), bytes, alone.data(), no_values, 90001, by_key{}),
            cudaSuccess);
  EXPECT_EQ(difference(alone.to_host(), sorted_items<std::uint32_t>(keys)), "");
  const device_array<std::uint32_t> none(0);
  EXPECT_EQ(facade::SortPairsCopy(nullptr, bytes, none.begin(), none.begin(), none.begin(),
                                  none.begin(), -1, by_key{}),
            cudaErrorInvalidValue);
}

}  // namespace
