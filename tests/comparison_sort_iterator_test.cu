// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts by comparators through iterators that are no pointers, and in captured graphs.
#include <hindsight/hindsight.h>

#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sort.h>

#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace hindsight_test;
using tuple = ::cuda::std::tuple<std::uint32_t, std::uint16_t>;

struct by_low_bits {
  HINDSIGHT_HD bool operator()(std::uint32_t a, std::uint32_t b) const {
    return (a & 1023) < (b & 1023);
  }
  HINDSIGHT_HD bool operator()(const tuple& a, const tuple& b) const {
    return (*this)(::cuda::std::get<0>(a), ::cuda::std::get<0>(b));
  }
};

std::vector<std::uint32_t> random_items(std::size_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<std::uint32_t> items(n);
  for (auto& item : items) item = std::uint32_t(random());
  return items;
}
const std::size_t sizes[] = {1000, 100000};  // one tile, many

TEST(comparison_sort_iterator, reversed_range) {
  for (const std::size_t n : sizes) {
    auto items = random_items(n);
    const device_array<std::uint32_t> got(items);
    thrust::sort(hindsight::par, thrust::make_reverse_iterator(got.end()),
                 thrust::make_reverse_iterator(got.begin()), by_low_bits{});
    std::stable_sort(items.rbegin(), items.rend(), by_low_bits{});
    EXPECT_EQ(difference(got.to_host(), items), "") << n;
    thrust::sort(hindsight::par, thrust::make_reverse_iterator(got.end()),
                 thrust::make_reverse_iterator(got.begin()));  // by radix
    std::sort(items.rbegin(), items.rend());
    EXPECT_EQ(difference(got.to_host(), items), "") << n;
  }
}

TEST(comparison_sort_iterator, zipped_ranges) {
  for (const std::size_t n : sizes) {
    const auto items = random_items(n);
    std::vector<std::uint16_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = std::uint16_t(i);
    const device_array<std::uint32_t> first(items);
    const device_array<std::uint16_t> second(numbers);
    const auto zip = thrust::make_zip_iterator(first.begin(), second.begin());
    thrust::stable_sort(hindsight::par, zip, zip + std::ptrdiff_t(n), by_low_bits{});
    std::vector<std::pair<std::uint32_t, std::uint16_t>> sorted(n);
    for (std::size_t i = 0; i < n; ++i) sorted[i] = {items[i], numbers[i]};
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return by_low_bits{}(a.first, b.first); });
    auto expected = items;
    for (std::size_t i = 0; i < n; ++i)
      expected[i] = sorted[i].first, numbers[i] = sorted[i].second;
    EXPECT_EQ(difference(first.to_host(), expected), "") << n;
    EXPECT_EQ(difference(second.to_host(), numbers), "") << n;
  }
}

TEST(comparison_sort_iterator, captured_and_replayed) {
  const std::size_t n = 70000;
  const auto items = random_items(n);
  auto expected = items;
  std::stable_sort(expected.begin(), expected.end(), by_low_bits{});
  const device_array<std::uint32_t> got(items);
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  thrust::sort(hindsight::par_nosync.on(stream), got.begin(), got.end(), by_low_bits{});
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (int round = 0; round < 2; ++round) {
    got.assign(items);
    check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
    EXPECT_EQ(difference(got.to_host(), expected), "");
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

TEST(comparison_sort_iterator, empty_and_backward_ranges) {
  const device_array<std::uint32_t> items(random_items(10));
  thrust::sort(hindsight::par, items.begin(), items.begin(), by_low_bits{});
  EXPECT_THROW(thrust::sort(hindsight::par, items.end(), items.begin(), by_low_bits{}),
               hindsight::invalid_call);
  EXPECT_EQ(difference(items.to_host(), random_items(10)), "");
}

}  // namespace
