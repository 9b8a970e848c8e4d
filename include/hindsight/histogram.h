// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doors to histograms: with a policy and iterators, with a policy and a range,
// and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/histogram.h>

namespace hindsight {

/// counters[b] = number of samples in bin b of num_bins equal bins of [lower, upper): bin b of a
/// sample s is floor((s - lower) * num_bins / (upper - lower)), exact for integers; for
/// floating-point levels as CUB computes it (half: where CUB's halves hold all numbers of bins;
/// else, and for bfloat16, in float). Other samples are not counted. Returns counters + num_bins.
///   Memory  CUDA: a counter per bin for each block, where they do not fit in shared memory
///   Sync    as the policy asks
///   Errors  invalid_call, before anything is written, where last comes before first, num_bins < 1,
///           lower is not less than upper, or a level is NaN or infinite
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class SampleIt, class Level, class CounterIt>
HINDSIGHT_HD CounterIt histogram_even(const execution_policy<D, S>& policy, SampleIt first,
                                      SampleIt last, int num_bins, Level lower, Level upper,
                                      CounterIt counters) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::histogram_even(policy, first, last, num_bins, lower, upper,
                                               counters);),
      (return detail::dispatch::count_in_order(
                  first, last, counters, num_bins,
                  detail::even_bins<detail::item_t<SampleIt>, Level>{num_bins, lower, upper});))
}

/// counters[b] = number of samples in [levels[b], levels[b + 1]), one bin less than there are
/// levels. Equal neighbours make an empty bin. Returns the end of the counters.
///   levels  in host or device memory; cuda::par brings them to the host to check them, and for
///           that waits for what is in its stream. Into a graph go the values of levels on the
///           host; levels in device memory are read, and not checked, whenever the graph runs
///   Errors  invalid_call, before anything is written, where there are fewer than two levels, one
///           is NaN or less than the one before it, or a range ends before it begins
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

// With a policy of stock Thrust: cub::DeviceHistogram on CUDA, else one thread (Thrust has no
// histogram on host systems).

template <class D, class SampleIt, class Level, class CounterIt>
CounterIt histogram_even(const thrust::detail::execution_policy_base<D>& policy, SampleIt first,
                         SampleIt last, int num_bins, Level lower, Level upper,
                         CounterIt counters) {
  return detail::dispatch::stock_histogram_even(
      thrust::detail::derived_cast(thrust::detail::strip_const(policy)), first, last, num_bins,
      lower, upper, counters);
}

template <class D, class SampleIt, class LevelIt, class CounterIt>
CounterIt histogram_range(const thrust::detail::execution_policy_base<D>& policy, SampleIt first,
                          SampleIt last, LevelIt levels_first, LevelIt levels_last,
                          CounterIt counters) {
  return detail::dispatch::stock_histogram_range(
      thrust::detail::derived_cast(thrust::detail::strip_const(policy)), first, last, levels_first,
      levels_last, counters);
}

// With a range in place of first and last, and without a policy.

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto histogram_even(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::histogram_even(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto histogram_even(Data&& data, Args... args) {
  return hindsight::histogram_even(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto histogram_range(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::histogram_range(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy_of_ends<Data, Args...>>
auto histogram_range(Data&& data, Args... args) {
  return hindsight::histogram_range(Policy{}, data, args...);
}

}  // namespace hindsight
