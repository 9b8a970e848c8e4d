// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More than 2^31 and more than 2^32 items: results that are known without a reference run.
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include "gpu_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

using u8 = std::uint8_t;
using u64 = std::uint64_t;
const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

constexpr std::size_t above_31_bits = (std::size_t{1} << 31) + 70001;
constexpr std::size_t above_32_bits = (std::size_t{1} << 32) + 70001;
const auto numbers = thrust::make_counting_iterator(u64{0});

struct Large : testing::Test {
  void SetUp() override {
    std::size_t free_bytes = 0, total = 0;
    check(cudaMemGetInfo(&free_bytes, &total));
    if (free_bytes < std::size_t{24} << 30) GTEST_SKIP() << "less than 24 GiB of free GPU memory";
  }
};

struct hash {
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8((i * 0x9e3779b97f4a7c15u) >> 56); }
};
struct complement {
  HINDSIGHT_HD u8 operator()(u8 key) const { return u8(~key); }
};
struct is_multiple {
  u64 divisor;
  HINDSIGHT_HD bool operator()(u64 i) const { return i % divisor == 0; }
};
struct quotient {
  u64 divisor;
  HINDSIGHT_HD u64 operator()(u64 i) const { return i / divisor; }
};
/// Whether item i is not what it should be.
struct is_wrong_count {
  const u8* items;
  HINDSIGHT_HD bool operator()(u64 i) const { return items[i] != u8(i + 1); }
};
struct is_out_of_order {
  const u8* keys;
  HINDSIGHT_HD bool operator()(u64 i) const { return keys[i] > keys[i + 1]; }
};
struct is_wrong_pair {
  const u8 *keys, *values;
  HINDSIGHT_HD bool operator()(u64 i) const { return values[i] != u8(~keys[i]); }
};

TEST_F(Large, Reduce) {
  const u64 n = above_32_bits;
  EXPECT_EQ(thrust::reduce(par, numbers, numbers + n), n / 2 * (n - 1) + (n % 2) * ((n - 1) / 2));
  EXPECT_EQ(u64(thrust::count_if(par, numbers, numbers + n, is_multiple{1000})), (n + 999) / 1000);
}

TEST_F(Large, Scan) {
  const std::size_t n = above_32_bits;
  const device_array<u8> out(n);
  const auto ones = thrust::make_constant_iterator(u8{1});
  ASSERT_EQ(thrust::inclusive_scan(par, ones, ones + n, out.data()), out.end());
  EXPECT_EQ(thrust::count_if(stock, numbers, numbers + n, is_wrong_count{out.data()}), 0);
  EXPECT_TRUE(out.is_untouched(n));
}

TEST_F(Large, SelectAndPartition) {
  const u64 n = above_32_bits, divisor = 65536;
  const std::size_t kept = (n + divisor - 1) / divisor;
  const device_array<u64> out(kept), out2(kept);
  const auto end = thrust::copy_if(par, numbers, numbers + n, out.data(), is_multiple{divisor});
  ASSERT_EQ(end, out.end());
  const auto nowhere = thrust::make_discard_iterator();
  const auto ends =
      thrust::partition_copy(par, numbers, numbers + n, out2.data(), nowhere, is_multiple{divisor});
  ASSERT_EQ(ends.first, out2.end());
  EXPECT_EQ(u64(ends.second - nowhere), n - kept);
  std::vector<u64> expected(kept);
  for (std::size_t i = 0; i < kept; ++i) expected[i] = i * divisor;
  EXPECT_EQ(difference(out.to_host(), expected), "");
  EXPECT_EQ(difference(out2.to_host(), expected), "");
}

TEST_F(Large, RunsOfKeys) {
  const u64 n = above_32_bits, length = 1000003;
  const std::size_t num_runs = (n + length - 1) / length;
  const auto keys = thrust::make_transform_iterator(numbers, quotient{length});
  std::vector<u64> expected_keys(num_runs), expected_lengths(num_runs, length);
  for (std::size_t i = 0; i < num_runs; ++i) expected_keys[i] = i;
  expected_lengths.back() = n - (num_runs - 1) * length;

  const device_array<u64> keys_out(num_runs), sums(num_runs);
  const auto ends = thrust::reduce_by_key(
      par, keys, keys + n, thrust::make_constant_iterator(u64{1}), keys_out.data(), sums.data());
  ASSERT_EQ(ends.first, keys_out.end());
  EXPECT_EQ(difference(keys_out.to_host(), expected_keys), "");
  EXPECT_EQ(difference(sums.to_host(), expected_lengths), "");

  keys_out.fill_with_poison();
  sums.fill_with_poison();
  const auto run_ends =
      hindsight::run_length_encode(par, keys, keys + n, keys_out.data(), sums.data());
  ASSERT_EQ(run_ends.first, keys_out.end());
  EXPECT_EQ(difference(keys_out.to_host(), expected_keys), "");
  EXPECT_EQ(difference(sums.to_host(), expected_lengths), "");
}

TEST_F(Large, OneRun) {
  const u64 n = above_32_bits;
  const auto zeros = thrust::make_constant_iterator(u8{0});
  const device_array<u64> length(1);
  const device_array<u8> item(1);
  const auto ends = hindsight::run_length_encode(par, zeros, zeros + n, item.data(), length.data());
  ASSERT_EQ(ends.first, item.end());
  EXPECT_EQ(length.to_host()[0], n);
}

// One counter takes more than 32 bits hold.
TEST_F(Large, OneBin) {
  const std::size_t n = above_32_bits;
  const device_array<u64> bins(300);
  const auto sevens = thrust::make_constant_iterator(u8{7});
  hindsight::histogram_even(par, sevens, sevens + n, 256, 0, 256, bins.data());
  EXPECT_EQ(bins.to_host(256)[7], n);
  const auto numbers_of_one = thrust::make_constant_iterator(7);
  hindsight::histogram_even(par, numbers_of_one, numbers_of_one + n, 300, 0, 300, bins.data());
  EXPECT_EQ(bins.to_host()[7], n);
}

TEST_F(Large, ScanByKey) {
  const std::size_t n = above_32_bits;
  const device_array<u8> out(n);
  const auto ones = thrust::make_constant_iterator(u8{1});
  const auto zeros = thrust::make_constant_iterator(u8{0});
  ASSERT_EQ(thrust::inclusive_scan_by_key(par, zeros, zeros + n, ones, out.data()), out.end());
  EXPECT_EQ(thrust::count_if(stock, numbers, numbers + n, is_wrong_count{out.data()}), 0);
}

enum class order {
  sorted,
  with_ties,
  reversed,
  reversed_with_a_tie,
  first_falls,
  last_falls,
  last_rises
};

/// Key i of n keys in this order.
template <class Key>
struct key_in_order {
  u64 n;
  order kind;
  HINDSIGHT_HD Key operator()(u64 i) const {
    switch (kind) {
      case order::with_ties:
        return Key(i / 3);
      case order::reversed:
        return Key(n - i);
      case order::reversed_with_a_tie:
        return Key(n - i + (i == n / 2));
      case order::first_falls:
        return Key(i == 0 ? 2 : i);
      case order::last_falls:
        return Key(i == n - 1 ? 3 : i);
      case order::last_rises:
        return Key(i == n - 1 ? n : n - i);
      default:
        return Key(i);
    }
  }
};

/// Sorts keys in each order, and their numbers, as stock does.
template <class Key, class Compare>
void sort_keys_in_order(Compare compare) {
  // So many keys are looked at; the last tile is not full.
  const std::size_t n = (std::size_t{1} << (sizeof(Key) < 8 ? 27 : 26)) + 7;
  const device_array<Key> keys(n), alone(n), expected(n);
  const device_array<std::uint32_t> values(n), expected_values(n);
  for (const order kind :
       {order::sorted, order::with_ties, order::reversed, order::reversed_with_a_tie,
        order::first_falls, order::last_falls, order::last_rises}) {
    SCOPED_TRACE(testing::Message() << "order " << int(kind));
    const auto in_order = thrust::make_transform_iterator(numbers, key_in_order<Key>{n, kind});
    for (const auto* items : {&keys, &alone, &expected})
      thrust::copy_n(stock, in_order, n, items->data());
    for (const auto* items : {&values, &expected_values})
      thrust::copy_n(stock, numbers, n, items->data());
    thrust::stable_sort_by_key(stock, expected.begin(), expected.end(), expected_values.begin(),
                               compare);
    thrust::sort_by_key(par, keys.begin(), keys.end(), values.begin(), compare);
    thrust::sort(par, alone.begin(), alone.end(), compare);
    EXPECT_TRUE(thrust::equal(stock, keys.begin(), keys.end(), expected.begin()));
    EXPECT_TRUE(thrust::equal(stock, alone.begin(), alone.end(), expected.begin()));
    EXPECT_TRUE(thrust::equal(stock, values.begin(), values.end(), expected_values.begin()));
    EXPECT_TRUE(keys.is_untouched(n) && alone.is_untouched(n) && values.is_untouched(n));
  }
}
TEST_F(Large, KeysInOrder) {
  sort_keys_in_order<u64>(thrust::less<u64>{});
  sort_keys_in_order<std::int64_t>(thrust::greater<std::int64_t>{});
  sort_keys_in_order<double>(thrust::less<double>{});
  sort_keys_in_order<std::uint32_t>(thrust::less<std::uint32_t>{});
  sort_keys_in_order<std::int32_t>(thrust::greater<std::int32_t>{});
  sort_keys_in_order<float>(thrust::greater<float>{});
}

TEST_F(Large, SortAndHistogram) {
  for (const std::size_t n : {above_31_bits, above_32_bits}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const device_array<u8> keys(n), values(n);
    const auto hashes = thrust::make_transform_iterator(numbers, hash{});
    thrust::copy_n(stock, hashes, n, keys.data());
    thrust::transform(stock, keys.begin(), keys.end(), values.data(), complement{});
    const device_array<u64> before(256), after(256);
    hindsight::histogram_even(par, hashes, hashes + n, 256, 0, 256, before.data());
    hindsight::histogram_even(par, keys.begin(), keys.end(), 256, 0, 256, after.data());
    const auto counts = before.to_host();
    EXPECT_EQ(difference(after.to_host(), counts), "");
    u64 total = 0;
    for (const u64 count : counts) total += count;
    EXPECT_EQ(total, n);

    thrust::sort_by_key(par, keys.begin(), keys.end(), values.data());
    EXPECT_EQ(thrust::count_if(stock, numbers, numbers + (n - 1), is_out_of_order{keys.data()}), 0);
    EXPECT_EQ(
        thrust::count_if(stock, numbers, numbers + n, is_wrong_pair{keys.data(), values.data()}),
        0);
    hindsight::histogram_even(par, keys.begin(), keys.end(), 256, 0, 256, after.data());
    EXPECT_EQ(difference(after.to_host(), counts), "");
  }
}

/// Key i of more than 2^32 keys: an odd multiple of i, so each number of 32 bits comes once, and
/// the first 70,001 of them again at the end.
struct odd_multiple {
  static constexpr std::uint32_t factor = 0x9e3779b1u;
  HINDSIGHT_HD std::uint32_t operator()(u64 i) const {
    return static_cast<std::uint32_t>(i) * factor;
  }
};
struct upper_half {
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8(i >> 32); }
};
/// Whether sorted keys i and i + 1 are not what they should be.
struct is_wrong_step {
  const std::uint32_t* keys;
  const u8* from_end;
  HINDSIGHT_HD bool operator()(u64 i) const {
    const bool ties = keys[i] == keys[i + 1];
    return ties ? from_end[i] != 0 || from_end[i + 1] != 1
                : keys[i] + 1 != keys[i + 1] || keys[i + 1] == 0 || from_end[i + 1] != 0;
  }
};

// Passes over several digits, each in several portions.
TEST_F(Large, SortOfSeveralDigits) {
  std::size_t free_bytes = 0, total = 0;
  check(cudaMemGetInfo(&free_bytes, &total));
  if (free_bytes < std::size_t{48} << 30) GTEST_SKIP() << "less than 48 GiB of free GPU memory";
  const std::size_t n = above_32_bits;
  const device_array<std::uint32_t> keys(n);
  const device_array<u8> from_end(n);
  thrust::transform(stock, numbers, numbers + n, keys.data(), odd_multiple{});
  thrust::transform(stock, numbers, numbers + n, from_end.data(), upper_half{});
  thrust::stable_sort_by_key(par, keys.begin(), keys.end(), from_end.begin());
  EXPECT_EQ(thrust::count_if(stock, numbers, numbers + (n - 1),
                             is_wrong_step{keys.data(), from_end.data()}),
            0);
  EXPECT_EQ(thrust::count(stock, from_end.begin(), from_end.end(), u8{1}), 70001);
  EXPECT_TRUE(keys.is_untouched(n) && from_end.is_untouched(n));

  thrust::transform(stock, numbers, numbers + n, keys.data(), odd_multiple{});
  thrust::sort(par, keys.begin(), keys.end(), thrust::greater<std::uint32_t>{});
  EXPECT_TRUE(thrust::is_sorted(stock, keys.begin(), keys.end(), thrust::greater<std::uint32_t>{}));
  thrust::sort(par, keys.begin(), keys.end());
  EXPECT_EQ(thrust::count_if(stock, numbers, numbers + (n - 1),
                             is_wrong_step{keys.data(), from_end.data()}),
            0);
}

TEST(MoreTilesThanBlocks, AreRefusedBeforeAnythingRuns) {
  alignas(256) char nowhere[512];
  hindsight::detail::carver space{nowhere};
  hindsight::detail::cuda::tile_chain<int> chain{space, std::size_t{1} << 42, 1024};
  EXPECT_EQ(chain.prepare(space, nullptr), cudaErrorInvalidConfiguration);
}

}  // namespace hindsight_test
