// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries between tiles on threads: a team of threads uses the GPU's board and look-back.
#pragma once

#include <hindsight/detail/board/look_back.h>
#include <hindsight/detail/board/tile_board.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/workspace.h>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Values that tiles can hand to each other. Algorithms over other types run on one thread. So do
/// those over very large items: the look-back keeps a window of them on the stack. A trivially
/// copyable type may have a template that is chosen to move it.
template <class T>
inline constexpr bool can_be_carried =
    std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T>&&
        std::is_trivially_move_constructible_v<T>&& std::is_trivially_move_assignable_v<T> &&
    sizeof(T) <= engine_tuning::most_carried_bytes && alignof(T) <= carver::alignment;

/// Thrown where a tile waits for one that never ends, since an exception ended the call.
struct abandoned_tile {};

/// Hands a carry from tile to tile while threads work on them in the order of their tickets.
template <class T, class Op>
class carry_chain {
 public:
  /// `initial`, if not null, is put before tile 0: then every tile has a carry.
  carry_chain(const tiling& tiles, Op op, const T* initial = nullptr)
      : op_{op}, tiles_{tiles}, initial_{initial}, seen_failure_{&failure_} {}
  /// A further chain of the same tiles: `failure` is that of the chain whose run() works on them.
  carry_chain(const tiling& tiles, Op op, const T* initial, const lowest_failure& failure)
      : op_{op}, tiles_{tiles}, initial_{initial}, seen_failure_{&failure} {}
  carry_chain(const carry_chain&) = delete;
  carry_chain& operator=(const carry_chain&) = delete;

  /// Takes memory for the board.
  void carve(carver& space) {
    carver count{nullptr};
    tile_board<T>{count, tiles_.num_tiles};
    char* const memory = space.take<char>(count.used_bytes());
    if (memory == nullptr) return;
    std::memset(memory, 0, count.used_bytes());  // zero is empty
    carver board{memory};
    board_ = tile_board<T>{board, tiles_.num_tiles};
    if (initial_ != nullptr) board_.publish_carry(0, *initial_);
  }

  bool has_carry(std::size_t tile) const {
    return host::has_carry(tile, initial_ ? before_first::initial : before_first::nothing);
  }

  /// Publishes a tile's aggregate, and returns the fold of all tiles before it, in an order that
  /// depends on the tile's number alone. The result has no meaning unless has_carry(tile).
  T carry_into(std::size_t tile, const T& aggregate) {
    const before_first first = initial_ ? before_first::initial : before_first::nothing;
    const auto wait = [&](auto peek, T& value) { wait_until(tile, peek, value); };
    return host::look_back(board_, tile, aggregate, Op(std::as_const(op_)), first, wait);
  }

  /// Calls f(tile, rank) for all tiles. If one throws, the tiles that wait for its aggregate give
  /// up.
  template <class F>
  void run(F f) {
    host::for_each_tile(tiles_, failure_, [&](std::size_t tile, unsigned rank) {
      try {
        f(tile, rank);
      } catch (const abandoned_tile&) {
        // The caller gets the exception of the tile that failed first.
      }
    });
  }

  /// After run() threw: how many tiles, counted from the first, have ended normally.
  std::size_t num_complete() const { return std::min(failure_.tile(), tiles_.num_tiles); }

  const tile_board<T>& board() const { return board_; }
  const lowest_failure& failure() const { return failure_; }

 protected:
  /// For `tile`: repeats peek(value) until that is true.
  template <class Peek>
  void wait_until(std::size_t tile, Peek peek, T& value) const {
    waiting_thread waiting;
    while (!peek(value)) {
      if (seen_failure_->tile() < tile) throw abandoned_tile{};
      waiting.pause();
    }
  }

 private:
  Op op_;
  tiling tiles_;
  const T* initial_;
  tile_board<T> board_;
  lowest_failure failure_;
  const lowest_failure* seen_failure_;
};

/// A chain whose carry is how many items the tiles before this one write.
class count_chain : public carry_chain<std::size_t, std::plus<>> {
 public:
  explicit count_chain(const tiling& tiles) : carry_chain{tiles, {}, &none} {}
  count_chain(const tiling& tiles, const lowest_failure& failure)
      : carry_chain{tiles, {}, &none, failure} {}

  /// After run() threw: how many items the num_complete() first tiles have written.
  std::size_t num_written() const {
    std::size_t sum = 0;
    for (std::size_t tile = 0, count; tile < num_complete(); ++tile)
      if (board().peek_aggregate(tile, count)) sum += count;
    return sum;
  }

 private:
  static constexpr std::size_t none = 0;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
