// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that return their results in containers of their own: std::vector in, std::vector out;
// device_vector in, device_vector out. filter.h has one more.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

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
template <class Container, class Item>
struct vector_of {
  static_assert(is_resizable<Container>,
                "hindsight: this call returns a container like the range, so the range has to be a "
                "vector; call the form with an output for others");
};
template <template <class, class> class Vector, class T, class Allocator, class Item>
struct vector_of<Vector<T, Allocator>, Item> {
  using type = Vector<Item, typename std::allocator_traits<Allocator>::template rebind_alloc<Item>>;
};
template <class Range, class Item>
using vector_of_t = typename vector_of<std::decay_t<Range>, Item>::type;

}  // namespace detail

/// A new vector of num_bins counts: as histogram_even.
///   Time    every sample is read once
///   Memory  the counts, and as histogram_even
///   Sync    waits for the result
///   Errors  those of the container and of histogram_even
///   Example
///     thrust::device_vector<float> samples(1000, 0.3f);
///     auto counts = hindsight::histogram(samples, 10, 0.0f, 1.0f);  // counts[3] is 1000
template <class D, class S, class Range, class Level, detail::if_range<Range> = 0>
detail::vector_of_t<Range, unsigned long long> histogram(const execution_policy<D, S>& policy,
                                                         Range&& samples, int num_bins, Level lower,
                                                         Level upper) {
  detail::vector_of_t<Range, unsigned long long> counts(
      static_cast<std::size_t>(num_bins > 0 ? num_bins : 0));
  hindsight::histogram_even(policy, detail::begin_of(samples), detail::end_of(samples), num_bins,
                            lower, upper, counts.begin());
  return counts;
}
/// The same, run where the range's iterators say.
template <class Range, class Level, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
detail::vector_of_t<Range, unsigned long long> histogram(Range&& samples, int num_bins, Level lower,
                                                         Level upper) {
  return hindsight::histogram(Policy{}, samples, num_bins, lower, upper);
}

/// A sorted copy of a container. A temporary container is not copied, but sorted and returned. All
/// else as sort.
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
  static_assert(!std::is_same_v<decltype(std::declval<container&>().begin()),
                                decltype(std::declval<const container&>().begin())>,
                "hindsight: sorted() of a view would sort the items that it refers to; copy them "
                "into a container, or call sort()");
  std::decay_t<Range> copy(std::forward<Range>(range));
  hindsight::sort(policy, copy.begin(), copy.end(), compare);
  return copy;
}
/// The same, run where the range's iterators say.
template <class Range, class Compare = ::cuda::std::less<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
std::decay_t<Range> sorted(Range&& range, Compare compare = {}) {
  return hindsight::sorted(Policy{}, std::forward<Range>(range), compare);
}

/// Two new vectors: an item of each run of equal neighbours, and the lengths of the runs. All else
/// as run_length_encode.
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto [values, lengths] = hindsight::run_lengths(items);  // 2; 1000
template <class D, class S, class Range, detail::if_range<Range> = 0>
std::pair<std::decay_t<Range>, detail::vector_of_t<Range, std::size_t>> run_lengths(
    const execution_policy<D, S>& policy, Range&& range) {
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
