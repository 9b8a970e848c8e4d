// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first k items in sorted order, on threads. Each thread keeps a heap of the first k items of
// its chunk. If k is large, all items are sorted instead.
#pragma once

#include <hindsight/detail/host/comparison_sort.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/sort.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/std_heap.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Whether the item at place a comes before the one at b in a stable sort.
template <class It, class Compare>
struct comes_before {
  compare_places<It, Compare> compare;
  bool operator()(std::size_t a, std::size_t b) {
    return compare(a, b) || (a < b && !compare(b, a));
  }
};

/// first[0, k) = the places of the first k items of [begin, end), as a heap. Requires
/// 0 < k <= end - begin.
template <class Before>
void keep_first(std::size_t begin, std::size_t end, std::size_t k, std::size_t* first,
                Before& before) {
  for (std::size_t i = 0; i < k; ++i) first[i] = begin + i;
  const auto by_place = [&](std::size_t a, std::size_t b) { return before(a, b); };
  std::make_heap(first, first + k, by_place);
  for (std::size_t i = begin + k; i < end; ++i) {
    if (!before.compare(i, first[0])) continue;  // of equivalent items the earlier one stays
    std::pop_heap(first, first + k, by_place);
    first[k - 1] = i;
    std::push_heap(first, first + k, by_place);
  }
}

/// Merges sorted runs of k places each: first[0, k) = the first k of them. If there is one run,
/// `first` may be this run. `heads` [num_runs] is overwritten.
template <class Before>
void merge_first(const std::size_t* runs, std::size_t num_runs, std::size_t k,
                 const std::size_t** heads, std::size_t* first, Before& before) {
  const auto after = [&](const std::size_t* a, const std::size_t* b) { return before(*b, *a); };
  for (std::size_t r = 0; r < num_runs; ++r) heads[r] = runs + r * k;
  std::make_heap(heads, heads + num_runs, after);
  for (std::size_t i = 0; i < k; ++i) {  // no run ends before the last place is found
    std::pop_heap(heads, heads + num_runs, after);
    first[i] = *heads[num_runs - 1]++;
    if (i + 1 < k) std::push_heap(heads, heads + num_runs, after);
  }
}

/// Calls use(places), the places of the first k of n items in a stable sort, found by heaps.
template <class It, class Compare, class Use>
void with_first_by_heaps(It items, std::size_t n, std::size_t k, Compare compare, unsigned chunks,
                         resources with, Use use) {
  std::size_t *heaps = nullptr, *first = nullptr;
  const std::size_t** heads = nullptr;
  const scratch memory{*with.memory, [&](carver& space) {
                         heaps = space.take<std::size_t>(chunks * k);
                         first = chunks > 1 ? space.take<std::size_t>(k) : heaps;
                         heads = space.take<const std::size_t*>(chunks);
                       }};
  const tiling one_by_one{chunks, n / chunks * sizeof(value_of<It>) + 1, cut{chunks, 1}};
  host::for_each_tile(one_by_one, [&](std::size_t c) {
    comes_before<It, Compare> before{{items, compare}};
    std::size_t* const chunk_first = heaps + c * k;
    host::keep_first(host::share_begin(n, chunks, c), host::share_begin(n, chunks, c + 1), k,
                     chunk_first, before);
    std::sort_heap(chunk_first, chunk_first + k,
                   [&](std::size_t a, std::size_t b) { return before(a, b); });
  });
  comes_before<It, Compare> before{{items, compare}};
  host::merge_first(heaps, chunks, k, heads, first, before);
  use(static_cast<const std::size_t*>(first));
}

/// Calls use(places), found by sorting all items. Their places have to fit into an Index.
template <class Index, class It, class Compare, class Use>
void with_first_by_sort(It items, std::size_t n, Compare compare, resources with, Use use) {
  using T = value_of<It>;
  if constexpr (is_radix_sortable<T, Compare>) {
    record_sorter<direction_of<T, Compare>, T, Index> sorter{n, with.wanted};
    T* keys = nullptr;
    Index* order = nullptr;
    const scratch memory{*with.memory, [&](carver& space) {
                           sorter.carve(space);
                           keys = space.take<T>(n);
                           order = space.take<Index>(n);
                         }};
    host::for_each_item<T>(n, with.wanted, [&](std::size_t i) {
      keys[i] = host::item_at<T>(items, i);
      order[i] = Index(i);
    });
    sorter.sort({keys, order});
    use(static_cast<const Index*>(order));
  } else {
    const auto order = host::as_order<T>(compare);
    order_of<Index, It, std::decay_t<decltype(order)>> sorter{items, n, order, with.wanted};
    const scratch memory{*with.memory, [&](carver& space) { sorter.carve(space); }};
    use(sorter.sort());
  }
}

/// Calls use(places), the places of the first k of n items in a stable sort. Requires 0 < k <= n.
///   Memory  with heaps, an index for each place of a heap (at most n / items_per_heap_place in
///           all) and for each of the k items; else what a sort of keys and indices needs
template <class It, class Compare, class Use>
void with_first(It items, std::size_t n, std::size_t k, Compare compare, resources with, Use use) {
  const unsigned chunks = tiling{n, sizeof(value_of<It>), with.wanted}.num_threads;
  if (k <= n / engine_tuning::items_per_heap_place / chunks) {
    const auto order = host::as_order<value_of<It>>(compare);  // the sort's: of NaNs, too
    host::with_first_by_heaps(items, n, k, order, chunks, with, use);
  } else if (n <= 0xffffffffu) {
    host::with_first_by_sort<std::uint32_t>(items, n, compare, with, use);
  } else {
    host::with_first_by_sort<std::uint64_t>(items, n, compare, with, use);
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
