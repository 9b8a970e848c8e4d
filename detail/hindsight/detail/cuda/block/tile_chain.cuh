// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A board with its tickets: what the host prepares for a look-back launch, and its kernel gets.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/board/tile_board.h>
#include <hindsight/detail/cuda/clear.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>  // HINDSIGHT_LAUNCH_TILES
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/tuning/look_back.h>
#include <hindsight/detail/tuning/order.h>
#include <hindsight/detail/workspace.h>
#include <hindsight/detail/zeroed_memory.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

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
  std::size_t own_tiles;  ///< of more, there is a scout
  launch_state* state = nullptr;
  hand_over hands_over;
  bool starts_early = false;  ///< a kernel empties the board: the launch behind it starts early

  tile_chain(carver& space, std::size_t n, int tile_items, hand_over handing = hand_over::values,
             std::size_t own = own_windows * window_tiles)
      : num_tiles{(n + tile_items - 1) / tile_items}, own_tiles{own}, hands_over{handing} {
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
  HINDSIGHT_HD bool has_scout() const { return num_tiles > own_tiles; }
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
template <class Chain>
HINDSIGHT_DEVICE const Chain& chain_of(const Chain& launched, std::size_t, std::size_t, int) {
  return launched;
}
template <class T, hand_over Most, class CountIt>
HINDSIGHT_DEVICE deferred_chain<T, Most> chain_of(const tile_chain<T, Most>& launched,
                                                  const deferred<CountIt>&, std::size_t n,
                                                  int tile_items) {
  return {launched, n, tile_items};
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
