// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Sorts of segments on host threads: against std::stable_sort of each segment, for segments of
// every kind, threads and chunks of every size.
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/sort.h>
#include <hindsight/sort_segments.h>

#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "nan_keys_testing.h"
#include "segmented_sort_testing.h"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace hindsight_test {

namespace host = hindsight::detail::host;
using hindsight::detail::ascending;
using hindsight::detail::radix_order;

const auto& par = hindsight::host::par;

TEST(HostSegmentedSort, EqualsStableSort) {
  for (const segment_lengths& lengths : all_segment_lengths()) {
    SCOPED_TRACE(lengths.name);
    const sorted_case<std::uint32_t> expected(lengths, 3, by_low_bits{}, to_word{});
    auto keys = expected.keys;
    auto values = expected.places;
    const auto by = hindsight::by_offsets(lengths.offsets);
    hindsight::sort_segments_by_key(par, keys, values.begin(), by, by_low_bits{});
    EXPECT_EQ(difference(keys, expected.sorted), "");
    EXPECT_EQ(difference(values, expected.order), "");
    keys = expected.keys;
    hindsight::sort_segments(par, keys.begin(), keys.end(), by, by_low_bits{});
    EXPECT_EQ(difference(keys, expected.sorted), "");
  }
}

TEST(HostSegmentedSort, AnyThreadsAndChunks) {
  const segment_lengths lengths("mixed", 20'000, 5, {0, 0, 1, 3, 40, 5000});
  const sorted_case<std::uint32_t> expected(lengths, 2, by_low_bits{}, to_word{});
  for (const unsigned threads : {1u, 2u, 5u}) {
    for (const std::size_t chunk : {std::size_t{0}, std::size_t{7}, std::size_t{1000}}) {
      auto keys = expected.keys;
      host::sort_segments(keys.begin(), lengths.offsets.begin(), lengths.offsets.size() - 1,
                          by_low_bits{}, host::cut{threads, chunk});
      EXPECT_EQ(difference(keys, expected.sorted), "") << threads << " " << chunk;
    }
  }
}

/// As one thread would cut them: 2^36 segments without an item.
TEST(HostSegmentedSort, ChunksOfHugeCallsHaveCountsOfTypeInt) {
  const std::size_t num_segments = std::size_t{1} << 36;
  const hindsight::detail::merged_segments merged{thrust::constant_iterator<int>{0}, num_segments};
  const host::tiling chunks = host::segment_chunks(merged.total(), sizeof(int), {1, 0});
  std::size_t num_ends = 0;
  for (std::size_t chunk = 0; chunk < chunks.num_tiles; ++chunk) {
    const std::size_t begin = chunks.begin(chunk);
    const auto part = host::part_of(merged, begin, begin + chunks.size(chunk));
    ASSERT_GE(part.num_ends, 0);
    num_ends += std::size_t(part.num_ends);
  }
  EXPECT_EQ(num_ends, num_segments);
}

TEST(HostSegmentedSort, NumbersAsRadixSorts) {
  const segment_lengths lengths("mixed", 50'000, 0, {1, 2, 40, 20'000});
  const sorted_case<float> expected(lengths, 0, radix_order<ascending>{}, to_float{});
  auto keys = expected.keys;
  auto values = expected.places;
  const std::vector<bool> flags = lengths.heads();
  hindsight::sort_segments_by_key(keys, values.begin(), hindsight::by_heads(flags.begin()));
  EXPECT_EQ(difference(keys, expected.sorted), "");
  EXPECT_EQ(difference(values, expected.order), "");
}

/// Segments of keys that numbers sort by digits: in arrays, and through iterators.
template <class Key, class Value, class Compare>
void check_digits(const std::vector<Key>& keys, Compare compare) {
  const segment_lengths lengths("mixed", keys.size(), 0, {0, 1, 2, 5, 31, 33, 700, 9000});
  auto offsets = lengths.offsets;
  for (auto& offset : offsets) offset = std::min(offset, std::uint32_t(keys.size()));
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(order.begin() + offsets[s], order.begin() + offsets[s + 1],
                     [&](std::size_t a, std::size_t b) { return compare(keys[a], keys[b]); });
  std::vector<Key> sorted;
  std::vector<Value> moved;
  for (const std::size_t i : order) sorted.push_back(keys[i]), moved.push_back(Value(i));

  std::vector<Value> places(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) places[i] = Value(i);
  for (const unsigned threads : {1u, 2u, 5u}) {
    const host::cut cut{threads, 0};
    const std::size_t num_segments = offsets.size() - 1;
    auto own = keys;
    host::sort_segments(own.begin(), offsets.begin(), num_segments, compare, cut);
    EXPECT_EQ(difference(own, sorted), "") << "keys";
    auto values = places;
    own = keys;
    host::sort_segments_by_key(own.begin(), values.begin(), offsets.begin(), num_segments, compare,
                               cut);
    EXPECT_EQ(difference(own, sorted), "") << "keys with values";
    EXPECT_EQ(difference(values, moved), "");
    std::deque<Key> key_deque(keys.begin(), keys.end());
    std::deque<Value> value_deque(places.begin(), places.end());
    host::sort_segments_by_key(key_deque.begin(), value_deque.begin(), offsets.begin(),
                               num_segments, compare, cut);
    EXPECT_EQ(difference({key_deque.begin(), key_deque.end()}, sorted), "") << "in deques";
    EXPECT_EQ(difference({value_deque.begin(), value_deque.end()}, moved), "");
    values = places;
    key_deque.assign(keys.begin(), keys.end());
    host::sort_segments(key_deque.begin(), offsets.begin(), num_segments, compare, cut);
    EXPECT_EQ(difference({key_deque.begin(), key_deque.end()}, sorted), "") << "keys in a deque";
  }
}

TEST(HostSegmentedSort, ByDigits) {
  const std::size_t n = 60'000;
  std::mt19937_64 random{7};
  std::vector<float> floats(n);
  const float some[] = {0.0f, -0.0f, 1.5f, -1.5f, 3e38f, -1e-40f, HUGE_VALF, -HUGE_VALF};
  for (float& f : floats)
    f = random() % 3 == 0 ? some[random() % 8] : float(std::int64_t(random()));
  check_digits<float, std::uint64_t>(floats, std::less<>{});
  check_digits<float, std::uint16_t>(floats, std::greater<float>{});
  std::vector<std::int64_t> skewed(n);
  for (std::int64_t& key : skewed) key = std::int64_t(random() & random() & random());
  check_digits<std::int64_t, double>(skewed, thrust::less<std::int64_t>{});
  std::vector<std::int8_t> narrow(n);
  for (std::int8_t& key : narrow) key = std::int8_t(random());
  check_digits<std::int8_t, std::int8_t>(narrow, thrust::greater<std::int8_t>{});
  std::vector<unsigned __int128> wide(n);
  for (auto& key : wide) key = static_cast<unsigned __int128>(random()) << (random() % 100);
  check_digits<unsigned __int128, int>(wide, std::greater<>{});
}

// Within a segment the bits are those of stable_sort, whatever its length.
TEST(HostSegmentedSort, NaNsInTuplesGoByTheirBits) {
  const segment_lengths lengths("mixed", 60'000, 0, {1, 2, 40, 20'000});
  const auto check = [&](auto compare, auto some_key) {
    using key = decltype(some_key);
    const auto keys = keys_with_nans<key>(lengths.offsets.back());
    std::vector<std::uint32_t> places(keys.size());
    std::iota(places.begin(), places.end(), 0u);
    auto expected = keys;
    auto expected_places = places;
    for (std::size_t s = 0; s + 1 < lengths.offsets.size(); ++s) {
      const auto begin = std::ptrdiff_t(lengths.offsets[s]),
                 end = std::ptrdiff_t(lengths.offsets[s + 1]);
      hindsight::stable_sort_by_key(par, expected.begin() + begin, expected.begin() + end,
                                    expected_places.begin() + begin, compare);
    }
    auto sorted = keys;
    hindsight::sort_segments(par, sorted, hindsight::by_offsets(lengths.offsets), compare);
    EXPECT_EQ(bits_of_keys(sorted), bits_of_keys(expected));
    sorted = keys;
    hindsight::sort_segments_by_key(par, sorted, places.begin(),
                                    hindsight::by_offsets(lengths.offsets), compare);
    EXPECT_EQ(bits_of_keys(sorted), bits_of_keys(expected));
    EXPECT_EQ(places, expected_places);
  };
  check(thrust::less<>{}, thrust::tuple<int, float>{});
  check(std::greater<>{}, thrust::pair<int, float>{});
  check(std::less<std::pair<int, float>>{}, std::pair<int, float>{});
}

TEST(HostSegmentedSort, LargeKeysAndStrings) {
  const segment_lengths lengths("mixed", 3'000, 0, {1, 2, 40, 700});
  const sorted_case<wide_key> expected(lengths, 0, by_first_word{}, to_wide_key{});
  auto keys = expected.keys;
  hindsight::sort_segments(keys, hindsight::by_offsets(lengths.offsets), by_first_word{});
  EXPECT_EQ(difference(keys, expected.sorted), "");
  std::vector<std::string> words{"d", "a", "c", "b"};
  const std::vector<long> offsets{0, 3, 3, 4};
  hindsight::sort_segments(words.begin(), words.end(), hindsight::by_offsets(offsets));
  EXPECT_EQ(words, (std::vector<std::string>{"a", "c", "d", "b"}));
}

TEST(HostSegmentedSort, ThrowingComparatorLosesNothing) {
  std::vector<int> keys(40'000);
  std::iota(keys.begin(), keys.end(), 0);
  const std::vector<int> offsets{0, 10, 20'000, 40'000};
  int calls = 0;
  const auto throws_late = [&](int a, int b) {
    if (++calls == 50'000) throw std::runtime_error("enough");
    return a > b;
  };
  EXPECT_THROW(host::sort_segments(keys.begin(), offsets.begin(), 3, throws_late, host::cut{1, 0}),
               std::runtime_error);
  std::sort(keys.begin(), keys.end());
  for (int i = 0; i < 40'000; ++i) ASSERT_EQ(keys[std::size_t(i)], i);
}

struct copies_throw {
  static int copies_left;
  copies_throw() = default;
  copies_throw(const copies_throw&) {
    if (copies_left-- <= 0) throw std::runtime_error("enough");
  }
  bool operator()(int a, int b) const { return a < b; }
};
int copies_throw::copies_left = 0;

class counting_memory final : public host::memory_source {
 public:
  void* allocate(std::size_t bytes) override { return ++num_pieces, ::operator new(bytes); }
  void deallocate(void* memory, std::size_t) noexcept override {
    --num_pieces;
    ::operator delete(memory);
  }
  int num_pieces = 0;
};

TEST(HostSegmentedSort, ThrowingCopiesOfComparatorsLoseNoMemory) {
  std::vector<int> keys(5000, 1), offsets;
  for (int i = 0; i <= 5000; i += 10) offsets.push_back(i);
  counting_memory memory;
  const auto sorts = [&](int copies) {
    copies_throw::copies_left = 1000;
    const copies_throw compare{};
    copies_throw::copies_left = copies;
    try {
      host::sort_segments(keys.begin(), offsets.begin(), offsets.size() - 1, compare,
                          {host::cut{2, 0}, memory});
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  for (int copies = 0; copies < 60 && !sorts(copies); ++copies) ASSERT_EQ(memory.num_pieces, 0);
  EXPECT_EQ(memory.num_pieces, 0);
}

/// Where item i lies. Copies throw.
struct place_of_item {
  static int copies_left;
  static int num_alive;
  place_of_item() { ++num_alive; }
  place_of_item(const place_of_item&) {
    if (copies_left-- <= 0) throw std::runtime_error("enough");
    ++num_alive;
  }
  place_of_item& operator=(const place_of_item&) = default;
  ~place_of_item() { --num_alive; }
  std::ptrdiff_t operator()(std::ptrdiff_t i) const { return i; }
};
int place_of_item::copies_left = 0;
int place_of_item::num_alive = 0;

TEST(HostSegmentedSort, ThrowingCopiesOfIteratorsLoseNone) {
  std::vector<int> keys(40'000, 1);
  const std::vector<int> offsets{0, 20'000, 40'000};
  for (int copies = 0; copies < 100; ++copies) {
    place_of_item::copies_left = 1000;
    const auto items = thrust::make_permutation_iterator(
        keys.data(), thrust::make_transform_iterator(thrust::counting_iterator<std::ptrdiff_t>(0),
                                                     place_of_item{}));
    const int num_alive = place_of_item::num_alive;
    place_of_item::copies_left = copies;
    EXPECT_THROW(
        host::sort_segments(items, offsets.begin(), 2, thrust::less<int>{}, host::cut{3, 7}),
        std::runtime_error);
    EXPECT_EQ(place_of_item::num_alive, num_alive) << copies << " copies";
  }
}

TEST(HostSegmentedSort, RefusesOffsetsOutsideOfTheItems) {
  std::vector<int> items{3, 1, 2};
  const std::vector<int> offsets{0, 4};
  EXPECT_THROW(hindsight::sort_segments(items, hindsight::by_offsets(offsets)),
               hindsight::invalid_call);
  EXPECT_EQ(items, (std::vector<int>{3, 1, 2}));
}

}  // namespace hindsight_test
