// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that take their sizes from device memory: a hindsight::deferred stands in the place of
// `last`. See counts.h.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/deferred.h>
#include <hindsight/detail/dispatch/adjacent_difference.h>
#include <hindsight/detail/dispatch/counts.h>
#include <hindsight/detail/dispatch/histogram.h>
#include <hindsight/detail/dispatch/scan_by_key.h>

namespace hindsight {

/// *out = init op in[0] op ... op in[n - 1], of as many items n as `size` says when the work
/// starts; *out = init if there are none. out [1]. `op` is associative and commutative.
///   Time    n calls of op; every item is read once
///   Memory  CUDA: for the most items that there may be: for more than one tile (some thousand
///           items) a partial result per block and a counter: on 132 multiprocessors up to 43 KB
///           for numbers of up to 8 bytes. Host: a partial result for each 128 KB of items, counted
///           in the result's type
///   Order   that of reduce: the same bits as with a size that the host knows, if `most` is below
///           2^31
///   Sync    as the policy asks
///   Errors  the policy's
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

/// out[i] = in[0] op ... op in[i], of as many items n as `size` says when the work starts. `out`
/// has room for size.most items, and may be `first`. `op` is associative. Sums have the type of the
/// input's items.
///   Time    2 n calls of op, 3 n if sums are no integers, and few more; every item is read once
///           and written once
///   Memory  CUDA: for the most items that there may be, 16 bytes per tile of 4 K to 16 K items of
///           up to 7 bytes, 32 of up to 14, more of larger ones; up to 9 KB for two to 32 tiles,
///           none for one. Host: as much per tile of 32 KB, and up to 256 items for each thread
///   Order   depends on n and the type alone: the same bits as with a size that the host knows
///   Sync    as the policy asks
///   Errors  the policy's
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

/// out[i] = init op in[0] op ... op in[i - 1], in the type of init, of as many items as `size` says
/// when the work starts. `out` has room for size.most items, and may be `first`. `op` is
/// associative. Without init, from a zero of the input's type.
///   Time, Memory, Order, Sync, Errors  as inclusive_scan
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_items(1, 600);
///     hindsight::exclusive_scan(hindsight::par, in.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, out.begin(), 0);
template <class D, class S, class InputIt, class SizeIt, class OutputIt,
          class T = detail::item_t<InputIt>, class Op = ::cuda::std::plus<>>
void exclusive_scan(const execution_policy<D, S>& policy, InputIt first, deferred<SizeIt> size,
                    OutputIt out, T init = {}, Op op = {}) {
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, T>();
  detail::dispatch::run_exclusive(policy, "hindsight::exclusive_scan", first, size, out, init, op);
}

/// out[i] = unary(in[0]) op ... op unary(in[i]), in the type that unary returns, of as many items
/// as `size` says when the work starts. `out` has room for size.most items, and may be `first`.
/// `op` is associative.
///   Time    that of inclusive_scan, and n calls of unary, up to 2 n on host threads
///   Memory, Order, Sync, Errors  as inclusive_scan
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_items(1, 600);
///     hindsight::transform_inclusive_scan(hindsight::par, in.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, out.begin(), thrust::negate<int>{},
///         thrust::plus<int>{});  // -2 -4 -6 ...
template <class D, class S, class InputIt, class SizeIt, class OutputIt, class Unary, class Op>
void transform_inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                              deferred<SizeIt> size, OutputIt out, Unary unary, Op op) {
  using accumulator = detail::transformed_t<InputIt, Unary>;
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, accumulator>();
  detail::dispatch::run_inclusive<accumulator>(policy, "hindsight::transform_inclusive_scan",
                                               detail::dispatch::seen_as<accumulator>(first, unary),
                                               size, out, op);
}
/// The same with an initial value: in the type that `op` gives for init and what unary returns.
template <class D, class S, class InputIt, class SizeIt, class OutputIt, class Unary, class T,
          class Op>
void transform_inclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                              deferred<SizeIt> size, OutputIt out, Unary unary, T init, Op op) {
  using item = detail::transformed_t<InputIt, Unary>;
  using accumulator = detail::accumulator_t<Op, item, T>;
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, accumulator>();
  detail::dispatch::run_inclusive<accumulator>(policy, "hindsight::transform_inclusive_scan",
                                               detail::dispatch::seen_as<item>(first, unary), size,
                                               out, op, init);
}

/// out[i] = init op unary(in[0]) op ... op unary(in[i - 1]), in the type of init, of as many items
/// as `size` says when the work starts. `out` has room for size.most items, and may be `first`.
/// `op` is associative.
///   Time    as transform_inclusive_scan
///   Memory, Order, Sync, Errors  as inclusive_scan
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_items(1, 600);
///     hindsight::transform_exclusive_scan(hindsight::par, in.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, out.begin(), thrust::negate<int>{}, 0,
///         thrust::plus<int>{});  // 0 -2 -4 ...
template <class D, class S, class InputIt, class SizeIt, class OutputIt, class Unary, class T,
          class Op>
void transform_exclusive_scan(const execution_policy<D, S>& policy, InputIt first,
                              deferred<SizeIt> size, OutputIt out, Unary unary, T init, Op op) {
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, T>();
  detail::dispatch::run_exclusive(policy, "hindsight::transform_exclusive_scan",
                                  detail::dispatch::seen_as<T>(first, unary), size, out, init, op);
}

/// Sorts as many items as `size` says when the work starts, stably. On the GPU, `first` is a
/// pointer or an iterator of a vector. There, numbers by less or greater have any size that
/// stable_sort takes; with other items or orders, items have up to 24 bytes, and values (of
/// sort_by_key) up to 8.
///   Time    that of stable_sort of the items that there are, with the launches of the most that
///           there may be
///   Memory  room for the most items that there may be, and tables. Host: what stable_sort takes
///   Order   that of stable_sort: of numbers by value; -0.0 and 0.0 are equivalent, NaNs go by
///           their bits
///   Sync    as the policy asks
///   Errors  the policy's. On host threads, if compare throws, the range still holds all its items
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

/// The same: sort is stable, too.
///   Time, Memory, Order, Sync, Errors  as sort
///   Example
///     thrust::device_vector<int> keys(1000, 2), num_keys(1, 600);
///     hindsight::stable_sort(hindsight::par, keys.begin(),
///         hindsight::deferred{num_keys.begin(), 1000}, thrust::greater<int>{});
template <class D, class S, class It, class SizeIt,
          class Compare = ::cuda::std::less<detail::item_t<It>>>
void stable_sort(const execution_policy<D, S>& policy, It first, deferred<SizeIt> size,
                 Compare compare = {}) {
  detail::dispatch::require_ours<S, It>();
  detail::dispatch::run_sort(policy, "hindsight::stable_sort", first, size, compare);
}

/// Sorts as many keys as `size` says when the work starts, stably, and moves the values with them.
/// On the GPU, both are pointers or iterators of vectors; which sizes they may have: as for sort.
///   Memory  as sort, for keys and values
///   Time, Order, Sync, Errors  as sort
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

/// The same: sort_by_key is stable, too.
///   Memory  as sort, for keys and values
///   Time, Order, Sync, Errors  as sort
///   Example
///     thrust::device_vector<int> keys(1000, 2), values(1000), num_keys(1, 600);
///     hindsight::stable_sort_by_key(hindsight::par, keys.begin(),
///         hindsight::deferred{num_keys.begin(), 1000}, values.begin());
template <class D, class S, class KeyIt, class SizeIt, class ValueIt,
          class Compare = ::cuda::std::less<detail::item_t<KeyIt>>>
void stable_sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                        deferred<SizeIt> size, ValueIt values_first, Compare compare = {}) {
  detail::dispatch::require_ours<S, KeyIt, ValueIt>();
  detail::dispatch::require_copies<S, detail::item_t<ValueIt>>();
  detail::dispatch::run_sort(policy, "hindsight::stable_sort_by_key", keys_first, size, compare,
                             values_first);
}

/// Scans each run of equal keys, of as many keys and values as `size` says when the work starts:
/// out[i] = values[b] op ... op values[i], b being where item i's run begins. `out` has room for
/// size.most items, and may be the values or the keys. `op` is associative.
///   Time    2 n calls of op and n of equal, and few more; every item is read and written once
///   Memory  CUDA: for the most items that there may be, 33 bytes (more for values of more than 8
///           bytes) per tile, none for one tile; a tile is 1 K to 4 K items, if key and value
///           together have up to 32 bytes. Host: as much, and for each thread room for a tile of
///           values
///   Order   depends on n, the types and where runs begin: the same bits as with a size that the
///           host knows
///   Sync, Errors  as inclusive_scan
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

/// The same with out[i] = init op values[b] op ... op values[i - 1], in the type of init, and
/// out[b] = init. Without init, from a zero of the values' type.
///   Time, Memory, Order  as inclusive_scan_by_key
///   Sync, Errors  as inclusive_scan
///   Example
///     thrust::device_vector<int> keys(1000, 7), values(1000, 2), out(1000), num_items(1, 600);
///     hindsight::exclusive_scan_by_key(hindsight::par, keys.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, values.begin(), out.begin(), 5);
template <class D, class S, class KeyIt, class SizeIt, class ValueIt, class OutputIt,
          class T = detail::item_t<ValueIt>, class Equal = ::cuda::std::equal_to<>,
          class Op = ::cuda::std::plus<>>
void exclusive_scan_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                           deferred<SizeIt> size, ValueIt values, OutputIt out, T init = {},
                           Equal equal = {}, Op op = {}) {
  detail::dispatch::require_ours<S, KeyIt, ValueIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<KeyIt>, T>();
  detail::dispatch::run_by_key(policy, "hindsight::exclusive_scan_by_key", keys_first, size, values,
                               out, equal, op, init);
}

/// out[0] = in[0], and out[i] = op(in[i], in[i - 1]) for the others, of as many items n as `size`
/// says when the work starts. `out` has room for size.most items. It may be `first` (on the host,
/// one thread does it then, if copies of items are not trivial); else it must not overlap the
/// input.
///   Time    n - 1 calls of op; every item is read once and written once
///   Memory  an item per tile if `out` is first, or if the iterators do not tell; else none. CUDA:
///           a tile is 4 K to 16 K items of up to 8 bytes, fewer of larger ones; host: 32 KB
///   Order   not applicable: no output depends on another
///   Sync, Errors  as inclusive_scan
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_items(1, 600);
///     hindsight::adjacent_difference(hindsight::par, in.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, out.begin());  // 2 0 0 ...
template <class D, class S, class InputIt, class SizeIt, class OutputIt,
          class Op = ::cuda::std::minus<detail::item_t<InputIt>>>
void adjacent_difference(const execution_policy<D, S>& policy, InputIt first, deferred<SizeIt> size,
                         OutputIt out, Op op = {}) {
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_adjacent_difference(policy, "hindsight::adjacent_difference", first, size,
                                            out, detail::as_twin(op));
}

/// counters[b] = how many samples fall into bin b of num_bins equal bins of [lower, upper), of as
/// many samples as `size` says when the work starts; all are 0 if there are none. counters
/// [num_bins]. Bins are those of histogram_even of a range.
///   Time    every sample is read once
///   Memory  CUDA: none where counters points to integers of 4 or 8 bytes, else 8 bytes per bin.
///           Host: as histogram_even of a range
///   Order   changes nothing: counts are exact
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call, before anything is written, where num_bins < 1, lower is
///           not less than upper, or a level is NaN or infinite
///   Example
///     thrust::device_vector<float> samples(1000, 0.3f);
///     thrust::device_vector<int> counters(10), num_samples(1, 600);
///     hindsight::histogram_even(hindsight::par, samples.begin(),
///         hindsight::deferred{num_samples.begin(), 1000}, 10, 0.0f, 1.0f, counters.begin());
template <class D, class S, class SampleIt, class SizeIt, class Level, class CounterIt>
void histogram_even(const execution_policy<D, S>& policy, SampleIt first, deferred<SizeIt> size,
                    long long num_bins, Level lower, Level upper, CounterIt counters) {
  detail::dispatch::require_ours<S, SampleIt, CounterIt>();
  detail::dispatch::histogram_even(policy, first, size, num_bins, detail::as_level(lower),
                                   detail::as_level(upper), counters);
}

/// counters[b] = how many samples lie in [levels[b], levels[b + 1]), of as many samples as `size`
/// says when the work starts; all are 0 if there are none. There is one counter less than there are
/// levels. Where levels may lie: as for histogram_range of a range.
///   Time    every sample is read once, and looked up by a binary search in the levels
///   Memory  as histogram_even; CUDA: also room for levels that are not in this GPU's memory
///   Order   changes nothing: counts are exact
///   Sync    waits for what is in its stream, to check the levels, also with par_nosync; not while
///           it is captured. Then as the policy asks
///   Errors  the policy's; invalid_call, before anything is written, where there are fewer than two
///           levels, one is NaN or less than the one before it, or levels_last comes before
///           levels_first
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
