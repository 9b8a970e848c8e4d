// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether other programs have the processors. Then a thread of a team may begin some milliseconds
// late, and the others wait for it: a small call is sooner done by one thread.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/std_basics.h>

#include <atomic>
#include <chrono>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Remembers threads that began late. The crowd is taken to last for a while, then a team tries
/// again; if a thread is late again soon, the next while is twice as long.
class crowd {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr clock::duration late = std::chrono::milliseconds(2);
  static constexpr clock::duration first_while = std::chrono::milliseconds(32);
  static constexpr clock::duration longest_while = std::chrono::seconds(1);

  /// A thread of a team that was to begin at `wanted` begins now.
  void note_begin(clock::time_point wanted, clock::time_point now) {
    if (now - wanted < late) return;
    clock::rep end = end_.load(std::memory_order_relaxed);
    if (since_epoch(now) < end) return;
    const clock::rep last = while_.load(std::memory_order_relaxed);
    const bool again = end != 0 && since_epoch(now) - end < last;
    const clock::rep next = again ? std::min(2 * last, longest_while.count()) : first_while.count();
    if (end_.compare_exchange_strong(end, since_epoch(now) + next, std::memory_order_relaxed))
      while_.store(next, std::memory_order_relaxed);
  }

  bool is_there(clock::time_point now) const {
    return since_epoch(now) < end_.load(std::memory_order_relaxed);
  }
  /// The same now; quick if there was none so far.
  bool is_there() const {
    return end_.load(std::memory_order_relaxed) != 0 && is_there(clock::now());
  }

 private:
  static clock::rep since_epoch(clock::time_point time) { return time.time_since_epoch().count(); }
  std::atomic<clock::rep> end_{0}, while_{0};
};

inline crowd other_programs;

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
