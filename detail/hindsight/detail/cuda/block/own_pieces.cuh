// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block's part in a launch of several phases.
#pragma once

#include <hindsight/detail/board/phased_work.h>

namespace hindsight::detail::cuda {

/// The pieces of work that a block takes. It asks for the next one before it begins with another.
class own_pieces {
 public:
  /// ticket: in shared memory
  HINDSIGHT_DEVICE own_pieces(const phased_work& work, unsigned& ticket)
      : work_{work}, ticket_{ticket} {
    if (threadIdx.x == 0) ticket_ = work_.take();
  }
  /// Begins and ends with all threads of the block.
  HINDSIGHT_DEVICE unsigned take() {
    __syncthreads();
    if (threadIdx.x == 0) next_ = work_.take();
    return ticket_;
  }
  HINDSIGHT_DEVICE void finish() {
    __syncthreads();
    if (threadIdx.x == 0) {
      work_.finish();
      ticket_ = next_;
    }
  }
  /// Of a piece for which no other waits.
  HINDSIGHT_DEVICE void finish_last_phase() {
    __syncthreads();
    if (threadIdx.x == 0) ticket_ = next_;
  }

 private:
  const phased_work& work_;
  unsigned& ticket_;
  unsigned next_ = 0;
};

}  // namespace hindsight::detail::cuda
