// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define THRUST_CUB_WRAPPED_NAMESPACE program
#include <hindsight/block_sort.cuh>
#include <hindsight/device_adjacent_difference.cuh>
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_segmented_radix_sort.cuh>
#include <hindsight/device_segmented_reduce.cuh>
#include <hindsight/device_segmented_scan.cuh>
#include <hindsight/device_segmented_sort.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/device_topk.cuh>

#include "wrapped_namespaces.cpp"

namespace program {

cudaError_t call_wrapped_facades(int* keys, float* values, int n) {
  cub::DoubleBuffer<int> buffers(keys, keys);
  hindsight::DeviceRadixSort::SortKeys(buffers, n);
  hindsight::DeviceReduce::Sum(values, values, n);
  cub::KeyValuePair<int, float>* const least = nullptr;
  std::size_t bytes = 0;
  return hindsight::DeviceReduce::ArgMin(nullptr, bytes, values, least, n);
}

}  // namespace program
