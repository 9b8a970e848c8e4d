// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block that stays and takes tile after tile, several at once: they lie in a ring of slots in
// shared memory, each at another stage. Warps have one job each:
//   load   one warp claims a tile by ticket for each free slot, and it and another one begin to
//          copy its input
//   fold   a squad folds a tile as soon as it has arrived and publishes its aggregate
//   carry  one warp folds the aggregates of all tiles, of all blocks, in tile order; or one block
//          does that for all, and the warp waits for its word
//   write  a squad writes a tile that has its carry, and frees the slot
// So copies never wait for a carry, and look_back.cuh's expression for the carry into a tile is
// evaluated from aggregates alone.
//
// Forward progress: a tile is claimed when its slot is free, and its load and fold wait for nothing
// but its own copies. So every claimed tile is published. A carry waits for lower tiles, which have
// been claimed; a slot waits for the carry of a tile that is lower than those it will hold.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/tuning/look_back.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {

/// Warps of a block whose two squads have `squad_warps` each. (Two or three warps that take turns
/// to find carries are no faster than one, and neither are two squads that take turns to fold.)
HINDSIGHT_HD constexpr int pipeline_warps(int squad_warps) {
  return 2 * squad_warps + 3;
}

/// A ring of as many slots as fit, up to MaxSlots.
template <class Slot, class T, int MaxSlots>
struct pipeline_storage {
  static constexpr std::size_t fitting = pipeline_bytes / (sizeof(Slot) + sizeof(T) + 72);
  static constexpr int num_slots = fitting < MaxSlots ? int(fitting) : MaxSlots;
  Slot slots[num_slots];
  uninitialized<T> carries[num_slots];
  std::size_t tiles[num_slots];
  ptx::barrier claimed[num_slots], loaded[num_slots], folded[num_slots], carried[num_slots],
      freed[num_slots];
};

/// The slot of a warp's next tile, and the parity of the phase that its barriers are in.
template <int NumSlots>
struct ring_turn {
  int slot = 0;
  unsigned parity = 0;
  HINDSIGHT_DEVICE void advance() {
    if (++slot < NumSlots) return;
    slot = 0;
    parity ^= 1;
  }
};

/// The carries into ascending tiles, by a warp that folds all aggregates in their windows. A launch
/// has fewer than 2^31 tiles.
template <class T, class Op, class Init>
class carry_fold {
 public:
  HINDSIGHT_DEVICE carry_fold(Op op, const Init& init) : op_{op}, init_{init} {}

  /// carry = what precedes `tile`, which is higher than the last call's, if anything does.
  template <class Chain>
  HINDSIGHT_DEVICE void find(const Chain& chain, unsigned tile, uninitialized<T>& carry) {
    const unsigned own_window = tile / window_tiles, own_lane = tile % window_tiles;
    uninitialized<T> result;  // before_ and what lies in the tile's own window before it
    for (; next_window_ * window_tiles < tile; next_window_ += abreast) {
      uninitialized<T> folds[abreast];
      fold_windows(chain, tile, folds);
      HINDSIGHT_UNROLL
      for (int j = 0; j < abreast; ++j) {
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
  static constexpr int abreast = carry_windows;

  /// Folds windows from next_window_ on, as far as they lie before `tile`; beyond, lanes hold
  /// nothing of meaning, but `op` sees real values only.
  template <class Chain>
  HINDSIGHT_DEVICE void fold_windows(const Chain& chain, unsigned tile,
                                     uninitialized<T> (&folds)[abreast]) const {
    bool known[abreast] = {}, all_known;
    do {
      all_known = true;
      HINDSIGHT_UNROLL
      for (int j = 0; j < abreast; ++j) {
        const unsigned watched = (next_window_ + j) * window_tiles + lane_index();
        if (!known[j]) {
          known[j] =
              chain.board.peek_aggregate(watched < tile ? watched : tile - 1, folds[j].get());
        }
        all_known = all_known && known[j];
      }
    } while (!__all_sync(all_lanes, all_known));
    HINDSIGHT_UNROLL
    for (int j = 0; j < abreast; ++j) folds[j].set(cuda::warp_inclusive_fold(folds[j].get(), op_));
  }

  Op op_;
  const Init& init_;
  unsigned next_window_ = 0;  ///< before_ is the fold of all tiles before it, and of init_
  uninitialized<T> before_;
};

/// The same of counts, whose sum is exact in any order: the board's are of one tile each.
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

/// Carries from the scout: the block that asks first to be it owns no tiles. For operators that
/// are heavy for one warp of each block.
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
    if (scouts_before > 0) return false;
    if (warp_index() < ScoutWarps) cuda::scout<ScoutWarps>(chain, op_, init_, running_carry);
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
    if (lane_index() == 0) found = cuda::poll_carry(chain.board, tile, value.get(), chain.state);
    if (!__any_sync(all_lanes, found)) {
      uninitialized<T> own;
      chain.board.wait_aggregate(tile, own.get());
      value.set(cuda::walk(chain, tile, own.get(), op_, init_));
    }
    if (lane_index() == 0) carry.set(value.get());
  }

 private:
  Op op_;
  const Init& init_;
};

/// Runs this block's share of a launch of num_tiles > 1 tiles, until no tile is left.
///   step.load(tile, slot, part)          by two warps: begins to copy, and waits for nothing
///   step.fold(tile, slot)                by the fold squad: publishes the tile's aggregate
///   carries.find(chain, tile, carry)     by a warp
///   step.write(tile, slot, carry, warp)  by the write squad, whose warps count from 0
template <int SquadWarps, class Step, class Chain, class Carries, class Storage>
HINDSIGHT_DEVICE void run_pipeline(const Step& step, const Chain& chain, Carries carries,
                                   Storage& shared) {
  constexpr int num_slots = Storage::num_slots;
  constexpr int load_warp = 2 * SquadWarps, carry_warp = load_warp + 2;
  const int warp = warp_index(), lane = lane_index();
  if (threadIdx.x == 0) {
    for (int s = 0; s < num_slots; ++s) {
      ptx::start_barrier(shared.claimed[s], 1);
      ptx::start_barrier(shared.loaded[s], 2 * warp_lanes + 1);
      ptx::start_barrier(shared.folded[s], SquadWarps);
      ptx::start_barrier(shared.carried[s], 1);
      ptx::start_barrier(shared.freed[s], SquadWarps);
    }
  }
  __syncthreads();

  if (warp == load_warp) {
    const auto is_free = [&](const ring_turn<num_slots>& turn) {
      const bool is_over = ptx::is_over(shared.freed[turn.slot], turn.parity ^ 1);
      return __all_sync(all_lanes, is_over) != 0;
    };
    // Claims a tile for this turn, whose slot is free, and one for the next if that is free too.
    unsigned ticket = 0;
    const auto claim = [&](ring_turn<num_slots> turn) {
      turn.advance();
      const int count = is_free(turn) ? 2 : 1;
      if (lane == 0) ticket = atomicAdd(&chain.state->tickets, unsigned(count));
      return count;
    };
    std::size_t tile = 0;
    int left = 0, next = 0;  // tiles that are claimed: with this ticket, with the next
    for (ring_turn<num_slots> at;; at.advance()) {
      if (left == 0) {
        if (next == 0) {
          ptx::wait(shared.freed[at.slot], at.parity ^ 1);
          next = claim(at);
        }
        tile = __shfl_sync(all_lanes, ticket, 0);
        left = next;
        next = 0;
      }
      if (left == 1) {  // the next ticket is on its way while this tile is copied
        ring_turn<num_slots> turn = at;
        turn.advance();
        if (is_free(turn)) next = claim(turn);
      }
      if (lane == 0) {
        shared.tiles[at.slot] = tile;
        ptx::arrive(shared.claimed[at.slot]);
        ptx::arrive(shared.loaded[at.slot]);
      }
      if (tile < chain.num_tiles) step.load(tile, shared.slots[at.slot], 0);
      ptx::arrive_when_copied(shared.loaded[at.slot]);
      if (tile >= chain.num_tiles) return;
      ++tile;
      --left;
    }
  }
  if (warp == load_warp + 1) {
    for (ring_turn<num_slots> at;; at.advance()) {
      ptx::wait(shared.claimed[at.slot], at.parity);
      const std::size_t tile = shared.tiles[at.slot];
      if (tile < chain.num_tiles) step.load(tile, shared.slots[at.slot], 1);
      ptx::arrive_when_copied(shared.loaded[at.slot]);
      if (tile >= chain.num_tiles) return;
    }
  }
  for (ring_turn<num_slots> at;; at.advance()) {
    ptx::wait(shared.loaded[at.slot], at.parity);
    const std::size_t tile = shared.tiles[at.slot];
    if (tile >= chain.num_tiles) return;
    auto& slot = shared.slots[at.slot];
    auto& carry = shared.carries[at.slot];
    if (warp < SquadWarps) {
      step.fold(tile, slot);
      __syncwarp();
      if (lane == 0) ptx::arrive(shared.folded[at.slot]);
    } else if (warp == carry_warp) {
      carries.find(chain, tile, carry);
      chain.order_memory();  // for the write squad too: the barrier hands on what is known here
      __syncwarp();          // lane 0 answers for what the others have waited for
      if (lane == 0) ptx::arrive(shared.carried[at.slot]);
    } else {
      ptx::wait(shared.folded[at.slot], at.parity);
      ptx::wait(shared.carried[at.slot], at.parity);
      step.write(tile, slot, carry, warp - SquadWarps);
      __syncwarp();
      if (lane == 0) ptx::arrive(shared.freed[at.slot]);
    }
  }
}

/// Shared memory of a pipeline with a scout.
template <class Slot, class T, int MaxSlots>
struct scouted_storage {
  pipeline_storage<Slot, T, MaxSlots> ring;
  baton<T> scout_carry;
  unsigned scouts_before;
};

/// The same where one block is the scout.
template <class Step, class Op>
HINDSIGHT_DEVICE void run_scouted_pipeline(const Step& step, Op op,
                                           typename Step::storage& shared) {
  constexpr int squad_warps = Step::shape.warps;
  const no_init none;
  const scout_carries<Op, no_init> carries{op, none};
  if (carries.template serve<squad_warps>(step.chain, shared.scout_carry, shared.scouts_before))
    return;
  cuda::run_pipeline<squad_warps>(step, step.chain, carries, shared.ring);
}

/// How many blocks a pipeline of so many tiles has, or 0 where it does not pay, with fewer than
/// `least_of_block` of them for each block, or cannot run: few tiles are spread over more blocks
/// than there are multiprocessors by kernels of a tile a block.
template <auto Kernel, class Storage>
cudaError_t pipeline_blocks(std::size_t num_tiles, std::size_t least_of_block, unsigned& blocks) {
  blocks = 0;
  if (num_tiles < 2 || num_tiles < least_of_block) return cudaSuccess;
  launch_limits limits;
  HINDSIGHT_TRY(limits.ask());
  if (num_tiles < least_of_block * std::size_t(limits.multiprocessors)) return cudaSuccess;
  int architecture = 0;
  HINDSIGHT_TRY(cuda::architecture_of_code<Kernel>(architecture));
  if (architecture < 90 || limits.block_bytes < sizeof(Storage)) return cudaSuccess;
  blocks = static_cast<unsigned>(limits.multiprocessors);
  return allow_shared_bytes(Kernel, sizeof(Storage));
}

}  // namespace hindsight::detail::cuda
