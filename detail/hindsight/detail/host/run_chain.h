// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands the run that is open at the end of a tile to the next tiles.
#pragma once

#include <hindsight/detail/board/look_back.h>
#include <hindsight/detail/board/tile_board.h>
#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/run_tile.h>

#include <cstddef>
#include <memory>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

template <class T, class Op>
class run_chain : public carry_chain<open_run<T>, join_runs<Op>> {
  using chain = carry_chain<open_run<T>, join_runs<Op>>;

 public:
  run_chain(const tiling& tiles, const Op& op) : chain{tiles, {op}}, op_{op} {}

  /// The value of carry_into(), which folds the same operands in the same order. It looks back no
  /// further than to the last tile in which a run begins. Each tile has to call the same one of the
  /// two functions. The result has no meaning for tile 0.
  T value_into(std::size_t tile, const open_run<T>& aggregate) {
    const tile_board<open_run<T>>& board = this->board();
    board.publish_aggregate(tile, aggregate);
    const std::size_t lane = tile % window_tiles, window = tile - lane;
    T lanes[window_tiles];
    open_run<T> run;
    std::size_t first = lane;
    while (first > 0 && run.heads == 0) {
      --first;
      const auto peek = [&](auto& value) { return board.peek_aggregate(window + first, value); };
      this->wait_until(tile, peek, run);
      host::put(lanes + first, run.value);
    }
    const bool has_start = run.heads == 0 && window > 0;
    if (has_start) {
      const auto peek = [&](auto& value) { return board.peek_carry(window, value); };
      this->wait_until(tile, peek, run);
    }
    T* const start = has_start ? std::addressof(run.value) : nullptr;
    if (lane == window_tiles - 1) publish_next(tile, lanes, first, aggregate, start);
    return fold(start, lanes + first, lane - first);
  }

 private:
  /// As the last tile of a window, of which values of tiles [first, tile) are in lanes.
  void publish_next(std::size_t tile, const T* lanes, std::size_t first,
                    const open_run<T>& aggregate, T* start) {
    if (aggregate.heads > 0) return this->board().publish_carry(tile + 1, aggregate);
    T all[window_tiles];
    for (std::size_t i = first; i < window_tiles - 1; ++i) host::put(all + i, lanes[i]);
    host::put(all + window_tiles - 1, aggregate.value);
    const T value = fold(start, all + first, window_tiles - first);
    this->board().publish_carry(tile + 1, {0, value});
  }

  /// Folds *start, if there is one, and lanes[0, count), which is overwritten.
  T fold(T* start, T* lanes, std::size_t count) const {
    Op op = op_;
    if (count == 0) return start ? host::as_item<T>(*start) : T();
    T& last = host::kogge_stone_fold(lanes, count, op);
    return start ? T(op(*start, last)) : host::as_item<T>(last);
  }

  Op op_;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
