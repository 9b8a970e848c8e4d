// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are threads of one process and copy from each other's memory.
#pragma once

#include <hindsight/detail/ranks/member.h>

#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {

/// Where all ranks meet: each shows what it has, reads what the others show, and leaves.
class meeting {
 public:
  explicit meeting(int num_ranks) : shown_(std::size_t(num_ranks)) {}

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

  void abort() noexcept {
    const std::lock_guard<std::mutex> lock{mutex_};
    is_over_ = true;
    changed_.notify_all();
  }

 private:
  enum class or_abort { no, yes };

  void wait_for_all(or_abort may_abort) {
    std::unique_lock<std::mutex> lock{mutex_};
    if (may_abort == or_abort::yes && is_over_) throw std::runtime_error(over);
    const unsigned round = round_;
    if (++num_waiting_ == num_ranks()) {
      num_waiting_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock,
                  [&] { return round_ != round || (may_abort == or_abort::yes && is_over_); });
    if (round_ == round) throw std::runtime_error(over);
  }

  void refuse_if_over() {
    const std::lock_guard<std::mutex> lock{mutex_};
    if (is_over_) throw std::runtime_error(over);
  }

  static constexpr auto over = "hindsight: the communicator of a rank failed; its group is over";
  std::vector<const void*> shown_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int num_waiting_ = 0;
  unsigned round_ = 0;
  bool is_over_ = false;
};

template <class Place>
class loopback_communicator {
 public:
  loopback_communicator(meeting& all, int rank, Place place)
      : meeting_{all}, rank_{rank}, place_{std::move(place)} {}

  int rank() const { return rank_; }
  int size() const { return meeting_.num_ranks(); }
  const Place& place() const { return place_; }

  void all_gather(const void* mine, void* all, std::size_t bytes) {
    meeting_.meet(rank_, mine, [&](const std::vector<const void*>& shown) {
      for (std::size_t r = 0; r < shown.size(); ++r)
        std::memcpy(static_cast<char*>(all) + r * bytes, shown[r], bytes);
    });
  }

  void all_to_all(const std::vector<piece>& send, const std::vector<piece>& receive) {
    place_.wait();
    meeting_.meet(rank_, &send, [&](const std::vector<const void*>& shown) {
      for (std::size_t r = 0; r < shown.size(); ++r) {
        const auto& sent = *static_cast<const std::vector<piece>*>(shown[r]);
        place_.copy(receive[r].data, sent[std::size_t(rank_)].data, receive[r].bytes);
      }
    });
  }

  void abort() noexcept { meeting_.abort(); }

 private:
  meeting& meeting_;
  int rank_;
  Place place_;
};

}  // namespace hindsight::detail::ranks
