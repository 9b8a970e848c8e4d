// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that throw and communicators that fail: every rank ends with an error that says why, within
// a bounded time, and after a rank's own fault the group is still of use.
// systems: CPP OMP
// labels: asan tsan
#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>

#include "ranks_testing.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

thread_local int allocations_to_fail = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations_to_fail > 0) {
    --allocations_to_fail;
    throw std::bad_alloc{};
  }
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using hindsight::detail::ranks::host_place;
using hindsight::detail::ranks::loopback_communicator;
using hindsight::detail::ranks::piece;
using hindsight::detail::ranks::rendezvous;
using hindsight_test::cut;

/// Calls f, and ends the program if that takes longer than any call here should.
template <class F>
void within_a_minute(F f) {
  auto done = std::async(std::launch::async, f);
  if (done.wait_for(std::chrono::minutes{1}) != std::future_status::ready) {
    std::fprintf(stderr, "a call over ranks hangs\n");
    std::_Exit(1);
  }
  done.get();
}

struct fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An item that no functor takes.
constexpr int poison = 12345;

struct sum_without_poison {
  int operator()(int a, int b) const {
    if (a == poison || b == poison) throw fault("poison in a sum");
    return a + b;
  }
};
struct less_without_poison {
  bool operator()(int a, int b) const {
    if (a == poison || b == poison) throw fault("poison in a comparison");
    return a < b;
  }
};

std::vector<int> numbers_with_poison_at(std::size_t n, std::size_t place) {
  std::vector<int> items(n);
  std::iota(items.begin(), items.end(), -int(n));
  items[place] = poison;
  return items;
}

TEST(ranks_faults, a_functor_that_throws_ends_the_call_and_not_the_group) {
  constexpr std::size_t n = 3000;
  for (const std::size_t ranks : {1, 2, 16})
    for (const std::size_t place : {std::size_t{3}, n / 2, n - 2})
      within_a_minute([&] {
        hindsight::loopback::group g{int(ranks)};
        const auto sizes = hindsight_test::shard_sizes(n, ranks, cut::even);
        auto pieces = hindsight_test::in_shards(numbers_with_poison_at(n, place), sizes);
        const auto v = hindsight::shards(g, pieces);
        EXPECT_THROW(hindsight::reduce(g.par, v, 0, sum_without_poison{}), fault);
        EXPECT_THROW(hindsight::reduce_same_bits(g.par, v, 0, sum_without_poison{}), fault);
        EXPECT_THROW(hindsight::inclusive_scan(g.par, v, v, sum_without_poison{}), fault);
        EXPECT_THROW(hindsight::sort(g.par, v, less_without_poison{}), fault);
        pieces = hindsight_test::in_shards(std::vector<int>(n, 1), sizes);
        EXPECT_EQ(hindsight::reduce(g.par, hindsight::shards(g, pieces)), int(n));
      });
}

TEST(ranks_faults, the_others_hear_which_rank_failed_and_why) {
  for (const int failing : {0, 2, 4})
    for (const int gathers_before : {0, 1, 3})
      within_a_minute([&] {
        hindsight::loopback::group g{5};
        std::vector<std::string> told(5);
        const auto call = [&](auto& rank, std::size_t i) {
          try {
            for (int k = 0; k < 4; ++k) {
              if (rank.rank() == failing && k == gathers_before) throw fault("out of paper");
              const std::vector<int> mine(100, rank.rank());  // more than one message takes
              const auto all = rank.gather_rows(mine.data(), mine.size());
              EXPECT_EQ(all[499], 4);
            }
          } catch (const hindsight::rank_failed& error) {
            told[i] = error.what();
            EXPECT_EQ(error.rank(), failing);
            throw;
          }
        };
        EXPECT_THROW(g.par.run("hindsight::test", call), fault);
        for (int r = 0; r < 5; ++r)
          EXPECT_EQ(told[std::size_t(r)], r == failing
                                              ? ""
                                              : "hindsight::test: rank " + std::to_string(failing) +
                                                    " failed: out of paper");
      });
}

TEST(ranks_faults, a_rank_that_fails_after_its_last_exchange) {
  within_a_minute([] {
    hindsight::loopback::group g{3};
    int well = 0;
    EXPECT_THROW(g.par.run("hindsight::test",
                           [&](auto& rank, std::size_t) {
                             rank.gather(1);
                             if (rank.rank() == 1) throw fault("late");
                             if (rank.rank() == 0) ++well;
                           }),
                 fault);
    EXPECT_EQ(well, 1);
  });
}

TEST(ranks_faults, bad_arguments) {
  hindsight::loopback::group g{2};
  std::vector<std::vector<int>> three(3), in(2, std::vector<int>(10, 1)), out(2);
  out[0].resize(10);
  out[1].resize(9);
  EXPECT_THROW(hindsight::shards(g, three), hindsight::invalid_call);
  EXPECT_THROW(hindsight::loopback::group{0}, hindsight::invalid_call);
  const auto v = hindsight::shards(g, in), too_small = hindsight::shards(g, out);
  hindsight::loopback::group larger{3};
  within_a_minute([&] {
    EXPECT_THROW(hindsight::reduce(larger.par, v), hindsight::invalid_call);
    EXPECT_THROW(hindsight::sort(larger.par, v), hindsight::invalid_call);
    EXPECT_EQ(hindsight::count(larger.par, hindsight::shards(larger, three), 1), 0u);
    EXPECT_THROW(hindsight::inclusive_scan(g.par, v, too_small), hindsight::invalid_call);
    EXPECT_THROW(hindsight::sort_by_key(g.par, v, too_small), hindsight::invalid_call);
    EXPECT_THROW(hindsight::histogram_even(g.par, v, 9, 5, 5, v), hindsight::invalid_call);
    EXPECT_THROW(hindsight::histogram_even(g.par, v, 0, 0, 5, v), hindsight::invalid_call);
  });
}

/// Refused on all ranks, with one sentence; nothing is written.
TEST(ranks_faults, views_of_a_larger_group_are_refused) {
  hindsight::loopback::group two{2}, three{3};
  std::vector<std::vector<int>> items(3, std::vector<int>{3, 1, 2});
  const auto large = hindsight::shards(three, items);
  const std::vector<std::vector<int>> before = items;
  std::vector<std::vector<int>> fitting_items(2, std::vector<int>(3, 1));
  const auto fitting = hindsight::shards(two, fitting_items);
  within_a_minute([&] {
    try {
      hindsight::sort(two.par, large);
      ADD_FAILURE() << "a shard was left out";
    } catch (const hindsight::invalid_call& error) {
      EXPECT_STREQ(error.what(),
                   "hindsight::sort: a view has 3 shards; pass one for each of the 2 ranks of this "
                   "process");
    }
    EXPECT_THROW(hindsight::reduce(two.par, large), hindsight::invalid_call);
    EXPECT_THROW(hindsight::minmax(two.par, large), hindsight::invalid_call);
    EXPECT_THROW(hindsight::inclusive_scan(two.par, fitting, large), hindsight::invalid_call);
    EXPECT_THROW(hindsight::copy_if(two.par, large, fitting, std::negate<>{}),
                 hindsight::invalid_call);
    EXPECT_THROW(hindsight::rebalance(two.par, fitting, large), hindsight::invalid_call);
    EXPECT_THROW(hindsight::histogram_even(two.par, fitting, 2, 0, 9, large),
                 hindsight::invalid_call);
    EXPECT_EQ(hindsight::reduce(two.par, fitting), 6);
  });
  EXPECT_EQ(items, before);
}

/// After each exchange, rank 1 gets no memory.
class starving_communicator : public loopback_communicator<host_place> {
 public:
  starving_communicator(rendezvous& all, int rank) : loopback_communicator{all, rank, {}} {}
  void all_gather(const void* mine, void* all, std::size_t bytes) {
    allocations_to_fail = 0;
    loopback_communicator::all_gather(mine, all, bytes);
    allocations_to_fail = rank() == 1 ? 1 : 0;
  }
};

/// When all ranks have exchanged their results, none can tell the others of a failure.
TEST(ranks_faults, folds_take_no_memory_after_their_last_exchange) {
  std::vector<std::vector<int>> items(3, std::vector<int>{3, 1, 2});
  const auto on_new_ranks = [&](auto call) {
    within_a_minute([&] {
      rendezvous all{3};
      std::vector<std::unique_ptr<starving_communicator>> communicators;
      for (int r = 0; r < 3; ++r)
        communicators.push_back(std::make_unique<starving_communicator>(all, r));
      const hindsight::rank_group<starving_communicator> g{std::move(communicators)};
      call(g.par, hindsight::shards(g, items));
    });
  };
  on_new_ranks([](auto& par, const auto& v) { EXPECT_EQ(hindsight::reduce(par, v), 18); });
  on_new_ranks([](auto& par, const auto& v) { EXPECT_EQ(hindsight::count(par, v, 1), 3u); });
  on_new_ranks(
      [](auto& par, const auto& v) { EXPECT_EQ(hindsight::minmax(par, v), std::make_pair(1, 3)); });
}

struct sum_until_memory_ends {
  int operator()(int a, int b) const {
    if (b != poison) return a + b;
    allocations_to_fail = 1000;
    throw std::bad_alloc{};
  }
};

/// Not even for a message.
TEST(ranks_faults, a_rank_without_any_memory_ends_the_call) {
  within_a_minute([] {
    hindsight::loopback::group g{3};
    std::vector<std::vector<int>> items(3, std::vector<int>{3, 1, 2});
    items[1] = {1, poison, 2};
    EXPECT_THROW(hindsight::reduce(g.par, hindsight::shards(g, items), 0, sum_until_memory_ends{}),
                 std::bad_alloc);
  });
}

/// As a device that is not there.
struct closed_place : host_place {
  explicit closed_place(bool is_closed) : closed{is_closed} {}
  int entered() const { return closed ? throw fault("no entry") : 0; }
  void enter() const { entered(); }
  bool closed;
};

TEST(ranks_faults, a_rank_that_cannot_enter_its_place_tells_the_others) {
  for (const std::size_t closed : {0, 2})
    within_a_minute([&] {
      std::vector<closed_place> places(3, closed_place{false});
      places[closed] = closed_place{true};
      hindsight::loopback::group_of<closed_place> g{places};
      std::vector<std::vector<int>> items(3, std::vector<int>{3, 1, 2});
      const auto v = hindsight::shards(g, items);
      EXPECT_THROW(hindsight::reduce(g.par, v), fault);
      EXPECT_THROW(hindsight::inclusive_scan(g.par, v, v), fault);
    });
}

/// A communicator of which one rank's fails after so many exchanges.
class faulty_communicator : public loopback_communicator<host_place> {
  using base = loopback_communicator<host_place>;

 public:
  faulty_communicator(rendezvous& all, int rank, int exchanges_left)
      : base{all, rank, {}}, left_{exchanges_left} {}
  void all_gather(const void* mine, void* all, std::size_t bytes) {
    use();
    base::all_gather(mine, all, bytes);
  }
  void all_to_all(const std::vector<piece>& send, const std::vector<piece>& receive) {
    use();
    base::all_to_all(send, receive);
  }
  void abort() noexcept {
    is_aborted_ = true;
    base::abort();
  }
  bool is_aborted() const { return is_aborted_; }

 private:
  bool is_aborted_ = false;
  void use() {
    if (left_-- == 0) throw fault("the cable is cut");
  }
  int left_;
};

TEST(ranks_faults, a_communicator_that_fails_ends_the_group) {
  constexpr std::size_t n = 2000;
  for (const int ranks : {1, 2, 7})
    for (int exchanges = 0; exchanges < 12; ++exchanges)
      within_a_minute([&] {
        rendezvous all{ranks};
        std::vector<std::unique_ptr<faulty_communicator>> communicators;
        for (int r = 0; r < ranks; ++r)
          communicators.push_back(
              std::make_unique<faulty_communicator>(all, r, r == ranks - 1 ? exchanges : 1000000));
        hindsight::rank_group<faulty_communicator> g{std::move(communicators)};
        auto pieces = hindsight_test::in_shards(
            numbers_with_poison_at(n, 7),
            hindsight_test::shard_sizes(n, std::size_t(ranks), cut::ragged));
        const auto v = hindsight::shards(g, pieces);
        bool is_over = false;
        for (int call = 0; call < 20 && !is_over; ++call) {
          try {
            hindsight::sort(g.par, v);
          } catch (const fault&) {  // whichever rank failed: not what the others hear of it
            is_over = true;
          }
        }
        EXPECT_TRUE(is_over);
        EXPECT_THROW(hindsight::reduce(g.par, v), std::runtime_error);
      });
}

/// What frees memory may wait for a stream in which a message waits for a rank that has gone.
TEST(ranks_faults, a_communicator_that_fails_ends_before_memory_goes) {
  rendezvous all{1};
  std::vector<std::unique_ptr<faulty_communicator>> one;
  one.push_back(std::make_unique<faulty_communicator>(all, 0, 0));
  const faulty_communicator& communicator = *one.front();
  bool was_aborted = false;
  struct memory {
    const faulty_communicator& communicator;
    bool& was_aborted;
    ~memory() { was_aborted = communicator.is_aborted(); }
  };
  const hindsight::rank_group<faulty_communicator> g{std::move(one)};
  EXPECT_THROW(g.par.run("hindsight::test",
                         [&](auto& rank, std::size_t) {
                           const memory room{communicator, was_aborted};
                           rank.gather(1);
                         }),
               fault);
  EXPECT_TRUE(was_aborted);
}

/// Steps of ranks that send each other messages as NCCL carries them. Who waits for a rank that has
/// vanished gives up after a while; then the others' steps end as if all had come.
class wire {
 public:
  using message = std::vector<std::vector<char>>;
  explicit wire(int num_ranks)
      : sent_{std::vector<message>(std::size_t(num_ranks)),
              std::vector<message>(std::size_t(num_ranks))} {}

  int num_ranks() const { return int(sent_[0].size()); }

  /// What all ranks sent in this step; nothing where one of them has given up.
  std::optional<std::vector<message>> pass(int rank, message mine,
                                           std::chrono::milliseconds patience) {
    std::unique_lock<std::mutex> lock{mutex_};
    if (has_given_up_) return {};
    const unsigned step = step_;
    auto& sent = sent_[step % 2];  // who is slow still reads the one before
    sent[std::size_t(rank)] = std::move(mine);
    if (++num_here_ == num_ranks()) {
      num_here_ = 0;
      ++step_;
      changed_.notify_all();
    } else {
      const auto is_over = [&] { return step_ != step || has_given_up_; };
      changed_.wait(lock, [&] { return is_over() || has_lost_one_; });
      if (!changed_.wait_for(lock, patience, is_over)) throw fault("no answer");
    }
    if (step_ == step) return {};
    return sent;
  }
  void give_up() { set(has_given_up_); }
  void lose_one() { set(has_lost_one_); }

 private:
  void set(bool& condition) {
    const std::lock_guard<std::mutex> lock{mutex_};
    condition = true;
    changed_.notify_all();
  }
  std::array<std::vector<message>, 2> sent_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int num_here_ = 0;
  unsigned step_ = 0;
  bool has_given_up_ = false, has_lost_one_ = false;
};

struct vanished : std::exception {};

/// A rank that vanishes before one of its steps, and tells nobody.
class vanishing_communicator {
 public:
  vanishing_communicator(wire& all, int rank, int steps_left, std::chrono::milliseconds patience)
      : wire_{all}, rank_{rank}, steps_left_{steps_left}, patience_{patience} {}
  int rank() const { return rank_; }
  int size() const { return wire_.num_ranks(); }
  const host_place& place() const { return place_; }
  int steps_left() const { return steps_left_; }

  /// Where nothing came, `all` gets what the last gather left in memory.
  void all_gather(const void* mine, void* all, std::size_t bytes) {
    const char* const begin = static_cast<const char*>(mine);
    memory_.resize(std::max(memory_.size(), bytes * std::size_t(size())));
    if (const auto sent = step({std::vector<char>(begin, begin + bytes)}))
      for (std::size_t r = 0; r < sent->size(); ++r)
        std::copy((*sent)[r][0].begin(), (*sent)[r][0].end(), memory_.data() + r * bytes);
    std::copy_n(memory_.data(), bytes * std::size_t(size()), static_cast<char*>(all));
  }
  void all_to_all(const std::vector<piece>& send, const std::vector<piece>& receive) {
    wire::message mine;
    for (const piece& each : send) {
      const char* const begin = static_cast<const char*>(each.data);
      mine.emplace_back(begin, begin + each.bytes);
    }
    const auto sent = step(std::move(mine));
    const std::size_t ranks = std::size_t(size());
    for (std::size_t i = 0; sent && i < receive.size(); ++i) {
      const auto& bytes = (*sent)[i % ranks][i / ranks * ranks + std::size_t(rank_)];
      std::copy(bytes.begin(), bytes.end(), static_cast<char*>(receive[i].data));
    }
  }
  void abort() noexcept {
    if (steps_left_ >= 0) wire_.give_up();
  }

 private:
  std::optional<std::vector<wire::message>> step(wire::message mine) {
    if (--steps_left_ < 0) {
      wire_.lose_one();
      throw vanished{};
    }
    return wire_.pass(rank_, std::move(mine), patience_);
  }
  wire& wire_;
  int rank_, steps_left_;
  std::chrono::milliseconds patience_;
  host_place place_;
  std::vector<char> memory_;
};

enum class ending { returned, threw, vanished };

/// Calls on ranks of which each is a process of its own; one vanishes before its step `last_step`.
/// Returns how each ended, and how many steps the one that was to vanish took.
template <class Call>
std::pair<std::vector<ending>, int> end_of_ranks(int num_ranks, int last_step, Call call) {
  wire all{num_ranks};
  std::vector<ending> endings(std::size_t(num_ranks), ending::returned);
  std::vector<std::thread> processes;
  int num_steps = 0;
  constexpr int never = 1 << 20;
  for (int r = 0; r < num_ranks; ++r)
    processes.emplace_back([&, r] {
      const bool is_chosen = r == num_ranks / 2;
      const std::chrono::milliseconds patience{(r + 3) % num_ranks};  // some give up before others
      std::vector<std::unique_ptr<vanishing_communicator>> one;
      one.push_back(std::make_unique<vanishing_communicator>(all, r, is_chosen ? last_step : never,
                                                             patience));
      const auto& communicator = *one.front();
      hindsight::rank_group<vanishing_communicator> g{std::move(one)};
      try {
        call(g);
      } catch (const vanished&) {
        endings[std::size_t(r)] = ending::vanished;
      } catch (const std::runtime_error&) {
        endings[std::size_t(r)] = ending::threw;
        EXPECT_THROW(call(g), std::runtime_error);
      }
      if (is_chosen) num_steps = last_step - communicator.steps_left();
    });
  for (std::thread& process : processes) process.join();
  return {endings, num_steps};
}

template <class Call>
void expect_that_all_end(const char* what, Call call) {
  for (const int ranks : {2, 3, 16}) {
    const auto [well, num_steps] = end_of_ranks(ranks, 1 << 20, call);
    EXPECT_EQ(well, std::vector<ending>(std::size_t(ranks), ending::returned)) << what;
    for (int step = 0; step<num_steps; step += ranks> 3 ? 4 : 1) {
      const auto endings = end_of_ranks(ranks, step, call).first;
      for (std::size_t r = 0; r < endings.size(); ++r)
        EXPECT_EQ(int(endings[r]), int(r == endings.size() / 2 ? ending::vanished : ending::threw))
            << what << ": rank " << r << " of " << ranks << ", step " << step;
    }
  }
}

using group_that_loses_one = hindsight::rank_group<vanishing_communicator>;
std::vector<std::vector<int>> shard_of(const group_that_loses_one& g, std::size_t n = 300) {
  return {numbers_with_poison_at(n, std::size_t(g.rank(0)))};
}

/// A rank vanishes before each step of a call: no other one may return.
TEST(ranks_faults, a_rank_that_vanishes_ends_folds_and_scans) {
  within_a_minute([] {
    expect_that_all_end("reduce", [](const group_that_loses_one& g) {
      auto items = shard_of(g);
      hindsight::reduce(g.par, hindsight::shards(g, items));
    });
    expect_that_all_end("reduce_same_bits", [](const group_that_loses_one& g) {
      auto items = shard_of(g);
      hindsight::reduce_same_bits(g.par, hindsight::shards(g, items), 0);
    });
    expect_that_all_end("inclusive_scan", [](const group_that_loses_one& g) {
      auto items = shard_of(g);
      const auto v = hindsight::shards(g, items);
      hindsight::inclusive_scan(g.par, v, v);
    });
  });
}
TEST(ranks_faults, a_rank_that_vanishes_ends_sorts) {
  within_a_minute([] {
    expect_that_all_end("sort", [](const group_that_loses_one& g) {
      auto items = shard_of(g);
      hindsight::sort(g.par, hindsight::shards(g, items));
    });
  });
  within_a_minute([] {
    expect_that_all_end("sort by a comparator", [](const group_that_loses_one& g) {
      auto items = shard_of(g);
      hindsight::sort(g.par, hindsight::shards(g, items), [](int a, int b) { return a < b; });
    });
  });
}

}  // namespace
