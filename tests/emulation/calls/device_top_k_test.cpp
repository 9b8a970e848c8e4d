// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DeviceTopK by keys that are too large for a selection, in two phases, in one call, and captured.
#include <hindsight/device_topk.cuh>

#include <cuda/std/tuple>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "calls_testing.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace {

using namespace emulation;
using u32 = std::uint32_t;
using top = hindsight::DeviceTopK;

/// Twelve bytes that count, and four that tell equal keys apart.
struct entry {
  float price;
  u32 place;
  std::int64_t count;
  bool operator==(const entry& other) const {
    return price == other.price && place == other.place && count == other.count;
  }
};
struct members_of_entry {
  ::cuda::std::tuple<float&, std::int64_t&> operator()(entry& key) const {
    return {key.price, key.count};
  }
};

/// n keys, many of them equal, and their two orders.
struct entries {
  std::vector<entry> keys, highest, lowest;
  explicit entries(std::size_t n) {
    for (const u32 random : numbers<u32>(n)) {
      const auto place = static_cast<u32>(keys.size());
      keys.push_back({float(random % 5) - 2.0f, place, std::int64_t(random % 7) - 3});
    }
    const auto sort_by = [&](auto before) {
      const auto members = [](const entry& key) { return std::tuple{key.price, key.count}; };
      std::vector<entry> sorted = keys;
      std::stable_sort(sorted.begin(), sorted.end(),
                       [&](auto& a, auto& b) { return before(members(a), members(b)); });
      return sorted;
    };
    highest = sort_by(std::greater<>{}), lowest = sort_by(std::less<>{});
  }
};
std::vector<u32> places_of(const std::vector<entry>& keys) {
  std::vector<u32> places;
  for (const entry& key : keys) places.push_back(key.place);
  return places;
}

TEST(DeviceTopK, ByTwelveBytes) {
  for (const std::size_t n : {0, 1, 1999}) {
    entries all{n};
    for (const std::size_t k :  // each no larger than the one before
         {n + 5, n, (n + 1) / 2, std::min<std::size_t>(n, 1), std::size_t{0}}) {
      SCOPED_TRACE(testing::Message() << k << " of " << n);
      reset_device(n + k);
      all.highest.resize(std::min(n, k)), all.lowest.resize(std::min(n, k));
      const device_array<entry> in{all.keys};
      const device_array<u32> values{places_of(all.keys)};
      device_array<entry> best{all.highest.size()}, alone{all.lowest.size()};
      device_array<u32> best_values{all.highest.size()};
      const members_of_entry by;
      std::size_t bytes = 0;
      const auto pairs = [&](void* temp) {
        return top::MaxPairs(temp, bytes, in.data(), best.data(), values.data(), best_values.data(),
                             n, k, by);
      };
      EXPECT_EQ(pairs(nullptr), cudaSuccess);
      const device_array<unsigned char> temp{bytes};
      EXPECT_EQ(pairs(temp.data()), cudaSuccess);
      const own_stream stream;
      const auto exec = graph_of(stream, [&](auto s) {
        EXPECT_EQ(top::MinKeys(in.data(), alone.data(), n, k, by, s), cudaSuccess);
      });
      ASSERT_NE(exec, nullptr);
      EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
      EXPECT_EQ(failed_launch(), "");
      EXPECT_EQ(best.to_host(), all.highest);
      EXPECT_EQ(best_values.to_host(), places_of(all.highest));
      EXPECT_EQ(alone.to_host(), all.lowest);
    }
  }
}

/// Twenty bytes, which take three sorts.
struct long_entry {
  std::int64_t year;
  double price;
  u32 count, place;
};
struct members_of_long_entry {
  ::cuda::std::tuple<std::int64_t&, double&, u32&> operator()(long_entry& key) const {
    return {key.year, key.price, key.count};
  }
};
TEST(DeviceTopK, ByTwentyBytes) {
  constexpr std::size_t n = 1500, k = 700;
  reset_device(0);
  std::vector<long_entry> keys;
  for (const u32 random : numbers<u32>(n)) {
    const auto place = static_cast<u32>(keys.size());
    keys.push_back(
        {std::int64_t(random % 3) - 1, double(random / 3 % 3) - 1.5, random / 9 % 50, place});
  }
  const device_array<long_entry> in{keys};
  device_array<long_entry> lowest{k}, highest{k};
  EXPECT_EQ(top::MinKeys(in.data(), lowest.data(), n, k, members_of_long_entry{}), cudaSuccess);
  EXPECT_EQ(top::MaxKeys(in.data(), highest.data(), n, k, members_of_long_entry{}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(failed_launch(), "");
  const auto expect_first = [&](const std::vector<long_entry>& found, auto before) {
    const auto members = [](const long_entry& e) { return std::tuple{e.year, e.price, e.count}; };
    std::stable_sort(keys.begin(), keys.end(), [&](auto& a, auto& b) {
      const auto first = members(a), second = members(b);
      return first != second ? before(first, second) : a.place < b.place;
    });
    for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(found[i].place, keys[i].place) << i;
  };
  expect_first(lowest.to_host(), std::less<>{});
  expect_first(highest.to_host(), std::greater<>{});
}

/// Numbers of 128 bits that no array has: 0, 3, 6, 2, 5, 1, 4, 0, ... in their highest digits.
TEST(DeviceTopK, OfComputedNumbersOf128Bits) {
  __extension__ using number = __int128;
  reset_device(0);
  const thrust::counting_iterator<u32> places{0};
  const auto keys =
      thrust::make_transform_iterator(places, [](u32 i) { return number(i * 3 % 7) << 100; });
  device_array<number> lowest{200};
  device_array<u32> values{200};
  EXPECT_EQ(top::MinPairs(keys, lowest.data(), places, values.data(), 1000, 200), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(failed_launch(), "");
  const auto found = lowest.to_host();
  const auto from = values.to_host();
  for (u32 i = 0; i < 200; ++i) {  // of 1,000 numbers 143 are 0; then come those at 5, 12, ...
    EXPECT_EQ(from[i], i < 143 ? 7 * i : 7 * (i - 143) + 5);
    EXPECT_TRUE(found[i] == number(i < 143 ? 0 : 1) << 100);
  }
}

}  // namespace
