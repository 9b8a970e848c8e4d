// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections, partitions, run-length encodings and sums by key that leave their counts in device
// memory. The place of `last` takes an iterator, or a hindsight::deferred: see counts.h.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/deferred.h>
#include <hindsight/detail/dispatch/counts.h>
#include <hindsight/detail/dispatch/outputs.h>

namespace hindsight {

/// Of the n items from `first` on, copies those with pred(in[i]) to `out`, in order, and writes how
/// many they are to *count. `out` may be `first` (on host threads, of items that are trivial to
/// copy and to destroy); else it must not overlap the input.
///   last    the end of the input, or a deferred size
///   count   [1]; not the place of a deferred size
///   Time    n calls of pred; every item is read once, every selected one is written once
///   Memory  CUDA: for the most items that there may be, 32 bytes per tile, none for one tile; a
///           tile is 4 K to 16 K items of up to 8 bytes, fewer of larger ones. Host: as much per
///           tile of 32 KB, and a tile for each thread
///   Order   that of the input
///   Sync    as the policy asks: nothing comes back to the host
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), count(1);
///     hindsight::copy_if_into(hindsight::par_nosync, in.begin(), in.end(), out.begin(),
///         count.begin(), ::cuda::std::identity{});
///     hindsight::inclusive_scan(hindsight::par_nosync, out.begin(),
///         hindsight::deferred{count.begin(), 1000}, out.begin());
template <class D, class S, class InputIt, class Last, class OutputIt, class CountIt, class Pred>
void copy_if_into(const execution_policy<D, S>& policy, InputIt first, Last last, OutputIt out,
                  CountIt count, Pred pred) {
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_select_into(policy, "hindsight::copy_if_into", first, last, out, count,
                                    pred);
}

/// The same, of the items with pred(stencil[i]); stencil [n].
template <class D, class S, class InputIt, class Last, class StencilIt, class OutputIt,
          class CountIt, class Pred>
void copy_if_into(const execution_policy<D, S>& policy, InputIt first, Last last, StencilIt stencil,
                  OutputIt out, CountIt count, Pred pred) {
  detail::dispatch::require_ours<S, InputIt, StencilIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>, detail::item_t<StencilIt>>();
  detail::dispatch::run_select_into(policy, "hindsight::copy_if_into", first, last, out, count,
                                    pred, stencil);
}

/// Of the n items from `first` on, copies the first one of every run of equal neighbours to `out`,
/// in order, and writes the number of runs to *count. `last`, `count`, and whether `out` may be
/// `first`: as for copy_if_into.
///   Time    n calls of equal; every item is read once, every one kept is written once
///   Memory, Order, Sync, Errors  as copy_if_into
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), count(1);
///     hindsight::unique_copy_into(hindsight::par, in.begin(), in.end(), out.begin(),
///         count.begin());  // 1
template <class D, class S, class InputIt, class Last, class OutputIt, class CountIt,
          class Equal = ::cuda::std::equal_to<>>
void unique_copy_into(const execution_policy<D, S>& policy, InputIt first, Last last, OutputIt out,
                      CountIt count, Equal equal = {}) {
  detail::dispatch::require_ours<S, InputIt, OutputIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_unique_into(policy, "hindsight::unique_copy_into", first, last, out, count,
                                    equal);
}

/// For each run of the n items from `first` on: one item and the run's length; *count = the number
/// of runs. The outputs have room for n. Which item of a run is written: as run_length_encode.
/// Nothing may overlap. `last` and `count` as for copy_if_into.
///   Time    n calls of equal, and few more; every item is read once
///   Memory  CUDA: for the most items that there may be, 32 bytes per tile, none for one tile; a
///           tile is at least 2 K items of up to 16 bytes, fewer of larger ones. Host: as much per
///           tile of 32 KB, and for each thread room for the runs of a tile
///   Order, Sync, Errors  as copy_if_into
///   Example
///     thrust::device_vector<int> in(1000, 2), items(1000), lengths(1000), count(1);
///     hindsight::run_length_encode_into(hindsight::par, in.begin(), in.end(), items.begin(),
///         lengths.begin(), count.begin());  // 2; 1000; 1
template <class D, class S, class InputIt, class Last, class UniqueOut, class LengthsOut,
          class CountIt, class Equal = ::cuda::std::equal_to<>>
void run_length_encode_into(const execution_policy<D, S>& policy, InputIt first, Last last,
                            UniqueOut unique_out, LengthsOut lengths_out, CountIt count,
                            Equal equal = {}) {
  detail::dispatch::require_ours<S, InputIt, UniqueOut, LengthsOut>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_encode_into(policy, "hindsight::run_length_encode_into", first, last,
                                    unique_out, lengths_out, count, equal);
}

/// Writes items[0] counts[0] times, then items[1] counts[1] times, and so on, for the n items from
/// `first` on, and the number of outputs to *num_outputs: run_length_encode_into backwards. counts
/// [n]; a negative one counts as 0. `out` may be written over the counts. `last` and `num_outputs`
/// as `last` and `count` of copy_if_into.
///   Time    depends on the number of outputs and of items, not on how many outputs one item has
///   Memory  for the most items that there may be, 8 bytes per item, and 32 bytes for each 4,096
///   Order   that of the items
///   Sync, Errors  as copy_if_into
///   Example
///     thrust::device_vector<int> items = std::vector<int>{7, 8, 9}, out(5), num_outputs(1);
///     thrust::device_vector<int> lengths = std::vector<int>{2, 0, 3};
///     hindsight::run_length_decode_into(hindsight::par, items.begin(), items.end(),
///         lengths.begin(), out.begin(), num_outputs.begin());  // 7, 7, 9, 9, 9; 5
template <class D, class S, class InputIt, class Last, class CountIt, class OutputIt, class NumIt>
void run_length_decode_into(const execution_policy<D, S>& policy, InputIt first, Last last,
                            CountIt counts, OutputIt out, NumIt num_outputs) {
  detail::dispatch::require_ours<S, InputIt, CountIt, OutputIt>();
  detail::dispatch::run_decode_into(policy, "hindsight::run_length_decode_into", first, last,
                                    counts, out, num_outputs);
}

/// Of the n items from `first` on, copies those with pred(in[i]) to out_true and the others to
/// out_false, both in order; *count = how many have pred(in[i]). Nothing may overlap. `last` and
/// `count` as for copy_if_into.
///   Time    n calls of pred; every item is read once and written once
///   Memory  as copy_if_into; host: another tile for each thread
///   Order, Sync, Errors  as copy_if_into
///   Example
///     thrust::device_vector<int> in(1000, 2), yes(1000), no(1000), count(1);
///     hindsight::partition_copy_into(hindsight::par, in.begin(), in.end(), yes.begin(),
///         no.begin(), count.begin(), ::cuda::std::identity{});  // 1000
template <class D, class S, class InputIt, class Last, class TrueIt, class FalseIt, class CountIt,
          class Pred>
void partition_copy_into(const execution_policy<D, S>& policy, InputIt first, Last last,
                         TrueIt out_true, FalseIt out_false, CountIt count, Pred pred) {
  detail::dispatch::require_ours<S, InputIt, TrueIt, FalseIt>();
  detail::dispatch::require_copies<S, detail::item_t<InputIt>>();
  detail::dispatch::run_partition_into(policy, "hindsight::partition_copy_into", first, last,
                                       out_true, out_false, count, pred);
}

/// For each run of the n keys from keys_first on: one key, and the fold of the run's values by
/// `op`, in the input's value type; *count = the number of runs. The outputs have room for n.
/// Nothing may overlap. keys_last and `count` as `last` and `count` for copy_if_into.
///   Time    n calls of op and of equal, and few more; every item is read once
///   Memory  CUDA: for the most keys that there may be, 32 bytes (more for values of more than 8
///           bytes) per tile, none for one tile; a tile is 1 K to 4 K items, if key and value
///           together have up to 32 bytes. Host: as much, and for each thread the keys and twice
///           the values of a tile
///   Order   that of reduce_by_key with a size that the host knows: the same bits
///   Sync    as the policy asks: nothing comes back to the host
///   Errors  the policy's; invalid_call where keys_last comes before keys_first: nothing is
///           launched then
///   Example
///     thrust::device_vector<int> keys(1000, 2), values(1000, 3), out(1000), sums(1000), count(1);
///     hindsight::reduce_by_key_into(hindsight::par, keys.begin(), keys.end(), values.begin(),
///         out.begin(), sums.begin(), count.begin());  // 2; 3000; 1
template <class D, class S, class KeyIt, class Last, class ValueIt, class KeyOut, class ValueOut,
          class CountIt, class Equal = ::cuda::std::equal_to<>,
          class Op = ::cuda::std::plus<detail::dispatch::sum_by_key_t<ValueIt, ValueOut>>>
void reduce_by_key_into(const execution_policy<D, S>& policy, KeyIt keys_first, Last keys_last,
                        ValueIt values_first, KeyOut keys_out, ValueOut values_out, CountIt count,
                        Equal equal = {}, Op op = {}) {
  detail::dispatch::require_ours<S, KeyIt, ValueIt, KeyOut, ValueOut>();
  detail::dispatch::require_copies<S, detail::item_t<KeyIt>, detail::item_t<ValueIt>>();
  detail::dispatch::run_reduce_by_key_into(policy, "hindsight::reduce_by_key_into", keys_first,
                                           keys_last, values_first, keys_out, values_out, count,
                                           equal, op);
}

}  // namespace hindsight
