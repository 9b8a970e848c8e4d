// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of histograms: with a policy and iterators, with a policy and a range,
// and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/histogram.h>

namespace hindsight {

/// counters[b] = how many of the n samples in [first, last) fall into bin b of num_bins equal bins
/// of [lower, upper); counters [num_bins], integers. The bin of a sample s is
/// floor((s - lower) * num_bins / (upper - lower)), exact for integers; for floating-point levels
/// as CUB computes it. (half: as CUB, if a half can hold the number of every bin, else in float;
/// bfloat16: always in float.) Samples outside [lower, upper) are not counted. Returns counters +
/// num_bins.
///   Time    every sample is read once
///   Memory  CUDA: none where counters points to integers of 4 or 8 bytes (a raw pointer or an
///           iterator of device_vector), else 8 bytes per bin. Host: for each thread 8 bytes per
///           bin where caches hold these, else up to 256 KB. For samples of one or two bytes 8
///           bytes per value, for each thread and once more. From 2^32 samples on twice as much for
///           each thread
///   Order   changes nothing: counts are exact
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call, before anything is launched or written, where last comes
///           before first, num_bins < 1 or more than 2^31 - 1, lower is not less than upper, or a
///           level is NaN or infinite
///   Example
///     thrust::device_vector<float> samples(1000, 0.3f);
///     thrust::device_vector<int> counters(10);
///     hindsight::histogram_even(samples, 10, 0.0f, 1.0f,
///         counters.begin());  // counters[3] is 1000
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class SampleIt, class Level, class CounterIt>
HINDSIGHT_HD CounterIt histogram_even(const execution_policy<D, S>& policy, SampleIt first,
                                      SampleIt last, long long num_bins, Level lower, Level upper,
                                      CounterIt counters) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::histogram_even(policy, first, last, num_bins,
                                               detail::as_level(lower), detail::as_level(upper),
                                               counters);),
      (return detail::dispatch::count_in_order(
                  first, last, counters, static_cast<int>(num_bins),
                  detail::even_bins<detail::item_t<SampleIt>, detail::level_of<Level>>{
                      static_cast<int>(num_bins), detail::as_level(lower),
                      detail::as_level(upper)});))
}

/// counters[b] = how many of the n samples in [first, last) lie in [levels[b], levels[b + 1]).
/// There is one bin less than there are levels; two equal levels make an empty bin. Returns the end
/// of the counters.
///   levels  in host or device memory. cuda::par copies them to the host to check them, and for
///           that waits for what is in its stream. Kernels read levels in device memory in place:
///           with par_nosync, change them only by later work in the same stream. A graph keeps the
///           values of levels in host memory; levels in device memory are read whenever the graph
///           runs, and not checked
///   Time    every sample is read once, and looked up by a binary search in the levels
///   Memory  as histogram_even; CUDA: also room for levels that are not in this GPU's memory
///   Order   changes nothing: counts are exact
///   Sync    waits for what is in its stream, to check the levels, also with par_nosync; not while
///           it is captured. Then as the policy asks
///   Errors  the policy's; invalid_call, before anything is launched or written, where there are
///           fewer than two levels, one is NaN or less than the one before it, or a range ends
///           before it begins
///   Example
///     thrust::device_vector<int> samples(1000, 7), counters(2);
///     const int levels[] = {0, 5, 10};
///     hindsight::histogram_range(samples, levels, levels + 3, counters.begin());  // 0 1000
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class SampleIt, class LevelIt, class CounterIt>
HINDSIGHT_HD CounterIt histogram_range(const execution_policy<D, S>& policy, SampleIt first,
                                       SampleIt last, LevelIt levels_first, LevelIt levels_last,
                                       CounterIt counters) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::histogram_range(policy, first, last, levels_first, levels_last,
                                                counters);),
      (return detail::dispatch::count_in_order(
                  first, last, counters, int(levels_last - levels_first) - 1,
                  detail::range_bins<LevelIt>{int(levels_last - levels_first) - 1, levels_first});))
}

/// With a policy of stock Thrust: cub::DeviceHistogram on CUDA, else one thread (Thrust has no
/// histogram on host systems). CUB counts in at most 2^31 - 2 bins; for more this throws
/// invalid_call. (Generic code may also pass our policies as Thrust's base of all policies.)
template <class D, class SampleIt, class Level, class CounterIt>
CounterIt histogram_even(const thrust::detail::execution_policy_base<D>& policy, SampleIt first,
                         SampleIt last, long long num_bins, Level lower, Level upper,
                         CounterIt counters) {
  if constexpr (detail::is_our_policy<D>) {
    return hindsight::histogram_even(detail::derived(policy), first, last, num_bins, lower, upper,
                                     counters);
  } else {
    return detail::dispatch::stock_histogram_even(detail::derived(policy), first, last, num_bins,
                                                  detail::as_level(lower), detail::as_level(upper),
                                                  counters);
  }
}

/// With a policy of stock Thrust, as histogram_even.
template <class D, class SampleIt, class LevelIt, class CounterIt>
CounterIt histogram_range(const thrust::detail::execution_policy_base<D>& policy, SampleIt first,
                          SampleIt last, LevelIt levels_first, LevelIt levels_last,
                          CounterIt counters) {
  if constexpr (detail::is_our_policy<D>) {
    return hindsight::histogram_range(detail::derived(policy), first, last, levels_first,
                                      levels_last, counters);
  } else {
    return detail::dispatch::stock_histogram_range(detail::derived(policy), first, last,
                                                   levels_first, levels_last, counters);
  }
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class Level, class CounterIt, detail::if_range<Range> = 0>
CounterIt histogram_even(const execution_policy<D, S>& policy, Range&& samples, long long num_bins,
                         Level lower, Level upper, CounterIt counters) {
  return hindsight::histogram_even(policy, detail::begin_of(samples), detail::end_of(samples),
                                   num_bins, lower, upper, counters);
}
/// The same for a range, run where its iterators say.
template <class Range, class Level, class CounterIt, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, CounterIt>>
CounterIt histogram_even(Range&& samples, long long num_bins, Level lower, Level upper,
                         CounterIt counters) {
  return hindsight::histogram_even(Policy{}, detail::begin_of(samples), detail::end_of(samples),
                                   num_bins, lower, upper, counters);
}
/// The same without a policy, run where the iterators say.
template <class It, class Level, class CounterIt,
          class Policy = detail::default_policy<It, It, CounterIt>>
CounterIt histogram_even(It first, It last, long long num_bins, Level lower, Level upper,
                         CounterIt counters) {
  return hindsight::histogram_even(Policy{}, first, last, num_bins, lower, upper, counters);
}

/// The same for the items of a range.
template <class D, class S, class Range, class LevelIt, class CounterIt,
          detail::if_range<Range> = 0>
CounterIt histogram_range(const execution_policy<D, S>& policy, Range&& samples,
                          LevelIt levels_first, LevelIt levels_last, CounterIt counters) {
  return hindsight::histogram_range(policy, detail::begin_of(samples), detail::end_of(samples),
                                    levels_first, levels_last, counters);
}
/// The same for a range, run where its iterators say.
template <class Range, class LevelIt, class CounterIt, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, CounterIt>>
CounterIt histogram_range(Range&& samples, LevelIt levels_first, LevelIt levels_last,
                          CounterIt counters) {
  return hindsight::histogram_range(Policy{}, detail::begin_of(samples), detail::end_of(samples),
                                    levels_first, levels_last, counters);
}
/// The same without a policy, run where the iterators say.
template <class It, class LevelIt, class CounterIt,
          class Policy = detail::default_policy<It, It, CounterIt>>
CounterIt histogram_range(It first, It last, LevelIt levels_first, LevelIt levels_last,
                          CounterIt counters) {
  return hindsight::histogram_range(Policy{}, first, last, levels_first, levels_last, counters);
}

}  // namespace hindsight
