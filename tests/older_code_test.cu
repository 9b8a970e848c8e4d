// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// architectures: 80-virtual
// The code for compute capability 8.0, run by whatever GPU there is: folds of floating-point
// numbers have the bits of the host threads. Other tests hold the GPU's own code to the same bits.
#include <hindsight/device_reduce.cuh>
#include <hindsight/reduce_by_key.h>
#include <hindsight/scan.h>
#include <hindsight/scan_by_key.h>
#include <hindsight/segments.h>

#include "gpu_testing.h"
#include "sum_of_any_gpu.h"
#include <gtest/gtest.h>

namespace hindsight_test {

namespace execution = hindsight::execution;
using hindsight::cuda::par;

const int sizes[] = {1, 1000, 300007, 5000011};  // one tile, some, and enough for a scout

template <class T>
void expect_scans_of_the_host(int n) {
  const auto& host = hindsight::host::par;
  const auto items = rough_items<T>(n);
  const auto keys = items_in_runs<std::uint32_t>(n, runs::random);
  const device_array<T> in(items), out(n);
  const device_array<std::uint32_t> keys_in(keys), keys_out(n);
  std::vector<T> expected(n);
  std::vector<std::uint32_t> expected_keys(n);

  hindsight::inclusive_scan(par, in.begin(), in.end(), out.begin());
  hindsight::inclusive_scan(host, items.begin(), items.end(), expected.begin());
  EXPECT_EQ(difference(out.to_host(), expected), "") << "inclusive_scan";
  hindsight::exclusive_scan_by_key(par, keys_in.begin(), keys_in.end(), in.begin(), out.begin(),
                                   T(0.5));
  hindsight::exclusive_scan_by_key(host, keys.begin(), keys.end(), items.begin(), expected.begin(),
                                   T(0.5));
  EXPECT_EQ(difference(out.to_host(), expected), "") << "exclusive_scan_by_key";
  const auto ends = hindsight::reduce_by_key(par, keys_in.begin(), keys_in.end(), in.begin(),
                                             keys_out.begin(), out.begin());
  const auto known = hindsight::reduce_by_key(host, keys.begin(), keys.end(), items.begin(),
                                              expected_keys.begin(), expected.begin());
  const auto count = std::size_t(known.second - expected.begin());
  ASSERT_EQ(std::size_t(ends.second - out.begin()), count);
  expected.resize(count);
  EXPECT_EQ(difference(out.to_host(count), expected), "") << "reduce_by_key";
}

TEST(OlderCode, ScansHaveTheBitsOfTheHost) {
  for (const int n : sizes) {
    SCOPED_TRACE(n);
    expect_scans_of_the_host<float>(n);
    expect_scans_of_the_host<double>(n);
  }
}

TEST(OlderCode, SumsOfSegmentsHaveTheBitsOfTheHost) {
  for (const int n : sizes) {
    const auto items = rough_items<float>(n);
    const std::vector<int> ends{0, n / 7, n / 7, n / 2, n};
    const device_array<float> in(items), sums(4);
    const device_array<int> offsets(ends);
    std::vector<float> expected(4);
    hindsight::reduce_segments(par, in.begin(), in.end(),
                               hindsight::by_offsets(offsets.begin(), offsets.end()), sums.begin());
    hindsight::reduce_segments(hindsight::host::par, items.begin(), items.end(),
                               hindsight::by_offsets(ends.begin(), ends.end()), expected.begin());
    EXPECT_EQ(difference(sums.to_host(), expected), "") << "n = " << n;
  }
}

TEST(OlderCode, RequiredSumsDependOnNoGpu) {
  for (const int n : sizes) {
    const auto items = rough_items<float>(n);
    const device_array<float> in(items), sum(1);
    check(hindsight::DeviceReduce::Sum(in.data(), sum.data(), n,
                                       execution::require(execution::determinism::gpu_to_gpu)));
    EXPECT_EQ(difference(sum.to_host(), {sum_of_any_gpu{}(items)}), "") << "n = " << n;
  }
}

// That this is the code in question.
__global__ void tell_architecture(int* architecture) {
#if defined(__CUDA_ARCH__)
  *architecture = __CUDA_ARCH__;
#endif
}
TEST(OlderCode, IsWhatRuns) {
  const device_array<int> architecture(1);
  tell_architecture<<<1, 1>>>(architecture.data());
  check(cudaDeviceSynchronize());
  EXPECT_EQ(architecture.to_host()[0], 800);
}

}  // namespace hindsight_test
