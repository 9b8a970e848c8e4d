// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bins to which all blocks of a launch add, cleared by a block of the same launch while the others
// count: no memset in front of it.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/config.h>
#include <hindsight/detail/ptx.cuh>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The grid's first block clears the bins and does nothing else, as it is the first to begin. But
/// nobody promises that: a block that has to wait and finds that no other one clears them does it.
struct bin_clearing : clearing_state {
  /// What the first block does.
  ///   shared  a word of dynamic shared memory: that may be all that the block can have
  template <class Counter>
  HINDSIGHT_DEVICE void clear(Counter* bins, int num_bins, unsigned& shared) {
    if (threadIdx.x == 0) shared = claim() ? 1 : 0;
    __syncthreads();
    if (shared == 0) return;
    for (unsigned b = threadIdx.x; b < static_cast<unsigned>(num_bins); b += blockDim.x)
      bins[b] = 0;
    __syncthreads();
    if (threadIdx.x == 0) note_done();
  }
  /// What one thread of each other block does before a barrier, behind which the block adds.
  template <class Counter>
  HINDSIGHT_DEVICE void wait(Counter* bins, int num_bins) {
    for (unsigned polls = 0; !knows_done(); ++polls) {
      if (polls != patience || !claim()) {
        ptx::pause();
        continue;
      }
      for (int b = 0; b < num_bins; ++b) bins[b] = 0;
      note_done();
    }
  }

 private:
  static constexpr unsigned patience = 100;  ///< polls before another block than the first clears
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
