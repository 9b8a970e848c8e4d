// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several phases in one launch: what a block of a later phase waits for.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/ptx.cuh>

#include <cuda/atomic>

namespace hindsight::detail {

/// Work in phases of so many pieces each. Pieces are handed out in order, a phase after the other,
/// to blocks that are running. A block does its pieces in order, and a piece waits for pieces of
/// earlier phases only, so that all are done however many blocks run at once.
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
  /// So many pieces are done, by threads that the caller has met at a barrier.
  HINDSIGHT_DEVICE void finish(unsigned pieces = 1) const {
    counter{shared_->finished}.fetch_add(pieces, ::cuda::memory_order_release);
  }
  /// After it, what phases before this one have written may be read, by threads that meet the caller
  /// at a barrier. Requires that the caller has taken a piece of the phase or of a later one.
  HINDSIGHT_DEVICE void wait_for_phases_before(unsigned phase) const {
    while (counter{shared_->finished}.load(::cuda::memory_order_acquire) < phase * pieces_)
      ptx::pause();
  }

 private:
  using counter = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;
  counters* shared_;
  unsigned pieces_;
};

}  // namespace hindsight::detail
