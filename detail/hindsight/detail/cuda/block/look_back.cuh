// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tile learns what lies before it (docs/design.md, section 2). 32 tiles form a window. S(w,
// i) is the fold of window w's aggregates up to its tile i, in Kogge and Stone's steps, and C(w) is
// the carry into its tile 0. The carry into its tile i > 0 is C(w) op S(w, i - 1), and that into
// the next window is C(w + 1) = C(w) op S(w, 31). The scout and the tiles themselves evaluate
// this with the same operands in the same association: the bits do not depend on timing.
#pragma once

#include <hindsight/detail/board/baton.h>
#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/board/tile_board.h>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/clear.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/tuning/look_back.h>
#include <hindsight/detail/tuning/order.h>
#include <hindsight/detail/workspace.h>
#include <hindsight/detail/zeroed_memory.h>

#include <cuda/std/functional>
#include <cuda/std/utility>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
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

/// What a carry hands over to a tile.
enum class hand_over {
  values,  ///< itself
  memory   ///< also the memory that lower tiles have read their input from: it may be overwritten
};

/// What a look-back launch shares: the tiles' board and the launch state, in one piece of memory
/// that is zero at the start. A launch of one tile needs neither. `Most` is the most that a launch
/// may hand over: `memory` for algorithms that may run in place. Only their kernels have the code
/// for it.
template <class T, hand_over Most = hand_over::values>
struct tile_chain {
  tile_board<T> board;
  std::size_t num_tiles;
  launch_state* state = nullptr;
  hand_over hands_over;
  bool starts_early = false;  ///< a kernel empties the board: the launch behind it starts early

  tile_chain(carver& space, std::size_t n, int tile_items, hand_over handing = hand_over::values)
      : num_tiles{(n + tile_items - 1) / tile_items}, hands_over{handing} {
    if (num_tiles >= 2) take_memory(space);
  }
  /// Makes the board empty: takes zeroed memory in its place, or clears it. Refuses more tiles than
  /// a launch may have blocks.
  cudaError_t prepare(const carver& space, cudaStream_t stream) {
    if (num_tiles >= max_blocks) return cudaErrorInvalidConfiguration;  // a scout may be one more
    if (state == nullptr || space.is_zero()) return cudaSuccess;
    const auto begin = reinterpret_cast<char*>(state);
    const auto bytes = static_cast<std::size_t>(space.begin() + space.used_bytes() - begin);
    void* zeros = nullptr;
    HINDSIGHT_TRY(detail::take_zeroed_memory(bytes, stream, zeros));
    if (zeros) {
      carver zeroed{zeros};
      take_memory(zeroed);
      return cudaSuccess;
    }
    starts_early = num_tiles >= fewest_cleared_tiles;
    return cuda::clear(begin, bytes, starts_early, stream);
  }
  /// Stands between reads of the board or the input and a write to the board or the output. What
  /// this thread read before has arrived, and for everyone who sees the write, it came earlier.
  /// Board accesses are relaxed: without this they order nothing but themselves.
  HINDSIGHT_DEVICE void order_memory() const {
    if constexpr (Most == hand_over::memory) {
      if (hands_over == hand_over::memory) fence_memory();
    }
  }
  HINDSIGHT_HD bool has_scout() const { return num_tiles > own_windows * window_tiles; }
  unsigned num_blocks() const { return static_cast<unsigned>(num_tiles + has_scout()); }

 private:
  void take_memory(carver& space) {
    state = space.take<launch_state>(1);
    board = tile_board<T>(space, num_tiles);
  }
};

/// The chain of a kernel that has read how many items there are: only the tiles that these need.
template <class T, hand_over Most>
struct deferred_chain : tile_chain<T, Most> {
  HINDSIGHT_DEVICE deferred_chain(const tile_chain<T, Most>& launched, std::size_t n,
                                  int tile_items)
      : tile_chain<T, Most>{launched} {
    this->num_tiles = (n + tile_items - 1) / tile_items;
  }
};

/// The chain of a launch, with as many tiles as its n items need.
template <class T, hand_over Most>
HINDSIGHT_DEVICE const tile_chain<T, Most>& chain_of(const tile_chain<T, Most>& launched,
                                                     std::size_t, std::size_t, int) {
  return launched;
}
template <class T, hand_over Most, class CountIt>
HINDSIGHT_DEVICE deferred_chain<T, Most> chain_of(const tile_chain<T, Most>& launched,
                                                  const deferred<CountIt>&, std::size_t n,
                                                  int tile_items) {
  return {launched, n, tile_items};
}

/// What look-back needs of a block's shared memory.
template <class T>
struct chain_storage {
  uninitialized<T> carry;
  uninitialized<T> windows[own_windows];
  baton<T> scout_carry;
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
    shared.scout_carry.reset();
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
  cuda::scout<BlockWarps>(chain, op, init, shared.scout_carry);
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
  cuda::scout<BlockWarps>(chain, op, init, shared.scout_carry);
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
