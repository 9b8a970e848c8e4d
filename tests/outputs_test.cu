// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// alone: its headers use names that stand above them
// Items with any number of outputs, and summaries, on the GPU.
#include <hindsight/policy.h>

#include <thrust/device_vector.h>

namespace hindsight_test {
const auto& par = hindsight::cuda::par;
template <class T>
using vector = thrust::device_vector<T>;
}  // namespace hindsight_test

#include "outputs_testing.h"
