// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The randomised tests over types of any kind, themselves: what is wrong is found, padding is not;
// operators are what they are said to be for every type of the list.
#include "random_ab/twin.h"
#include <set>
#include <string>
#include <utility>

namespace hindsight_test {

using types::padded_between;

trial any_trial(u64 number) {
  return trial{1, number, ""};
}

TEST(RandomTwin, AcceptsTheSameParts) {
  trial t = any_trial(0);
  const twin<padded_between> items(draw_items<padded_between>(t, 100), 3);
  EXPECT_EQ(items.difference(100, 100), "");
  reinterpret_cast<unsigned char*>(items.at(our_side{}))[1] ^= 1;  // padding
  EXPECT_EQ(items.difference(100, 100), "");
}

TEST(RandomTwin, FindsAnotherPart) {
  trial t = any_trial(0);
  const twin<padded_between> items(draw_items<padded_between>(t, 100), 3);
  items.at(our_side{})[42].second ^= 1u << 31;
  EXPECT_NE(items.difference(100, 100).find("item 42 of 100 is ("), std::string::npos);
  EXPECT_EQ(items.difference(42, 100), "");
}

TEST(RandomTwin, FindsWhatIsWrittenOutside) {
  trial t = any_trial(0);
  const twin<u16> items(draw_items<u16>(t, 100), 3);
  EXPECT_NE(items.difference(99, 99), "") << "item 99 is set";
  items.at(our_side{})[-1] = 0;
  EXPECT_NE(items.difference(100, 100), "");
}

TEST(RandomTwin, FindsAChangedInput) {
  an_input_has_changed() = false;
  trial t = any_trial(0);
  for (const bool changes : {false, true}) {
    {
      const input<u32> in(draw_items<u32>(t, 100), 3);
      if (changes) in.at(our_side{})[42] ^= 4;
    }
    EXPECT_EQ(std::exchange(an_input_has_changed(), false), changes);
  }
}

TEST(RandomTwin, KnowsWhatIsNoItem) {
  saw_no_item();
  trial t = any_trial(0);
  const auto op = in_form<1, u64>(compose_parts<u64>{});
  auto fold = op;
  fold(draw_item<u64>(t), draw_item<u64>(t));
  EXPECT_FALSE(saw_no_item());
  fold(draw_item<u64>(t), 0xABABABABABABABAB);
  EXPECT_TRUE(saw_no_item());
  EXPECT_FALSE(saw_no_item()) << "asked once";
}

template <class T>
void expect_composition(trial& t) {
  const compose_parts<T> op;
  int swapped = 0;
  for (int i = 0; i < 20; ++i) {
    const T a = draw_item<T>(t), b = draw_item<T>(t), c = draw_item<T>(t);
    EXPECT_TRUE(same_parts(op(op(a, b), c), op(a, op(b, c)))) << name_of<T>();
    EXPECT_TRUE(is_valid(op(a, b))) << name_of<T>();
    swapped += !same_parts(op(a, b), op(b, a));
    const turn<T> turned{u32(i)};
    EXPECT_TRUE(same_parts(turned(turned(a)), a)) << name_of<T>();
    EXPECT_TRUE(is_valid(turned(a))) << name_of<T>();
  }
  EXPECT_TRUE(parts<T>::bits(0) < 4 || swapped > 5) << name_of<T>() << ": commutes";
}
template <class... Ts>
void expect_compositions(type_list<Ts...>) {
  trial t = any_trial(1);
  (expect_composition<Ts>(t), ...);
}
TEST(RandomTwin, ComposesInOneOrderOnly) {
  expect_compositions(all_types{});
}

template <class T, int... Forms>
void expect_forms(trial& t, std::integer_sequence<int, Forms...>) {
  const T a = draw_item<T>(t), b = draw_item<T>(t);
  const T expected = compose_parts<T>{}(a, b);
  const auto result = [&](auto op) { return T(op(a, b)); };
  EXPECT_TRUE((same_parts(result(in_form<Forms, T>(compose_parts<T>{})), expected) && ...));
}
TEST(RandomTwin, EveryFormComputesTheSame) {
  trial t = any_trial(2);
  expect_forms<types::blob<10, 2>>(t, std::make_integer_sequence<int, num_forms>{});
  expect_forms<types::no_default>(t, std::make_integer_sequence<int, num_forms>{});
  expect_forms<types::odd_operators>(t, std::make_integer_sequence<int, num_forms>{});
}

TEST(RandomTwin, DrawsSizesAroundEdges) {
  trial t = any_trial(3);
  std::set<std::size_t> near;
  std::size_t largest = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::size_t n = t.size({77777}, 384);
    if (n + 1 >= 77777 && n <= 77778) near.insert(n);
    largest = std::max(largest, n);
  }
  EXPECT_EQ(near, (std::set<std::size_t>{77776, 77777, 77778}));
  EXPECT_LE(largest * 384, trial::most_bytes);
}

TEST(RandomTwin, EdgesAreTheLibrarysOwn) {
  constexpr std::size_t tile = std::size_t(hindsight::detail::scan_shape<u64>().tile_items());
  const edge_list edges = scan_edges<u64>();
  for (const std::size_t tiles : {std::size_t{1}, window_tiles, window_tiles + 1})
    EXPECT_NE(std::find(edges.begin(), edges.end(), tiles * tile), edges.end()) << tiles;
}

}  // namespace hindsight_test
