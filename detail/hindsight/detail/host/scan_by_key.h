// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/relay.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scan_tile.h>
#include <hindsight/detail/tuning/by_key.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::host {

/// How a run starts: with an initial value before its first item.
template <class T, class Op>
struct initial_value {
  T init;
  mutable Op op;
  T operator()(const T& item) const { return op(init, item); }
};

/// Writes the scan by run of items [begin, end), before which `before` is the fold of the open run.
/// Reads before it writes, since `out` may be `values`.
template <emits Emits, class T, class ValueIt, class OutputIt, class Op, class Start>
T scan_runs(ValueIt values, OutputIt out, const bool* heads, std::size_t begin, std::size_t end,
            const T& before, Op op, const Start& start) {
  T next = before, own_fold{};
  bool begun = false;
  for (std::size_t i = begin; i < end; ++i) {
    const T item = T(values[i]);
    if constexpr (Emits == emits::before_item) out[i] = heads[i] ? start.init : next;
    if constexpr (folds_own_first<T>) {
      begun |= heads[i];
      own_fold = i > begin  ? fold_or_start(own_fold, item, heads[i], op, start)
                 : heads[i] ? T(start(item))
                            : item;
      next = begun ? own_fold : T(op(before, own_fold));
    } else {
      next = fold_or_start(next, item, heads[i], op, start);
    }
    if constexpr (Emits == emits::with_item) out[i] = next;
  }
  return next;
}

/// One thread, any types. A key is read before the item at its place is written.
template <emits Emits, class T, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op,
          class Start>
void scan_by_key_alone(KeyIt keys, ValueIt values, OutputIt out, std::size_t n, Equal equal, Op op,
                       const Start& start) {
  value_of<KeyIt> key = keys[0];
  T before = T(values[0]);
  for (std::size_t i = 0; i < n; ++i) {
    const value_of<KeyIt> next_key = keys[i];
    const bool head = i == 0 || !equal(key, next_key);
    before = scan_runs<Emits, T>(values + i, out + i, &head, 0, 1, before, op, start);
    key = next_key;
  }
}

template <emits Emits, class T, class Tuning, class KeyIt, class ValueIt, class OutputIt,
          class Equal, class Op, class Start>
void scan_by_key(KeyIt keys_first, ValueIt values_first, OutputIt out_first, std::size_t n,
                 Equal equal, Op op, const Start& start, cut wanted) {
  using Key = value_of<KeyIt>;
  if (n == 0) return;
  const auto keys = host::plain(keys_first);
  const auto values = host::plain(values_first);
  const auto out = host::plain(out_first);
  if constexpr (!can_relay<T>) {
    scan_by_key_alone<Emits, T>(keys, values, out, n, equal, op, start);
  } else {
    constexpr bool in_any_order = folds_in_any_order<Op, T>;
    constexpr std::size_t lane_items = Tuning::shape.lane_items;
    const tiling tiles = tiles_of(n, sizeof(Key) + sizeof(T), in_any_order, Tuning::shape, wanted);
    relay<open_run<T>, join_runs<Op>> runs{tiles, {op}};
    const auto begins_with_head = scratch<bool>(tiles.num_tiles);  // out may be the keys
    for (std::size_t tile = 0; tile < tiles.num_tiles; ++tile) {
      const std::size_t begin = tiles.begin(tile);
      begins_with_head[tile] = tile == 0 || !equal(keys[begin - 1], keys[begin]);
    }
    runs.run(tiles, [&](std::size_t tile) {
      const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
      const auto heads = scratch<bool>(size);
      find_heads(keys + begin, size, begins_with_head[tile], equal, heads.get());
      run_tile<T, Op> items{size, in_any_order ? size : lane_items, heads.get(), op};
      const open_run<T> carry = runs.pass(tile, items.fold(values + begin, start));
      for (std::size_t lane = 0; lane < items.num_lanes(); ++lane) {
        open_run<T> before = carry;
        if (lane > 0)
          before = tile > 0 ? join_runs<Op>{op}(carry, items.before(lane)) : items.before(lane);
        scan_runs<Emits, T>(values + begin, out + begin, heads.get(), items.begin(lane),
                            items.end(lane), before.value, op, start);
      }
    });
  }
}

/// out[i] = the fold of values[0, n) from the last head up to i; the accumulator is their value
/// type. `out` may be `values` or the keys.
///   Order  depends on n, the types and the runs alone, and is that of the CUDA engine
template <class Tuning = void, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op>
void inclusive_scan_by_key(KeyIt keys, ValueIt values, OutputIt out, std::size_t n, Equal equal,
                           Op op, cut wanted = {}) {
  using T = value_of<ValueIt>;
  using tuning = tuning_or<Tuning, scan_by_key_tuning<value_of<KeyIt>, T>>;
  scan_by_key<emits::with_item, T, tuning>(keys, values, out, n, equal, op, first_item{}, wanted);
}

/// The same before each item, from `init` on, whose type is the accumulator.
template <class Tuning = void, class KeyIt, class ValueIt, class OutputIt, class T, class Equal,
          class Op>
void exclusive_scan_by_key(KeyIt keys, ValueIt values, OutputIt out, std::size_t n, Equal equal,
                           Op op, T init, cut wanted = {}) {
  using tuning = tuning_or<Tuning, scan_by_key_tuning<value_of<KeyIt>, T>>;
  scan_by_key<emits::before_item, T, tuning>(keys, values, out, n, equal, op,
                                             initial_value<T, Op>{init, op}, wanted);
}

}  // namespace hindsight::detail::host
