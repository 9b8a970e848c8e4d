// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of each family. Compiled for two architectures, the objects may meet in one program: then
// no function of one may launch a kernel of the other, for which the GPU may have no code. The same
// for two default streams: then no function of one may use the default stream of the other.
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
#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>
#include <hindsight/nccl.h>

#include <cuda/std/functional>
#include <cuda/std/tuple>
#include <thrust/find.h>
#include <thrust/unique.h>

struct is_odd {
  HINDSIGHT_HD bool operator()(int x) const { return x % 2 != 0; }
};
struct by_members {
  HINDSIGHT_HD ::cuda::std::tuple<int&> operator()(int& x) const { return {x}; }
};

void device_calls(const int* in, int* out, int n, const int* offsets) {
  using namespace hindsight;
  const auto less = ::cuda::std::less<>{};
  DeviceAdjacentDifference::SubtractRightCopy(in, out, n);
  DeviceHistogram::HistogramEven(in, out, 11, 0, 10, n);
  DeviceMergeSort::StableSortKeys(out, n, less);
  DevicePartition::If(in, out, out + n, n, is_odd{});
  DevicePartition::If(in, out, out, out, out + n, n, is_odd{}, is_odd{});
  DeviceRadixSort::SortPairs(in, out, in, out, n);
  DeviceRadixSort::SortKeys(in, out, n, by_members{});
  DeviceReduce::Sum(in, out, n);
  DeviceReduce::ArgMin(in, out, out + 1, n);
  DeviceReduce::ReduceByKey(in, out, in, out, out, less, n);
  DeviceRunLengthEncode::Encode(in, out, out, out, n);
  DeviceRunLengthEncode::NonTrivialRuns(in, out, out, out, n);
  DeviceScan::ExclusiveSum(in, out, n);
  DeviceScan::InclusiveSumByKey(in, in, out, n);
  DeviceSegmentedRadixSort::SortKeys(in, out, n, 3, offsets, offsets + 1);
  DeviceSegmentedReduce::Sum(in, out, 3, offsets, offsets + 1);
  DeviceSegmentedScan::InclusiveSegmentedSum(in, out, offsets, offsets + 1, 3);
  DeviceSegmentedSort::SortPairs(in, out, in, out, n, 3, offsets, offsets + 1);
  DeviceSelect::Flagged(in, in, out, out + n, n);
  DeviceSelect::UniqueByKey(in, in, out, out, out + n, n);
  DeviceTopK::MaxKeys(in, out, n, 3);
}

int policy_calls(const int* in, int* out, int n, const int* offsets) {
  const auto par = hindsight::cuda::par.on(cudaStreamPerThread);
  const auto segments = hindsight::by_offsets(offsets, offsets + 4);
  thrust::sort(par, out, out + n);
  thrust::unique(par, out, out + n);
  thrust::find_if(par, in, in + n, is_odd{});
  hindsight::inclusive_scan(par, in, in + n, out);
  hindsight::copy_if_into(par, in, in + n, out, out + n, is_odd{});
  hindsight::sort_segments(par, out, out + n, segments);
  hindsight::reduce_segments(par, in, in + n, segments, out);
  hindsight::offsets_of(par, in, in + n, out);
  hindsight::histogram_range(par, in, in + n, offsets, offsets + 4, out);
  hindsight::release_memory();
  return hindsight::reduce(par, in, in + n);
}

void calls_over_ranks(const hindsight::sharded<int>& items) {
  hindsight::loopback::gpu_group ranks{{0}, {cudaStreamPerThread}};
  hindsight::sort(ranks.par, items);
  const hindsight::nccl::all_gpus gpus;
  const hindsight::nccl::group all{gpus.comms(), gpus.streams()};
  hindsight::reduce(all.par, items);
}
