// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/relay.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/tuning/by_key.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace hindsight::detail::host {

/// Folds the runs of one tile into slots: slot 0 what comes before the first head, slot j the run
/// of head j. Keys and values have room for n + 2. `first_is_head` says whether item 0 is a head.
template <class KeyIt, class ValueIt, class Key, class T, class Equal, class Op>
open_run<T> fold_runs(KeyIt keys_in, ValueIt values_in, std::size_t n, bool first_is_head,
                      Equal equal, Op op, Key* keys, T* values) {
  std::size_t heads = first_is_head;
  T sum = T(values_in[0]);
  keys[heads] = keys_in[0];
  values[heads] = sum;
  for (std::size_t i = 1; i < n; ++i) {
    const bool head = !equal(keys_in[i - 1], keys_in[i]);
    keys[heads + 1] = keys_in[i];  // stays only if this is a head
    heads += head;
    sum = fold_or_start(sum, T(values_in[i]), head, op, first_item{});
    values[heads] = sum;
  }
  return {heads, sum};
}

/// The same in the CUDA kernel's order.
template <int LaneItems, class KeyIt, class ValueIt, class Key, class T, class Equal, class Op>
open_run<T> fold_runs_in_order(KeyIt keys_in, ValueIt values_in, std::size_t n, bool first_is_head,
                               Equal equal, Op op, Key* keys, T* values) {
  const auto is_head = scratch<bool>(n);
  find_heads(keys_in, n, first_is_head, equal, is_head.get());
  run_tile<T, LaneItems, Op> tile{n, is_head.get(), op};
  const open_run<T> whole = tile.template fold<emits::with_item>(values_in, first_item{});
  const T* const scanned = tile.template scan<emits::with_item>(nullptr);
  std::size_t heads = 0;
  for (std::size_t lane = 0; lane < tile.num_lanes(); ++lane) {
    if (lane > 0) values[heads] = tile.before(lane).value;  // stays if a run begins with the lane
    for (std::size_t i = tile.begin(lane); i < tile.end(lane); ++i) {
      keys[heads + 1] = keys_in[i];  // stays only if this is a head
      heads += is_head[i];
      values[heads] = scanned[i];
    }
  }
  return whole;
}

/// One thread, any types.
template <class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal, class Op>
std::size_t reduce_by_key_alone(KeyIt keys, ValueIt values, KeyOut keys_out, ValueOut values_out,
                                std::size_t n, Equal equal, Op op) {
  std::size_t runs = 0;
  for (std::size_t i = 0; i < n; ++runs) {
    value_of<KeyIt> key = keys[i];
    value_of<ValueIt> sum = values[i];
    for (++i; i < n && equal(keys[i - 1], keys[i]); ++i) {
      const value_of<ValueIt>& value = values[i];
      sum = op(sum, value);
    }
    keys_out[runs] = key;
    values_out[runs] = sum;
  }
  return runs;
}

/// For each run of equal neighbours in keys[0, n): its first key and the fold of its values;
/// returns the number of runs. The accumulator is the value type of `values`.
///   Order  depends on n, the types and the runs alone, and is that of the CUDA engine
template <class Tuning = void, class KeyIt, class ValueIt, class KeyOut, class ValueOut,
          class Equal, class Op>
std::size_t reduce_by_key(KeyIt keys_first, ValueIt values_first, KeyOut keys_out_first,
                          ValueOut values_out_first, std::size_t n, Equal equal, Op op,
                          cut wanted = {}) {
  using Key = value_of<KeyIt>;
  using T = value_of<ValueIt>;
  constexpr bool in_any_order = folds_in_any_order<Op, T>;
  constexpr tile_shape shape = tuning_or<Tuning, reduce_by_key_tuning<Key, T>>::shape;
  if (n == 0) return 0;
  const auto keys_in = host::plain(keys_first);
  const auto values_in = host::plain(values_first);
  const auto keys_out = host::plain(keys_out_first);
  const auto values_out = host::plain(values_out_first);
  if constexpr (!is_cheap<Key> || !can_relay<T>) {
    return reduce_by_key_alone(keys_in, values_in, keys_out, values_out, n, equal, op);
  } else {
    const tiling tiles = tiles_of(n, sizeof(Key) + sizeof(T), in_any_order, shape, wanted);
    relay<open_run<T>, join_runs<Op>> runs{tiles, {op}};
    std::size_t total = 0;
    runs.run(tiles, [&](std::size_t tile) {
      const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
      const bool first_is_head = begin == 0 || !equal(keys_in[begin - 1], keys_in[begin]);
      const auto keys = scratch<Key>(size + 2);
      const auto values = scratch<T>(size + 2);
      open_run<T> mine;
      if constexpr (in_any_order) {
        mine = fold_runs(keys_in + begin, values_in + begin, size, first_is_head, equal, op,
                         keys.get(), values.get());
      } else {
        mine = fold_runs_in_order<shape.lane_items>(keys_in + begin, values_in + begin, size,
                                                    first_is_head, equal, op, keys.get(),
                                                    values.get());
      }
      const open_run<T> carry = runs.pass(tile, mine);
      const std::size_t before = tile > 0 ? carry.heads : 0;
      if (tile > 0) values[0] = first_is_head ? carry.value : T(op(carry.value, values[0]));

      // Slot j is run before + j - 1. Values are known once the run has ended.
      const std::size_t first = tile > 0 ? 0 : 1;
      const bool last_tile = tile + 1 == tiles.num_tiles;
      const std::size_t ended = mine.heads + (last_tile ? 1 : 0);
      std::copy(keys.get() + 1, keys.get() + 1 + mine.heads, keys_out + before);
      if (ended > first)
        std::copy(values.get() + first, values.get() + ended, values_out + (before + first - 1));
      if (last_tile) total = before + mine.heads;
    });
    return total;
  }
}

}  // namespace hindsight::detail::host
