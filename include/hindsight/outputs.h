// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that have any number of outputs each: where these begin, and work on all of them that does
// not wait for the items with the most.
//
//   hindsight::offsets_of(par, counts.begin(), counts.end(), offsets.begin());
//   hindsight::for_each_output(par, offsets.begin(), offsets.end(), write);
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/outputs.h>
#include <hindsight/reduce.h>
#include <hindsight/scan.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace hindsight {

/// out[i] = counts[0] + ... + counts[i - 1], and behind them the sum of all, in the type of out.
/// Returns the end of out, which is not counts.
///   out     [number of counts + 1]
///   Memory  as exclusive_scan
///   Sync    as the policy asks
///   Errors  invalid_call where last comes before first
template <class D, class S, class CountIt, class OutputIt>
OutputIt offsets_of(const execution_policy<D, S>& policy, CountIt first, CountIt last,
                    OutputIt out) {
  using offset = detail::item_t<OutputIt>;
  using padded = detail::function::padded_counts<offset, CountIt>;
  using counting = thrust::counting_iterator<std::size_t>;
  const std::size_t n = detail::length(first, last, "hindsight::offsets_of");
  const thrust::transform_iterator<padded, counting, offset, offset> counts(counting(0),
                                                                            padded{first, n});
  return hindsight::exclusive_scan(policy, counts, counts + static_cast<std::ptrdiff_t>(n + 1), out,
                                   offset(0));
}

/// f(i, k, j) for each item i and each output j in [offsets[i], offsets[i + 1]), k = j - offsets[i]:
/// the item, its output's number, and the output's number of all. Calls are made in no order, and
/// at the same time. Takes time for each output and each item, however many outputs one has.
///   first, last  [number of items + 1], as offsets_of writes them
///   Memory       none
///   Sync         as the policy asks
///   Errors       invalid_call where last comes before first
///   Source       Baxter 2013, "Modern GPU", load-balancing search
template <class D, class S, class OffsetIt, class F>
void for_each_output(const execution_policy<D, S>& policy, OffsetIt first, OffsetIt last, F f) {
  detail::dispatch::for_each_output(policy, "hindsight::for_each_output",
                                    detail::segment_offsets<OffsetIt>{first, last}, f);
}

/// out[j] = items[i] for each output j of item i.
///   offsets_first, offsets_last  as for for_each_output
template <class D, class S, class InputIt, class OffsetIt, class OutputIt>
void expand(const execution_policy<D, S>& policy, InputIt items, OffsetIt offsets_first,
            OffsetIt offsets_last, OutputIt out) {
  detail::dispatch::for_each_output<OutputIt>(
      policy, "hindsight::expand",
      detail::segment_offsets<OffsetIt>{offsets_first, offsets_last},
      detail::function::copy_to_output<InputIt, OutputIt>{items, out});
}

/// Writes items[0] counts[0] times, then items[1] counts[1] times, and so on: what
/// run_length_encode came from. Returns the end of out.
///   Memory  8 bytes per item, and as exclusive_scan
///   Sync    waits for the number of outputs
///   Errors  invalid_call where last comes before first
template <class D, class S, class InputIt, class CountIt, class OutputIt>
OutputIt run_length_decode(const execution_policy<D, S>& policy, InputIt first, InputIt last,
                           CountIt counts, OutputIt out) {
  constexpr auto name = "hindsight::run_length_decode";
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return out;
  const auto counts_last = detail::advanced(counts, n);
  detail::dispatch::with_temporary<std::size_t>(policy, n + 1, name, [&](std::size_t* offsets) {
    hindsight::offsets_of(policy, counts, counts_last, offsets);
    hindsight::expand(policy, first, offsets, offsets + n + 1, out);
  });
  const std::size_t total = hindsight::reduce(policy, counts, counts_last, std::size_t{0},
                                              ::cuda::std::plus<std::size_t>{});
  return detail::advanced(out, total);
}

}  // namespace hindsight
