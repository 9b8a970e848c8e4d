// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// host::par.threads(count): how many threads call the caller's functors, whatever the policy's
// memory; and that no result depends on it. Calls from anywhere: functors, constructors, other
// teams.
#include <hindsight/hindsight.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace {

/// Notes which threads call. The first `wanted` of them wait for each other, up to two seconds.
class visitors {
 public:
  explicit visitors(std::size_t wanted) : wanted_{wanted} {}

  void come() {
    if (const std::lock_guard<std::mutex> lock{mutex_};
        !seen_.insert(std::this_thread::get_id()).second)
      return;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (count() < wanted_ && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }
  std::size_t count() {
    const std::lock_guard<std::mutex> lock{mutex_};
    return seen_.size();
  }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> seen_;
  const std::size_t wanted_;
};

const std::vector<int>& many_items() {
  static const std::vector<int> items = [] {
    std::vector<int> all(8000000);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }();
  return items;
}

/// How many threads call a functor of a call of each kind.
template <class Policy>
std::vector<std::size_t> threads_with(const Policy& policy, std::size_t wanted) {
  const auto& items = many_items();
  std::vector<int> out(items.size());
  std::vector<std::size_t> counts;
  const auto count = [&](auto call) {
    visitors calls{wanted};
    call([&](int i) {
      if (i % 4096 == 0) calls.come();
      return i % 3 == 0;
    });
    counts.push_back(calls.count());
  };
  count([&](auto pred) { hindsight::copy_if(policy, items, out.begin(), pred); });
  count([&](auto pred) { hindsight::count_if(policy, items, pred); });
  count([&](auto pred) {
    hindsight::find_if(policy, items, [=](int i) { return pred(i), i == 7999999; });
  });
  return counts;
}

TEST(Threads, AsManyAsAsked) {
  using hindsight::host::par;
  for (const unsigned n : {1u, 2u, 5u}) {
    const std::vector<std::size_t> expected(3, n);
    EXPECT_EQ(threads_with(par.threads(n), n), expected);
    std::allocator<char> allocator;
    EXPECT_EQ(threads_with(par(allocator).threads(n), n), expected);
  }
  const std::vector<std::size_t> alone(3, 1);
  EXPECT_EQ(threads_with(par.threads(4).threads(1), 1), alone) << "the last one counts";
}

TEST(Threads, LeaveNothingBehind) {
  const unsigned before = hindsight::detail::host::default_team_size();
  threads_with(hindsight::host::par.threads(before + 3), 1);
  EXPECT_EQ(hindsight::detail::host::default_team_size(), before);
}

TEST(Threads, DoNotChangeResults) {
  std::vector<float> items(3000000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = 1.0f / float(i % 1000 + 1);
  std::vector<float> one(items.size()), four(items.size());
  hindsight::inclusive_scan(hindsight::host::par.threads(1), items, one.begin());
  hindsight::inclusive_scan(hindsight::host::par.threads(4), items, four.begin());
  EXPECT_EQ(one, four);
  EXPECT_EQ(hindsight::reduce(hindsight::host::par.threads(1), items),
            hindsight::reduce(hindsight::host::par.threads(4), items));
}

/// Sorts items in descending order; returns whether they are in ascending order then.
bool sorts() {
  std::vector<int> items(200000);
  std::iota(items.rbegin(), items.rend(), 0);
  thrust::sort(hindsight::host::par.threads(3), items.begin(), items.end());
  return std::is_sorted(items.begin(), items.end());
}

const bool sorted_before_main = sorts();

struct sorts_at_its_end {
  ~sorts_at_its_end() {
    if (!sorts()) std::abort();
  }
};
const sorts_at_its_end after_main;

TEST(Threads, CallsBeforeMainAndAtTheEndOfAThread) {
  EXPECT_TRUE(sorted_before_main);
  std::thread([] {
    thread_local sorts_at_its_end last;
    static_cast<void>(last);
    EXPECT_TRUE(sorts());
  }).join();
}

// The functors of a call may themselves call the library, each thread of a team.
TEST(Threads, CallsFromFunctors) {
  const auto par = hindsight::host::par.threads(4);
  const std::vector<int> ones(300000, 1);
  const auto calls = [&](int item) {
    return item % 50000 == 0 && hindsight::reduce(par, ones) == 300000;
  };
  std::vector<int> items(400000), out(8);
  std::iota(items.begin(), items.end(), 0);
  EXPECT_EQ(thrust::count_if(par, items.begin(), items.end(), calls), 8);
  EXPECT_EQ(thrust::copy_if(par, items.begin(), items.end(), out.begin(), calls), out.end());
  EXPECT_EQ(out[7], 350000);
  std::vector<int> sums(items.size());
  hindsight::inclusive_scan(par, items, sums.begin(), [&](int a, int b) {
    return calls(b) ? b : a > b ? a : b;
  });
  EXPECT_EQ(sums, items);
  thrust::sort(par, items.begin(), items.end(), [&](int a, int b) {
    calls(a);
    return a > b;
  });
  EXPECT_EQ(items.front(), 399999);
  EXPECT_EQ(items.back(), 0);
}

// A limit that no machine can meet is none.
TEST(Threads, MoreThanAnyMachineHas) {
  const std::vector<int> ones(300000, 1);
  for (const unsigned count : {1000u, 1000000u, ~0u})
    EXPECT_EQ(hindsight::reduce(hindsight::host::par.threads(count), ones), 300000) << count;
}

#if defined(_OPENMP)
TEST(Threads, CallsFromATeamOfOpenMP) {
  int num_right = 0;
#  pragma omp parallel num_threads(6) reduction(+ : num_right)
  num_right += sorts();
  EXPECT_EQ(num_right, 6);
  num_right = 0;
#  pragma omp parallel
#  pragma omp single
  for (int i = 0; i < 5; ++i) {
#  pragma omp task shared(num_right)
    {
      const bool is_right = sorts();
#  pragma omp atomic
      num_right += is_right;
    }
  }
  EXPECT_EQ(num_right, 5);
}
#endif

/// While other programs contend for the processors, small calls are done by one thread.
TEST(Threads, LargeCallsHaveThemUnderContention) {
  namespace host = hindsight::detail::host;
  const std::size_t wanted = std::min(host::default_team_size(), 2u);
  const std::size_t width = 4096, height = host::engine_tuning::contended_bytes / 8 / width + 1;
  std::vector<double> items(width * height), out(items.size());
  std::iota(items.begin(), items.end(), 0.0);
  const auto threads_of = [&](auto call) {
    const auto soon = host::contention::clock::now() + std::chrono::milliseconds(2500);
    for (int team = 0; team < 2; ++team) host::other_programs.note_late_team(soon);
    visitors calls{wanted};
    call([&](double x) {
      if (static_cast<long long>(x) % 60013 == 0) calls.come();
    });
    return calls.count();
  };
  EXPECT_GE(threads_of([&](auto note) {
              hindsight::top_k(hindsight::host::par, items, 10, out.begin(),
                               [=](double a, double b) { return note(a), a < b; });
            }),
            wanted);
  const auto last = [](auto note) { return [=](double, double b) { return note(b), b; }; };
  EXPECT_GE(threads_of([&](auto note) {
              hindsight::summed_area_table(hindsight::host::par, items.begin(), out.begin(), width,
                                           height, width, last(note));
            }),
            wanted);
  EXPECT_GE(threads_of([&](auto note) {
              host::scan_columns<double>(out.data(), width, height, width, last(note), {});
            }),
            wanted);
}

}  // namespace
