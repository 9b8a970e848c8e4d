// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call on all ranks of a process: a thread for each, because ranks wait for each other.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/ranks/member.h>
#include <hindsight/detail/ranks/rendezvous.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// Threads that wait for calls. Each rank has one, except the first: it runs on the caller's
/// thread.
class rank_threads {
 public:
  explicit rank_threads(std::size_t num_ranks) : num_threads_{num_ranks} {
    try {
      for (std::size_t i = 1; i < num_ranks; ++i) threads_.emplace_back([this, i] { work(i); });
    } catch (...) {
      stop();
      throw;
    }
  }
  rank_threads(const rank_threads&) = delete;
  rank_threads& operator=(const rank_threads&) = delete;
  ~rank_threads() { stop(); }

  /// Calls f(i), which does not throw, for every rank i at the same time.
  template <class F>
  void run(const F& f) {
    {
      const std::lock_guard<std::mutex> lock{mutex_};
      call_ = [](const void* functor, std::size_t i) { (*static_cast<const F*>(functor))(i); };
      functor_ = &f;
      num_working_ = threads_.size();
      ++round_;
    }
    begin_.notify_all();
    f(0);
    ranks::poll_for_a_while(num_threads_, [&] { return num_working_ == 0; });
    std::unique_lock<std::mutex> lock{mutex_};
    end_.wait(lock, [&] { return num_working_ == 0; });
  }

 private:
  void work(std::size_t i) {
    std::unique_lock<std::mutex> lock{mutex_};
    for (unsigned done = 0;; ++done) {
      lock.unlock();
      ranks::poll_for_a_while(num_threads_, [&] { return is_over_ || round_ != done; });
      lock.lock();
      begin_.wait(lock, [&] { return is_over_ || round_ != done; });
      if (is_over_) return;
      lock.unlock();
      call_(functor_, i);
      lock.lock();
      if (--num_working_ == 0) end_.notify_one();
    }
  }
  void stop() {
    {
      const std::lock_guard<std::mutex> lock{mutex_};
      is_over_ = true;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  std::vector<std::thread> threads_;
  void (*call_)(const void* functor, std::size_t i) = nullptr;
  const void* functor_ = nullptr;
  std::size_t num_threads_;
  std::atomic<std::size_t> num_working_{0};
  std::atomic<unsigned> round_{0};  ///< number of calls begun
  std::atomic<bool> is_over_{false};
};

/// The ranks of this process.
template <class Communicator>
struct local_ranks {
  explicit local_ranks(std::vector<std::unique_ptr<Communicator>> ranks)
      : communicators{std::move(ranks)},
        num_messages(communicators.size(), 0),
        threads{communicators.size()} {}
  std::vector<std::unique_ptr<Communicator>> communicators;
  std::vector<std::uint64_t> num_messages;
  rank_threads threads;
};

/// While it lives, the calling thread works at the place.
template <class Place>
struct stay {
  explicit stay(const Place& place) : scope(place.entered()) {}
  decltype(std::declval<const Place&>().entered()) scope;
};

/// Rethrows a rank's own error in preference to one that tells of another rank.
inline void rethrow_first(const std::vector<std::exception_ptr>& failures) {
  std::exception_ptr told, over;
  for (const std::exception_ptr& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const rank_failed&) {
      if (!told) told = failure;
    } catch (const group_is_over&) {
      if (!over) over = failure;
    }
  }
  if (told) std::rethrow_exception(told);
  if (over) std::rethrow_exception(over);
}

/// Calls part(member, i) for the i-th rank of this process, all at the same time.
///   Errors  thrown when all ranks here have ended: the own error of a rank here if there is one,
///           else rank_failed
template <class Communicator, class Part>
void run(local_ranks<Communicator>& local, const char* algorithm, Part part) {
  std::vector<std::exception_ptr> failures(local.communicators.size());
  for (std::size_t i = 0; i < failures.size(); ++i) {
    try {
      local.communicators[i]->place().wait_for_caller();
    } catch (...) {
      failures[i] = std::current_exception();
    }
  }
  const auto take_part = [&](std::size_t i) noexcept {
    try {
      Communicator& communicator = *local.communicators[i];
      std::optional<stay<typename member<Communicator>::place_t>> here;  // until all have ended
      member<Communicator> rank{communicator, algorithm, local.num_messages[i]};
      rank.take_part([&] {
        if (i == 0)  // in the caller's thread
          here.emplace(communicator.place());
        else
          communicator.place().enter();
        if (failures[i]) std::rethrow_exception(failures[i]);
        part(rank, i);
      });
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  local.threads.run(take_part);
  ranks::rethrow_first(failures);
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
