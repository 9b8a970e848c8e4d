// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that wraps the namespaces of Thrust and CUB into one of its own, as libraries do that
// are linked beside others with a CCCL of their own.
#define THRUST_CUB_WRAPPED_NAMESPACE program
#include <hindsight/ab.h>
#include <hindsight/hindsight.h>

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

namespace program {

int call_wrapped(thrust::device_vector<int>& keys, thrust::device_vector<float>& values) {
  thrust::transform(hindsight::par, keys.begin(), keys.end(), keys.begin(), thrust::negate<int>{});
  thrust::sort(hindsight::par, keys.begin(), keys.end(), thrust::greater<int>{});
  thrust::stable_sort_by_key(hindsight::par, keys.begin(), keys.end(), values.begin());
  thrust::exclusive_scan(hindsight::par, keys.begin(), keys.end(), keys.begin());
  hindsight::inclusive_scan(values, values.begin());
  const auto ends = thrust::reduce_by_key(hindsight::par, keys.begin(), keys.end(), values.begin(),
                                          keys.begin(), values.begin());
  return thrust::reduce(hindsight::par, keys.begin(), ends.first);
}

}  // namespace program
