// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several phases in one launch: what a block of a later phase waits for.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/ptx.cuh>

#include <cuda/atomic>

namespace hindsight::detail {

/// Work in phases of `pieces` pieces each. One counter hands out the pieces of all phases, in
/// order. A block does its pieces in order, and a piece waits for earlier phases only: their pieces
/// were taken earlier, by blocks that have started. So the work ends, however few blocks run at
/// once.
class phased_work {
 public:
  struct counters {  ///< zero at the start; apart, since many wait for the second one
    alignas(128) unsigned tickets;
    alignas(128) unsigned finished;
  };
  HINDSIGHT_DEVICE phased_work(counters* shared, unsigned pieces)
      : shared_{shared}, pieces_{pieces} {}

  /// The next piece: piece ticket % pieces of phase ticket / pieces.
  HINDSIGHT_DEVICE unsigned take() const {
    return counter{shared_->tickets}.fetch_add(1, ::cuda::memory_order_relaxed);
  }
  /// Says that pieces are done. The threads that did them have met the caller at a barrier.
  HINDSIGHT_DEVICE void finish(unsigned pieces = 1) const {
    counter{shared_->finished}.fetch_add(pieces, ::cuda::memory_order_release);
  }
  /// Waits for all phases before this one. Threads that then meet the caller at a barrier may read
  /// what these phases wrote. Requires that the caller has taken a piece of this or a later phase.
  HINDSIGHT_DEVICE void wait_for_phases_before(unsigned phase) const {
    while (counter{shared_->finished}.load(::cuda::memory_order_acquire) < phase * pieces_)
      ptx::pause();
  }
  /// Calls visit(phase, piece) for the pieces that the block takes of phases [0, num_phases), with
  /// a barrier before each call and behind it. A piece is taken late: a block that waits for a
  /// phase has no second one. All threads of the block call this.
  ///   ticket  in shared memory
  ///   visit   returns whether the work goes on, the same for all pieces of a phase; if not, the
  ///           block takes no further piece
  template <class Visit>
  HINDSIGHT_DEVICE void for_own_pieces(unsigned num_phases, unsigned& ticket, Visit visit) const {
    for (unsigned phase = 0, num_done = 0;; ++num_done) {
      if (threadIdx.x == 0) ticket = take();
      __syncthreads();
      const unsigned next = ticket / pieces_, piece = ticket % pieces_;
      if (next != phase) {  // what the block has done of a phase is announced at once
        if (threadIdx.x == 0) finish(num_done);
        if (next >= num_phases) return;
        if (threadIdx.x == 0) wait_for_phases_before(next);
        __syncthreads();
        phase = next;
        num_done = 0;
      }
      if (!visit(phase, piece)) return;
      __syncthreads();
    }
  }

 private:
  using counter = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;
  counters* shared_;
  unsigned pieces_;
};

}  // namespace hindsight::detail
