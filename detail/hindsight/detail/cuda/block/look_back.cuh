// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tile learns what lies before it. Kernels call claim_tile(), publish() and look_back(), in
// this order. docs/design.md, section 2, describes the protocol.
//
// 32 tiles form a window. Let C be the carry into a window, and S(i) the fold of the aggregates of
// its tiles 0 to i, in Kogge and Stone's steps. Then the carry into its tile i > 0 is C op S(i -
// 1), and that into the next window is C op S(31). The scout and the tiles themselves evaluate this
// with the same operands in the same association: the bits do not depend on timing.
#pragma once

#include <hindsight/detail/board/baton.h>
#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/board/tile_board.h>
#include <hindsight/detail/cuda/block/tile_chain.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/tuning/look_back.h>
#include <hindsight/detail/tuning/order.h>

#include <cuda/std/functional>
#include <cuda/std/utility>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

static_assert(window_tiles == warp_lanes, "a warp folds a window");

/// In the place of an initial value: there is nothing before tile 0.
struct no_init {};

/// `before op value`, where there may be nothing before.
template <class T, class Op>
HINDSIGHT_DEVICE T prepend(no_init, const T& value, Op) {
  return value;
}
template <class T, class Op>
HINDSIGHT_DEVICE T prepend(const T& before, const T& value, Op op) {
  return op(before, value);
}

/// What look-back needs of a block's shared memory.
template <class T>
struct chain_storage {
  uninitialized<T> carry;
  uninitialized<T> windows[most_own_windows<T>];
  baton<T> running_carry;
  unsigned ticket;
};

/// The scout: a block that owns no tile and publishes the carry of every tile. Its warps take
/// windows in turn, wait for the aggregates of several windows at the same time, and hand the
/// running carry from warp to warp.
///
/// It waits for blocks that may not have started: this is the only wait against ticket order. So a
/// warp gives up if its window is still incomplete `scout_patience` cycles after it began with it;
/// then the tiles walk. All carries of a window are published or none, and the first one of the
/// next window with them. So tiles that walk find the carry with which they begin.
template <int BlockWarps, class T, hand_over Most, class Op, class Init>
HINDSIGHT_DEVICE void scout(const tile_chain<T, Most>& chain, Op op, Init init,
                            baton<T>& running_carry) {
  const tile_board<T>& board = chain.board;
  const std::size_t num_tiles = chain.num_tiles;
  const std::size_t num_windows = (num_tiles + window_tiles - 1) / window_tiles;
  for (std::size_t window = cuda::shared_warp_index(); window < num_windows; window += BlockWarps) {
    const std::size_t tile = window * window_tiles + lane_index();
    const std::size_t watched =
        tile < num_tiles ? tile : num_tiles - 1;  // `op` sees real values only
    uninitialized<T> aggregate;
    bool known = false;
    const long long start = clock64();
    for (;;) {
      if (!known) known = board.peek_aggregate(watched, aggregate.ref());
      if (__all_sync(all_lanes, known)) break;
      const bool late = clock64() - start > scout_patience;
      if (__any_sync(all_lanes, late || running_carry.is_dropped())) {
        running_carry.drop();
        if (lane_index() == 0) atomicExch(&chain.state->scout_gave_up, 1u);
        return;
      }
    }
    T carry = cuda::warp_inclusive_fold(aggregate.get(), op);
    if (window == 0) {
      carry = cuda::prepend(init, carry, op);
    } else {
      uninitialized<T> before;
      if (!__all_sync(all_lanes, running_carry.wait(window, before.ref()))) return;
      carry = op(before.get(), carry);
    }
    chain.order_memory();
    __syncwarp();  // all lanes have read the baton, and know what any of them knows of memory
    if (lane_index() == warp_lanes - 1) running_carry.pass(window + 1, carry);
    chain.order_memory();
    if (tile < num_tiles) board.publish_carry(tile + 1, carry);
  }
}

/// The carry into `tile` by the tile's own walk: the carry into its window, which a lower tile or
/// the scout publishes, op the aggregates of the window before `tile`. Called by one full warp; all
/// lanes return it. Requires tile > 0.
template <class T, hand_over Most, class Op, class Init>
HINDSIGHT_DEVICE T walk(const tile_chain<T, Most>& chain, std::size_t tile, const T& own_aggregate,
                        Op op, Init init) {
  const tile_board<T>& board = chain.board;
  const std::size_t window_begin = tile / window_tiles * window_tiles;
  const int own_lane = static_cast<int>(tile - window_begin);
  T fold = own_aggregate;
  if (lane_index() < own_lane) board.wait_aggregate(window_begin + lane_index(), fold);
  // Nobody uses the folds of lanes above own_lane.
  fold = cuda::warp_inclusive_fold(::cuda::std::as_const(fold), op);

  uninitialized<T> window_carry, after;
  if (window_begin == 0) {
    after.set(cuda::prepend(init, fold, op));
  } else {
    board.wait_carry(window_begin, window_carry.ref());
    after.set(op(window_carry.get(), fold));
  }
  if (own_lane == warp_lanes - 1) {
    chain.order_memory();
    __syncwarp();  // the last lane answers for what the others have waited for
    chain.order_memory();
    if (lane_index() == own_lane) board.publish_carry(tile + 1, after.get());
  }
  return own_lane == 0 ? window_carry.get() : cuda::shuffle_from(after.get(), own_lane - 1);
}

/// Waits for the carry into `tile` that the scout publishes; false if the scout gave up first.
template <class T>
HINDSIGHT_DEVICE bool poll_carry(const tile_board<T>& board, std::size_t tile, T& carry,
                                 launch_state* state) {
  for (unsigned polls = 1;; ++polls) {
    if (board.peek_carry(tile, carry)) return true;
    if (polls % polls_per_check == 0 && atomicAdd(&state->scout_gave_up, 0u) != 0) return false;
  }
}

/// This block's number in the order in which blocks start.
template <class T, hand_over Most>
HINDSIGHT_DEVICE unsigned take_ticket(const tile_chain<T, Most>& chain, chain_storage<T>& shared) {
  ptx::wait_for_launch_before();  // it empties the board
  if (threadIdx.x == 0) {
    shared.ticket = atomicAdd(&chain.state->tickets, 1u);
    shared.running_carry.reset();
  }
  __syncthreads();
  return cuda::shared_by_lanes(shared.ticket);
}

/// Gives the block a tile. False in the block that has been the scout instead: it is done. Tiles
/// are handed out in the order in which blocks start. So every lower tile has an owner that has
/// started, and a block may wait for it whatever the scheduler does.
template <int BlockWarps, class T, hand_over Most, class Op, class Init>
HINDSIGHT_DEVICE bool claim_tile(const tile_chain<T, Most>& chain, Op op, Init init,
                                 chain_storage<T>& shared, std::size_t& tile) {
  tile = 0;
  if (chain.num_tiles < 2) return true;
  tile = cuda::take_ticket(chain, shared);
  if (!chain.has_scout() || tile-- > 0) return true;
  cuda::scout<BlockWarps>(chain, op, init, shared.running_carry);
  return false;
}

/// The same for a launch that may have more blocks than there are tiles: false in those, too.
template <int BlockWarps, class T, hand_over Most, class Op, class Init>
HINDSIGHT_DEVICE bool claim_tile(const deferred_chain<T, Most>& chain, Op op, Init init,
                                 chain_storage<T>& shared, std::size_t& tile) {
  tile = 0;
  if (chain.state == nullptr) return chain.num_tiles > 0;
  tile = cuda::take_ticket(chain, shared);
  if (!chain.has_scout() || tile-- > 0) return tile < chain.num_tiles;
  cuda::scout<BlockWarps>(chain, op, init, shared.running_carry);
  return false;
}

/// Tells the other tiles this one's aggregate. Called by one thread.
template <class T, hand_over Most>
HINDSIGHT_DEVICE void publish(const tile_chain<T, Most>& chain, std::size_t tile,
                              const T& aggregate) {
  if (chain.num_tiles < 2) return;
  chain.order_memory();
  chain.board.publish_aggregate(tile, aggregate);
}

/// shared.carry = the carry into `tile` > 0, from the aggregates of all tiles before it. Called by
/// the whole block; a barrier has to follow.
template <int BlockWarps, class T, class Op, class Init>
HINDSIGHT_DEVICE void fold_windows(const tile_board<T>& board, std::size_t tile, const T& aggregate,
                                   Op op, Init init, chain_storage<T>& shared) {
  const std::size_t num_windows = (tile + window_tiles - 1) / window_tiles;
  for (std::size_t window = cuda::shared_warp_index(); window < num_windows; window += BlockWarps) {
    const std::size_t begin = window * window_tiles;
    const int count = static_cast<int>(::cuda::std::min<std::size_t>(window_tiles, tile - begin));
    T fold = aggregate;  // beyond `count` any will do, but `op` sees real values only
    if (lane_index() < count) board.wait_aggregate(begin + lane_index(), fold);
    fold = cuda::warp_inclusive_fold(::cuda::std::as_const(fold), op);
    if (lane_index() == count - 1) shared.windows[window].set(fold);
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  uninitialized<T> carry;  // in registers: windows are read ahead
  carry.set(cuda::prepend(init, shared.windows[0].get(), op));
  HINDSIGHT_UNROLL_BY(4)
  for (std::size_t window = 1; window < num_windows; ++window)
    carry.set(op(carry.get(), shared.windows[window].get()));
  shared.carry.set(carry.get());
}

/// shared_carry = the carry into `tile` > 0, from the scout, or by walking if the scout gave up.
/// Called by one full warp.
template <class T, hand_over Most, class Op, class Init>
HINDSIGHT_DEVICE void ask_scout(const tile_chain<T, Most>& chain, std::size_t tile,
                                const T& aggregate, Op op, Init init,
                                uninitialized<T>& shared_carry) {
  uninitialized<T> carry;
  bool found = false;
  if (lane_index() == 0) {
    found = cuda::poll_carry(chain.board, tile, carry.ref(), chain.state);
    if (found) shared_carry.set(carry.get());
  }
  if (__any_sync(all_lanes, found)) return;
  carry.set(cuda::walk(chain, tile, aggregate, op, init));
  if (lane_index() == 0) shared_carry.set(carry.get());
}

/// The carry into a tile whose aggregate is published, into shared.carry. Called by the whole block
/// with the same arguments in every thread; a barrier has to follow. Without an initial value there
/// is no carry into tile 0, and nothing is written.
template <int BlockWarps, class T, hand_over Most, class Op, class Init>
HINDSIGHT_DEVICE void look_back(const tile_chain<T, Most>& chain, std::size_t tile,
                                const T& aggregate, Op op, Init init, chain_storage<T>& shared) {
  if (tile == 0) {
    if constexpr (!std::is_same_v<Init, no_init>) {
      if (threadIdx.x == 0) shared.carry.set(init);
    }
  } else if (!chain.has_scout()) {
    cuda::fold_windows<BlockWarps>(chain.board, tile, aggregate, op, init, shared);
  } else if (cuda::shared_warp_index() == 0) {
    cuda::ask_scout(chain, tile, aggregate, op, init, shared.carry);
  }
  chain.order_memory();
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
