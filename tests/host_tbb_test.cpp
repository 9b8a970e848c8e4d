// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// systems: TBB
// Calls in a program that uses oneTBB itself: teams are made of oneTBB's threads.
#include <hindsight/detail/host/team.h>
#include <hindsight/hindsight.h>

#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace host = hindsight::detail::host;
const auto& par = hindsight::host::par;

/// Sorts, scans and sums; returns whether all was right.
bool calls_work(unsigned seed) {
  std::vector<unsigned> v(50'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = (unsigned(i) + seed) * 2654435761u;
  auto expected = v;
  std::sort(expected.begin(), expected.end());
  thrust::sort(par, v.begin(), v.end());
  if (v != expected) return false;
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  const unsigned sum = thrust::reduce(par, v.begin(), v.end());
  thrust::inclusive_scan(par, v.begin(), v.end(), v.begin());
  return v == expected && v.back() == sum;
}

TEST(tbb_teams, work_inside_of_tasks) {
  std::atomic<int> right{0};
  tbb::parallel_for(0u, 64u, [&](unsigned task) { right += calls_work(task); });
  EXPECT_EQ(right, 64);
}

// A task that holds a lock, or is in the midst of something else that is its thread's own, must not
// meet another task of the program inside of a call.
TEST(tbb_teams, do_no_other_work_while_they_wait) {
  using namespace std::chrono_literals;
  static thread_local bool is_inside = false;
  std::atomic<bool> other_began{false}, task_ended{false};
  std::atomic<int> met{0};
  tbb::task_arena arena{2};
  arena.execute([&] {
    is_inside = true;
    host::run_team(2, [&](unsigned rank) {
      if (rank == 0) {
        for (int ms = 0; ms < 5000 && !other_began; ++ms) std::this_thread::sleep_for(1ms);
        arena.enqueue([&] {
          met += is_inside;
          task_ended = true;
        });  // and this thread waits for the other rank
      } else {
        other_began = true;
        std::this_thread::sleep_for(100ms);
      }
    });
    is_inside = false;
  });
  while (!task_ended) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(other_began);
  EXPECT_EQ(met, 0);
}

// A rank that began inside of another one might wait for it, and so for ever.
TEST(tbb_teams, begin_no_rank_while_a_functor_waits_for_its_own_tasks) {
  static thread_local bool is_inside = false;
  int num_ranks = 0, met = 0;
  tbb::task_arena arena{1};
  arena.execute([&] {
    host::run_team(3, [&](unsigned) {
      ++num_ranks;
      met += is_inside;
      is_inside = true;
      tbb::task_group own;
      auto task = own.defer([] {});
      std::thread other{[task = std::move(task)]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        tbb::task_handle ends_here = std::move(task);
      }};
      own.wait();  // until the other thread has dropped the task
      is_inside = false;
      other.join();
    });
  });
  EXPECT_EQ(num_ranks, 3);
  EXPECT_EQ(met, 0);
}

TEST(tbb_teams, finish_though_the_tasks_of_the_caller_are_cancelled) {
  std::atomic<int> called{0}, right{0};
  tbb::task_group_context context;
  tbb::parallel_for(
      0u, 16u,
      [&](unsigned task) {
        context.cancel_group_execution();
        ++called;
        right += calls_work(task);
      },
      context);
  EXPECT_GT(called, 0);
  EXPECT_EQ(right, called);
}

TEST(tbb_teams, have_as_many_threads_as_the_arena) {
  for (const int threads : {1, 2, 3}) {
    tbb::task_arena arena{threads};
    arena.execute([&] {
      EXPECT_EQ(host::default_team_size(), unsigned(threads));
      EXPECT_TRUE(calls_work(unsigned(threads)));
    });
  }
}

TEST(tbb_teams, call_each_rank_once_and_rethrow) {
  for (const unsigned num_threads : {1u, 2u, 7u, 100u}) {
    std::vector<std::atomic<int>> calls(num_threads);
    host::run_team(num_threads, [&](unsigned rank) { ++calls[rank]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
    std::atomic<unsigned> ended{0};
    const auto throws = [&](unsigned rank) {
      ++ended;
      if (rank % 3 == 0) throw std::runtime_error("rank");
    };
    EXPECT_THROW(host::run_team(num_threads, throws), std::runtime_error);
    EXPECT_EQ(ended, num_threads) << "all ranks have their turn";
  }
}

}  // namespace
