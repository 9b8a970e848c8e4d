// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the blocks of a launch share beside the board, and the memory orders that go with it.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/atomic>

namespace hindsight::detail {

/// Launch state beside the board, zero at the start.
struct launch_state {
  unsigned tickets;        ///< handed out so far
  unsigned scout_gave_up;  ///< tiles must find their carries themselves
  unsigned scouts;         ///< blocks of a pipeline that asked to be the scout; the first is it
  unsigned finished;  ///< blocks that are done (for algorithms whose last block has more to do)
};

/// Counts this block as finished and returns how many are. What each block's thread 0 wrote before
/// is visible to the block that sees the last count, after its next barrier.
HINDSIGHT_DEVICE unsigned count_finished(launch_state* state) {
  using counter = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;
  return counter{state->finished}.fetch_add(1, ::cuda::memory_order_acq_rel) + 1;
}

/// The same for counts of 16 bits, two in a word: adds to number `index` of them.
HINDSIGHT_DEVICE unsigned count_finished(unsigned* counts, unsigned index) {
  using counter = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;
  const unsigned shift = index % 2 * 16;
  const unsigned before =
      counter{counts[index / 2]}.fetch_add(1u << shift, ::cuda::memory_order_acq_rel);
  return (before >> shift & 0xffff) + 1;
}

/// Who clears what the blocks of a launch share, and whether that is done. Zero at the start.
struct clearing_state {
  unsigned claims;
  unsigned is_done;

  /// True for the first to call it, who then clears.
  HINDSIGHT_DEVICE bool claim() {
    return flag{claims}.fetch_add(1, ::cuda::memory_order_relaxed) == 0;
  }
  /// Where knows_done() is true, what this thread's block wrote before its last barrier is visible.
  HINDSIGHT_DEVICE void note_done() { flag{is_done}.store(1, ::cuda::memory_order_release); }
  HINDSIGHT_DEVICE bool knows_done() {
    return flag{is_done}.load(::cuda::memory_order_acquire) != 0;
  }

 private:
  using flag = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;
};

/// For all threads, what this thread has read or written before comes before what it writes after.
HINDSIGHT_DEVICE void fence_memory() {
  __threadfence();
}

}  // namespace hindsight::detail
