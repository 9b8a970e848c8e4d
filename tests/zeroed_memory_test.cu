// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: cudaMalloc cudaFree cudaMemsetAsync
// Calls of Device* take zeroed memory that the library keeps for their stream and thread: whatever
// the streams, threads and graphs are, they find it zeroed.
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/hindsight.h>

#include "gpu_testing.h"
#include <atomic>
#include <deque>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

namespace hindsight_test {

std::atomic<int> allocations{0}, frees{0}, memsets{0};

}  // namespace hindsight_test

extern "C" {

cudaError_t __real_cudaMalloc(void** data, std::size_t bytes);
cudaError_t __wrap_cudaMalloc(void** data, std::size_t bytes) {
  ++hindsight_test::allocations;
  return __real_cudaMalloc(data, bytes);
}
cudaError_t __real_cudaFree(void* data);
cudaError_t __wrap_cudaFree(void* data) {
  ++hindsight_test::frees;
  return __real_cudaFree(data);
}
cudaError_t __real_cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t __wrap_cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  ++hindsight_test::memsets;
  return __real_cudaMemsetAsync(data, value, bytes, stream);
}

}  // extern "C"

namespace hindsight_test {
namespace {

using u32 = std::uint32_t;

struct is_even {
  __host__ __device__ bool operator()(u32 x) const { return x % 2 == 0; }
};

/// Inputs of all calls, and what these have to come to.
struct question {
  static constexpr std::size_t most = 300007;
  std::vector<u32> items = random_items<u32>(most);
  device_array<u32> in{items};
};

/// A scan, a selection and a sum of n items, with outputs and temporary memory of their own.
class three_calls {
 public:
  three_calls(const question& of, std::size_t n) : of_{of}, n_{n} {}

  void run(cudaStream_t stream) {
    const u32* const in = of_.in.data();
    std::size_t bytes = temp_.size();
    check(
        hindsight::DeviceScan::InclusiveSum(temp_.data(), bytes, in, scanned_.data(), n_, stream));
    check(hindsight::DeviceSelect::If(temp_.data(), bytes, in, selected_.data(), count_.data(), n_,
                                      is_even{}, stream));
    check(hindsight::DeviceReduce::Sum(temp_.data(), bytes, in, sum_.data(), n_, stream));
  }
  void poison() {
    for (auto* const out : {&scanned_, &selected_, &count_, &sum_}) out->fill_with_poison();
  }
  /// After the stream's end.
  std::string difference() const {
    std::vector<u32> expected(of_.items.begin(), of_.items.begin() + n_), selected;
    for (const u32 item : expected)
      if (is_even{}(item)) selected.push_back(item);
    std::partial_sum(expected.begin(), expected.end(), expected.begin());
    if (scanned_.to_host() != expected) return "scan";
    if (count_.to_host()[0] != selected.size()) return "number of selected items";
    std::vector<u32> found = selected_.to_host();
    found.resize(selected.size());
    if (found != selected) return "selection";
    return sum_.to_host()[0] == expected.back() ? "" : "sum";
  }

 private:
  const question& of_;
  std::size_t n_;
  device_array<u32> scanned_{n_}, selected_{n_}, count_{1}, sum_{1};
  device_array<char> temp_{1 << 18};
};

/// Calls of several sizes, which are never over before the next ones begin.
class many_calls {
 public:
  explicit many_calls(int count) {
    for (int i = 0; i < count; ++i)
      calls_.emplace_back(of_, question::most - static_cast<std::size_t>(i % 7 * i % 11) * 25000);
  }
  three_calls& operator[](int i) { return calls_[static_cast<std::size_t>(i)]; }
  void expect_right() const {
    check(cudaDeviceSynchronize());
    for (std::size_t i = 0; i < calls_.size(); ++i) ASSERT_EQ(calls_[i].difference(), "") << i;
  }

 private:
  question of_;
  std::deque<three_calls> calls_;
};

TEST(ZeroedMemory, IsClearedWhenItIsUsedUp) {
  constexpr int count = 24, rounds = 100;
  many_calls calls(count);
  const own_stream streams[2];
  for (int i = 0; i < count; ++i) calls[i].run(streams[i % 2]);
  allocations = memsets = 0;
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < count; ++i) calls[i].run(streams[i % 2]);
  EXPECT_EQ(allocations, 0);
  EXPECT_GT(memsets, 0);
  EXPECT_LT(memsets, count * rounds * 3 / 20) << "calls with a memset of their own";
  calls.expect_right();
}

TEST(ZeroedMemory, OfOneStreamInManyThreads) {
  constexpr int count = 64;
  many_calls calls(count);
  const own_stream stream;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 40; ++round)
        for (int i = t; i < count; i += 4) calls[i].run(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  calls.expect_right();
}

TEST(ZeroedMemory, OfThreadsThatEnd) {
  constexpr int count = 40;
  many_calls calls(count);
  const own_stream stream;
  allocations = 0;
  for (int i = 0; i < count; ++i) std::thread{[&, i] { calls[i].run(stream); }}.join();
  EXPECT_LE(allocations, 1);
  for (int i = 0; i < count; ++i) std::thread{[&, i] { calls[i].run(cudaStreamPerThread); }}.join();
  calls.expect_right();
}

/// Default streams of threads have numbers of their own, so no thread gets the memory of another's.
TEST(ZeroedMemory, NumbersOfDefaultStreams) {
  unsigned long long ids[3] = {};
  for (unsigned long long& id : ids)
    std::thread{[&] { check(cudaStreamGetId(cudaStreamPerThread, &id)); }}.join();
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_NE(ids[1], ids[2]);
  unsigned long long legacy = 0, other = 0;
  check(cudaStreamGetId(nullptr, &legacy));
  check(cudaStreamGetId(own_stream{}, &other));
  EXPECT_NE(legacy, other);
}

TEST(ZeroedMemory, GraphsDoNotHaveIt) {
  constexpr int count = 16;
  many_calls calls(count);
  const own_stream captured, streams[2];
  std::vector<cudaGraphExec_t> graphs;
  calls[0].run(captured);
  for (int i = 0; i < count; i += 2) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    calls[i].run(captured);
    calls[i + 1].run(streams[0]);
    check(cudaStreamEndCapture(captured, &graph));
    graphs.emplace_back();
    check(cudaGraphInstantiate(&graphs.back(), graph, 0));
    check(cudaGraphDestroy(graph));
  }
  for (int round = 0; round < 50; ++round) {
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      check(cudaGraphLaunch(graphs[g], streams[g % 2]));
      calls[static_cast<int>(2 * g + 1)].run(streams[0]);
    }
  }
  check(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i) calls[i].poison();
  check(cudaDeviceSynchronize());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    check(cudaGraphLaunch(graphs[g], streams[g % 2]));
    calls[static_cast<int>(2 * g + 1)].run(streams[0]);
  }
  calls.expect_right();
  for (const cudaGraphExec_t graph : graphs) check(cudaGraphExecDestroy(graph));
}

TEST(ZeroedMemory, OfMoreStreamsThanHaveIt) {
  constexpr int count = 50;
  many_calls calls(count);
  const own_stream streams[count];
  allocations = 0;
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < count; ++i) calls[i].run(streams[i]);
  EXPECT_LE(allocations, 32);
  calls.expect_right();
}

TEST(ZeroedMemory, IsGivenBackWhileCallsRun) {
  constexpr int count = 16;
  many_calls calls(count);
  const own_stream stream;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < count; ++i) calls[i].run(stream);
    hindsight::release_memory();
  }
  calls.expect_right();
  hindsight::release_memory();
  allocations = frees = 0;
  calls[0].run(stream);
  check(cudaDeviceSynchronize());
  EXPECT_EQ(allocations, 1);
  hindsight::release_memory();
  EXPECT_EQ(frees, 1);
  hindsight::release_memory();
  EXPECT_EQ(frees, 1);
}

}  // namespace
}  // namespace hindsight_test
