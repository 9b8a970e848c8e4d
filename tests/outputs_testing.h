// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of outputs.h and summaries.h that hold on both engines. The file that includes this defines
// `par` and `vector`.
#pragma once

#include <hindsight/outputs.h>
#include <hindsight/summaries.h>

#include <cuda/std/functional>
#include <thrust/copy.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/functional.h>

#include "vectors_testing.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace hindsight_test {

/// Many items without outputs, a few with many.
inline std::vector<int> random_counts(std::size_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<int> counts(n);
  for (int& count : counts)
    count = random() % 3 == 0 ? 0 : random() % 500 == 0 ? int(random() % 9000) : int(random() % 4);
  return counts;
}

/// items[out] = the item; numbers[out] = its output's number.
struct write_outputs {
  int *items, *numbers;
  HINDSIGHT_HD void operator()(std::size_t item, std::size_t number, std::size_t output) const {
    items[output] += int(item) + 1;  // once for each output: it was -1
    numbers[output] = int(number);
  }
};

TEST(Outputs, EqualPlainLoops) {
  for (const std::size_t n : {1u, 2u, 100u, 5000u, 200'000u}) {
    const std::vector<int> counts = random_counts(n);
    std::vector<int> offsets{0}, items, numbers;
    for (std::size_t i = 0; i < n; ++i) {
      for (int k = 0; k < counts[i]; ++k) {
        items.push_back(int(i));
        numbers.push_back(k);
      }
      offsets.push_back(int(items.size()));
    }
    const vector<int> in = counts;
    vector<int> found(n + 1, -5);
    EXPECT_EQ(hindsight::offsets_of(par, in.begin(), in.end(), found.begin()), found.end());
    EXPECT_EQ(to_host(found), offsets);

    vector<int> out_items(items.size() + 1, -1), out_numbers(items.size() + 1, -1);
    hindsight::for_each_output(par, found.begin(), found.end(),
                               write_outputs{thrust::raw_pointer_cast(out_items.data()),
                                             thrust::raw_pointer_cast(out_numbers.data())});
    items.push_back(-1);
    numbers.push_back(-1);
    EXPECT_EQ(to_host(out_items), items);
    EXPECT_EQ(to_host(out_numbers), numbers);

    vector<int> decoded(items.size(), -1);
    const auto end = hindsight::run_length_decode(par, thrust::counting_iterator<int>(0),
                                                  thrust::counting_iterator<int>(int(n)),
                                                  in.begin(), decoded.begin());
    EXPECT_EQ(std::size_t(end - decoded.begin()), items.size() - 1);
    EXPECT_EQ(to_host(decoded), items);
  }
}

/// Numbers of outputs that end where tiles and rows of a warp end, or beside that, and any number
/// of items without outputs between them.
inline std::vector<std::vector<int>> counts_at_borders() {
  std::vector<std::vector<int>> all;
  for (const int length : {1, 31, 32, 33, 127, 128, 129, 511, 512, 513, 4096})
    for (const int empty : {0, 1, 31, 32, 127, 128, 3000}) {
      std::vector<int> counts;
      for (int i = 0; i < 40; ++i) {
        counts.push_back(length);
        counts.insert(counts.end(), std::size_t(empty), 0);
      }
      all.push_back(counts);
      all.emplace_back(counts.rbegin(), counts.rend());
    }
  all.push_back(std::vector<int>(1'000'000, 0));  // nothing else
  all.back()[999'999] = 5;
  all.push_back(all.back());
  all.back()[3] = 300'000;
  return all;
}

template <class T, class MakeItem>
void expect_expanded(const std::vector<int>& counts, MakeItem make_item) {
  constexpr std::size_t begins = 37;  // offsets need not begin at 0
  std::vector<long long> offsets{begins};
  std::vector<T> items, expected(begins, make_item(0));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    items.push_back(make_item(i));
    offsets.push_back(offsets.back() + counts[i]);
    expected.insert(expected.end(), std::size_t(counts[i]), items.back());
  }
  expected.push_back(make_item(0));
  const vector<T> in(items.begin(), items.end());
  const vector<long long> places = offsets;
  vector<T> out(expected.size(), make_item(0));
  hindsight::expand(par, in.begin(), places.begin(), places.end(), out.begin());
  std::vector<T> found(expected.size(), make_item(0));  // T need not be default constructible
  thrust::copy(out.begin(), out.end(), found.begin());
  EXPECT_TRUE(found == expected);
}

TEST(Outputs, AtBordersOfTiles) {
  for (const std::vector<int>& counts : counts_at_borders())
    expect_expanded<int>(counts, [](std::size_t i) { return int(i * 7919 + 1); });
}

/// Not default constructible, and of an odd size.
struct labelled {
  unsigned char label[5];
  labelled() = delete;
  HINDSIGHT_HD explicit labelled(unsigned i)
      : label{(unsigned char)(i), (unsigned char)(i >> 8), (unsigned char)(i >> 16), 7, 9} {}
  HINDSIGHT_HD friend bool operator==(const labelled& a, const labelled& b) {
    return a.label[0] == b.label[0] && a.label[1] == b.label[1] && a.label[2] == b.label[2] &&
           a.label[3] == b.label[3] && a.label[4] == b.label[4];
  }
};
/// More than a lane loads ahead.
struct large_record {
  long long words[5];
  HINDSIGHT_HD friend bool operator==(const large_record& a, const large_record& b) {
    for (int w = 0; w < 5; ++w)
      if (a.words[w] != b.words[w]) return false;
    return true;
  }
};

TEST(Outputs, OfAnyItems) {
  const std::vector<int> counts = random_counts(3'000);
  expect_expanded<unsigned char>(counts, [](std::size_t i) { return (unsigned char)(i); });
  expect_expanded<double>(counts, [](std::size_t i) { return double(i) / 3; });
  expect_expanded<labelled>(counts, [](std::size_t i) { return labelled{unsigned(i)}; });
  expect_expanded<large_record>(counts, [](std::size_t i) {
    return large_record{{(long long)(i), 1, 2, 3, -(long long)(i)}};
  });
}

TEST(Outputs, NoItems) {
  const vector<int> none;
  vector<int> offsets(1, 7);
  hindsight::offsets_of(par, none.begin(), none.end(), offsets.begin());
  EXPECT_EQ(offsets[0], 0);
  hindsight::for_each_output(par, offsets.begin(), offsets.end(), write_outputs{nullptr, nullptr});
  EXPECT_EQ(
      hindsight::run_length_decode(par, none.begin(), none.end(), none.begin(), offsets.begin()),
      offsets.begin());
}

TEST(Outputs, DecodeOverTheCounts) {
  const vector<int> items = std::vector<int>{7, 8, 9};
  vector<int> counts = std::vector<int>{2, 0, 3, -1, -1, -1};
  const auto end =
      hindsight::run_length_decode(par, items.begin(), items.end(), counts.begin(), counts.begin());
  EXPECT_EQ(end - counts.begin(), 5);
  EXPECT_EQ(to_host(counts), (std::vector<int>{7, 7, 9, 9, 9, -1}));
}

struct is_multiple_of_3 {
  HINDSIGHT_HD bool operator()(int item) const { return item % 3 == 0; }
};

TEST(Outputs, PackIndex) {
  for (const std::size_t n : {0u, 1u, 1000u, 100'001u}) {
    const std::vector<int> items = random_counts(n);
    std::vector<int> not_zero, multiples;
    for (std::size_t i = 0; i < n; ++i) {
      if (items[i] != 0) not_zero.push_back(int(i));
      if (items[i] % 3 == 0) multiples.push_back(int(i));
    }
    const vector<int> in = items;
    vector<int> out(n + 1, -1);
    const auto end = hindsight::pack_index(par, in.begin(), in.end(), out.begin());
    EXPECT_EQ(to_host(vector<int>(out.begin(), end)), not_zero);
    const auto multiples_end =
        hindsight::pack_index(par, in.begin(), in.end(), out.begin(), is_multiple_of_3{});
    EXPECT_EQ(to_host(vector<int>(out.begin(), multiples_end)), multiples);
    EXPECT_EQ(out[n], -1);
  }
}

// With ranges, and without a policy: as with first and last.
TEST(Outputs, OfRangesAndWithoutAPolicy) {
  const vector<int> counts = std::vector<int>{2, 0, 3};
  const vector<short> items = std::vector<short>{7, 8, 9};
  const std::vector<int> offsets_wanted{0, 2, 2, 5}, decoded_wanted{7, 7, 9, 9, 9};
  const auto of_room = [](std::size_t n, auto call) {
    vector<int> out(n, -1);
    call(out.begin());
    return to_host(out);
  };
  using out_t = vector<int>::iterator;
  EXPECT_EQ(of_room(4, [&](out_t out) { hindsight::offsets_of(par, counts, out); }),
            offsets_wanted);
  EXPECT_EQ(of_room(4, [&](out_t out) { hindsight::offsets_of(counts, out); }), offsets_wanted);
  EXPECT_EQ(
      of_room(4, [&](out_t out) { hindsight::offsets_of(counts.begin(), counts.end(), out); }),
      offsets_wanted);
  const vector<int> offsets = offsets_wanted;
  EXPECT_EQ(of_room(5, [&](out_t out) { hindsight::expand(par, items, offsets, out); }),
            decoded_wanted);
  EXPECT_EQ(of_room(5, [&](out_t out) { hindsight::expand(items, offsets, out); }), decoded_wanted);
  const vector<int> as_offsets = std::vector<int>{7, 8, 9};  // both ranges of one type
  EXPECT_EQ(of_room(5, [&](out_t out) { hindsight::expand(par, as_offsets, offsets, out); }),
            decoded_wanted);
  EXPECT_EQ(of_room(5, [&](out_t out) { hindsight::expand(as_offsets, offsets, out); }),
            decoded_wanted);
  EXPECT_EQ(of_room(5,
                    [&](out_t out) {
                      hindsight::expand(items.begin(), offsets.begin(), offsets.end(), out);
                    }),
            decoded_wanted);
  EXPECT_EQ(
      of_room(5, [&](out_t out) { hindsight::run_length_decode(par, items, counts.begin(), out); }),
      decoded_wanted);
  EXPECT_EQ(
      of_room(5, [&](out_t out) { hindsight::run_length_decode(items, counts.begin(), out); }),
      decoded_wanted);
  EXPECT_EQ(of_room(5,
                    [&](out_t out) {
                      hindsight::run_length_decode(items.begin(), items.end(), counts.begin(), out);
                    }),
            decoded_wanted);
  const std::vector<int> places{0, 2}, multiples_of_3{2};
  EXPECT_EQ(of_room(2, [&](out_t out) { hindsight::pack_index(par, counts, out); }), places);
  EXPECT_EQ(of_room(2, [&](out_t out) { hindsight::pack_index(counts, out); }), places);
  EXPECT_EQ(
      of_room(2, [&](out_t out) { hindsight::pack_index(counts.begin(), counts.end(), out); }),
      places);
  EXPECT_EQ(
      of_room(1, [&](out_t out) { hindsight::pack_index(par, items, out, is_multiple_of_3{}); }),
      multiples_of_3);
  EXPECT_EQ(of_room(1, [&](out_t out) { hindsight::pack_index(items, out, is_multiple_of_3{}); }),
            multiples_of_3);
  const std::vector<int> numbers_wanted{0, 1, 0, 1, 2}, items_wanted{0, 0, 2, 2, 2};
  for (const bool has_policy : {true, false}) {
    vector<int> found(5, -1), numbers(5, -1);
    const write_outputs write{thrust::raw_pointer_cast(found.data()),
                              thrust::raw_pointer_cast(numbers.data())};
    if (has_policy) {
      hindsight::for_each_output(par, offsets, write);
    } else {
      hindsight::for_each_output(offsets, write);
    }
    EXPECT_EQ(to_host(found), items_wanted);
    EXPECT_EQ(to_host(numbers), numbers_wanted);
  }
}

TEST(Summaries, OfRangesAndWithoutAPolicy) {
  vector<int> items = std::vector<int>{1, 2, 6, 3};
  EXPECT_EQ(hindsight::mean(par, items), 3);
  EXPECT_EQ(hindsight::mean(items), 3);
  EXPECT_EQ(hindsight::mean(items.begin(), items.end()), 3);
  EXPECT_EQ(hindsight::product(par, items), 36);
  EXPECT_EQ(hindsight::product(par, items, 2.5), 90);
  EXPECT_EQ(hindsight::product(items, 2.5), 90);
  EXPECT_EQ(hindsight::product(items.begin(), items.end()), 36);
  EXPECT_EQ(hindsight::product(items.begin(), items.end(), 2.5), 90);
  const thrust::greater<int> greater;
  EXPECT_EQ(hindsight::minmax(par, items).second, 6);
  EXPECT_EQ(hindsight::minmax(items).second, 6);
  EXPECT_EQ(hindsight::minmax(items.begin(), items.end()).second, 6);
  EXPECT_EQ(hindsight::minmax(par, items, greater).second, 1);
  EXPECT_EQ(hindsight::minmax(items, greater).second, 1);
  EXPECT_EQ(hindsight::minmax(items.begin(), items.end(), greater).second, 1);
  EXPECT_EQ(hindsight::split(par, items, 0) - items.begin(), 2);
  EXPECT_EQ(to_host(items), (std::vector<int>{2, 6, 1, 3}));
  EXPECT_EQ(hindsight::split(items, 1) - items.begin(), 1);
  EXPECT_EQ(to_host(items), (std::vector<int>{1, 2, 6, 3}));
  EXPECT_EQ(hindsight::split(items.begin(), items.end(), 2) - items.begin(), 3);
  EXPECT_EQ(to_host(items), (std::vector<int>{1, 2, 3, 6}));
}

TEST(Summaries, EqualPlainLoops) {
  std::mt19937 random{3};
  std::vector<int> items(100'000);
  for (int& item : items) item = int(random() % 1'000'000) - 300'000;
  const vector<int> in = items;
  double sum = 0;
  for (const int item : items) sum += item;
  EXPECT_EQ(hindsight::mean(par, in.begin(), in.end()), sum / double(items.size()));
  const auto [least, greatest] = hindsight::minmax(par, in.begin(), in.end());
  EXPECT_EQ(least, *std::min_element(items.begin(), items.end()));
  EXPECT_EQ(greatest, *std::max_element(items.begin(), items.end()));
  EXPECT_THROW(hindsight::minmax(par, in.begin(), in.begin()), hindsight::invalid_call);
  const vector<double> real(items.begin(), items.end());
  const auto [highest, lowest] =
      hindsight::minmax(par, real.begin(), real.end(), ::cuda::std::greater<>{});
  EXPECT_EQ(lowest, double(least));
  EXPECT_EQ(highest, double(greatest));
  const vector<unsigned> factors = std::vector<unsigned>{3, 5, 7, 11};
  EXPECT_EQ(hindsight::product(par, factors.begin(), factors.end()), 1155u);
  EXPECT_EQ(hindsight::product(par, factors.begin(), factors.begin()), 1u);
}

/// Nothing but its value makes one.
struct grade {
  short value;
  grade() = delete;
  HINDSIGHT_HD explicit grade(short v) : value{v} {}
};
struct is_lower {
  HINDSIGHT_HD bool operator()(const grade& a, const grade& b) const { return a.value < b.value; }
};

TEST(Summaries, MinmaxOfItemsWithoutADefaultConstructor) {
  std::vector<grade> items;
  for (short i = 0; i < 5'000; ++i) items.emplace_back(short(i * 7 % 5'000 - 40));
  const vector<grade> in(items.begin(), items.end());
  const grade* const first = thrust::raw_pointer_cast(in.data());
  const auto [least, greatest] = hindsight::minmax(par, first, first + in.size(), is_lower{});
  EXPECT_EQ(least.value, -40);
  EXPECT_EQ(greatest.value, 4'959);
}

TEST(Summaries, SplitsSort) {
  std::mt19937 random{4};
  std::vector<unsigned> keys(50'000);
  for (unsigned& key : keys) key = unsigned(random() % 4096);
  vector<unsigned> sorted = keys;
  for (int bit = 0; bit < 12; ++bit) {
    const auto middle = hindsight::split(par, sorted.begin(), sorted.end(), bit);
    if (bit > 0) continue;
    EXPECT_EQ(middle - sorted.begin(),
              std::count_if(keys.begin(), keys.end(), [](unsigned key) { return key % 2 == 0; }));
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(to_host(sorted), keys);
}

}  // namespace hindsight_test
