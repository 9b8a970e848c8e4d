// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small calls that wait share chunks of zeroed memory: whoever had a part before, and in whatever
// stream, the next call finds it zeroed, also when a chunk is used up and cleared again.
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/find.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include "fresh_process.h"
#include "functors_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace hindsight_test {
namespace {

using u32 = std::uint32_t;

/// Scans, selections, sums and searches of a few tiles in a stream of its own; empty, or what went
/// wrong.
std::string wrong_after_small_calls(u32 seed, int rounds) {
  constexpr std::size_t most = 60'000;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::string wrong;
  {
    const device_array<u32> items(std::vector<u32>(most, seed)), sums(most), kept(most);
    const auto par = hindsight::cuda::par.on(stream);
    for (int round = 0; round < rounds && wrong.empty(); ++round) {
      const std::size_t n = most - std::size_t(round * 977 + int(seed)) % 40'000;
      thrust::inclusive_scan(par, items.begin(), items.begin() + n, sums.data());
      const u32* const end =
          thrust::copy_if(par, items.begin(), items.begin() + n, kept.data(), is_even_number{});
      u32 last = 0;
      check(cudaMemcpy(&last, sums.data() + n - 1, sizeof last, cudaMemcpyDeviceToHost));
      if (last != u32(n) * seed) wrong = "sum of round " + std::to_string(round);
      if (end != kept.data() + (seed % 2 == 0 ? n : 0)) wrong = "count";
      if (thrust::reduce(par, items.begin(), items.begin() + n) != u32(n) * seed) wrong = "fold";
      if (thrust::find(par, items.begin(), items.begin() + n, seed + 1) != items.begin() + n)
        wrong = "place";
    }
  }
  check(cudaStreamDestroy(stream));
  return wrong;
}

TEST(SmallCalls, FindZeroedMemory) {
  EXPECT_EQ(wrong_after_small_calls(3, 1000), "");
}

TEST(SmallCalls, FindZeroedMemoryOnManyThreads) {
  constexpr u32 num_threads = 8;
  std::vector<std::string> wrong(num_threads);
  std::vector<std::thread> threads;
  for (u32 t = 0; t < num_threads; ++t)
    threads.emplace_back([&wrong, t] { wrong[t] = wrong_after_small_calls(t + 2, 400); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& what : wrong) EXPECT_EQ(what, "");
}

TEST(SmallCalls, FindZeroedMemoryAfterItWasGivenBack) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(wrong_after_small_calls(5, 10), "");
    hindsight::release_memory();
  }
}

/// A graph's calls are none that wait: replays and calls between them do not share memory.
TEST(SmallCalls, FindZeroedMemoryBetweenReplays) {
  constexpr std::size_t n = 50'000;
  const device_array<u32> items(std::vector<u32>(n, 3)), sums(n);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 3; ++i)
    thrust::inclusive_scan(hindsight::cuda::par.on(stream), items.begin(), items.end(),
                           sums.data());
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (int replay = 0; replay < 20; ++replay) {
    sums.fill_with_poison();
    check(cudaDeviceSynchronize());
    check(cudaGraphLaunch(executable, stream));
    ASSERT_EQ(wrong_after_small_calls(2, 10), "");  // in another stream, meanwhile
    check(cudaStreamSynchronize(stream));
    ASSERT_EQ(sums.to_host()[n - 1], 3 * n);
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

TEST(SmallCalls, FindZeroedMemoryAfterTheDeviceWasReset) {
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([] {
    for (int round = 0; round < 3; ++round) {
      const std::string wrong = wrong_after_small_calls(5, 10);
      require(wrong.empty(), wrong);
      check(cudaDeviceReset());
    }
  });
}

}  // namespace
}  // namespace hindsight_test
