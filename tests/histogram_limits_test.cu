// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: cudaDeviceGetAttribute cudaFuncSetAttribute
// Histograms of many bins on devices with less shared memory than this one, which the functions
// below pretend to be; and as many bins as an int counts.
#include <hindsight/histogram.h>
#include <hindsight/reduce.h>

#include <thrust/reduce.h>

#include "gpu_testing.h"
#include <climits>
#include <gtest/gtest.h>

namespace hindsight_test {

int block_bytes = 0;  ///< what a block of the pretended device may have; 0: the real one
int most_asked = 0;

}  // namespace hindsight_test

extern "C" {

cudaError_t __real_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const cudaError_t status = __real_cudaDeviceGetAttribute(value, attribute, device);
  if (hindsight_test::block_bytes == 0) return status;
  if (attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin) *value = hindsight_test::block_bytes;
  if (attribute == cudaDevAttrMaxSharedMemoryPerMultiprocessor)
    *value = hindsight_test::block_bytes + 1024;
  return status;
}
cudaError_t __real_cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t __wrap_cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute,
                                        int value) {
  hindsight_test::most_asked =
      value > hindsight_test::most_asked ? value : hindsight_test::most_asked;
  if (hindsight_test::block_bytes > 0 && value > hindsight_test::block_bytes)
    return cudaErrorInvalidValue;
  return __real_cudaFuncSetAttribute(kernel, attribute, value);
}

}  // extern "C"

namespace hindsight_test {

using u32 = std::uint32_t;
using hindsight::cuda::par;

/// sm_75; sm_86, 89 and 120; sm_80; sm_90
constexpr int known_devices[] = {65536, 101376, 166912, 232448};

struct HistogramLimits : testing::Test {
  void TearDown() override { block_bytes = 0; }
};

TEST_F(HistogramLimits, AreTheDevices) {
  constexpr std::size_t n = 1000003;
  const auto items = random_items<u32>(n);
  const device_array<u32> in(items);
  for (const int bytes : known_devices) {
    for (const int num_bins :
         {12288, 16000, 16384, 16385, 25000, 25344, 25345, 41000, 41728, 50000, 52000}) {
      SCOPED_TRACE(std::to_string(num_bins) + " bins, " + std::to_string(bytes) + " bytes a block");
      block_bytes = bytes;
      most_asked = 0;
      const device_array<u32> even(num_bins), range(num_bins);
      hindsight::histogram_even(par, in.begin(), in.end(), num_bins, 0u, 1u << 31, even.data());
      std::vector<double> levels(num_bins + 1);
      for (int i = 0; i <= num_bins; ++i) levels[i] = double(i) * 2147483648.0 / num_bins;
      hindsight::histogram_range(par, in.begin(), in.end(), levels.begin(), levels.end(),
                                 range.data());
      EXPECT_LE(most_asked, bytes);
      std::vector<u32> expected(num_bins);
      for (const u32 item : items) {
        if (item < 1u << 31) ++expected[std::size_t{item} * num_bins >> 31];
      }
      EXPECT_EQ(difference(even.to_host(), expected), "");
      u32 counted = 0, in_range = 0;
      for (const u32 count : range.to_host()) counted += count;
      for (const u32 count : expected) in_range += count;
      EXPECT_EQ(counted, in_range);
    }
  }
}

TEST_F(HistogramLimits, AsManyBinsAsAnIntCounts) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  if (free < std::size_t{20} << 30) GTEST_SKIP() << "needs 8 GiB of counters";
  const auto items = random_items<u32>(100003);
  const device_array<u32> in(items);
  for (const int num_bins : {INT_MAX, INT_MAX - 254, INT_MAX - 255}) {
    SCOPED_TRACE(num_bins);
    const device_array<u32> bins{std::size_t(num_bins)};
    hindsight::histogram_even(par, in.begin(), in.end(), num_bins, 0u, u32(num_bins), bins.data());
    std::size_t counted = 0;
    for (const u32 item : items) counted += item < u32(num_bins);
    EXPECT_EQ(thrust::reduce(par, bins.begin(), bins.end(), std::size_t{0}), counted);
    u32 last = 1;
    check(cudaMemcpy(&last, bins.end() - 1, sizeof last, cudaMemcpyDefault));
    EXPECT_EQ(last, 0u) << "cleared up to the last bin";
  }
}

}  // namespace hindsight_test
