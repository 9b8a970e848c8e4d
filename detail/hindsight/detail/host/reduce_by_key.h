// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums by key on threads: each tile folds its runs, and look-back joins the runs that cross tiles.
#pragma once

#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/fold_runs.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/operands.h>
#include <hindsight/detail/host/run_chain.h>
#include <hindsight/detail/host/run_tile.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/by_key.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

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
    Key key = host::copy_at<Key>(keys, i);
    T sum = host::copy_at<T>(values, i);
    for (++i; i < n && continues(i); ++i) {
      auto&& value = host::item_at<T>(values, i);
      sum = op(sum, value);
    }
    keys_out[runs] = key;
    values_out[runs] = sum;
  }
  return runs;
}

/// A team, types that tiles can hand over.
template <int LaneItems, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal,
          class Op>
class runs_of_team {
  using Key = value_of<KeyIt>;
  using T = value_of<ValueIt>;
  static constexpr bool in_any_order = folds_in_any_order<Op, T>;
  /// Whether runs can be written where they belong as soon as they are folded.
  static constexpr bool can_write_at_once =
      !in_any_order && std::is_pointer_v<KeyIt> && std::is_pointer_v<ValueIt> &&
      std::is_same_v<KeyOut, Key*> && std::is_same_v<ValueOut, T*> &&
      std::is_trivially_copyable_v<Key> && std::is_trivially_copy_assignable_v<Key> &&
      std::is_trivially_copy_assignable_v<T>;

 public:
  runs_of_team(KeyIt keys_in, ValueIt values_in, KeyOut keys_out, ValueOut values_out,
               const tiling& tiles, Equal equal, Op op)
      : keys_in_{keys_in},
        values_in_{values_in},
        keys_out_{keys_out},
        values_out_{values_out},
        tiles_{tiles},
        equal_{equal},
        op_{op},
        runs_{tiles, op},
        counts_{tiles, runs_.failure()} {
    if constexpr (can_write_at_once)
      writes_at_once_ = host::are_apart(keys_in, keys_out, tiles.n) &&
                        host::are_apart(keys_in, values_out, tiles.n) &&
                        host::are_apart(values_in, keys_out, tiles.n) &&
                        host::are_apart(values_in, values_out, tiles.n);
  }

  void carve(carver& space) {
    const std::size_t items = tiles_.tile_items;
    runs_.carve(space);
    if (writes_at_once_) counts_.carve(space);
    if (!writes_at_once_) key_rooms_.carve(space, tiles_.num_threads, items + 2);
    value_rooms_.carve(space, tiles_.num_threads, writes_at_once_ ? 1 : items + 2);
    head_rooms_.carve(space, tiles_.num_threads, items);
    if (!in_any_order && std::is_arithmetic_v<T>)
      fold_rooms_.carve(space, tiles_.num_threads, items);
  }

  /// Returns the number of runs.
  std::size_t run() {
    runs_.run([&](std::size_t tile, unsigned rank) {
      if constexpr (can_write_at_once)
        if (writes_at_once_) return write_at_once(tile, rank);
      stage(tile, rank);
    });
    return total_;
  }

 private:
  bool is_last(std::size_t tile) const { return tile + 1 == tiles_.num_tiles; }

  /// Whether the run that is open before the tile ends: at a head, or at the end of the input.
  bool ends_open_run(std::size_t tile, const open_run<T>& mine) const {
    return tile > 0 && (mine.heads > 0 || is_last(tile));
  }

  open_run<T> fold_in_order(std::size_t tile, unsigned rank, std::size_t num_heads, Op& op,
                            run_places<Key, T> to) {
    const std::size_t begin = tiles_.begin(tile), size = tiles_.size(tile);
    const input_end input = !is_last(tile)             ? input_end::in_later_tile
                            : size < tiles_.tile_items ? input_end::within_tile
                                                       : input_end::at_tile_end;
    return host::fold_runs_in_order<LaneItems>(keys_in_ + begin, values_in_ + begin, size,
                                               head_rooms_[rank], num_heads, op, input,
                                               fold_rooms_[rank], to);
  }

  /// Copies the runs of a tile when all lower ones have been folded: the outputs may be the inputs.
  void stage(std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles_.begin(tile), size = tiles_.size(tile);
    Equal equal = equal_;
    Op op = op_;
    const bool first_is_head = host::is_head_at(keys_in_, begin, equal);
    Key* const keys = key_rooms_[rank];
    T* const values = value_rooms_[rank];
    open_run<T> mine;
    if constexpr (in_any_order) {
      mine = host::fold_runs_in_any_order(keys_in_ + begin, values_in_ + begin, size, first_is_head,
                                          equal, op, head_rooms_[rank], keys, values);
    } else {
      bool* const is_head = head_rooms_[rank];
      host::find_heads(keys_in_ + begin, size, first_is_head, equal, is_head);
      const std::size_t num_heads = host::count_flags(is_head, size);
      mine = fold_in_order(tile, rank, num_heads, op, {values, keys + 1, values + 1});
    }
    open_run<T> carry = runs_.carry_into(tile, mine);
    const std::size_t before = tile > 0 ? carry.heads : 0;
    const bool ends_open = ends_open_run(tile, mine);
    if (ends_open)
      host::put(values,
                first_is_head ? host::as_item<T>(carry.value) : T(op(carry.value, values[0])));
    const std::size_t first = ends_open ? 0 : 1, ended = mine.heads + (is_last(tile) ? 1 : 0);
    // Slot j holds run before + j - 1. Keys that are in their places already stay, as in copy_if().
    if (!(before == begin && mine.heads == size && host::is_in_place(keys_in_, keys_out_)))
      std::copy(keys + 1, keys + 1 + mine.heads, keys_out_ + before);
    if (ended > first)
      std::copy(values + first, values + ended, values_out_ + (before + first - 1));
    if (is_last(tile)) total_ = before + mine.heads;
  }

  /// Writes the runs of a tile as they are folded. The tiles before it need only know their heads.
  void write_at_once(std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles_.begin(tile), size = tiles_.size(tile);
    Equal equal = equal_;
    Op op = op_;
    bool* const is_head = head_rooms_[rank];
    const bool first_is_head = host::is_head_at(keys_in_, begin, equal);
    host::find_heads(keys_in_ + begin, size, first_is_head, equal, is_head);
    const std::size_t num_heads = host::count_flags(is_head, size);
    const std::size_t before = counts_.carry_into(tile, num_heads);
    T* const first = value_rooms_[rank];
    const open_run<T> mine =
        fold_in_order(tile, rank, num_heads, op, {first, keys_out_ + before, values_out_ + before});
    T carry = runs_.value_into(tile, mine);
    if (ends_open_run(tile, mine))
      values_out_[before - 1] = first_is_head ? host::as_item<T>(carry) : T(op(carry, *first));
    if (is_last(tile)) total_ = before + mine.heads;
  }

  KeyIt keys_in_;
  ValueIt values_in_;
  KeyOut keys_out_;
  ValueOut values_out_;
  const tiling& tiles_;
  Equal equal_;
  Op op_;
  run_chain<T, Op> runs_;
  count_chain counts_;  // of heads, if the outputs are written at once
  bool writes_at_once_ = false;
  rooms<Key> key_rooms_;
  rooms<T> value_rooms_;
  rooms<bool> head_rooms_;
  rooms<T> fold_rooms_;
  std::size_t total_ = 0;
};

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
  const auto keys_in = host::plain(host::that_copies(keys_first));
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
    const auto own_op = host::keep_operands<T>(op);
    runs_of_team<shape.lane_items, std::remove_const_t<decltype(keys_in)>,
                 std::remove_const_t<decltype(values_in)>, std::remove_const_t<decltype(keys_out)>,
                 std::remove_const_t<decltype(values_out)>, Equal,
                 std::remove_const_t<decltype(own_op)>>
        runs{keys_in, values_in, keys_out, values_out, tiles, equal, own_op};
    const scratch memory{*with.memory, [&](carver& space) { runs.carve(space); }};
    return runs.run();
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
