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

#include <hindsight/detail/cuda/histogram_channels.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>
#include <hindsight/detail/histogram_bins.h>

#include <cuda/std/array>

namespace hindsight {

inline namespace HINDSIGHT_ARCH_ABI {

/// Histograms. `counters` are integers in device memory.
/// Time and Memory as histogram_even; with several channels also 4 or 8 bytes for each bin.
///
/// A pixel is `NumChannels` samples, one after the other. The first `NumActive` channels are
/// counted, each into its own table. An image has num_rows rows of num_row_pixels pixels (with one
/// channel: num_row_samples samples); row r begins r * row_stride_bytes after the first one. The
/// stride is a multiple of a sample's size.
///   Example
///     thrust::device_vector<int> in(1000, 7), counters(10);
///     int* const to = thrust::raw_pointer_cast(counters.data());
///     std::size_t bytes = 0;
///     hindsight::DeviceHistogram::HistogramEven(nullptr, bytes, in.begin(), to, 11, 0, 100, 1000);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceHistogram::HistogramEven(temp.data().get(), bytes, in.begin(), to, 11, 0,
///         100, 1000);
struct DeviceHistogram {
  /// One value for each active channel.
  template <class T, std::size_t NumActive>
  using per_channel = ::cuda::std::array<T, NumActive>;

  /// counters[b] = number of samples in bin b of num_levels - 1 equal bins of [lower, upper).
  ///   Errors  cudaErrorInvalidValue also where num_levels < 2, lower is not less than upper, or a
  ///           level is NaN or infinite
  template <class SampleIt, class Counter, class Level, class NumItems>
  static cudaError_t HistogramEven(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                   Counter* counters, int num_levels, Level lower, Level upper,
                                   NumItems num_items, detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items) || detail::refuse_even_bins(num_levels - 1LL, lower, upper))
      return cudaErrorInvalidValue;
    const detail::even_bins<detail::item_t<SampleIt>, Level> bins{num_levels - 1, lower, upper};
    return detail::cuda::histogram(temp, temp_bytes, samples, detail::to_size(num_items), counters,
                                   num_levels - 1, bins, stream);
  }

  /// counters[b] = number of samples in [levels[b], levels[b + 1]).
  ///   levels  [num_levels], in device memory, not decreasing: read by kernels only, not checked
  template <class SampleIt, class Counter, class Level, class NumItems>
  static cudaError_t HistogramRange(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                    Counter* counters, int num_levels, const Level* levels,
                                    NumItems num_items, detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items) || num_levels < 2) return cudaErrorInvalidValue;
    const detail::range_bins<const Level*> bins{num_levels - 1, levels};
    return detail::cuda::histogram(temp, temp_bytes, samples, detail::to_size(num_items), counters,
                                   num_levels - 1, bins, stream);
  }

  /// HistogramEven of an image.
  template <class SampleIt, class Counter, class Level, class NumItems>
  static cudaError_t HistogramEven(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                   Counter* counters, int num_levels, Level lower, Level upper,
                                   NumItems num_row_samples, NumItems num_rows,
                                   std::size_t row_stride_bytes,
                                   detail::stream_argument stream = {}) {
    if (detail::is_negative(num_row_samples) || detail::is_negative(num_rows) ||
        detail::refuse_even_bins(num_levels - 1LL, lower, upper))
      return cudaErrorInvalidValue;
    const detail::even_bins<detail::item_t<SampleIt>, Level> bins{num_levels - 1, lower, upper};
    return detail::cuda::histogram_of(
        temp, temp_bytes, image_of<1>(samples, num_row_samples, num_rows, row_stride_bytes),
        counters, num_levels - 1, bins, stream);
  }

  /// HistogramRange of an image.
  template <class SampleIt, class Counter, class Level, class NumItems>
  static cudaError_t HistogramRange(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                    Counter* counters, int num_levels, const Level* levels,
                                    NumItems num_row_samples, NumItems num_rows,
                                    std::size_t row_stride_bytes,
                                    detail::stream_argument stream = {}) {
    if (detail::is_negative(num_row_samples) || detail::is_negative(num_rows) || num_levels < 2)
      return cudaErrorInvalidValue;
    const detail::range_bins<const Level*> bins{num_levels - 1, levels};
    return detail::cuda::histogram_of(
        temp, temp_bytes, image_of<1>(samples, num_row_samples, num_rows, row_stride_bytes),
        counters, num_levels - 1, bins, stream);
  }

  /// HistogramEven of each active channel of an image.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems>
  static cudaError_t MultiHistogramEven(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                        per_channel<Counter*, NumActive> counters,
                                        per_channel<int, NumActive> num_levels,
                                        per_channel<Level, NumActive> lower,
                                        per_channel<Level, NumActive> upper,
                                        NumItems num_row_pixels, NumItems num_rows,
                                        std::size_t row_stride_bytes,
                                        detail::stream_argument stream = {}) {
    if (detail::is_negative(num_row_pixels) || detail::is_negative(num_rows))
      return cudaErrorInvalidValue;
    for (int c = 0; c < NumActive; ++c) {
      if (detail::refuse_even_bins(num_levels[c] - 1LL, lower[c], upper[c]))
        return cudaErrorInvalidValue;
    }
    using rule = detail::even_bins<detail::item_t<SampleIt>, Level>;
    return detail::cuda::histogram_of_channels<NumActive>(
        temp, temp_bytes,
        image_of<NumChannels>(samples, num_row_pixels, num_rows, row_stride_bytes), counters,
        num_levels,
        [&](int c) {
          return rule{num_levels[c] - 1, lower[c], upper[c]};
        },
        stream);
  }

  /// HistogramRange of each active channel of an image.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems>
  static cudaError_t MultiHistogramRange(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                         per_channel<Counter*, NumActive> counters,
                                         per_channel<int, NumActive> num_levels,
                                         per_channel<const Level*, NumActive> levels,
                                         NumItems num_row_pixels, NumItems num_rows,
                                         std::size_t row_stride_bytes,
                                         detail::stream_argument stream = {}) {
    if (detail::is_negative(num_row_pixels) || detail::is_negative(num_rows))
      return cudaErrorInvalidValue;
    for (int c = 0; c < NumActive; ++c) {
      if (num_levels[c] < 2) return cudaErrorInvalidValue;
    }
    using rule = detail::range_bins<const Level*>;
    return detail::cuda::histogram_of_channels<NumActive>(
        temp, temp_bytes,
        image_of<NumChannels>(samples, num_row_pixels, num_rows, row_stride_bytes), counters,
        num_levels,
        [&](int c) {
          return rule{num_levels[c] - 1, levels[c]};
        },
        stream);
  }

  /// MultiHistogramEven of num_pixels pixels.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems>
  static cudaError_t MultiHistogramEven(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                        per_channel<Counter*, NumActive> counters,
                                        per_channel<int, NumActive> num_levels,
                                        per_channel<Level, NumActive> lower,
                                        per_channel<Level, NumActive> upper, NumItems num_pixels,
                                        detail::stream_argument stream = {}) {
    return MultiHistogramEven<NumChannels, NumActive>(temp, temp_bytes, samples, counters,
                                                      num_levels, lower, upper, num_pixels,
                                                      NumItems{1}, 0, stream);
  }

  /// MultiHistogramEven of num_pixels pixels; the channels' arguments are arrays.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems>
  static cudaError_t MultiHistogramEven(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                        Counter* counters[NumActive],
                                        const int num_levels[NumActive],
                                        const Level lower[NumActive], const Level upper[NumActive],
                                        NumItems num_pixels, detail::stream_argument stream = {}) {
    return MultiHistogramEven<NumChannels, NumActive>(
        temp, temp_bytes, samples, of_channels<NumActive>(counters),
        of_channels<NumActive>(num_levels), of_channels<NumActive>(lower),
        of_channels<NumActive>(upper), num_pixels, stream);
  }

  /// MultiHistogramEven of an image; the channels' arguments are arrays.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems>
  static cudaError_t MultiHistogramEven(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                        Counter* counters[NumActive],
                                        const int num_levels[NumActive],
                                        const Level lower[NumActive], const Level upper[NumActive],
                                        NumItems num_row_pixels, NumItems num_rows,
                                        std::size_t row_stride_bytes,
                                        detail::stream_argument stream = {}) {
    return MultiHistogramEven<NumChannels, NumActive>(
        temp, temp_bytes, samples, of_channels<NumActive>(counters),
        of_channels<NumActive>(num_levels), of_channels<NumActive>(lower),
        of_channels<NumActive>(upper), num_row_pixels, num_rows, row_stride_bytes, stream);
  }

  /// MultiHistogramRange of num_pixels pixels.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems>
  static cudaError_t MultiHistogramRange(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                         per_channel<Counter*, NumActive> counters,
                                         per_channel<int, NumActive> num_levels,
                                         per_channel<const Level*, NumActive> levels,
                                         NumItems num_pixels, detail::stream_argument stream = {}) {
    return MultiHistogramRange<NumChannels, NumActive>(temp, temp_bytes, samples, counters,
                                                       num_levels, levels, num_pixels, NumItems{1},
                                                       0, stream);
  }

  /// MultiHistogramRange of num_pixels pixels; the channels' arguments are arrays.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems>
  static cudaError_t MultiHistogramRange(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                         Counter* counters[NumActive],
                                         const int num_levels[NumActive],
                                         const Level* const levels[NumActive], NumItems num_pixels,
                                         detail::stream_argument stream = {}) {
    return MultiHistogramRange<NumChannels, NumActive>(
        temp, temp_bytes, samples, of_channels<NumActive>(counters),
        of_channels<NumActive>(num_levels), of_channels<NumActive>(levels), num_pixels, stream);
  }

  /// MultiHistogramRange of an image; the channels' arguments are arrays.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems>
  static cudaError_t MultiHistogramRange(void* temp, std::size_t& temp_bytes, SampleIt samples,
                                         Counter* counters[NumActive],
                                         const int num_levels[NumActive],
                                         const Level* const levels[NumActive],
                                         NumItems num_row_pixels, NumItems num_rows,
                                         std::size_t row_stride_bytes,
                                         detail::stream_argument stream = {}) {
    return MultiHistogramRange<NumChannels, NumActive>(
        temp, temp_bytes, samples, of_channels<NumActive>(counters),
        of_channels<NumActive>(num_levels), of_channels<NumActive>(levels), num_row_pixels,
        num_rows, row_stride_bytes, stream);
  }

  /// HistogramEven in one call.
  template <class SampleIt, class Counter, class Level, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t HistogramEven(SampleIt samples, Counter* counters, int num_levels, Level lower,
                                   Level upper, NumItems num_items, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return HistogramEven(temp, temp_bytes, samples, counters, num_levels, lower, upper, num_items,
                           stream);
    });
  }
  /// HistogramRange in one call.
  template <class SampleIt, class Counter, class Level, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t HistogramRange(SampleIt samples, Counter* counters, int num_levels,
                                    const Level* levels, NumItems num_items, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return HistogramRange(temp, temp_bytes, samples, counters, num_levels, levels, num_items,
                            stream);
    });
  }

  /// HistogramEven of an image, in one call.
  template <class SampleIt, class Counter, class Level, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t HistogramEven(SampleIt samples, Counter* counters, int num_levels, Level lower,
                                   Level upper, NumItems num_row_samples, NumItems num_rows,
                                   std::size_t row_stride_bytes, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return HistogramEven(temp, temp_bytes, samples, counters, num_levels, lower, upper,
                           num_row_samples, num_rows, row_stride_bytes, stream);
    });
  }
  /// HistogramRange of an image, in one call.
  template <class SampleIt, class Counter, class Level, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t HistogramRange(SampleIt samples, Counter* counters, int num_levels,
                                    const Level* levels, NumItems num_row_samples,
                                    NumItems num_rows, std::size_t row_stride_bytes,
                                    const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return HistogramRange(temp, temp_bytes, samples, counters, num_levels, levels,
                            num_row_samples, num_rows, row_stride_bytes, stream);
    });
  }
  /// MultiHistogramEven in one call.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t MultiHistogramEven(SampleIt samples, per_channel<Counter*, NumActive> counters,
                                        per_channel<int, NumActive> num_levels,
                                        per_channel<Level, NumActive> lower,
                                        per_channel<Level, NumActive> upper, NumItems num_pixels,
                                        const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MultiHistogramEven<NumChannels, NumActive>(
          temp, temp_bytes, samples, counters, num_levels, lower, upper, num_pixels, stream);
    });
  }
  /// MultiHistogramEven of an image, in one call.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t MultiHistogramEven(SampleIt samples, per_channel<Counter*, NumActive> counters,
                                        per_channel<int, NumActive> num_levels,
                                        per_channel<Level, NumActive> lower,
                                        per_channel<Level, NumActive> upper,
                                        NumItems num_row_pixels, NumItems num_rows,
                                        std::size_t row_stride_bytes, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MultiHistogramEven<NumChannels, NumActive>(temp, temp_bytes, samples, counters,
                                                        num_levels, lower, upper, num_row_pixels,
                                                        num_rows, row_stride_bytes, stream);
    });
  }
  /// MultiHistogramRange in one call.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t MultiHistogramRange(SampleIt samples,
                                         per_channel<Counter*, NumActive> counters,
                                         per_channel<int, NumActive> num_levels,
                                         per_channel<const Level*, NumActive> levels,
                                         NumItems num_pixels, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MultiHistogramRange<NumChannels, NumActive>(temp, temp_bytes, samples, counters,
                                                         num_levels, levels, num_pixels, stream);
    });
  }
  /// MultiHistogramRange of an image, in one call.
  template <int NumChannels, int NumActive, class SampleIt, class Counter, class Level,
            class NumItems, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t MultiHistogramRange(SampleIt samples,
                                         per_channel<Counter*, NumActive> counters,
                                         per_channel<int, NumActive> num_levels,
                                         per_channel<const Level*, NumActive> levels,
                                         NumItems num_row_pixels, NumItems num_rows,
                                         std::size_t row_stride_bytes, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MultiHistogramRange<NumChannels, NumActive>(temp, temp_bytes, samples, counters,
                                                         num_levels, levels, num_row_pixels,
                                                         num_rows, row_stride_bytes, stream);
    });
  }

 private:
  template <int NumChannels, class SampleIt, class NumItems>
  static auto image_of(SampleIt samples, NumItems num_row_pixels, NumItems num_rows,
                       std::size_t row_stride_bytes) {
    const auto in = detail::cuda::unwrap(samples);
    using image = detail::cuda::image_samples<std::remove_const_t<decltype(in)>, NumChannels>;
    const std::size_t row_pixels = detail::to_known_size(num_row_pixels),
                      rows = detail::to_known_size(num_rows);
    const std::size_t stride = row_stride_bytes / sizeof(typename image::value_type);
    if (stride == row_pixels * NumChannels) return image{in, row_pixels * rows, 1, 0};  // no gaps
    return image{in, row_pixels, rows, stride};
  }

  template <int NumActive, class T>
  static per_channel<T, NumActive> of_channels(const T* values) {
    per_channel<T, NumActive> copy{};
    for (int c = 0; c < NumActive; ++c) copy[c] = values[c];
    return copy;
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
