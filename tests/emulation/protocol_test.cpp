// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The protocol itself, in all that can happen: a few threads run the library's own board, look-back
// and baton under every decision of the scheduler and of the memory. A block is one thread here.
//
// Each word is read as old as anything allows, so all executions of the memory model are among
// these, but for one bound: a thread is interrupted at most so many times in its own work.
#include <hindsight/detail/board/baton.h>
#include <hindsight/detail/board/digit_board.h>
#include <hindsight/detail/board/look_back.h>
#include <hindsight/detail/cuda/block/look_back.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

/// What goes wrong in any launch of `e`, or nothing.
std::string try_everything(const experiment& e, unsigned preemptions,
                           std::size_t* launches = nullptr) {
  every_decision all;
  habits machine;
  machine.blocks = machine.lanes = preference::random;
  machine.preempt_one_in = 1;
  machine.most_preemptions = preemptions;
  machine.stale_one_in = 1;
  machine.late_copy_one_in = 0;
  std::size_t count = 0;
  std::string wrong;
  do {
    ++count;
    wrong = try_on(machine, all, e);
  } while (wrong.empty() && all.next());
  if (launches) *launches = count;
  return wrong;
}

/// Nothing goes wrong; without any one of the orderings something does.
void is_right_and_minimal(const experiment& e, unsigned preemptions, std::size_t least_launches) {
  forget_orderings();
  std::size_t launches = 0;
  ASSERT_EQ(try_everything(e, preemptions, &launches), "");
  EXPECT_GE(launches, least_launches);
  std::cout << launches << " launches\n";
  if (!watches_memory()) return;
  std::set<ordering> lines;
  for (ordering o : orderings()) {
    o.code = nullptr;
    lines.insert(o);
  }
  for (const ordering& o : lines) {
    weaken(&o);
    EXPECT_NE(try_everything(e, preemptions, &launches), "") << "not missed: " << o.name();
    std::cout << "without " << o.name() << ", line " << o.line << ": wrong in launch " << launches
              << "\n";
    weaken(nullptr);
  }
}

/// Threads take the ways of host code while this lives.
struct plays_host {
  plays_host() { plays_device = false; }
  ~plays_host() { plays_device = true; }
};

/// Words of a board's slot that have flags; none where the flag has a word of its own.
template <class T>
constexpr int words_of = sizeof(T) <= 7    ? 1
                         : sizeof(T) <= 14 ? 2
                         : sizeof(T) <= 28 ? 4
                                           : 0;

template <class T>
class protocol : public testing::Test {
 protected:
  static constexpr std::size_t window = 32;

  /// Plain memory: item t is written by tile t before it publishes.
  device_array<int> plain_{4};
  device_array<unsigned char> space_{1 << 14};
  std::vector<T> aggregates_ = random_items<T>(64);
  std::vector<T> carries_{std::vector<T>(64)};

  void prepare() {
    std::memset(static_cast<void*>(space_.data()), 0, 1 << 14);
    plain_.assign({0, 0, 0, 0});
  }
  tile_board<T> board() {
    carver space{space_.data()};
    return {space, 40};
  }

  /// The fold of all aggregates before `tile`; tile > 0.
  T carry_into(std::size_t tile) const {
    T carry = aggregates_[0];
    for (std::size_t t = 1; t < tile; ++t) carry = operator_of<T>{}(carry, aggregates_[t]);
    return carry;
  }

  /// Tiles [first, first + count) of host threads find their carries; those before have already
  /// published. A tile then reads what the tiles before it have written plainly.
  experiment look_back_on_host(std::size_t first, unsigned count) {
    return {[=] {
              prepare();
              for (std::size_t t = 0; t < first; ++t) board().publish_aggregate(t, aggregates_[t]);
            },
            [=] {
              const plays_host host;
              const auto b = board();
              run_grid("look_back", count, 1, 0, [&] {
                const std::size_t tile = first + blockIdx.x;
                plain_.data()[blockIdx.x] = 7;
                carries_[tile] =
                    host::look_back(b, tile, aggregates_[tile], operator_of<T>{},
                                    host::before_first::nothing, [](auto peek, T& value) {
                                      while (!peek(value)) {
                                      }
                                    });
                for (unsigned t = 0; t < blockIdx.x; ++t)
                  if (plain_.data()[t] != 7) fail("a tile sees what was there before");
              });
            },
            [=] {
              for (std::size_t t = std::max<std::size_t>(first, 1); t < first + count; ++t)
                if (std::string d = difference<T>({carries_[t]}, {carry_into(t)}); !d.empty())
                  return "carry " + std::to_string(t) + " is wrong";
              return std::string{};
            }};
  }

  /// One device thread publishes, two wait (one for values of two pairs, whose parts come in many
  /// orders). If memory is handed over they also read what it wrote
  /// before: words need fences for that.
  experiment publish(hand_over handing) {
    return {[this] { prepare(); },
            [=] {
              const auto b = board();
              const bool hands_memory = handing == hand_over::memory;
              const bool has_fences = hands_memory && words_of<T> > 0;
              run_grid("publish", words_of<T> > 2 ? 2 : 3, 1, 0, [&] {
                if (blockIdx.x == 0) {
                  plain_.data()[0] = 7;
                  if (has_fences) __threadfence();
                  b.publish_aggregate(1, aggregates_[1]);
                } else {
                  T value;
                  b.wait_aggregate(1, value);
                  if (!difference<T>({value}, {aggregates_[1]}).empty()) fail("half a value");
                  if (has_fences) __threadfence();
                  if (hands_memory && plain_.data()[0] != 7) fail("the word came first");
                }
              });
            },
            [] { return std::string{}; }};
  }
};
using types = testing::Types<affine<std::uint8_t, 1>,     // 3 bytes: one word
                             affine<std::uint32_t, 0>,    // 8 bytes: two words
                             affine<std::uint32_t, 4>,    // 12 bytes: the same
                             affine<std::uint64_t, 8>,    // 24 bytes: two such pairs
                             affine<std::uint64_t, 16>>;  // 32 bytes: a flag after the value
TYPED_TEST_SUITE(protocol, types);

TYPED_TEST(protocol, publishes_whole_values) {
  is_right_and_minimal(this->publish(hand_over::values), 1, 100);
}
TYPED_TEST(protocol, hands_over_memory) {
  is_right_and_minimal(this->publish(hand_over::memory), 1, 100);
}
TYPED_TEST(protocol, three_tiles_look_back) {
  is_right_and_minimal(this->look_back_on_host(0, 3), words_of<TypeParam> > 2 ? 0 : 2, 1000);
}
/// Values of several words may come in parts: four tiles then make three million launches with an
/// interruption, all of them right, and too many for every run. Two pairs are too many without one.
TYPED_TEST(protocol, four_tiles_look_back) {
  constexpr int words = words_of<TypeParam>;
  is_right_and_minimal(this->look_back_on_host(0, words > 2 ? 3 : 4), words > 1 ? 0 : 1, 100);
}
TYPED_TEST(protocol, tiles_look_back_over_the_end_of_a_window) {
  is_right_and_minimal(this->look_back_on_host(31, 3), words_of<TypeParam> > 2 ? 0 : 1, 1000);
}

/// The board's slots as they once were: 14 bytes and one flag for all of them in 16 bytes.
struct slot_with_one_flag {
  word_pair words;
  void publish(std::uint64_t low, std::uint32_t high) {
    store_pair(words, {low, high | std::uint64_t{1} << 48});
  }
  bool peek(std::uint64_t& low, std::uint32_t& high) const {
    const word_pair found = load_pair(words);
    low = found.low;
    high = static_cast<std::uint32_t>(found.high);
    return found.high >> 48 != 0;
  }
};

TEST(emulation, finds_the_torn_word) {
  device_array<slot_with_one_flag> slot{1};
  const experiment e{[&] {
                       slot.assign({slot_with_one_flag{{0, 0}}});
                     },
                     [&] {
                       run_grid("torn", 2, 1, 0, [&] {
                         if (blockIdx.x == 0) return slot.data()->publish(5, 6);
                         std::uint64_t low;
                         std::uint32_t high;
                         while (!slot.data()->peek(low, high)) {
                         }
                         if (low != 5 || high != 6) fail("half a value");
                       });
                     },
                     [] { return std::string{}; }};
  EXPECT_NE(try_everything(e, 0).find("half a value"), std::string::npos);
}

/// A launch that reads what nobody wrote differs from machine to machine, and repeats with its
/// seed.
TEST(emulation, poisons_memory) {
  const auto first_bytes = [](std::uint64_t seed) {
    start_poison(seed);
    std::vector<std::uint32_t> seen;
    for (int i = 0; i < 8; ++i) seen.push_back(device_array<std::uint32_t>{5}.to_host()[4]);
    return seen;
  };
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto words = first_bytes(seed);
    EXPECT_EQ(words, first_bytes(seed));
    seen.insert(words.begin(), words.end());
  }
  EXPECT_EQ(seen.count(0), 1u);
  EXPECT_EQ(seen.count(~0u), 1u);
  EXPECT_GT(seen.size(), 50u);
}

TEST(emulation, reports_a_deadlock) {
  device_array<std::uint64_t> word{1};
  const experiment e{[&] { word.assign({1}); },
                     [&] {
                       run_grid("stuck", 2, 1, 0, [&] {
                         if (blockIdx.x == 0) return store_word(*word.data(), std::uint64_t{2});
                         while (load_word(*word.data()) != 3) {
                         }
                       });
                     },
                     [] { return std::string{}; }};
  const std::string wrong = try_on_seed(0, e);
  EXPECT_NE(wrong.find("livelock"), std::string::npos);
  EXPECT_NE(wrong.find(": 0x2"), std::string::npos) << wrong;  // the board's state
}

TEST(digit_board, three_tiles_look_back) {
  constexpr int ahead = 2;
  device_array<std::uint32_t> words{16}, sums{3};
  const experiment e{
      [&] { words.assign(std::vector<std::uint32_t>(16)); },
      [&] {
        const digit_board<std::uint32_t> board{words.data() + ahead, 1};
        run_grid("look_back_digit", 3, 1, 0, [&] {
          const unsigned tile = blockIdx.x;
          using state = digit_state;
          board.publish(tile, 0, {tile ? state::aggregate : state::prefix, 10 + tile});
          if (tile == 0) return;
          const auto before = look_back_digit<ahead>(board, tile, 0);
          board.publish(tile, 0, {state::prefix, before + 10 + tile});
          sums.data()[tile] = before;
        });
      },
      [&] {
        const bool right = sums.data()[1] == 10 && sums.data()[2] == 21;
        return std::string{right ? "" : "wrong sums"};
      }};
  is_right_and_minimal(e, 2, 1000);
}

TEST(baton, goes_round) {
  device_array<baton<std::uint64_t>> one{1};
  const experiment e{[&] { one.data()->reset(); },
                     [&] {
                       run_grid("baton", 1, 3, 0, [&] {
                         auto& b = *one.data();
                         for (unsigned turn = threadIdx.x; turn < 4; turn += 3) {
                           std::uint64_t value = 100;
                           if (turn > 0 && !b.wait(turn, value)) fail("nobody dropped it");
                           if (value != 100 + turn) fail("a value of another turn");
                           b.pass(turn + 1, value + 1);
                         }
                       });
                     },
                     [] { return std::string{}; }};
  is_right_and_minimal(e, 2, 1000);
}

TEST(baton, is_dropped) {
  device_array<baton<std::uint64_t>> one{1};
  const experiment e{[&] { one.data()->reset(); },
                     [&] {
                       run_grid("baton", 1, 3, 0, [&] {
                         std::uint64_t value = 0;
                         if (threadIdx.x == 0) {
                           one.data()->pass(1, 7);
                           one.data()->drop();
                         } else if (threadIdx.x == 1) {
                           if (one.data()->wait(1, value) && value != 7) fail("half a value");
                         } else if (one.data()->wait(2, value)) {
                           fail("turn 2 never came");
                         }
                       });
                     },
                     [] { return std::string{}; }};
  is_right_and_minimal(e, 2, 1000);
}

}  // namespace
