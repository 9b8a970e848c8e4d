// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections and partitions in place that leave their counts in device memory, and take their sizes
// from there if asked to: see counts.h.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/deferred.h>
#include <hindsight/detail/dispatch/counts.h>

namespace hindsight {

/// Of the n items from `first` on, moves those without pred(in[i]) to the front, in order, and
/// writes how many they are to *count. What lies behind them, up to item n, is unspecified. On the
/// host, one thread does it if copies of items are not trivial.
///   last    the end of the range, or a deferred size
///   count   [1]; not the place of a deferred size
///   Time    n calls of pred; every item is read once, every one kept is written at most once
///   Memory  CUDA: for the most items that there may be, 32 bytes per tile, none for one tile; a
///           tile is 4 K to 16 K items of up to 8 bytes, fewer of larger ones. Host: as much per
///           tile of 32 KB, and a tile for each thread
///   Order   that of the input
///   Sync    as the policy asks: nothing comes back to the host
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<int> items(1000, 2), num_items(1, 600), count(1);
///     hindsight::remove_if_into(hindsight::par_nosync, items.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, count.begin(),
///         thrust::logical_not<int>{});  // 600
template <class D, class S, class It, class Last, class CountIt, class Pred>
void remove_if_into(const execution_policy<D, S>& policy, It first, Last last, CountIt count,
                    Pred pred) {
  detail::dispatch::require_ours<S, It>();
  detail::dispatch::require_copies<S, detail::item_t<It>>();
  detail::dispatch::run_select_in_place_into(policy, "hindsight::remove_if_into", first, last,
                                             count, detail::function::negated<Pred>{pred});
}
/// The same, of the items without pred(stencil[i]). stencil [n] must not overlap the range.
template <class D, class S, class It, class Last, class StencilIt, class CountIt, class Pred>
void remove_if_into(const execution_policy<D, S>& policy, It first, Last last, StencilIt stencil,
                    CountIt count, Pred pred) {
  detail::dispatch::require_ours<S, It, StencilIt>();
  detail::dispatch::require_copies<S, detail::item_t<It>, detail::item_t<StencilIt>>();
  detail::dispatch::run_select_in_place_into(policy, "hindsight::remove_if_into", first, last,
                                             count, detail::function::negated<Pred>{pred}, stencil);
}

/// Of the n items from `first` on, moves those that differ from `value` to the front, in order, and
/// writes how many they are to *count. `last`, `count` and items as for remove_if_into.
///   Time    n comparisons; every item is read once, every one kept is written at most once
///   Memory, Order, Sync, Errors  as remove_if_into
///   Example
///     thrust::device_vector<int> items(1000, 2), count(1);
///     hindsight::remove_into(hindsight::par, items.begin(), items.end(), count.begin(), 2);  // 0
template <class D, class S, class It, class Last, class CountIt, class Value>
void remove_into(const execution_policy<D, S>& policy, It first, Last last, CountIt count,
                 const Value& value) {
  detail::dispatch::require_ours<S, It>();
  detail::dispatch::require_copies<S, detail::item_t<It>>();
  using is_value = detail::equals_value<It, Value>;
  detail::dispatch::run_select_in_place_into(policy, "hindsight::remove_into", first, last, count,
                                             detail::function::negated<is_value>{is_value{value}});
}

/// Of the n items from `first` on, moves the first one of every run of equal neighbours to the
/// front, in order, and writes the number of runs to *count. `last`, `count` and items as for
/// remove_if_into.
///   Time    n calls of equal; every item is read once, every one kept is written at most once
///   Memory, Order, Sync, Errors  as remove_if_into
///   Example
///     thrust::device_vector<int> items(1000, 2), count(1);
///     hindsight::unique_into(hindsight::par, items.begin(), items.end(), count.begin());  // 1
template <class D, class S, class It, class Last, class CountIt,
          class Equal = ::cuda::std::equal_to<>>
void unique_into(const execution_policy<D, S>& policy, It first, Last last, CountIt count,
                 Equal equal = {}) {
  detail::dispatch::require_ours<S, It>();
  detail::dispatch::require_copies<S, detail::item_t<It>>();
  detail::dispatch::run_unique_in_place_into(policy, "hindsight::unique_into", first, last, count,
                                             equal);
}

/// Of the n items from `first` on, moves those with pred(in[i]) to the front, in order, and the
/// others behind them, from first + *count on; *count = how many have pred(in[i]). `last` and
/// `count` as for remove_if_into.
///   Time    n calls of pred; every item is read once and written once, and the others once more
///   Memory  room for the most items that there may be. CUDA: also 32 bytes per tile of 4 K to 16 K
///           items of up to 8 bytes. Host: also 32 bytes per tile of 32 KB, and two tiles for each
///           thread
///   Order   of the others: on CUDA reversed, as partition has it; on host threads in order
///   Sync    as the policy asks: nothing comes back to the host
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then. If
///           pred throws on host threads, the range still has all its items, in some order
///   Example
///     thrust::device_vector<int> items(1000, 2), num_items(1, 600), count(1);
///     hindsight::partition_into(hindsight::par, items.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, count.begin(),
///         ::cuda::std::identity{});  // 600
template <class D, class S, class It, class Last, class CountIt, class Pred>
void partition_into(const execution_policy<D, S>& policy, It first, Last last, CountIt count,
                    Pred pred) {
  detail::dispatch::require_ours<S, It>();
  detail::dispatch::require_copies<S, detail::item_t<It>>();
  detail::dispatch::run_partition_in_place_into<detail::cuda::from_the_end>(
      policy, "hindsight::partition_into", first, last, count, pred);
}
/// The same by pred(stencil[i]). stencil [n] must not overlap the range.
template <class D, class S, class It, class Last, class StencilIt, class CountIt, class Pred>
void partition_into(const execution_policy<D, S>& policy, It first, Last last, StencilIt stencil,
                    CountIt count, Pred pred) {
  detail::dispatch::require_ours<S, It, StencilIt>();
  detail::dispatch::require_copies<S, detail::item_t<It>, detail::item_t<StencilIt>>();
  detail::dispatch::run_partition_in_place_into<detail::cuda::from_the_end>(
      policy, "hindsight::partition_into", first, last, count, pred, stencil);
}

/// As partition_into, and both parts keep their order.
///   Order   that of the input, in both parts
///   Time, Memory, Sync, Errors  as partition_into
///   Example
///     thrust::device_vector<int> items(1000, 2), count(1);
///     hindsight::stable_partition_into(hindsight::par, items.begin(), items.end(), count.begin(),
///         ::cuda::std::identity{});  // 1000
template <class D, class S, class It, class Last, class CountIt, class Pred>
void stable_partition_into(const execution_policy<D, S>& policy, It first, Last last, CountIt count,
                           Pred pred) {
  detail::dispatch::require_ours<S, It>();
  detail::dispatch::require_copies<S, detail::item_t<It>>();
  detail::dispatch::run_partition_in_place_into<detail::cuda::in_input_order>(
      policy, "hindsight::stable_partition_into", first, last, count, pred);
}
/// The same by pred(stencil[i]). stencil [n] must not overlap the range.
template <class D, class S, class It, class Last, class StencilIt, class CountIt, class Pred>
void stable_partition_into(const execution_policy<D, S>& policy, It first, Last last,
                           StencilIt stencil, CountIt count, Pred pred) {
  detail::dispatch::require_ours<S, It, StencilIt>();
  detail::dispatch::require_copies<S, detail::item_t<It>, detail::item_t<StencilIt>>();
  detail::dispatch::run_partition_in_place_into<detail::cuda::in_input_order>(
      policy, "hindsight::stable_partition_into", first, last, count, pred, stencil);
}

}  // namespace hindsight
