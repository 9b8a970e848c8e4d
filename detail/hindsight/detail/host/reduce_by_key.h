// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums by key on threads: each tile folds its runs, and look-back joins the runs that cross tiles.
#pragma once

#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/operands.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/segment_fold.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/by_key.h>

#include <cstddef>
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

/// fold_runs() where heads are known, in the CUDA kernel's order. In it, the end of the input
/// closes a run, as a head would, if the end lies within the tile.
///   is_head  [n]
///   fold_to_head(begin, end)  folds the run of items [begin, end)
template <class Tile, class FoldToHead, class KeyIt, class Key, class T>
open_run<T> fold_marked_runs(Tile& tile, FoldToHead fold_to_head, KeyIt keys_in, std::size_t n,
                             const bool* is_head, input_end input, Key* keys, T* values) {
  std::size_t heads = 0, begin = 0;
  head_cursor cursor{is_head, n};
  for (std::size_t head = cursor.next(); head < n; head = cursor.next()) {
    if (head > 0) host::put(values + heads, fold_to_head(begin, head));
    ++heads;
    host::put(keys + heads, keys_in[head]);
    begin = head;
  }
  const T open = tile.fold(begin, n);
  switch (input) {
    case input_end::in_later_tile:
      host::put(values + heads, open);
      break;
    case input_end::within_tile:
      host::put(values + heads, tile.fold_to_head(begin, n));
      break;
    case input_end::at_tile_end:
      host::put(values + heads, tile.fold_to_item(begin, n));
      break;
  }
  return {heads, open};
}

/// fold_runs() in the CUDA kernel's order.
///   is_head, folds  [n] scratch memory; folds only for numbers
template <int LaneItems, class KeyIt, class ValueIt, class Key, class T, class Equal, class Op>
open_run<T> fold_runs_in_order(KeyIt keys_in, ValueIt values_in, std::size_t n, bool first_is_head,
                               Equal equal, Op op, input_end input, bool* is_head, T* folds,
                               Key* keys, T* values) {
  host::find_heads(keys_in, n, first_is_head, equal, is_head);
  if constexpr (std::is_arithmetic_v<T>) {
    if (host::count_heads(is_head, n) > n / engine_tuning::short_segment) {
      using items = marked_lane_items<T, LaneItems, ValueIt, Op>;
      tile_of_lanes<T, LaneItems, items, Op> tile{{values_in, n, is_head, folds, op}, op};
      host::finish_folds<LaneItems>(n, is_head, folds, [&](std::size_t begin, std::size_t end) {
        return tile.fold_to_head(begin, end);
      });
      const auto to_head = [folds](std::size_t, std::size_t end) { return folds[end - 1]; };
      return host::fold_marked_runs(tile, to_head, keys_in, n, is_head, input, keys, values);
    }
  }
  using items = lane_items_of<T, LaneItems, ValueIt, Op>;
  tile_of_lanes<T, LaneItems, items, Op> tile{{values_in, op}, op};
  const auto to_head = [&](std::size_t begin, std::size_t end) {
    return tile.fold_to_head(begin, end);
  };
  return host::fold_marked_runs(tile, to_head, keys_in, n, is_head, input, keys, values);
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
  if (host::count_heads(is_head, asked) > asked / engine_tuning::short_run)
    return host::fold_runs(keys_in, values_in, n, first_is_head, equal, op, keys, values);
  host::find_heads(keys_in, n, first_is_head, equal, is_head);
  const runs_in_any_order<T, ValueIt, Op> runs{{values_in}, op};
  const auto to_head = [&](std::size_t begin, std::size_t end) { return runs.fold(begin, end); };
  return host::fold_marked_runs(runs, to_head, keys_in, n, is_head, input_end::in_later_tile, keys,
                                values);
}

/// One thread, any types.
template <class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal, class Op>
std::size_t reduce_by_key_alone(KeyIt keys, ValueIt values, KeyOut keys_out, ValueOut values_out,
                                std::size_t n, Equal equal, Op op) {
  using Key = value_of<KeyIt>;
  using T = value_of<ValueIt>;
  const auto continues = [&](std::size_t i) {
    auto&& left = host::item_at<Key>(keys, i - 1);
    auto&& right = host::item_at<Key>(keys, i);
    return bool(equal(left, right));
  };
  std::size_t runs = 0;
  for (std::size_t i = 0; i < n; ++runs) {
    Key key = static_cast<Key>(keys[i]);
    T sum = static_cast<T>(values[i]);
    for (++i; i < n && continues(i); ++i) {
      auto&& value = host::item_at<T>(values, i);
      sum = op(sum, value);
    }
    keys_out[runs] = key;
    values_out[runs] = sum;
  }
  return runs;
}

/// Writes the runs that fold_runs() left in slots: the keys of all heads, and the values of slots
/// [first, ended), whose runs have ended. `before` runs begin before the tile, and slot j holds run
/// before + j - 1.
template <class Key, class T, class KeyOut, class ValueOut>
void store_runs(const Key* keys, const T* values, std::size_t heads, std::size_t first,
                std::size_t ended, std::size_t before, KeyOut keys_out, ValueOut values_out) {
  std::copy(keys + 1, keys + 1 + heads, keys_out + before);
  if (ended > first) std::copy(values + first, values + ended, values_out + (before + first - 1));
}

/// A team, types that tiles can hand over.
template <int LaneItems, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal,
          class Op>
std::size_t reduce_by_key_in_tiles(KeyIt keys_in, ValueIt values_in, KeyOut keys_out,
                                   ValueOut values_out, const tiling& tiles, Equal equal, Op op,
                                   memory_source& source) {
  using Key = value_of<KeyIt>;
  using T = value_of<ValueIt>;
  constexpr bool in_any_order = folds_in_any_order<Op, T>;
  carry_chain<open_run<T>, join_runs<Op>> runs{tiles, {op}};
  rooms<Key> key_rooms;
  rooms<T> value_rooms;
  rooms<bool> head_rooms;
  rooms<T> fold_rooms;
  const scratch memory{source, [&](carver& space) {
                         runs.carve(space);
                         key_rooms.carve(space, tiles.num_threads, tiles.tile_items + 2);
                         value_rooms.carve(space, tiles.num_threads, tiles.tile_items + 2);
                         head_rooms.carve(space, tiles.num_threads, tiles.tile_items);
                         if (!in_any_order && std::is_arithmetic_v<T>)
                           fold_rooms.carve(space, tiles.num_threads, tiles.tile_items);
                       }};
  std::size_t total = 0;
  runs.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    Equal own_equal = equal;
    Op own_op = op;
    const bool first_is_head = host::is_head_at(keys_in, begin, own_equal);
    const bool is_last_tile = tile + 1 == tiles.num_tiles;
    const input_end input = !is_last_tile             ? input_end::in_later_tile
                            : size < tiles.tile_items ? input_end::within_tile
                                                      : input_end::at_tile_end;
    Key* const keys = key_rooms[rank];
    T* const values = value_rooms[rank];
    open_run<T> mine;
    if constexpr (in_any_order) {
      mine = host::fold_runs_in_any_order(keys_in + begin, values_in + begin, size, first_is_head,
                                          own_equal, own_op, head_rooms[rank], keys, values);
    } else {
      mine = host::fold_runs_in_order<LaneItems>(keys_in + begin, values_in + begin, size,
                                                 first_is_head, own_equal, own_op, input,
                                                 head_rooms[rank], fold_rooms[rank], keys, values);
    }
    open_run<T> carry = runs.carry_into(tile, mine);
    if (tile > 0)
      host::put(values, first_is_head ? carry.value : T(own_op(carry.value, values[0])));
    const std::size_t before = tile > 0 ? carry.heads : 0;
    // No run is open before the first tile. A tile's last run may go on, unless the input ends.
    const std::size_t first = tile > 0 ? 0 : 1;
    const std::size_t ended = mine.heads + (is_last_tile ? 1 : 0);
    host::store_runs(keys, values, mine.heads, first, ended, before, keys_out, values_out);
    if (is_last_tile) total = before + mine.heads;
  });
  return total;
}

/// For each run of equal neighbours in keys[0, n): its first key and the fold of its values;
/// returns the number of runs. The accumulator is the value type of `values`.
///   Order  depends on n, the types and the runs alone, and is that of the CUDA engine
template <class Tuning = void, class KeyIt, class ValueIt, class KeyOut, class ValueOut,
          class Equal, class Op>
std::size_t reduce_by_key(KeyIt keys_first, ValueIt values_first, KeyOut keys_out_first,
                          ValueOut values_out_first, std::size_t n, Equal equal, Op op,
                          resources with = {}) {
  using Key = value_of<KeyIt>;
  using T = value_of<ValueIt>;
  if (n == 0) return 0;
  const auto keys_in = host::plain(keys_first);
  const auto values_in = host::plain(values_first);
  const auto keys_out = host::plain(keys_out_first);
  const auto values_out = host::plain(values_out_first);
  if constexpr (!is_cheap<Key> || !can_be_carried<T>) {
    return host::reduce_by_key_alone(keys_in, values_in, keys_out, values_out, n, equal,
                                     host::keep_operands<T>(op));
  } else {
    constexpr tile_shape shape = tuning_or<Tuning, reduce_by_key_tuning<Key, T>>::shape;
    const tiling tiles = host::tiles_of(n, sizeof(Key) + sizeof(T), folds_in_any_order<Op, T>,
                                        shape, with.cut_for<KeyOut, ValueOut>());
    return host::reduce_by_key_in_tiles<shape.lane_items>(keys_in, values_in, keys_out, values_out,
                                                          tiles, equal, host::keep_operands<T>(op),
                                                          *with.memory);
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
