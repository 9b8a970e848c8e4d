// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items in memory of every kind that a GPU reads: managed, of the host, constant, of a pool, of
// another GPU; more of them than it takes for a pipeline.
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/universal_vector.h>

#include "gpu_testing.h"
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <thread>

namespace hindsight_test {

using u32 = std::uint32_t;
using hindsight::cuda::par;

constexpr std::size_t constant_items = 15'001;
__constant__ u32 constant_table[constant_items];

struct results {
  std::vector<u32> sums, odd, sorted;
  std::size_t num_runs = 0;

  explicit results(const std::vector<u32>& items) : sums(items.size()), sorted(items) {
    std::partial_sum(items.begin(), items.end(), sums.begin());
    std::copy_if(items.begin(), items.end(), std::back_inserter(odd), is_odd{});
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < items.size(); ++i) num_runs += i == 0 || items[i] != items[i - 1];
  }
};

std::vector<u32> copied(const u32* items, std::size_t n) {
  std::vector<u32> copy(n);
  check(cudaMemcpy(copy.data(), items, n * sizeof(u32), cudaMemcpyDefault));
  return copy;
}

/// Puts items at `in`, which kernels only read, and calls with outputs at `out` and `more`.
void expect_right_results(u32* in, std::size_t n, u32* out, u32* more) {
  const auto items = items_in_runs<u32>(n, runs::random);
  const results expected(items);
  check(cudaMemcpy(in, items.data(), n * sizeof(u32), cudaMemcpyDefault));
  const u32 *const first = in, *const last = in + n;
  thrust::inclusive_scan(par, first, last, out);
  EXPECT_EQ(difference(copied(out, n), expected.sums), "");
  EXPECT_EQ(thrust::copy_if(par, first, last, out, is_odd{}) - out,
            std::ptrdiff_t(expected.odd.size()));
  EXPECT_EQ(difference(copied(out, expected.odd.size()), expected.odd), "");
  EXPECT_EQ(thrust::reduce_by_key(par, first, last, first, out, more).first - out,
            std::ptrdiff_t(expected.num_runs));
  EXPECT_EQ(thrust::reduce(par, first, last), expected.sums.back());
  check(cudaMemcpy(out, in, n * sizeof(u32), cudaMemcpyDefault));
  thrust::sort(par, out, out + n);
  EXPECT_EQ(difference(copied(out, n), expected.sorted), "");
}

constexpr std::size_t many = 5'000'003;

/// Memory that `allocate` gives and `release` takes back.
template <class Allocate, class Release>
void expect_right_results_in(Allocate allocate, Release release) {
  void* arrays[3] = {};
  for (void*& array : arrays) check(allocate(&array, many * sizeof(u32)));
  u32 *const in = static_cast<u32*>(arrays[0]), *const out = static_cast<u32*>(arrays[1]);
  const device_array<u32> device_in(many), device_out(many), device_more(many);
  expect_right_results(in, many, out, static_cast<u32*>(arrays[2]));
  expect_right_results(in, many, device_out.data(), device_more.data());
  expect_right_results(device_in.data(), many, out, device_more.data());
  for (void* array : arrays) check(release(array));
}

TEST(MemoryKinds, Managed) {
  int is_shared = 0;
  check(cudaDeviceGetAttribute(&is_shared, cudaDevAttrConcurrentManagedAccess, 0));
  if (!is_shared) GTEST_SKIP() << "the device has no concurrent managed memory";
  expect_right_results_in(
      [](void** array, std::size_t bytes) { return cudaMallocManaged(array, bytes); }, cudaFree);
}

// The host reads a vector as soon as a call has returned; who names no policy gets the GPU.
TEST(MemoryKinds, UniversalVectors) {
  int is_shared = 0;
  check(cudaDeviceGetAttribute(&is_shared, cudaDevAttrConcurrentManagedAccess, 0));
  if (!is_shared) GTEST_SKIP() << "the device has no concurrent managed memory";
  const auto items = items_in_runs<u32>(300'007, runs::random);
  const results expected(items);
  thrust::universal_vector<u32> in(items.begin(), items.end()), out(items.size());
  const auto read = [&] { return std::vector<u32>(out.begin(), out.end()); };
  hindsight::inclusive_scan(in, out.begin());
  EXPECT_EQ(difference(read(), expected.sums), "");
  thrust::fill(out.begin(), out.end(), 0u);
  thrust::inclusive_scan(par, in.begin(), in.end(), out.begin());
  EXPECT_EQ(difference(read(), expected.sums), "");
  EXPECT_EQ(hindsight::reduce(in), expected.sums.back());
  out = in;
  hindsight::sort(out);
  EXPECT_EQ(difference(read(), expected.sorted), "");
}

TEST(MemoryKinds, PinnedHost) {
  expect_right_results_in(
      [](void** array, std::size_t bytes) { return cudaMallocHost(array, bytes); }, cudaFreeHost);
}

TEST(MemoryKinds, RegisteredHost) {
  std::vector<u32> in(many + 1), out(many + 1), more(many + 1);
  for (auto* array : {&in, &out, &more})
    check(cudaHostRegister(array->data(), array->size() * sizeof(u32), cudaHostRegisterDefault));
  expect_right_results(in.data() + 1, many, out.data() + 1, more.data() + 1);
  for (auto* array : {&in, &out, &more}) check(cudaHostUnregister(array->data()));
}

TEST(MemoryKinds, OfThePool) {
  expect_right_results_in(
      [](void** array, std::size_t bytes) {
        const cudaError_t status = cudaMallocAsync(array, bytes, nullptr);
        return status == cudaSuccess ? cudaDeviceSynchronize() : status;
      },
      [](void* array) { return cudaFreeAsync(array, nullptr); });
}

TEST(MemoryKinds, Constant) {
  void* table = nullptr;
  check(cudaGetSymbolAddress(&table, constant_table));
  const device_array<u32> out(constant_items), more(constant_items);
  expect_right_results(static_cast<u32*>(table), constant_items, out.data(), more.data());
  expect_right_results(static_cast<u32*>(table), 14'336, out.data(), more.data());
}

/// Two GPUs, of which each reaches the other's memory; or a reason to skip.
std::string lack_of_peers() {
  int count = 0, reaches = 0, is_reached = 0;
  check(cudaGetDeviceCount(&count));
  if (count < 2) return "one GPU";
  check(cudaDeviceCanAccessPeer(&reaches, 0, 1));
  check(cudaDeviceCanAccessPeer(&is_reached, 1, 0));
  return reaches && is_reached ? "" : "the GPUs do not reach each other's memory";
}

TEST(MemoryKinds, OfAnotherGpu) {
  if (const auto reason = lack_of_peers(); !reason.empty()) GTEST_SKIP() << reason;
  for (const int device : {0, 1}) {
    check(cudaSetDevice(device));
    if (cudaDeviceEnablePeerAccess(1 - device, 0) != cudaSuccess) cudaGetLastError();
  }
  check(cudaSetDevice(1));
  const device_array<u32> far_in(many), far_out(many), far_more(many);
  check(cudaSetDevice(0));
  const device_array<u32> in(many), out(many), more(many);
  expect_right_results(far_in.data(), many, out.data(), more.data());
  expect_right_results(in.data(), many, far_out.data(), far_more.data());
  expect_right_results(far_in.data(), many, far_out.data(), more.data());
  for (const int device : {1, 0, 1, 0}) {
    check(cudaSetDevice(device));
    const auto& own = device == 0 ? out : far_out;
    expect_right_results(device == 0 ? in.data() : far_in.data(), many, own.data(),
                         device == 0 ? more.data() : far_more.data());
    hindsight::release_memory();
  }
}

// Calls of several threads in one stream come one after the other, in any order.
TEST(MemoryKinds, ThreadsThatShareAStream) {
  const own_stream stream;
  const auto items = items_in_runs<u32>(many, runs::random);
  const device_array<u32> in(items);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (const std::size_t n : {std::size_t{3000}, std::size_t{3001}, std::size_t{700'003}, many}) {
    threads.emplace_back([&, n] {
      const auto policy = hindsight::cuda::par_nosync.on(stream);
      const u32 sum = std::accumulate(items.begin(), items.begin() + std::ptrdiff_t(n), u32{0});
      const auto odd = std::count_if(items.begin(), items.begin() + std::ptrdiff_t(n), is_odd{});
      const device_array<u32> out(n);
      for (int round = 0; round < 40; ++round) {
        wrong += thrust::reduce(policy, in.data(), in.data() + n) != sum;
        thrust::inclusive_scan(policy, in.data(), in.data() + n, out.data());
        u32 last = 0;
        check(cudaMemcpyAsync(&last, out.data() + n - 1, sizeof last, cudaMemcpyDefault, stream));
        stream.wait();
        wrong += last != sum;
        const u32* const end =
            thrust::copy_if(policy, in.data(), in.data() + n, out.data(), is_odd{});
        wrong += end - out.data() != odd;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace hindsight_test
