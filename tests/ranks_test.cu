// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls over 1 to 16 ranks that share one GPU.
#include <hindsight/loopback.h>

#include "ranks_gpu_testing.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

using hindsight_test::cut;

TEST(ranks_on_a_gpu, results_are_those_of_one_range) {
  cudaStream_t stream = nullptr;
  hindsight_test::check(cudaStreamCreate(&stream));
  for (const std::size_t ranks : {1, 2, 3, 16}) {
    const std::vector<int> devices(ranks, 0);
    std::vector<cudaStream_t> streams(ranks, cudaStreamPerThread);
    streams.front() = stream;
    hindsight::loopback::gpu_group g{devices, streams};
    for (const std::size_t n : {std::size_t{0}, std::size_t{5}, std::size_t{100003}})
      for (const cut how : hindsight_test::all_cuts)
        EXPECT_NO_THROW(hindsight_test::check_gpu_ranks(g, devices, n, how)) << n << " items";
  }
  hindsight_test::check(cudaStreamDestroy(stream));
}

TEST(ranks_on_a_gpu, a_fold_of_floats_can_have_the_same_bits_for_any_number_of_ranks) {
  std::vector<float> items(300001);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = std::sin(float(i)) * 1e3f;
  std::vector<float> sums;
  for (const std::size_t ranks : {1, 2, 3, 16}) {
    const std::vector<int> devices(ranks, 0);
    hindsight::loopback::gpu_group g{devices,
                                     std::vector<cudaStream_t>(ranks, cudaStreamPerThread)};
    for (const cut how : hindsight_test::all_cuts) {
      const hindsight_test::gpu_shards<float, hindsight::loopback::gpu_group> v{
          g, devices, items, hindsight_test::shard_sizes(items.size(), ranks, how)};
      sums.push_back(hindsight::reduce_same_bits(g.par, v.view(), 2.0f));
    }
  }
  EXPECT_EQ(sums, std::vector<float>(sums.size(), sums.front()));
}

TEST(ranks_on_a_gpu, a_sum_of_floats_into_an_integer_is_rounded_once) {
  const std::vector<float> items(1000, 0.75f);
  const hindsight_test::device_array<float> in(items);
  const ::cuda::std::plus<> plus;
  const int expected = hindsight::reduce(hindsight::cuda::par, in.begin(), in.end(), 1, plus);
  const std::vector<int> devices(3, 0);
  hindsight::loopback::gpu_group g{devices, std::vector<cudaStream_t>(3, cudaStreamPerThread)};
  const hindsight_test::gpu_shards<float, hindsight::loopback::gpu_group> v{
      g, devices, items, hindsight_test::shard_sizes(1000, 3, cut::ragged)};
  EXPECT_EQ(hindsight::reduce(g.par, v.view(), 1, plus), expected);
}

/// A struct, which is sorted by comparisons: in decades.
struct decade {
  int year;
  HINDSIGHT_HD bool operator<(const decade& other) const { return year / 10 < other.year / 10; }
  HINDSIGHT_HD bool operator==(const decade& other) const { return year / 10 == other.year / 10; }
};

/// The standard library's operators, which kernels cannot call.
TEST(ranks_on_a_gpu, std_operators_are_those_of_cuda) {
  std::vector<decade> items(10'000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i].year = int(i * 7919 % 10'007 / 3);
  const std::vector<int> devices(3, 0);
  hindsight::loopback::gpu_group g{devices, std::vector<cudaStream_t>(3, cudaStreamPerThread)};
  const auto sizes = hindsight_test::shard_sizes(items.size(), 3, cut::ragged);
  const hindsight_test::gpu_shards<decade, hindsight::loopback::gpu_group> v{g, devices, items,
                                                                             sizes},
      out{g, devices, items, sizes};
  const auto ends = hindsight::minmax(g.par, v.view(), std::less<decade>{});
  EXPECT_EQ(ends.first.year / 10, 0);
  EXPECT_EQ(ends.second.year / 10, 10'006 / 3 / 10);
  hindsight::sort(g.par, v.view(), std::less<decade>{});
  std::stable_sort(items.begin(), items.end());
  EXPECT_NO_THROW(v.require(items, sizes, "sort"));
  std::size_t decades = 0;
  for (const auto& shard :
       hindsight::unique_copy(g.par, v.view(), out.view(), std::equal_to<decade>{}))
    decades += shard.size();
  EXPECT_EQ(decades, std::size_t(std::unique(items.begin(), items.end()) - items.begin()));
}

/// Each rank has a thread, and cudaStreamPerThread is another stream in each of them.
TEST(ranks_on_a_gpu, a_call_comes_after_the_work_in_its_callers_stream) {
  constexpr std::size_t n = 1000;
  const std::vector<int> devices(3, 0);
  hindsight::loopback::gpu_group g{devices, std::vector<cudaStream_t>(3, cudaStreamPerThread)};
  const hindsight_test::gpu_shards<unsigned, hindsight::loopback::gpu_group> v{
      g, devices, std::vector<unsigned>(3 * n, 0u), {n, n, n}};
  const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds{100}); };
  hindsight_test::check(cudaLaunchHostFunc(cudaStreamPerThread, sleep, nullptr));
  for (const auto& shard : v.view())
    hindsight_test::check(
        cudaMemsetAsync(shard.data(), 1, shard.size() * sizeof(unsigned), cudaStreamPerThread));
  EXPECT_EQ(hindsight::reduce(g.par, v.view(), 0u), unsigned(3 * n) * 0x01010101u);
}

}  // namespace
