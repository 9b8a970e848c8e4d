// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summed-area tables and box filters on the GPU; tables of floats also against the host's bits.
#include <hindsight/policy.h>

#include <thrust/device_vector.h>

namespace hindsight_test {
const auto& par = hindsight::cuda::par;
template <class T>
using vector = thrust::device_vector<T>;
}  // namespace hindsight_test

#include "gpu_testing.h"
#include "image_testing.h"

namespace hindsight_test {

TEST(Image, FloatsHaveTheBitsOfTheHost) {
  const std::size_t width = 1300, height = 700;
  const auto items = rough_items<float>(width * height);
  std::vector<float> expected = items;
  hindsight::summed_area_table(hindsight::host::par, expected.begin(), expected.begin(), width,
                               height, width);
  const vector<float> in = items;
  for (int run = 0; run < 3; ++run) {
    vector<float> out(items.size());
    hindsight::summed_area_table(par, in.begin(), out.begin(), width, height, width);
    EXPECT_EQ(difference(to_host(out), expected), "");
  }
}

}  // namespace hindsight_test
