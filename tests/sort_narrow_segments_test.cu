// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of so many keys of 4 bytes that they are split into segments: beside CUB's, on the GPU.
// Keys that split evenly, that are skewed, and that seem to split and do not; in place and not.
#include <hindsight/detail/cuda/segment_split.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/sort.h>

#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/bit>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>

#include "sort_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

enum class kind {
  even,
  ascending_but_for_one,
  skewed,
  some_segments_too_large,
  one_segment_too_large,
  highest_repeat,
  alike
};
const kind all_kinds[] = {kind::even,
                          kind::ascending_but_for_one,
                          kind::skewed,
                          kind::some_segments_too_large,
                          kind::one_segment_too_large,
                          kind::highest_repeat,
                          kind::alike};

/// Key i of n.
template <class Key>
struct key_of_kind {
  kind like;
  std::size_t n;
  static __host__ __device__ std::uint64_t mixed(std::uint64_t i) {
    i = (i ^ i >> 31) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 29) * 0x94d049bb133111ebu;
    return i ^ i >> 32;
  }
  __host__ __device__ Key operator()(std::size_t i) const {
    const std::uint64_t random = mixed(i + 1);
    auto bits = static_cast<std::uint32_t>(random >> 32);
    if (like == kind::ascending_but_for_one)
      bits = i == 0 ? 0x80000000u : static_cast<std::uint32_t>((i << 32) / n);
    if (like == kind::skewed)
      bits = static_cast<std::uint32_t>((random >> 32) * (random & ~0u) >> 32);
    if (like == kind::some_segments_too_large && bits >> 24 == 0x7f) bits &= ~0x00800000u;
    if (like == kind::one_segment_too_large && i % 4096 == 5) bits = 0x12345678u + (random & 0xff);
    if (like == kind::highest_repeat) bits = (bits & 0xffff) | (bits >> 24) * 0x01010000u;
    if (like == kind::alike) bits = 0x80000000u;
    return ::cuda::std::bit_cast<Key>(bits);
  }
};

template <class Item>
struct bits_are_equal {
  __host__ __device__ bool operator()(const Item& a, const Item& b) const {
    return ::cuda::std::bit_cast<hindsight::detail::unsigned_bits_t<Item>>(a) ==
           ::cuda::std::bit_cast<hindsight::detail::unsigned_bits_t<Item>>(b);
  }
};
template <class Item>
bool same_bits(const device_array<Item>& a, const device_array<Item>& b, std::size_t n) {
  return thrust::equal(thrust::cuda::par, a.data(), a.data() + n, b.data(), bits_are_equal<Item>{});
}

template <class Sort>
void with_temporary_memory(Sort sort) {
  std::size_t bytes = 0;
  check(sort(nullptr, bytes));
  const device_array<char> temp(bytes);
  check(sort(temp.data(), bytes));
}

template <class Key>
void expect_keys_as_stock(kind like, std::size_t n) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", kind " << int(like));
  const device_array<Key> in(n), stock(n), ours(n);
  thrust::tabulate(thrust::cuda::par, in.data(), in.data() + n, key_of_kind<Key>{like, n});
  with_temporary_memory([&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(temp, bytes, in.data(), stock.data(), n);
  });
  with_temporary_memory([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceRadixSort::SortKeys(temp, bytes, in.data(), ours.data(), n);
  });
  EXPECT_TRUE(same_bits(ours, stock, n));
  if (std::is_floating_point_v<Key>) return;  // Thrust's order of NaNs is another one
  thrust::sort(hindsight::cuda::par, in.data(), in.data() + n);
  EXPECT_TRUE(same_bits(in, stock, n)) << "in place";
}

template <class Key, class Value>
void expect_pairs_as_stock(kind like, std::size_t n) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", kind " << int(like));
  const device_array<Key> in(n), stock(n), ours(n);
  const device_array<Value> values(n), stock_values(n), our_values(n);
  thrust::tabulate(thrust::cuda::par, in.data(), in.data() + n, key_of_kind<Key>{like, n});
  thrust::tabulate(thrust::cuda::par, values.data(), values.data() + n,
                   key_of_kind<std::uint32_t>{kind::even, n});
  with_temporary_memory([&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(temp, bytes, in.data(), stock.data(),
                                                     values.data(), stock_values.data(), n);
  });
  with_temporary_memory([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceRadixSort::SortPairsDescending(temp, bytes, in.data(), ours.data(),
                                                           values.data(), our_values.data(), n);
  });
  EXPECT_TRUE(same_bits(ours, stock, n));
  EXPECT_TRUE(same_bits(our_values, stock_values, n));

  cub::DoubleBuffer<Key> keys(in.data(), ours.data());
  cub::DoubleBuffer<Value> both(values.data(), our_values.data());
  with_temporary_memory([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceRadixSort::SortPairsDescending(temp, bytes, keys, both, n);
  });
  EXPECT_TRUE(same_bits(keys.Current() == in.data() ? in : ours, stock, n)) << "two buffers";
  EXPECT_TRUE(same_bits(both.Current() == values.data() ? values : our_values, stock_values, n))
      << "two buffers";
}

template <class Key, class Value>
constexpr std::size_t least_split = hindsight::detail::sort_tuning<Key, Value>::least_split;
template <class Key, class Value>
constexpr std::size_t most_split = hindsight::detail::cuda::segment_split::most_keys<
    hindsight::detail::segment_tuning<Key, Value>>(2);

TEST(NarrowSegments, OfKeys) {
  using hindsight::detail::no_value;
  const std::size_t least = least_split<std::uint32_t, no_value>;
  for (const kind like : all_kinds) {
    expect_keys_as_stock<std::int32_t>(like, least + 1);
    expect_keys_as_stock<float>(like, least + 12345);
  }
  const std::size_t most = most_split<std::uint32_t, no_value>;
  for (const std::size_t n : {least - 1, std::size_t{1} << 28, most, most + 1})
    expect_keys_as_stock<std::uint32_t>(kind::even, n);
}

TEST(NarrowSegments, OfPairs) {
  const std::size_t least = least_split<std::uint32_t, std::uint32_t>;
  for (const kind like : all_kinds) {
    expect_pairs_as_stock<std::int32_t, std::uint32_t>(like, least + 1);
    expect_pairs_as_stock<std::uint32_t, std::uint64_t>(like, 3 * least);
    expect_pairs_as_stock<float, std::uint16_t>(like, 2 * least + 77);
  }
  const std::size_t most = most_split<std::uint32_t, std::uint32_t>;
  for (const std::size_t n :
       {least - 1, std::size_t{1} << 27, std::size_t{1} << 28, most, most + 1})
    expect_pairs_as_stock<std::uint32_t, std::uint32_t>(kind::even, n);
}

}  // namespace hindsight_test
