// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summed-area tables of pictures of one byte a pixel: ours, two of stock's scans by key, and NPP's
// integral where CMake found NPP. bench_image [side of the largest picture]
#include <hindsight/image.h>

#include <cuda_runtime_api.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include "cuda_check.h"
#include "picture.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#if BENCH_HAS_NPP
#  include <nppi_statistics_functions.h>
#endif

namespace {

/// The median of some calls between two events, after two to warm up.
template <class Call>
float median_ms(Call call) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int run = 0; run < 13; ++run) {
    check(cudaEventRecord(begin));
    call();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (run > 1) times.push_back(ms);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct to_sum {
  HINDSIGHT_HD std::int32_t operator()(std::uint8_t pixel) const { return pixel; }
};

using pixels = thrust::device_vector<std::uint8_t>;
using table = thrust::device_vector<std::int32_t>;

float measure_stock(const pixels& in, table& sums, int side) {
  const auto policy = thrust::cuda::par_nosync;
  const thrust::counting_iterator<int> first(0);
  const int n = side * side;
  const auto lines = thrust::make_transform_iterator(first, line_of{side});
  const auto down = thrust::make_permutation_iterator(
      sums.begin(), thrust::make_transform_iterator(first, transposed{side, side}));
  const auto wide = thrust::make_transform_iterator(in.begin(), to_sum{});
  return median_ms([&] {
    thrust::inclusive_scan_by_key(policy, lines, lines + n, wide, sums.begin());
    thrust::inclusive_scan_by_key(policy, lines, lines + n, down, down);
  });
}

#if BENCH_HAS_NPP
NppStreamContext context() {
  NppStreamContext c{};
  cudaDeviceProp device;
  check(cudaGetDevice(&c.nCudaDeviceId));
  check(cudaGetDeviceProperties(&device, c.nCudaDeviceId));
  c.nMultiProcessorCount = device.multiProcessorCount;
  c.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
  c.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
  c.nSharedMemPerBlock = device.sharedMemPerBlock;
  c.nCudaDevAttrComputeCapabilityMajor = device.major;
  c.nCudaDevAttrComputeCapabilityMinor = device.minor;
  return c;
}

/// NPP's table has a row and a column of zeros before ours. `is_right`: the rest is the same.
float measure_npp(const pixels& in, const table& expected, int side, bool& is_right) {
  const std::size_t pitch = std::size_t(side) + 1;
  table sums(pitch * pitch);
  const NppStreamContext on = context();
  NppStatus status = NPP_SUCCESS;
  const float ms = median_ms([&] {
    status = nppiIntegral_8u32s_C1R_Ctx(thrust::raw_pointer_cast(in.data()), side,
                                        thrust::raw_pointer_cast(sums.data()),
                                        int(pitch * sizeof(std::int32_t)), {side, side}, 0, on);
  });
  const thrust::host_vector<std::int32_t> theirs = sums, ours = expected;
  is_right = status == NPP_SUCCESS;
  for (std::size_t y = 0; y < std::size_t(side); ++y)
    is_right = is_right && std::equal(ours.begin() + std::ptrdiff_t(y * std::size_t(side)),
                                      ours.begin() + std::ptrdiff_t((y + 1) * std::size_t(side)),
                                      theirs.begin() + std::ptrdiff_t((y + 1) * pitch + 1));
  return ms;
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 16384;
  if (largest < 256 || largest > 32768)
    return std::puts("usage: bench_image [side, 256 to 32768]"), 1;
  std::printf("%-15s %12s %12s %12s   all the same\n", "us", "hindsight", "stock", "NPP");
  bool all_right = true;
  for (const int side : {256, 1024, 4096, 16384, 32768}) {
    if (side > largest) break;
    std::vector<std::uint8_t> random_pixels(std::size_t(side) * std::size_t(side));
    std::mt19937 random{1};
    for (std::uint8_t& pixel : random_pixels) pixel = std::uint8_t(random() % 2);
    const pixels in = random_pixels;
    table ours(in.size()), stocks(in.size());
    const std::size_t width = std::size_t(side);
    const float our_ms = median_ms([&] {
      hindsight::summed_area_table(hindsight::cuda::par_nosync, in.begin(), ours.begin(), width,
                                   width, width);
    });
    const float stock_ms = measure_stock(in, stocks, side);
    bool is_right = ours == stocks;
    std::printf("%6d x %-6d %12.1f %12.1f", side, side, 1000 * our_ms, 1000 * stock_ms);
#if BENCH_HAS_NPP
    bool npp_is_right = false;
    std::printf(" %12.1f", 1000 * measure_npp(in, ours, side, npp_is_right));
    is_right = is_right && npp_is_right;
#else
    std::printf(" %12s", "-");
#endif
    std::printf("   %s\n", is_right ? "yes" : "NO");
    all_right = all_right && is_right;
  }
  return all_right ? 0 : 1;
}
