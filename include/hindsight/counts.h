// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that leave their counts in device memory and take their sizes from there. The count of one
// call is the size of the next, and the host waits for neither. A CUDA graph captures a chain of
// such calls once and replays it with other data.
//
//   hindsight::copy_if_into(policy, in, in + n, kept, num_kept, pred);
//   hindsight::inclusive_scan(policy, kept, hindsight::deferred{num_kept, n}, sums);
//
// Each of them takes an iterator or a hindsight::deferred in the place of `last`.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/counts_in_place.h>
#include <hindsight/deferred.h>
#include <hindsight/detail/dispatch/adjacent_difference.h>
#include <hindsight/detail/dispatch/counts.h>
#include <hindsight/detail/dispatch/histogram.h>
#include <hindsight/detail/dispatch/scan_by_key.h>

namespace hindsight {

/// Of the n items from `first` on, copies those with pred(in[i]) to `out`, in order, and writes how
/// many they are to *count. `out` may be `first`; else it must not overlap the input.
///   last    the end of the input, or a deferred size
///   count   [1]; not the place of a deferred size
///   Time    n calls of pred; every item is read once, every selected one is written once
///   Memory  as copy_if of the most items that there may be
///   Order   that of the input
///   Sync    as the policy asks: nothing comes back to the host
///   Errors  invalid_call where last comes before first
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), count(1);
///     hindsight::copy_if_into(hindsight::par_nosync, in.begin(), in.end(), out.begin(),
///         count.begin(), ::cuda::std::identity{});
///     hindsight::inclusive_scan(hindsight::par_nosync, out.begin(),
///         hindsight::deferred{count.begin(), 1000}, out.begin());
template <class D, class S, class InputIt, class Last, class OutputIt, class CountIt, class Pred>
void copy_if_into(const execution_policy<D, S>& policy, InputIt first, Last last, OutputIt out,
                  CountIt count, Pred pred) {
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_select_into(policy, "hindsight::copy_if_into", first, last, out, count,
                                    pred);
}

/// The same, of the items with pred(stencil[i]).
template <class D, class S, class InputIt, class Last, class StencilIt, class OutputIt,
          class CountIt, class Pred>
void copy_if_into(const execution_policy<D, S>& policy, InputIt first, Last last, StencilIt stencil,
                  OutputIt out, CountIt count, Pred pred) {
  detail::dispatch::require_ours<S, InputIt, StencilIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>, detail::item_t<StencilIt>>();
  detail::dispatch::run_select_into(policy, "hindsight::copy_if_into", first, last, out, count,
                                    pred, stencil);
}

/// Copies the first item of every run of equal neighbours to `out`, and writes the number of runs
/// to *count. `out` may be `first`. All else as copy_if_into.
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), count(1);
///     hindsight::unique_copy_into(hindsight::par, in.begin(), in.end(), out.begin(),
///         count.begin());  // 1
template <class D, class S, class InputIt, class Last, class OutputIt, class CountIt,
          class Equal = ::cuda::std::equal_to<>>
void unique_copy_into(const execution_policy<D, S>& policy, InputIt first, Last last, OutputIt out,
                      CountIt count, Equal equal = {}) {
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_unique_into(policy, "hindsight::unique_copy_into", first, last, out, count,
                                    equal);
}

/// As run_length_encode, and writes the number of runs to *count. All else as copy_if_into.
///   Example
///     thrust::device_vector<int> in(1000, 2), items(1000), lengths(1000), count(1);
///     hindsight::run_length_encode_into(hindsight::par, in.begin(), in.end(), items.begin(),
///         lengths.begin(), count.begin());  // 2; 1000; 1
template <class D, class S, class InputIt, class Last, class UniqueOut, class LengthsOut,
          class CountIt, class Equal = ::cuda::std::equal_to<>>
void run_length_encode_into(const execution_policy<D, S>& policy, InputIt first, Last last,
                            UniqueOut unique_out, LengthsOut lengths_out, CountIt count,
                            Equal equal = {}) {
  detail::dispatch::require_ours<S, InputIt, UniqueOut, LengthsOut>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_encode_into(policy, "hindsight::run_length_encode_into", first, last,
                                    unique_out, lengths_out, count, equal);
}

/// As partition_copy, and writes the number of items with pred(in[i]) to *count. All else as
/// copy_if_into.
///   Example
///     thrust::device_vector<int> in(1000, 2), yes(1000), no(1000), count(1);
///     hindsight::partition_copy_into(hindsight::par, in.begin(), in.end(), yes.begin(),
///         no.begin(), count.begin(), ::cuda::std::identity{});  // 1000
template <class D, class S, class InputIt, class Last, class TrueIt, class FalseIt, class CountIt,
          class Pred>
void partition_copy_into(const execution_policy<D, S>& policy, InputIt first, Last last,
                         TrueIt out_true, FalseIt out_false, CountIt count, Pred pred) {
  detail::dispatch::require_ours<S, InputIt, TrueIt, FalseIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_partition_into(policy, "hindsight::partition_copy_into", first, last,
                                       out_true, out_false, count, pred);
}

/// As reduce_by_key, and writes the number of runs to *count. All else as copy_if_into.
///   Order   as reduce_by_key: the same bits as with a size that the host knows
///   Example
///     thrust::device_vector<int> keys(1000, 2), values(1000, 3), out(1000), sums(1000), count(1);
///     hindsight::reduce_by_key_into(hindsight::par, keys.begin(), keys.end(), values.begin(),
///         out.begin(), sums.begin(), count.begin());  // 2; 3000; 1
template <class D, class S, class KeyIt, class Last, class ValueIt, class KeyOut, class ValueOut,
          class CountIt, class Equal = ::cuda::std::equal_to<>,
          class Op = ::cuda::std::plus<detail::dispatch::sum_by_key_t<ValueIt, ValueOut>>>
void reduce_by_key_into(const execution_policy<D, S>& policy, KeyIt keys_first, Last keys_last,
                        ValueIt values_first, KeyOut keys_out, ValueOut values_out, CountIt count,
                        Equal equal = {}, Op op = {}) {
  detail::dispatch::require_ours<S, KeyIt, ValueIt, KeyOut, ValueOut>();
  detail::dispatch::require_copies<S, detail::item_t<KeyIt>, detail::item_t<ValueIt>>();
  detail::dispatch::run_reduce_by_key_into(policy, "hindsight::reduce_by_key_into", keys_first,
                                           keys_last, values_first, keys_out, values_out, count,
                                           equal, op);
}

/// As reduce_into, of as many items as `size` says when the work starts; *out = init if there are
/// none.
///   Time    as reduce of the items that there are
///   Memory  as reduce of the most items that there may be
///   Order   as reduce: the same bits as with a size that the host knows, if `most` is below 2^31
///   Sync    as the policy asks
///   Errors  as reduce_into
///   Example
///     thrust::device_vector<int> in(1000, 2), sum(1), num_items(1, 600);
///     hindsight::reduce_into(hindsight::par, in.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, sum.begin());  // 1200
template <class D, class S, class InputIt, class SizeIt, class OutputIt,
          class T = detail::item_t<InputIt>, class Op = ::cuda::std::plus<T>>
void reduce_into(const execution_policy<D, S>& policy, InputIt first, deferred<SizeIt> size,
                 OutputIt out, T init = detail::zero<T>(), Op op = {}) {
  detail::dispatch::require_ours<S, InputIt>();
  detail::dispatch::require_copies<S, T, detail::dispatch::reduced_t<Op, InputIt, T>>();
  detail::dispatch::run_reduce_into(policy, "hindsight::reduce_into", first, size, out, init, op);
}

/// As inclusive_scan, of as many items as `size` says when the work starts.
///   Time    as inclusive_scan of the items that there are
///   Memory  as inclusive_scan of the most items that there may be
///   Order   as inclusive_scan: the same bits as with a size that the host knows
///   Sync    as the policy asks
///   Errors  as inclusive_scan
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_items(1, 600);
///     hindsight::inclusive_scan(hindsight::par, in.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, out.begin());
template <class D, class S, class InputIt, class SizeIt, class OutputIt,
          class Op = ::cuda::std::plus<>>
void inclusive_scan(const execution_policy<D, S>& policy, InputIt first, deferred<SizeIt> size,
                    OutputIt out, Op op = {}) {
  using accumulator = detail::item_t<InputIt>;
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, accumulator>();
  detail::dispatch::run_inclusive<accumulator>(policy, "hindsight::inclusive_scan", first, size,
                                               out, op);
}
/// The same with an initial value.
template <class D, class S, class InputIt, class SizeIt, class OutputIt, class T, class Op>
void inclusive_scan(const execution_policy<D, S>& policy, InputIt first, deferred<SizeIt> size,
                    OutputIt out, T init, Op op) {
  using accumulator = detail::accumulator_t<Op, detail::item_t<InputIt>, T>;
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, accumulator>();
  detail::dispatch::run_inclusive<accumulator>(policy, "hindsight::inclusive_scan", first, size,
                                               out, op, init);
}

/// As exclusive_scan, of as many items as `size` says when the work starts. All else as
/// inclusive_scan of a deferred size.
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_items(1, 600);
///     hindsight::exclusive_scan(hindsight::par, in.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, out.begin(), 0);
template <class D, class S, class InputIt, class SizeIt, class OutputIt, class T,
          class Op = ::cuda::std::plus<>>
void exclusive_scan(const execution_policy<D, S>& policy, InputIt first, deferred<SizeIt> size,
                    OutputIt out, T init, Op op = {}) {
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, T>();
  detail::dispatch::run_exclusive(policy, "hindsight::exclusive_scan", first, size, out, init, op);
}

/// As sort, of as many items as `size` says when the work starts; stable. On the GPU, `first` is a
/// pointer or an iterator of a vector. There, numbers by less or greater have any size that sort
/// takes; with other items or orders, items have up to 16 bytes, and values (of sort_by_key) up to
/// 8.
///   Time    as sort of the items that there are, with the launches of the most that there may be
///   Memory  as sort of the most items that there may be
///   Order   as sort
///   Sync    as the policy asks
///   Errors  as sort
///   Example
///     thrust::device_vector<int> keys(1000, 2), num_keys(1, 600);
///     hindsight::sort(hindsight::par, keys.begin(),
///         hindsight::deferred{num_keys.begin(), 1000});
template <class D, class S, class It, class SizeIt,
          class Compare = ::cuda::std::less<detail::item_t<It>>>
void sort(const execution_policy<D, S>& policy, It first, deferred<SizeIt> size,
          Compare compare = {}) {
  detail::dispatch::require_ours<S, It>();
  detail::dispatch::run_sort(policy, "hindsight::sort", first, size, compare);
}

/// As sort_by_key, of as many keys and values as `size` says when the work starts. All else as sort
/// of a deferred size.
///   Example
///     thrust::device_vector<int> keys(1000, 2), values(1000), num_keys(1, 600);
///     hindsight::sort_by_key(hindsight::par, keys.begin(),
///         hindsight::deferred{num_keys.begin(), 1000}, values.begin());
template <class D, class S, class KeyIt, class SizeIt, class ValueIt,
          class Compare = ::cuda::std::less<detail::item_t<KeyIt>>>
void sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first, deferred<SizeIt> size,
                 ValueIt values_first, Compare compare = {}) {
  detail::dispatch::require_ours<S, KeyIt, ValueIt>();
  detail::dispatch::require_copies<S, detail::item_t<ValueIt>>();
  detail::dispatch::run_sort(policy, "hindsight::sort_by_key", keys_first, size, compare,
                             values_first);
}

/// As inclusive_scan_by_key, of as many keys and values as `size` says when the work starts. All
/// else as inclusive_scan of a deferred size.
///   Order   as inclusive_scan_by_key: the same bits as with a size that the host knows
///   Example
///     thrust::device_vector<int> keys(1000, 7), values(1000, 2), out(1000), num_items(1, 600);
///     hindsight::inclusive_scan_by_key(hindsight::par, keys.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, values.begin(), out.begin());
template <class D, class S, class KeyIt, class SizeIt, class ValueIt, class OutputIt,
          class Equal = ::cuda::std::equal_to<>, class Op = ::cuda::std::plus<>>
void inclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                           deferred<SizeIt> size, ValueIt values, OutputIt out, Equal equal = {},
                           Op op = {}) {
  detail::dispatch::require_ours<S, KeyIt, ValueIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<KeyIt>, detail::item_t<ValueIt>>();
  detail::dispatch::run_by_key(policy, "hindsight::inclusive_scan_by_key", keys_first, size, values,
                               out, equal, op);
}

/// As exclusive_scan_by_key, of as many keys and values as `size` says when the work starts. All
/// else as inclusive_scan_by_key of a deferred size.
///   Example
///     thrust::device_vector<int> keys(1000, 7), values(1000, 2), out(1000), num_items(1, 600);
///     hindsight::exclusive_scan_by_key(hindsight::par, keys.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, values.begin(), out.begin(), 5);
template <class D, class S, class KeyIt, class SizeIt, class ValueIt, class OutputIt, class T,
          class Equal = ::cuda::std::equal_to<>, class Op = ::cuda::std::plus<>>
void exclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                           deferred<SizeIt> size, ValueIt values, OutputIt out, T init,
                           Equal equal = {}, Op op = {}) {
  detail::dispatch::require_ours<S, KeyIt, ValueIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<KeyIt>, T>();
  detail::dispatch::run_by_key(policy, "hindsight::exclusive_scan_by_key", keys_first, size, values,
                               out, equal, op, init);
}

/// As adjacent_difference, of as many items as `size` says when the work starts. All else as
/// inclusive_scan of a deferred size.
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_items(1, 600);
///     hindsight::adjacent_difference(hindsight::par, in.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, out.begin());  // 2 0 0 ...
template <class D, class S, class InputIt, class SizeIt, class OutputIt,
          class Op = ::cuda::std::minus<>>
void adjacent_difference(const execution_policy<D, S>& policy, InputIt first, deferred<SizeIt> size,
                         OutputIt out, Op op = {}) {
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_adjacent_difference(policy, "hindsight::adjacent_difference", first, size,
                                            out, detail::as_twin(op));
}

/// As histogram_even, of as many samples as `size` says when the work starts; the counters are 0 if
/// there are none. All else as inclusive_scan of a deferred size.
///   Errors  as histogram_even
///   Example
///     thrust::device_vector<float> samples(1000, 0.3f);
///     thrust::device_vector<int> counters(10), num_samples(1, 600);
///     hindsight::histogram_even(hindsight::par, samples.begin(),
///         hindsight::deferred{num_samples.begin(), 1000}, 10, 0.0f, 1.0f, counters.begin());
template <class D, class S, class SampleIt, class SizeIt, class Level, class CounterIt>
void histogram_even(const execution_policy<D, S>& policy, SampleIt first, deferred<SizeIt> size,
                    int num_bins, Level lower, Level upper, CounterIt counters) {
  detail::dispatch::require_ours<S, SampleIt, CounterIt>();
  detail::dispatch::histogram_even(policy, first, size, num_bins, lower, upper, counters);
}

/// As histogram_range, of as many samples as `size` says when the work starts. All else as
/// histogram_even of a deferred size.
///   Errors  as histogram_range
///   Example
///     thrust::device_vector<int> samples(1000, 7), counters(2), num_samples(1, 600);
///     const int levels[] = {0, 5, 10};
///     hindsight::histogram_range(hindsight::par, samples.begin(),
///         hindsight::deferred{num_samples.begin(), 1000}, levels, levels + 3,
///         counters.begin());  // 0 600
template <class D, class S, class SampleIt, class SizeIt, class LevelIt, class CounterIt>
void histogram_range(const execution_policy<D, S>& policy, SampleIt first, deferred<SizeIt> size,
                     LevelIt levels_first, LevelIt levels_last, CounterIt counters) {
  detail::dispatch::require_ours<S, SampleIt, CounterIt>();
  detail::dispatch::histogram_range(policy, first, size, levels_first, levels_last, counters);
}

}  // namespace hindsight
