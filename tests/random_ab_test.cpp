// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The randomised tests themselves: a wrong bit is found, with its index and with what repeats it;
// a seed and a number always give the same trial; every kind of choice comes up.
#include "random_ab/run.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

namespace hindsight_test {

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << part << "\" is not in \"" << text << "\"";
}

/// An algorithm whose result of ours `spoil` changes: 900 items, in a range of 1000.
template <class Spoil>
void fake_copy(trial& t, Spoil spoil) {
  const auto items = t.items<u32>(1000);
  const outputs<u32> out(items, t.shift());
  t.both([&](const auto& policy, side which) {
    if constexpr (!is_stock<decltype(policy)>) spoil(out[which].data());
    return 0;
  });
  t.compare("output", out, 900, 1000);
}

std::string failure_of(void (*run)(trial&), u64 number = 7) {
  return run_trial({{"fake<u32>", run}}, 42, number);
}

TEST(RandomAB, AcceptsTheSameBits) {
  EXPECT_EQ(failure_of([](trial& t) { fake_copy(t, [](u32*) {}); }), "");
}

TEST(RandomAB, FindsTheFirstItemThatDiffers) {
  const auto text = failure_of([](trial& t) {
    fake_copy(t, [](u32* out) {
      out[123] ^= 1u << 31;
      out[124] ^= 1;
    });
  });
  EXPECT_TRUE(contains(text, "output: item 123 of 900 is 0x"));
  EXPECT_TRUE(contains(text, "HINDSIGHT_TEST_SEED=42 HINDSIGHT_TEST_CASE=7: fake<u32>, items "));
}

TEST(RandomAB, FindsTheLastBitOfTheLastItem) {
  const auto text = failure_of([](trial& t) { fake_copy(t, [](u32* out) { out[899] ^= 1; }); });
  EXPECT_TRUE(contains(text, "item 899 of 900"));
}

TEST(RandomAB, FindsWhatIsWrittenOutsideOfTheRoom) {
  const auto behind =
      failure_of([](trial& t) { fake_copy(t, [](u32* out) { out[1000] = 0xABABABAA; }); });
  EXPECT_TRUE(contains(behind, "item 1000 of 900 is 0xababab"));
  const auto front =
      failure_of([](trial& t) { fake_copy(t, [](u32* out) { out[-1] = 0x00ABABAB; }); });
  EXPECT_TRUE(contains(front, "item -1 of 900 is 0x00ababab instead of what was in front"));
  const auto far = failure_of([](trial& t) { fake_copy(t, [](u32* out) { out[1255] = 0; }); });
  EXPECT_TRUE(contains(far, "item 1255 of 900"));
  const auto spare = failure_of([](trial& t) { fake_copy(t, [](u32* out) { ++out[950]; }); });
  EXPECT_EQ(spare, "");
}

/// Of an input of 100 items ours changes the one at a place; from 1000 on none.
std::string failure_of_change_at(std::ptrdiff_t place) {
  static std::ptrdiff_t at;
  at = place;
  return failure_of([](trial& t) {
    const array<u32> in(t.items<u32>(100), 3);
    t.both([&](const auto& policy, side) {
      if (!is_stock<decltype(policy)> && at < 1000) in.data()[at] ^= 1;
      return 0;
    });
  });
}

TEST(RandomAB, FindsAChangedInput) {
  EXPECT_EQ(failure_of_change_at(1000), "");
  for (const std::ptrdiff_t place : {-1, 0, 99, 100}) {
    EXPECT_TRUE(contains(failure_of_change_at(place), "an input has changed")) << place;
    EXPECT_EQ(failure_of_change_at(1000), "") << "after " << place;
  }
}

TEST(RandomAB, DrawsTeams) {
  std::set<unsigned> sizes;
  for (u64 number = 0; number < 200; ++number) {
    trial t{1, number, ""};
    t.both([&](const auto& policy, side) {
      const unsigned size = hindsight::detail::host::asked_team_size();
      if (!is_stock<decltype(policy)>) sizes.insert(size);
      return 0;
    });
  }
  EXPECT_EQ(sizes, (std::set<unsigned>{0, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(RandomAB, FindsAnotherReturnedValue) {
  const auto text = failure_of([](trial& t) {
    t.both([](const auto& policy, side) { return is_stock<decltype(policy)> ? i16{1} : i16{2}; });
  });
  EXPECT_TRUE(contains(text, "the call returned 0x0002 instead of 0x0001"));
}

TEST(RandomAB, ReportsWhatIsThrown) {
  const auto text = failure_of([](trial& t) {
    t.both([](const auto& policy, side) {
      if (!is_stock<decltype(policy)>) throw std::runtime_error("a fault");
      return 0;
    });
  });
  EXPECT_TRUE(contains(text, "threw a fault"));
}

TEST(RandomAB, RunsAllCasesAndOneAlone) {
  static std::vector<u64> draws;
  const auto run = [](trial& t) { draws.push_back(t.below(~u64{0})); };
  const std::vector<random_case> cases(5, {"fake<u32>", run});
  run_options options;
  options.seconds = 0;
  EXPECT_EQ(run_trials(cases, options).trials, 15u);
  ASSERT_EQ(draws.size(), 15u);
  EXPECT_EQ(std::set<u64>(draws.begin(), draws.end()).size(), 15u) << "trials draw alike";

  options.only = 11;
  EXPECT_EQ(run_trials(cases, options).trials, 1u);
  EXPECT_EQ(draws.back(), draws[11]);
  options.seed += 1;
  run_trials(cases, options);
  EXPECT_NE(draws.back(), draws[11]);
}

TEST(RandomAB, StopsAfterTenFailures) {
  const std::vector<random_case> cases(20, {"fake<u32>", [](trial& t) { t.differ("always"); }});
  EXPECT_EQ(run_trials(cases, run_options{}).failures.size(), 10u);
}

// ---- what is drawn ----

TEST(RandomAB, DrawsEveryDistribution) {
  std::set<std::string> kinds;
  for (u64 number = 0; number < 200; ++number) {
    trial t{1, number, ""};
    const auto items = t.items<i32>(500);
    const std::string text = t.description();
    const auto distinct = std::set<i32>(items.begin(), items.end()).size();
    const bool as_it_says = text == ", items all equal"       ? distinct == 1
                            : text == ", items of few values" ? distinct <= 5
                            : text == ", items special"       ? distinct <= 6
                            : text == ", items uniform"       ? distinct > 490
                            : text == ", items sorted" ? std::is_sorted(items.begin(), items.end())
                            : text == ", items sorted, descending"
                                ? std::is_sorted(items.rbegin(), items.rend())
                                : true;
    EXPECT_TRUE(as_it_says) << text;
    kinds.insert(text);
  }
  EXPECT_EQ(kinds.size(), 12u);  // seven, one of them in two orders and one in five lengths
}

TEST(RandomAB, DrawsSizesFromNothingToMillions) {
  trial t{1, 0, ""};
  std::map<std::size_t, int> times;
  std::size_t largest = 0, small = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t n = t.size({});
    ++times[n];
    largest = std::max(largest, n);
    small += n < 100000;
  }
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 8191, 8192, 8193, 65537})
    EXPECT_GT(times[n], 0) << n;
  EXPECT_GT(times[8192 * 32 + 1], 0);
  EXPECT_GT(largest, 1u << 20);
  EXPECT_LE(largest, trial::most_items);
  EXPECT_GT(small, 15000u);
}

template <class T>
void expect_special_floats() {
  std::mt19937_64 random{1};
  std::set<u64> nans;
  int zeros[2] = {}, infinities[2] = {}, denormals = 0;
  for (int i = 0; i < 4000; ++i) {
    const T item = special_item<T>(random);
    u64 bits = 0;
    std::memcpy(&bits, &item, sizeof item);
    if (std::isnan(item)) nans.insert(bits);
    if (item == 0) ++zeros[std::signbit(item)];
    if (std::isinf(item)) ++infinities[std::signbit(item)];
    denormals += item != 0 && std::fpclassify(item) == FP_SUBNORMAL;
    EXPECT_FALSE(std::isnan(allowed(item, values::ordered)));
    EXPECT_LE(std::abs(allowed(item, values::exact)), 7);
  }
  EXPECT_GT(nans.size(), 400u);
  EXPECT_TRUE(zeros[0] && zeros[1] && infinities[0] && infinities[1] && denormals);
}
TEST(RandomAB, DrawsSpecialFloats) {
  expect_special_floats<float>();
  expect_special_floats<double>();
}

template <class T>
void expect_special_integers() {
  std::mt19937_64 random{1};
  std::set<T> items;
  for (int i = 0; i < 200; ++i) items.insert(special_item<T>(random));
  const T all = static_cast<T>(~T{0}), top = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
  EXPECT_EQ(items, (std::set<T>{0, 1, 2, all, top, static_cast<T>(top - 1)})) << sizeof(T);
}
TEST(RandomAB, DrawsSpecialIntegers) {
  expect_special_integers<u8>();
  expect_special_integers<u16>();
  expect_special_integers<u32>();
  expect_special_integers<u64>();
  std::mt19937_64 random{1};
  std::set<i8> bytes;
  for (int i = 0; i < 200; ++i) bytes.insert(special_item<i8>(random));
  EXPECT_EQ(bytes, (std::set<i8>{-128, -1, 0, 1, 2, 127}));
  std::set<u128> wide;
  for (int i = 0; i < 200; ++i) wide.insert(special_item<u128>(random));
  EXPECT_EQ(wide.size(), 6u);
  EXPECT_EQ(wide.count(u128{1} << 127), 1u);
  EXPECT_EQ(wide.count((u128{1} << 127) - 1), 1u);
}

}  // namespace hindsight_test
