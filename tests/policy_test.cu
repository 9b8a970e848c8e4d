// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CUDA policies promise beside results: streams, who allocates, who waits, CUDA graphs,
// calls from device code.
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/hindsight.h>

#include <thrust/mr/allocator.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cuda/pointer.h>
#include <thrust/transform.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace hindsight_test {

using u32 = std::uint32_t;
const auto& par = hindsight::cuda::par;
const auto& par_nosync = hindsight::cuda::par_nosync;

__device__ void spin(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

/// Late: whoever does not wait for its stream reads what was there before.
__global__ void write_ones_late(u32* items, std::size_t n, long long nanoseconds) {
  spin(nanoseconds);
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) items[i] = 1;
}

constexpr std::size_t n = 100003;
constexpr long long late = 50'000'000;

std::vector<u32> one_two_three() {
  std::vector<u32> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 1u);
  return numbers;
}

TEST(Policy, RunsInItsStreamAndWaits) {
  const own_stream own;
  const device_array<u32> in(n), out(n);
  for (int warm = 0; warm < 2; ++warm) {
    in.fill_with_poison();
    out.fill_with_poison();
    write_ones_late<<<1, 256, 0, own>>>(in.data(), n, late);
    EXPECT_EQ(thrust::reduce(par.on(own), in.begin(), in.end()), n);
    write_ones_late<<<1, 256, 0, own>>>(in.data(), n, late);
    thrust::inclusive_scan(par.on(own), in.begin(), in.end(), out.data());
    EXPECT_FALSE(own.is_busy());
    EXPECT_EQ(difference(out.to_host(), one_two_three()), "");
  }
}

TEST(Policy, NosyncDoesNotWait) {
  const own_stream own;
  const auto nosync = par_nosync.on(own);
  const device_array<u32> in(n), out(n), sum(1), bins(16);
  for (int warm = 0; warm < 2; ++warm) {  // the first calls may wait: they load kernels
    in.fill_with_poison();
    write_ones_late<<<1, 256, 0, own>>>(in.data(), n, late);
    thrust::inclusive_scan(nosync, in.begin(), in.end(), out.data());
    hindsight::reduce_into(nosync, in.begin(), in.end(), sum.data());
    hindsight::histogram_even(nosync, in.begin(), in.end(), 16, 0, 16, bins.data());
    thrust::sort(nosync, in.begin(), in.end());
    if (warm > 0) {
      EXPECT_TRUE(own.is_busy());
    }
    own.wait();
    EXPECT_EQ(difference(out.to_host(), one_two_three()), "");
    EXPECT_EQ(sum.to_host()[0], n);
    EXPECT_EQ(bins.to_host()[1], n);

    write_ones_late<<<1, 256, 0, own>>>(in.data(), n, late);  // a value has to be waited for
    EXPECT_EQ(thrust::count(nosync, in.begin(), in.end(), 1u), std::ptrdiff_t(n));
  }
}

/// Thrust's kind of allocator; counts.
class counting_allocator {
 public:
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    char* array = nullptr;
    check(cudaMalloc(&array, bytes));
    ++allocated_;
    return array;
  }
  void deallocate(char* array, std::size_t) {
    ++released_;
    cudaFree(array);
  }
  int allocated_ = 0, released_ = 0;
};

TEST(Policy, WithAnAllocator) {
  const own_stream own;
  const auto items = random_items<u32>(n);
  auto sorted = items;
  std::sort(sorted.begin(), sorted.end());
  const device_array<u32> data(items);
  counting_allocator allocator;
  thrust::sort(par(allocator).on(own), data.begin(), data.end());
  EXPECT_EQ(difference(data.to_host(), sorted), "");
  EXPECT_GT(allocator.allocated_, 0);
  EXPECT_EQ(allocator.allocated_, allocator.released_);

  data.assign(items);
  thrust::sort(par_nosync(allocator).on(own), data.begin(), data.end());
  own.wait();
  EXPECT_EQ(difference(data.to_host(), sorted), "");
}

class counting_resource final : public thrust::mr::memory_resource<thrust::cuda::pointer<void>> {
 public:
  thrust::cuda::pointer<void> do_allocate(std::size_t bytes, std::size_t) override {
    void* array = nullptr;
    check(cudaMalloc(&array, bytes));
    ++allocated_;
    return thrust::cuda::pointer<void>(array);
  }
  void do_deallocate(thrust::cuda::pointer<void> array, std::size_t, std::size_t) override {
    ++released_;
    cudaFree(array.get());
  }
  int allocated_ = 0, released_ = 0;
};

TEST(Policy, WithAMemoryResource) {
  const own_stream own;
  const auto items = random_items<u32>(n);
  auto sorted = items;
  std::sort(sorted.begin(), sorted.end());
  const device_array<u32> data(items);
  counting_resource resource;
  thrust::sort(par(&resource).on(own), data.begin(), data.end());
  EXPECT_EQ(difference(data.to_host(), sorted), "");
  EXPECT_GT(resource.allocated_, 0);
  EXPECT_EQ(resource.allocated_, resource.released_);
}

TEST(Policy, WithAWorkspaceOfTheRightSize) {
  const own_stream own;
  const auto items = random_items<u32>(n);
  auto sorted = items;
  std::sort(sorted.begin(), sorted.end());
  const device_array<u32> data(items), out(n);

  std::size_t bytes = 0;
  check(hindsight::DeviceRadixSort::SortKeys(nullptr, bytes, data.data(), data.data(), n));
  const device_array<char> buffer(bytes);
  hindsight::workspace space{buffer.data(), bytes};
  thrust::sort(par(space).on(own), data.begin(), data.end());
  EXPECT_EQ(difference(data.to_host(), sorted), "");
  EXPECT_TRUE(buffer.is_untouched(bytes));

  check(hindsight::DeviceScan::InclusiveSum(nullptr, bytes, data.data(), out.data(), n));
  hindsight::workspace small{buffer.data(), bytes};
  thrust::inclusive_scan(par(small), data.begin(), data.end(), out.data());
  for (std::size_t i = 1; i < n; ++i) sorted[i] += sorted[i - 1];
  EXPECT_EQ(difference(out.to_host(), sorted), "");
}

TEST(Policy, WithAWorkspaceThatIsTooSmall) {
  const auto items = random_items<u32>(n);
  const device_array<u32> data(items), out(n);
  std::size_t bytes = 0;
  check(hindsight::DeviceRadixSort::SortKeys(nullptr, bytes, data.data(), data.data(), n));
  const device_array<char> buffer(bytes);
  hindsight::workspace space{buffer.data(), bytes - 1};
  try {
    thrust::sort(par(space), data.begin(), data.end());
    FAIL() << "no exception";
  } catch (const hindsight::invalid_call& error) {
    EXPECT_NE(std::string{error.what()}.find(std::to_string(bytes)), std::string::npos)
        << "what() does not name the " << bytes << " bytes that would do: " << error.what();
  }
  EXPECT_EQ(difference(data.to_host(), items), "");

  check(hindsight::DeviceScan::InclusiveSum(nullptr, bytes, data.data(), out.data(), n));
  hindsight::workspace small{buffer.data(), bytes - 1};
  EXPECT_THROW(thrust::inclusive_scan(par(small), data.begin(), data.end(), out.data()),
               hindsight::invalid_call);
  EXPECT_TRUE(out.is_untouched());
  hindsight::workspace right{buffer.data(), bytes};
  thrust::inclusive_scan(par(right), data.begin(), data.end(), out.data());
  EXPECT_FALSE(out.is_untouched());
}

// allocation_test.cu counts calls; here nothing may stay behind.
TEST(Policy, HoldsNoMoreMemoryInSteadyState) {
  const own_stream own;
  const auto items = random_items<u32>(n);
  const device_array<u32> data(items), out(n), out2(n);
  const auto use_every_family = [&] {
    const auto policy = par.on(own);
    thrust::inclusive_scan(policy, data.begin(), data.end(), out.data());
    thrust::reduce(policy, data.begin(), data.end());
    thrust::copy_if(policy, data.begin(), data.end(), out.data(), is_odd{});
    thrust::partition(policy, data.begin(), data.end(), is_odd{});
    thrust::stable_partition(policy, data.begin(), data.end(), is_odd{});
    thrust::reduce_by_key(policy, data.begin(), data.end(), data.begin(), out.data(), out2.data());
    thrust::inclusive_scan_by_key(policy, data.begin(), data.end(), data.begin(), out.data());
    hindsight::run_length_encode(policy, data.begin(), data.end(), out.data(), out2.data());
    hindsight::histogram_even(policy, data.begin(), data.end(), 1000, 0u, 1u << 31, out.data());
    thrust::sort(policy, data.begin(), data.end());
  };
  use_every_family();
  use_every_family();
  std::size_t free_before = 0, free_after = 0, total = 0;
  check(cudaMemGetInfo(&free_before, &total));
  for (int i = 0; i < 100; ++i) use_every_family();
  check(cudaMemGetInfo(&free_after, &total));
  EXPECT_EQ(free_after, free_before);
}

TEST(Policy, CallsCanBeCapturedIntoAGraph) {
  const own_stream own;
  const device_array<u32> in(n), scanned(n), before(n), doubled(n), sorted(n), sum(1), bins(64);
  const device_array<char> buffer(std::size_t{4} << 20);
  hindsight::workspace space{buffer.data(), buffer.size()};
  const auto policy = par_nosync(space).on(own);

  check(cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal));
  thrust::inclusive_scan(policy, in.begin(), in.end(), scanned.data());
  thrust::exclusive_scan(policy, in.begin(), in.end(), before.data());
  thrust::transform(policy, in.begin(), in.end(), doubled.data(), twice{});  // stock's
  check(cudaMemcpyAsync(sorted.data(), in.data(), n * sizeof(u32), cudaMemcpyDeviceToDevice, own));
  thrust::sort(policy, sorted.begin(), sorted.end());
  hindsight::reduce_into(policy, in.begin(), in.end(), sum.data());
  hindsight::histogram_even(policy, in.begin(), in.end(), 64, 0u, 1u << 31, bins.data());
  cudaGraph_t graph;
  check(cudaStreamEndCapture(own, &graph));
  cudaGraphExec_t executable;
  check(cudaGraphInstantiate(&executable, graph, 0));

  for (const unsigned seed : {1, 2, 3}) {
    const auto items = random_items<u32>(n, seed);
    in.assign(items);
    check(cudaGraphLaunch(executable, own));
    own.wait();
    std::vector<u32> sums(n), sums_before(n), doubles(n), counts(64);
    u32 total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sums_before[i] = total;
      sums[i] = total += items[i];
      doubles[i] = 2 * items[i];
      if (items[i] < 1u << 31) ++counts[items[i] >> 25];
    }
    auto in_order = items;
    std::sort(in_order.begin(), in_order.end());
    EXPECT_EQ(difference(scanned.to_host(), sums), "");
    EXPECT_EQ(difference(before.to_host(), sums_before), "");
    EXPECT_EQ(difference(doubled.to_host(), doubles), "");
    EXPECT_EQ(difference(sorted.to_host(), in_order), "");
    EXPECT_EQ(sum.to_host()[0], total);
    EXPECT_EQ(difference(bins.to_host(), counts), "");
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

__global__ void use_policies_on_device(u32* items, int count, u32* out) {
  thrust::sort(hindsight::par, items, items + count);
  out[0] = thrust::reduce(hindsight::cuda::par, items, items + count, 0u);
  hindsight::inclusive_scan(hindsight::par, items, items + count, out + 1);
  const auto end = thrust::copy_if(hindsight::par, items, items + count, items, is_odd{});
  out[count + 1] = u32(end - items);
}

TEST(Policy, OnDeviceIsSequential) {
  const int count = 100;
  auto items = random_items<u32>(count);
  const device_array<u32> data(items), out(count + 2);
  use_policies_on_device<<<1, 1>>>(data.data(), count, out.data());
  check(cudaDeviceSynchronize());
  std::sort(items.begin(), items.end());
  std::vector<u32> expected(count + 2);
  std::partial_sum(items.begin(), items.end(), expected.begin() + 1);
  expected[0] = expected[count];
  expected[count + 1] = u32(std::count_if(items.begin(), items.end(), is_odd{}));
  EXPECT_EQ(difference(out.to_host(), expected), "");
}

}  // namespace hindsight_test
