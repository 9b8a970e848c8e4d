// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/relay.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scan_tile.h>
#include <hindsight/detail/tuning/by_key.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {

/// How a run starts: with an initial value before its first item.
template <class T, class Op>
struct initial_value {
  T init;
  mutable Op op;
  T operator()(const T& item) const { return op(init, item); }
};

/// Writes the scan by run of n items, before which `before` is the fold of the open run. Reads an
/// item and its key before it writes: `out` may be either.
template <emits Emits, class T, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op,
          class Start>
void scan_runs(KeyIt keys, ValueIt values, OutputIt out, std::size_t n, bool first_is_head,
               T before, Equal& equal, Op op, const Start& start) {
  value_of<KeyIt> key = keys[0];
  bool head = first_is_head;
  for (std::size_t i = 0;;) {
    const T item = T(values[i]);
    if constexpr (Emits == emits::before_item) {
      const T sum = choose(head, start.init, before);
      before = op(sum, item);
      out[i] = sum;
    } else {
      out[i] = before = fold_or_start(before, item, head, op, start);
    }
    if (++i == n) return;
    value_of<KeyIt> next_key = keys[i];
    head = !equal(key, next_key);
    key = std::move(next_key);
  }
}

/// The last run of a tile, or all of it if none begins there, in any order.
template <class T, class KeyIt, class ValueIt, class Equal, class Op, class Start>
open_run<T> last_run(KeyIt keys, ValueIt values, std::size_t n, bool first_is_head, Equal& equal,
                     Op op, const Start& start) {
  std::size_t begin = n - 1;
  while (begin > 0 && equal(keys[begin - 1], keys[begin])) --begin;
  const bool begun = begin > 0 || first_is_head;
  const auto to_accumulator = [](const auto& item) { return T(item); };
  const T fold = host::fold<T>(values + begin, n - begin, to_accumulator, op);
  return {begun, begun ? T(start(fold)) : fold};
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
  constexpr bool in_any_order = folds_in_any_order<Op, T>;
  const tiling tiles = tiles_of(n, sizeof(Key) + sizeof(T), in_any_order, Tuning::shape, wanted);
  if (!can_relay<T> || (in_any_order && tiles.num_threads == 1)) {
    scan_runs<Emits, T>(keys, values, out, n, true, T(values[0]), equal, op, start);
    return;
  }
  if constexpr (can_relay<T>) {
    relay<open_run<T>, join_runs<Op>> runs{tiles, {op}};
    const auto begins_with_head = scratch<bool>(tiles.num_tiles);  // out may be the keys
    for (std::size_t tile = 0; tile < tiles.num_tiles; ++tile) {
      const std::size_t begin = tiles.begin(tile);
      begins_with_head[tile] = tile == 0 || !equal(keys[begin - 1], keys[begin]);
    }
    runs.run(tiles, [&](std::size_t tile) {
      const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
      const bool first_is_head = begins_with_head[tile];
      if constexpr (in_any_order) {
        const open_run<T> carry = runs.pass(
            tile, last_run<T>(keys + begin, values + begin, size, first_is_head, equal, op, start));
        scan_runs<Emits, T>(keys + begin, values + begin, out + begin, size, first_is_head,
                            carry.value, equal, op, start);
      } else {
        const auto heads = scratch<bool>(size);
        find_heads(keys + begin, size, first_is_head, equal, heads.get());
        run_tile<T, Tuning::shape.lane_items, Op> items{size, heads.get(), op};
        const open_run<T> carry =
            runs.pass(tile, items.template fold<Emits>(values + begin, start));
        const T* const scanned = items.template scan<Emits>(tile > 0 ? &carry : nullptr);
        std::copy(scanned, scanned + size, out + begin);
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
