// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that take their sizes from memory and leave their counts there, on host threads: the same
// source as for the GPU.
#include <hindsight/adjacent_difference.h>
#include <hindsight/counts.h>
#include <hindsight/counts_in_place.h>
#include <hindsight/histogram.h>
#include <hindsight/outputs.h>
#include <hindsight/scan.h>
#include <hindsight/scan_by_key.h>
#include <hindsight/segments.h>
#include <hindsight/sort.h>
#include <hindsight/sort_segments.h>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using hindsight::deferred;
using hindsight::host::par;

constexpr int untouched = -77;

std::vector<int> some_items(int n) {
  std::vector<int> items;
  for (int i = 0; i < n; ++i) items.push_back(i * 7919 % 1000 / (i % 50 + 1));
  return items;
}

/// `expected`, then what nothing was written to.
void expect_begins(const std::vector<int>& actual, const std::vector<int>& expected) {
  ASSERT_LE(expected.size(), actual.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), actual.begin()));
  const auto rest = actual.begin() + std::ptrdiff_t(expected.size());
  EXPECT_TRUE(std::all_of(rest, actual.end(), [](int item) { return item == untouched; }));
}

template <class Count>
void expect_as_std(int n, std::size_t room) {
  SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(room));
  const Count num_items = Count(n);
  const deferred size{&num_items, room};
  const auto items = some_items(n);
  auto in = items;
  in.resize(room, untouched);
  const std::vector<int> blank(room, untouched);
  const auto even = [](int i) { return i % 2 == 0; };

  std::vector<int> expected, out = blank, lengths = blank;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected), even);
  std::size_t count = 0;
  hindsight::copy_if_into(par, in.begin(), size, out.begin(), &count, even);
  EXPECT_EQ(count, expected.size());
  expect_begins(out, expected);
  out = blank;
  hindsight::copy_if_into(par, in.begin(), in.begin() + n, in.begin(), out.begin(), &count, even);
  EXPECT_EQ(count, expected.size());
  expect_begins(out, expected);

  expected.clear();
  std::unique_copy(items.begin(), items.end(), std::back_inserter(expected));
  out = blank;
  hindsight::unique_copy_into(par, in.begin(), size, out.begin(), &count);
  EXPECT_EQ(count, expected.size());
  expect_begins(out, expected);
  out = blank;
  hindsight::run_length_encode_into(par, in.begin(), size, out.begin(), lengths.begin(), &count);
  EXPECT_EQ(count, expected.size());
  expect_begins(out, expected);
  int total = 0;
  for (std::size_t r = 0; r < count; ++r) total += lengths[r];
  EXPECT_EQ(total, n);
  std::vector<int> decoded = blank;
  std::size_t num_decoded = 7;
  hindsight::run_length_decode_into(par, out.begin(), deferred{&count, out.size()}, lengths.begin(),
                                    decoded.begin(), &num_decoded);
  EXPECT_EQ(num_decoded, n);
  expect_begins(decoded, items);

  expected.clear();
  int sum = 0;
  for (const int item : items) expected.push_back(sum += item);
  out = blank;
  hindsight::inclusive_scan(par, in.begin(), size, out.begin());
  expect_begins(out, expected);
  if (n > 0) expected.insert(expected.begin(), 0), expected.pop_back();
  out = blank;
  hindsight::exclusive_scan(par, in.begin(), size, out.begin(), 0);
  expect_begins(out, expected);

  out = lengths = blank;
  hindsight::partition_copy_into(par, in.begin(), size, out.begin(), lengths.begin(), &count, even);
  expected.assign(items.begin(), items.end());
  const auto border = std::stable_partition(expected.begin(), expected.end(), even);
  EXPECT_EQ(std::ptrdiff_t(count), border - expected.begin());
  expect_begins(out, {expected.begin(), border});
  expect_begins(lengths, {border, expected.end()});
  hindsight::reduce_into(par, in.begin(), size, &total, 5);
  EXPECT_EQ(total, sum + 5);
  out = lengths = blank;
  hindsight::reduce_by_key_into(par, in.begin(), size, in.begin(), out.begin(), lengths.begin(),
                                &count);
  expected.clear();
  std::unique_copy(items.begin(), items.end(), std::back_inserter(expected));
  EXPECT_EQ(count, expected.size());
  expect_begins(out, expected);
  EXPECT_EQ(std::accumulate(lengths.begin(), lengths.begin() + std::ptrdiff_t(count), 0), sum);

  expected = items;
  std::sort(expected.begin(), expected.end());
  auto keys = in, values = in;
  hindsight::sort(par, keys.begin(), size);
  expect_begins(keys, expected);
  keys = in;
  hindsight::sort_by_key(par, keys.begin(), size, values.begin());
  expect_begins(keys, expected);
  expect_begins(values, expected);
}

/// An output that drops what it is given. Its difference does not count what was written: that of
/// cuda::discard_iterator of CCCL 3.6 has the wrong sign.
struct dropping_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    const reference& operator=(int) const { return *this; }
  };
  difference_type place = 0;

  reference operator*() const { return {}; }
  reference operator[](difference_type) const { return {}; }
  dropping_iterator& operator++() { return ++place, *this; }
  friend dropping_iterator operator+(dropping_iterator it, difference_type n) {
    return {it.place + n};
  }
  friend difference_type operator-(dropping_iterator a, dropping_iterator b) {
    return b.place - a.place;
  }
  friend bool operator==(dropping_iterator a, dropping_iterator b) { return a.place == b.place; }
  friend bool operator!=(dropping_iterator a, dropping_iterator b) { return !(a == b); }
};

/// Calls of a deferred size beside the same calls of a known one.
template <class Count>
void expect_as_with_known_size(int n, std::size_t room) {
  SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(room));
  const Count num_items = Count(n);
  const deferred size{&num_items, room};
  auto in = some_items(n);
  in.resize(room, 3);
  const auto first = in.begin(), last = in.begin() + n;
  const std::vector<int> blank(room, untouched);
  std::vector<int> out = blank, expected(std::size_t(n), 0);

  hindsight::inclusive_scan_by_key(par, first, last, first, expected.begin());
  hindsight::inclusive_scan_by_key(par, first, size, first, out.begin());
  expect_begins(out, expected);
  hindsight::exclusive_scan_by_key(par, first, last, first, expected.begin(), 5);
  out = blank;
  hindsight::exclusive_scan_by_key(par, first, size, first, out.begin(), 5);
  expect_begins(out, expected);
  hindsight::exclusive_scan_by_key(par, first, last, first, expected.begin());
  out = blank;
  hindsight::exclusive_scan_by_key(par, first, size, first, out.begin());
  expect_begins(out, expected);
  hindsight::exclusive_scan(par, first, last, expected.begin());
  out = blank;
  hindsight::exclusive_scan(par, first, size, out.begin());
  expect_begins(out, expected);
  const auto tripled = [](int i) { return 3L * i; };
  const ::cuda::std::plus<> plus;
  hindsight::transform_inclusive_scan(par, first, last, expected.begin(), tripled, plus);
  out = blank;
  hindsight::transform_inclusive_scan(par, first, size, out.begin(), tripled, plus);
  expect_begins(out, expected);
  hindsight::transform_inclusive_scan(par, first, last, expected.begin(), tripled, 7, plus);
  out = blank;
  hindsight::transform_inclusive_scan(par, first, size, out.begin(), tripled, 7, plus);
  expect_begins(out, expected);
  hindsight::transform_exclusive_scan(par, first, last, expected.begin(), tripled, 9, plus);
  out = blank;
  hindsight::transform_exclusive_scan(par, first, size, out.begin(), tripled, 9, plus);
  expect_begins(out, expected);
  hindsight::adjacent_difference(par, first, last, expected.begin());
  out = blank;
  hindsight::adjacent_difference(par, first, size, out.begin());
  expect_begins(out, expected);
  const std::vector<signed char> bytes{-100, 100, -100};  // differences are bytes as well
  const int num_bytes = 3;
  std::vector<int> known_differences(3), differences(3);
  hindsight::adjacent_difference(par, bytes.begin(), bytes.end(), known_differences.begin());
  hindsight::adjacent_difference(par, bytes.begin(), hindsight::deferred{&num_bytes, 3},
                                 differences.begin());
  EXPECT_EQ(differences, known_differences);

  std::vector<int> counters(10), known(10);
  hindsight::histogram_even(par, first, last, 10, 0, 1000, known.begin());
  hindsight::histogram_even(par, first, size, 10, 0, 1000, counters.begin());
  EXPECT_EQ(counters, known);
  const std::vector<int> levels{0, 3, 4, 900};
  counters.assign(3, untouched), known.assign(3, untouched);
  hindsight::histogram_range(par, first, last, levels.begin(), levels.end(), known.begin());
  hindsight::histogram_range(par, first, size, levels.begin(), levels.end(), counters.begin());
  EXPECT_EQ(counters, known);
}

template <class Count, class... Compare>
void expect_stable_sorts(int n, std::size_t room, Compare... compare) {
  SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(room));
  const Count num_items = Count(n);
  const deferred size{&num_items, room};
  auto in = some_items(n);
  in.resize(room, untouched);
  std::vector<int> places(room, untouched);
  std::iota(places.begin(), places.begin() + n, 0);

  auto items = in;
  auto expected = in;
  hindsight::stable_sort(par, items.begin(), size, compare...);
  std::stable_sort(expected.begin(), expected.begin() + n, compare...);
  EXPECT_EQ(items, expected);

  items = in;
  auto values = places;
  hindsight::stable_sort_by_key(par, items.begin(), size, values.begin(), compare...);
  EXPECT_EQ(items, expected);
  expected = in;
  hindsight::stable_sort_by_key(par, expected.begin(), expected.begin() + n, places.begin(),
                                compare...);
  EXPECT_EQ(values, places);
}

TEST(Counts, OfOutputsThatDropItems) {
  const auto items = some_items(5000);
  const auto even = [](int item) { return item % 2 == 0; };
  const auto expected = std::count_if(items.begin(), items.end(), even);
  const dropping_iterator nowhere;
  std::ptrdiff_t count = untouched;
  hindsight::copy_if_into(par, items.begin(), items.end(), nowhere, &count, even);
  EXPECT_EQ(count, expected);
  count = untouched;
  hindsight::partition_copy_into(par, items.begin(), items.end(), nowhere, nowhere, &count, even);
  EXPECT_EQ(count, expected);
}

TEST(Counts, StableSorts) {
  const auto by_last_digit = [](int a, int b) { return a % 10 < b % 10; };
  for (const int n : {0, 1, 1000, 100003}) {
    expect_stable_sorts<int>(n, std::size_t(n));
    expect_stable_sorts<std::size_t>(n, std::size_t(n) + 500);
    expect_stable_sorts<int>(n, std::size_t(n) + 500, by_last_digit);
  }
}

TEST(Counts, EqualCallsOfKnownSize) {
  for (const int n : {0, 1, 1000, 100003}) {
    expect_as_with_known_size<int>(n, std::size_t(n));
    expect_as_with_known_size<std::size_t>(n, std::size_t(n) + 500);
  }
}

TEST(Counts, EqualStd) {
  for (const int n : {0, 1, 1000, 100003}) {
    expect_as_std<int>(n, std::size_t(n));
    expect_as_std<std::size_t>(n, std::size_t(n) + 500);
  }
}

/// `call` works on a copy of items, then on what is behind them; what it leaves there, its count.
template <class Count, class Call>
void expect_in_place(const char* what, int n, std::size_t room, const std::vector<int>& expected,
                     std::size_t expected_count, Call call) {
  SCOPED_TRACE(what + (" of " + std::to_string(n)) + " of " + std::to_string(room));
  const Count num_items = Count(n);
  auto items = some_items(n);
  items.resize(room, untouched);
  std::size_t count = 0;
  call(items.begin(), deferred{&num_items, room}, &count);
  EXPECT_EQ(count, expected_count);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), items.begin()));
  EXPECT_TRUE(std::all_of(items.begin() + n, items.end(), [](int i) { return i == untouched; }));
}

template <class Count>
void expect_calls_in_place(int n, std::size_t room) {
  const auto items = some_items(n);
  const auto even = [](int i) { return i % 2 == 0; };
  const auto is_set = [](int mark) { return mark != 0; };
  std::vector<int> marks(room, 1);
  for (std::size_t i = 0; i < std::size_t(n); ++i) marks[i] = items[i] % 2 == 0;

  auto kept = items, unique = items, without_2 = items, parted = items;
  kept.erase(std::remove_if(kept.begin(), kept.end(), even), kept.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  without_2.erase(std::remove(without_2.begin(), without_2.end(), 2), without_2.end());
  const auto border = std::stable_partition(parted.begin(), parted.end(), even);
  const std::size_t num_even = std::size_t(border - parted.begin());

  const auto expect = [&](const char* what, const auto& expected, auto call) {
    expect_in_place<Count>(what, n, room, expected, expected.size(), call);
  };
  expect("remove_if_into", kept, [&](auto first, auto size, auto* count) {
    hindsight::remove_if_into(par, first, size, count, even);
  });
  expect("remove_if_into by a stencil", kept, [&](auto first, auto size, auto* count) {
    hindsight::remove_if_into(par, first, size, marks.begin(), count, is_set);
  });
  expect("remove_into", without_2, [&](auto first, auto size, auto* count) {
    hindsight::remove_into(par, first, size, count, 2);
  });
  expect("unique_into", unique, [&](auto first, auto size, auto* count) {
    hindsight::unique_into(par, first, size, count);
  });
  const auto expect_parts = [&](const char* what, auto call) {
    expect_in_place<Count>(what, n, room, parted, num_even, call);
  };
  expect_parts("partition_into", [&](auto first, auto size, auto* count) {
    hindsight::partition_into(par, first, size, count, even);
  });
  expect_parts("partition_into by a stencil", [&](auto first, auto size, auto* count) {
    hindsight::partition_into(par, first, size, marks.begin(), count, is_set);
  });
  expect_parts("stable_partition_into", [&](auto first, auto size, auto* count) {
    hindsight::stable_partition_into(par, first, size, count, even);
  });
  expect_parts("stable_partition_into by a stencil", [&](auto first, auto size, auto* count) {
    hindsight::stable_partition_into(par, first, size, marks.begin(), count, is_set);
  });
  expect_parts("stable_partition_into, known size", [&](auto first, auto, auto* count) {
    hindsight::stable_partition_into(par, first, first + n, count, even);
  });
}

TEST(Counts, InPlaceEqualStd) {
  for (const int n : {0, 1, 1000, 100003}) {
    expect_calls_in_place<int>(n, std::size_t(n));
    expect_calls_in_place<std::size_t>(n, std::size_t(n) + 500);
  }
}

// Segments of which the first few exist; offsets beyond them are no offsets.
TEST(Counts, OfSegments) {
  const std::vector<int> offsets{1, 1, 4, 100, 5000, -9, -9}, in = some_items(6000);
  for (int num_segments = 0; num_segments <= 4; ++num_segments) {
    SCOPED_TRACE(num_segments);
    const auto known = hindsight::by_offsets(offsets.begin(), offsets.begin() + num_segments + 1);
    const auto segments = hindsight::by_offsets(offsets.begin(), deferred{&num_segments, 6});
    const std::vector<int> blank(6000, untouched);
    auto out = blank, expected = blank;
    hindsight::reduce_segments(par, in.begin(), in.end(), known, expected.begin(), 3);
    const auto end =
        hindsight::reduce_segments(par, in.begin(), in.end(), segments, out.begin(), 3);
    EXPECT_EQ(end - out.begin(), 6);
    EXPECT_EQ(out, expected);
    out = expected = blank;
    hindsight::inclusive_scan_segments(par, in.begin(), in.end(), known, expected.begin());
    hindsight::inclusive_scan_segments(par, in.begin(), in.end(), segments, out.begin());
    EXPECT_EQ(out, expected);
    hindsight::exclusive_scan_segments(par, in.begin(), in.end(), known, expected.begin(), 7);
    hindsight::exclusive_scan_segments(par, in.begin(), in.end(), segments, out.begin(), 7);
    EXPECT_EQ(out, expected);
    out = expected = in;
    hindsight::sort_segments(par, expected.begin(), expected.end(), known);
    hindsight::sort_segments(par, out.begin(), out.end(), segments);
    EXPECT_EQ(out, expected);
  }
}

TEST(Counts, AreCutToWhatThereMayBe) {
  const std::vector<int> in(100, 2);
  for (const auto& [count, expected] : {std::pair{-1, 0}, std::pair{101, 100}}) {
    std::vector<int> out(200, untouched);
    hindsight::inclusive_scan(par, in.begin(), deferred{&count, 100}, out.begin());
    EXPECT_EQ(std::count(out.begin(), out.end(), untouched), 200 - expected);
  }
}

TEST(Counts, TheMostIsAnIntegerOfAnyType) {
  const std::vector<int> in(10, 2);
  const int count = 7;
  for (const int most : {3, 9}) {
    std::vector<int> out(10, untouched);
    hindsight::inclusive_scan(par, in.begin(), deferred{&count, most}, out.begin());
    EXPECT_EQ(std::count(out.begin(), out.end(), untouched), 10 - std::min(most, count));
  }
}

// The count of one call is the size of the next.
TEST(Counts, Chain) {
  const auto in = some_items(50000);
  std::vector<int> kept(in.size()), heads(in.size()), lengths(in.size()), ends(in.size());
  int num_kept = 0, num_runs = 0;
  hindsight::copy_if_into(par, in.begin(), in.end(), kept.begin(), &num_kept,
                          [](int i) { return i > 3; });
  const deferred kept_size{&num_kept, in.size()}, runs_size{&num_runs, in.size()};
  hindsight::sort(par, kept.begin(), kept_size);
  hindsight::run_length_encode_into(par, kept.begin(), kept_size, heads.begin(), lengths.begin(),
                                    &num_runs);
  hindsight::inclusive_scan(par, lengths.begin(), runs_size, ends.begin());
  EXPECT_EQ(num_kept, std::count_if(in.begin(), in.end(), [](int i) { return i > 3; }));
  ASSERT_GT(num_runs, 0);
  EXPECT_EQ(ends[std::size_t(num_runs) - 1], num_kept);
}

// Items whose copies are not trivial lie in memory of their own, which tiles cannot put aside.
TEST(Counts, StringsInPlaceEqualStd) {
  const auto many = par.threads(8);
  const auto is_long = [](const std::string& item) { return item.size() > 20; };
  const auto same_end = [](const std::string& a, const std::string& b) {
    return a.back() == b.back();
  };
  const auto longer = [](const std::string& a, const std::string& b) {
    return a.size() > b.size() ? a : b;
  };
  std::vector<std::string> in;
  for (const int i : some_items(40000)) in.push_back(std::string(i % 37 + 1, char('a' + i % 3)));
  for (int round = 0; round < 5; ++round) {
    std::size_t count = 0;
    const auto expect_front = [&](const char* what, const std::vector<std::string>& actual,
                                  auto expected_end, const std::vector<std::string>& expected) {
      EXPECT_EQ(count, std::size_t(expected_end - expected.begin())) << what;
      const auto actual_end = actual.begin() + std::ptrdiff_t(count);
      EXPECT_TRUE(std::equal(actual.begin(), actual_end, expected.begin())) << what;
    };

    auto items = in, expected = in;
    hindsight::remove_if_into(many, items.begin(), items.end(), &count, is_long);
    expect_front("remove_if", items, std::remove_if(expected.begin(), expected.end(), is_long),
                 expected);
    items = expected = in;
    hindsight::copy_if_into(many, items.begin(), items.end(), items.begin(), &count, is_long);
    expect_front("copy_if", items,
                 std::remove_if(expected.begin(), expected.end(),
                                [&](const std::string& item) { return !is_long(item); }),
                 expected);
    items = expected = in;
    hindsight::unique_into(many, items.begin(), items.end(), &count, same_end);
    expect_front("unique", items, std::unique(expected.begin(), expected.end(), same_end),
                 expected);
    items = expected = in;
    count = in.size();
    hindsight::adjacent_difference(many, items.begin(), deferred{&count, in.size()}, items.begin(),
                                   longer);
    std::adjacent_difference(in.begin(), in.end(), expected.begin(), longer);
    EXPECT_TRUE(items == expected) << "adjacent_difference";
  }
}

/// Its assignment does not expect the item itself.
struct empties_itself {
  std::unique_ptr<int> value;
  empties_itself(int v) : value{new int{v}} {}
  empties_itself(const empties_itself& other) : value{new int{*other.value}} {}
  empties_itself& operator=(const empties_itself& other) {
    value.reset();
    if (other.value) value.reset(new int{*other.value});
    return *this;
  }
  int number() const { return value ? *value : -1; }
};

TEST(Counts, NoItemIsAssignedToItself) {
  const std::size_t n = 20000;
  std::vector<empties_itself> in;
  for (std::size_t i = 0; i < n; ++i) in.emplace_back(int(i));
  const auto is_late = [](const empties_itself& item) { return item.number() >= int(n / 2); };
  const auto same = [](const empties_itself& a, const empties_itself& b) {
    return b.number() >= int(n / 2) && a.number() + 1 == b.number();
  };
  std::size_t count = 0;
  const auto expect_first_half = [&](const char* what, const std::vector<empties_itself>& items) {
    ASSERT_EQ(count, n / 2) << what;
    for (std::size_t i = 0; i < n / 2; ++i) ASSERT_EQ(items[i].number(), int(i)) << what;
  };
  auto items = in;
  hindsight::remove_if_into(par, items.begin(), items.end(), &count, is_late);
  expect_first_half("remove_if", items);
  items = in;
  hindsight::unique_into(par, items.begin(), items.end(), &count, same);
  expect_first_half("unique", items);
  items = in;
  count = n;
  const auto second = [](const empties_itself&, const empties_itself& b) { return b; };
  hindsight::adjacent_difference(par, items.begin(), deferred{&count, n}, items.begin(), second);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(items[i].number(), int(i) - (i > 0)) << i;
}

/// Items that can only be moved, or whose copies are not cheap. Nobody may look at one that was
/// moved.
template <class Item, class Make, class Value>
void expect_moves_in_place(Make make, Value value) {
  std::vector<int> numbers, marks, expected_runs;
  for (const int i : some_items(5000)) numbers.push_back(i % 3 == 0 ? i % 2 : 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) marks.push_back(int(i) % 4);
  const auto fresh = [&] {
    std::vector<Item> items;
    for (const int number : numbers) items.push_back(make(number));
    return items;
  };
  const auto expect_front = [&](const char* what, const std::vector<Item>& items, std::size_t count,
                                const std::vector<int>& expected) {
    ASSERT_EQ(count, expected.size()) << what;
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(value(items[i]), expected[i]) << what;
  };
  std::vector<int> kept, marked, heads;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 1) kept.push_back(numbers[i]);
    if (marks[i] != 1) marked.push_back(numbers[i]);
    if (i == 0 || numbers[i] != numbers[i - 1]) heads.push_back(numbers[i]);
  }
  const auto is_one = [&](const Item& item) { return value(item) == 1; };
  const auto same_value = [&](const Item& a, const Item& b) { return value(a) == value(b); };
  std::size_t count = 0;
  auto items = fresh();
  hindsight::remove_if_into(par, items.begin(), items.end(), &count, is_one);
  expect_front("remove_if_into", items, count, kept);
  items = fresh();
  const std::size_t size = numbers.size();
  hindsight::remove_if_into(par, items.begin(), deferred{&size, size}, marks.begin(), &count,
                            [](int mark) { return mark == 1; });
  expect_front("remove_if_into by a stencil", items, count, marked);
  items = fresh();
  hindsight::unique_into(par, items.begin(), items.end(), &count, same_value);
  expect_front("unique_into", items, count, heads);
  items = fresh();
  hindsight::unique_into(par, items.begin(), items.begin(), &count, same_value);
  EXPECT_EQ(count, 0u);
  hindsight::stable_partition_into(par, items.begin(), items.end(), &count, is_one);
  EXPECT_EQ(count, numbers.size() - kept.size());
}

TEST(Counts, InPlaceItemsAreMoved) {
  expect_moves_in_place<std::unique_ptr<int>>(
      [](int number) { return std::make_unique<int>(number); },
      [](const std::unique_ptr<int>& item) { return item ? *item : -1; });
  expect_moves_in_place<std::string>(
      [](int number) { return std::string(40, char('a' + number)); },
      [](const std::string& item) { return item.empty() ? -1 : item[0] - 'a'; });
}

// Iterators that only write have no type of items.
TEST(Counts, GoWhereIteratorsOnlyWrite) {
  const std::vector<int> items{1, 1, 2, 3, 3, 3}, lengths(6, 2);
  std::vector<int> out(12);
  std::size_t count = 99;
  const auto write = [&](std::size_t i, std::size_t number) {
    EXPECT_EQ(i, 0u);
    count = number;
  };
  const auto to = thrust::make_tabulate_output_iterator(write);
  const auto is_odd = [](int item) { return item % 2 == 1; };
  hindsight::copy_if_into(par, items.begin(), items.end(), out.begin(), to, is_odd);
  EXPECT_EQ(count, 5u);
  hindsight::unique_copy_into(par, items.begin(), items.end(), out.begin(), to);
  EXPECT_EQ(count, 3u);
  hindsight::run_length_encode_into(par, items.begin(), items.end(), out.begin(), out.begin() + 6,
                                    to);
  EXPECT_EQ(count, 3u);
  hindsight::run_length_decode_into(par, items.begin(), items.end(), lengths.begin(), out.begin(),
                                    to);
  EXPECT_EQ(count, 12u);
  hindsight::partition_copy_into(par, items.begin(), items.end(), out.begin(), out.begin() + 6, to,
                                 is_odd);
  EXPECT_EQ(count, 5u);
  auto in_place = items;
  hindsight::remove_if_into(par, in_place.begin(), in_place.end(), to, is_odd);
  EXPECT_EQ(count, 1u);
  hindsight::copy_if_into(par, items.begin(), items.end(), out.begin(),
                          thrust::make_discard_iterator(), is_odd);
}

template <class Length>
void decode_negative_lengths(Length least) {
  const std::vector<int> items{7, 8, 9, 10};
  const std::vector<Length> lengths{2, -3, 1, least};
  std::vector<int> out(4, 0);
  const auto end =
      hindsight::run_length_decode(par, items.begin(), items.end(), lengths.begin(), out.begin());
  EXPECT_EQ(end - out.begin(), 3);
  EXPECT_EQ(out, (std::vector<int>{7, 7, 9, 0}));
}

/// Negative lengths are none, also of types that strict C++17 does not call arithmetic.
TEST(Counts, OfNegativeLengths) {
  decode_negative_lengths(std::numeric_limits<int>::min());
  decode_negative_lengths(-(hindsight::detail::int128_t{1} << 100));
}

/// No items where the number of items is negative.
TEST(Counts, OfNegativeNumbersOf128Bits) {
  const hindsight::detail::int128_t none = -1, two = 2;
  std::vector<int> items{7, 8, 9};
  hindsight::inclusive_scan(par, items.begin(), deferred{&none, 3}, items.begin());
  EXPECT_EQ(items, (std::vector<int>{7, 8, 9}));
  hindsight::inclusive_scan(par, items.begin(), deferred{&two, 3}, items.begin());
  EXPECT_EQ(items, (std::vector<int>{7, 15, 9}));
}

}  // namespace
