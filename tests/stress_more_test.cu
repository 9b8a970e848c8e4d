// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: cudaMallocFromPoolAsync cudaFreeAsync cudaMemPoolCreate cudaMemPoolSetAttribute
// wraps: cudaHostAlloc cudaMemsetAsync cudaMemcpyAsync cudaPeekAtLastError cudaStreamSynchronize
// wraps: cudaStreamIsCapturing cudaGetDevice cudaGetDeviceCount cudaDeviceGetAttribute
// wraps: cudaFuncSetAttribute cudaLaunchKernelExC cudaStreamGetId
//
// The other families: sorts by a comparator, unique, segments, and calls through a policy.
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_segmented_reduce.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/segments.h>
#include <hindsight/sort_segments.h>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/adjacent_difference.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "functors_testing.h"
#include "stress_testing.h"
#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

namespace hindsight_test {

struct ours {
  using merge_sort = hindsight::DeviceMergeSort;
  using partition = hindsight::DevicePartition;
  using select = hindsight::DeviceSelect;
  using segments = hindsight::DeviceSegmentedReduce;
  static auto policy(cudaStream_t stream) { return hindsight::cuda::par_nosync.on(stream); }
};
struct stock {
  using merge_sort = cub::DeviceMergeSort;
  using partition = cub::DevicePartition;
  using select = cub::DeviceSelect;
  using segments = cub::DeviceSegmentedReduce;
  static auto policy(cudaStream_t stream) { return thrust::cuda::par_nosync.on(stream); }
};

struct is_low {
  u32 level;
  HINDSIGHT_HD bool operator()(u32 item) const { return item < level; }
};
struct difference_of_bits {
  HINDSIGHT_HD u32 operator()(u32 a, u32 b) const { return a ^ b; }
};
/// Segments of 0, 1, ..., 30 items; the last one ends where the items do.
struct begin_of_segment {
  u32 n;
  HINDSIGHT_HD u32 operator()(u32 s) const {
    const u32 begin = s / 31 * 465 + s % 31 * (s % 31 - 1) / 2;
    return begin < n ? begin : n;
  }
};

struct sort_by_comparator {
  template <class Api>
  static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                         int n, cudaStream_t stream) {
    return Api::merge_sort::StableSortKeysCopy(temp, bytes, in.items.data(), out.first, n,
                                               by_twelve_bits{}, stream);
  }
};
struct unique_by_key {
  template <class Api>
  static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                         int n, cudaStream_t stream) {
    return Api::select::UniqueByKey(temp, bytes, in.keys.data(), in.items.data(), out.first,
                                    out.second, out.number, n, stream);
  }
};
auto begins_of_segments(int n) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(u32{0}),
                                         begin_of_segment{u32(n)});
}
int number_of_segments(int n) {
  return n / 15 + 1;
}

struct segmented_sum {
  template <class Api>
  static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                         int n, cudaStream_t stream) {
    const auto begins = begins_of_segments(n);
    return Api::segments::Sum(temp, bytes, in.items.data(), out.first, number_of_segments(n),
                              begins, begins + 1, stream);
  }
};
/// The items of the third part lie behind those of the first, backwards.
struct three_way_partition {
  template <class Api>
  static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                         int n, cudaStream_t stream) {
    return Api::partition::If(temp, bytes, in.items.data(), out.first, out.second,
                              thrust::make_reverse_iterator(out.first + n), out.second + n, n,
                              is_low{u32{1} << 30}, is_low{u32{1} << 31}, stream);
  }
};
/// CUB has no such scan, and the reference is the standard library's again.
struct segments_of_calls {
  template <class Api>
  static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                         int n, cudaStream_t stream) {
    if (temp == nullptr) return bytes = 1, cudaSuccess;
    const auto begins = begins_of_segments(n);
    const int num_segments = number_of_segments(n);
    const std::size_t copied = std::size_t(n) * sizeof(u32);
    if constexpr (std::is_same_v<Api, stock>) {
      check(cudaStreamSynchronize(stream));
      const auto items = in.items.to_host();
      auto sorted = items;
      std::vector<u32> sums(items.size());
      check(cudaMemcpy(sums.data(), out.first, copied, cudaMemcpyDefault));
      for (int s = 0; s < num_segments; ++s) {
        const u32 begin = begins[s], end = begins[s + 1];
        std::partial_sum(items.begin() + begin, items.begin() + end, sums.begin() + begin);
        std::stable_sort(sorted.begin() + begin, sorted.begin() + end, by_twelve_bits{});
      }
      check(cudaMemcpy(out.first, sums.data(), copied, cudaMemcpyDefault));
      return cudaMemcpy(out.second, sorted.data(), copied, cudaMemcpyDefault);
    } else {
      const u32* const items = in.items.data();
      const auto policy = Api::policy(stream);
      const auto segments = hindsight::by_offsets(begins, begins + num_segments + 1);
      const cudaError_t status =
          cudaMemcpyAsync(out.second, items, copied, cudaMemcpyDeviceToDevice, stream);
      hindsight::inclusive_scan_segments(policy, items, items + n, segments, out.first);
      hindsight::sort_segments(policy, out.second, out.second + n, segments, by_twelve_bits{});
      return status;
    }
  }
};
/// Without a value.
struct policy_calls {
  template <class Api>
  static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                         int n, cudaStream_t stream) {
    if (temp == nullptr) return bytes = 1, cudaSuccess;
    const u32 *const items = in.items.data(), *const keys = in.keys.data();
    const auto policy = Api::policy(stream);
    const std::size_t copied = std::size_t(n) * sizeof(u32);
    cudaError_t status = cudaMemcpyAsync(out.first, keys, copied, cudaMemcpyDeviceToDevice, stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(out.second, items, copied, cudaMemcpyDeviceToDevice, stream);
    thrust::adjacent_difference(policy, out.first, out.first + n, out.first, difference_of_bits{});
    thrust::stable_sort_by_key(policy, out.first, out.first + n, out.second, by_twelve_bits{});
    return status;
  }
};
/// With a value each. The reference is the standard library's: stock's kernels read padding that
/// nobody wrote, which initcheck would report.
struct values_of_calls {
  template <class Api>
  static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                         int n, cudaStream_t stream) {
    if (temp == nullptr) return bytes = 1, cudaSuccess;
    if constexpr (std::is_same_v<Api, stock>) {
      const auto items = in.items.to_host(), keys = in.keys.to_host();
      std::vector<u32> kept;
      std::unique_copy(keys.begin(), keys.end(), std::back_inserter(kept));
      check(cudaMemcpyAsync(out.first, kept.data(), kept.size() * sizeof(u32), cudaMemcpyDefault,
                            stream));
      const auto least = std::min_element(items.begin(), items.end(), by_twelve_bits{});
      const auto greatest = std::max_element(items.begin(), items.end(), by_twelve_bits{});
      const auto found = std::find(items.begin(), items.end(), 12345u);
      return write({std::ptrdiff_t(kept.size()), least - items.begin(), greatest - items.begin(),
                    found - items.begin()},
                   out, n, stream);
    } else {
      const u32 *const items = in.items.data(), *const keys = in.keys.data();
      const auto policy = Api::policy(stream);
      const auto kept = thrust::unique_copy(policy, keys, keys + n, out.first);
      const auto extrema = thrust::minmax_element(policy, items, items + n, by_twelve_bits{});
      const auto found = thrust::find(policy, items, items + n, 12345u);
      return write({kept - out.first, extrema.first - items, extrema.second - items, found - items},
                   out, n, stream);
    }
  }

 private:
  /// Four numbers, as far as there is room.
  static cudaError_t write(const std::array<std::ptrdiff_t, 4>& places, const results& out, int n,
                           cudaStream_t stream) {
    const u32 words[] = {u32(places[0]), u32(places[1]), u32(places[2]), u32(places[3])};
    return cudaMemcpyAsync(out.second, words, std::min<std::size_t>(sizeof words, n * sizeof(u32)),
                           cudaMemcpyDefault, stream);
  }
};

std::vector<row> rows() {
  return {row_of<sort_by_comparator>("sort_by_comparator"),
          row_of<unique_by_key>("unique_by_key"),
          row_of<segmented_sum>("segmented_sum"),
          row_of<policy_calls>("policy_calls"),
          row_of<three_way_partition>("three_way_partition"),
          row_of<segments_of_calls>("segments_of_calls"),
          row_of<values_of_calls>("values_of_calls", true)};
}

}  // namespace hindsight_test
