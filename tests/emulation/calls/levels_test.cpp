// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels of histograms in memory of the host, which may be gone when a call returns.
#include <hindsight/histogram.h>

#include "calls_testing.h"
#include <algorithm>
#include <cstdint>
#include <vector>

using u32 = std::uint32_t;

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

/// Of levels in device memory. Thrust's own needs nvcc.
template <>
u32* copy(execution_policy<hindsight::cuda::on_stream_nosync>& policy, u32* first, u32* last,
          u32* to) {
  cudaMemcpyAsync(to, first, std::size_t(last - first) * sizeof *to, cudaMemcpyDeviceToDevice,
                  stream(policy));
  return to + (last - first);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END

namespace {

using namespace emulation;

TEST(Levels, OfTheHost) {
  constexpr std::size_t n = 1000, bins = 3;
  std::vector<u32> items = numbers<u32>(n);
  items.resize(n + bins, 0xfeedbeef);
  call_of<u32> call{items};
  std::fill(call.expected.begin() + n, call.expected.end(), 0);
  for (std::size_t i = 0; i < n; ++i)
    if (items[i] >= 5 && items[i] < 90) ++call.expected[n + (items[i] >= 20) + (items[i] >= 50)];
  call.every_way([](auto policy, u32* in) {
    std::vector<u32> levels{5, 20, 50, 90};
    hindsight::histogram_range(policy, in, in + n, levels.begin(), levels.end(), in + n);
    std::fill(levels.begin(), levels.end(), 0);
  });
}

}  // namespace
