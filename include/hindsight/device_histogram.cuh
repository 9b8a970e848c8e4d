// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms in CUB's shape: names, argument order and two phases of cub::Device*, so that one
// template body compiles against either namespace.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items, too little room),
//           before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/facade.cuh>
#include <hindsight/detail/cuda/histogram.cuh>
#include <hindsight/detail/histogram_bins.h>

namespace hindsight {

/// Histograms with one channel. `counters` are integers in device memory.
/// Time and Memory as histogram_even.
///   Example
///     thrust::device_vector<int> in(1000, 7), counters(10);
///     int* const to = thrust::raw_pointer_cast(counters.data());
///     std::size_t bytes = 0;
///     hindsight::DeviceHistogram::HistogramEven(nullptr, bytes, in.begin(), to, 11, 0, 100, 1000);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceHistogram::HistogramEven(temp.data().get(), bytes, in.begin(), to, 11, 0,
///         100, 1000);
struct DeviceHistogram {
  /// counters[b] = number of samples in bin b of num_levels - 1 equal bins of [lower, upper).
  ///   Errors  cudaErrorInvalidValue also where num_levels < 2, lower is not less than upper, or a
  ///           level is NaN or infinite
  template <class SampleIt, class Counter, class Level, class NumItems>
  static cudaError_t HistogramEven(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                   Counter* counters, int num_levels, Level lower, Level upper,
                                   NumItems num_items, cudaStream_t stream = 0) {
    if (detail::is_negative(num_items) || detail::refuse_even_bins(num_levels - 1LL, lower, upper))
      return cudaErrorInvalidValue;
    const detail::even_bins<detail::item_t<SampleIt>, Level> bins{num_levels - 1, lower, upper};
    return detail::histogram(temp, temp_bytes, samples, detail::to_size(num_items), counters,
                             num_levels - 1, bins, stream);
  }

  /// counters[b] = number of samples in [levels[b], levels[b + 1]).
  ///   levels  [num_levels], in device memory, not decreasing: read by kernels only, not checked
  template <class SampleIt, class Counter, class Level, class NumItems>
  static cudaError_t HistogramRange(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                    Counter* counters, int num_levels, const Level* levels,
                                    NumItems num_items, cudaStream_t stream = 0) {
    if (detail::is_negative(num_items) || num_levels < 2) return cudaErrorInvalidValue;
    const detail::range_bins<const Level*> bins{num_levels - 1, levels};
    return detail::histogram(temp, temp_bytes, samples, detail::to_size(num_items), counters,
                             num_levels - 1, bins, stream);
  }
};

}  // namespace hindsight
