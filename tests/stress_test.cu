// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: cudaMallocFromPoolAsync cudaFreeAsync cudaMemPoolCreate cudaMemPoolSetAttribute
// wraps: cudaHostAlloc cudaMemsetAsync cudaMemcpyAsync cudaPeekAtLastError cudaStreamSynchronize
// wraps: cudaStreamIsCapturing cudaGetDevice cudaGetDeviceCount cudaDeviceGetAttribute
// wraps: cudaFuncSetAttribute cudaLaunchKernelExC cudaStreamGetId
//
// The families of CUB: each call of hindsight::Device* beside cub's.
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_select.cuh>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "stress_testing.h"

namespace hindsight_test {

struct ours {
  using scan = hindsight::DeviceScan;
  using reduce = hindsight::DeviceReduce;
  using select = hindsight::DeviceSelect;
  using partition = hindsight::DevicePartition;
  using run_length = hindsight::DeviceRunLengthEncode;
  using radix_sort = hindsight::DeviceRadixSort;
  using histogram = hindsight::DeviceHistogram;
  static auto policy(cudaStream_t stream) { return hindsight::cuda::par_nosync.on(stream); }
};
struct stock {
  using scan = cub::DeviceScan;
  using reduce = cub::DeviceReduce;
  using select = cub::DeviceSelect;
  using partition = cub::DevicePartition;
  using run_length = cub::DeviceRunLengthEncode;
  using radix_sort = cub::DeviceRadixSort;
  using histogram = cub::DeviceHistogram;
  static auto policy(cudaStream_t stream) { return thrust::cuda::par_nosync.on(stream); }
};

struct has_low_bit {
  HINDSIGHT_HD bool operator()(u32 item) const { return item & 1; }
};

#define HINDSIGHT_TEST_CALL(name, ...)                                                           \
  struct name {                                                                                  \
    template <class Api>                                                                         \
    static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out, \
                           int n, cudaStream_t stream) {                                         \
      const u32 *const items = in.items.data(), *const keys = in.keys.data();                    \
      (void)items, (void)keys;                                                                   \
      return __VA_ARGS__;                                                                        \
    }                                                                                            \
  }
HINDSIGHT_TEST_CALL(inclusive_sum,
                    Api::scan::InclusiveSum(temp, bytes, items, out.first, n, stream));
HINDSIGHT_TEST_CALL(exclusive_scan, Api::scan::ExclusiveScan(temp, bytes, items, out.first,
                                                             compose_halves{}, 5u, n, stream));
HINDSIGHT_TEST_CALL(sum_by_key, Api::scan::InclusiveSumByKey(temp, bytes, keys, items, out.first, n,
                                                             ::cuda::std::equal_to<>{}, stream));
HINDSIGHT_TEST_CALL(sum, Api::reduce::Sum(temp, bytes, items, out.number, n, stream));
HINDSIGHT_TEST_CALL(reduce_by_key,
                    Api::reduce::ReduceByKey(temp, bytes, keys, out.first, items, out.second,
                                             out.number, compose_halves{}, n, stream));
HINDSIGHT_TEST_CALL(select_if, Api::select::If(temp, bytes, items, out.first, out.number, n,
                                               has_low_bit{}, stream));
HINDSIGHT_TEST_CALL(select_flagged, Api::select::Flagged(temp, bytes, items, in.flags.data(),
                                                         out.first, out.number, n, stream));
HINDSIGHT_TEST_CALL(partition_if, Api::partition::If(temp, bytes, items, out.first, out.number, n,
                                                     has_low_bit{}, stream));
HINDSIGHT_TEST_CALL(encode, Api::run_length::Encode(temp, bytes, keys, out.first, out.second,
                                                    out.number, n, stream));
HINDSIGHT_TEST_CALL(sort_keys,
                    Api::radix_sort::SortKeys(temp, bytes, items, out.first, n, 0, 32, stream));
HINDSIGHT_TEST_CALL(sort_pairs, Api::radix_sort::SortPairs(temp, bytes, keys, out.first, items,
                                                           out.second, n, 0, 32, stream));
HINDSIGHT_TEST_CALL(even_bins, Api::histogram::HistogramEven(temp, bytes, items, out.first, 65, 0u,
                                                             u32{1} << 31, n, stream));
HINDSIGHT_TEST_CALL(range_bins, Api::histogram::HistogramRange(temp, bytes, items, out.first, 11,
                                                               in.levels.data(), n, stream));
#undef HINDSIGHT_TEST_CALL

/// With memory of the pool: nothing in the first phase.
struct policy_calls {
  template <class Api>
  static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                         int n, cudaStream_t stream) {
    if (temp == nullptr) return bytes = 1, cudaSuccess;
    const u32 *const items = in.items.data(), *const keys = in.keys.data();
    const auto policy = Api::policy(stream);
    thrust::exclusive_scan_by_key(policy, keys, keys + n, items, out.first, 5u,
                                  thrust::equal_to<u32>{}, compose_halves{});
    const std::size_t copied = std::size_t(n) * sizeof(u32);
    const cudaError_t status =
        cudaMemcpyAsync(out.second, items, copied, cudaMemcpyDeviceToDevice, stream);
    thrust::sort(policy, out.second, out.second + n);
    return status;
  }
};

#define HINDSIGHT_TEST_ROW(name) row_of<name>(#name)
std::vector<row> rows() {
  return {HINDSIGHT_TEST_ROW(inclusive_sum),  HINDSIGHT_TEST_ROW(exclusive_scan),
          HINDSIGHT_TEST_ROW(sum_by_key),     HINDSIGHT_TEST_ROW(sum),
          HINDSIGHT_TEST_ROW(reduce_by_key),  HINDSIGHT_TEST_ROW(select_if),
          HINDSIGHT_TEST_ROW(select_flagged), HINDSIGHT_TEST_ROW(partition_if),
          HINDSIGHT_TEST_ROW(encode),         HINDSIGHT_TEST_ROW(sort_keys),
          HINDSIGHT_TEST_ROW(sort_pairs),     HINDSIGHT_TEST_ROW(even_bins),
          HINDSIGHT_TEST_ROW(range_bins),     HINDSIGHT_TEST_ROW(policy_calls)};
}

}  // namespace hindsight_test
