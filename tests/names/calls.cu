// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <thrust/device_vector.h>

#include "calls.h"

void call_all_on_the_gpu(thrust::device_vector<program::item>& items,
                         thrust::device_vector<int>& numbers) {
  program::call_all(hindsight::cuda::par, items, items, items, items, numbers, numbers, numbers);
}
