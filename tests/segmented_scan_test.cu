// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of segments in CUB's shape on the GPU, against loops on the CPU: of segments that follow
// each other, and of the same with room between them.
#include <hindsight/device_segmented_scan.cuh>

#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>

#include "pieces_testing.h"
#include "segments_testing.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace hindsight_test {

TEST(SegmentedScan, EqualsPlainLoops) {
  using hindsight::DeviceSegmentedScan;
  for (const segment_lengths& lengths : all_segment_lengths()) {
    SCOPED_TRACE(lengths.name);
    const segments_case<affine> expected(lengths, 3);
    const device_array<affine> in(expected.items, 1), out(expected.items.size(), 1);
    const device_array<std::uint32_t> offsets(lengths.offsets, 1);
    const auto num_segments = std::int64_t(lengths.offsets.size() - 1);
    const std::uint32_t* const begins = offsets.data();
    in_two_phases_at(1, [&](void* temp, std::size_t& bytes) {
      return DeviceSegmentedScan::InclusiveSegmentedScan(temp, bytes, in.data(), out.data(), begins,
                                                         begins + 1, num_segments, compose{});
    });
    EXPECT_EQ(difference(out.to_host(), expected.inclusive), "");
    out.fill_with_poison();
    in_two_phases_at(1, [&](void* temp, std::size_t& bytes) {
      return DeviceSegmentedScan::ExclusiveSegmentedScan(temp, bytes, in.data(), out.data(), begins,
                                                         begins + 1, num_segments, compose{},
                                                         expected.init);
    });
    EXPECT_EQ(difference(out.to_host(), expected.exclusive), "");
    EXPECT_TRUE(out.is_untouched(out.size()));
  }
}

// Whoever asks for the size may not have the offsets yet.
TEST(SegmentedScan, SizeWithoutOffsets) {
  const segment_lengths lengths("some", 5000, 3, {0, 1, 2, 40});
  const segments_case<affine> expected(lengths, 3);
  const device_array<affine> in(expected.items), out(expected.items.size());
  const device_array<std::uint32_t> offsets(lengths.offsets);
  const auto scan = [&](void* temp, std::size_t& bytes, const std::uint32_t* begins,
                        const std::uint32_t* ends) {
    return hindsight::DeviceSegmentedScan::InclusiveSegmentedScan(
        temp, bytes, in.data(), out.data(), begins, ends, int(lengths.offsets.size() - 1),
        compose{});
  };
  std::size_t bytes = 0;
  check(scan(nullptr, bytes, nullptr, nullptr));
  const device_array<char> temp(bytes);
  check(scan(temp.data(), bytes, offsets.data(), offsets.data() + 1));
  EXPECT_EQ(difference(out.to_host(), expected.inclusive), "");
}

// Every second segment, so that others lie between: places of ends are an array of their own.
TEST(SegmentedScan, SegmentsWithItemsBetweenThem) {
  for (const segment_lengths& lengths : all_segment_lengths()) {
    SCOPED_TRACE(lengths.name);
    const segments_case<affine> all(lengths, 3);
    std::vector<std::uint32_t> begins, ends;
    std::vector<affine> expected = all.untouched;
    for (std::size_t s = 0; s + 1 < lengths.offsets.size(); s += 2) {
      begins.push_back(lengths.offsets[s]);
      ends.push_back(lengths.offsets[s + 1]);
      std::copy(all.exclusive.begin() + begins.back(), all.exclusive.begin() + ends.back(),
                expected.begin() + begins.back());
    }
    const device_array<affine> in(all.items, 1), out(all.items.size(), 1);
    const device_array<std::uint32_t> first(begins), last(ends);
    in_two_phases_at(1, [&](void* temp, std::size_t& bytes) {
      return hindsight::DeviceSegmentedScan::ExclusiveSegmentedScan(
          temp, bytes, in.data(), out.data(), first.data(), last.data(), int(begins.size()),
          compose{}, all.init);
    });
    EXPECT_EQ(difference(out.to_host(), expected), "");
  }
}

template <class T>
struct is_not_its_place {
  const T* sums;
  std::uint64_t begin;
  HINDSIGHT_HD bool operator()(std::uint64_t i) const { return sums[i] != T(i - begin + 1); }
};

// A tile has 4096 items, and there are places for 131072 tiles; places beyond 2^32.
TEST(SegmentedScan, MoreTilesThanPlaces) {
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  if (free_bytes < std::size_t{5} << 30) GTEST_SKIP() << "less than 5 GiB of free GPU memory";
  const thrust::constant_iterator<std::uint8_t> ones(1);
  const std::uint64_t n = (std::uint64_t{1} << 32) + 12'345;
  const std::vector<std::uint64_t> all{5, 5, 70'000, n / 3, n / 3 + 1, n - 7, n};
  const device_array<std::uint64_t> offsets(all);
  const device_array<std::uint8_t> sums(n);
  const std::uint64_t* const begins = offsets.data();
  in_two_phases_at(1, [&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceSegmentedScan::InclusiveSegmentedSum(
        temp, bytes, ones, sums.data(), begins, begins + 1, int(all.size() - 1));
  });
  for (std::size_t s = 0; s + 1 < all.size(); ++s) {
    const thrust::counting_iterator<std::uint64_t> first(all[s]), last(all[s + 1]);
    EXPECT_EQ(thrust::count_if(thrust::device, first, last,
                               is_not_its_place<std::uint8_t>{sums.data(), all[s]}),
              0)
        << s;
  }
}

// The same in a pipeline, which leaves so many to other blocks; and just as many tiles as places.
TEST(SegmentedScan, MoreTilesThanPlacesOfAPipeline) {
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  if (free_bytes < std::size_t{3} << 30) GTEST_SKIP() << "less than 3 GiB of free GPU memory";
  const std::uint64_t places = std::uint64_t{1} << 29;
  const device_array<std::uint32_t> items(std::size_t(places + 12'345));
  for (const std::uint64_t n : {places + 12'345, places}) {
    thrust::fill(thrust::device, items.begin(), items.end(), 1u);
    const std::vector<std::uint64_t> all{0, 0, 70'000, n / 3, n / 3 + 1, n - 7, n};
    const device_array<std::uint64_t> offsets(all);
    const std::uint64_t* const begins = offsets.data();
    in_two_phases_at(1, [&](void* temp, std::size_t& bytes) {
      return hindsight::DeviceSegmentedScan::InclusiveSegmentedSum(
          temp, bytes, items.data(), items.data(), begins, begins + 1, int(all.size() - 1));
    });
    for (std::size_t s = 0; s + 1 < all.size(); ++s) {
      const thrust::counting_iterator<std::uint64_t> first(all[s]), last(all[s + 1]);
      EXPECT_EQ(thrust::count_if(thrust::device, first, last,
                                 is_not_its_place<std::uint32_t>{items.data(), all[s]}),
                0)
          << n << ", segment " << s;
    }
  }
}

// Numbers, whose tiles go through a pipeline: sums beside the CPU's, of segments that begin at any
// item, in an array of which they are a part.
TEST(SegmentedScan, PipelinesEqualPlainLoops) {
  for (const segment_lengths& lengths :
       {segment_lengths("short and long", 9'000'000, 0, {0, 1, 3, 9, 1'000'000}),
        segment_lengths("not a multiple of 16 bytes", 8'000'000, 3, {0, 0, 2, 40, 300}),
        segment_lengths("one", {0, 8'000'000})}) {
    SCOPED_TRACE(lengths.name);
    const std::size_t n = lengths.offsets.back();
    std::vector<std::uint32_t> items(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = std::uint32_t(i * 2654435761u >> 7);
    std::vector<std::uint32_t> offsets = lengths.offsets;
    offsets.insert(offsets.begin() + std::ptrdiff_t(offsets.size() / 2), 100'000,
                   offsets[offsets.size() / 2]);  // many empty ones in a row
    expected = items;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      for (std::size_t i = offsets[s] + 1; i < offsets[s + 1]; ++i)
        expected[i] = expected[i - 1] + items[i];
    const device_array<std::uint32_t> in(items), ends(offsets);
    const std::uint32_t* const begins = ends.data();
    const auto num_segments = std::int64_t(offsets.size() - 1);
    in_two_phases_at(1, [&](void* temp, std::size_t& bytes) {
      return hindsight::DeviceSegmentedScan::InclusiveSegmentedSum(
          temp, bytes, in.data(), in.data(), begins, begins + 1, num_segments);
    });
    EXPECT_EQ(difference(in.to_host(), expected), "");
  }
}

template <class T>
class SegmentedScanOfFloats : public testing::Test {
 protected:
  using scan = hindsight::DeviceSegmentedScan;

  /// Sums in place, where no block folds what others have folded.
  static std::vector<T> sums_in_place(const std::vector<T>& items,
                                      const device_array<std::uint32_t>& offsets) {
    const device_array<T> in_place(items);
    sum(in_place.data(), in_place.data(), offsets);
    return in_place.to_host();
  }
  /// Sums; whether the temporary memory stayed as it was.
  static bool sum(const T* in, T* out, const device_array<std::uint32_t>& offsets) {
    const auto num_segments = std::int64_t(offsets.size() - 1);
    const std::uint32_t* const begins = offsets.data();
    std::size_t bytes = 0;
    check(scan::InclusiveSegmentedSum(nullptr, bytes, in, out, begins, begins + 1, num_segments));
    const device_array<char> temp(bytes);
    check(
        scan::InclusiveSegmentedSum(temp.data(), bytes, in, out, begins, begins + 1, num_segments));
    check(cudaDeviceSynchronize());
    return temp.is_untouched();
  }
  static std::vector<T> random_floats(std::size_t n) {
    std::mt19937_64 random{n};
    std::vector<T> items(n);
    for (T& item : items) item = T(random()) / T(1e18);
    return items;
  }
  static std::vector<segment_lengths> lengths_of(std::uint32_t n) {
    const std::uint32_t tile = hindsight::detail::segment_scan_tuning<T>::shape.tile_items();
    std::vector<segment_lengths> all{{"one", {0, n}},
                                     {"one among short ones", {5, 6, 7, tile + 9, n - 4, n - 3, n}},
                                     {"short", n, 0, {0, 1, 3, 30}},
                                     {"medium", n, 1, {1000}},
                                     {"as long as tiles", n, 0, {tile - 1, tile, 2 * tile}},
                                     {"long", n, 3, {0, 7, 100'000}},
                                     {"all sorts", n, 0, {0, 0, 1, 2, 300, 20'000}}};
    std::vector<std::uint32_t> of_tiles{0};
    while (of_tiles.back() + tile < n) of_tiles.push_back(of_tiles.back() + tile);
    all.emplace_back("tiles", of_tiles);
    std::vector<std::uint32_t> many_empty{0, n / 2};
    many_empty.insert(many_empty.end(), 100'000, n / 2 + 9);
    many_empty.push_back(n);
    all.emplace_back("many empty ones in a row", many_empty);
    return all;
  }
};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(SegmentedScanOfFloats, floats);

// A call for few items takes no temporary memory. Sums of many items have the same bits, and so
// have sums in place.
TYPED_TEST(SegmentedScanOfFloats, BitsDoNotDependOnTheSizeOfTheAllocation) {
  for (const std::uint32_t n : {20'000u, 70'000u, 200'000u}) {
    for (const segment_lengths& lengths : this->lengths_of(n)) {
      SCOPED_TRACE(lengths.name + ", " + std::to_string(n));
      const auto items = this->random_floats(lengths.offsets.back());
      const std::size_t bytes = items.size() * sizeof(TypeParam), few = std::size_t{1} << 19;
      const device_array<std::uint32_t> offsets(lengths.offsets);
      const pieces_of_memory memory(bytes + 4 * few);
      const TypeParam* const in = memory.assign(items, std::min(bytes, few));
      const device_array<TypeParam> out(items), many(5'000'000);
      const auto expected = this->sums_in_place(items, offsets);
      EXPECT_TRUE(this->sum(in, out.data(), offsets));
      EXPECT_EQ(difference(out.to_host(), expected), "");
      out.assign(items);
      many.assign(items);
      EXPECT_FALSE(this->sum(many.data(), out.data(), offsets));
      EXPECT_EQ(difference(out.to_host(), expected), "");
    }
  }
}

// Without room for what tiles hand on, each block in a long segment would fold its beginning again.
using SegmentedScanOfSomeFloats = SegmentedScanOfFloats<float>;
TEST_F(SegmentedScanOfSomeFloats, OneLaunchIsForAllLengthsOrForMediumOnes) {
  const std::uint32_t n = 400'000;
  const segment_lengths medium{"medium", n, 1, {1000}}, one{"one", {0, n}},
      tiny{"tiny", n, 0, {0, 1, 3, 30}};
  for (const segment_lengths& lengths : {medium, one, tiny}) {
    SCOPED_TRACE(lengths.name);
    const auto items = random_floats(lengths.offsets.back());
    const std::size_t bytes = items.size() * sizeof(float);
    const device_array<std::uint32_t> offsets(lengths.offsets);
    const pieces_of_memory memory(bytes);
    for (const bool has_room : {true, false}) {
      SCOPED_TRACE(has_room ? "with room" : "without");
      const device_array<float> out(items);
      const hindsight::detail::no_zeroed_memory guard{!has_room};
      const bool is_one_launch = sum(memory.assign(items, bytes), out.data(), offsets);
      EXPECT_EQ(difference(out.to_host(), sums_in_place(items, offsets)), "");
      EXPECT_EQ(is_one_launch, has_room || lengths.name == medium.name);
    }
  }
}

// More items than belong to the allocation of the first one.
TYPED_TEST(SegmentedScanOfFloats, BitsDoNotDependOnPiecesOfMemory) {
  const std::uint32_t n = 1'500'000;  // more tiles than blocks
  for (const segment_lengths& lengths : this->lengths_of(n)) {
    SCOPED_TRACE(lengths.name);
    const auto items = this->random_floats(lengths.offsets.back());
    const device_array<std::uint32_t> offsets(lengths.offsets);
    const pieces_of_memory memory(items.size() * sizeof(TypeParam) + (std::size_t{4} << 20));
    const TypeParam* const in = memory.assign(items, 4000);
    const device_array<TypeParam> out(items);
    EXPECT_TRUE(this->sum(in, out.data(), offsets));
    EXPECT_EQ(difference(out.to_host(), this->sums_in_place(items, offsets)), "");
  }
}

// The number of items is read at each replay: by one kernel, and by a pipeline.
TEST(SegmentedScan, Capture) {
  for (const std::size_t n : {std::size_t{50'000}, std::size_t{8'000'000}}) {
    const std::vector<std::uint32_t> ones(n, 1);
    const device_array<std::uint32_t> in(ones), out(n), offsets(4);
    const std::uint32_t* const begins = offsets.data();
    std::size_t bytes = 0;
    const own_stream stream;
    const auto call = [&](void* temp) {
      check(hindsight::DeviceSegmentedScan::InclusiveSegmentedSum(
          temp, bytes, in.data(), out.data(), begins, begins + 1, 3, stream));
    };
    call(nullptr);
    const device_array<char> temp(bytes, 1);
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    call(temp.data());
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&replay, graph, 0));
    for (const std::uint32_t last :
         {std::uint32_t(n), std::uint32_t(n / 3), std::uint32_t(n - 1)}) {
      const std::vector<std::uint32_t> places{0, 7, last / 2, last};
      offsets.assign(places);
      out.fill_with_poison();
      std::vector<std::uint32_t> expected = out.to_host();
      for (std::size_t s = 0; s < 3; ++s)
        for (std::uint32_t i = places[s]; i < places[s + 1]; ++i) expected[i] = i - places[s] + 1;
      check(cudaGraphLaunch(replay, stream));
      stream.wait();
      EXPECT_EQ(difference(out.to_host(), expected), "") << n << ", " << last;
    }
    check(cudaGraphExecDestroy(replay));
    check(cudaGraphDestroy(graph));
  }
}

}  // namespace hindsight_test
