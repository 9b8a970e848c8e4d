// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread that owns a tile finds what lies before it (docs/design.md, section 2). Threads and
// blocks (cuda/block/look_back.cuh) fold in the same fixed order. 32 tiles form a window. C is the
// carry into its tile 0, and S the inclusive Kogge-Stone scan of its aggregates. The carry into its
// tile i > 0 is op(C, S[i - 1]), and that into the next window is op(C, S[31]). Operands and order
// do not depend on timing. So neither do the bits of a carry, also of floating-point numbers.
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

  const std::size_t lane = tile % window_tiles, window = tile - lane;
  const bool is_last = lane == window_tiles - 1;
  T lanes[window_tiles];
  for (std::size_t i = 0; i < lane; ++i)
    wait([&](T& value) { return board.peek_aggregate(window + i, value); }, lanes[i]);
  if (is_last) {  // the only one that needs two results
    lanes[lane] = aggregate;
    kogge_stone_scan(lanes, int(lane) + 1, op);
  }

  const bool has_start = has_carry(window, first);
  T start = T();
  if (has_start) wait([&](T& value) { return board.peek_carry(window, value); }, start);

  if (is_last)
    board.publish_carry(tile + 1,
                        has_start ? T(op(start, lanes[lane])) : T(std::as_const(lanes[lane])));
  if (lane == 0) return start;
  T& before = is_last ? lanes[lane - 1] : kogge_stone_fold(lanes, lane, op);
  return has_start ? T(op(start, before)) : T(std::as_const(before));
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
