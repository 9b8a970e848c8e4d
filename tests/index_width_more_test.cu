// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Further families around 2^31, 2^32 and 2^33 items of one byte. All results are known in closed
// form. HINDSIGHT_TEST_INDEX_BITS as in index_width_test.cu.
#include <hindsight/device_partition.cuh>
#include <hindsight/device_topk.cuh>
#include <hindsight/image.h>
#include <hindsight/outputs.h>
#include <hindsight/sort_segments.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "index_width_testing.h"

namespace hindsight_test {

struct is_below {
  u8 level;
  HINDSIGHT_HD bool operator()(u8 item) const { return item < level; }
};
/// The low bytes below `width` from `first` on, over and over.
template <unsigned First, unsigned Width>
struct part_of_cycle {
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8(First + i % Width); }
};
u64 num_in_part(u64 n, u64 first, u64 width) {
  const u64 rest = n % 256;
  return n / 256 * width + (rest < first ? 0 : rest < first + width ? rest - first : width);
}

TEST_F(IndexWidth, ThreeWayPartition) {
  for_sizes([](u64 n) {
    const device_array<u8> in(n);
    make<low_byte>(in);
    const u64 counts[] = {num_in_part(n, 0, 50), num_in_part(n, 50, 100), num_in_part(n, 150, 106)};
    const device_array<u8> low(counts[0]), middle(counts[1]), high(counts[2]);
    const device_array<u64> num_selected(2);
    const auto call = [&](void* temp, std::size_t& bytes) {
      check(hindsight::DevicePartition::If(temp, bytes, in.data(), low.data(), middle.data(),
                                           high.data(), num_selected.data(), n, is_below{50},
                                           is_below{150}));
    };
    std::size_t bytes = 0;
    call(nullptr, bytes);
    const device_array<char> temp(bytes);
    call(temp.data(), bytes);
    EXPECT_EQ(difference(num_selected.to_host(), {counts[0], counts[1]}), "");
    EXPECT_EQ((num_wrong<part_of_cycle<0, 50>>(low, counts[0])), 0);
    EXPECT_EQ((num_wrong<part_of_cycle<50, 100>>(middle, counts[1])), 0);
    EXPECT_EQ((num_wrong<part_of_cycle<150, 106>>(high, counts[2])), 0);
  });
}

/// The places of the first keys of 255 are the values of the highest keys.
TEST_F(IndexWidth, TopK) {
  for_sizes([](u64 n) {
    constexpr int k = 100'000;
    const device_array<u8> keys(n), keys_out(k);
    const device_array<u64> places(k);
    make<low_byte>(keys);
    const auto call = [&](void* temp, std::size_t& bytes) {
      check(hindsight::DeviceTopK::MaxPairs(temp, bytes, keys.data(), keys_out.data(), numbers,
                                            places.data(), n, k));
    };
    std::size_t bytes = 0;
    call(nullptr, bytes);
    const device_array<char> temp(bytes);
    call(temp.data(), bytes);
    std::vector<u64> expected(k);
    for (u64 i = 0; i < k; ++i) expected[i] = 256 * i + 255;
    EXPECT_EQ(difference(places.to_host(), expected), "");
    EXPECT_EQ(u64(thrust::count(stock, keys_out.begin(), keys_out.end(), u8{255})), u64{k});
  });
}

constexpr u64 segment_items = 1000;
struct begin_of_segment {
  u64 n;
  HINDSIGHT_HD u64 operator()(u64 s) const { return s * segment_items < n ? s * segment_items : n; }
};
struct is_out_of_order_in_segment {
  const u8* keys;
  HINDSIGHT_HD bool operator()(u64 i) const {
    return (i + 1) % segment_items != 0 && keys[i] > keys[i + 1];
  }
};
TEST_F(IndexWidth, SortOfSegments) {  // the largest size alone, for it takes long
  const u64 n = sizes.back(), num_segments = (n - 1) / segment_items + 1;
  const device_array<u8> keys(n);
  make<scattered<u8>>(keys);
  const auto begins = thrust::make_transform_iterator(numbers, begin_of_segment{n});
  hindsight::sort_segments(par, keys.begin(), keys.end(),
                           hindsight::by_offsets(begins, begins + (num_segments + 1)));
  EXPECT_EQ(
      thrust::count_if(stock, numbers, numbers + (n - 1), is_out_of_order_in_segment{keys.data()}),
      0);
  for (const u8 key : {0, 1, 254, 255})
    EXPECT_NEAR(double(thrust::count(stock, keys.begin(), keys.end(), key)), double(n) / 256, 1.0);
}

constexpr u64 width = 65'537;  // so that no row begins where another one does in a byte
struct ones {
  HINDSIGHT_HD u8 operator()(u64) const { return 1; }
};
struct area {
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8((i % width + 1) * (i / width + 1)); }
};
TEST_F(IndexWidth, TableOfSums) {
  const u64 height = sizes.back() / width;
  const device_array<u8> pixels(height * width), sums(height * width);
  make<ones>(pixels);
  hindsight::summed_area_table(par, pixels.begin(), sums.data(), width, height, width);
  EXPECT_EQ(num_wrong<area>(sums, height * width), 0);
}

struct five_times {
  u64 n;
  HINDSIGHT_HD u64 operator()(u64 i) const { return 5 * i < n ? 5 * i : n; }
};
TEST_F(IndexWidth, Outputs) {
  for_sizes([](u64 n) {
    const u64 num_items = (n + 4) / 5;
    const device_array<u8> items(num_items), out(n);
    make<low_byte>(items);
    const auto offsets = thrust::make_transform_iterator(numbers, five_times{n});
    hindsight::expand(par, items.begin(), offsets, offsets + (num_items + 1), out.data());
    EXPECT_EQ(num_wrong<fives>(out, n), 0);
    EXPECT_TRUE(out.is_untouched(n));
  });
}

}  // namespace hindsight_test
