// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of many segments of one range at once: with a policy and iterators, with a
// policy and a range, and without a policy: then the iterators say where to run.
//
//   hindsight::reduce_segments(values, hindsight::by_offsets(rows), sums.begin());
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/segments.h>

namespace hindsight {

/// Segments one behind the other, as the rows of a CSR matrix: segment s has the items
/// [first[s], first[s + 1]). Offsets do not decrease, and the last is at most the number of items;
/// the first need not be 0. A segment may be empty.
///   first, last  [num_segments + 1]
template <class OffsetIt>
detail::segment_offsets<OffsetIt> by_offsets(OffsetIt first, OffsetIt last) {
  return {first, last};
}
template <class Range, detail::if_range<Range> = 0>
auto by_offsets(Range&& offsets) {
  return hindsight::by_offsets(offsets.begin(), offsets.end());
}

/// A segment begins at item 0, and at each item whose flag is set. No segment is empty.
///   flags  as many as items
template <class FlagIt>
detail::segment_heads<FlagIt> by_heads(FlagIt flags) {
  return {flags};
}

/// For each segment s: out[s] = init op (the fold of its items), `op` associative, in the type of
/// `init op item`; init where it is empty. Returns the end of out. Takes time for each item and
/// each segment, however long they are.
///   segments  by_offsets(...) or by_heads(...)
///   Memory  CUDA: 64 KiB (more for wide values) for offsets; as reduce_by_key for flags
///   Order   depends on the offsets or flags and the type alone, the same on both systems: always
///           the same bits
///   Sync    as the policy asks; with flags it waits for the number of segments
///   Errors  invalid_call where last comes before first; on the host also for offsets whose ends
///           lie outside of the items
///   Source  Merrill & Garland 2016, "Merge-based Parallel Sparse Matrix-Vector Multiplication"
template <class D, class S, class InputIt, class Segments, class OutputIt, class T, class Op>
OutputIt reduce_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                         Segments segments, OutputIt out, T init, Op op) {
  return detail::dispatch::reduce_segments(policy, "hindsight::reduce_segments", first, last,
                                           segments, out, init, op);
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

/// Where b is the first item of item i's segment: out[i] = items[b] op ... op items[i], in the type
/// of the items. Items in no segment leave their place in `out` as it is. `out` may be `first`.
/// Returns out + (last - first). Takes time for each item and each segment, however long they are.
///   segments  by_offsets(...) or by_heads(...)
///   Memory  CUDA: 32 bytes (more for wide values) per tile of 4096 items and segments (2048 of
///           8-byte items, ...), none for one tile
///   Order   as reduce_segments
///   Sync    as the policy asks
///   Errors  as reduce_segments
///   Source  Merrill & Garland 2016 (both of that year); Sengupta, Harris & Garland 2008
template <class D, class S, class InputIt, class Segments, class OutputIt, class Op>
OutputIt inclusive_scan_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                 Segments segments, OutputIt out, Op op) {
  return detail::dispatch::scan_segments(policy, "hindsight::inclusive_scan_segments", first, last,
                                         segments, out, detail::no_segment_init{}, op);
}

/// The same with op = plus<>.
template <class D, class S, class InputIt, class Segments, class OutputIt>
OutputIt inclusive_scan_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                 Segments segments, OutputIt out) {
  return hindsight::inclusive_scan_segments(policy, first, last, segments, out,
                                            ::cuda::std::plus<>{});
}

/// out[i] = init op items[b] op ... op items[i - 1], in the type of init; out[b] = init.
template <class D, class S, class InputIt, class Segments, class OutputIt, class T, class Op>
OutputIt exclusive_scan_segments(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                 Segments segments, OutputIt out, T init, Op op) {
  return detail::dispatch::scan_segments(policy, "hindsight::exclusive_scan_segments", first, last,
                                         segments, out, init, op);
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

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto reduce_segments(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::reduce_segments(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto reduce_segments(Data&& data, Args... args) {
  return hindsight::reduce_segments(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto inclusive_scan_segments(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::inclusive_scan_segments(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto inclusive_scan_segments(Data&& data, Args... args) {
  return hindsight::inclusive_scan_segments(Policy{}, data, args...);
}

template <class D, class S, class Range, class... Args, detail::if_range<Range> = 0>
auto exclusive_scan_segments(const execution_policy<D, S>& policy, Range&& range, Args... args) {
  return hindsight::exclusive_scan_segments(policy, range.begin(), range.end(), args...);
}
template <class Data, class... Args, class Policy = detail::default_policy<Data, Args...>>
auto exclusive_scan_segments(Data&& data, Args... args) {
  return hindsight::exclusive_scan_segments(Policy{}, data, args...);
}

}  // namespace hindsight
