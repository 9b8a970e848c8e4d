// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of many segments of one range at once: with a policy and iterators, with a policy and a
// range, and without a policy: then the iterators say where to run.
//
//   hindsight::sort_segments(keys, hindsight::by_offsets(rows));
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/sort_segments.h>
#include <hindsight/segments.h>

namespace hindsight {

/// Sorts the items of each segment; equivalent ones stay in their input order. Items in no segment
/// stay as they are. On CUDA items must be types that may be copied as bytes.
///   segments  by_offsets(...) or by_heads(...)
///   Time    CUDA: every item is read and written once. If a segment lies in several tiles (of
///           about 8000 small items), its items are read and written once more each time that the
///           number of its tiles doubles; numbers in segments by offsets, by less or greater: once
///           for each 8 bits instead. How items are spread over segments changes nothing else
///   Memory  CUDA: room for n items, and tables of at most as much again; two or three indices for
///           items of more than 16 bytes; another n where the iterator is not contiguous. Host: 64
///           KB for each thread, or room for an eighth of the items in all, if that is more; then
///           what stable_sort takes for the longest segment; with flags also 8 n bytes
///   Order   of numbers, and of members of tuples: by value; -0.0 and 0.0 are equivalent, NaNs go
///           by their bits
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before first, or the offsets end before
///           they begin; on the host also if the first or the last offset lies outside of the
///           items: nothing is launched then. If memory runs out or compare throws on the host,
///           some segments may be sorted; all items are still there
///   Source  Baxter 2013, "Modern GPU: Segmented Sort"; for numbers Adinets & Merrill 2022,
///           "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs"
///   Example
///     thrust::device_vector<int> orders = std::vector<int>{5, 20, 7, 1};
///     thrust::device_vector<int> customers = std::vector<int>{0, 3, 3, 4};
///     hindsight::sort_segments(hindsight::par, orders.begin(), orders.end(),
///                              hindsight::by_offsets(customers),
///                              thrust::greater<int>{});  // 20, 7, 5, 1
template <class D, class S, class It, class Segments, class Compare>
void sort_segments(const execution_policy<D, S>& policy, It first, It last, Segments segments,
                   Compare compare) {
  detail::dispatch::sort_segments(policy, "hindsight::sort_segments", first, last,
                                  static_cast<detail::no_value*>(nullptr), segments,
                                  detail::as_twin(compare));
}

/// The same in ascending order, by less<>.
template <class D, class S, class It, class Segments>
void sort_segments(const execution_policy<D, S>& policy, It first, It last, Segments segments) {
  hindsight::sort_segments(policy, first, last, segments, ::cuda::std::less<detail::item_t<It>>{});
}

/// Sorts the keys of each segment, and moves the values with them; both are as long as the range.
///   Memory  as sort_segments, for keys and values; two or three indices where a key has more than
///           16 bytes or a value more than 8
///   Time, Order, Sync, Errors  as sort_segments
///   Example
///     thrust::device_vector<int> weights = std::vector<int>{5, 20, 7, 1};
///     thrust::device_vector<int> columns = std::vector<int>{0, 1, 2, 3};
///     thrust::device_vector<int> row_offsets = std::vector<int>{0, 3, 3, 4};
///     hindsight::sort_segments_by_key(weights, columns.begin(),
///                                     hindsight::by_offsets(row_offsets));  // 0, 2, 1, 3
template <class D, class S, class KeyIt, class ValueIt, class Segments, class Compare>
void sort_segments_by_key(const execution_policy<D, S>& policy, KeyIt keys_first, KeyIt keys_last,
                          ValueIt values_first, Segments segments, Compare compare) {
  detail::dispatch::sort_segments(policy, "hindsight::sort_segments_by_key", keys_first, keys_last,
                                  values_first, segments, detail::as_twin(compare));
}

/// The same in ascending order of keys, by less<>.
template <class D, class S, class KeyIt, class ValueIt, class Segments>
void sort_segments_by_key(const execution_policy<D, S>& policy, KeyIt keys_first, KeyIt keys_last,
                          ValueIt values_first, Segments segments) {
  hindsight::sort_segments_by_key(policy, keys_first, keys_last, values_first, segments,
                                  ::cuda::std::less<detail::item_t<KeyIt>>{});
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class Segments,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0>
void sort_segments(const execution_policy<D, S>& policy, Range&& range, Segments segments,
                   Compare compare = {}) {
  hindsight::sort_segments(policy, detail::begin_of(range), detail::end_of(range), segments,
                           compare);
}
/// The same for a range, run where its iterators say.
template <class Range, class Segments,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
void sort_segments(Range&& range, Segments segments, Compare compare = {}) {
  hindsight::sort_segments(Policy{}, detail::begin_of(range), detail::end_of(range), segments,
                           compare);
}
/// The same without a policy, run where the iterators say.
template <class It, class Segments, class Compare = ::cuda::std::less<detail::item_t<It>>,
          class Policy = detail::default_policy<It, It>>
void sort_segments(It first, It last, Segments segments, Compare compare = {}) {
  hindsight::sort_segments(Policy{}, first, last, segments, compare);
}

/// The same for the keys of a range.
template <class D, class S, class Range, class ValueIt, class Segments,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0>
void sort_segments_by_key(const execution_policy<D, S>& policy, Range&& keys, ValueIt values_first,
                          Segments segments, Compare compare = {}) {
  hindsight::sort_segments_by_key(policy, detail::begin_of(keys), detail::end_of(keys),
                                  values_first, segments, compare);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt, class Segments,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range, ValueIt>>
void sort_segments_by_key(Range&& keys, ValueIt values_first, Segments segments,
                          Compare compare = {}) {
  hindsight::sort_segments_by_key(Policy{}, detail::begin_of(keys), detail::end_of(keys),
                                  values_first, segments, compare);
}
/// The same without a policy, run where the iterators say.
template <class KeyIt, class ValueIt, class Segments,
          class Compare = ::cuda::std::less<detail::item_t<KeyIt>>,
          class Policy = detail::default_policy<KeyIt, KeyIt, ValueIt>>
void sort_segments_by_key(KeyIt keys_first, KeyIt keys_last, ValueIt values_first,
                          Segments segments, Compare compare = {}) {
  hindsight::sort_segments_by_key(Policy{}, keys_first, keys_last, values_first, segments, compare);
}

}  // namespace hindsight
