// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums first: a scan of wide items in three launches, none of which waits for another tile. The
// first leaves each tile's aggregate, the second turns them into carries, and the third does what
// is left to do. The input is read twice, which is less than what the hand-over of wide values from
// tile to tile costs. Each value is folded in the association of look-back (look_back.cuh): the
// bits are the same.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/future_init.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/tuning/look_back.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What the blocks of a launch do: leave their aggregates and are done, or find their carries.
enum class sums_first { leave_sums, take_carries };

/// In place of a chain.
///   values  [num_tiles] the aggregates, then the carries
template <class T, sums_first Blocks>
struct summed_tiles {
  uninitialized<T>* values;
  std::size_t num_tiles;
};

/// Whether a block of this launch is done when it has published its aggregate.
template <class Chain>
inline constexpr bool only_sums = false;
template <class T>
inline constexpr bool only_sums<summed_tiles<T, sums_first::leave_sums>> = true;

/// No block waits for another one, so a block's own number is its tile.
template <int BlockWarps, class T, sums_first Blocks, class Op, class Init>
HINDSIGHT_DEVICE bool claim_tile(const summed_tiles<T, Blocks>&, Op, Init, chain_storage<T>&,
                                 std::size_t& tile) {
  tile = blockIdx.x;
  return true;
}

template <class T, sums_first Blocks>
HINDSIGHT_DEVICE void publish(const summed_tiles<T, Blocks>& chain, std::size_t tile,
                              const T& aggregate) {
  if constexpr (Blocks == sums_first::leave_sums) chain.values[tile].set(aggregate);
}

/// As the look_back of a chain: shared.carry, for a barrier to follow. What a block does before it
/// takes its carry need not wait for the launch that finds the carries.
template <int BlockWarps, class T, class Op, class Init>
HINDSIGHT_DEVICE void look_back(const summed_tiles<T, sums_first::take_carries>& chain,
                                std::size_t tile, const T&, Op, Init, chain_storage<T>& shared) {
  ptx::wait_for_launch_before();
  if (threadIdx.x > 0 || (tile == 0 && std::is_same_v<Init, no_init>)) return;
  shared.carry.set(chain.values[tile].get());
}

template <class T, int Warps>
struct carries_storage {
  uninitialized<T> windows[Warps];  ///< the fold of each window of this round, then its carry
  uninitialized<T> carry;           ///< into the next round
};

/// windows[w] = the carry into window w of this round, in place of its fold. By one thread; the
/// first window of all has a carry only if there is an initial value.
template <class T, int Warps, class Op, class Init>
HINDSIGHT_DEVICE void carry_through_windows(carries_storage<T, Warps>& shared, bool is_first_round,
                                            Op op, const Init& init) {
  uninitialized<T> carry = shared.carry;  // of no use in the first round
  HINDSIGHT_UNROLL
  for (int w = 0; w < Warps; ++w) {
    const uninitialized<T> fold = shared.windows[w];
    if (is_first_round && w == 0) {
      if constexpr (!std::is_same_v<Init, no_init>) shared.windows[0].set(init);
      carry.set(cuda::prepend(init, fold.get(), op));
    } else {
      shared.windows[w].assign(carry);
      carry.set(op(carry.get(), fold.get()));
    }
  }
  shared.carry.assign(carry);
}

/// values[t] = the carry into tile t, in place of its aggregate, by one block. Its warps take a
/// window of tiles each, then the next ones. Without an initial value, values[0] is no carry.
template <int Warps, class T, class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(Warps* warp_lanes, 1)
void carries_kernel(uninitialized<T>* values, std::size_t num_tiles, Op op, Init caller_init) {
  HINDSIGHT_SHARED(shared, carries_storage<T, Warps>);
  ptx::wait_for_launch_before();
  const auto& init = cuda::initial_value(caller_init);
  const int warp = cuda::shared_warp_index(), lane = lane_index();
  for (std::size_t begin = 0; begin < num_tiles; begin += Warps * window_tiles) {
    const std::size_t tile = begin + threadIdx.x;
    // Beyond the last tile its own aggregate: `op` sees real values only.
    const T fold =
        cuda::warp_inclusive_fold(values[tile < num_tiles ? tile : num_tiles - 1].get(), op);
    if (lane == warp_lanes - 1) shared.windows[warp].set(fold);
    const T left = cuda::shuffle_up(fold, 1);
    __syncthreads();
    if (threadIdx.x == 0) cuda::carry_through_windows(shared, begin == 0, op, init);
    __syncthreads();

    const bool has_carry = !std::is_same_v<Init, no_init> || begin > 0 || warp > 0;
    const uninitialized<T>& carry = shared.windows[warp];
    if (tile < num_tiles) {
      if (lane > 0) {
        values[tile].set(has_carry ? op(carry.get(), left) : left);
      } else if (has_carry) {
        values[tile].set(carry.get());
      }
    }
    __syncthreads();  // all warps have read their windows' carries
  }
}

/// Whether the sums come first: for values whose hand-over takes a fence, and inputs that lie in
/// memory (other iterators would compute their items twice).
template <class T, class Size, class... Its>
inline constexpr bool may_sum_first =
    sums_come_first<T> && !is_deferred<Size> && (std::is_pointer_v<Its> && ...);

/// The three launches, in the memory of a chain that is not used then. `launch(chain, is_next)`
/// launches the tiles.
template <class T, class Op, class Init, class Launch>
cudaError_t scan_sums_first(const tile_chain<T>& chain, Op op, Init init, cudaStream_t stream,
                            Launch launch) {
  static_assert(sizeof(slot<T>) >= sizeof(T) && alignof(slot<T>) >= alignof(T));
  const auto values = static_cast<uninitialized<T>*>(chain.board.room());
  const std::size_t num_tiles = chain.num_tiles;
  HINDSIGHT_TRY(launch(summed_tiles<T, sums_first::leave_sums>{values, num_tiles}, false));
  constexpr auto find_carries = carries_kernel<carries_warps, T, Op, Init>;
  HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(1, carries_warps * warp_lanes, 0, stream, find_carries)(
      values, num_tiles, op, init));
  return launch(summed_tiles<T, sums_first::take_carries>{values, num_tiles}, true);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
