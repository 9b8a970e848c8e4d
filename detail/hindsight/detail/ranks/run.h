// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call on all ranks of a process: a thread for each, because ranks wait for each other.
#pragma once

#include <hindsight/detail/ranks/member.h>

#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace hindsight::detail::ranks {

/// Rethrows a rank's own error in preference to one that tells of another rank.
inline void rethrow_first(const std::vector<std::exception_ptr>& failures) {
  std::exception_ptr told;
  for (const std::exception_ptr& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const rank_failed&) {
      if (!told) told = failure;
    }
  }
  if (told) std::rethrow_exception(told);
}

/// Calls part(member, i) for the i-th rank of this process, all at the same time.
///   Errors  when all have ended: what a rank here threw, else rank_failed
template <class Communicator, class Part>
void run(const std::vector<std::unique_ptr<Communicator>>& communicators, const char* algorithm,
         Part part) {
  std::vector<std::exception_ptr> failures(communicators.size());
  const auto take_part = [&](std::size_t i) noexcept {
    try {
      const auto here = communicators[i]->place().entered();
      static_cast<void>(here);
      member<Communicator> rank{*communicators[i], algorithm};
      rank.take_part([&] { part(rank, i); });
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };

  std::promise<bool> all_are_there;  // false: a thread could not be started, so none begins
  const std::shared_future<bool> begin = all_are_there.get_future().share();
  std::vector<std::thread> threads;
  bool are_there = true;
  try {
    threads.reserve(communicators.size());
    for (std::size_t i = 1; i < communicators.size(); ++i)
      threads.emplace_back([&take_part, begin, i] {
        if (begin.get()) take_part(i);
      });
  } catch (...) {
    failures[0] = std::current_exception();
    are_there = false;
  }
  all_are_there.set_value(are_there);
  if (are_there) take_part(0);
  for (std::thread& thread : threads) thread.join();
  ranks::rethrow_first(failures);
}

}  // namespace hindsight::detail::ranks
