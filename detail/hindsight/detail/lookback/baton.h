// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/atomic>

#include <cstdint>
#include <cstring>

namespace hindsight::detail {

/// A value that runs from one warp of a block to the next, in shared memory. Turn numbers count up;
/// the holder of turn k passes turn k + 1. Who sees that no turn can follow drops the baton.
template <class T>
class baton {
 public:
  HINDSIGHT_HD void reset() { turn_ = 0; }

  HINDSIGHT_HD void pass(std::uint64_t turn, const T& value) {
    memcpy(value_, &value, sizeof value);
    turn_ref{turn_}.store(turn, ::cuda::memory_order_release);  // the value before its turn
  }

  /// Waits for a turn; false if the baton was dropped. The next holder overwrites the value only
  /// after this one has passed it on, so it stays until then.
  HINDSIGHT_HD bool wait(std::uint64_t turn, T& value) {
    for (;;) {
      const std::uint64_t seen = turn_ref{turn_}.load(::cuda::memory_order_acquire);
      if (seen == turn) break;
      if (seen == dropped) return false;
    }
    memcpy(&value, value_, sizeof value);
    return true;
  }

  HINDSIGHT_HD void drop() { turn_ref{turn_}.store(dropped, ::cuda::memory_order_relaxed); }
  HINDSIGHT_HD bool is_dropped() {
    return turn_ref{turn_}.load(::cuda::memory_order_relaxed) == dropped;
  }

 private:
  using turn_ref = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_block>;
  static constexpr std::uint64_t dropped = UINT64_MAX;

  std::uint64_t turn_;
  alignas(alignof(T)) unsigned char value_[sizeof(T)];
};

}  // namespace hindsight::detail
