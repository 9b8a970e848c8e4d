// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// The look-back protocol on threads, with tiny tiles, to be run under ThreadSanitizer: every size
// class of a board's slot, with and without a value before the first tile.
#include <hindsight/detail/board/look_back.h>
#include <hindsight/detail/board/tile_board.h>
#include <hindsight/detail/host/carry_chain.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace hindsight::detail;

/// x -> scale * x + offset over the integers modulo 2^k, padded to a size. Not commutative.
template <class Word, std::size_t Padding>
struct affine {
  Word scale, offset;
  unsigned char padding[Padding];
  bool operator==(const affine& other) const {
    return scale == other.scale && offset == other.offset && padding[0] == other.padding[0] &&
           padding[Padding - 1] == other.padding[Padding - 1];
  }
};

struct compose {
  template <class Word, std::size_t Padding>
  affine<Word, Padding> operator()(const affine<Word, Padding>& f,
                                   const affine<Word, Padding>& g) const {
    affine<Word, Padding> h{Word(f.scale * g.scale), Word(g.scale * f.offset + g.offset), {}};
    std::memset(h.padding, h.offset & 0xff, Padding);  // a torn read would show here
    return h;
  }
};

template <class T>
T random_affine(std::mt19937& random) {
  T f{decltype(T::scale)(random() | 1), decltype(T::offset)(random()), {}};
  std::memset(f.padding, f.offset & 0xff, sizeof f.padding);
  return f;
}

template <class T>
class look_back_of : public testing::Test {};
using slot_sizes = testing::Types<affine<std::uint8_t, 1>,     // 3 bytes: an 8-byte word
                                  affine<std::uint8_t, 2>,     // 4 bytes
                                  affine<std::uint32_t, 4>,    // 12 bytes: a 16-byte word
                                  affine<std::uint64_t, 8>,    // 24 bytes: two of these
                                  affine<std::uint32_t, 92>>;  // 100 bytes: value, then flag
TYPED_TEST_SUITE(look_back_of, slot_sizes);

/// Carries of all tiles as a team of threads finds them through carry_chain.
template <class T>
std::vector<T> relayed_carries(const std::vector<T>& aggregates, unsigned threads,
                               const T* initial) {
  const host::tiling tiles{aggregates.size(), sizeof(T), {threads, 1}};
  host::carry_chain<T, compose> carriers{tiles, compose{}, initial};
  const host::scratch memory{host::heap, [&](carver& space) { carriers.carve(space); }};
  std::vector<T> carries(aggregates.size());
  carriers.run([&](std::size_t tile, unsigned) {
    const T carry = carriers.carry_into(tile, aggregates[tile]);
    if (carriers.has_carry(tile)) carries[tile] = carry;
  });
  return carries;
}

TYPED_TEST(look_back_of, carries_are_exclusive_scans) {
  std::mt19937 random{5};
  for (std::size_t n : {1, 2, 31, 32, 33, 64, 65, 500})
    for (unsigned threads : {1u, 2u, 3u, 7u}) {
      std::vector<TypeParam> aggregates(n);
      for (TypeParam& aggregate : aggregates) aggregate = random_affine<TypeParam>(random);
      const TypeParam initial = random_affine<TypeParam>(random);

      const auto plain = relayed_carries<TypeParam>(aggregates, threads, nullptr);
      const auto begun = relayed_carries<TypeParam>(aggregates, threads, &initial);
      TypeParam fold = aggregates[0], fold_from_initial = initial;
      for (std::size_t i = 0; i < n; ++i) {
        if (i > 0) {
          ASSERT_EQ(plain[i], fold) << i << " of " << n << ", threads " << threads;
          fold = compose{}(fold, aggregates[i]);
        }
        ASSERT_EQ(begun[i], fold_from_initial) << i << " of " << n << ", threads " << threads;
        fold_from_initial = compose{}(fold_from_initial, aggregates[i]);
      }
    }
}

// A plain write before publishing a value of more than 4 bytes is seen by who waits for it: the
// in-place algorithms rest on that.
TEST(tile_board, hands_over_what_was_written_before) {
  for (int round = 0; round < 200; ++round) {
    std::vector<unsigned char> memory(4096);
    carver space{memory.data()};
    const tile_board<std::size_t> board{space, 4};
    int plain = 0;
    std::thread owner{[&] {
      plain = 42;
      board.publish_aggregate(1, 7);
    }};
    std::size_t value = 0;
    board.wait_aggregate(1, value);
    EXPECT_EQ(value, 7u);
    EXPECT_EQ(plain, 42);
    owner.join();
  }
}

TEST(kogge_stone, is_the_shuffle_network) {
  const auto pair_up = [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; };
  std::string items[] = {"a", "b", "c", "d", "e"};
  host::kogge_stone_scan(items, 5, pair_up);
  EXPECT_EQ(items[1], "(ab)");
  EXPECT_EQ(items[2], "(a(bc))");
  EXPECT_EQ(items[3], "((ab)(cd))");
  EXPECT_EQ(items[4], "(a((bc)(de)))");
}

TEST(kogge_stone, folds_as_it_scans) {
  const auto pair_up = [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; };
  for (std::size_t count = 1; count <= 32; ++count) {
    std::vector<std::string> scanned;
    for (std::size_t i = 0; i < count; ++i) scanned.push_back(std::string(1, char('A' + i)));
    auto folded = scanned;
    host::kogge_stone_scan(scanned.data(), int(count), pair_up);
    EXPECT_EQ(host::kogge_stone_fold(folded.data(), count, pair_up), scanned.back());
  }
}

// The association of every carry is a function of the tile alone.
TEST(carry_chain, float_carries_do_not_depend_on_the_team) {
  std::mt19937 random{9};
  std::vector<float> aggregates(2000);
  for (float& aggregate : aggregates) aggregate = float(random()) / float(1 << random() % 30);
  const host::tiling one{2000, 4, {1, 1}};
  const auto carries = [&](unsigned threads) {
    const host::tiling tiles{2000, 4, {threads, 1}};
    host::carry_chain<float, std::plus<>> carrier{tiles, {}};
    const host::scratch memory{host::heap, [&](carver& space) { carrier.carve(space); }};
    std::vector<float> result(2000);
    carrier.run([&](std::size_t tile, unsigned) {
      result[tile] = carrier.carry_into(tile, aggregates[tile]);
    });
    return result;
  };
  const auto expected = carries(1);
  for (unsigned threads : {2u, 3u, 7u, 16u}) EXPECT_EQ(carries(threads), expected);
}

// Those before it end as if nothing had happened: in-place algorithms count on it.
TEST(carry_chain, a_throwing_tile_ends_those_behind_it) {
  constexpr std::size_t none = 12345;
  for (unsigned threads : {1u, 2u, 7u})
    for (std::size_t bad : {0u, 1u, 31u, 32u, 99u}) {
      const host::tiling tiles{100, 4, {threads, 1}};
      host::count_chain counts{tiles};
      const host::scratch memory{host::heap, [&](carver& space) { counts.carve(space); }};
      std::vector<std::size_t> before(100, none);
      EXPECT_THROW(counts.run([&](std::size_t tile, unsigned) {
        if (tile == bad) throw std::runtime_error{"bad tile"};
        before[tile] = counts.carry_into(tile, 2);
      }),
                   std::runtime_error);
      EXPECT_EQ(counts.num_complete(), bad);
      EXPECT_EQ(counts.num_written(), 2 * bad);
      for (std::size_t tile = 0; tile < 100; ++tile)
        EXPECT_EQ(before[tile], tile < bad ? 2 * tile : none) << tile << " of " << bad;
    }
}

// The lower one throws last: who waits for it must not look at the higher one alone.
TEST(carry_chain, the_lowest_of_two_throwing_tiles_counts) {
  constexpr std::size_t none = 12345, lower = 3, higher = 5;
  const host::team_size_scope asked{
      8};  // tiles wait for higher ones, also while others have the processors
  const host::tiling tiles{8, 4, {8, 1}};
  host::count_chain counts{tiles};
  const host::scratch memory{host::heap, [&](carver& space) { counts.carve(space); }};
  std::vector<std::size_t> before(8, none);
  std::atomic<std::size_t> started{0};
  std::atomic<bool> is_thrown{false};
  EXPECT_THROW(counts.run([&](std::size_t tile, unsigned) {
    ++started;
    while (started <= higher) std::this_thread::yield();
    if (tile == higher) {
      is_thrown = true;
      throw std::runtime_error{"higher"};
    }
    if (tile == lower) {
      while (!is_thrown) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
      throw std::runtime_error{"lower"};
    }
    before[tile] = counts.carry_into(tile, 2);
  }),
               std::runtime_error);
  EXPECT_EQ(counts.num_complete(), lower);
  EXPECT_EQ(counts.num_written(), 2 * lower);
  for (std::size_t tile = 0; tile < 8; ++tile)
    EXPECT_EQ(before[tile], tile < lower ? 2 * tile : none) << tile;
}

TEST(team, calls_every_rank_once_and_rethrows) {
  for (unsigned size : {0u, 1u, 2u, 7u}) {
    std::vector<std::atomic<int>> calls(size);
    host::run_team(size, [&](unsigned rank) { ++calls[rank]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
    if (size == 0) continue;
    EXPECT_THROW(host::run_team(size,
                                [&](unsigned rank) {
                                  if (rank == size - 1) throw std::runtime_error{"rank"};
                                }),
                 std::runtime_error);
  }
}

// What is done item by item has as many threads for bytes as for ints.
TEST(team, counts_small_items_as_work) {
  const host::team_size_scope asked{64};
  constexpr std::size_t n = std::size_t{1} << 16;
  const host::tiling ints{n, host::weight_of<int>, {}};
  const host::tiling bytes{n, host::weight_of<char>, {}};
  EXPECT_GT(ints.num_threads, 1u);
  EXPECT_EQ(bytes.num_threads, ints.num_threads);
  EXPECT_EQ(bytes.num_tiles, ints.num_tiles);
  EXPECT_EQ(host::weight_of<double>, sizeof(double));
}

// Late teams: alone for a while, then twice as long if they are late again soon.
TEST(contention, lasts_for_a_while_and_longer_if_it_comes_back) {
  using time = host::contention::clock::time_point;
  constexpr auto once = host::contention::first_period;
  constexpr std::chrono::milliseconds moment{1};
  host::contention others;
  time now{std::chrono::hours{1}};
  EXPECT_FALSE(others.is_likely(now));
  others.note_late_team(now);
  EXPECT_FALSE(others.is_likely(now));
  others.note_late_team(now);
  EXPECT_TRUE(others.is_likely(now + once - moment));
  EXPECT_FALSE(others.is_likely(now + once));
  now += once;
  others.note_late_team(now);
  EXPECT_TRUE(others.is_likely(now + 2 * once - moment));
  EXPECT_FALSE(others.is_likely(now + 2 * once));
  now += 10 * once;
  others.note_late_team(now);
  EXPECT_TRUE(others.is_likely(now + once - moment));
  EXPECT_FALSE(others.is_likely(now + once));
}

// One late team in five is none; two in five are one.
TEST(contention, is_not_there_for_a_late_team_now_and_then) {
  const host::contention::clock::time_point now{std::chrono::hours{1}};
  for (const bool is_often : {false, true}) {
    host::contention others;
    for (int team = 0; team < 1000; ++team) {
      const bool is_late = team % 5 == 0 || (is_often && team % 5 == 2);
      is_late ? others.note_late_team(now) : others.note_punctual_team();
    }
    EXPECT_EQ(others.is_likely(now), is_often);
  }
}

// Work that no thread need share is one thread's under contention, unless several were asked for.
TEST(team, is_one_thread_under_contention) {
  const auto threads_of = [](std::size_t bytes) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    host::run_team(2, bytes, [&](unsigned) {
      const std::lock_guard<std::mutex> lock{mutex};
      seen.insert(std::this_thread::get_id());
    });
    return seen.size();
  };
  // So that it lasts on a busy machine, too.
  const auto soon = host::contention::clock::now() + std::chrono::seconds{10};
  for (int team = 0; team < 2; ++team) host::other_programs.note_late_team(soon);
  EXPECT_EQ(threads_of(1000), 1u);
  EXPECT_EQ(threads_of(host::engine_tuning::contended_bytes), 2u);
  const host::team_size_scope asked{2};
  EXPECT_EQ(threads_of(1000), 2u);
}

}  // namespace
