// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The swap, as the README shows it.
#include <hindsight/hindsight.h>

#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

int main() {
  thrust::device_vector<int> keys(1 << 20);
  thrust::sequence(hindsight::par, keys.begin(), keys.end());  // stock: not one of ours
  // Before the swap, this call had thrust::cuda::par.
  thrust::sort(hindsight::par, keys.begin(), keys.end(), thrust::greater<int>{});
  return keys.front() == (1 << 20) - 1 ? 0 : 1;
}
