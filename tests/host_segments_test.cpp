// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Reductions and scans of segments on host threads: against a loop over each segment, for segments
// of every kind, threads and tiles of every size.
#include <hindsight/outputs.h>
#include <hindsight/segments.h>
#include <hindsight/sort_segments.h>

#include <thrust/iterator/counting_iterator.h>

#include "segments_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace hindsight_test {

namespace host = hindsight::detail::host;

const auto& par = hindsight::host::par;

struct few_chunks {  // of many tiles of 128 items and ends
  static constexpr hindsight::detail::tile_shape shape{2, 2};
  static constexpr std::size_t most_chunks = 8;
};

struct many_chunks {  // so that a thread of the CUDA kernel would join several
  static constexpr hindsight::detail::tile_shape shape{1, 1};
  static constexpr std::size_t most_chunks = 4096;
};

TEST(HostSegments, EqualPlainLoops) {
  for (const segment_lengths& lengths : all_segment_lengths()) {
    SCOPED_TRACE(lengths.name);
    const segments_case<affine> expected(lengths, 3);
    std::vector<affine> sums(lengths.offsets.size() - 1, poison), scanned = expected.untouched;
    const auto by = hindsight::by_offsets(lengths.offsets);
    const auto end =
        hindsight::reduce_segments(par, expected.items, by, sums.begin(), expected.init, compose{});
    EXPECT_EQ(end, sums.end());
    EXPECT_EQ(difference(sums, expected.sums), "");
    hindsight::inclusive_scan_segments(par, expected.items, by, scanned.begin(), compose{});
    EXPECT_EQ(difference(scanned, expected.inclusive), "");
    scanned = expected.untouched;
    hindsight::exclusive_scan_segments(par, expected.items, by, scanned.begin(), expected.init,
                                       compose{});
    EXPECT_EQ(difference(scanned, expected.exclusive), "");
  }
}

TEST(HostSegments, ByHeads) {
  const segment_lengths lengths("without empty ones", 50'000, 0, {1, 2, 40, 9000});
  const segments_case<affine> expected(lengths, 0);
  const std::vector<bool> flags = lengths.heads();
  std::vector<affine> sums(lengths.offsets.size() - 1, poison), scanned = expected.untouched;
  const auto by = hindsight::by_heads(flags.begin());
  EXPECT_EQ(
      hindsight::reduce_segments(par, expected.items, by, sums.begin(), expected.init, compose{}),
      sums.end());
  EXPECT_EQ(difference(sums, expected.sums), "");
  hindsight::inclusive_scan_segments(par, expected.items, by, scanned.begin(), compose{});
  EXPECT_EQ(difference(scanned, expected.inclusive), "");
  hindsight::exclusive_scan_segments(par, expected.items, by, scanned.begin(), expected.init,
                                     compose{});
  EXPECT_EQ(difference(scanned, expected.exclusive), "");
}

// Folds have the type of `init op item`, however a segment is named.
TEST(HostSegments, NarrowItemsOfWideSums) {
  const std::vector<signed char> items{100, 100, 100, 1};
  const std::vector<bool> flags{true, false, false, true};
  const std::vector<int> offsets{0, 3, 4};
  std::vector<int> sums(2), flagged(2);
  hindsight::reduce_segments(items, hindsight::by_offsets(offsets), sums.begin(), 5);
  hindsight::reduce_segments(items, hindsight::by_heads(flags.begin()), flagged.begin(), 5);
  EXPECT_EQ(sums, (std::vector<int>{305, 6}));
  EXPECT_EQ(flagged, sums);
  const std::vector<float> numbers{16777216.0f, 1, 1, 1};
  std::vector<double> exact(2);
  hindsight::reduce_segments(numbers, hindsight::by_heads(flags.begin()), exact.begin(), 0.0);
  EXPECT_EQ(exact, (std::vector<double>{16777218, 1}));
}

// Sums of integers need no order: item after item where segments are long, else by flags. In place.
TEST(HostSegments, IntegersOnAnyThreadsAndTiles) {
  using item = std::uint32_t;
  const ::cuda::std::plus<> plus;
  for (const segment_lengths& lengths :
       {segment_lengths("short", 9'000, 5, {0, 1, 2, 3}),
        segment_lengths("long", 40'000, 0, {40, 5000}),
        segment_lengths("both", 40'000, 3, {0, 0, 1, 3, 70, 5000}),
        segment_lengths("nothing but empty ones", std::vector<std::uint32_t>(30, 7)),
        segment_lengths("empty ones at the end", {2, 900, 1800, 1800, 1800, 1800, 1800})}) {
    const std::vector<std::uint32_t>& offsets = lengths.offsets;
    const std::size_t num_segments = offsets.size() - 1;
    std::vector<item> items(offsets.back() + 2);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = item(i * 2654435761u);
    std::vector<item> inclusive = items, exclusive = items;
    for (std::size_t s = 0; s < num_segments; ++s) {
      item before = 9, sum = 0;
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
        inclusive[i] = sum += items[i];
        exclusive[i] = before;
        before += items[i];
      }
    }
    for (const unsigned threads : {1u, 2u, 5u})
      for (const std::size_t tile : {0, 1, 48, 1000}) {
        SCOPED_TRACE(lengths.name + ", " + std::to_string(threads) + " threads, tiles of " +
                     std::to_string(tile));
        std::vector<item> scanned = items;
        host::scan_segments<host::emits::with_item, item>(
            scanned.begin(), offsets.begin(), num_segments, scanned.begin(), plus,
            host::first_item{}, host::cut{threads, tile});
        EXPECT_EQ(difference(scanned, inclusive), "");
        scanned = items;
        host::scan_segments<host::emits::before_item, item>(
            scanned.begin(), offsets.begin(), num_segments, scanned.begin(), plus,
            host::initial_value<item, ::cuda::std::plus<>>{9, plus}, host::cut{threads, tile});
        EXPECT_EQ(difference(scanned, exclusive), "");
      }
  }
}

// Floats: by offsets the bits are those by flags of a byte.
TEST(HostSegments, OffsetsAndHeadsGiveTheSameBits) {
  const segment_lengths lengths("without empty ones", 300'000, 0, {1, 2, 40, 9000, 70'000});
  const std::vector<bool> heads = lengths.heads();
  const std::vector<char> flags(heads.begin(), heads.end());
  std::vector<double> items(flags.size()), by_offsets(items), by_heads(items);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = 1.0 / double(i % 1013 + 1);
  const std::vector<float> narrow(items.begin(), items.end());
  hindsight::inclusive_scan_segments(par, items, hindsight::by_offsets(lengths.offsets),
                                     by_offsets.begin());
  hindsight::inclusive_scan_segments(par, items, hindsight::by_heads(flags.begin()),
                                     by_heads.begin());
  EXPECT_EQ(difference(by_offsets, by_heads), "");
  std::vector<float> narrow_by_offsets(narrow), narrow_by_heads(narrow);
  hindsight::exclusive_scan_segments(par, narrow, hindsight::by_offsets(lengths.offsets),
                                     narrow_by_offsets.begin(), 3.0f);
  hindsight::exclusive_scan_segments(par, narrow, hindsight::by_heads(flags.begin()),
                                     narrow_by_heads.begin(), 3.0f);
  EXPECT_EQ(difference(narrow_by_offsets, narrow_by_heads), "");
}

TEST(HostSegments, AnyThreadsAndTiles) {
  for (const segment_lengths& lengths : {segment_lengths("short", 9'000, 5, {0, 1, 2, 3}),
                                         segment_lengths("mixed", 40'000, 5, {0, 0, 1, 3, 5000})}) {
    const segments_case<affine> expected(lengths, 2);
    const std::size_t num_segments = lengths.offsets.size() - 1;
    for (const unsigned threads : {1u, 2u, 3u, 7u}) {
      std::vector<affine> sums(num_segments, poison), scanned = expected.untouched;
      host::reduce_segments<affine, few_chunks>(
          expected.items.begin(), lengths.offsets.begin(), num_segments, compose{},
          [&](std::size_t s, affine& fold) { sums[s] = compose{}(expected.init, fold); },
          [&](std::size_t s) { sums[s] = expected.init; }, host::cut{threads, 0});
      EXPECT_EQ(difference(sums, expected.sums), "");
      host::scan_segments<host::emits::with_item, affine, few_chunks>(
          expected.items.begin(), lengths.offsets.begin(), num_segments, scanned.begin(), compose{},
          host::first_item{}, host::cut{threads, 0});
      EXPECT_EQ(difference(scanned, expected.inclusive), "");
    }
  }
}

TEST(HostSegments, ManyChunks) {
  const segment_lengths lengths("of one chunk and of many", 300'000, 5, {0, 1, 3, 100, 9000});
  const segments_case<affine> expected(lengths, 0);
  std::vector<affine> sums(lengths.offsets.size() - 1, poison);
  host::reduce_segments<affine, many_chunks>(
      expected.items.begin(), lengths.offsets.begin(), sums.size(), compose{},
      [&](std::size_t s, affine& fold) { sums[s] = compose{}(expected.init, fold); },
      [&](std::size_t s) { sums[s] = expected.init; }, host::cut{2, 0});
  EXPECT_EQ(difference(sums, expected.sums), "");
}

// ---- the order of floats, naively ----

/// The folds of segments that lie in one chunk of the CUDA kernel, item 0 being its first.
///   Order  docs of tile_of_lanes (host/segment_fold.h); what precedes a tile is put before it
template <class T, class Op>
class naive_folds {
 public:
  naive_folds(const std::vector<T>& items, const std::vector<std::uint32_t>& offsets, Op op)
      : items_{items}, offsets_{offsets}, op_{op} {}

  T fold(std::size_t begin, std::size_t end) const {
    std::optional<T> sum;
    for (std::size_t tile = begin / tile_items * tile_items; tile < end; tile += tile_items) {
      const T own = fold_in_tile(std::max(begin, tile), end, tile);
      sum = sum ? op_(*sum, own) : own;
    }
    return *sum;
  }

 private:
  static constexpr hindsight::detail::tile_shape shape =
      hindsight::detail::segment_reduce_tuning<T>::shape;
  static constexpr std::size_t lane_items = shape.lane_items, tile_items = shape.warp_items();

  T fold_in_tile(std::size_t begin, std::size_t segment_end, std::size_t tile) const {
    const std::size_t tile_end = std::min(tile + tile_items, items_.size());
    const std::size_t end = std::min(segment_end, tile_end);
    std::vector<T> lanes;
    for (std::size_t i = begin; i < end;) {
      T lane = items_[i++];
      for (; i < end && (i - tile) % lane_items != 0; ++i) lane = op_(lane, items_[i]);
      lanes.push_back(lane);
    }
    const bool any_ends = std::any_of(offsets_.begin() + 1, offsets_.end(), [&](std::size_t at) {
      return at <= tile_end && (at > tile || tile == 0);
    });
    if (!any_ends) return kogge_stone(lanes);
    const T last = lanes.back();
    lanes.pop_back();
    return lanes.empty() ? last : op_(kogge_stone(lanes), last);
  }
  T kogge_stone(std::vector<T> lanes) const {
    for (std::size_t step = 1; step < lanes.size(); step *= 2)
      for (std::size_t i = lanes.size() - 1; i >= step; --i)
        lanes[i] = op_(lanes[i - step], lanes[i]);
    return lanes.back();
  }

  const std::vector<T>& items_;
  const std::vector<std::uint32_t>& offsets_;
  Op op_;
};

template <class T>
void check_order(const segment_lengths& lengths) {
  using chunking = hindsight::detail::segment_cut<T, hindsight::detail::segment_reduce_tuning<T>>;
  SCOPED_TRACE(lengths.name);
  std::vector<std::uint32_t> offsets = lengths.offsets;
  while (offsets.back() + offsets.size() - 1 > chunking::chunk_members(0)) offsets.pop_back();
  std::vector<T> items(offsets.back());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = T(1.0 / double(i * 7 % 1013 + 1));
  const auto plus = [](T a, T b) { return T(a + b); };
  std::vector<T> expected(offsets.size() - 1), sums(expected);
  const naive_folds naive{items, offsets, plus};
  for (std::size_t s = 0; s < expected.size(); ++s)
    if (offsets[s] < offsets[s + 1])
      expected[s] = plus(T(0), naive.fold(offsets[s], offsets[s + 1]));
  hindsight::reduce_segments(items, hindsight::by_offsets(offsets), sums.begin());
  EXPECT_EQ(difference(sums, expected), "");
}

TEST(HostSegments, FloatsAddInTheDocumentedOrder) {
  for (const segment_lengths& lengths :
       {segment_lengths("of one item", 2000, 0, {1}), segment_lengths("of three", 2000, 0, {3}),
        segment_lengths("short", 2000, 0, {0, 1, 2, 9, 20}),
        segment_lengths("crowds of short ones", 2000, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1, 200}),
        segment_lengths("medium", 2000, 0, {0, 30, 60}),
        segment_lengths("long", 2000, 0, {300, 0, 700}),
        segment_lengths("ends of lanes and tiles", {0, 16, 24, 256, 256, 512, 768, 1000}),
        segment_lengths("an empty one, then a long one", {0, 0, 1000}),
        segment_lengths("one", {0, 1000})}) {
    check_order<float>(lengths);
    check_order<double>(lengths);
  }
}

TEST(HostSegments, StringsAndInPlace) {
  const std::vector<std::string> words{"a", "b", "c", "d"};
  const std::vector<long> offsets{0, 0, 3, 3, 4};
  std::vector<std::string> sums(4), scanned = words;
  hindsight::reduce_segments(words, hindsight::by_offsets(offsets), sums.begin(), std::string{"."});
  EXPECT_EQ(sums, (std::vector<std::string>{".", ".abc", ".", ".d"}));
  hindsight::inclusive_scan_segments(scanned, hindsight::by_offsets(offsets), scanned.begin());
  EXPECT_EQ(scanned, (std::vector<std::string>{"a", "ab", "abc", "d"}));
  std::vector<int> numbers{1, 2, 3, 4};
  hindsight::exclusive_scan_segments(numbers, hindsight::by_offsets(offsets), numbers.begin());
  EXPECT_EQ(numbers, (std::vector<int>{0, 1, 3, 0}));
}

// As for CUB, a segment that ends before it begins is empty; the next one begins where it ends.
TEST(HostSegments, OffsetsThatDecrease) {
  std::mt19937 random(7);
  for (const std::size_t num_segments : {2, 3, 500, 70'000}) {
    const std::size_t n = 3 * num_segments;
    std::vector<int> offsets(num_segments + 1, 0), items(n);
    for (std::size_t s = 1; s < num_segments; ++s)
      offsets[s] = std::min(int(n), int(3 * s + random() % 16));
    offsets[1] = int(n);
    offsets.back() = int(n) - 2;
    for (int& item : items) item = int(random() % 100);
    std::vector<int> sums(num_segments, 7), expected_sums(num_segments), scans(n, -1),
        expected_scans(n, -1), counts(n), expected_counts(n),
        sorted = items, expected_sorted = items, keys = items, values(n), copies(n, -1),
        expected_copies(n, -1);
    std::iota(values.begin(), values.end(), 0);
    for (std::size_t s = 0; s < num_segments; ++s) {
      for (int i = offsets[s], sum = 0; i < offsets[s + 1]; ++i) {
        expected_scans[i] = sum += items[i];
        expected_sums[s] = sum;
        expected_copies[i] = int(s);
        ++expected_counts[i];
      }
      if (offsets[s] < offsets[s + 1])
        std::sort(expected_sorted.begin() + offsets[s], expected_sorted.begin() + offsets[s + 1]);
    }
    const auto segments = hindsight::by_offsets(offsets);
    hindsight::reduce_segments(par, items, segments, sums.begin());
    EXPECT_EQ(sums, expected_sums);
    hindsight::inclusive_scan_segments(par, items, segments, scans.begin());
    EXPECT_EQ(scans, expected_scans);
    hindsight::sort_segments(par, sorted, segments);
    EXPECT_EQ(sorted, expected_sorted);
    hindsight::sort_segments_by_key(par, keys, values.begin(), segments);
    EXPECT_EQ(keys, expected_sorted);
    hindsight::for_each_output(par, offsets,
                               [&](std::size_t, std::size_t, std::size_t j) { ++counts[j]; });
    EXPECT_EQ(counts, expected_counts);
    hindsight::expand(par, thrust::counting_iterator<int>(0), offsets.begin(), offsets.end(),
                      copies.begin());
    EXPECT_EQ(copies, expected_copies);
  }
}

TEST(HostSegments, OffsetsThatDecreaseToTheFirst) {
  const std::vector<int> items{3, 4}, offsets{0, 2, 0};
  std::vector<int> scans(2, -1), sums(2, -1);
  hindsight::inclusive_scan_segments(par, items, hindsight::by_offsets(offsets), scans.begin());
  EXPECT_EQ(scans, (std::vector<int>{3, 7}));
  hindsight::reduce_segments(par, items, hindsight::by_offsets(offsets), sums.begin());
  EXPECT_EQ(sums, (std::vector<int>{7, 0}));
}

TEST(HostSegments, RefusesOffsetsOutsideOfTheItems) {
  const std::vector<int> items(3, 1);
  std::vector<int> out(2, 7);
  for (const std::vector<int>& offsets : {std::vector<int>{0, 2, 4}, {-1, 2, 3}, {3, 2, 1}})
    EXPECT_THROW(hindsight::reduce_segments(items, hindsight::by_offsets(offsets), out.begin()),
                 hindsight::invalid_call);
  EXPECT_EQ(out, std::vector<int>(2, 7));
}

struct add_to_first {
  int operator()(int& a, const int& b) const { return a += b; }
};

TEST(HostSegments, OperandsThatAreChanged) {
  const std::vector<int> items{5, 20, 7, 1}, offsets{0, 2, 2, 4}, flags{1, 0, 1, 0};
  const auto by = hindsight::by_offsets(offsets);
  const auto heads = hindsight::by_heads(flags);
  std::vector<int> sums(3), scanned(4);
  hindsight::reduce_segments(items, by, sums.begin(), 100, add_to_first{});
  EXPECT_EQ(sums, (std::vector<int>{125, 100, 108}));
  hindsight::reduce_segments(items, heads, sums.begin(), 100, add_to_first{});
  EXPECT_EQ(sums, (std::vector<int>{125, 108, 108}));
  hindsight::inclusive_scan_segments(items, by, scanned.begin(), add_to_first{});
  EXPECT_EQ(scanned, (std::vector<int>{5, 25, 7, 8}));
  hindsight::exclusive_scan_segments(items, heads, scanned.begin(), 100, add_to_first{});
  EXPECT_EQ(scanned, (std::vector<int>{100, 105, 100, 107}));
}

TEST(HostSegments, HeadsFromRanges) {
  const std::vector<int> items{5, 20, 7, 1};
  const std::vector<bool> flags{true, false, true, false};
  const int array[] = {1, 0, 1, 0};
  std::vector<int> sums(2), more_sums(2);
  hindsight::reduce_segments(items, hindsight::by_heads(flags), sums.begin());
  EXPECT_EQ(sums, (std::vector<int>{25, 8}));
  hindsight::reduce_segments(items, hindsight::by_heads(array), more_sums.begin());
  EXPECT_EQ(more_sums, sums);
}

}  // namespace hindsight_test
