// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms: ours; with a stock policy, cub::DeviceHistogram or one thread.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/histogram_levels.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/require.h>
#include <hindsight/detail/dispatch/sizes.h>
#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/host/histogram.h>

#include <thrust/copy.h>
#include <thrust/detail/temporary_array.h>
#include <thrust/fill.h>

#include <vector>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/histogram.cuh>

#  include <cub/device/device_histogram.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// One thread; for device code and stock's host systems, which have no histogram.
_CCCL_EXEC_CHECK_DISABLE
template <class SampleIt, class CounterIt, class Bins>
HINDSIGHT_HD CounterIt count_in_order(SampleIt first, SampleIt last, CounterIt counters,
                                      int num_bins, Bins bins) {
  using Sample = item_t<SampleIt>;
  using Counter = item_t<CounterIt>;
  for (int b = 0; b < num_bins; ++b) counters[b] = Counter(0);
  for (; first != last; ++first) {
    const int bin = bins(static_cast<Sample>(*first));
    if (bin != no_bin) counters[bin] = Counter(counters[bin] + 1);
  }
  return counters + num_bins;
}

#if HINDSIGHT_CUDA

template <class D, class SampleIt, class Size, class CounterIt, class Bins>
CounterIt run_histogram(const cuda_policy<D>& policy, const char* name, SampleIt first,
                        const Size& size, CounterIt counters, int num_bins, Bins bins) {
  run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
    return cuda::histogram(temp, bytes, first, size, counters, num_bins, bins, stream);
  });
  return detail::advanced(counters, num_bins);
}

template <class D, class SampleIt, class Last, class Level, class CounterIt>
CounterIt histogram_even(const cuda_policy<D>& policy, SampleIt first, Last last,
                         long long num_bins, Level lower, Level upper, CounterIt counters) {
  constexpr auto name = "hindsight::histogram_even";
  const auto size = dispatch::size_of(first, last, name);
  refuse(name, refuse_even_bins(num_bins, lower, upper));
  const even_bins<item_t<SampleIt>, Level> bins{static_cast<int>(num_bins), lower, upper};
  return run_histogram(policy, name, first, size, counters, static_cast<int>(num_bins), bins);
}

/// Counts between `num_levels` levels. put(to) writes them to `to`, in the policy's stream.
template <class Level, class D, class SampleIt, class Size, class CounterIt, class Put>
CounterIt run_histogram_range(const cuda_policy<D>& policy, const char* name, SampleIt first,
                              const Size& size, CounterIt counters, std::size_t num_levels,
                              Put put) {
  temporary<Level, D> levels(policy, num_levels, name);
  put(levels.data());
  const int num_bins = static_cast<int>(num_levels) - 1;
  const range_bins<const Level*> bins{num_bins, levels.data()};
  return run_histogram(policy, name, first, size, counters, num_bins, bins);
}

/// Into a graph. Levels on the host are checked and travel with the graph; those on the device are
/// read when the graph runs.
template <class D, class SampleIt, class Size, class LevelIt, class CounterIt>
CounterIt capture_histogram_range(const cuda_policy<D>& policy, const char* name, SampleIt first,
                                  const Size& size, LevelIt levels_first, LevelIt levels_last,
                                  CounterIt counters) {
  using Level = item_t<LevelIt>;
  const cudaStream_t stream = stream_of(policy);
  const std::size_t num_levels = detail::length(levels_first, levels_last, name);
  check_num_levels(name, num_levels);
  if constexpr (thrust::is_contiguous_iterator_v<LevelIt> ||
                is_in_system<thrust::cuda::tag, LevelIt>()) {
    const hindsight::cuda::on_stream_nosync in_order{stream};
    const auto copy = [&](Level* to) {
      const auto from = cuda::unwrap(levels_first);
      thrust::copy(in_order, from, from + num_levels, to);
    };
    if (are_on_device(levels_first)) {
      return run_histogram_range<Level>(policy, name, first, size, counters, num_levels, copy);
    }
  }
  host_levels<Level> levels(num_levels);
  thrust::copy(levels_first, levels_last, levels.begin());
  checked_num_bins(name, levels.begin(), levels.end());
  return run_histogram_range<Level>(
      policy, name, first, size, counters, num_levels, [&](Level* to) {
        throw_on_error(cuda::send_levels(levels.data(), num_levels, to, stream), name);
      });
}

template <class D, class SampleIt, class Last, class LevelIt, class CounterIt>
CounterIt histogram_range(const cuda_policy<D>& policy, SampleIt first, Last last,
                          LevelIt levels_first, LevelIt levels_last, CounterIt counters) {
  constexpr auto name = "hindsight::histogram_range";
  using Level = item_t<LevelIt>;
  const auto size = dispatch::size_of(first, last, name);
  const cudaStream_t stream = stream_of(policy);
  require_gpu(name);
  refuse_older_error(name);
  if (is_captured(stream, name)) {
    return capture_histogram_range(policy, name, first, size, levels_first, levels_last, counters);
  }
  const auto levels = levels_on_host(name, levels_first, levels_last, stream);
  if constexpr (thrust::is_contiguous_iterator_v<LevelIt>) {
    if (stay_in_place(name, levels_first, levels.size(), counters)) {
      const int num_bins = static_cast<int>(levels.size()) - 1;
      const range_bins<const Level*> bins{num_bins, cuda::unwrap(levels_first)};
      return run_histogram(policy, name, first, size, counters, num_bins, bins);
    }
  }
  return run_histogram_range<Level>(policy, name, first, size, counters, levels.size(),
                                    [&](Level* to) { copy_levels(name, levels, to, stream); });
}

/// CUB's histogram through a stock policy: `call(temp, temp_bytes, counters, stream)`.
template <class D, class CounterIt, class Call>
CounterIt run_stock_histogram(D& policy, const char* name, CounterIt counters, int num_bins,
                              Call call) {
  const cudaStream_t stream = thrust::cuda_cub::stream(policy);
  using Counter = item_t<CounterIt>;
  constexpr bool is_direct = thrust::is_contiguous_iterator_v<CounterIt>;
  thrust::detail::temporary_array<Counter, D> copy(policy, is_direct ? 0 : num_bins);
  Counter* to = thrust::raw_pointer_cast(copy.data());
  if constexpr (is_direct) to = cuda::unwrap(counters);
  std::size_t bytes = 0;
  throw_on_error(call(nullptr, bytes, to, stream), name);
  thrust::detail::temporary_array<char, D> temp(policy, bytes);
  throw_on_error(call(thrust::raw_pointer_cast(temp.data()), bytes, to, stream), name);
  if constexpr (!is_direct) thrust::copy(policy, copy.begin(), copy.end(), counters);
  throw_on_error(thrust::cuda_cub::synchronize_optional(policy), name);
  return detail::advanced(counters, num_bins);
}

template <class D, class SampleIt, class Level, class CounterIt>
CounterIt stock_histogram_even(thrust::cuda_cub::execution_policy<D>& policy, SampleIt first,
                               SampleIt last, long long num_bins, Level lower, Level upper,
                               CounterIt counters) {
  constexpr auto name = "hindsight::histogram_even";
  const std::size_t n = detail::length(first, last, name);
  refuse(name, refuse_even_bins(num_bins, lower, upper));
  check_num_levels(name, static_cast<std::size_t>(num_bins) + 1);
  const int num_levels = static_cast<int>(num_bins + 1);
  return run_stock_histogram(
      thrust::detail::derived_cast(policy), name, counters, static_cast<int>(num_bins),
      [&](void* temp, std::size_t& bytes, item_t<CounterIt>* to, cudaStream_t stream) {
        return cub::DeviceHistogram::HistogramEven(temp, bytes, first, to, num_levels, lower, upper,
                                                   static_cast<long long>(n), stream);
      });
}

template <class D, class SampleIt, class LevelIt, class CounterIt>
CounterIt stock_histogram_range(thrust::cuda_cub::execution_policy<D>& policy, SampleIt first,
                                SampleIt last, LevelIt levels_first, LevelIt levels_last,
                                CounterIt counters) {
  constexpr auto name = "hindsight::histogram_range";
  const std::size_t n = detail::length(first, last, name);
  using Level = item_t<LevelIt>;
  D& own = thrust::detail::derived_cast(policy);
  const cudaStream_t own_stream = thrust::cuda_cub::stream(own);
  const auto levels = levels_on_host(name, levels_first, levels_last, own_stream);
  thrust::detail::temporary_array<Level, D> on_device(own, levels.size());
  copy_levels(name, levels, thrust::raw_pointer_cast(on_device.data()), own_stream);
  return run_stock_histogram(
      own, name, counters, static_cast<int>(levels.size()) - 1,
      [&](void* temp, std::size_t& bytes, item_t<CounterIt>* to, cudaStream_t stream) {
        return cub::DeviceHistogram::HistogramRange(
            temp, bytes, first, to, static_cast<int>(levels.size()),
            thrust::raw_pointer_cast(on_device.data()), static_cast<long long>(n), stream);
      });
}

#endif  // HINDSIGHT_CUDA

template <class D, class SampleIt, class Last, class Level, class CounterIt>
CounterIt histogram_even(const host_policy<D>& policy, SampleIt first, Last last,
                         long long num_bins, Level lower, Level upper, CounterIt counters) {
  constexpr auto name = "hindsight::histogram_even";
  if constexpr (!require_random_access<SampleIt>()) {
    return counters;
  } else {
    const std::size_t n = dispatch::host_length(name, first, dispatch::last_of(first, last, name));
    if (num_bins > 0) dispatch::refuse_null(name, std::size_t(num_bins), counters);
    auto memory = dispatch::memory_of(policy);
    host::histogram_even(first, n, counters, num_bins, lower, upper, memory);
    return detail::advanced(counters, num_bins);
  }
}

template <class D, class SampleIt, class Last, class LevelIt, class CounterIt>
CounterIt histogram_range(const host_policy<D>& policy, SampleIt first, Last last,
                          LevelIt levels_first, LevelIt levels_last, CounterIt counters) {
  constexpr auto name = "hindsight::histogram_range";
  if constexpr (!require_random_access<SampleIt>()) {
    return counters;
  } else {
    const std::size_t n = dispatch::host_length(name, first, dispatch::last_of(first, last, name));
    dispatch::host_length(name, levels_first, levels_last);
    const int num_bins = checked_num_bins(name, levels_first, levels_last);
    dispatch::refuse_null(name, std::size_t(num_bins), counters);
    auto memory = dispatch::memory_of(policy);
    host::histogram_range(first, n, counters, num_bins, levels_first, memory);
    return detail::advanced(counters, num_bins);
  }
}

/// Stock's host systems, and thrust::seq.
template <class D, class SampleIt, class Level, class CounterIt>
CounterIt stock_histogram_even(const thrust::detail::execution_policy_base<D>&, SampleIt first,
                               SampleIt last, long long num_bins, Level lower, Level upper,
                               CounterIt counters) {
  constexpr auto name = "hindsight::histogram_even";
  detail::length(first, last, name);
  refuse(name, refuse_even_bins(num_bins, lower, upper));
  const even_bins<item_t<SampleIt>, Level> bins{static_cast<int>(num_bins), lower, upper};
  return count_in_order(first, last, counters, static_cast<int>(num_bins), bins);
}

template <class D, class SampleIt, class LevelIt, class CounterIt>
CounterIt stock_histogram_range(const thrust::detail::execution_policy_base<D>&, SampleIt first,
                                SampleIt last, LevelIt levels_first, LevelIt levels_last,
                                CounterIt counters) {
  constexpr auto name = "hindsight::histogram_range";
  detail::length(first, last, name);
  const int num_bins = checked_num_bins(name, levels_first, levels_last);
  return count_in_order(first, last, counters, num_bins,
                        range_bins<LevelIt>{num_bins, levels_first});
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
