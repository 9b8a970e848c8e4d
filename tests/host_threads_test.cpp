// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// host::par.threads(count): how many threads call the caller's functors, whatever the policy's
// memory; and that no result depends on it.
#include <hindsight/hindsight.h>

#include <chrono>
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
    if (const std::lock_guard<std::mutex> lock{mutex_}; !seen_.insert(std::this_thread::get_id()).second)
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

}  // namespace
