// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of wide keys on the GPU by their highest digits and then by segments: keys that split
// evenly, that do not, and that seem to and do not; keys of a segment that differ in many bits, in
// few, and that tie. In place and not.
#include <hindsight/detail/cuda/segment_split.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/sort.h>

#include <thrust/sort.h>

#include "sort_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

struct bits_of_keys {
  const char* name;
  std::uint64_t mask;   ///< the bits that vary
  bool highest_repeat;  ///< both highest digits are the same
};
const bits_of_keys all_kinds[] = {
    {"all bits", ~0ull, false},
    {"segments tie in the bits that come first", 0xffff00000000ffffull, false},
    {"a few keys tie", 0xfffff8000000000full, false},
    {"two keys in a segment", 0xffff000000000001ull, false},
    {"no digit is the highest one's equal", 0x0fffffffffffffffull, false},
    {"highest digits that depend on each other", ~0ull, true},
};

template <class Key>
std::vector<Key> keys_of(const bits_of_keys& kind, std::size_t n) {
  std::vector<Key> keys(n);
  const auto bits = random_keys<std::uint64_t>(n, values::of_all_bits);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t key = bits[i] & kind.mask;
    if (kind.highest_repeat) key = (key & ~0ull >> 16) | (bits[i] >> 56) * 0x101 << 48;
    std::memcpy(&keys[i], &key, sizeof key);
  }
  return keys;
}

std::vector<std::size_t> sizes_of_segments() {
  using tuning = hindsight::detail::segment_tuning<std::uint64_t, hindsight::detail::no_value>;
  const auto passes = [](std::size_t n) {
    return hindsight::detail::cuda::segment_split{n, tuning::tile_items, tuning::digit_bits}
        .num_passes;
  };
  std::size_t most = 1 << 18;  // with one pass before the segments
  for (std::size_t step = 1 << 20; step > 0; step /= 2)
    if (passes(most + step) == 1) most += step;
  return {30000, 300001, most, most + 1};
}

template <class Key>
struct SegmentsOf : testing::Test {};
using wide_keys = testing::Types<std::uint64_t, double>;
TYPED_TEST_SUITE(SegmentsOf, wide_keys);

TYPED_TEST(SegmentsOf, KeysOfEveryKind) {
  using Key = TypeParam;
  for (const std::size_t n : sizes_of_segments()) {
    for (const bits_of_keys& kind : all_kinds) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", " << kind.name);
      const auto keys = keys_of<Key>(kind, n);
      const auto ascending = sorted_on_cpu(keys, order::ascending);
      const device_array<Key> in(keys), sorted(n);
      std::size_t bytes = 0;
      check(hindsight::DeviceRadixSort::SortKeys(nullptr, bytes, in.data(), sorted.data(), n));
      const device_array<char> temp(bytes);
      check(hindsight::DeviceRadixSort::SortKeys(temp.data(), bytes, in.data(), sorted.data(), n));
      EXPECT_EQ(difference(sorted.to_host(), ascending), "");
      EXPECT_EQ(difference(in.to_host(), keys), "") << "the input stays";

      thrust::sort(hindsight::cuda::par, in.data(), in.data() + n);
      EXPECT_EQ(difference(in.to_host(), ascending), "") << "in place";

      in.assign(keys);
      thrust::sort(hindsight::cuda::par, in.data(), in.data() + n, thrust::greater<Key>{});
      EXPECT_EQ(difference(in.to_host(), sorted_on_cpu(keys, order::descending)), "")
          << "descending";
    }
  }
}

/// Bits from 56 on do not count, and keep keys that are equal below in their order.
TEST(Segments, OfKeysWhoseHighestBitsDoNotCount) {
  using hindsight::DeviceRadixSort;
  const std::size_t n = 3000001;
  for (const bits_of_keys& kind : all_kinds) {
    SCOPED_TRACE(kind.name);
    const auto keys = keys_of<std::uint64_t>(kind, n);
    auto expected = keys;
    std::stable_sort(expected.begin(), expected.end(),
                     [](std::uint64_t a, std::uint64_t b) { return a << 8 < b << 8; });
    const device_array<std::uint64_t> in(keys), sorted(n);
    std::size_t bytes = 0;
    const auto sort = [&](void* temp) {
      return DeviceRadixSort::SortKeys(temp, bytes, in.data(), sorted.data(), n, 0, 56);
    };
    check(sort(nullptr));
    const device_array<char> temp(bytes);
    check(sort(temp.data()));
    EXPECT_EQ(difference(sorted.to_host(), expected), "");
  }
}

template <class Value>
struct PairsInSegmentsOf : testing::Test {};
using value_types = testing::Types<std::uint16_t, std::uint64_t>;
TYPED_TEST_SUITE(PairsInSegmentsOf, value_types);

TYPED_TEST(PairsInSegmentsOf, KeysOfEveryKind) {
  using Key = std::int64_t;
  using Value = TypeParam;
  for (const std::size_t n : sizes_of_segments()) {
    for (const bits_of_keys& kind : all_kinds) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", " << kind.name);
      const auto keys = keys_of<Key>(kind, n);
      std::vector<Value> items(n);
      for (std::size_t i = 0; i < n; ++i) items[i] = Value(i);
      const auto places = sorted_places(keys, order::ascending);
      const device_array<Key> in(keys), sorted(n);
      const device_array<Value> values_in(items), moved(n);
      std::size_t bytes = 0;
      const auto sort = [&](void* temp) {
        return hindsight::DeviceRadixSort::SortPairs(temp, bytes, in.data(), sorted.data(),
                                                     values_in.data(), moved.data(), n);
      };
      check(sort(nullptr));
      const device_array<char> temp(bytes);
      check(sort(temp.data()));
      EXPECT_EQ(difference(sorted.to_host(), gathered(keys, places)), "");
      EXPECT_EQ(difference(moved.to_host(), gathered(items, places)), "");

      thrust::sort_by_key(hindsight::cuda::par, in.data(), in.data() + n, values_in.data());
      EXPECT_EQ(difference(in.to_host(), gathered(keys, places)), "") << "in place";
      EXPECT_EQ(difference(values_in.to_host(), gathered(items, places)), "") << "in place";
    }
  }
}

/// Segments that do not fit a block: three have twice their share of keys, and in one many keys
/// agree in all bits that the passes sort.
TEST(Segments, ThatDoNotFit) {
  const std::size_t n = (1 << 24) + 5;
  auto keys = random_keys<std::int64_t>(n, values::of_all_bits);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = static_cast<std::uint64_t>(keys[i]);
    const std::uint64_t segment = bits >> 52;
    if (segment == 0x123 || segment == 0x801 || segment == 0xfff) bits ^= 1ull << 52;
    if (i % 2048 == 5) bits = (bits & ~0ull >> 16) | 0x5678ull << 48;
    if (i % 4096 == 5) bits &= ~0ull << 48;  // of which half are equal
    keys[i] = static_cast<std::int64_t>(bits);
  }
  std::vector<std::uint64_t> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = i;
  const auto places = sorted_places(keys, order::ascending);
  const auto sorted = gathered(keys, places);
  const device_array<std::int64_t> both(keys), alone(keys);
  const device_array<std::uint64_t> moved(items);
  thrust::sort_by_key(hindsight::cuda::par, both.data(), both.data() + n, moved.data());
  EXPECT_EQ(difference(both.to_host(), sorted), "");
  EXPECT_EQ(difference(moved.to_host(), gathered(items, places)), "");
  thrust::sort(hindsight::cuda::par, alone.data(), alone.data() + n);
  EXPECT_EQ(difference(alone.to_host(), sorted), "");
}

}  // namespace hindsight_test
