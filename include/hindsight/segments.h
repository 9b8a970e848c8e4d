// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of many segments of one range at once: with a policy and iterators, with a
// policy and a range, and without a policy: then the iterators say where to run.
//
//   hindsight::reduce_segments(values, hindsight::by_offsets(rows), sums.begin());
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/deferred.h>
#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/segments.h>

#include <type_traits>

namespace hindsight {

/// Segments one behind the other, as the rows of a CSR matrix: segment s has the items
/// [first[s], first[s + 1]). Offsets do not decrease, and the last is at most the number of items;
/// the first need not be 0. A segment may be empty. (If some offsets decrease all the same, but
/// none lies outside of the items, host threads take segments that end before they begin for empty,
/// and one thread does all the work. On CUDA reductions and scans then have any results, but access
/// no item behind the last offset.)
///   first, last  [num_segments + 1]
///   Time, Memory, Order, Sync, Errors  none: this only names the segments
///   Example
///     thrust::device_vector<int> values(6, 1), rows = std::vector<int>{0, 2, 2, 6}, sums(3);
///     hindsight::reduce_segments(values, hindsight::by_offsets(rows), sums.begin());  // 2, 0, 4
template <class OffsetIt>
detail::segment_offsets<OffsetIt> by_offsets(OffsetIt first, OffsetIt last) {
  return {first, last};
}
/// The same for a range of offsets.
template <class Range, detail::if_range<Range> = 0>
auto by_offsets(Range&& offsets) {
  return hindsight::by_offsets(detail::begin_of(offsets), detail::end_of(offsets));
}

/// As many segments as `size` says when the work starts, but at most size.most. reduce_segments
/// writes a result for each of these, and returns out + size.most.
///   first  [size.most + 1]; of these the first *size.count + 1 are read
///   Example
///     thrust::device_vector<int> values(6, 1), rows = std::vector<int>{0, 2, 6, 9}, sums(3, 7);
///     thrust::device_vector<int> num_rows(1, 2);
///     hindsight::reduce_segments(
///         hindsight::par, values.begin(), values.end(),
///         hindsight::by_offsets(rows.begin(), hindsight::deferred{num_rows.begin(), 3}),
///         sums.begin());  // 2, 4, 7
template <class OffsetIt, class SizeIt>
detail::deferred_segments<OffsetIt, SizeIt> by_offsets(OffsetIt first, deferred<SizeIt> size) {
  return {first, size};
}

/// A segment begins at item 0, and at each item whose flag is set. No segment is empty.
///   flags  as many as items
///   Time, Memory, Order, Sync, Errors  as by_offsets
///   Example
///     thrust::device_vector<int> values(4, 1), flags = std::vector<int>{1, 0, 0, 1}, sums(2);
///     const auto groups = hindsight::by_heads(flags.begin());
///     hindsight::reduce_segments(values, groups, sums.begin());  // 3, 1
template <class FlagIt, std::enable_if_t<detail::is_iterator<FlagIt>, int> = 0>
detail::segment_heads<FlagIt> by_heads(FlagIt flags) {
  return {flags};
}
/// The same for a range of flags. A C array is a pointer to its first flag.
template <class Range, detail::if_range<Range> = 0,
          std::enable_if_t<!std::is_array_v<std::remove_reference_t<Range>>, int> = 0>
auto by_heads(Range&& flags) {
  return hindsight::by_heads(detail::begin_of(flags));
}

/// For each segment s: out[s] = init op (the fold of its items), in the type of `init op item`;
/// init if the segment is empty. `op` is associative. Returns the end of out.
///   segments  by_offsets(...) or by_heads(...)
///   Time    depends on the number of items and of segments, not on how long each segment is; every
///           item is read once. CUDA: twice, if they are few (up to about 2^21) and have offsets
///   Memory  offsets: up to 174 KiB (more for values of more than 8 bytes). Flags: 32 bytes (more
///           for such values) for each 1 K to 4 K items; host: also for each thread the flags and
///           twice the values of so many
///   Order   depends on the offsets or flags and the type alone, the same on both systems: always
///           the same bits
///   Sync    as the policy asks; with flags it waits for the number of segments
///   Errors  the policy's; invalid_call where last comes before first, or the offsets end before
///           they begin; on the host also if the first or the last offset lies outside of the
///           items: nothing is launched then
///   Source  Merrill & Garland 2016, "Merge-based Parallel Sparse Matrix-Vector Multiplication"
///   Example
///     thrust::device_vector<int> orders = std::vector<int>{5, 20, 7, 1}, most(3);
///     thrust::device_vector<int> customers = std::vector<int>{0, 3, 3, 4};
///     hindsight::reduce_segments(hindsight::par, orders.begin(), orders.end(),
///                                hindsight::by_offsets(customers), most.begin(), 0,
///                                thrust::maximum<int>{});  // 20, 0, 1
template <class D, class S, class InputIt, class Segments, class OutputIt, class T, class Op>
OutputIt reduce_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                         Segments segments, OutputIt out, T init, Op op) {
  return detail::dispatch::reduce_segments(policy, "hindsight::reduce_segments", first, last,
                                           segments, out, init, detail::as_twin(op));
}

/// The same with op = plus<>.
template <class D, class S, class InputIt, class Segments, class OutputIt, class T>
OutputIt reduce_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                         Segments segments, OutputIt out, T init) {
  return hindsight::reduce_segments(policy, first, last, segments, out, init,
                                    ::cuda::std::plus<>{});
}

/// The same from a zero of the items' type.
template <class D, class S, class InputIt, class Segments, class OutputIt>
OutputIt reduce_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                         Segments segments, OutputIt out) {
  return hindsight::reduce_segments(policy, first, last, segments, out,
                                    detail::zero<detail::item_t<InputIt>>());
}

/// out[i] = items[b] op ... op items[i], in the type of the items; b is the first item of item i's
/// segment. Items in no segment leave their place in `out` as it is. `out` may be `first`. Returns
/// out + (last - first).
///   segments  by_offsets(...) or by_heads(...)
///   Time    depends on the number of items and of segments, not on how long each segment is; every
///           item is read once. CUDA: up to 2^22 items by offsets, those of a segment over several
///           tiles more often
///   Memory  CUDA: 32 bytes (33 with flags; more for values of more than 8 bytes) per tile of 4096
///           items (3072 of 8 bytes, ...), none for one tile. Host: as much, and for each thread a
///           tile
///   Order   depends on the offsets or flags and the type alone, the same on both systems: always
///           the same bits. Offsets that begin with 0 give the same bits as flags of one byte each
///   Sync    as the policy asks
///   Errors  as reduce_segments
///   Source  Merrill & Garland 2016 (both of that year); Sengupta, Harris & Garland 2008
///   Example
///     thrust::device_vector<int> orders = std::vector<int>{5, 20, 7, 1}, totals(4);
///     thrust::device_vector<int> customers = std::vector<int>{0, 3, 3, 4};
///     hindsight::inclusive_scan_segments(hindsight::par, orders.begin(), orders.end(),
///                                        hindsight::by_offsets(customers),
///                                        totals.begin());  // 5, 25, 32, 1
template <class D, class S, class InputIt, class Segments, class OutputIt, class Op>
OutputIt inclusive_scan_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                 Segments segments, OutputIt out, Op op) {
  return detail::dispatch::scan_segments(policy, "hindsight::inclusive_scan_segments", first, last,
                                         segments, out, detail::no_segment_init{},
                                         detail::as_twin(op));
}

/// The same with op = plus<>.
template <class D, class S, class InputIt, class Segments, class OutputIt>
OutputIt inclusive_scan_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                 Segments segments, OutputIt out) {
  return hindsight::inclusive_scan_segments(policy, first, last, segments, out,
                                            ::cuda::std::plus<>{});
}

/// out[i] = init op items[b] op ... op items[i - 1], in the type of init; out[b] = init; b is the
/// first item of item i's segment. Items in no segment leave their place in `out` as it is. `out`
/// may be `first`. Returns out + (last - first).
///   segments  by_offsets(...) or by_heads(...)
///   Time, Memory, Order, Sync  as inclusive_scan_segments
///   Errors  as reduce_segments
///   Example
///     thrust::device_vector<int> sizes = std::vector<int>{5, 20, 7, 1}, begins(4);
///     thrust::device_vector<int> groups = std::vector<int>{0, 3, 3, 4};
///     hindsight::exclusive_scan_segments(sizes, hindsight::by_offsets(groups),
///                                        begins.begin());  // 0, 5, 25, 0
template <class D, class S, class InputIt, class Segments, class OutputIt, class T, class Op>
OutputIt exclusive_scan_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                 Segments segments, OutputIt out, T init, Op op) {
  return detail::dispatch::scan_segments(policy, "hindsight::exclusive_scan_segments", first, last,
                                         segments, out, init, detail::as_twin(op));
}

/// The same with op = plus<>.
template <class D, class S, class InputIt, class Segments, class OutputIt, class T>
OutputIt exclusive_scan_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                 Segments segments, OutputIt out, T init) {
  return hindsight::exclusive_scan_segments(policy, first, last, segments, out, init,
                                            ::cuda::std::plus<>{});
}

/// The same from a zero of the items' type.
template <class D, class S, class InputIt, class Segments, class OutputIt>
OutputIt exclusive_scan_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                 Segments segments, OutputIt out) {
  return hindsight::exclusive_scan_segments(policy, first, last, segments, out,
                                            detail::zero<detail::item_t<InputIt>>());
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class Segments, class OutputIt,
          class T = detail::range_item_t<Range>, class Op = ::cuda::std::plus<>,
          detail::if_range<Range> = 0>
OutputIt reduce_segments(const execution_policy<D, S>& policy, Range&& range, Segments segments,
                         OutputIt out, T init = detail::zero<detail::range_item_t<Range>>(),
                         Op op = {}) {
  return hindsight::reduce_segments(policy, detail::begin_of(range), detail::end_of(range),
                                    segments, out, init, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class Segments, class OutputIt, class T = detail::range_item_t<Range>,
          class Op = ::cuda::std::plus<>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt reduce_segments(Range&& range, Segments segments, OutputIt out,
                         T init = detail::zero<detail::range_item_t<Range>>(), Op op = {}) {
  return hindsight::reduce_segments(Policy{}, detail::begin_of(range), detail::end_of(range),
                                    segments, out, init, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class Segments, class OutputIt, class T = detail::item_t<It>,
          class Op = ::cuda::std::plus<>, class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt reduce_segments(It first, It last, Segments segments, OutputIt out,
                         T init = detail::zero<detail::item_t<It>>(), Op op = {}) {
  return hindsight::reduce_segments(Policy{}, first, last, segments, out, init, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Segments, class OutputIt,
          class Op = ::cuda::std::plus<>, detail::if_range<Range> = 0>
OutputIt inclusive_scan_segments(const execution_policy<D, S>& policy, Range&& range,
                                 Segments segments, OutputIt out, Op op = {}) {
  return hindsight::inclusive_scan_segments(policy, detail::begin_of(range), detail::end_of(range),
                                            segments, out, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class Segments, class OutputIt, class Op = ::cuda::std::plus<>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range, OutputIt>>
OutputIt inclusive_scan_segments(Range&& range, Segments segments, OutputIt out, Op op = {}) {
  return hindsight::inclusive_scan_segments(Policy{}, detail::begin_of(range),
                                            detail::end_of(range), segments, out, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class Segments, class OutputIt, class Op = ::cuda::std::plus<>,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt inclusive_scan_segments(It first, It last, Segments segments, OutputIt out, Op op = {}) {
  return hindsight::inclusive_scan_segments(Policy{}, first, last, segments, out, op);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Segments, class OutputIt,
          class T = detail::range_item_t<Range>, class Op = ::cuda::std::plus<>,
          detail::if_range<Range> = 0>
OutputIt exclusive_scan_segments(const execution_policy<D, S>& policy, Range&& range,
                                 Segments segments, OutputIt out,
                                 T init = detail::zero<detail::range_item_t<Range>>(), Op op = {}) {
  return hindsight::exclusive_scan_segments(policy, detail::begin_of(range), detail::end_of(range),
                                            segments, out, init, op);
}
/// The same for a range, run where its iterators say.
template <class Range, class Segments, class OutputIt, class T = detail::range_item_t<Range>,
          class Op = ::cuda::std::plus<>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt exclusive_scan_segments(Range&& range, Segments segments, OutputIt out,
                                 T init = detail::zero<detail::range_item_t<Range>>(), Op op = {}) {
  return hindsight::exclusive_scan_segments(Policy{}, detail::begin_of(range),
                                            detail::end_of(range), segments, out, init, op);
}
/// The same without a policy, run where the iterators say.
template <class It, class Segments, class OutputIt, class T = detail::item_t<It>,
          class Op = ::cuda::std::plus<>, class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt exclusive_scan_segments(It first, It last, Segments segments, OutputIt out,
                                 T init = detail::zero<detail::item_t<It>>(), Op op = {}) {
  return hindsight::exclusive_scan_segments(Policy{}, first, last, segments, out, init, op);
}

}  // namespace hindsight
