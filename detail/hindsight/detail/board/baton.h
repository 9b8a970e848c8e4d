// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value that goes from warp to warp of a block: the running carry of the scout.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/atomic>
#include <thrust/addressof.h>

#include <cstdint>
#include <cstring>

namespace hindsight::detail {

/// A value that one warp of a block hands to the next, in shared memory. Turns are numbered: the
/// warp that has turn k passes turn k + 1. A warp drops the baton if no further turn will come.
/// Then no warp waits for one.
template <class T>
class baton {
 public:
  /// Called by one thread before any other call, with a barrier after it.
  HINDSIGHT_HD void reset() {
    turn_ = 0;
    dropped_ = 0;
  }

  HINDSIGHT_HD void pass(std::uint64_t turn, const T& value) {
    memcpy(value_, ::cuda::std::addressof(value), sizeof value);
    turn_ref{turn_}.store(turn, ::cuda::memory_order_release);  // the value before its turn
  }

  /// Waits for a turn; false if the baton was dropped before. The value stays until the next
  /// pass(). So where a warp waits, all its lanes must have the value before one of them passes it
  /// on.
  HINDSIGHT_HD bool wait(std::uint64_t turn, T& value) {
    while (turn_ref{turn_}.load(::cuda::memory_order_acquire) != turn) {
      if (is_dropped()) return false;
    }
    memcpy(static_cast<void*>(::cuda::std::addressof(value)), value_, sizeof value);
    return true;
  }

  HINDSIGHT_HD void drop() { flag_ref{dropped_}.store(1, ::cuda::memory_order_relaxed); }
  HINDSIGHT_HD bool is_dropped() {
    return flag_ref{dropped_}.load(::cuda::memory_order_relaxed) != 0;
  }

 private:
  using turn_ref = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_block>;
  using flag_ref = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_block>;

  std::uint64_t turn_;
  std::uint32_t dropped_;
  alignas(alignof(T)) unsigned char value_[sizeof(T)];
};

}  // namespace hindsight::detail
