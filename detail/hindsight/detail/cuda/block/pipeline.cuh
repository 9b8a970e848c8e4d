// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block that stays and takes tile after tile, several at once: they lie in a ring of slots in
// shared memory, each at another stage. Warps have one job each:
//   load   one warp claims a tile by ticket for each free slot; this warp and a second one begin to
//          copy the tile's input
//   mark   (of segments) warps take turns to find in memory what else a tile needs
//   fold   a squad folds a tile as soon as it has arrived and publishes its aggregate
//   carry  one warp folds the aggregates of all tiles, of all blocks, in tile order; or one block
//          does that for all blocks, and the warp waits for the carry that this block publishes
//   write  a squad writes a tile that has its carry, and frees the slot
// So copies never wait for a carry, and look_back.cuh's expression for the carry into a tile is
// evaluated from aggregates alone.
//
// Forward progress: a tile is claimed when its slot is free, and its load and fold wait for nothing
// but its own copies and marks. So every claimed tile publishes. A carry waits for lower tiles,
// which have been claimed; a slot waits for the carry of a tile that is lower than those it will
// hold.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/pipeline_carry.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/tuning/look_back.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Threads of a block whose two squads have `squad_warps` each. (Two or three warps that take turns
/// to find carries are no faster than one, and neither are two squads that take turns to fold.)
HINDSIGHT_HD constexpr int pipeline_threads(int squad_warps, int mark_warps = 0) {
  return (2 * squad_warps + 3 + mark_warps) * warp_lanes;
}

/// How many warps mark: none, if the steps lack this stage.
template <class Step, class = void>
inline constexpr int mark_warps_of = 0;
template <class Step>
inline constexpr int mark_warps_of<Step, std::void_t<decltype(Step::mark_warps)>> =
    Step::mark_warps;

/// A ring of as many slots as fit, up to MaxSlots.
template <class Slot, class T, int MaxSlots>
struct pipeline_storage {
  static constexpr std::size_t fitting =
      pipeline_bytes / (sizeof(Slot) + sizeof(T) + pipeline_slot_extra_bytes);
  static constexpr int num_slots = fitting < MaxSlots ? int(fitting) : MaxSlots;
  static constexpr unsigned fewest_blocks = 1;
  Slot room[num_slots];
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

/// Starts the barriers of the ring. All threads call it.
template <int SquadWarps, int MarkWarps, class Storage>
HINDSIGHT_DEVICE void start_ring(Storage& shared) {
  constexpr int num_slots = Storage::num_slots;
  if (threadIdx.x == 0) {
    for (int s = 0; s < num_slots; ++s) {
      ptx::start_barrier(shared.claimed[s], 1);
      ptx::start_barrier(shared.loaded[s], 2 * warp_lanes + 1 + MarkWarps);
      ptx::start_barrier(shared.folded[s], SquadWarps);
      ptx::start_barrier(shared.carried[s], 1);
      ptx::start_barrier(shared.freed[s], SquadWarps);
    }
  }
  __syncthreads();
}

/// The load warp: claims a tile for each slot that is free, and begins to copy its part of it. A
/// tile behind the last one tells all warps to stop.
///
/// A ticket takes long to come. So one claim is for two tiles if two slots are free, and the next
/// claim is under way while the last tile of the one before is copied.
template <class Step, class Chain, class Storage>
HINDSIGHT_DEVICE void claim_and_load(const Step& step, const Chain& chain, Storage& shared) {
  using turn = ring_turn<Storage::num_slots>;
  const int lane = lane_index();
  const auto is_free = [&](const turn& at) {
    const bool is_over = ptx::is_over(shared.freed[at.slot], at.parity ^ 1);
    return __all_sync(all_lanes, is_over) != 0;
  };
  unsigned ticket = 0;  // lane 0 gets it
  // Claims a tile for this turn, whose slot is free, and one for the next if that is free too.
  const auto begin_claim = [&](turn at) {
    at.advance();
    const int count = is_free(at) ? 2 : 1;
    if (lane == 0) ticket = atomicAdd(&chain.state->tickets, unsigned(count));
    return count;
  };
  std::size_t tile = 0;
  int num_claimed = 0, num_under_way = 0;  // tiles from `tile` on; from `ticket` on
  for (turn at;; at.advance()) {
    if (num_claimed == 0) {
      if (num_under_way == 0) {
        ptx::wait(shared.freed[at.slot], at.parity ^ 1);
        num_under_way = begin_claim(at);
      }
      tile = __shfl_sync(all_lanes, ticket, 0);  // the claim is finished
      num_claimed = num_under_way;
      num_under_way = 0;
    }
    if (num_claimed == 1) {  // the last one
      turn next = at;
      next.advance();
      if (is_free(next)) num_under_way = begin_claim(next);
    }
    if (lane == 0) {
      shared.tiles[at.slot] = tile;
      ptx::arrive(shared.claimed[at.slot]);
      ptx::arrive(shared.loaded[at.slot]);
    }
    if (tile < chain.num_tiles) step.load(tile, shared.room[at.slot], 0);
    ptx::arrive_when_copied(shared.loaded[at.slot]);
    if (tile >= chain.num_tiles) return;
    ++tile;
    --num_claimed;
  }
}

/// The warp beside it: begins to copy the other part of each tile that was claimed.
template <class Step, class Chain, class Storage>
HINDSIGHT_DEVICE void load_claimed(const Step& step, const Chain& chain, Storage& shared) {
  for (ring_turn<Storage::num_slots> at;; at.advance()) {
    ptx::wait(shared.claimed[at.slot], at.parity);
    const std::size_t tile = shared.tiles[at.slot];
    if (tile < chain.num_tiles) step.load(tile, shared.room[at.slot], 1);
    ptx::arrive_when_copied(shared.loaded[at.slot]);
    if (tile >= chain.num_tiles) return;
  }
}

/// One of the warps that mark. They take turns: for a tile that another one marks, this warp only
/// arrives at the barrier.
template <int MarkWarps, class Step, class Chain, class Storage>
HINDSIGHT_DEVICE void mark_claimed(const Step& step, const Chain& chain, Storage& shared, int own) {
  int turn = 0;
  for (ring_turn<Storage::num_slots> at;; at.advance()) {
    ptx::wait(shared.claimed[at.slot], at.parity);
    const std::size_t tile = shared.tiles[at.slot];
    if (turn == own && tile < chain.num_tiles) step.mark(tile, shared.room[at.slot]);
    turn = turn + 1 < MarkWarps ? turn + 1 : 0;
    __syncwarp();  // lane 0 answers for what the others have marked
    if (lane_index() == 0) ptx::arrive(shared.loaded[at.slot]);
    if (tile >= chain.num_tiles) return;
  }
}

/// Runs this block's share of a launch of num_tiles > 1 tiles, until no tile is left.
///   step.load(tile, slot, part)          by two warps: begins to copy, and waits for nothing
///   step.mark(tile, slot)                by a warp, if there are any that mark
///   step.fold(tile, slot)                by the fold squad: publishes the tile's aggregate
///   carries.find(chain, tile, carry)     by a warp
///   step.write(tile, slot, carry, warp)  by the write squad, whose warps count from 0
template <int SquadWarps, class Step, class Chain, class Carries, class Storage>
HINDSIGHT_DEVICE void run_pipeline(const Step& step, const Chain& chain, Carries carries,
                                   Storage& shared) {
  constexpr int load_warp = 2 * SquadWarps, carry_warp = load_warp + 2;
  constexpr int mark_warps = mark_warps_of<Step>;
  const int warp = cuda::shared_warp_index(), lane = lane_index();
  cuda::start_ring<SquadWarps, mark_warps>(shared);
  ptx::wait_for_launch_before();  // it empties the board
  if constexpr (mark_warps > 0) {
    if (warp > carry_warp)
      return cuda::mark_claimed<mark_warps>(step, chain, shared, warp - carry_warp - 1);
  }
  if (warp == load_warp) return cuda::claim_and_load(step, chain, shared);
  if (warp == load_warp + 1) return cuda::load_claimed(step, chain, shared);
  for (ring_turn<Storage::num_slots> at;; at.advance()) {
    ptx::wait(shared.loaded[at.slot], at.parity);
    const std::size_t tile = cuda::shared_by_lanes(static_cast<unsigned>(shared.tiles[at.slot]));
    if (tile >= chain.num_tiles) return;
    auto& slot = shared.room[at.slot];
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
  using ring_type = pipeline_storage<Slot, T, MaxSlots>;
  static constexpr int num_slots = ring_type::num_slots;
  static constexpr unsigned fewest_blocks = 2;  ///< one of them is the scout
  ring_type ring;
  baton<T> running_carry;
  unsigned scouts_before;
};

/// As run_pipeline(), where one block is the scout.
template <class Step, class Op>
HINDSIGHT_DEVICE void run_scouted_pipeline(const Step& step, Op op,
                                           typename Step::storage& shared) {
  constexpr int squad_warps = Step::shape.warps;
  const no_init none;
  const scout_carries<Op, no_init> carries{op, none};
  ptx::wait_for_launch_before();  // it empties the board
  if (carries.template serve<squad_warps>(step.chain, shared.running_carry, shared.scouts_before))
    return;
  cuda::run_pipeline<squad_warps>(step, step.chain, carries, shared.ring);
}

/// How many blocks a pipeline of so many tiles has: one for each multiprocessor, and with a scout
/// two at least; or 0 where it cannot run or does not pay. It does not pay where each block would
/// get few tiles: a kernel with a block for each tile spreads them over more blocks than there are
/// multiprocessors.
template <class Tuning, auto Kernel, class Storage>
cudaError_t pipeline_blocks(std::size_t num_tiles, unsigned& blocks) {
  constexpr auto least_of_block =
      static_cast<std::size_t>(Tuning::pipeline_tiles_per_slot * Storage::num_slots);
  blocks = 0;
  if (num_tiles < ::cuda::std::max<std::size_t>(2, least_of_block)) return cudaSuccess;
  launch_limits limits;
  HINDSIGHT_TRY(limits.ask());
  if (num_tiles < least_of_block * std::size_t(limits.multiprocessors)) return cudaSuccess;
  int architecture = 0;
  HINDSIGHT_TRY(cuda::architecture_of_code<Kernel>(architecture));
  if (architecture < 90 || limits.block_bytes < sizeof(Storage)) return cudaSuccess;
  blocks = ::cuda::std::max(static_cast<unsigned>(limits.multiprocessors), Storage::fewest_blocks);
  return allow_shared_bytes(Kernel, sizeof(Storage));
}

/// Launches a pipeline where it pays; `launched` says whether it did.
///   arguments  of the kernel. The chain may be among them: they are read after it was prepared
template <class Tuning, class Step, auto Kernel, class Chain, class... Arguments>
cudaError_t launch_pipeline(const carver& space, Chain& chain, cudaStream_t stream, bool& launched,
                            const Arguments&... arguments) {
  using storage = typename Step::storage;
  unsigned blocks = 0;
  HINDSIGHT_TRY((cuda::pipeline_blocks<Tuning, Kernel, storage>(chain.num_tiles, blocks)));
  if (blocks == 0) return cudaSuccess;
  HINDSIGHT_TRY(chain.prepare(space, stream));
  launched = true;
  return HINDSIGHT_LAUNCH_NEXT_IF(chain.starts_early, blocks, pipeline_threads(Step::shape.warps),
                                  sizeof(storage), stream, Kernel)(arguments...);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
