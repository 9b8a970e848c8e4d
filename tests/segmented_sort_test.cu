// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of segments on the GPU: against std::stable_sort of each segment, and against
// cub::DeviceSegmentedSort.
#include <hindsight/device_segmented_radix_sort.cuh>
#include <hindsight/device_segmented_sort.cuh>
#include <hindsight/sort.h>
#include <hindsight/sort_segments.h>

#include <cub/device/device_segmented_radix_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "nan_keys_testing.h"
#include "segmented_sort_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

using hindsight::detail::ascending;
using hindsight::detail::radix_order;

const auto& par = hindsight::cuda::par;

TEST(SegmentedSort, EqualsStableSort) {
  for (const segment_lengths& lengths : all_segment_lengths(8704)) {
    SCOPED_TRACE(lengths.name);
    const sorted_case<std::uint32_t> expected(lengths, 3, by_low_bits{}, to_word{});
    const device_array<std::uint32_t> keys(expected.keys, 1), values(expected.places, 1);
    const device_array<std::uint32_t> offsets(lengths.offsets, 1);
    const auto by = hindsight::by_offsets(offsets.begin(), offsets.end());
    hindsight::sort_segments_by_key(par, keys.begin(), keys.end(), values.begin(), by,
                                    by_low_bits{});
    EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
    EXPECT_EQ(difference(values.to_host(), expected.order), "");
    EXPECT_TRUE(keys.is_untouched(keys.size()));
    keys.assign(expected.keys);
    hindsight::sort_segments(par, keys.begin(), keys.end(), by, by_low_bits{});
    EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
  }
}

// One segment of many tiles; two whose common boundary is a high power of two of tiles.
TEST(SegmentedSort, LongOnes) {
  constexpr std::uint32_t tile = 8704;
  for (const segment_lengths& lengths :
       {segment_lengths("one", {5, 260 * tile + 99}),
        segment_lengths("some", {0, 3, 127 * tile + 7, 129 * tile - 1, 250 * tile})}) {
    const sorted_case<std::uint32_t> expected(lengths, 1, by_low_bits{}, to_word{});
    const device_array<std::uint32_t> keys(expected.keys), values(expected.places);
    const device_array<std::uint32_t> offsets(lengths.offsets);
    hindsight::sort_segments_by_key(par, keys.begin(), keys.end(), values.begin(),
                                    hindsight::by_offsets(offsets.begin(), offsets.end()),
                                    by_low_bits{});
    EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
    EXPECT_EQ(difference(values.to_host(), expected.order), "");
  }
}

TEST(SegmentedSort, ByHeads) {
  for (const segment_lengths& lengths :
       {segment_lengths("without empty ones", 50'000, 0, {1, 2, 40, 9000}),
        segment_lengths("long", 1'000'000, 0, {1, 200'000}), segment_lengths("one", {0, 40'000})}) {
    SCOPED_TRACE(lengths.name);
    const sorted_case<float> expected(lengths, 0, radix_order<ascending>{}, to_float{});
    const std::vector<bool> heads = lengths.heads();
    const device_array<char> flags(std::vector<char>(heads.begin(), heads.end()));
    const device_array<float> keys(expected.keys);
    const device_array<std::uint32_t> values(expected.places);
    hindsight::sort_segments_by_key(par, keys.begin(), keys.end(), values.begin(),
                                    hindsight::by_heads(flags.begin()));
    EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
    EXPECT_EQ(difference(values.to_host(), expected.order), "");
  }
}

// The bits of stable_sort within each segment.
TEST(SegmentedSort, NaNsInTuplesGoByTheirBits) {
  using key = thrust::tuple<int, float>;
  const segment_lengths lengths("mixed", 60'000, 0, {1, 2, 40, 20'000});
  const auto all = keys_with_nans<key>(lengths.offsets.back());
  const device_array<key> keys(all), expected(all);
  const device_array<std::uint32_t> offsets(lengths.offsets);
  for (std::size_t s = 0; s + 1 < lengths.offsets.size(); ++s)
    hindsight::stable_sort(par, expected.begin() + lengths.offsets[s],
                           expected.begin() + lengths.offsets[s + 1]);
  hindsight::sort_segments(par, keys.begin(), keys.end(),
                           hindsight::by_offsets(offsets.begin(), offsets.end()));
  EXPECT_EQ(bits_of_keys(keys.to_host()), bits_of_keys(expected.to_host()));
}

// Tiles of short segments, whose merges end early.
TEST(SegmentedSort, ShortOnesOfNumbers) {
  for (const segment_lengths& lengths :
       {segment_lengths("of up to 30 items", 100'000, 3, {0, 1, 2, 3, 20}),
        segment_lengths("of up to 66 items", 100'000, 0, {1, 9, 44}),
        segment_lengths("of up to 150 items", 100'000, 1, {0, 100})}) {
    SCOPED_TRACE(lengths.name);
    const sorted_case<float> expected(lengths, 5, radix_order<ascending>{}, to_float{});
    const device_array<float> keys(expected.keys, 1);
    const device_array<std::uint32_t> values(expected.places, 1), offsets(lengths.offsets);
    const auto by = hindsight::by_offsets(offsets.begin(), offsets.end());
    hindsight::sort_segments_by_key(par, keys.begin(), keys.end(), values.begin(), by);
    EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
    EXPECT_EQ(difference(values.to_host(), expected.order), "");
    EXPECT_TRUE(keys.is_untouched(keys.size()));
  }
}

/// Segments of `length`, and if `others` are any, so many items in short ones between two of them.
segment_lengths lengths_of(std::size_t n, std::uint32_t length, std::uint32_t others) {
  std::vector<std::uint32_t> offsets{0};
  std::uint32_t next = others;
  while (offsets.back() < n) {
    const std::uint32_t begin = offsets.back();
    const bool is_next = begin >= next;
    if (is_next) next = begin + length + others;
    offsets.push_back(std::min(std::uint32_t(n), begin + (is_next ? length : 1 + begin % 12)));
  }
  return {"of " + std::to_string(length) + " with others " + std::to_string(others), offsets};
}
/// Keys alone, and with values.
template <class Key, class Make>
void expect_short_ones_sorted(const segment_lengths& lengths, Make make) {
  SCOPED_TRACE(lengths.name);
  const sorted_case<Key> expected(lengths, 0, radix_order<ascending>{}, make);
  const device_array<Key> keys(expected.keys), alone(expected.keys);
  const device_array<std::uint32_t> values(expected.places), offsets(lengths.offsets);
  const auto by = hindsight::by_offsets(offsets.begin(), offsets.end());
  hindsight::sort_segments_by_key(par, keys.begin(), keys.end(), values.begin(), by);
  EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
  EXPECT_EQ(difference(values.to_host(), expected.order), "");
  hindsight::sort_segments(par, alone.begin(), alone.end(), by);
  EXPECT_EQ(difference(alone.to_host(), expected.sorted), "");
}

// A thread has 17 items, or 9 of few: segments that it sorts alone, that it merges from its items
// and its neighbour's, that warps sort, and that are merged in rounds.
TEST(SegmentedSort, ThatHardlyFitThreads) {
  for (const std::size_t n : {std::size_t{20'000}, std::size_t{300'000}}) {
    for (const std::uint32_t length :
         {9u, 10u, 11u, 12u, 16u, 17u, 18u, 19u, 20u, 32u, 33u, 34u, 35u, 36u, 67u, 68u, 69u}) {
      for (const std::uint32_t others : {0u, 200u}) {
        const segment_lengths lengths = lengths_of(n, length, others);
        expect_short_ones_sorted<std::uint32_t>(lengths, to_word{});
        expect_short_ones_sorted<float>(lengths, to_float{});
        if (length % 3 != 0) continue;
        expect_short_ones_sorted<std::uint64_t>(lengths,
                                                [](std::uint64_t random) { return random; });
        expect_short_ones_sorted<std::int16_t>(
            lengths, [](std::uint64_t random) { return std::int16_t(random % 9 - 4); });
      }
    }
  }
}

TEST(SegmentedSort, LargeKeysAndValues) {
  const segment_lengths lengths("mixed", 50'000, 7, {0, 1, 2, 40, 9000});
  const sorted_case<wide_key> expected(lengths, 5, by_first_word{}, to_wide_key{});
  const device_array<wide_key> keys(expected.keys), values(expected.keys);
  const device_array<std::uint32_t> offsets(lengths.offsets);
  hindsight::sort_segments_by_key(par, keys.begin(), keys.end(), values.begin(),
                                  hindsight::by_offsets(offsets.begin(), offsets.end()),
                                  by_first_word{});
  EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
  EXPECT_EQ(difference(values.to_host(), expected.sorted), "");
}

/// Numbers in segments so long that passes over digits sort them, with values and without, in place
/// and not.
template <class Key, class Make>
void expect_long_ones_sorted(const segment_lengths& lengths, Make make) {
  SCOPED_TRACE(lengths.name);
  const sorted_case<Key> expected(lengths, 9, radix_order<ascending>{}, make);
  const device_array<Key> keys(expected.keys, 1);
  const device_array<std::uint32_t> values(expected.places, 1), offsets(lengths.offsets);
  const auto by = hindsight::by_offsets(offsets.begin(), offsets.end());
  hindsight::sort_segments_by_key(par, keys.begin(), keys.end(), values.begin(), by);
  EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
  EXPECT_EQ(difference(values.to_host(), expected.order), "");
  EXPECT_TRUE(keys.is_untouched(keys.size()));
  EXPECT_TRUE(values.is_untouched(values.size()));

  keys.assign(expected.keys);
  const device_array<Key> out(expected.keys);
  std::size_t bytes = 0;
  const auto sort = [&](void* temp) {
    check(hindsight::DeviceSegmentedSort::SortKeys(
        temp, bytes, static_cast<const Key*>(keys.data()), out.data(), keys.size(),
        lengths.offsets.size() - 1, offsets.data(), offsets.data() + 1));
  };
  sort(nullptr);
  const device_array<char> temp(bytes, 1);
  sort(temp.data());
  EXPECT_EQ(difference(keys.to_host(), expected.keys), "");
  EXPECT_EQ(difference(out.to_host(), expected.sorted), "");
  EXPECT_TRUE(temp.is_untouched(bytes));
}
template <class T>
struct to_number {
  T operator()(std::uint64_t random) const { return static_cast<T>(random >> 20); }
};
/// Numbers in 0..255: the other digits do not vary.
struct to_small_number {
  std::uint32_t operator()(std::uint64_t random) const { return random >> 20 & 255; }
};

TEST(SegmentedSort, LongOnesOfNumbers) {
  constexpr std::uint32_t tile = 10240;
  const segment_lengths all[]{
      {"mixed", 1'100'000, 5, {0, 1, 40, 9000, 30'000, 200'000}},
      {"ends at the ends of tiles",
       {0, tile, 3 * tile - 1, 5 * tile, 5 * tile, 20 * tile + 1, 70 * tile, 110 * tile}},
      {"one", {7, 1'000'000}}};
  for (const segment_lengths& lengths : all) {
    expect_long_ones_sorted<std::uint8_t>(lengths, to_number<std::uint8_t>{});
    expect_long_ones_sorted<std::int16_t>(lengths, to_number<std::int16_t>{});
    expect_long_ones_sorted<std::uint32_t>(lengths, to_word{});
    expect_long_ones_sorted<std::uint32_t>(lengths, to_small_number{});
    expect_long_ones_sorted<float>(lengths, to_float{});
    expect_long_ones_sorted<std::int64_t>(lengths, to_number<std::int64_t>{});
  }
}

/// Where segments of 1000 items begin.
struct thousands {
  HINDSIGHT_HD int operator()(int s) const { return 1000 * s; }
};

/// Out of place; the output is untouched where no segment is.
template <class Call>
void expect_sorted(const segment_lengths& lengths, Call call) {
  const sorted_case<std::uint32_t> expected(lengths, 9, std::greater<std::uint32_t>{}, to_word{});
  const std::size_t n = expected.keys.size();
  const device_array<std::uint32_t> keys(expected.keys), values(expected.places);
  const device_array<std::uint32_t> keys_out(n), values_out(n), offsets(lengths.offsets);
  std::size_t bytes = 0;
  const auto sort = [&](void* temp) {
    check(call(temp, bytes, keys.data(), keys_out.data(), values.data(), values_out.data(), int(n),
               int(lengths.offsets.size() - 1), offsets.data()));
  };
  sort(nullptr);
  const device_array<char> temp(bytes, 1);
  sort(temp.data());
  EXPECT_EQ(difference(keys.to_host(), expected.keys), "");
  const auto cut = [&](std::vector<std::uint32_t> items) {
    items.resize(lengths.offsets.back());
    return std::vector<std::uint32_t>(items.begin() + lengths.offsets[0], items.end());
  };
  EXPECT_EQ(difference(cut(keys_out.to_host()), cut(expected.sorted)), "");
  EXPECT_EQ(difference(cut(values_out.to_host()), cut(expected.order)), "");
  EXPECT_TRUE(keys_out.is_untouched(lengths.offsets.back()));
  EXPECT_TRUE(values_out.is_untouched(lengths.offsets.back()));
}

TEST(SegmentedSort, InCubsShape) {
  const segment_lengths lengths("all sorts", 100'000, 3, {0, 0, 1, 2, 40, 300, 20'000});
  expect_sorted(lengths, [](void* temp, std::size_t& bytes, const auto* keys, auto* keys_out,
                            const auto* values, auto* values_out, int n, int num_segments,
                            const auto* offsets) {
    return hindsight::DeviceSegmentedSort::StableSortPairsDescending(
        temp, bytes, keys, keys_out, values, values_out, n, num_segments, offsets, offsets + 1);
  });
  expect_sorted(lengths, [](void* temp, std::size_t& bytes, const auto* keys, auto* keys_out,
                            const auto* values, auto* values_out, int n, int num_segments,
                            const auto* offsets) {
    return hindsight::DeviceSegmentedRadixSort::SortPairsDescending(
        temp, bytes, keys, keys_out, values, values_out, n, num_segments, offsets, offsets + 1);
  });
  expect_sorted(
      segment_lengths("thousands", {0, 1000, 2000, 3000}),
      [](void* temp, std::size_t& bytes, const auto* keys, auto* keys_out, const auto* values,
         auto* values_out, int n, int num_segments, const auto*) {
        const auto offsets =
            thrust::make_transform_iterator(thrust::counting_iterator<int>(0), thousands{});
        return hindsight::DeviceSegmentedSort::SortPairsDescending(
            temp, bytes, keys, keys_out, values, values_out, n, num_segments, offsets, offsets + 1);
      });
  std::size_t bytes = 0;
  const int offsets[] = {0, 5, 7};
  std::uint32_t* const none = nullptr;
  EXPECT_EQ(hindsight::DeviceSegmentedSort::SortKeys(nullptr, bytes, none, none, -1, 2, offsets,
                                                     offsets + 1),
            cudaErrorInvalidValue);
  using hindsight::DeviceSegmentedRadixSort;
  for (const auto& [begin_bit, end_bit] : {std::pair{-1, 9}, std::pair{9, 8}, std::pair{0, 64}}) {
    EXPECT_EQ(DeviceSegmentedRadixSort::SortKeys(nullptr, bytes, none, none, 7, 2, offsets,
                                                 offsets + 1, begin_bit, end_bit),
              cudaErrorInvalidValue);
  }
}

// cub::NullType stands for no values; offsets need not be known where the size is asked for.
TEST(SegmentedSort, InCubsShapeWithoutValues) {
  const segment_lengths lengths("all sorts", 100'000, 3, {0, 0, 1, 2, 40, 300, 20'000});
  const sorted_case<std::uint32_t> expected(lengths, 9, std::greater<std::uint32_t>{}, to_word{});
  const device_array<std::uint32_t> keys(expected.keys), offsets(lengths.offsets);
  const auto sort = [&](void* temp, std::size_t& bytes, const std::uint32_t* rows) {
    cub::NullType* const none = nullptr;
    hindsight::DoubleBuffer<std::uint32_t> buffer(keys.data(), nullptr);
    hindsight::DoubleBuffer<cub::NullType> values(none, none);
    return hindsight::DeviceSegmentedSort::SortPairsDescending(
        temp, bytes, buffer, values, int(keys.size()), int(lengths.offsets.size() - 1), rows,
        rows ? rows + 1 : rows);
  };
  std::size_t bytes = 0;
  check(sort(nullptr, bytes, nullptr));
  const device_array<char> temp(bytes, 1);
  check(sort(temp.data(), bytes, offsets.data()));
  EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
}

// With gaps between them, in no order: what lies in gaps is not written.
TEST(SegmentedSort, SegmentsApart) {
  constexpr int count = 700, room = 130;
  std::mt19937 random{5};
  std::vector<int> begins, ends;
  for (int s = 0; s < count; ++s) {
    const int place = s * 331 % count * room;  // 331 and 700 have no common factor
    begins.push_back(place + int(random() % 5));
    ends.push_back(begins.back() + int(random() % (room - 5)));
  }
  const auto keys_in = random_items<std::int32_t>(count * room);
  std::vector<std::int32_t> expected(keys_in.size());
  std::memset(expected.data(), device_array<char>::poison, expected.size() * sizeof(std::int32_t));
  for (int s = 0; s < count; ++s) {
    const auto first = keys_in.begin() + begins[std::size_t(s)];
    const auto last = keys_in.begin() + ends[std::size_t(s)];
    const auto to = expected.begin() + begins[std::size_t(s)];
    std::sort(to, std::copy(first, last, to));
  }
  const device_array<std::int32_t> keys(keys_in), out(keys_in.size());
  const device_array<int> begin_offsets(begins), end_offsets(ends);
  std::size_t bytes = 0;
  const auto sort = [&](void* temp) {
    check(hindsight::DeviceSegmentedSort::SortKeys(
        temp, bytes, static_cast<const std::int32_t*>(keys.data()), out.data(), count * room, count,
        begin_offsets.data(), end_offsets.data()));
  };
  sort(nullptr);
  const device_array<char> temp(bytes, 1);
  sort(temp.data());
  EXPECT_EQ(difference(out.to_host(), expected), "");
}

void expect_bits_as_cub(const segment_lengths& lengths, int begin_bit, int end_bit) {
  const sorted_case<std::uint32_t> some(lengths, 0, by_low_bits{}, to_word{});
  const device_array<std::uint32_t> keys(some.keys), values(some.places), offsets(lengths.offsets);
  const std::size_t n = keys.size();
  const device_array<std::uint32_t> keys_out[2]{device_array<std::uint32_t>(n),
                                                device_array<std::uint32_t>(n)};
  const device_array<std::uint32_t> values_out[2]{device_array<std::uint32_t>(n),
                                                  device_array<std::uint32_t>(n)};
  const auto run = [&](auto device, int side) {
    std::size_t bytes = 0;
    const auto sort = [&](void* temp) {
      check(device.SortPairs(
          temp, bytes, static_cast<const std::uint32_t*>(keys.data()), keys_out[side].data(),
          static_cast<const std::uint32_t*>(values.data()), values_out[side].data(), int(n),
          int(lengths.offsets.size() - 1), offsets.data(), offsets.data() + 1, begin_bit, end_bit));
    };
    sort(nullptr);
    const device_array<char> temp(bytes, 1);
    sort(temp.data());
  };
  run(cub::DeviceSegmentedRadixSort{}, 0);
  run(hindsight::DeviceSegmentedRadixSort{}, 1);
  EXPECT_EQ(difference(keys_out[1].to_host(), keys_out[0].to_host()), "");
  EXPECT_EQ(difference(values_out[1].to_host(), values_out[0].to_host()), "");
}
TEST(SegmentedSort, BitsAsCub) {
  const segment_lengths lengths("mixed", 60'000, 0, {1, 2, 40, 9000});
  const segment_lengths long_ones("long", 600'000, 0, {1, 2, 50'000, 300'000});
  expect_bits_as_cub(lengths, 5, 13);
  for (const auto& [begin_bit, end_bit] :
       {std::pair{5, 13}, std::pair{0, 3}, std::pair{3, 27}, std::pair{31, 32}, std::pair{0, 32}})
    expect_bits_as_cub(long_ones, begin_bit, end_bit);
}

template <class Compare>
void expect_sorted_in_replays(const segment_lengths& lengths, Compare compare) {
  const sorted_case<std::uint32_t> expected(lengths, 0, compare, to_word{});
  const device_array<std::uint32_t> keys(expected.keys), offsets(lengths.offsets);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  hindsight::sort_segments(par.on(stream), keys.begin(), keys.end(),
                           hindsight::by_offsets(offsets.begin(), offsets.end()), compare);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  for (int replay = 0; replay < 2; ++replay) {
    keys.assign(expected.keys);
    check(cudaGraphLaunch(exec, stream));
    check(cudaStreamSynchronize(stream));
    EXPECT_EQ(difference(keys.to_host(), expected.sorted), "");
  }
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}
TEST(SegmentedSort, Capture) {
  const segment_lengths lengths("all sorts", 100'000, 0, {0, 1, 40, 40'000});
  const segment_lengths long_ones("long", 600'000, 0, {1, 9000, 300'000});
  expect_sorted_in_replays(lengths, by_low_bits{});
  expect_sorted_in_replays(long_ones, std::less<std::uint32_t>{});  // by radix
}

__global__ void fill_with_hashes(std::uint32_t* keys, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    keys[i] = std::uint32_t((i + 1) * 0x9e3779b97f4a7c15u >> 31);
}
/// Adds to sums[s] a number for each key of segment s, and to *out_of_order each key before which a
/// greater one of its segment lies.
__global__ void look_at_keys(const std::uint32_t* keys, const std::uint32_t* offsets,
                             std::uint32_t num_segments, unsigned long long* sums,
                             unsigned long long* out_of_order) {
  for (std::uint32_t s = blockIdx.y; s < num_segments; s += gridDim.y) {
    unsigned long long sum = 0;
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = offsets[s] + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (; i < offsets[s + 1]; i += stride) {
      sum += keys[i] * (keys[i] | 1ull);
      if (i > offsets[s] && by_low_bits{}(keys[i], keys[i - 1])) atomicAdd(out_of_order, 1ull);
    }
    if (sum != 0) atomicAdd(sums + s, sum);
  }
}

// Places beyond 2^30: of a segment of more than 2^29 items, of its neighbours, and of many behind.
TEST(SegmentedSort, MoreThan30Bits) {
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  if (free_bytes < std::size_t{16} << 30) GTEST_SKIP() << "less than 16 GiB of free GPU memory";
  std::vector<std::uint32_t> offsets{7, 7, (1u << 29) + 99, (1u << 29) + 102, 1u << 30};
  for (int s = 0; s < 1000; ++s) offsets.push_back(offsets.back() + std::uint32_t(s) * 40);
  const auto num_segments = static_cast<std::uint32_t>(offsets.size() - 1);
  const device_array<std::uint32_t> keys(offsets.back()), begins(offsets);
  const device_array<unsigned long long> sums(num_segments), out_of_order(1);
  const auto look = [&] {
    check(cudaMemset(sums.data(), 0, num_segments * sizeof(unsigned long long)));
    check(cudaMemset(out_of_order.data(), 0, sizeof(unsigned long long)));
    look_at_keys<<<dim3(256, 64), 256>>>(keys.data(), begins.data(), num_segments, sums.data(),
                                         out_of_order.data());
    return sums.to_host();
  };
  fill_with_hashes<<<4096, 256>>>(keys.data(), keys.size());
  const std::vector<unsigned long long> expected = look();
  EXPECT_GT(out_of_order.to_host()[0], 1ull << 28);
  hindsight::sort_segments(par, keys.begin(), keys.end(),
                           hindsight::by_offsets(begins.begin(), begins.end()), by_low_bits{});
  EXPECT_EQ(look(), expected);
  EXPECT_EQ(out_of_order.to_host()[0], 0u);
}

}  // namespace hindsight_test
