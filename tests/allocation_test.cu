// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: cudaMalloc cudaFree cudaMallocAsync cudaMallocFromPoolAsync cudaFreeAsync
// What the CUDA policies allocate, counted call by call: the linker puts the functions below in
// front of the runtime's.
#include <hindsight/hindsight.h>

#include "gpu_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

struct runtime_calls {
  int allocations = 0, frees = 0, pool_allocations = 0, pool_frees = 0;
};
runtime_calls seen;

}  // namespace hindsight_test

extern "C" {

cudaError_t __real_cudaMalloc(void** data, std::size_t bytes);
cudaError_t __wrap_cudaMalloc(void** data, std::size_t bytes) {
  ++hindsight_test::seen.allocations;
  return __real_cudaMalloc(data, bytes);
}
cudaError_t __real_cudaFree(void* data);
cudaError_t __wrap_cudaFree(void* data) {
  ++hindsight_test::seen.frees;
  return __real_cudaFree(data);
}
cudaError_t __real_cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t stream);
cudaError_t __wrap_cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t stream) {
  ++hindsight_test::seen.pool_allocations;
  return __real_cudaMallocAsync(data, bytes, stream);
}
cudaError_t __real_cudaMallocFromPoolAsync(void** data, std::size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream);
cudaError_t __wrap_cudaMallocFromPoolAsync(void** data, std::size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
  ++hindsight_test::seen.pool_allocations;
  return __real_cudaMallocFromPoolAsync(data, bytes, pool, stream);
}
cudaError_t __real_cudaFreeAsync(void* data, cudaStream_t stream);
cudaError_t __wrap_cudaFreeAsync(void* data, cudaStream_t stream) {
  ++hindsight_test::seen.pool_frees;
  return __real_cudaFreeAsync(data, stream);
}

}  // extern "C"

namespace hindsight_test {

using u32 = std::uint32_t;

struct arrays {
  static constexpr std::size_t n = 300007;
  device_array<u32> data{random_items<u32>(n)}, out{n}, out2{n};
  device_array<u32> levels{std::vector<u32>{0, 1000, 70000, 3000000000u}};
};

/// All families, those that return a value among them.
template <class Policy>
void use_every_family(const Policy& policy, const arrays& a) {
  u32 *const first = a.data.begin(), *const last = a.data.end();
  u32 *const out = a.out.data(), *const out2 = a.out2.data();
  thrust::reduce(policy, first, last);
  hindsight::reduce_into(policy, first, last, out);
  thrust::inclusive_scan(policy, first, last, out);
  thrust::exclusive_scan(policy, first, last, out, 5u);
  thrust::inclusive_scan_by_key(policy, first, last, first, out);
  thrust::inclusive_scan_by_key(policy, first, last, first, first);
  thrust::copy_if(policy, first, last, out, is_odd{});
  thrust::remove_if(policy, first, last, is_odd{});
  thrust::partition(policy, first, last, is_odd{});
  thrust::stable_partition(policy, first, last, is_odd{});
  thrust::partition_copy(policy, first, last, out, out2, is_odd{});
  thrust::reduce_by_key(policy, first, last, first, out, out2);
  hindsight::run_length_encode(policy, first, last, out, out2);
  hindsight::histogram_even(policy, first, last, 1000, 0u, 1u << 31, out);
  hindsight::histogram_even(policy, first, last, 200000, 0u, 1u << 31, out);
  hindsight::histogram_range(policy, first, last, a.levels.begin(), a.levels.end(), out);
  thrust::sort(policy, first, last);
  thrust::stable_sort_by_key(policy, first, last, out);
}

TEST(Allocation, IsCounted) {
  seen = {};
  const device_array<char> one(1);
  EXPECT_EQ(seen.allocations, 1);
}

TEST(Allocation, IsThePoolsInSteadyState) {
  int has_pools = 0;
  check(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, 0));
  if (!has_pools) GTEST_SKIP() << "the device has no memory pools";
  const arrays a;
  use_every_family(hindsight::cuda::par, a);
  seen = {};
  for (int round = 0; round < 3; ++round) use_every_family(hindsight::cuda::par, a);
  EXPECT_EQ(seen.allocations, 0);
  EXPECT_EQ(seen.frees, 0);
  EXPECT_GT(seen.pool_allocations, 0);
  EXPECT_EQ(seen.pool_frees, seen.pool_allocations);
}

TEST(Allocation, IsNoneWithAWorkspace) {
  const arrays a;
  const device_array<char> buffer(std::size_t{16} << 20);
  hindsight::workspace space{buffer.data(), buffer.size()};
  hindsight::release_memory();
  seen = {};
  use_every_family(hindsight::cuda::par(space), a);
  use_every_family(hindsight::cuda::par_nosync(space), a);
  check(cudaDeviceSynchronize());
  EXPECT_EQ(seen.allocations + seen.frees + seen.pool_allocations + seen.pool_frees, 0);
}

}  // namespace hindsight_test
