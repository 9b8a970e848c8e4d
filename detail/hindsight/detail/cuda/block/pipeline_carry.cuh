// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The carry warp of a pipeline (pipeline.cuh): how it finds what precedes its block's tiles.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/tuning/look_back.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The carries into ascending tiles, by a warp that folds all aggregates in their windows. A launch
/// has fewer than 2^31 tiles.
template <class T, class Op, class Init>
class carry_fold {
 public:
  HINDSIGHT_DEVICE carry_fold(Op op, const Init& init) : op_{op}, init_{init} {}

  /// carry = the fold of what precedes `tile`, if anything does. Requires a higher tile than the
  /// last call's.
  template <class Chain>
  HINDSIGHT_DEVICE void find(const Chain& chain, unsigned tile, uninitialized<T>& carry) {
    const unsigned own_window = tile / window_tiles, own_lane = tile % window_tiles;
    uninitialized<T> result;  // before_ and what lies in the tile's own window before it
    for (; next_window_ * window_tiles < tile; next_window_ += batch) {
      uninitialized<T> folds[batch];
      fold_windows(chain, tile, folds);
      HINDSIGHT_UNROLL
      for (int j = 0; j < batch; ++j) {
        const unsigned window = next_window_ + j;
        const bool is_own = window == own_window;
        const T fold = cuda::shuffle_from(folds[j].get(), is_own ? own_lane - 1 : warp_lanes - 1);
        if (window * window_tiles >= tile) continue;
        result.set(window == 0 ? cuda::prepend(init_, fold, op_) : op_(before_.get(), fold));
        if (!is_own) before_.set(result.get());
      }
    }
    next_window_ = own_window;
    if (lane_index() > 0) return;
    if (tile > 0) {
      carry.set(own_lane > 0 ? result.get() : before_.get());
    } else if constexpr (!std::is_same_v<Init, no_init>) {
      carry.set(init_);
    }
  }

 private:
  static constexpr int batch = carry_windows;

  /// Folds windows from next_window_ on, as far as they lie before `tile`. What lanes beyond hold
  /// means nothing, but `op` sees real values only.
  template <class Chain>
  HINDSIGHT_DEVICE void fold_windows(const Chain& chain, unsigned tile,
                                     uninitialized<T> (&folds)[batch]) const {
    bool known[batch] = {}, all_known;
    do {
      all_known = true;
      HINDSIGHT_UNROLL
      for (int j = 0; j < batch; ++j) {
        const unsigned watched = (next_window_ + j) * window_tiles + lane_index();
        if (!known[j]) {
          known[j] =
              chain.board.peek_aggregate(watched < tile ? watched : tile - 1, folds[j].ref());
        }
        all_known = all_known && known[j];
      }
    } while (!__all_sync(all_lanes, all_known));
    HINDSIGHT_UNROLL
    for (int j = 0; j < batch; ++j) folds[j].set(cuda::warp_inclusive_fold(folds[j].get(), op_));
  }

  Op op_;
  const Init& init_;
  unsigned next_window_ = 0;  ///< before_ is the fold of all tiles before it, and of init_
  uninitialized<T> before_;
};

/// The same of counts, whose sum is exact in any order. The board's counts are of one tile each, so
/// 32 bits are enough for them.
class count_fold {
 public:
  template <class Chain>
  HINDSIGHT_DEVICE void find(const Chain& chain, std::size_t tile,
                             uninitialized<std::uint64_t>& carry) {
    while (next_tile_ < tile) {
      std::uint32_t counts[rows] = {};
      bool known[rows] = {}, all_known;
      do {
        all_known = true;
        HINDSIGHT_UNROLL
        for (int j = 0; j < rows; ++j) {
          const std::size_t watched = next_tile_ + j * warp_lanes + lane_index();
          known[j] = known[j] || watched >= tile || chain.board.peek_aggregate(watched, counts[j]);
          all_known = all_known && known[j];
        }
      } while (!__all_sync(all_lanes, all_known));
      std::uint32_t sum = 0;
      HINDSIGHT_UNROLL
      for (int j = 0; j < rows; ++j) sum += counts[j];
      before_ += __reduce_add_sync(all_lanes, sum);
      next_tile_ = ::cuda::std::min<std::size_t>(next_tile_ + rows * warp_lanes, tile);
    }
    if (lane_index() == 0) carry.set(before_);
  }

 private:
  static constexpr int rows = count_rows;
  std::size_t next_tile_ = 0;
  std::uint64_t before_ = 0;
};

/// Carries from the scout, for operators that are too much work for one warp of each block. The
/// first block that asks is the scout, and owns no tiles.
template <class Op, class Init>
class scout_carries {
 public:
  HINDSIGHT_DEVICE scout_carries(Op op, const Init& init) : op_{op}, init_{init} {}

  /// Whether this block was the scout: then it is done. Called by the whole block.
  template <int ScoutWarps, class T, hand_over Most>
  HINDSIGHT_DEVICE bool serve(const tile_chain<T, Most>& chain, baton<T>& running_carry,
                              unsigned& scouts_before) const {
    if (threadIdx.x == 0) {
      scouts_before = atomicAdd(&chain.state->scouts, 1u);
      running_carry.reset();
    }
    __syncthreads();
    if (cuda::shared_by_lanes(scouts_before) > 0) return false;
    if (cuda::shared_warp_index() < ScoutWarps)
      cuda::scout<ScoutWarps>(chain, op_, init_, running_carry);
    return true;
  }

  template <class T, hand_over Most>
  HINDSIGHT_DEVICE void find(const tile_chain<T, Most>& chain, std::size_t tile,
                             uninitialized<T>& carry) const {
    if (tile == 0) {
      if constexpr (!std::is_same_v<Init, no_init>) {
        if (lane_index() == 0) carry.set(init_);
      }
      return;
    }
    bool found = false;
    uninitialized<T> value;
    if (lane_index() == 0) found = cuda::poll_carry(chain.board, tile, value.ref(), chain.state);
    if (!__any_sync(all_lanes, found)) {
      uninitialized<T> own;
      chain.board.wait_aggregate(tile, own.ref());
      value.set(cuda::walk(chain, tile, own.get(), op_, init_));
    }
    if (lane_index() == 0) carry.set(value.get());
  }

 private:
  Op op_;
  const Init& init_;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
