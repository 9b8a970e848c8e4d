// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread that owns a tile finds what lies before it. docs/design.md, section 2, describes the
// protocol. Threads fold in the same order as blocks do (cuda/block/look_back.cuh), so carries have
// the same bits.
#pragma once

#include <hindsight/detail/board/tile_board.h>
#include <hindsight/detail/config.h>
#include <hindsight/detail/tuning/order.h>

#include <cstddef>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

inline constexpr std::size_t window_tiles = detail::window_tiles;

/// What lies before tile 0: nothing, or an initial value, which is published as carry[0] before the
/// first tile starts.
enum class before_first { nothing, initial };

constexpr bool has_carry(std::size_t tile, before_first first) {
  return tile > 0 || first == before_first::initial;
}

/// Inclusive Kogge-Stone scan in place, in the association of 32 lanes that shuffle by 1, 2, 4, 8
/// and 16. Items behind an item do not change its result.
template <class T, class Op>
void kogge_stone_scan(T* items, int count, Op op) {
  for (int step = 1; step < count; step *= 2)
    for (int i = count - 1; i >= step; --i) items[i] = op(items[i - step], items[i]);
}

/// What kogge_stone_scan() leaves in items[count - 1], with count - 1 calls of op; overwrites
/// items. It is made of pairs of neighbours, pairs of pairs, and so on, counted from the last item
/// on.
template <class T, class Op>
T& kogge_stone_fold(T* items, std::size_t count, Op& op) {
  while (count > 1) {
    const std::size_t unpaired = count % 2;
    count = count / 2 + unpaired;
    for (std::size_t k = unpaired; k < count; ++k)
      items[k] = op(items[2 * k - unpaired], items[2 * k + 1 - unpaired]);
  }
  return items[0];
}

/// For one thread that owns `tile`: publishes its aggregate, returns its carry, and as the last of
/// its window publishes the carry of the next. The result means nothing unless has_carry(tile).
/// `wait(peek, value)` repeats peek(value) until that is true; it may give up by throwing.
template <class T, class Op, class Wait>
T look_back(const tile_board<T>& board, std::size_t tile, const T& aggregate, Op op,
            before_first first, Wait wait) {
  board.publish_aggregate(tile, aggregate);

  const std::size_t place = tile % window_tiles, window_begin = tile - place;
  const bool is_last = place == window_tiles - 1;
  T folds[window_tiles];  // first the aggregates of the window
  for (std::size_t i = 0; i < place; ++i)
    wait([&](T& value) { return board.peek_aggregate(window_begin + i, value); }, folds[i]);
  if (is_last) {  // the only one that needs two folds: of the tiles before it, and of all
    folds[place] = aggregate;
    kogge_stone_scan(folds, int(place) + 1, op);
  }

  const bool has_window_carry = has_carry(window_begin, first);
  T window_carry = T();
  if (has_window_carry)
    wait([&](T& value) { return board.peek_carry(window_begin, value); }, window_carry);

  const auto behind_window_carry = [&](T& fold) {
    return has_window_carry ? T(op(window_carry, fold)) : T(std::as_const(fold));
  };
  if (is_last) board.publish_carry(tile + 1, behind_window_carry(folds[place]));
  if (place == 0) return window_carry;
  return behind_window_carry(is_last ? folds[place - 1] : kogge_stone_fold(folds, place, op));
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
