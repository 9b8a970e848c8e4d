// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells whether other programs contend for the processors. Then a thread of a team may begin some
// milliseconds late, and the others wait for it. One thread alone does a small call faster.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <atomic>
#include <chrono>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Remembers teams with a thread that began late. If more than one team in four is late, other
/// programs contend for the processors; fewer late teams cost less than working alone. Contention
/// is assumed to last for a period. Then teams try again. If they are soon late again, the next
/// period is twice as long.
class contention {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr clock::duration late = std::chrono::milliseconds(contention_tuning::late_ms);
  static constexpr clock::duration first_period =
      std::chrono::milliseconds(contention_tuning::first_period_ms);
  static constexpr clock::duration longest_period =
      std::chrono::milliseconds(contention_tuning::longest_period_ms);

  /// A team has ended. Teams that end at the same time may lose each other's evidence.
  void note_late_team(clock::time_point now) {
    constexpr int enough = contention_tuning::enough_evidence;
    const int before = evidence_.load(std::memory_order_relaxed);
    const int evidence = std::min(before + contention_tuning::late_weight, enough);
    evidence_.store(evidence, std::memory_order_relaxed);
    if (evidence == enough) begin_period(now);
  }
  void note_punctual_team() {
    const int before = evidence_.load(std::memory_order_relaxed);
    if (before != 0) evidence_.store(before - 1, std::memory_order_relaxed);
  }

  bool is_likely(clock::time_point now) const {
    return since_epoch(now) < end_.load(std::memory_order_relaxed);
  }
  /// The same for now. As long as there was no contention, this does not read the clock.
  bool is_likely() const {
    return end_.load(std::memory_order_relaxed) != 0 && is_likely(clock::now());
  }

 private:
  void begin_period(clock::time_point now) {
    clock::rep end = end_.load(std::memory_order_relaxed);
    if (since_epoch(now) < end) return;
    const clock::rep last = period_.load(std::memory_order_relaxed);
    const bool again = end != 0 && since_epoch(now) - end < last;
    const clock::rep next =
        again ? std::min(2 * last, longest_period.count()) : first_period.count();
    if (end_.compare_exchange_strong(end, since_epoch(now) + next, std::memory_order_relaxed))
      period_.store(next, std::memory_order_relaxed);
  }
  static clock::rep since_epoch(clock::time_point time) { return time.time_since_epoch().count(); }
  std::atomic<clock::rep> end_{0}, period_{0};
  std::atomic<int> evidence_{0};
};

inline contention other_programs;

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
