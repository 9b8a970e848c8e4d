// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that throw and communicators that fail: every rank ends with an error that says why, within
// a bounded time, and after a rank's own fault the group is still of use.
// labels: asan tsan
#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>

#include "ranks_testing.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using hindsight::detail::ranks::host_place;
using hindsight::detail::ranks::loopback_communicator;
using hindsight::detail::ranks::meeting;
using hindsight::detail::ranks::piece;
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
              const std::vector<int> mine(100, rank.rank());  // more than one letter takes
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
  within_a_minute([&] {
    EXPECT_THROW(hindsight::inclusive_scan(g.par, v, too_small), hindsight::invalid_call);
    EXPECT_THROW(hindsight::sort_by_key(g.par, v, too_small), hindsight::invalid_call);
    EXPECT_THROW(hindsight::histogram_even(g.par, v, 9, 5, 5, v), hindsight::invalid_call);
    EXPECT_THROW(hindsight::histogram_even(g.par, v, 0, 0, 5, v), hindsight::invalid_call);
  });
}

/// A communicator of which one rank's fails after so many exchanges.
class faulty_communicator : public loopback_communicator<host_place> {
  using base = loopback_communicator<host_place>;

 public:
  faulty_communicator(meeting& all, int rank, int exchanges_left)
      : base{all, rank, {}}, left_{exchanges_left} {}
  void all_gather(const void* mine, void* all, std::size_t bytes) {
    use();
    base::all_gather(mine, all, bytes);
  }
  void all_to_all(const std::vector<piece>& send, const std::vector<piece>& receive) {
    use();
    base::all_to_all(send, receive);
  }

 private:
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
        meeting all{ranks};
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
          } catch (const std::runtime_error&) {
            is_over = true;
          }
        }
        EXPECT_TRUE(is_over);
        EXPECT_THROW(hindsight::reduce(g.par, v), std::runtime_error);
      });
}

}  // namespace
