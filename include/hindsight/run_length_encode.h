// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of run-length encoding: with a policy and iterators, with a policy and a range,
// and without a policy: then the iterators say where to run.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/run_length_encode.h>

namespace hindsight {

/// For each run of the n items in [first, last): one item and the run's length. A run goes on as
/// long as equal(item, next item). Writes as many items and lengths as there are runs, and returns
/// both ends. Nothing may overlap. The item written for a run is its last one on CUDA, its first
/// one on host threads, as reduce_by_key has it: equal items may differ, as -0.0 and 0.0 do.
///   Time    n calls of equal, and few more; every item is read once
///   Memory  CUDA: 32 bytes per tile, none for one tile. A tile is at least 2 K items of up to 16
///           bytes, fewer of larger ones. Host: as much per tile of 32 KB, and for each thread room
///           for the runs of a tile
///   Order   that of the input
///   Sync    waits for the number of runs
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Source  Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
///   Example
///     thrust::device_vector<int> in(1000, 7), unique(1000), lengths(1000);
///     auto ends = hindsight::run_length_encode(in, unique.begin(), lengths.begin());
///     auto num_runs = ends.first - unique.begin();  // 1: unique[0] is 7, lengths[0] is 1000
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class UniqueOut, class CountsOut, class Equal>
HINDSIGHT_HD ::cuda::std::pair<UniqueOut, CountsOut> run_length_encode(
    const execution_policy<D, S>& policy, InputIt first, InputIt last, UniqueOut unique_out,
    CountsOut counts_out, Equal equal) {
  HINDSIGHT_DISPATCH((return detail::dispatch::run_length_encode(policy, first, last, unique_out,
                                                                 counts_out, equal);),
                     (return detail::dispatch::run_length_recipe(thrust::seq, first, last,
                                                                 unique_out, counts_out, equal);))
}

/// The same for runs of equal items.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class S, class InputIt, class UniqueOut, class CountsOut>
HINDSIGHT_HD ::cuda::std::pair<UniqueOut, CountsOut> run_length_encode(
    const execution_policy<D, S>& policy, InputIt first, InputIt last, UniqueOut unique_out,
    CountsOut counts_out) {
  HINDSIGHT_DISPATCH(
      (return hindsight::run_length_encode(policy, first, last, unique_out, counts_out,
                                           ::cuda::std::equal_to<detail::item_t<InputIt>>{});),
      (return detail::dispatch::run_length_recipe(
                  thrust::seq, first, last, unique_out, counts_out,
                  ::cuda::std::equal_to<detail::item_t<InputIt>>{});))
}

/// With a policy of stock Thrust: stock's reduce_by_key over ones. (Generic code may also pass our
/// policies as Thrust's base of all policies.)
_CCCL_EXEC_CHECK_DISABLE
template <class D, class InputIt, class UniqueOut, class CountsOut, class Equal>
HINDSIGHT_HD ::cuda::std::pair<UniqueOut, CountsOut> run_length_encode(
    const thrust::detail::execution_policy_base<D>& policy, InputIt first, InputIt last,
    UniqueOut unique_out, CountsOut counts_out, Equal equal) {
  if constexpr (detail::is_our_policy<D>) {
    return hindsight::run_length_encode(detail::derived(policy), first, last, unique_out,
                                        counts_out, equal);
  } else {
    return detail::dispatch::run_length_recipe(policy, first, last, unique_out, counts_out, equal);
  }
}

/// The same for runs of equal items.
_CCCL_EXEC_CHECK_DISABLE
template <class D, class InputIt, class UniqueOut, class CountsOut>
HINDSIGHT_HD ::cuda::std::pair<UniqueOut, CountsOut> run_length_encode(
    const thrust::detail::execution_policy_base<D>& policy, InputIt first, InputIt last,
    UniqueOut unique_out, CountsOut counts_out) {
  return hindsight::run_length_encode(policy, first, last, unique_out, counts_out,
                                      ::cuda::std::equal_to<detail::item_t<InputIt>>{});
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, class UniqueOut, class CountsOut,
          class Equal = ::cuda::std::equal_to<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0>
::cuda::std::pair<UniqueOut, CountsOut> run_length_encode(const execution_policy<D, S>& policy,
                                                          Range&& range, UniqueOut unique_out,
                                                          CountsOut counts_out, Equal equal = {}) {
  return hindsight::run_length_encode(policy, detail::begin_of(range), detail::end_of(range),
                                      unique_out, counts_out, equal);
}
/// The same for a range, run where its iterators say.
template <class Range, class UniqueOut, class CountsOut,
          class Equal = ::cuda::std::equal_to<detail::range_item_t<Range>>,
          detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range, UniqueOut, CountsOut>>
::cuda::std::pair<UniqueOut, CountsOut> run_length_encode(Range&& range, UniqueOut unique_out,
                                                          CountsOut counts_out, Equal equal = {}) {
  return hindsight::run_length_encode(Policy{}, detail::begin_of(range), detail::end_of(range),
                                      unique_out, counts_out, equal);
}
/// The same without a policy, run where the iterators say.
template <class It, class UniqueOut, class CountsOut,
          class Equal = ::cuda::std::equal_to<detail::item_t<It>>,
          class Policy = detail::default_policy<It, It, UniqueOut, CountsOut>>
::cuda::std::pair<UniqueOut, CountsOut> run_length_encode(It first, It last, UniqueOut unique_out,
                                                          CountsOut counts_out, Equal equal = {}) {
  return hindsight::run_length_encode(Policy{}, first, last, unique_out, counts_out, equal);
}

}  // namespace hindsight
