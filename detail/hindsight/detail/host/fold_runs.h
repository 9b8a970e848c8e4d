// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the runs of a tile, each into its place.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/reduce.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/segment_fold.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <cuda/std/bit>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Folds the runs of one tile into slots: slot 0 gets the items before the first head, slot j the
/// run of the j-th head. keys, values [n + 2]. `first_is_head` says whether item 0 is a head.
template <class KeyIt, class ValueIt, class Key, class T, class Equal, class Op>
open_run<T> fold_runs(KeyIt keys_in, ValueIt values_in, std::size_t n, bool first_is_head,
                      Equal equal, Op op, Key* keys, T* values) {
  first_item start;
  std::size_t heads = first_is_head;
  T sum = static_cast<T>(values_in[0]);
  host::put(keys + heads, keys_in[0]);
  host::put(values + heads, sum);
  for (std::size_t i = 1; i < n; ++i) {
    auto&& left = host::item_at<Key>(keys_in, i - 1);
    auto&& right = host::item_at<Key>(keys_in, i);
    const bool head = !bool(equal(left, right));
    host::put(keys + heads + 1, right);  // stays only if this is a head
    heads += head;
    T value = static_cast<T>(values_in[i]);
    sum = host::fold_or_start(sum, value, head, op, start);
    host::put(values + heads, sum);
  }
  return {heads, sum};
}

/// Where the input ends.
enum class input_end { in_later_tile, within_tile, at_tile_end };

/// Where the runs of a tile go: that of head j to keys[j] and values[j], the items before the first
/// head to *first.
template <class Key, class T>
struct run_places {
  T* first;
  Key* keys;
  T* values;
};

/// fold_runs() where heads are known, in the CUDA kernel's order. In it, the end of the input
/// closes a run, as a head would, if the end lies within the tile. A run that goes on in a later
/// tile has no place.
///   is_head  [n]
///   fold_to_head(begin, end)  folds the run of items [begin, end)
// Out of line it has the registers for itself.
template <class Tile, class FoldToHead, class KeyIt, class Key, class T>
HINDSIGHT_OUT_OF_LINE open_run<T> fold_marked_runs(Tile& tile, FoldToHead fold_to_head,
                                                   KeyIt keys_in, std::size_t n,
                                                   const bool* is_head, input_end input,
                                                   run_places<Key, T> to) {
  std::size_t begin = 0, heads = 0;
  T* value = to.first;
  for (std::size_t first = 0; first < n; first += flags_at_once)
    for (std::uint64_t bits = host::load_flag_bits(is_head, first, n); bits; bits &= bits - 1) {
      const std::size_t head = first + std::size_t(::cuda::std::countr_zero(bits));
      if (head > 0) host::put(value, fold_to_head(begin, head));
      host::put(to.keys + heads, keys_in[head]);
      value = to.values + heads++;
      begin = head;
    }
  const T open = tile.fold(begin, n);
  if (input == input_end::within_tile) host::put(value, tile.fold_to_head(begin, n));
  if (input == input_end::at_tile_end) host::put(value, tile.fold_to_item(begin, n));
  return {heads, open};
}

/// fold_marked_runs() of a tile of lanes.
///   num_heads  how many of is_head are set
///   folds      [n] scratch memory, only for numbers
template <int LaneItems, class KeyIt, class ValueIt, class Key, class T, class Op>
open_run<T> fold_runs_in_order(KeyIt keys_in, ValueIt values_in, std::size_t n, const bool* is_head,
                               std::size_t num_heads, Op op, input_end input, T* folds,
                               run_places<Key, T> to) {
  if constexpr (std::is_arithmetic_v<T>) {
    if (num_heads > n / engine_tuning::short_segment) {
      using items = marked_lane_items<T, LaneItems, ValueIt, Op>;
      tile_of_lanes<T, LaneItems, items, Op> tile{{values_in, n, is_head, folds, op}, op};
      host::finish_folds<LaneItems>(n, is_head, folds, [&](std::size_t begin, std::size_t end) {
        return tile.fold_to_head(begin, end);
      });
      const auto to_head = [folds](std::size_t, std::size_t end) { return folds[end - 1]; };
      return host::fold_marked_runs(tile, to_head, keys_in, n, is_head, input, to);
    }
  }
  using items = lane_items_of<T, LaneItems, ValueIt, Op>;
  tile_of_lanes<T, LaneItems, items, Op> tile{{values_in, op}, op};
  const auto to_head = [&](std::size_t begin, std::size_t end) {
    return tile.fold_to_head(begin, end);
  };
  return host::fold_marked_runs(tile, to_head, keys_in, n, is_head, input, to);
}

/// Folds of runs for operators that may take items in any order.
template <class T, class ValueIt, class Op>
struct runs_in_any_order {
  items_of<T, ValueIt> items;
  Op& op;
  T fold(std::size_t begin, std::size_t end) const {
    return host::fold<T>(items_of<T, ValueIt>{items.in + begin}, end - begin, op);
  }
  T fold_to_head(std::size_t begin, std::size_t end) const { return fold(begin, end); }
  T fold_to_item(std::size_t begin, std::size_t end) const { return fold(begin, end); }
};

/// fold_runs() for such operators: item by item where runs are short, as far as the first keys
/// tell, else run by run.
///   is_head  [n] scratch memory
template <class KeyIt, class ValueIt, class Key, class T, class Equal, class Op>
open_run<T> fold_runs_in_any_order(KeyIt keys_in, ValueIt values_in, std::size_t n,
                                   bool first_is_head, Equal equal, Op op, bool* is_head, Key* keys,
                                   T* values) {
  const std::size_t asked = std::min(n, engine_tuning::keys_asked_for_runs);
  host::find_heads(keys_in, asked, first_is_head, equal, is_head);
  if (host::count_flags(is_head, asked) > asked / engine_tuning::short_run)
    return host::fold_runs(keys_in, values_in, n, first_is_head, equal, op, keys, values);
  host::find_heads(keys_in, n, first_is_head, equal, is_head);
  const runs_in_any_order<T, ValueIt, Op> runs{{values_in}, op};
  const auto to_head = [&](std::size_t begin, std::size_t end) { return runs.fold(begin, end); };
  const run_places<Key, T> to{values, keys + 1, values + 1};
  const open_run<T> open =
      host::fold_marked_runs(runs, to_head, keys_in, n, is_head, input_end::in_later_tile, to);
  host::put(values + open.heads, open.value);
  return open;
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
