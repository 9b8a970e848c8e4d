// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by key on threads, in the order of the CUDA kernel.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/operands.h>
#include <hindsight/detail/host/run_chain.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scan_tile.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/by_key.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// How a run starts: with an initial value before its first item.
template <class T, class Op>
struct initial_value {
  T init;
  Op op;
  template <class Item>
  T operator()(Item& item) {
    return op(init, item);
  }
};

/// Writes the scan by run of n items. `before` is the fold of the run that is open before them.
/// Reads an item and its key before it writes: `out` may be the keys or the values.
template <emits Emits, class T, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op,
          class Start>
void scan_runs(KeyIt keys, ValueIt values, OutputIt out, std::size_t n, bool first_is_head,
               T before, Equal equal, Op op, Start start) {
  using Key = value_of<KeyIt>;
  Key key = host::copy_at<Key>(keys, 0);
  bool head = first_is_head;
  for (std::size_t i = 0;;) {
    T item = host::copy_at<T>(values, i);
    if constexpr (Emits == emits::before_item) {
      T sum = host::choose(head, start.init, before);
      before = op(sum, item);
      out[i] = sum;
    } else {
      before = host::fold_or_start(before, item, head, op, start);
      out[i] = before;
    }
    if (++i == n) return;
    Key next_key = host::copy_at<Key>(keys, i);
    head = !bool(equal(key, next_key));
    key = std::move(next_key);
  }
}

/// Folds the last run of a tile, or the whole tile if no run begins there, in any order.
template <class T, class KeyIt, class ValueIt, class Equal, class Op, class Start>
open_run<T> last_run(KeyIt keys, ValueIt values, std::size_t n, bool first_is_head, Equal equal,
                     Op op, Start start) {
  std::size_t begin = n - 1;
  while (begin > 0 && !host::is_head_at(keys, begin, equal)) --begin;
  const bool has_head = begin > 0 || first_is_head;
  const auto items = [&](std::size_t i) { return static_cast<T>(values[begin + i]); };
  T fold = host::fold<T>(items, n - begin, op);
  return {has_head, has_head ? T(start(fold)) : fold};
}

/// The scan by key of several threads, or in the CUDA kernel's order.
template <emits Emits, class T, int LaneItems, class KeyIt, class ValueIt, class OutputIt,
          class Equal, class Op, class Start>
void scan_by_key_in_tiles(KeyIt keys, ValueIt values, OutputIt out, const tiling& tiles,
                          Equal equal, Op op, const Start& start, memory_source& source) {
  constexpr bool in_any_order = folds_in_any_order<Op, T>;
  run_chain<T, Op> runs{tiles, op};
  run_tile_rooms<T, LaneItems> room;
  bool* tile_heads = nullptr;  // known before any tile writes: out may be the keys
  const scratch memory{source, [&](carver& space) {
                         runs.carve(space);
                         tile_heads = space.take<bool>(tiles.num_tiles);
                         if (!in_any_order) room.carve(space, tiles);
                       }};
  for (std::size_t tile = 0; tile < tiles.num_tiles; ++tile)
    tile_heads[tile] = host::is_head_at(keys, tiles.begin(tile), equal);

  runs.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    const bool first_is_head = tile_heads[tile];
    Equal own_equal = std::as_const(equal);
    Start own_start = start;
    if constexpr (in_any_order) {
      (void)rank;
      const open_run<T> mine = host::last_run<T>(keys + begin, values + begin, size, first_is_head,
                                                 own_equal, op, own_start);
      host::scan_runs<Emits, T>(keys + begin, values + begin, out + begin, size, first_is_head,
                                runs.value_into(tile, mine), own_equal, op, own_start);
    } else {
      host::find_heads(keys + begin, size, first_is_head, own_equal, room.heads[rank]);
      run_tile<T, LaneItems, Op> items{size, room, rank, op};
      T carry = runs.value_into(tile, items.template fold<Emits>(values + begin, own_start));
      items.template scan<Emits>(out + begin, tile > 0 ? std::addressof(carry) : nullptr);
    }
  });
}

template <emits Emits, class T, class Tuning, class KeyIt, class ValueIt, class OutputIt,
          class Equal, class Op, class Start>
void scan_by_key(KeyIt keys_first, ValueIt values_first, OutputIt out_first, std::size_t n,
                 Equal equal, Op op, const Start& start, resources with) {
  using Key = value_of<KeyIt>;
  if (n == 0) return;
  const auto keys = host::plain(host::that_copies(keys_first));
  const auto values = host::plain(values_first);
  const auto out = host::plain(out_first);
  constexpr bool in_any_order = folds_in_any_order<Op, T>;
  const tiling tiles =
      tiles_of(n, sizeof(Key) + sizeof(T), in_any_order, Tuning::shape, with.cut_for<OutputIt>());
  if constexpr (can_be_carried<T>) {
    if (!in_any_order || tiles.num_threads > 1) {
      host::scan_by_key_in_tiles<Emits, T, Tuning::shape.lane_items>(
          keys, values, out, tiles, equal, op, start, *with.memory);
      return;
    }
  }
  constexpr bool first_is_head = true;  // so what precedes has no meaning
  host::scan_runs<Emits, T>(keys, values, out, n, first_is_head,
                            host::copy_at<T>(host::that_copies(values_first), 0), equal, op, start);
}

/// out[i] = the fold of values[0, n) from the last head up to i; the accumulator is their value
/// type. `out` may be `values` or the keys.
///   Order  depends on n, the types and the runs alone, and is that of the CUDA engine
template <class Tuning = void, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op>
void inclusive_scan_by_key(KeyIt keys, ValueIt values, OutputIt out, std::size_t n, Equal equal,
                           Op op, resources with = {}) {
  using T = value_of<ValueIt>;
  using tuning = tuning_or<Tuning, scan_by_key_tuning<value_of<KeyIt>, T>>;
  host::scan_by_key<emits::with_item, T, tuning>(keys, values, out, n, equal,
                                                 host::keep_operands<T>(op), first_item{}, with);
}

/// out[i] = init op the values from the last head up to item i - 1. The accumulator is T.
template <class Tuning = void, class KeyIt, class ValueIt, class OutputIt, class T, class Equal,
          class Op>
void exclusive_scan_by_key(KeyIt keys, ValueIt values, OutputIt out, std::size_t n, Equal equal,
                           Op op, T init, resources with = {}) {
  using tuning = tuning_or<Tuning, scan_by_key_tuning<value_of<KeyIt>, T>>;
  const auto fold = host::keep_operands<T>(op);
  host::scan_by_key<emits::before_item, T, tuning>(
      keys, values, out, n, equal, fold, initial_value<T, std::decay_t<decltype(fold)>>{init, fold},
      with);
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
