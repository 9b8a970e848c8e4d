// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of sorting: with a policy and iterators (found by Thrust too), with a policy and a
// range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/sort.h>

namespace hindsight {

/// Sorts the n items in [first, last); equivalent ones stay in their input order. Our radix sort
/// takes numbers of up to 128 bits by less or greater, of thrust or std. It also takes
/// thrust::pairs, tuples and cuda::std::arrays of numbers: of up to 32 bytes in all on CUDA, of up
/// to 16 on host threads, where it takes std::pairs, too. All other types and orders go to our
/// sample sort, if they are many, or merge sort; but on CUDA stock sorts types that may not be
/// copied as bytes.
///   Time    radix sort on CUDA: every item is read once, and then read and written once for each
///           byte in which keys differ; keys of 8 and 16 bytes only two to four times, if no value
///           of their highest digits is much more frequent than others. Host threads: by digits
///           of up to 11 bits; nothing moves if numbers are sorted already. Sample and merge sort:
///           n log n calls of compare
///   Memory  room for n items, and tables. Room for another n if the iterator is not contiguous,
///           and for pairs, tuples and arrays, whose sizes are rounded up to a power of two; for up
///           to two n more if these hold floats or have over 16 bytes. Merge sort on CUDA: none for
///           one tile of items of up to 24 bytes; for larger ones also two or three indices each.
///           On host threads: also two indices for each item of over 32 bytes or not trivial to
///           copy. Sample sort: also up to 1.7 bytes for each item
///   Order   of numbers: by value; -0.0 and 0.0 are equivalent, NaNs go by their bits
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then. On
///           host threads, if compare throws, the range still holds all its items, in some order
///   Source  Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for
///           GPUs"
///   Example
///     thrust::device_vector<float> keys(1000, 2.5f);
///     hindsight::stable_sort(hindsight::par, keys.begin(), keys.end(), thrust::greater<float>{});
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Compare>
HINDSIGHT_HD void stable_sort(const execution_policy<D, S>& policy, It first, It last,
                              Compare compare) {
  HINDSIGHT_DISPATCH(
      (detail::dispatch::sort(policy, "hindsight::stable_sort", first, last, compare);),
      (thrust::stable_sort(thrust::seq, first, last, compare);))
}

/// The same in ascending order, by less<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It>
HINDSIGHT_HD void stable_sort(const execution_policy<D, S>& policy, It first, It last) {
  HINDSIGHT_DISPATCH(
      (hindsight::stable_sort(policy, first, last, ::cuda::std::less<detail::item_t<It>>{});),
      (thrust::stable_sort(thrust::seq, first, last);))
}

/// The same as stable_sort: equivalent items stay in their input order.
///   Time, Memory, Order, Sync, Errors  as stable_sort
///   Example
///     thrust::device_vector<int> keys(1000, 2);
///     hindsight::sort(keys);
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Compare>
HINDSIGHT_HD void sort(const execution_policy<D, S>& policy, It first, It last, Compare compare) {
  HINDSIGHT_DISPATCH((detail::dispatch::sort(policy, "hindsight::sort", first, last, compare);),
                     (thrust::sort(thrust::seq, first, last, compare);))
}

/// The same in ascending order, by less<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It>
HINDSIGHT_HD void sort(const execution_policy<D, S>& policy, It first, It last) {
  HINDSIGHT_DISPATCH(
      (hindsight::sort(policy, first, last, ::cuda::std::less<detail::item_t<It>>{});),
      (thrust::sort(thrust::seq, first, last);))
}

/// Sorts the n keys in [keys_first, keys_last) as stable_sort does, and moves the n values with
/// them.
///   Memory  room for n keys and n values, and tables; as much again for those that are not
///           contiguous, and for pairs, tuples and arrays what these take more in stable_sort.
///           Host threads: for values of over 16 bytes or not trivial to copy also two indices
///           each. Merge sort on CUDA: for keys of over 24 bytes or values of over 8 also two or
///           three indices each; sample sort: up to 1.7 bytes each. Merge sort on host threads:
///           room for 2 n pairs of a key and a value, if these are trivial to copy and have up to
///           32 bytes; else room for n keys and n values, and two indices each
///   Time, Order, Sync, Errors  as stable_sort
///   Example
///     thrust::device_vector<int> keys(1000, 2), values(1000);
///     hindsight::stable_sort_by_key(keys, values.begin());
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class Compare>
HINDSIGHT_HD void stable_sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                     KeyIt keys_last, ValueIt values_first, Compare compare) {
  HINDSIGHT_DISPATCH(
      (detail::dispatch::sort_by_key(policy, "hindsight::stable_sort_by_key", keys_first, keys_last,
                                     values_first, compare);),
      (thrust::stable_sort_by_key(thrust::seq, keys_first, keys_last, values_first, compare);))
}

/// The same in ascending order of keys, by less<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt>
HINDSIGHT_HD void stable_sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                                     KeyIt keys_last, ValueIt values_first) {
  HINDSIGHT_DISPATCH(
      (hindsight::stable_sort_by_key(policy, keys_first, keys_last, values_first,
                                     ::cuda::std::less<detail::item_t<KeyIt>>{});),
      (thrust::stable_sort_by_key(thrust::seq, keys_first, keys_last, values_first);))
}

/// The same as stable_sort_by_key: equivalent keys stay in their input order.
///   Memory  as stable_sort_by_key
///   Time, Order, Sync, Errors  as stable_sort
///   Example
///     thrust::device_vector<int> keys(1000, 2), values(1000);
///     hindsight::sort_by_key(hindsight::par, keys.begin(), keys.end(), values.begin());
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class Compare>
HINDSIGHT_HD void sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first, Compare compare) {
  HINDSIGHT_DISPATCH(
      (detail::dispatch::sort_by_key(policy, "hindsight::sort_by_key", keys_first, keys_last,
                                     values_first, compare);),
      (thrust::sort_by_key(thrust::seq, keys_first, keys_last, values_first, compare);))
}

/// The same in ascending order of keys, by less<>.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt>
HINDSIGHT_HD void sort_by_key(const execution_policy<D, S>& policy, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first) {
  HINDSIGHT_DISPATCH((hindsight::sort_by_key(policy, keys_first, keys_last, values_first,
                                             ::cuda::std::less<detail::item_t<KeyIt>>{});),
                     (thrust::sort_by_key(thrust::seq, keys_first, keys_last, values_first);))
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0>
void stable_sort(const execution_policy<D, S>& policy, Range&& range, Compare compare = {}) {
  hindsight::stable_sort(policy, detail::begin_of(range), detail::end_of(range), compare);
}
/// The same for a range, run where its iterators say.
template <class Range, class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
void stable_sort(Range&& range, Compare compare = {}) {
  hindsight::stable_sort(Policy{}, detail::begin_of(range), detail::end_of(range), compare);
}
/// The same without a policy, run where the iterators say.
template <class It, class Compare = ::cuda::std::less<detail::item_t<It>>,
          class Policy = detail::default_policy<It, It>>
void stable_sort(It first, It last, Compare compare = {}) {
  hindsight::stable_sort(Policy{}, first, last, compare);
}

/// The same for the items of a range.
template <class D, class S, class Range,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0>
void sort(const execution_policy<D, S>& policy, Range&& range, Compare compare = {}) {
  hindsight::sort(policy, detail::begin_of(range), detail::end_of(range), compare);
}
/// The same for a range, run where its iterators say.
template <class Range, class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
void sort(Range&& range, Compare compare = {}) {
  hindsight::sort(Policy{}, detail::begin_of(range), detail::end_of(range), compare);
}
/// The same without a policy, run where the iterators say.
template <class It, class Compare = ::cuda::std::less<detail::item_t<It>>,
          class Policy = detail::default_policy<It, It>>
void sort(It first, It last, Compare compare = {}) {
  hindsight::sort(Policy{}, first, last, compare);
}

/// The same for the items of a range.
template <class D, class S, class Range, class ValueIt,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0>
void stable_sort_by_key(const execution_policy<D, S>& policy, Range&& keys, ValueIt values_first,
                        Compare compare = {}) {
  hindsight::stable_sort_by_key(policy, detail::begin_of(keys), detail::end_of(keys), values_first,
                                compare);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range, ValueIt>>
void stable_sort_by_key(Range&& keys, ValueIt values_first, Compare compare = {}) {
  hindsight::stable_sort_by_key(Policy{}, detail::begin_of(keys), detail::end_of(keys),
                                values_first, compare);
}
/// The same without a policy, run where the iterators say.
template <class It, class ValueIt, class Compare = ::cuda::std::less<detail::item_t<It>>,
          class Policy = detail::default_policy<It, It, ValueIt>>
void stable_sort_by_key(It keys_first, It keys_last, ValueIt values_first, Compare compare = {}) {
  hindsight::stable_sort_by_key(Policy{}, keys_first, keys_last, values_first, compare);
}

/// The same for the items of a range.
template <class D, class S, class Range, class ValueIt,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0>
void sort_by_key(const execution_policy<D, S>& policy, Range&& keys, ValueIt values_first,
                 Compare compare = {}) {
  hindsight::sort_by_key(policy, detail::begin_of(keys), detail::end_of(keys), values_first,
                         compare);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range, ValueIt>>
void sort_by_key(Range&& keys, ValueIt values_first, Compare compare = {}) {
  hindsight::sort_by_key(Policy{}, detail::begin_of(keys), detail::end_of(keys), values_first,
                         compare);
}
/// The same without a policy, run where the iterators say.
template <class It, class ValueIt, class Compare = ::cuda::std::less<detail::item_t<It>>,
          class Policy = detail::default_policy<It, It, ValueIt>>
void sort_by_key(It keys_first, It keys_last, ValueIt values_first, Compare compare = {}) {
  hindsight::sort_by_key(Policy{}, keys_first, keys_last, values_first, compare);
}

}  // namespace hindsight
