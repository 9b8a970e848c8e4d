// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device* functions as programs call them that were written for CUB: outputs that keep nothing.
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_segmented_reduce.cuh>

#include <thrust/iterator/discard_iterator.h>

#include "calls_testing.h"
#include <cstddef>
#include <vector>

namespace {

using namespace emulation;

/// Runs both phases of `call(temp, temp_bytes)`.
template <class Call>
void in_two_phases(Call call) {
  std::size_t bytes = 0;
  EXPECT_EQ(call(nullptr, bytes), cudaSuccess);
  const device_array<unsigned char> temp{bytes};
  EXPECT_EQ(call(temp.data(), bytes), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(failed_launch(), "");
}

/// CUB takes the type that thrust::discard_iterator names for none.
TEST(DeviceCalls, OutputsThatKeepNothing) {
  reset_device(0);
  const device_array<int> in{numbers<int>(100)};
  const device_array<int> offsets{std::vector<int>{0, 0, 60, 100}};
  const auto nowhere = thrust::make_discard_iterator();
  namespace lib = hindsight;
  EXPECT_EQ(lib::DeviceReduce::Sum(in.data(), nowhere, 100), cudaSuccess);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lib::DeviceReduce::ArgMin(temp, bytes, in.data(), nowhere, 100);
  });
  const int* const begins = offsets.data();
  const int* const ends = begins + 1;
  using segments = lib::DeviceSegmentedReduce;
  EXPECT_EQ(segments::Sum(in.data(), nowhere, 3, begins, ends), cudaSuccess);
  EXPECT_EQ(segments::ArgMax(in.data(), nowhere, 3, begins, ends), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(failed_launch(), "");
}

}  // namespace
