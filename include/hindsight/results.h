// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that return their results in containers of their own: std::vector in, std::vector out;
// device_vector in, device_vector out. filter.h has one more.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/temporary.h>
#include <hindsight/filter.h>
#include <hindsight/histogram.h>
#include <hindsight/run_length_encode.h>
#include <hindsight/sort.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace hindsight {

namespace detail {

/// The same kind of vector, of other items.
template <class Container, class Item, class = void>
struct vector_of {
  static_assert(!std::is_same_v<Container, Container>,
                "hindsight: this call returns a container like the range, so the range has to be a "
                "vector; call the form with an output for others");
  using type = Container;  // no further errors
};
/// (Of what takes two types and is no vector the second is no allocator: of a string its traits.)
template <template <class, class> class Vector, class T, class Allocator, class Item>
struct vector_of<Vector<T, Allocator>, Item, std::void_t<typename Allocator::value_type>> {
  using type = Vector<Item, typename std::allocator_traits<Allocator>::template rebind_alloc<Item>>;
};
template <class Range, class Item>
using vector_of_t = typename vector_of<std::decay_t<Range>, Item>::type;

/// Whether a copy has items of its own: not of views, nor of C arrays, whose copy is a pointer.
template <class Container, class = void>
inline constexpr bool copies_items = false;
template <class Container>
inline constexpr bool
    copies_items<Container, std::void_t<decltype(std::declval<const Container&>().begin())>> =
        !std::is_same_v<decltype(std::declval<Container&>().begin()),
                        decltype(std::declval<const Container&>().begin())>;

}  // namespace detail

/// A new vector of num_bins counts, each an unsigned long long. Bins are those of histogram_even.
///   Time    every sample is read once
///   Memory  the counts. Temporary: CUDA: none; host: as histogram_even
///   Order   changes nothing: counts are exact
///   Sync    as the policy asks: with par_nosync the counts may still be under way
///   Errors  the policy's, and the container's; invalid_call where num_bins < 1, lower is not less
///           than upper, or a level is NaN or infinite: no sample is read then
///   Example
///     thrust::device_vector<float> samples(1000, 0.3f);
///     auto counts = hindsight::histogram(samples, 10, 0.0f, 1.0f);  // counts[3] is 1000
template <class D, class S, class Range, class Level, detail::if_range<Range> = 0>
detail::vector_of_t<Range, unsigned long long> histogram(const execution_policy<D, S>& policy,
                                                         Range&& samples, long long num_bins,
                                                         Level lower, Level upper) {
  detail::vector_of_t<Range, unsigned long long> counts(detail::num_counters(num_bins));
  hindsight::histogram_even(policy, detail::begin_of(samples), detail::end_of(samples), num_bins,
                            lower, upper, counts.begin());
  return counts;
}
/// The same, run where the range's iterators say.
template <class Range, class Level, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::vector_of_t<Range, unsigned long long> histogram(Range&& samples, long long num_bins,
                                                         Level lower, Level upper) {
  return hindsight::histogram(Policy{}, samples, num_bins, lower, upper);
}

/// A sorted copy of a container, stable. A temporary container is not copied, but sorted and
/// returned.
///   Time    that of the copy and of stable_sort
///   Memory  the copy. Temporary: room for n items and tables, or what else stable_sort takes
///   Order   of numbers: by value; -0.0 and 0.0 are equivalent, NaNs go by their bits
///   Sync    before it copies a container it waits for what is in its stream, so a graph cannot
///           capture that. Then as the policy asks: with par_nosync the sort may still be under way
///   Errors  the policy's, and the container's
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto in_order = hindsight::sorted(items);
///     auto downwards = hindsight::sorted(hindsight::par, items, ::cuda::std::greater<int>{});
template <class D, class S, class Range,
          class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0>
std::decay_t<Range> sorted(const execution_policy<D, S>& policy, Range&& range,
                           Compare compare = {}) {
  using container = std::decay_t<Range>;
  static_assert(detail::copies_items<container>,
                "hindsight: sorted() of a view would sort the items that it refers to; copy them "
                "into a container, or call sort()");
  if constexpr (detail::copies_items<container>) {
    if constexpr (std::is_lvalue_reference_v<Range>)
      detail::wait_for_input(policy, "hindsight::sorted");
    container copy(std::forward<Range>(range));
    hindsight::sort(policy, copy.begin(), copy.end(), compare);
    return copy;
  }
}
/// The same, run where the range's iterators say.
template <class Range, class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
std::decay_t<Range> sorted(Range&& range, Compare compare = {}) {
  return hindsight::sorted(Policy{}, std::forward<Range>(range), compare);
}

/// Two new vectors: an item of each run of equal neighbours, and the lengths of the runs, each a
/// std::size_t. Which item of a run it is: as run_length_encode.
///   Time    n comparisons, and few more; every item is read once
///   Memory  a vector of n items and one of n lengths, then made smaller. Temporary: CUDA: 32 bytes
///           for each 2 K items or more of up to 16 bytes; host: as much for each 32 KB, and for
///           each thread room for their runs
///   Order   that of the input
///   Sync    waits for the number of runs
///   Errors  the policy's, and the containers'
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto [values, lengths] = hindsight::run_lengths(items);  // 2; 1000
template <class D, class S, class Range, detail::if_range<Range> = 0>
std::pair<std::decay_t<Range>, detail::vector_of_t<Range, std::size_t>> run_lengths(
    const execution_policy<D, S>& policy, Range&& range) {
  detail::require_no_capture(policy, "hindsight::run_lengths");
  std::pair<std::decay_t<Range>, detail::vector_of_t<Range, std::size_t>> runs(
      std::decay_t<Range>(range.size()),
      detail::vector_of_t<Range, std::size_t>(std::size_t(range.size())));
  const auto ends =
      hindsight::run_length_encode(policy, detail::begin_of(range), detail::end_of(range),
                                   runs.first.begin(), runs.second.begin());
  runs.first.resize(static_cast<std::size_t>(ends.first - runs.first.begin()));
  runs.second.resize(runs.first.size());
  return runs;
}
/// The same, run where the range's iterators say.
template <class Range, detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
std::pair<std::decay_t<Range>, detail::vector_of_t<Range, std::size_t>> run_lengths(Range&& range) {
  return hindsight::run_lengths(Policy{}, range);
}

}  // namespace hindsight
