// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Sorts of segments on host threads: against std::stable_sort of each segment, for segments of
// every kind, threads and chunks of every size.
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/sort.h>
#include <hindsight/sort_segments.h>

#include <thrust/iterator/constant_iterator.h>

#include "nan_keys_testing.h"
#include "segmented_sort_testing.h"
#include <cstddef>
#include <gtest/gtest.h>
#include <new>
#include <numeric>
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
  const host::tiling chunks = host::segment_chunks<int>(merged.total(), {1, 0});
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

TEST(HostSegmentedSort, RefusesOffsetsOutsideOfTheItems) {
  std::vector<int> items{3, 1, 2};
  const std::vector<int> offsets{0, 4};
  EXPECT_THROW(hindsight::sort_segments(items, hindsight::by_offsets(offsets)),
               hindsight::invalid_call);
  EXPECT_EQ(items, (std::vector<int>{3, 1, 2}));
}

}  // namespace hindsight_test
