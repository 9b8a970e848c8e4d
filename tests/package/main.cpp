// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user's first program may look like; built by g++ and, through main.cu, by nvcc.
#include <hindsight/hindsight.h>

#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <cstdio>
#include <vector>

#if defined(EXPECT_OWN_CCCL) && !defined(THIS_IS_MY_OWN_CCCL)
#  error "another CCCL than the program's own"
#endif
#if defined(EXPECT_NO_OPENMP) && defined(_OPENMP)
#  error "OpenMP, which this program does without"
#endif

int main() {
  thrust::device_vector<int> items(std::vector<int>{4, 1, 3, 2});
  thrust::sort(hindsight::par, items.begin(), items.end());
  thrust::inclusive_scan(hindsight::par, items.begin(), items.end(), items.begin(),
                         thrust::plus<int>{});
  const std::vector<int> expected{1, 3, 6, 10};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (items[i] != expected[i]) return 1;
  }
  std::puts("hindsight: sorted and scanned");
  return 0;
}
