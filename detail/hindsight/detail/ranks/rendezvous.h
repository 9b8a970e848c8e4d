// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ranks that are threads of one process wait for each other and read each other's memory.
#pragma once

#include <hindsight/detail/config.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// Polls for a while, because a thread that sleeps takes 50 to 100 us to wake up. Does not poll
/// where there are more threads than processors.
template <class Condition>
void poll_for_a_while(std::size_t num_threads, Condition is_met) {
  static const std::size_t processors = std::thread::hardware_concurrency();
  if (processors <= num_threads) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{2};
  while (!is_met() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

/// What a rank throws because the communicator of another one has failed.
struct group_is_over : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A step in which all ranks take part: each shows what it has, reads what the others show, and
/// leaves when all have read.
class rendezvous {
 public:
  explicit rendezvous(int num_ranks) : shown_(std::size_t(num_ranks)) {}

  int num_ranks() const { return int(shown_.size()); }

  /// Calls read(shown), shown[r] being what rank r shows, and returns when all ranks have read.
  template <class Read>
  void meet(int rank, const void* mine, Read read) {
    shown_[std::size_t(rank)] = mine;
    wait_for_all(or_abort::yes);
    std::exception_ptr failure;
    try {
      read(shown_);
    } catch (...) {
      failure = std::current_exception();
      abort();
    }
    wait_for_all(or_abort::no);  // others still read what this rank shows
    if (failure) std::rethrow_exception(failure);
    refuse_if_over();
  }

  /// all[r * bytes ...] = what rank r passed as mine.
  void gather(int rank, const void* mine, void* all, std::size_t bytes) {
    meet(rank, mine, [&](const std::vector<const void*>& shown) {
      for (std::size_t r = 0; r < shown.size(); ++r)
        std::memcpy(static_cast<char*>(all) + r * bytes, shown[r], bytes);
    });
  }

  void abort() noexcept {
    const std::lock_guard<std::mutex> lock{mutex_};
    is_over_ = true;
    changed_.notify_all();
  }

 private:
  enum class or_abort { no, yes };

  void wait_for_all(or_abort may_abort) {
    std::unique_lock<std::mutex> lock{mutex_};
    const auto is_aborted = [&] { return may_abort == or_abort::yes && is_over_; };
    if (is_aborted()) throw group_is_over(over);
    const unsigned round = round_;
    if (++num_waiting_ == num_ranks()) {
      num_waiting_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    lock.unlock();
    ranks::poll_for_a_while(shown_.size(), [&] { return round_ != round || is_aborted(); });
    lock.lock();
    changed_.wait(lock, [&] { return round_ != round || is_aborted(); });
    if (round_ == round) throw group_is_over(over);
  }

  void refuse_if_over() {
    const std::lock_guard<std::mutex> lock{mutex_};
    if (is_over_) throw group_is_over(over);
  }

  static constexpr auto over = "hindsight: the communicator of a rank failed; its group is over";
  std::vector<const void*> shown_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int num_waiting_ = 0;
  std::atomic<unsigned> round_{0};
  std::atomic<bool> is_over_{false};
};

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
