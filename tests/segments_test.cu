// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of segments on the GPU: against loops on the CPU, against the host engine's
// bits, and against cub::DeviceSegmentedReduce.
#include <hindsight/device_segmented_reduce.cuh>
#include <hindsight/device_segmented_scan.cuh>
#include <hindsight/segments.h>
#include <hindsight/sort_segments.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

#include "pieces_testing.h"
#include "segments_testing.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;

TEST(Segments, EqualPlainLoops) {
  for (const segment_lengths& lengths : all_segment_lengths()) {
    SCOPED_TRACE(lengths.name);
    const segments_case<affine> expected(lengths, 3);
    const device_array<affine> in(expected.items, 1), out(expected.items.size(), 1);
    const device_array<std::uint32_t> offsets(lengths.offsets, 1);
    const device_array<affine> sums(lengths.offsets.size() - 1);
    const auto by = hindsight::by_offsets(offsets.begin(), offsets.end());
    const auto end = hindsight::reduce_segments(par, in.begin(), in.end(), by, sums.begin(),
                                                expected.init, compose{});
    EXPECT_EQ(end, sums.end());
    EXPECT_EQ(difference(sums.to_host(), expected.sums), "");
    EXPECT_TRUE(sums.is_untouched(sums.size()));
    hindsight::inclusive_scan_segments(par, in.begin(), in.end(), by, out.begin(), compose{});
    EXPECT_EQ(difference(out.to_host(), expected.inclusive), "");
    out.fill_with_poison();
    hindsight::exclusive_scan_segments(par, in.begin(), in.end(), by, out.begin(), expected.init,
                                       compose{});
    EXPECT_EQ(difference(out.to_host(), expected.exclusive), "");
    EXPECT_TRUE(out.is_untouched(out.size()));
  }
}

TEST(Segments, ByHeads) {
  const segment_lengths lengths("without empty ones", 50'000, 0, {1, 2, 40, 9000});
  const segments_case<affine> expected(lengths, 0);
  const std::vector<bool> heads = lengths.heads();
  const device_array<char> flags(std::vector<char>(heads.begin(), heads.end()));
  const device_array<affine> in(expected.items), out(in.size()), sums(expected.sums.size());
  const auto by = hindsight::by_heads(flags.begin());
  EXPECT_EQ(hindsight::reduce_segments(par, in.begin(), in.end(), by, sums.begin(), expected.init,
                                       compose{}),
            sums.end());
  EXPECT_EQ(difference(sums.to_host(), expected.sums), "");
  hindsight::inclusive_scan_segments(par, in.begin(), in.end(), by, out.begin(), compose{});
  EXPECT_EQ(difference(out.to_host(), expected.inclusive), "");
  hindsight::exclusive_scan_segments(par, in.begin(), in.end(), by, out.begin(), expected.init,
                                     compose{});
  EXPECT_EQ(difference(out.to_host(), expected.exclusive), "");
}

// Floats: the bits of the host engine, in every run. Also with more than 2048 tiles and a scout.
TEST(Segments, FloatsHaveTheBitsOfTheHost) {
  const auto& host = hindsight::host::par;
  for (const segment_lengths& lengths :
       {segment_lengths("all sorts", 300'000, 1, {0, 0, 1, 2, 40, 300, 20'000}),
        segment_lengths("medium", 1'000'000, 0, {1000}),
        segment_lengths("medium", 400'000, 3, {2000}),
        segment_lengths("medium and some long", 400'000, 0, {300, 0, 300, 300, 1, 300, 60'000}),
        segment_lengths("many", 12'000'000, 0, {0, 1, 3, 9, 1'000'000})}) {
    SCOPED_TRACE(lengths.name);
    const std::vector<float> items = rough_items<float>(lengths.offsets.back());
    const std::size_t num_segments = lengths.offsets.size() - 1;
    std::vector<float> expected(num_segments), scan = items;
    const auto by = hindsight::by_offsets(lengths.offsets);
    hindsight::reduce_segments(host, items, by, expected.begin());
    hindsight::inclusive_scan_segments(host, items, by, scan.begin());
    const device_array<float> in(items), sums(num_segments);
    const device_array<std::uint32_t> offsets(lengths.offsets);
    const auto by_device = hindsight::by_offsets(offsets.begin(), offsets.end());
    for (int run = 0; run < 3; ++run) {
      sums.fill_with_poison();
      hindsight::reduce_segments(par, in.begin(), in.end(), by_device, sums.begin());
      EXPECT_EQ(difference(sums.to_host(), expected), "");
    }
    hindsight::inclusive_scan_segments(par, in.begin(), in.end(), by_device, in.begin());
    scan.resize(items.size());
    const auto scanned = in.to_host();
    for (std::size_t i = 0; i < lengths.offsets.front(); ++i) scan[i] = items[i];
    EXPECT_EQ(difference(scanned, scan), "");

    const device_array<float> same(items), flagged(items);
    const device_array<char> flags([&] {
      const std::vector<bool> heads = lengths.heads();
      return std::vector<char>(heads.begin(), heads.end());
    }());
    hindsight::inclusive_scan_segments(par, same.begin(), same.end(),
                                       hindsight::by_heads(flags.begin()), flagged.begin());
    if (lengths.offsets.front() == 0) EXPECT_EQ(difference(flagged.to_host(), scanned), "");
    std::size_t bytes = 0;
    const std::uint32_t* const begins = offsets.data();
    const auto two_phases = [&](void* temp) {
      return hindsight::DeviceSegmentedScan::InclusiveSegmentedSum(
          temp, bytes, same.data(), same.data(), begins, begins + 1, int(num_segments));
    };
    check(two_phases(nullptr));
    const device_array<char> temp(bytes, 1);
    check(two_phases(temp.data()));
    EXPECT_EQ(difference(same.to_host(), scanned), "") << "of an unknown number of items";
  }
}

template <class T>
std::vector<T> sums_of(const T* in, const segment_lengths& lengths) {
  const device_array<T> sums(lengths.offsets.size() - 1);
  const device_array<std::uint32_t> offsets(lengths.offsets);
  const std::uint32_t* const begins = offsets.data();
  std::size_t bytes = 0;
  const auto sum = [&](void* temp) {
    return hindsight::DeviceSegmentedReduce::Sum(temp, bytes, in, sums.data(),
                                                 std::int64_t(sums.size()), begins, begins + 1);
  };
  check(sum(nullptr));
  const device_array<char> temp(bytes, 1);
  check(sum(temp.data()));
  return sums.to_host();
}
/// Sums of items in an allocation of room for so many: its size is a hint how many there are.
template <class T>
std::vector<T> sums_in_allocation(const segment_lengths& lengths, const std::vector<T>& items,
                                  std::size_t room) {
  const device_array<T> in(std::max(room, items.size()));
  in.assign(items);
  return sums_of(in.data(), lengths);
}

// Sums of few items take one launch, those of more two.
template <class T>
void expect_bits_not_to_depend_on_allocation(const std::vector<segment_lengths>& all) {
  for (const segment_lengths& lengths : all) {
    SCOPED_TRACE(lengths.name + ", items of " + std::to_string(sizeof(T)) + " bytes");
    const std::vector<T> items = rough_items<T>(lengths.offsets.back());
    EXPECT_EQ(difference(sums_in_allocation(lengths, items, 0),
                         sums_in_allocation(lengths, items, std::size_t{1} << 24)),
              "");
  }
}
TEST(Segments, BitsDoNotDependOnTheAllocation) {
  std::vector<segment_lengths> all = all_segment_lengths(2044);
  for (const std::uint32_t length : {3, 30, 1000, 2044, 10'000, 100'000}) {
    all.emplace_back("of one length", 60'000, 0, std::vector<std::uint32_t>{length});
    all.emplace_back("of one length", 60'000, 3, std::vector<std::uint32_t>{length});
  }
  all.emplace_back("more of 1000", 65'000, 1, std::vector<std::uint32_t>{1000});
  all.emplace_back("one long one", 20'000, 2, std::vector<std::uint32_t>{1, 0, 2, 3, 3});
  all.back().offsets.push_back(all.back().offsets.back() + 40'000);
  expect_bits_not_to_depend_on_allocation<float>(all);
  expect_bits_not_to_depend_on_allocation<double>(all);
}

// More items than belong to the allocation of the first one: so blocks have several chunks.
TEST(Segments, BitsDoNotDependOnPiecesOfMemory) {
  std::vector<segment_lengths> all{{"one", {0, 3'000'000}}};
  for (const std::uint32_t length : {30, 1000, 100'000})
    all.emplace_back("of one length", 3'000'000, 3, std::vector<std::uint32_t>{length});
  all.emplace_back("long chunks", 12'000'000, 0, std::vector<std::uint32_t>{0, 7, 40, 9'000'000});
  for (const segment_lengths& lengths : all) {
    SCOPED_TRACE(lengths.name);
    const std::vector<float> items = rough_items<float>(lengths.offsets.back());
    const pieces_of_memory memory(items.size() * sizeof(float) + (std::size_t{4} << 20));
    EXPECT_EQ(difference(sums_of(memory.assign(items, 4000), lengths),
                         sums_in_allocation(lengths, items, std::size_t{1} << 24)),
              "");
  }
}

TEST(Segments, MoreThan32Bits) {
  const thrust::constant_iterator<std::uint64_t> ones(1);
  const std::uint64_t n = (std::uint64_t{1} << 32) + 12'345;
  const device_array<std::uint64_t> offsets(std::vector<std::uint64_t>{5, 5, n - 7, n}), sums(3);
  hindsight::reduce_segments(par, ones, ones + std::ptrdiff_t(n),
                             hindsight::by_offsets(offsets.begin(), offsets.end()), sums.begin());
  EXPECT_EQ(sums.to_host(), (std::vector<std::uint64_t>{0, n - 12, 7}));
}

constexpr std::uint32_t num_threes = 1u << 24, threes = 3 * num_threes;
struct offset_behind_threes {
  HINDSIGHT_HD std::uint32_t operator()(std::uint32_t s) const {
    return s <= num_threes ? 3 * s : threes + (1u << 30);
  }
};
/// How many of item i's segment come before it.
HINDSIGHT_HD std::uint32_t rank_of(std::uint32_t i) {
  return i < threes ? i % 3 : i - threes;
}
struct is_not_its_rank {
  const std::uint32_t* sums;
  HINDSIGHT_HD bool operator()(std::uint32_t i) const { return sums[i] != rank_of(i) + 1; }
};
struct is_below_its_neighbour {
  const std::uint32_t* keys;
  HINDSIGHT_HD bool operator()(std::uint32_t i) const {
    return rank_of(i) > 0 && keys[i] < keys[i - 1];
  }
};
struct hash_of {
  HINDSIGHT_HD std::uint32_t operator()(std::uint32_t i) const {
    return std::uint32_t((i + 1) * 0x9e3779b97f4a7c15u >> 31);
  }
};

// 2^24 segments of three items, one of 2^30 behind them, and an empty one.
TEST(Segments, ManyOfThreeAndOneOf2To30) {
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  if (free_bytes < std::size_t{16} << 30) GTEST_SKIP() << "less than 16 GiB of free GPU memory";
  const auto& stock = thrust::device;
  const thrust::counting_iterator<std::uint32_t> numbers(0);
  constexpr std::uint32_t n = threes + (1u << 30), num_segments = num_threes + 2;
  const device_array<std::uint32_t> offsets(num_segments + 1), items(n), sums(num_segments);
  thrust::transform(stock, numbers, numbers + (num_segments + 1), offsets.begin(),
                    offset_behind_threes{});
  const auto by = hindsight::by_offsets(offsets.begin(), offsets.end());
  const thrust::constant_iterator<std::uint32_t> ones(1);
  hindsight::reduce_segments(par, ones, ones + n, by, sums.begin());
  EXPECT_EQ(thrust::count(stock, sums.begin(), sums.begin() + num_threes, 3u), num_threes);
  EXPECT_EQ(sums.to_host()[num_threes], 1u << 30);
  EXPECT_EQ(sums.to_host()[num_threes + 1], 0u);

  hindsight::inclusive_scan_segments(par, ones, ones + n, by, items.begin());
  EXPECT_EQ(thrust::count_if(stock, numbers, numbers + n, is_not_its_rank{items.data()}), 0);

  thrust::transform(stock, numbers, numbers + n, items.begin(), hash_of{});
  const auto sum = [&] {
    return thrust::reduce(stock, items.begin(), items.end(), std::uint64_t{0});
  };
  const std::uint64_t before = sum();
  hindsight::sort_segments(par, items.begin(), items.end(), by);
  EXPECT_EQ(thrust::count_if(stock, numbers, numbers + n, is_below_its_neighbour{items.data()}), 0);
  EXPECT_EQ(sum(), before);
}

/// Reduces with CUB and with ours and expects the same bits.
template <class Out, class Call>
void expect_same(std::size_t num_segments, Call call) {
  const device_array<Out> expected(num_segments), actual(num_segments);
  const auto run = [](auto two_phases) {
    std::size_t bytes = 0;
    check(two_phases(nullptr, bytes));
    const device_array<char> temp(bytes, 1);
    check(two_phases(temp.data(), bytes));
  };
  run([&](void* temp, std::size_t& bytes) {
    return call(cub::DeviceSegmentedReduce{}, temp, bytes, expected.data());
  });
  run([&](void* temp, std::size_t& bytes) {
    return call(hindsight::DeviceSegmentedReduce{}, temp, bytes, actual.data());
  });
  EXPECT_EQ(difference(actual.to_host(), expected.to_host()), "");
}

TEST(Segments, InCubsShape) {
  const segment_lengths lengths("all sorts", 100'000, 1, {0, 0, 1, 2, 40, 300, 20'000});
  const auto num_segments = static_cast<std::int64_t>(lengths.offsets.size() - 1);
  std::vector<int> items(lengths.offsets.back());
  std::mt19937 random{1};
  for (int& item : items) item = int(random() % 1000) - 500;
  const device_array<int> in(items);
  const device_array<std::uint32_t> offsets(lengths.offsets);
  using pair = cub::KeyValuePair<int, int>;
  expect_same<int>(std::size_t(num_segments),
                   [&](auto device, void* temp, std::size_t& bytes, int* out) {
                     return device.Sum(temp, bytes, in.data(), out, num_segments, offsets.data(),
                                       offsets.data() + 1);
                   });
  expect_same<pair>(std::size_t(num_segments),
                    [&](auto device, void* temp, std::size_t& bytes, pair* out) {
                      return device.ArgMin(temp, bytes, in.data(), out, num_segments,
                                           offsets.data(), offsets.data() + 1);
                    });
  // Segments that overlap, in no order.
  std::vector<int> begins, ends;
  for (std::int64_t s = 0; s < num_segments; ++s) {
    begins.push_back(int(random() % items.size()));
    ends.push_back(
        int(std::min<std::size_t>(items.size(), std::size_t(begins.back()) + random() % 300)));
  }
  const device_array<int> begin_offsets(begins), end_offsets(ends);
  expect_same<int>(std::size_t(num_segments),
                   [&](auto device, void* temp, std::size_t& bytes, int* out) {
                     return device.Max(temp, bytes, in.data(), out, num_segments,
                                       begin_offsets.data(), end_offsets.data());
                   });
}

TEST(Segments, Capture) {
  const segment_lengths lengths("all sorts", 50'000, 0, {0, 1, 40, 9000});
  const segments_case<affine> expected(lengths, 0);
  const device_array<affine> in(expected.items), out(in.size()), sums(expected.sums.size());
  const device_array<std::uint32_t> offsets(lengths.offsets);
  const auto by = hindsight::by_offsets(offsets.begin(), offsets.end());
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  hindsight::reduce_segments(par.on(stream), in.begin(), in.end(), by, sums.begin(), expected.init,
                             compose{});
  hindsight::inclusive_scan_segments(par.on(stream), in.begin(), in.end(), by, out.begin(),
                                     compose{});
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  for (int replay = 0; replay < 2; ++replay) {
    sums.fill_with_poison();
    out.fill_with_poison();
    check(cudaGraphLaunch(exec, stream));
    check(cudaStreamSynchronize(stream));
    EXPECT_EQ(difference(sums.to_host(), expected.sums), "");
    EXPECT_EQ(difference(out.to_host(), expected.inclusive), "");
  }
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

}  // namespace hindsight_test
