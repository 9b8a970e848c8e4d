// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One item for each run of equal neighbours: with a policy and iterators (found by Thrust too),
// with a policy and a range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/unique.h>

namespace hindsight {

/// Copies the first item of every run of the n items in [first, last) to `out`, in order: in[0],
/// and each in[i] with !equal(in[i - 1], in[i]). Returns the end of what it wrote, at most out + n.
/// `out` must not overlap the input.
///   Time    n calls of equal, in any order; every item is read once, every one kept written once
///   Memory  CUDA: 32 bytes per tile, none for one tile; a tile is 4 K to 16 K items of up to 8
///           bytes, fewer of larger ones. Host: as much per tile of 32 KB, and a tile for each
///           thread
///   Order   that of the input
///   Sync    waits for the number of items
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     auto end = hindsight::unique_copy(hindsight::par, in.begin(), in.end(), out.begin(),
///         thrust::equal_to<int>{});
///     out.erase(end, out.end());  // one item is left
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt, class Equal>
HINDSIGHT_HD OutputIt unique_copy(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                  OutputIt out, Equal equal) {
  HINDSIGHT_DISPATCH((return detail::dispatch::unique_copy(policy, first, last, out, equal);),
                     (return thrust::unique_copy(thrust::seq, first, last, out, equal);))
}

/// The same with equal = equal_to.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class OutputIt>
HINDSIGHT_HD OutputIt unique_copy(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                                  OutputIt out) {
  HINDSIGHT_DISPATCH(
      (return hindsight::unique_copy(policy, first, last, out,
                                     ::cuda::std::equal_to<detail::item_t<InputIt>>{});),
      (return thrust::unique_copy(thrust::seq, first, last, out);))
}

/// Moves the first item of every run of the n items in [first, last) to the front, in order;
/// returns their end. What lies behind it is unspecified. Runs are those of unique_copy.
///   Time, Memory, Order, Sync, Errors  as unique_copy
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     items.erase(hindsight::unique(items, thrust::equal_to<int>{}), items.end());
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Equal>
HINDSIGHT_HD It unique(const execution_policy<D, S>& policy, It first, It last, Equal equal) {
  HINDSIGHT_DISPATCH((return detail::dispatch::unique(policy, first, last, equal);),
                     (return thrust::unique(thrust::seq, first, last, equal);))
}

/// The same with equal = equal_to.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It>
HINDSIGHT_HD It unique(const execution_policy<D, S>& policy, It first, It last) {
  HINDSIGHT_DISPATCH(
      (return hindsight::unique(policy, first, last, ::cuda::std::equal_to<detail::item_t<It>>{});),
      (return thrust::unique(thrust::seq, first, last);))
}

/// Copies the first key and the first value of each run of the n keys, in order; returns both ends.
/// Values [n]. Runs are those of unique_copy. Nothing may overlap.
///   Time    CUDA: n calls of equal; host: 2 n, and keys are read twice. Every value is read once,
///           what is kept is written once
///   Memory  CUDA: as unique_copy of items of a key and a value; host: as unique_copy
///   Order, Sync, Errors  as unique_copy
///   Example
///     thrust::device_vector<int> keys(1000, 2), values(1000, 3), keys_out(1000), values_out(1000);
///     auto ends = hindsight::unique_by_key_copy(keys, values.begin(), keys_out.begin(),
///         values_out.begin());
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
HINDSIGHT_HD ::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(
    const execution_policy<D, S>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first,
    KeyOut keys_out, ValueOut values_out, Equal equal) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::unique_by_key_copy(policy, keys_first, keys_last, values_first,
                                                   keys_out, values_out, equal);),
      (return thrust::unique_by_key_copy(thrust::seq, keys_first, keys_last, values_first, keys_out,
                                         values_out, equal);))
}

/// The same with equal = equal_to.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class KeyOut, class ValueOut>
HINDSIGHT_HD ::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(
    const execution_policy<D, S>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first,
    KeyOut keys_out, ValueOut values_out) {
  HINDSIGHT_DISPATCH((return hindsight::unique_by_key_copy(
                                 policy, keys_first, keys_last, values_first, keys_out, values_out,
                                 ::cuda::std::equal_to<detail::item_t<KeyIt>>{});),
                     (return thrust::unique_by_key_copy(thrust::seq, keys_first, keys_last,
                                                        values_first, keys_out, values_out);))
}

/// Moves the first key and the first value of each run of the n keys to the front, in order;
/// returns both ends. Values [n]. Runs are those of unique_copy. What lies behind the ends is
/// unspecified.
///   Time    n calls of equal; every key and value is read once, every one kept is written once
///   Memory  as unique_copy of items of a key and a value
///   Order, Sync  as unique_copy
///   Errors  as unique_copy. On host threads, if equal throws, some first keys and values may have
///           moved to the front already. All others are where they were
///   Example
///     thrust::device_vector<int> keys(1000, 2), values(1000, 3);
///     auto ends = hindsight::unique_by_key(keys, values.begin());
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt, class Equal>
HINDSIGHT_HD ::cuda::std::pair<KeyIt, ValueIt> unique_by_key(const execution_policy<D, S>& policy,
                                                             KeyIt keys_first, KeyIt keys_last,
                                                             ValueIt values_first, Equal equal) {
  HINDSIGHT_DISPATCH(
      (return detail::dispatch::unique_by_key(policy, keys_first, keys_last, values_first, equal);),
      (return thrust::unique_by_key(thrust::seq, keys_first, keys_last, values_first, equal);))
}

/// The same with equal = equal_to.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class KeyIt, class ValueIt>
HINDSIGHT_HD ::cuda::std::pair<KeyIt, ValueIt> unique_by_key(const execution_policy<D, S>& policy,
                                                             KeyIt keys_first, KeyIt keys_last,
                                                             ValueIt values_first) {
  HINDSIGHT_DISPATCH(
      (return hindsight::unique_by_key(policy, keys_first, keys_last, values_first,
                                       ::cuda::std::equal_to<detail::item_t<KeyIt>>{});),
      (return thrust::unique_by_key(thrust::seq, keys_first, keys_last, values_first);))
}

/// Number of the runs of the n items in [first, last): of the items that unique_copy would copy.
///   Time    n calls of equal; every item is read once
///   Memory  CUDA: up to 9 KB on 132 multiprocessors, none for one tile (some thousand items).
///           Host: 16 bytes for each 16,384 items, none if one thread runs
///   Order   changes nothing
///   Sync    waits for the result
///   Errors  as unique_copy
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto one = hindsight::unique_count(items);
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It, class Equal>
HINDSIGHT_HD detail::distance_t<It> unique_count(const execution_policy<D, S>& policy, It first,
                                                 It last, Equal equal) {
  HINDSIGHT_DISPATCH((return detail::dispatch::unique_count(policy, first, last, equal);),
                     (return thrust::unique_count(thrust::seq, first, last, equal);))
}

/// The same with equal = equal_to.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class It>
HINDSIGHT_HD detail::distance_t<It> unique_count(const execution_policy<D, S>& policy, It first,
                                                 It last) {
  HINDSIGHT_DISPATCH((return hindsight::unique_count(policy, first, last,
                                                     ::cuda::std::equal_to<detail::item_t<It>>{});),
                     (return thrust::unique_count(thrust::seq, first, last);))
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Equal, detail::if_range<Range> = 0>
OutputIt unique_copy(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                     Equal equal) {
  return hindsight::unique_copy(policy, detail::begin_of(range), detail::end_of(range), out, equal);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Equal, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt unique_copy(Range&& range, OutputIt out, Equal equal) {
  return hindsight::unique_copy(Policy{}, detail::begin_of(range), detail::end_of(range), out,
                                equal);
}
/// The same without a policy, run where the iterators say.
template <class InputIt, class OutputIt, class Equal,
          class Policy = detail::default_policy<InputIt, InputIt, OutputIt>>
OutputIt unique_copy(InputIt first, InputIt last, OutputIt out, Equal equal) {
  return hindsight::unique_copy(Policy{}, first, last, out, equal);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, detail::if_range<Range> = 0>
OutputIt unique_copy(const execution_policy<D, S>& policy, Range&& range, OutputIt out) {
  return hindsight::unique_copy(policy, detail::begin_of(range), detail::end_of(range), out);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt unique_copy(Range&& range, OutputIt out) {
  return hindsight::unique_copy(Policy{}, detail::begin_of(range), detail::end_of(range), out);
}
/// The same without a policy, run where the iterators say.
template <class InputIt, class OutputIt,
          class Policy = detail::default_policy<InputIt, InputIt, OutputIt>>
OutputIt unique_copy(InputIt first, InputIt last, OutputIt out) {
  return hindsight::unique_copy(Policy{}, first, last, out);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Equal, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> unique(const execution_policy<D, S>& policy, Range&& range,
                                       Equal equal) {
  return hindsight::unique(policy, detail::begin_of(range), detail::end_of(range), equal);
}
/// The same for a range, run where its iterators say.
template <class Range, class Equal, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> unique(Range&& range, Equal equal) {
  return hindsight::unique(Policy{}, detail::begin_of(range), detail::end_of(range), equal);
}
/// The same without a policy, run where the iterators say.
template <class It, class Equal, class Policy = detail::default_policy<It, It>>
It unique(It first, It last, Equal equal) {
  return hindsight::unique(Policy{}, first, last, equal);
}

/// The same for the items of a range.
template <class D, class S, class Range, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> unique(const execution_policy<D, S>& policy, Range&& range) {
  return hindsight::unique(policy, detail::begin_of(range), detail::end_of(range));
}
/// The same for a range, run where its iterators say.
template <class Range, detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> unique(Range&& range) {
  return hindsight::unique(Policy{}, detail::begin_of(range), detail::end_of(range));
}
/// The same without a policy, run where the iterators say.
template <class It, class Policy = detail::default_policy<It, It>>
It unique(It first, It last) {
  return hindsight::unique(Policy{}, first, last);
}

/// The same for the items of a range.
template <class D, class S, class Range, class ValueIt, class KeyOut, class ValueOut, class Equal,
          detail::if_range<Range> = 0>
::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(const execution_policy<D, S>& policy,
                                                       Range&& keys, ValueIt values_first,
                                                       KeyOut keys_out, ValueOut values_out,
                                                       Equal equal) {
  return hindsight::unique_by_key_copy(policy, detail::begin_of(keys), detail::end_of(keys),
                                       values_first, keys_out, values_out, equal);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt, class KeyOut, class ValueOut, class Equal,
          detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, ValueIt, KeyOut, ValueOut>>
::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(Range&& keys, ValueIt values_first,
                                                       KeyOut keys_out, ValueOut values_out,
                                                       Equal equal) {
  return hindsight::unique_by_key_copy(Policy{}, detail::begin_of(keys), detail::end_of(keys),
                                       values_first, keys_out, values_out, equal);
}
/// The same without a policy, run where the iterators say.
template <class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal,
          class Policy = detail::default_policy<KeyIt, KeyIt, ValueIt, KeyOut, ValueOut>>
::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(KeyIt keys_first, KeyIt keys_last,
                                                       ValueIt values_first, KeyOut keys_out,
                                                       ValueOut values_out, Equal equal) {
  return hindsight::unique_by_key_copy(Policy{}, keys_first, keys_last, values_first, keys_out,
                                       values_out, equal);
}

/// The same for the items of a range.
template <class D, class S, class Range, class ValueIt, class KeyOut, class ValueOut,
          detail::if_range<Range> = 0>
::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(const execution_policy<D, S>& policy,
                                                       Range&& keys, ValueIt values_first,
                                                       KeyOut keys_out, ValueOut values_out) {
  return hindsight::unique_by_key_copy(policy, detail::begin_of(keys), detail::end_of(keys),
                                       values_first, keys_out, values_out);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt, class KeyOut, class ValueOut, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, ValueIt, KeyOut, ValueOut>>
::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(Range&& keys, ValueIt values_first,
                                                       KeyOut keys_out, ValueOut values_out) {
  return hindsight::unique_by_key_copy(Policy{}, detail::begin_of(keys), detail::end_of(keys),
                                       values_first, keys_out, values_out);
}
/// The same without a policy, run where the iterators say.
template <class KeyIt, class ValueIt, class KeyOut, class ValueOut,
          class Policy = detail::default_policy<KeyIt, KeyIt, ValueIt, KeyOut, ValueOut>>
::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(KeyIt keys_first, KeyIt keys_last,
                                                       ValueIt values_first, KeyOut keys_out,
                                                       ValueOut values_out) {
  return hindsight::unique_by_key_copy(Policy{}, keys_first, keys_last, values_first, keys_out,
                                       values_out);
}

/// The same for the items of a range.
template <class D, class S, class Range, class ValueIt, class Equal, detail::if_range<Range> = 0>
::cuda::std::pair<detail::range_iterator_t<Range>, ValueIt> unique_by_key(
    const execution_policy<D, S>& policy, Range&& keys, ValueIt values_first, Equal equal) {
  return hindsight::unique_by_key(policy, detail::begin_of(keys), detail::end_of(keys),
                                  values_first, equal);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt, class Equal, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, ValueIt>>
::cuda::std::pair<detail::range_iterator_t<Range>, ValueIt> unique_by_key(Range&& keys,
                                                                          ValueIt values_first,
                                                                          Equal equal) {
  return hindsight::unique_by_key(Policy{}, detail::begin_of(keys), detail::end_of(keys),
                                  values_first, equal);
}
/// The same without a policy, run where the iterators say.
template <class KeyIt, class ValueIt, class Equal,
          class Policy = detail::default_policy<KeyIt, KeyIt, ValueIt>>
::cuda::std::pair<KeyIt, ValueIt> unique_by_key(KeyIt keys_first, KeyIt keys_last,
                                                ValueIt values_first, Equal equal) {
  return hindsight::unique_by_key(Policy{}, keys_first, keys_last, values_first, equal);
}

/// The same for the items of a range.
template <class D, class S, class Range, class ValueIt, detail::if_range<Range> = 0>
::cuda::std::pair<detail::range_iterator_t<Range>, ValueIt> unique_by_key(
    const execution_policy<D, S>& policy, Range&& keys, ValueIt values_first) {
  return hindsight::unique_by_key(policy, detail::begin_of(keys), detail::end_of(keys),
                                  values_first);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, ValueIt>>
::cuda::std::pair<detail::range_iterator_t<Range>, ValueIt> unique_by_key(Range&& keys,
                                                                          ValueIt values_first) {
  return hindsight::unique_by_key(Policy{}, detail::begin_of(keys), detail::end_of(keys),
                                  values_first);
}
/// The same without a policy, run where the iterators say.
template <class KeyIt, class ValueIt, class Policy = detail::default_policy<KeyIt, KeyIt, ValueIt>>
::cuda::std::pair<KeyIt, ValueIt> unique_by_key(KeyIt keys_first, KeyIt keys_last,
                                                ValueIt values_first) {
  return hindsight::unique_by_key(Policy{}, keys_first, keys_last, values_first);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Equal, detail::if_range<Range> = 0>
detail::distance_t<detail::range_iterator_t<Range>> unique_count(
    const execution_policy<D, S>& policy, Range&& range, Equal equal) {
  return hindsight::unique_count(policy, detail::begin_of(range), detail::end_of(range), equal);
}
/// The same for a range, run where its iterators say.
template <class Range, class Equal, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::distance_t<detail::range_iterator_t<Range>> unique_count(Range&& range, Equal equal) {
  return hindsight::unique_count(Policy{}, detail::begin_of(range), detail::end_of(range), equal);
}
/// The same without a policy, run where the iterators say.
template <class It, class Equal, class Policy = detail::default_policy<It, It>>
detail::distance_t<It> unique_count(It first, It last, Equal equal) {
  return hindsight::unique_count(Policy{}, first, last, equal);
}

/// The same for the items of a range.
template <class D, class S, class Range, detail::if_range<Range> = 0>
detail::distance_t<detail::range_iterator_t<Range>> unique_count(
    const execution_policy<D, S>& policy, Range&& range) {
  return hindsight::unique_count(policy, detail::begin_of(range), detail::end_of(range));
}
/// The same for a range, run where its iterators say.
template <class Range, detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
detail::distance_t<detail::range_iterator_t<Range>> unique_count(Range&& range) {
  return hindsight::unique_count(Policy{}, detail::begin_of(range), detail::end_of(range));
}
/// The same without a policy, run where the iterators say.
template <class It, class Policy = detail::default_policy<It, It>>
detail::distance_t<It> unique_count(It first, It last) {
  return hindsight::unique_count(Policy{}, first, last);
}

}  // namespace hindsight
