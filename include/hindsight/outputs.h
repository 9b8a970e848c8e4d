// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items with any number of outputs each: where the outputs of each item begin, and calls that share
// all outputs equally among threads, so that no thread waits for the item with the most outputs.
//
//   hindsight::offsets_of(par, counts.begin(), counts.end(), offsets.begin());
//   hindsight::for_each_output(par, offsets.begin(), offsets.end(), write);
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/outputs.h>
#include <hindsight/detail/dispatch/range.h>
#include <hindsight/reduce.h>
#include <hindsight/scan.h>
#include <hindsight/select.h>

#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <type_traits>

namespace hindsight {

/// out[i] = counts[0] + ... + counts[i - 1], in the type of out; the last one is the sum of all
/// counts. Returns the end of out, which must not overlap the counts. (Iterators that only write,
/// as tabulate_output_iterator, have no such type. They get offsets as std::size_t.)
///   out     [number of counts + 1]
///   Time    every count is read once, every offset is written once
///   Memory  CUDA: 16 bytes for each 8,192 offsets of 4 bytes, 32 for each 4,096 of 8; none for so
///           many or fewer. Host: as much
///   Order   changes nothing: sums of integers are exact
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<int> counts = std::vector<int>{2, 0, 3}, offsets(4);
///     hindsight::offsets_of(hindsight::par, counts.begin(), counts.end(),
///                           offsets.begin());  // 0, 2, 2, 5
template <class D, class S, class CountIt, class OutputIt>
OutputIt offsets_of(const execution_policy<D, S>& policy, CountIt first, CountIt last,
                    OutputIt out) {
  return detail::dispatch::offsets_of(policy, "hindsight::offsets_of", first, last, out);
}

/// Calls f(i, k, j) for each item i and each output j in [offsets[i], offsets[i + 1]), with k = j -
/// offsets[i]: k is the output's number in its item, and j its number among all. Calls are made at
/// the same time, in no order.
///   first, last  [number of items + 1], as offsets_of writes them
///   Time    depends on the number of outputs and of items, not on how many outputs one item has
///   Memory  none
///   Order   none: f must not depend on which call comes first
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where last comes before first, and on the host where the
///           last offset is less than the first, or the first less than 0: nothing is launched then
///   Source  Baxter 2013, "Modern GPU", load-balancing search
///   Example
///     struct write_pairs {
///       int* out;
///       HINDSIGHT_HD void operator()(std::size_t i, std::size_t k, std::size_t j) const {
///         out[j] = int(10 * i + k);
///       }
///     };
///     thrust::device_vector<int> offsets = std::vector<int>{0, 2, 2, 5}, out(5);
///     hindsight::for_each_output(hindsight::par, offsets.begin(), offsets.end(),
///                                write_pairs{thrust::raw_pointer_cast(out.data())});
///     // 0, 1, 20, 21, 22
template <class D, class S, class OffsetIt, class F>
void for_each_output(const execution_policy<D, S>& policy, OffsetIt first, OffsetIt last, F f) {
  detail::dispatch::for_each_output(policy, "hindsight::for_each_output",
                                    detail::segment_offsets<OffsetIt>{first, last}, f);
}

/// out[j] = items[i] for each output j of item i. Outputs must not overlap the items or the
/// offsets.
///   offsets_first, offsets_last  [number of items + 1], as offsets_of writes them
///   Order   not applicable: no output depends on another
///   Time, Memory, Sync, Errors  as for_each_output
///   Example
///     thrust::device_vector<int> items = std::vector<int>{7, 8, 9}, out(5);
///     thrust::device_vector<int> offsets = std::vector<int>{0, 2, 2, 5};
///     hindsight::expand(hindsight::par, items.begin(), offsets.begin(), offsets.end(),
///                       out.begin());  // 7, 7, 9, 9, 9
template <class D, class S, class InputIt, class OffsetIt, class OutputIt>
void expand(const execution_policy<D, S>& policy, InputIt items, OffsetIt offsets_first,
            OffsetIt offsets_last, OutputIt out) {
  detail::dispatch::expand(policy, "hindsight::expand", items, offsets_first, offsets_last, out);
}

/// Writes items[0] counts[0] times, then items[1] counts[1] times, and so on, for the n items in
/// [first, last): run_length_encode backwards. counts [n]; a negative one counts as 0. Returns the
/// end of out, which may be written over the counts.
///   Time    depends on the number of outputs and of items, not on how many outputs one item has
///   Memory  8 bytes per item, and 32 bytes for each 4,096 items
///   Order   that of the items
///   Sync    waits for the number of outputs
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<int> items = std::vector<int>{7, 8, 9}, out(5);
///     thrust::device_vector<int> lengths = std::vector<int>{2, 0, 3};
///     hindsight::run_length_decode(hindsight::par, items.begin(), items.end(), lengths.begin(),
///                                  out.begin());  // 7, 7, 9, 9, 9
template <class D, class S, class InputIt, class CountIt, class OutputIt>
OutputIt run_length_decode(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                           CountIt counts, OutputIt out) {
  constexpr auto name = "hindsight::run_length_decode";
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return out;
  detail::dispatch::require_memory<S>(name, n, first, counts);
  return detail::advanced(out, detail::dispatch::run_decode(policy, name, first, n, counts, out));
}

/// Writes each i with pred(in[i]), in order; i is 0 for the first of the n items in [first, last).
/// Returns the end of what it wrote, at most out + n, which must not overlap the items. (As
/// parlaylib's pack_index; elsewhere it is called flatnonzero or where.)
///   Time    n calls of pred; every item is read once
///   Memory  32 bytes for each 4,096 items, none for so many or fewer; host: also 32 KB for each
///           thread
///   Order   that of the input
///   Sync    waits for the number of items
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
///   Example
///     thrust::device_vector<int> items = std::vector<int>{7, 0, 9}, out(3);
///     auto end = hindsight::pack_index(hindsight::par, items.begin(), items.end(),
///                                      out.begin());  // 0, 2
template <class D, class S, class InputIt, class OutputIt, class Pred>
OutputIt pack_index(const execution_policy<D, S>& policy, InputIt first, InputIt last, OutputIt out,
                    Pred pred) {
  constexpr auto name = "hindsight::pack_index";
  const std::size_t n = detail::length(first, last, name);
  const thrust::counting_iterator<std::size_t> numbers(0);
  return detail::dispatch::copy_if(policy, name, numbers, numbers + static_cast<std::ptrdiff_t>(n),
                                   out, pred, first);
}
/// The same, of the items that are true.
template <class D, class S, class InputIt, class OutputIt>
OutputIt pack_index(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                    OutputIt out) {
  return hindsight::pack_index(policy, first, last, out, ::cuda::std::identity{});
}

// With ranges in place of first and last, and without a policy.

/// The same for the counts of a range.
template <class D, class S, class Range, class OutputIt, detail::if_range<Range> = 0>
OutputIt offsets_of(const execution_policy<D, S>& policy, Range&& range, OutputIt out) {
  return hindsight::offsets_of(policy, detail::begin_of(range), detail::end_of(range), out);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, OutputIt>>
OutputIt offsets_of(Range&& range, OutputIt out) {
  return hindsight::offsets_of(Policy{}, detail::begin_of(range), detail::end_of(range), out);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt offsets_of(It first, It last, OutputIt out) {
  return hindsight::offsets_of(Policy{}, first, last, out);
}

/// The same for the offsets of a range.
template <class D, class S, class Range, class F, detail::if_range<Range> = 0>
void for_each_output(const execution_policy<D, S>& policy, Range&& range, F f) {
  hindsight::for_each_output(policy, detail::begin_of(range), detail::end_of(range), f);
}
/// The same for a range, run where its iterators say.
template <class Range, class F, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
void for_each_output(Range&& range, F f) {
  hindsight::for_each_output(Policy{}, detail::begin_of(range), detail::end_of(range), f);
}
/// The same without a policy, run where the iterators say.
template <class It, class F, class Policy = detail::default_policy<It, It>>
void for_each_output(It first, It last, F f) {
  hindsight::for_each_output(Policy{}, first, last, f);
}

/// The same for the items and the offsets of two ranges.
template <class D, class S, class Items, class Offsets, class OutputIt, detail::if_range<Items> = 0,
          detail::if_range<Offsets> = 0>
void expand(const execution_policy<D, S>& policy, Items&& items, Offsets&& offsets, OutputIt out) {
  hindsight::expand(policy, detail::begin_of(items), detail::begin_of(offsets),
                    detail::end_of(offsets), out);
}
/// The same for two ranges, run where their iterators say.
template <class Items, class Offsets, class OutputIt, detail::if_range<Items> = 0,
          detail::if_range<Offsets> = 0,
          class Policy = detail::default_policy<Items, detail::range_iterator_t<Offsets>, OutputIt>>
void expand(Items&& items, Offsets&& offsets, OutputIt out) {
  hindsight::expand(Policy{}, items, offsets, out);
}
/// The same without a policy, run where the iterators say.
template <class InputIt, class OffsetIt, class OutputIt,
          std::enable_if_t<detail::may_be_output<InputIt>, int> = 0,  // no policy before two ranges
          class Policy = detail::default_policy<OffsetIt, OffsetIt, InputIt, OutputIt>>
void expand(InputIt items, OffsetIt offsets_first, OffsetIt offsets_last, OutputIt out) {
  hindsight::expand(Policy{}, items, offsets_first, offsets_last, out);
}

/// The same for the items of a range.
template <class D, class S, class Range, class CountIt, class OutputIt, detail::if_range<Range> = 0>
OutputIt run_length_decode(const execution_policy<D, S>& policy, Range&& range, CountIt counts,
                           OutputIt out) {
  return hindsight::run_length_decode(policy, detail::begin_of(range), detail::end_of(range),
                                      counts, out);
}
/// The same for a range, run where its iterators say.
template <class Range, class CountIt, class OutputIt, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, CountIt, OutputIt>>
OutputIt run_length_decode(Range&& range, CountIt counts, OutputIt out) {
  return hindsight::run_length_decode(Policy{}, detail::begin_of(range), detail::end_of(range),
                                      counts, out);
}
/// The same without a policy, run where the iterators say.
template <class It, class CountIt, class OutputIt,
          class Policy = detail::default_policy<It, It, CountIt, OutputIt>>
OutputIt run_length_decode(It first, It last, CountIt counts, OutputIt out) {
  return hindsight::run_length_decode(Policy{}, first, last, counts, out);
}

/// The same for the items of a range.
template <class D, class S, class Range, class OutputIt, class Pred = ::cuda::std::identity,
          detail::if_range<Range> = 0>
OutputIt pack_index(const execution_policy<D, S>& policy, Range&& range, OutputIt out,
                    Pred pred = {}) {
  return hindsight::pack_index(policy, detail::begin_of(range), detail::end_of(range), out, pred);
}
/// The same for a range, run where its iterators say.
template <class Range, class OutputIt, class Pred = ::cuda::std::identity,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range, OutputIt>>
OutputIt pack_index(Range&& range, OutputIt out, Pred pred = {}) {
  return hindsight::pack_index(Policy{}, detail::begin_of(range), detail::end_of(range), out, pred);
}
/// The same without a policy, run where the iterators say.
template <class It, class OutputIt, class Pred = ::cuda::std::identity,
          class Policy = detail::default_policy<It, It, OutputIt>>
OutputIt pack_index(It first, It last, OutputIt out, Pred pred = {}) {
  return hindsight::pack_index(Policy{}, first, last, out, pred);
}

}  // namespace hindsight
