// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of pairs on the GPU: values of 1 to 32 bytes follow their keys, equal keys stay in order.
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/sort.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sort.h>

#include "sort_by_key_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

TEST(SortByKey, EqualsStock) {
  for (const std::size_t n : {std::size_t{1000}, std::size_t{70000}, (std::size_t{1} << 20) + 7}) {
    const auto keys = random_keys<float>(n, values::of_all_bits);
    const auto items = numbered<std::uint32_t>(n);
    const device_array<float> ours(keys), theirs(keys);
    const device_array<std::uint32_t> our_items(items), their_items(items);
    thrust::sort_by_key(par, ours.begin(), ours.end(), our_items.data());
    thrust::sort_by_key(stock, theirs.begin(), theirs.end(), their_items.data());
    EXPECT_EQ(difference(ours.to_host(), theirs.to_host()), "");
    EXPECT_EQ(difference(our_items.to_host(), their_items.to_host()), "");
  }
}

struct by_last_digit {
  HINDSIGHT_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 10 < b % 10; }
};

TEST(SortByKey, ByAComparatorOfTheCaller) {
  const std::size_t n = 70001;
  auto keys = random_keys<std::uint32_t>(n, values::of_all_bits);
  const device_array<std::uint32_t> sorted(keys), moved(keys);
  thrust::stable_sort_by_key(par, sorted.begin(), sorted.end(), moved.data(), by_last_digit{});
  std::stable_sort(keys.begin(), keys.end(), by_last_digit{});
  EXPECT_EQ(difference(sorted.to_host(), keys), "");
  EXPECT_EQ(difference(moved.to_host(), keys), "");
}

TEST(SortByKey, ThroughIterators) {
  const std::size_t n = 300001;
  const auto keys = random_keys<std::uint32_t>(n, values::few);
  const auto items = numbered<std::uint32_t>(n);
  const auto places = sorted_places(keys, order::ascending);
  thrust::device_vector<std::uint32_t> sorted(keys.begin(), keys.end());
  thrust::device_vector<std::uint32_t> first(items.begin(), items.end()), second = first;
  const auto to_host = [n](const thrust::device_vector<std::uint32_t>& from) {
    std::vector<std::uint32_t> copy(n);
    thrust::copy(from.begin(), from.end(), copy.begin());
    return copy;
  };
  hindsight::sort_by_key(par, sorted.begin(), sorted.end(),
                         thrust::make_zip_iterator(first.begin(), second.begin()));
  EXPECT_EQ(difference(to_host(sorted), gathered(keys, places)), "");
  EXPECT_EQ(difference(to_host(first), gathered(items, places)), "") << "zip iterator";
  EXPECT_EQ(difference(to_host(second), gathered(items, places)), "") << "zip iterator";

  thrust::copy(keys.begin(), keys.end(), sorted.begin());
  thrust::copy(items.rbegin(), items.rend(), first.begin());
  hindsight::sort_by_key(sorted, thrust::make_reverse_iterator(first.end()));  // no policy, a range
  auto got = to_host(first);
  std::reverse(got.begin(), got.end());
  EXPECT_EQ(difference(got, gathered(items, places)), "") << "reverse iterator";
}

TEST(SortByKey, InCubsShapeWithDoubleBuffers) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, std::size_t{300001}}) {
    const auto keys = random_keys<std::int32_t>(n, values::of_all_bits);
    const auto items = numbered<std::uint32_t>(n);
    const auto places = sorted_places(keys, order::descending);
    const device_array<std::int32_t> keys_a(keys), keys_b(n);
    const device_array<std::uint32_t> values_a(items), values_b(n);
    hindsight::DoubleBuffer<std::int32_t> key_buffers(keys_a.data(), keys_b.data());
    hindsight::DoubleBuffer<std::uint32_t> value_buffers(values_a.data(), values_b.data());
    std::size_t bytes = 0;
    check(hindsight::DeviceRadixSort::SortPairsDescending(nullptr, bytes, key_buffers,
                                                          value_buffers, n));
    EXPECT_LE(bytes, n * 2 + (1 << 17)) << "no room for the items";
    const device_array<char> temp(bytes);
    check(hindsight::DeviceRadixSort::SortPairsDescending(temp.data(), bytes, key_buffers,
                                                          value_buffers, n));
    std::vector<std::int32_t> sorted(n);
    std::vector<std::uint32_t> moved(n);
    check(cudaMemcpy(sorted.data(), key_buffers.Current(), n * 4, cudaMemcpyDefault));
    check(cudaMemcpy(moved.data(), value_buffers.Current(), n * 4, cudaMemcpyDefault));
    EXPECT_EQ(difference(sorted, gathered(keys, places)), "") << "n = " << n;
    EXPECT_EQ(difference(moved, gathered(items, places)), "") << "n = " << n;
  }
}

}  // namespace hindsight_test
