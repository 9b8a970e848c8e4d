// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts by keys that a function makes of the items: with a policy and iterators, with a policy and
// a range, and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/sort_by.h>

namespace hindsight {

/// Sorts the n items in [first, last) by key_of(item); key_of is a function or a pointer to a
/// member. Items with equivalent keys stay in their input order. Keys that are numbers, by less or
/// greater, of thrust or std, are made once for each item and sorted by radix. On CUDA so are keys
/// that are thrust::pairs, tuples and cuda::std::arrays of up to 32 bytes of numbers, or of
/// references to numbers, as CUB's decomposers return. For other keys and orders our merge sort
/// makes the keys anew for each comparison.
///   Time    that of stable_sort_by_key of the keys with the items; keys over 16 bytes take a sort
///           for each 8 of them. Host: one thread makes all keys
///   Memory  CUDA: room for n keys twice, whose sizes are rounded up to a power of two, and n
///           items; for items of over 16 bytes, and for keys of over 16, also two indices each.
///           Host threads: room for n keys twice (three times for pairs, tuples and arrays), and n
///           items; for items of over 16 bytes or not trivial to copy two indices each. Merge sort:
///           what stable_sort takes
///   Order   of numbers: by value; -0.0 and 0.0 are equivalent, NaNs go by their bits
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<thrust::pair<int, float>> items(1000);
///     hindsight::sort_by(hindsight::par, items.begin(), items.end(),
///                        &thrust::pair<int, float>::second, thrust::greater<>{});
template <class D, class S, class It, class KeyOf, class Compare = ::cuda::std::less<>,
          std::enable_if_t<detail::is_iterator<It>, int> = 0>
void sort_by(const execution_policy<D, S>& policy, It first, It last, KeyOf key_of,
             Compare compare = {}) {
  detail::dispatch::sort_by(policy, first, last, detail::as_key_of(key_of),
                            detail::as_twin(compare));
}

/// The same for the items of a range.
template <class D, class S, class Range, class KeyOf, class Compare = ::cuda::std::less<>,
          detail::if_range<Range> = 0>
void sort_by(const execution_policy<D, S>& policy, Range&& range, KeyOf key_of,
             Compare compare = {}) {
  hindsight::sort_by(policy, detail::begin_of(range), detail::end_of(range), key_of, compare);
}
/// The same for a range, run where its iterators say.
template <class Range, class KeyOf, class Compare = ::cuda::std::less<>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
void sort_by(Range&& range, KeyOf key_of, Compare compare = {}) {
  hindsight::sort_by(Policy{}, detail::begin_of(range), detail::end_of(range), key_of, compare);
}
/// The same without a policy, run where the iterators say.
template <class It, class KeyOf, class Compare = ::cuda::std::less<>,
          class Policy = detail::default_policy<It, It>>
void sort_by(It first, It last, KeyOf key_of, Compare compare = {}) {
  hindsight::sort_by(Policy{}, first, last, key_of, compare);
}

}  // namespace hindsight
