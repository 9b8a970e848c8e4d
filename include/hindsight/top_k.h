// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first items of a sorted order: with a policy and iterators, with a policy and a range, and
// without a policy: then the iterators say where to run. Thrust has no such calls; the names and
// arguments of nth_element and partial_sort are std's.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/deferred.h>
#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/top_k.h>

#include <cuda/std/utility>

#include <type_traits>

namespace hindsight {

/// Writes the k items that a stable sort would put first, in that order; all items if k is more
/// than there are. k has no sign: -1 is the largest k, and so asks for all items. `compare` says
/// what comes first: greater<> unless another is passed. Returns the end of what was written. On
/// CUDA the k items are selected by their digits if the order is less or greater and the items are
/// numbers of up to 64 bits, or tuples, pairs or arrays of numbers with up to 64 bits in all. All
/// items are sorted in other cases, where there are fewer than 2^16 of them, and where k is more
/// than a 32nd of their number. Outputs must not overlap inputs. The host has to know the number of
/// items: a hindsight::deferred one is not taken.
///   Time    selection on CUDA: items are read once, a few times more if many are equal to the
///           k-th. Host threads: items are read once where k is less than a 64th of a thread's
///           items, else all are sorted
///   Memory  CUDA: twice up to a sixth of the items as numbers of 8 or 16 bytes, up to 32 bytes for
///           each of the k, tables; for numbers in an array at least room for 32 k of them and for
///           a sort of these, since what is enough has to be enough for fewer items, too. Host
///           threads: 8 bytes for less than a 42nd of the items. Where all are sorted: CUDA: room
///           for them and for a sort; host threads: two indices for each item, and for numbers by
///           less or greater also room for all items twice
///   Order   of items that are equivalent, the first ones, in their input order; the same every run
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<float> items(1000, 2.5f), best(10);
///     hindsight::top_k(hindsight::par, items.begin(), items.end(), 10, best.begin());
template <class D, class S, class It, class OutputIt, class Compare = ::cuda::std::greater<>,
          std::enable_if_t<detail::is_iterator<It>, int> = 0>
OutputIt top_k(const execution_policy<D, S>& policy, It first, It last, std::size_t k, OutputIt out,
               Compare compare = {}) {
  detail::no_value* const none = nullptr;
  return detail::advanced(out, detail::dispatch::top_k(policy, "hindsight::top_k", first, last,
                                                       none, k, out, none, compare));
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Compare = ::cuda::std::greater<>,
          detail::if_range<Range> = 0>
OutputIt top_k(const execution_policy<D, S>& policy, Range&& range, std::size_t k, OutputIt out,
               Compare compare = {}) {
  return hindsight::top_k(policy, detail::begin_of(range), detail::end_of(range), k, out, compare);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Compare = ::cuda::std::greater<>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range, OutputIt>>
OutputIt top_k(Range&& range, std::size_t k, OutputIt out, Compare compare = {}) {
  return hindsight::top_k(Policy{}, detail::begin_of(range), detail::end_of(range), k, out,
                          compare);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Compare = ::cuda::std::greater<>,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt top_k(It first, It last, std::size_t k, OutputIt out, Compare compare = {}) {
  return hindsight::top_k(Policy{}, first, last, k, out, compare);
}

/// Writes the k keys that a stable sort would put first, in that order, and their values. The n
/// keys are [keys_first, keys_last), the values [n], both outputs [min(k, n)]. Returns the ends of
/// what was written. Which keys are selected by their digits, and that nothing may overlap: as for
/// top_k.
///   Memory  as top_k; where all are sorted on CUDA, also room for the values
///   Time, Order, Sync, Errors  as top_k
///   Example
///     thrust::device_vector<float> scores(1000), best(10);
///     thrust::device_vector<int> names(1000), winners(10);
///     hindsight::top_k_by_key(hindsight::par, scores.begin(), scores.end(), names.begin(), 10,
///                             best.begin(), winners.begin());
template <class D, class S, class KeyIt, class ValueIt, class KeyOutputIt, class ValueOutputIt,
          class Compare = ::cuda::std::greater<>>
::cuda::std::pair<KeyOutputIt, ValueOutputIt> top_k_by_key(
    const execution_policy<D, S>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first,
    std::size_t k, KeyOutputIt keys_out, ValueOutputIt values_out, Compare compare = {}) {
  const std::size_t written =
      detail::dispatch::top_k(policy, "hindsight::top_k_by_key", keys_first, keys_last,
                              values_first, k, keys_out, values_out, compare);
  return {detail::advanced(keys_out, written), detail::advanced(values_out, written)};
}

/// The same for the keys of a range.
template <class D, class S, class Range, class ValueIt, class KeyOutputIt, class ValueOutputIt,
          class Compare = ::cuda::std::greater<>, detail::if_range<Range> = 0>
::cuda::std::pair<KeyOutputIt, ValueOutputIt> top_k_by_key(const execution_policy<D, S>& policy,
                                                           Range&& keys, ValueIt values_first,
                                                           std::size_t k, KeyOutputIt keys_out,
                                                           ValueOutputIt values_out,
                                                           Compare compare = {}) {
  return hindsight::top_k_by_key(policy, detail::begin_of(keys), detail::end_of(keys), values_first,
                                 k, keys_out, values_out, compare);
}
/// The same for a range, run where its iterators say.
template <class Range, class ValueIt, class KeyOutputIt, class ValueOutputIt,
          class Compare = ::cuda::std::greater<>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, ValueIt, KeyOutputIt, ValueOutputIt>>
::cuda::std::pair<KeyOutputIt, ValueOutputIt> top_k_by_key(Range&& keys, ValueIt values_first,
                                                           std::size_t k, KeyOutputIt keys_out,
                                                           ValueOutputIt values_out,
                                                           Compare compare = {}) {
  return hindsight::top_k_by_key(Policy{}, keys, values_first, k, keys_out, values_out, compare);
}
/// The same without a policy, run where the iterators say.
template <class KeyIt, class ValueIt, class KeyOutputIt, class ValueOutputIt,
          class Compare = ::cuda::std::greater<>,
          class Policy = detail::default_policy<KeyIt, KeyIt, ValueIt, KeyOutputIt, ValueOutputIt>>
::cuda::std::pair<KeyOutputIt, ValueOutputIt> top_k_by_key(KeyIt keys_first, KeyIt keys_last,
                                                           ValueIt values_first, std::size_t k,
                                                           KeyOutputIt keys_out,
                                                           ValueOutputIt values_out,
                                                           Compare compare = {}) {
  return hindsight::top_k_by_key(Policy{}, keys_first, keys_last, values_first, k, keys_out,
                                 values_out, compare);
}

/// Rearranges the items so that *nth is what a sort would put there, no item in front of it comes
/// after it in the order, and no item behind it comes before it. nth may be last: then nothing
/// happens. On CUDA, items that top_k would select by their digits are moved once. Others are
/// sorted, and on host threads all are.
///   Time    selection: items are read twice, and moved once; else that of a sort
///   Memory  selection: room for the items, 2 bytes for each, and top_k's; else that of a sort
///   Order   of the items on each side of *nth: unspecified, but the same every run
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before first or nth, or nth before first:
///           nothing is launched then
///   Example
///     thrust::device_vector<float> items(1000, 2.5f);
///     hindsight::nth_element(hindsight::par, items.begin(), items.begin() + 500, items.end());
template <class D, class S, class It, class Compare = ::cuda::std::less<>>
void nth_element(const execution_policy<D, S>& policy, It first, It nth, It last,
                 Compare compare = {}) {
  detail::dispatch::nth_element(policy, first, nth, last, compare);
}
/// The same without a policy, run where the iterators say.
template <class It, class Compare = ::cuda::std::less<>,
          class Policy = detail::default_policy<It, It, It>>
void nth_element(It first, It nth, It last, Compare compare = {}) {
  hindsight::nth_element(Policy{}, first, nth, last, compare);
}

/// Puts the items that a stable sort would put in [first, middle) there, in that order. On CUDA,
/// items that top_k would select by their digits are selected and moved as by nth_element, and then
/// those in [first, middle) are sorted. All are sorted where nth_element would sort them.
///   Time    selection: that of nth_element and of a sort of [first, middle); else that of a sort
///   Memory  the larger of nth_element's and of that of a sort
///   Order   of the items from middle on: unspecified, but the same every run
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before middle, or middle before first:
///           nothing is launched then
///   Example
///     thrust::device_vector<float> items(1000, 2.5f);
///     hindsight::partial_sort(hindsight::par, items.begin(), items.begin() + 10, items.end());
template <class D, class S, class It, class Compare = ::cuda::std::less<>>
void partial_sort(const execution_policy<D, S>& policy, It first, It middle, It last,
                  Compare compare = {}) {
  detail::dispatch::partial_sort(policy, first, middle, last, compare);
}
/// The same without a policy, run where the iterators say.
template <class It, class Compare = ::cuda::std::less<>,
          class Policy = detail::default_policy<It, It, It>>
void partial_sort(It first, It middle, It last, Compare compare = {}) {
  hindsight::partial_sort(Policy{}, first, middle, last, compare);
}

namespace detail {
/// Sizes that stay on the device are for calls that read them there.
template <class CountIt>
constexpr void refuse_deferred() {
  static_assert(!std::is_same_v<CountIt, CountIt>,
                "hindsight: selections take no deferred size, the host has to know the number of "
                "items; sort() takes one");
}
}  // namespace detail

/// Refused: the host does not know the number of items.
template <class D, class S, class It, class CountIt, class... Others>
void top_k(const execution_policy<D, S>&, It, deferred<CountIt>, const Others&...) {
  detail::refuse_deferred<CountIt>();
}
/// Refused: the host does not know the number of items.
template <class D, class S, class It, class CountIt, class... Others>
void top_k_by_key(const execution_policy<D, S>&, It, deferred<CountIt>, const Others&...) {
  detail::refuse_deferred<CountIt>();
}
/// Refused: the host does not know the number of items.
template <class D, class S, class It, class CountIt, class... Others>
void nth_element(const execution_policy<D, S>&, It, It, deferred<CountIt>, const Others&...) {
  detail::refuse_deferred<CountIt>();
}
/// Refused: the host does not know the number of items.
template <class D, class S, class It, class CountIt, class... Others>
void partial_sort(const execution_policy<D, S>&, It, It, deferred<CountIt>, const Others&...) {
  detail::refuse_deferred<CountIt>();
}

}  // namespace hindsight
