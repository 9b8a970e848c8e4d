// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// systems: CPP TBB
// labels: asan tsan
// What may go wrong on host threads: exceptions, outputs that share memory, items of unusual types
// and sizes, null pointers, forked processes.
#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/extrema.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/iterator_adaptor.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#  include <sys/mman.h>
#  include <sys/wait.h>
#  include <unistd.h>
#endif

namespace {

namespace host = hindsight::detail::host;
const auto& par = hindsight::host::par;

class faults : public testing::Test {
  // Whatever the machine has, and also while other programs contend for it.
  const host::team_size_scope team_{4};
};

template <class T>
std::vector<T> random_items(std::size_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<T> items(n);
  for (T& item : items) item = T(random());
  return items;
}

// --- exceptions
// ------------------------------------------------------------------------------------

/// The greater one of two values of one run. A value is 1024 times its run, from 1 on, and
/// something. Initial values are 0.
struct greatest_of_run {
  template <class T>
  T operator()(T a, T b) const {
    if (a != 0 && b != 0 && std::int64_t(a) / 1024 != std::int64_t(b) / 1024)
      throw std::logic_error("values of two runs");
    return a < b ? b : a;
  }
};

template <class T>
void check_that_runs_are_kept_apart(std::size_t n, unsigned longest_run) {
  std::mt19937 random{longest_run};
  std::vector<int> keys, offsets;
  std::vector<bool> heads;
  std::vector<T> values;
  while (keys.size() < n) {
    offsets.push_back(int(keys.size()));
    const std::size_t end = std::min<std::size_t>(n, keys.size() + 1 + random() % longest_run);
    for (; keys.size() < end; heads.push_back(int(heads.size()) == offsets.back()))
      keys.push_back(int(offsets.size()) % 2), values.push_back(T(offsets.size() * 1024));
    for (std::size_t i = std::size_t(offsets.back()); i < n && i < end; ++i)
      values[i] += T(random() % 1024);
  }
  offsets.push_back(int(n));
  const greatest_of_run op;
  std::vector<T> expected, inclusive, exclusive;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T fold = 0;
    for (int i = offsets[s]; i < offsets[s + 1]; ++i) {
      exclusive.push_back(fold);
      inclusive.push_back(fold = op(fold, values[std::size_t(i)]));
    }
    expected.push_back(fold);
  }
  const auto k = keys.begin(), k_end = keys.end();
  const auto v = values.begin();
  const auto segments = hindsight::by_offsets(offsets);
  const auto flags = hindsight::by_heads(heads.begin());
  const thrust::equal_to<int> same;
  std::vector<int> keys_out(n);
  std::vector<T> out(expected.size()), scan(n);
  thrust::reduce_by_key(par, k, k_end, v, keys_out.begin(), out.begin(), same, op);
  EXPECT_TRUE(out == expected);
  hindsight::reduce_segments(par, values, segments, out.begin(), T(0), op);
  EXPECT_TRUE(out == expected);
  hindsight::reduce_segments(par, values, flags, out.begin(), T(0), op);
  EXPECT_TRUE(out == expected);
  thrust::inclusive_scan_by_key(par, k, k_end, v, scan.begin(), same, op);
  EXPECT_TRUE(scan == inclusive);
  hindsight::inclusive_scan_segments(par, values, segments, scan.begin(), op);
  EXPECT_TRUE(scan == inclusive);
  thrust::exclusive_scan_by_key(par, k, k_end, v, scan.begin(), T(0), same, op);
  EXPECT_TRUE(scan == exclusive);
  hindsight::exclusive_scan_segments(par, values, flags, scan.begin(), T(0), op);
  EXPECT_TRUE(scan == exclusive);
}

// A program's operator may check that its operands belong together.
TEST_F(faults, operators_get_no_values_of_two_runs) {
  for (const unsigned longest_run : {3u, 100u, 5000u}) {
    SCOPED_TRACE(longest_run);
    check_that_runs_are_kept_apart<int>(30000, longest_run);
    check_that_runs_are_kept_apart<float>(30000, longest_run);
    check_that_runs_are_kept_apart<std::int64_t>(300000, longest_run);
    check_that_runs_are_kept_apart<double>(300000, longest_run);
  }
}

// Sums of each run fit; those of two runs would not. UBSan would tell.
TEST_F(faults, sums_of_two_runs_do_not_overflow) {
  constexpr int large = std::numeric_limits<int>::max() - 1;
  std::vector<int> keys(100000), values(keys.size()), out(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = int(i) / 2, values[i] = i % 2 ? 1 : large;
  const std::vector<int> expected(keys.size() / 2, large + 1);
  thrust::reduce_by_key(par, keys.begin(), keys.end(), values.begin(),
                        thrust::make_discard_iterator(), out.begin());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
  thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), values.begin(), out.begin());
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i % 2 ? large + 1 : large);
}

/// The sum of two numbers, if it fits.
struct checked_sum {
  int operator()(int a, int b) const {
    int sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw std::overflow_error("sum");
    return sum;
  }
};

// Twice the initial value would not fit. And each output is written once.
TEST_F(faults, an_initial_value_is_added_once) {
  constexpr int init = 1500000000;
  const std::vector<int> keys(30000, 1), offsets{0, int(keys.size())};
  std::vector<int> expected(keys.size()), out(keys.size());
  std::iota(expected.begin(), expected.end(), init);
  std::vector<std::atomic<int>> writes(keys.size());
  const auto write = thrust::make_tabulate_output_iterator([&](std::size_t i, int sum) {
    ++writes[i];
    out[i] = sum;
  });
  const auto check = [&](int num_writes) {
    EXPECT_TRUE(out == expected);
    EXPECT_EQ(std::count(writes.begin(), writes.end(), num_writes), std::ptrdiff_t(keys.size()));
    std::fill(out.begin(), out.end(), 0);
  };
  thrust::exclusive_scan_by_key(par, keys.begin(), keys.end(), keys.begin(), write, init,
                                thrust::equal_to<int>{}, checked_sum{});
  check(1);
  hindsight::exclusive_scan_segments(par, keys, hindsight::by_offsets(offsets), write, init,
                                     checked_sum{});
  check(2);
}

template <class T>
bool are_same_items(std::vector<T> a, std::vector<T> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

/// Throws at one of the calls.
struct fails_at {
  std::shared_ptr<std::atomic<long>> calls_left;
  explicit fails_at(long call) : calls_left{new std::atomic<long>{call}} {}
  template <class T>
  bool operator()(const T& item) const {
    if (--*calls_left == 0) throw std::runtime_error{"predicate"};
    return is_wanted(item);
  }
  static bool is_wanted(int item) { return item % 3 == 0; }
  static bool is_wanted(const std::string& item) { return item.back() % 3 == 0; }
};

TEST_F(faults, partition_keeps_all_items_when_the_predicate_throws) {
  const auto numbers = random_items<int>(400003);
  std::vector<std::string> strings(20011);
  for (std::size_t i = 0; i < strings.size(); ++i)
    strings[i] = "longer than what fits into the string itself " + std::to_string(i);
  for (long at : {1l, 5000l, 20011l}) {
    auto got = strings;
    EXPECT_THROW(thrust::partition(par, got.begin(), got.end(), fails_at{at}), std::runtime_error);
    EXPECT_TRUE(are_same_items(got, strings)) << "call " << at;
    got = strings;
    EXPECT_THROW(
        thrust::stable_partition(par, got.begin(), got.end(), strings.begin(), fails_at{at}),
        std::runtime_error);
    EXPECT_TRUE(are_same_items(got, strings)) << "call " << at;
  }
  for (long at : {1l, 9000l, 200000l, 399000l, 400003l}) {
    auto got = numbers;
    EXPECT_THROW(thrust::partition(par, got.begin(), got.end(), fails_at{at}), std::runtime_error);
    EXPECT_TRUE(are_same_items(got, numbers)) << "call " << at;
  }
}

/// Its copies, moves and assignments throw, before they change anything: some of them, or all from
/// one on.
struct unlucky {
  static inline long good = -1, bad = 0;
  std::shared_ptr<int> value;  // null where it was moved from
  explicit unlucky(int v) : value{new int{v}} {}
  unlucky(const unlucky& other) : value{(try_luck(), other.value)} {}
  unlucky(unlucky&& other) : value{(try_luck(), std::move(other.value))} {}
  unlucky& operator=(const unlucky& other) {
    try_luck();
    value = other.value;
    return *this;
  }
  unlucky& operator=(unlucky&& other) {
    try_luck();
    value = std::move(other.value);
    return *this;
  }
  static void try_luck() {
    if (good > 0) return void(--good);
    if (good == 0 && bad > 0) {
      --bad;
      throw std::runtime_error{"unlucky"};
    }
  }
};
/// The same without assignments.
struct unlucky_assignment : unlucky {
  using unlucky::unlucky;
  unlucky_assignment(const unlucky_assignment& other) : unlucky{*other.value} {}
  unlucky_assignment(unlucky_assignment&& other) : unlucky{std::move(*other.value)} {
    other.value.reset();
  }
  unlucky_assignment& operator=(const unlucky_assignment&) = default;
  unlucky_assignment& operator=(unlucky_assignment&&) = default;
};

template <class T>
void expect_that_partitions_keep(long good, long bad) {
  constexpr int n = 1000;
  const auto is_odd = [](const T& item) { return *item.value % 2 != 0; };
  for (const bool with_stencil : {false, true}) {
    std::vector<int> numbers(n), kept(n);
    std::vector<T> items;
    for (int i = 0; i < n; ++i) items.emplace_back(numbers[std::size_t(i)] = i * 7 % n);
    unlucky::good = good, unlucky::bad = bad;
    if (with_stencil)
      EXPECT_THROW(thrust::stable_partition(par, items.begin(), items.end(), numbers.begin(),
                                            [](int number) { return number % 2 != 0; }),
                   std::runtime_error);
    else
      EXPECT_THROW(thrust::partition(par, items.begin(), items.end(), is_odd), std::runtime_error);
    unlucky::good = -1;
    for (std::size_t i = 0; i < n; ++i) kept[i] = items[i].value ? *items[i].value : -1;
    EXPECT_TRUE(are_same_items(kept, numbers)) << good << " good, " << bad << " bad";
  }
}

TEST_F(faults, partition_keeps_all_items_when_copies_or_moves_throw) {
  for (const long good : {0, 1, 2, 500, 999, 1400}) expect_that_partitions_keep<unlucky>(good, 1);
  expect_that_partitions_keep<unlucky>(0, 100000);
  expect_that_partitions_keep<unlucky_assignment>(0, 1);
  expect_that_partitions_keep<unlucky_assignment>(0, 100000);
}

TEST_F(faults, the_first_exception_is_the_one_that_arrives) {
  host::first_exception failure;
  failure.run([] { throw 1; });
  failure.run([] { throw 2; });
  try {
    failure.rethrow();
    FAIL();
  } catch (int which) {
    EXPECT_EQ(which, 1);
  }

  // The same through a team: the second rank throws long after the first.
  std::atomic<bool> has_thrown{false};
  try {
    host::run_team(2, [&](unsigned rank) {
      if (rank == 0) {
        has_thrown = true;
        throw rank;
      }
      while (!has_thrown) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds{500});
      throw rank;
    });
    FAIL();
  } catch (unsigned rank) {
    EXPECT_EQ(rank, 0u);
  }
}

// --- outputs that share memory
// ---------------------------------------------------------------------

using bits = std::vector<bool>;

TEST_F(faults, vector_of_bool_as_output) {
  const std::size_t n = (1 << 19) + 5;
  const auto in = random_items<unsigned>(n);
  const auto odd = [](unsigned item) { return item % 2 != 0; };
  const auto third = [](unsigned item) { return item % 3 == 0; };
  bits source(n), got(n), expected(n), rest(n), expected_rest(n);
  std::vector<int> keys(n), lengths(n);
  for (std::size_t i = 0; i < n; ++i) source[i] = odd(in[i]), keys[i] = int(i / 3);
  const thrust::equal_to<int> equal;
  const thrust::bit_xor<bool> flip;
  const auto& stock = thrust::seq;
  const auto s = source.begin(), e = source.end();
  const auto g = got.begin(), x = expected.begin();
  for (int round = 0; round < 3; ++round) {
    thrust::copy_if(par, in.begin(), in.end(), g, odd);
    thrust::copy_if(stock, in.begin(), in.end(), x, odd);
    EXPECT_TRUE(got == expected) << "copy_if";
    thrust::inclusive_scan(par, s + 3, e, g + 3, flip);
    thrust::inclusive_scan(stock, s + 3, e, x + 3, flip);
    EXPECT_TRUE(got == expected) << "inclusive_scan";
    thrust::exclusive_scan(par, s + 3, e, g + 3, true, flip);
    thrust::exclusive_scan(stock, s + 3, e, x + 3, true, flip);
    EXPECT_TRUE(got == expected) << "exclusive_scan";
    thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), s, g, equal, flip);
    thrust::inclusive_scan_by_key(stock, keys.begin(), keys.end(), s, x, equal, flip);
    EXPECT_TRUE(got == expected) << "inclusive_scan_by_key";
    thrust::reduce_by_key(par, keys.begin(), keys.end(), s, lengths.begin(), g, equal, flip);
    thrust::reduce_by_key(stock, keys.begin(), keys.end(), s, lengths.begin(), x, equal, flip);
    EXPECT_TRUE(got == expected) << "reduce_by_key";
    hindsight::run_length_encode(par, s, e, g, lengths.begin());
    hindsight::run_length_encode(stock, s, e, x, lengths.begin());
    EXPECT_TRUE(got == expected) << "run_length_encode";
    thrust::partition_copy(par, s, e, in.begin(), g, rest.begin(), third);
    thrust::partition_copy(stock, s, e, in.begin(), x, expected_rest.begin(), third);
    EXPECT_TRUE(got == expected && rest == expected_rest) << "partition_copy";
    got = expected = source;
    thrust::stable_partition(par, g, got.end(), in.begin(), third);
    auto place = x;  // not stock's, which binds references to null pointers
    for (const bool is_third : {true, false})
      for (std::size_t i = 0; i < n; ++i)
        if (third(in[i]) == is_third) *place++ = source[i];
    EXPECT_TRUE(got == expected) << "stable_partition";
    thrust::sort(par, g + 1, got.end());
    std::sort(x + 1, expected.end());
    EXPECT_TRUE(got == expected) << "sort";
    got = expected = source;
    got.erase(thrust::remove_if(par, g, got.end(), in.begin(), third), got.end());
    expected.erase(thrust::remove_if(stock, x, expected.end(), in.begin(), third), expected.end());
    EXPECT_TRUE(got == expected) << "remove_if";
    got.resize(n), expected.resize(n);
  }
  // Counters of one bit: each bin is hit once or never.
  bits counters(1 << 16);
  hindsight::histogram_even(par, keys.begin(), keys.begin() + 3, 1 << 16, 0, 1 << 16,
                            counters.begin());
  EXPECT_EQ(std::count(counters.begin(), counters.end(), true), 1);
}

TEST_F(faults, which_outputs_threads_may_share) {
  using zip = thrust::zip_iterator<::cuda::std::tuple<int*, double*>>;
  using zip_with_bits = thrust::zip_iterator<::cuda::std::tuple<int*, bits::iterator>>;
  EXPECT_TRUE(host::writes_apart<int*>::value);
  EXPECT_TRUE(host::writes_apart<std::reverse_iterator<std::vector<int>::iterator>>::value);
  EXPECT_TRUE(host::writes_apart<zip>::value);
  EXPECT_TRUE(host::writes_apart<thrust::discard_iterator<>>::value);
  EXPECT_FALSE(host::writes_apart<bits::iterator>::value);
  EXPECT_FALSE(host::writes_apart<std::reverse_iterator<bits::iterator>>::value);
  EXPECT_FALSE(host::writes_apart<zip_with_bits>::value);
}

// --- items
// -----------------------------------------------------------------------------------------

/// Moving an item onto itself empties it, as it may for a type of the standard library.
struct empties_itself {
  std::unique_ptr<int> value;
  empties_itself() = default;
  explicit empties_itself(int v) : value{new int{v}} {}
  empties_itself(empties_itself&&) = default;
  empties_itself& operator=(empties_itself&& other) noexcept {
    value.reset();
    value = std::move(other.value);
    return *this;
  }
};
// Where one of the outputs has no type of items, the zipped ones have none either.
TEST_F(faults, zipped_outputs_without_a_type_of_items) {
  const int n = 100003;
  std::vector<int> items(n), kept(n, -1), negated(n, -1);
  for (int i = 0; i < n; ++i) items[std::size_t(i)] = i * 7 % 1000;
  const auto negate = [&](std::ptrdiff_t i, int item) { negated[std::size_t(i)] = -item; };
  const auto first = thrust::make_zip_iterator(items.begin(), items.begin());
  const auto to =
      thrust::make_zip_iterator(kept.begin(), thrust::make_tabulate_output_iterator(negate));
  const auto end = thrust::copy_if(par, first, first + n, items.begin(), to,
                                   [](int item) { return item % 2 == 1; });
  std::vector<int> expected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected),
               [](int item) { return item % 2 == 1; });
  ASSERT_EQ(end - to, std::ptrdiff_t(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(kept[i], expected[i]);
    ASSERT_EQ(negated[i], -expected[i]);
  }
  EXPECT_EQ(negated[expected.size()], -1);
}

TEST_F(faults, no_item_is_moved_onto_itself) {
  std::vector<empties_itself> items;
  for (int i = 0; i < 1000; ++i) items.emplace_back(i);
  const auto end = thrust::stable_partition(
      par, items.begin(), items.end(),
      [](const empties_itself& item) { return *item.value < 500 || *item.value % 2 == 0; });
  ASSERT_EQ(end - items.begin(), 750);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(items[std::size_t(i)].value) << i;
  EXPECT_EQ(*items[499].value, 499);
  EXPECT_EQ(*items[750].value, 501);
}

struct large {
  static constexpr std::size_t size = 250 * 1024 / sizeof(int);
  int values[size];
};
TEST_F(faults, items_of_250_KB_need_no_large_stack) {
  const std::size_t n = 100;
  std::vector<large> items(n), out(n);
  std::vector<int> keys(n, 1), keys_out(n);
  for (large& item : items) std::fill(item.values, item.values + large::size, 1);
  const auto add = [](const large& a, const large& b) {
    large sum = a;
    for (std::size_t i = 0; i < large::size; ++i) sum.values[i] += b.values[i];
    return sum;
  };
  thrust::inclusive_scan(par, items.begin(), items.end(), out.begin(), add);
  EXPECT_EQ(out[n - 1].values[7], int(n));
  thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), items.begin(), out.begin(),
                                thrust::equal_to<int>{}, add);
  EXPECT_EQ(out[n - 1].values[7], int(n));
  thrust::reduce_by_key(par, keys.begin(), keys.end(), items.begin(), keys_out.begin(), out.begin(),
                        thrust::equal_to<int>{}, add);
  EXPECT_EQ(out[0].values[large::size - 1], int(n));
  EXPECT_EQ(thrust::reduce(par, items.begin(), items.end(), items[0], add).values[0], int(n) + 1);
  const auto first = [&](const large& item) { return item.values[0] == 1; };
  EXPECT_EQ(thrust::copy_if(par, items.begin(), items.end(), out.begin(), first) - out.begin(),
            std::ptrdiff_t(n));
  EXPECT_EQ(thrust::stable_partition(par, items.begin(), items.end(), first) - items.begin(),
            std::ptrdiff_t(n));
}

/// No array of them, no copy from braces, an address that is not to be had, a comma that counts.
template <int Bytes>
struct guarded {
  std::uint32_t value;
  unsigned char rest[Bytes - 4];
  explicit guarded() : value{0}, rest{} {}
  explicit guarded(std::uint32_t v) : value{v}, rest{} { rest[Bytes - 5] = (unsigned char)(v); }
  static void* operator new[](std::size_t) = delete;
  void operator&() const = delete;
  template <class T>
  friend void operator,(const guarded&, T&&) = delete;
  bool is_whole() const { return rest[Bytes - 5] == (unsigned char)(value); }
  bool operator==(const guarded& other) const { return value == other.value; }
};
/// Their aggregate.
template <class T>
struct wrapped {
  T item;
  bool operator==(const wrapped& other) const { return item == other.item; }
};
/// Without a default constructor.
struct must_be_made {
  int value;
  must_be_made(int v) : value{v} {}
  bool operator==(const must_be_made& other) const { return value == other.value; }
};

/// A quantity is assigned to one of its unit only. Temporary memory holds no quantities.
struct quantity {
  int value, unit;
  quantity(int v) : value{v}, unit{7} {}
  quantity(const quantity&) = default;
  quantity& operator=(const quantity& other) {
    if (unit != other.unit) throw std::logic_error{"other unit"};
    value = other.value;
    return *this;
  }
};
/// The same, as long as no exception tells.
struct silent_quantity : quantity {
  using quantity::quantity;
  silent_quantity(const silent_quantity&) = default;
  silent_quantity& operator=(const silent_quantity& other) noexcept {
    if (unit == other.unit) value = other.value;
    return *this;
  }
};
template <class Item>
void check_partition_of_quantities() {
  for (const int n : {3, 100, 100000}) {
    std::vector<Item> items;
    for (int i = 0; i < n; ++i) items.push_back(Item{i});
    hindsight::stable_partition(par, items.begin(), items.end(),
                                [](const Item& item) { return item.value % 3 == 1; });
    int at = 0;
    for (const bool first : {true, false}) {
      for (int i = 0; i < n; ++i) {
        if ((i % 3 == 1) != first) continue;
        ASSERT_EQ(items[std::size_t(at++)].value, i) << n;
      }
    }
  }
}
TEST(host_faults, partition_assigns_to_objects_only) {
  check_partition_of_quantities<quantity>();
  check_partition_of_quantities<silent_quantity>();
}

/// Copies cost nothing; one assignment throws.
struct throws_once {
  int value;
  static inline std::atomic<int> left{0};
  throws_once(int v) : value{v} {}
  throws_once(const throws_once&) = default;
  throws_once& operator=(const throws_once& other) {
    if (--left == 0) throw std::runtime_error{"assignment"};
    value = other.value;
    return *this;
  }
};
TEST(host_faults, partition_keeps_cheap_items_whose_assignment_throws) {
  for (const int n : {3, 50000}) {
    for (int bad = 1; bad < n; bad = bad * 3 + 1) {
      std::vector<throws_once> items;
      for (int i = 0; i < n; ++i) items.push_back(throws_once{i});
      throws_once::left = bad;
      try {
        hindsight::stable_partition(par, items.begin(), items.end(),
                                    [](const throws_once& item) { return item.value % 3 != 0; });
      } catch (const std::runtime_error&) {
      }
      throws_once::left = 0;
      std::vector<int> values;
      for (const throws_once& item : items) values.push_back(item.value);
      std::sort(values.begin(), values.end());
      for (int i = 0; i < n; ++i) ASSERT_EQ(values[std::size_t(i)], i) << n << ", " << bad;
    }
  }
}

/// An array begins where it begins, whatever the items' `&` does.
TEST(host_faults, arrays_of_items_without_an_address) {
  guarded<8> items[3] = {guarded<8>{3}, guarded<8>{1}, guarded<8>{2}};
  hindsight::sort(par, items, [](const auto& a, const auto& b) { return a.value < b.value; });
  EXPECT_TRUE(items[0].value == 1 && items[1].value == 2 && items[2].value == 3);
}

/// All algorithms over items made by make(i), with op(x, y) = the left one, and for by-key ones
/// runs of three.
template <class T, class Make>
void check_items(Make make) {
  const std::size_t n = 70001;
  std::vector<T> in, out, rest;
  std::vector<int> keys(n), keys_out(n);
  for (std::size_t i = 0; i < n; ++i) {
    in.push_back(make(i / 3));
    out.push_back(make(0));
    rest.push_back(make(0));
    keys[i] = int(i / 3);
  }
  const auto left = [](const T& x, const T&) { return x; };
  const T first = in[0];
  const auto is_first = [first](const T& x) { return x == first; };
  const thrust::equal_to<int> equal;
  EXPECT_TRUE(thrust::reduce(par, in.begin(), in.end(), in[5], left) == in[5]);
  thrust::inclusive_scan(par, in.begin(), in.end(), out.begin(), left);
  EXPECT_TRUE(out[n - 1] == first);
  thrust::exclusive_scan(par, in.begin(), in.end(), out.begin(), in[9], left);
  EXPECT_TRUE(out[n - 1] == in[9]);
  thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), in.begin(), out.begin(), equal,
                                left);
  EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin()));
  thrust::exclusive_scan_by_key(par, keys.begin(), keys.end(), in.begin(), out.begin(), in[9],
                                equal, left);
  EXPECT_TRUE(out[n - 1] == in[9]);
  const auto ends = thrust::reduce_by_key(par, keys.begin(), keys.end(), in.begin(),
                                          keys_out.begin(), out.begin(), equal, left);
  ASSERT_EQ(ends.second - out.begin(), std::ptrdiff_t((n + 2) / 3));
  EXPECT_TRUE(out[1000] == in[3000]);
  const auto runs =
      hindsight::run_length_encode(par, in.begin(), in.end(), out.begin(), keys_out.begin());
  ASSERT_EQ(runs.first - out.begin(), std::ptrdiff_t((n + 2) / 3));
  EXPECT_TRUE(out[1000] == in[3000] && keys_out[1000] == 3);
  EXPECT_EQ(thrust::copy_if(par, in.begin(), in.end(), out.begin(), is_first) - out.begin(), 3);
  EXPECT_TRUE(out[2] == first);
  thrust::partition_copy(par, in.begin(), in.end(), out.begin(), rest.begin(), is_first);
  EXPECT_TRUE(rest[n - 4] == in[n - 1]);
  auto moved = in;
  EXPECT_EQ(thrust::remove_if(par, moved.begin(), moved.end(), is_first) - moved.begin(),
            std::ptrdiff_t(n - 3));
  EXPECT_TRUE(moved[0] == in[3]);
  moved = in;
  std::reverse(moved.begin(), moved.end());
  thrust::stable_partition(par, moved.begin(), moved.end(), is_first);
  EXPECT_TRUE(moved[2] == first && moved[3] == in[n - 1]);
  std::reverse(keys.begin(), keys.end());
  moved = in;
  thrust::sort_by_key(par, keys.begin(), keys.end(), moved.begin());
  EXPECT_TRUE(moved[0] == in[n - 3]);
  EXPECT_TRUE(moved[n - 1] == first);
}

TEST_F(faults, explicit_default_constructors_and_deleted_operators) {
  check_items<guarded<8>>([](std::size_t i) { return guarded<8>{std::uint32_t(i)}; });
  check_items<guarded<12>>([](std::size_t i) { return guarded<12>{std::uint32_t(i)}; });
  check_items<guarded<40>>([](std::size_t i) { return guarded<40>{std::uint32_t(i)}; });
  using wrap = wrapped<guarded<16>>;
  check_items<wrap>([](std::size_t i) { return wrap{guarded<16>{std::uint32_t(i)}}; });
  check_items<must_be_made>([](std::size_t i) { return must_be_made{int(i)}; });
}

/// Made of anything, also, by a better match than the copy constructor, of an item that is not
/// const.
struct made_of_anything {
  int value = 0;
  made_of_anything() = default;
  template <class T>
  made_of_anything(T&&) : value{-1} {}
  static made_of_anything of(int value) {
    made_of_anything item;
    item.value = value;
    return item;
  }
  bool operator<(const made_of_anything& other) const { return value < other.value; }
  bool operator==(const made_of_anything& other) const { return value == other.value; }
};
TEST_F(faults, constructors_that_take_anything) {
  for (std::size_t n : {100u, 70001u}) {
    std::vector<made_of_anything> items, out(n), rest(n);
    std::vector<int> keys;
    for (std::size_t i = 0; i < n; ++i) {
      items.push_back(made_of_anything::of(int((i + n / 3) % n)));
      keys.push_back(int(n - i) / 2);
    }
    const auto even = [](const made_of_anything& item) { return item.value % 2 == 0; };
    EXPECT_EQ(thrust::min_element(par, items.begin(), items.end())->value, 0);
    const auto end = thrust::copy_if(par, items.begin(), items.end(), out.begin(), even);
    EXPECT_EQ(end - out.begin(), std::ptrdiff_t((n + 1) / 2));
    EXPECT_TRUE(std::all_of(out.begin(), end, even));
    EXPECT_TRUE(end == std::unique(out.begin(), end));
    thrust::partition_copy(par, items.begin(), items.end(), out.begin(), rest.begin(), even);
    EXPECT_EQ(rest[0].value % 2, 1);

    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    std::vector<made_of_anything> expected, by_key = items;
    for (const std::size_t i : order) expected.push_back(items[i]);
    std::vector<int> keys_by_order = keys;
    thrust::stable_sort_by_key(par, keys.begin(), keys.end(), by_key.begin());
    EXPECT_TRUE(by_key == expected) << "n " << n;
    by_key = items;
    const auto less = [](int a, int b) { return a < b; };
    thrust::stable_sort_by_key(par, keys_by_order.begin(), keys_by_order.end(), by_key.begin(),
                               less);
    EXPECT_TRUE(by_key == expected) << "n " << n;
    thrust::stable_sort(par, items.begin(), items.end());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(items[i].value, int(i));
  }
}
TEST_F(faults, constructors_that_take_anything_in_segments) {
  constexpr std::size_t n = 5000;
  const std::vector<int> offsets{0, 10, 400, int(n)};
  const auto segments = hindsight::by_offsets(offsets);
  const auto check = [&](auto sort) {
    std::vector<int> keys(n);
    std::vector<made_of_anything> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i].value = keys[i] = int(i * 7919 % n);
    sort(keys, items);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(items[i].value, keys[i]);
  };
  check([&](auto& keys, auto& items) {
    hindsight::sort_segments_by_key(par, keys.begin(), keys.end(), items.begin(), segments,
                                    [](int a, int b) { return a < b; });
  });
  check([&](auto& keys, auto& items) {
    hindsight::sort_segments_by_key(par, keys.rbegin(), keys.rend(), items.rbegin(), segments);
  });

  std::vector<made_of_anything> items{made_of_anything::of(1), made_of_anything::of(2),
                                      made_of_anything::of(3)};
  std::vector<made_of_anything> out(n);
  hindsight::expand(par, items.begin(), offsets.begin(), offsets.end(), out.begin());
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i].value, i < 10 ? 1 : i < 400 ? 2 : 3);
}

/// What is made of anything counts as nothing. (Thrust hands on initial values that are not const.)
struct sum_of_others {
  template <class T>
  T operator()(const T& a, const T& b) const {
    if (a.value < 0 || b.value < 0) return a.value < 0 ? b : a;
    return T::of(a.value + b.value);
  }
};
/// Folds, scans, and sums and scans by key and of segments, of `Item`s by `add`, beside those of
/// numbers.
template <class Item, class Op>
void check_sums(Op add) {
  for (const std::size_t n : {100u, 70001u}) {
    std::vector<int> numbers(n), sums(n), keys(n);
    std::vector<Item> items(n), out(n);
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = items[i].value = int(i % 10) + 1;
      keys[i] = int(i / 1003);
    }
    const auto expect = [&](const std::vector<int>& expected) {
      for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(out[i].value, expected[i]) << i;
    };
    std::partial_sum(numbers.begin(), numbers.end(), sums.begin());
    thrust::inclusive_scan(par, items.begin(), items.end(), out.begin(), add);
    expect(sums);

    thrust::inclusive_scan_by_key(thrust::seq, keys.begin(), keys.end(), numbers.begin(),
                                  sums.begin());
    thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), items.begin(), out.begin(),
                                  thrust::equal_to<int>{}, add);
    expect(sums);
    std::vector<int> offsets{0};
    for (std::size_t i = 0; i < n; ++i)
      if (i + 1 == n || keys[i] != keys[i + 1]) offsets.push_back(int(i + 1));
    const auto segments = hindsight::by_offsets(offsets);
    std::fill(out.begin(), out.end(), items[0]);
    hindsight::inclusive_scan_segments(par, items.begin(), items.end(), segments, out.begin(), add);
    expect(sums);

    std::vector<int> run_sums;
    for (std::size_t s = 1; s < offsets.size(); ++s)
      run_sums.push_back(sums[std::size_t(offsets[s]) - 1]);
    thrust::reduce_by_key(par, keys.begin(), keys.end(), items.begin(),
                          thrust::make_discard_iterator(), out.begin(), thrust::equal_to<int>{},
                          add);
    expect(run_sums);
    std::fill(out.begin(), out.end(), items[0]);
    thrust::reduce_by_key(
        par, items.begin(), items.end(), items.begin(), out.begin(), out.begin(),
        [](const Item& a, const Item& b) { return a.value < b.value; }, add);
    for (std::size_t i = 0; i < n; ++i) ASSERT_GT(out[i].value, 0);
  }
}
TEST_F(faults, sums_of_items_with_constructors_that_take_anything) {
  check_sums<made_of_anything>(sum_of_others{});
  check_sums<made_of_anything>([](const made_of_anything& a, const made_of_anything& b) {
    return made_of_anything::of(a.value + b.value);
  });

  constexpr std::size_t n = 70001;
  const std::vector<int> offsets{0, 3, 3, 400, 30000, int(n)};
  std::vector<made_of_anything> items(n, made_of_anything::of(2)), out(n);
  const made_of_anything none;
  const sum_of_others add;
  EXPECT_EQ(thrust::reduce(par, items.begin(), items.end(), none, add).value, int(2 * n));
  EXPECT_EQ(thrust::reduce(par, items.data(), items.data() + n, none, add).value, int(2 * n));
  EXPECT_EQ(
      thrust::transform_reduce(par, items.begin(), items.end(), cuda::std::identity{}, none, add)
          .value,
      int(2 * n));
  hindsight::reduce_segments(par, items.begin(), items.end(), hindsight::by_offsets(offsets),
                             out.begin(), none, add);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    if (s != 1) EXPECT_EQ(out[s].value, 2 * (offsets[s + 1] - offsets[s]));
}

/// Made of anything, also where it is moved: by copies alone it stays what it is.
struct moved_as_anything {
  int value = 0;
  moved_as_anything() = default;
  moved_as_anything(const moved_as_anything&) = default;
  moved_as_anything& operator=(const moved_as_anything&) = default;
  template <class T>
  moved_as_anything(T&&) : value{-1} {}
};
TEST_F(faults, moves_that_are_not_trivial_though_copies_are) {
  static_assert(std::is_trivially_copyable_v<moved_as_anything>);
  const auto last = [](const moved_as_anything&, const moved_as_anything& b) { return b; };
  for (const std::size_t n : {100u, 70001u}) {
    std::vector<moved_as_anything> items(n), out(n);
    std::vector<int> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      items[i].value = int(i);
      keys[i] = int(i / 1003);
    }
    const auto expect_items = [&] {
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i].value, int(i));
      for (moved_as_anything& item : out) item.value = 0;
    };
    const std::vector<int> offsets{0, 50, int(n)};
    hindsight::inclusive_scan_segments(par, items.begin(), items.end(),
                                       hindsight::by_offsets(offsets), out.begin(), last);
    expect_items();
    thrust::inclusive_scan(par, items.begin(), items.end(), out.begin(), last);
    expect_items();
    thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), items.begin(), out.begin(),
                                  thrust::equal_to<int>{}, last);
    expect_items();
  }
}

struct alignas(512) overaligned {
  int value;
  bool operator==(const overaligned& other) const {
    return value == other.value && reinterpret_cast<std::uintptr_t>(this) % 512 == 0 &&
           reinterpret_cast<std::uintptr_t>(std::addressof(other)) % 512 == 0;
  }
};
TEST_F(faults, overaligned_items) {
  check_items<overaligned>([](std::size_t i) { return overaligned{int(i)}; });
}

/// An iterator whose items are `const int`, also where it names their type.
struct constants : thrust::iterator_adaptor<constants, const int*, const int> {
  explicit constants(const int* first)
      : thrust::iterator_adaptor<constants, const int*, const int>(first) {}
};
TEST_F(faults, items_named_const) {
  for (std::size_t n : {100u, 300007u}) {
    std::vector<int> items(n), out(n), rest(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = int(i * 31 % 1009 / 2);
    const constants first{items.data()}, last = first + std::ptrdiff_t(n);
    const auto odd = [](int x) { return x % 2 != 0; };
    const auto found = std::copy_if(items.begin(), items.end(), expected.begin(), odd);
    EXPECT_EQ(thrust::copy_if(par, first, last, out.begin(), odd) - out.begin(),
              found - expected.begin());
    EXPECT_TRUE(out == expected);
    thrust::partition_copy(par, first, last, out.begin(), rest.begin(), odd);
    EXPECT_TRUE(out == expected);
    EXPECT_EQ(thrust::max_element(par, first, last) - first,
              std::max_element(items.begin(), items.end()) - items.begin());
    std::partial_sum(items.begin(), items.end(), expected.begin());
    EXPECT_EQ(thrust::reduce(par, first, last), expected.back());
    thrust::inclusive_scan(par, first, last, out.begin());
    EXPECT_TRUE(out == expected);
    thrust::inclusive_scan(par, first, last, out.begin(), [](int x, int y) { return x + y; });
    EXPECT_TRUE(out == expected);
    const auto sums = thrust::reduce_by_key(par, first, last, first, out.begin(), rest.begin());
    const auto runs = std::unique_copy(items.begin(), items.end(), expected.begin());
    EXPECT_EQ(sums.first - out.begin(), runs - expected.begin());
    EXPECT_TRUE(std::equal(out.begin(), sums.first, expected.begin()));
    thrust::unique_copy(par, first, last, out.begin());
    EXPECT_TRUE(std::equal(out.begin(), sums.first, expected.begin()));
  }
}

TEST_F(faults, volatile_items) {
  const auto items = random_items<int>(100003);
  std::vector<int> sums(items.size()), got(items.size(), -1);
  std::partial_sum(items.begin(), items.end(), sums.begin(), std::bit_xor<>{});
  const volatile int* const in = items.data();
  volatile int* const out = got.data();
  thrust::inclusive_scan(par, in, in + items.size(), out, std::bit_xor<>{});
  EXPECT_EQ(got, sums);
  const auto is_odd = [](int item) { return item % 2 != 0; };
  const auto num_odd = thrust::copy_if(par, in, in + items.size(), out, is_odd) - out;
  EXPECT_EQ(num_odd, std::count_if(items.begin(), items.end(), is_odd));
  EXPECT_EQ(got[0], *std::find_if(items.begin(), items.end(), is_odd));
  EXPECT_EQ(thrust::reduce(par, in, in + items.size(), 0, std::bit_xor<>{}), sums.back());
}

/// f(items) of volatile items leaves what f leaves of plain ones.
template <class F>
void expect_same_if_volatile(F f) {
  auto plain = random_items<int>(20011), got = plain;
  for (std::size_t i = 0; i < plain.size(); ++i) got[i] = plain[i] %= 5;
  f(plain.data(), plain.size());
  f(static_cast<volatile int*>(got.data()), got.size());
  EXPECT_EQ(got, plain);
}
TEST_F(faults, volatile_items_in_calls_by_key_and_sorts) {
  std::vector<int> values(20011), keys_out(values.size()), values_out(values.size());
  volatile int *const v = values.data(), *const k = keys_out.data(), *const o = values_out.data();
  std::iota(values.begin(), values.end(), 0);
  std::vector<std::vector<int>> seen;
  const auto note = [&](std::ptrdiff_t count) {
    seen.push_back(keys_out), seen.push_back(values_out), seen.push_back({int(count)});
  };
  expect_same_if_volatile([&](auto* first, std::size_t n) {
    std::fill(keys_out.begin(), keys_out.end(), -1);
    std::fill(values_out.begin(), values_out.end(), -1);
    note(thrust::reduce_by_key(par, first, first + n, v, k, o).first - k);
    note(hindsight::run_length_encode(par, first, first + n, k, o).second - o);
    note(thrust::unique_copy(par, first, first + n, k) - k);
    note(thrust::inclusive_scan_by_key(par, first, first + n, v, o) - o);
    note(thrust::adjacent_difference(par, first, first + n, o) - o);
    note(thrust::max_element(par, first, first + n) - first);
    note(std::ptrdiff_t(hindsight::mean(par, first, first + n) * 1000));
    note(hindsight::minmax(par, first, first + n).second);
    hindsight::top_k_by_key(par, first, first + n, v, 10, k, o);
    note(0);
  });
  ASSERT_EQ(seen.size() % 2, 0u);
  for (std::size_t i = 0; i < seen.size() / 2; ++i) EXPECT_EQ(seen[i], seen[seen.size() / 2 + i]);
  expect_same_if_volatile([](auto* first, std::size_t n) { thrust::sort(par, first, first + n); });
  expect_same_if_volatile([](auto* first, std::size_t n) {
    thrust::stable_sort(par, first, first + n, [](int a, int b) { return a % 3 > b % 3; });
  });
  expect_same_if_volatile([](auto* first, std::size_t n) {
    std::vector<int> moved(n);
    volatile int* const to = moved.data();
    thrust::sort_by_key(par, first, first + n, to, thrust::greater<int>{});
  });
  expect_same_if_volatile([](auto* first, std::size_t n) {
    const int offsets[] = {0, 10, 10, 5000, 20000};
    hindsight::sort_segments(par, first, first + n, hindsight::by_offsets(offsets, offsets + 5));
  });
  expect_same_if_volatile(
      [](auto* first, std::size_t n) { hindsight::split(par, first, first + n, 0); });
  expect_same_if_volatile(
      [](auto* first, std::size_t n) { thrust::unique(par, first, first + n); });
}

TEST_F(faults, sum_of_strings_starts_from_an_empty_one) {
  const std::vector<std::string> words{"a", "b", "c"};
  EXPECT_EQ(thrust::reduce(par, words.begin(), words.end()), "abc");
  EXPECT_EQ(hindsight::reduce(words), "abc");
  std::string sum = "x";
  hindsight::reduce_into(par, words.begin(), words.end(), &sum);
  EXPECT_EQ(sum, "abc");
}

// --- null pointers
// ---------------------------------------------------------------------------------

template <class Call>
void expect_refused(Call call, const std::string& algorithm,
                    const std::string& items = "10 items") {
  try {
    call();
    FAIL() << algorithm << " took a null pointer";
  } catch (const hindsight::invalid_call& refusal) {
    const std::string what = refusal.what();
    EXPECT_NE(what.find("hindsight::" + algorithm), std::string::npos) << what;
    EXPECT_NE(what.find("null"), std::string::npos) << what;
    EXPECT_NE(what.find(items), std::string::npos) << what;
  }
}

TEST_F(faults, null_pointers_are_refused) {
  std::vector<int> v(10, 3), before = v;
  int *const p = v.data(), *const e = p + 10, *const null = nullptr;
  const auto pred = [](int) { return true; };
  using thrust::equal_to;
  expect_refused([&] { thrust::reduce(par, null, null + 10); }, "reduce");
  expect_refused([&] { thrust::inner_product(par, p, e, null, 0); }, "inner_product");
  expect_refused([&] { thrust::count_if(par, null, null + 10, pred); }, "count_if");
  expect_refused([&] { thrust::inclusive_scan(par, null, null + 10, p); }, "inclusive_scan");
  expect_refused([&] { thrust::inclusive_scan(par, p, e, null); }, "inclusive_scan");
  expect_refused([&] { thrust::exclusive_scan(par, p, e, null); }, "exclusive_scan");
  expect_refused([&] { thrust::inclusive_scan_by_key(par, p, e, null, p); },
                 "inclusive_scan_by_key");
  expect_refused([&] { thrust::exclusive_scan_by_key(par, p, e, p, null); },
                 "exclusive_scan_by_key");
  expect_refused([&] { thrust::reduce_by_key(par, p, e, p, p, null); }, "reduce_by_key");
  expect_refused([&] { hindsight::run_length_encode(par, p, e, p, null); }, "run_length_encode");
  expect_refused([&] { thrust::copy_if(par, p, e, null, pred); }, "copy_if");
  expect_refused([&] { thrust::copy_if(par, p, e, null, p, pred); }, "copy_if");
  expect_refused([&] { thrust::remove_if(par, p, e, null, pred); }, "remove_if");
  expect_refused([&] { thrust::partition(par, null, null + 10, pred); }, "partition");
  expect_refused([&] { thrust::partition_copy(par, p, e, null, p, pred); }, "partition_copy");
  expect_refused([&] { thrust::sort(par, null, null + 10); }, "sort");
  expect_refused([&] { thrust::sort_by_key(par, p, e, null); }, "sort_by_key");
  expect_refused([&] { hindsight::histogram_even(par, null, null + 10, 5, 0, 5, p); },
                 "histogram_even");
  expect_refused([&] { hindsight::histogram_even(par, p, e, 10, 0, 5, null); }, "histogram_even");
  EXPECT_EQ(v, before);
  EXPECT_EQ(thrust::reduce(par, null, null), 0);  // nothing is behind it, and nothing is read
  thrust::sort(par, null, null);
}

/// A program may count first and allocate memory for as many: for none that is null.
TEST_F(faults, null_is_an_output_of_nothing) {
  for (const std::size_t n : {10, 100'000}) {
    std::vector<int> v(n, 3), out(n, -1);
    int *const p = v.data(), *const e = p + n, *const o = out.data(), *const null = nullptr;
    const auto all = [](int) { return true; };
    const auto none = [](int) { return false; };
    EXPECT_EQ(thrust::copy_if(par, p, e, null, none), null);
    EXPECT_EQ(thrust::copy_if(par, p, e, p, null, none), null);
    EXPECT_EQ(thrust::remove_copy(par, p, e, null, 3), null);
    EXPECT_EQ(thrust::remove_copy_if(par, p, e, p, null, all), null);
    EXPECT_EQ(out[0], -1);
    const auto rejected = thrust::partition_copy(par, p, e, null, o, none);
    EXPECT_EQ(rejected.first, null);
    EXPECT_EQ(rejected.second, o + n);
    EXPECT_EQ(out, v);
    out.assign(n, -1);
    const auto accepted = thrust::stable_partition_copy(par, p, e, p, o, null, all);
    EXPECT_EQ(accepted.first, o + n);
    EXPECT_EQ(accepted.second, null);
    EXPECT_EQ(out, v);
    std::size_t count = n;
    hindsight::copy_if_into(par, p, e, null, &count, none);
    EXPECT_EQ(count, 0u);
    hindsight::partition_copy_into(par, p, e, o, null, &count, all);
    EXPECT_EQ(count, n);
  }
  const std::vector<int> both{2, 3};
  const int *const p = both.data(), *const e = p + 2;
  std::vector<int> out(2, -1);
  int *const o = out.data(), *const null = nullptr;
  const auto is_odd = [](int item) { return item % 2 != 0; };
  expect_refused([&] { thrust::copy_if(par, p, e, null, is_odd); }, "copy_if", "2 items");
  expect_refused([&] { thrust::partition_copy(par, p, e, null, o, is_odd); }, "partition_copy",
                 "2 items");
  expect_refused([&] { thrust::partition_copy(par, p, e, o, null, is_odd); }, "partition_copy",
                 "2 items");
  EXPECT_EQ(out, std::vector<int>(2, -1));
}

/// A predicate with a state, such as one that draws random numbers, is asked once for each item.
TEST_F(faults, null_outputs_do_not_ask_the_predicate_again) {
  const std::size_t n = 1000;
  std::vector<int> v(n, 3), out(n);
  int *const p = v.data(), *const e = p + n, *const o = out.data(), *const null = nullptr;
  std::atomic<std::size_t> calls{0};
  const auto none = [&](int) { return ++calls, false; };
  const auto all = [&](int) { return ++calls, true; };
  const auto expect_calls = [&](const char* what) {
    EXPECT_EQ(calls, n) << what;
    calls = 0;
  };
  EXPECT_EQ(thrust::copy_if(par, p, e, null, none), null);
  expect_calls("copy_if");
  EXPECT_EQ(thrust::remove_copy_if(par, p, e, null, all), null);
  expect_calls("remove_copy_if");
  EXPECT_EQ(thrust::partition_copy(par, p, e, null, o, none).second, o + n);
  expect_calls("partition_copy, none");
  EXPECT_EQ(thrust::partition_copy(par, p, e, o, null, all).first, o + n);
  expect_calls("partition_copy, all");
  EXPECT_EQ(out, v);
  expect_refused([&] { thrust::partition_copy(par, p, e, null, null, none); }, "partition_copy",
                 "1000 items");
}

// --- bins
// ------------------------------------------------------------------------------------------

TEST_F(faults, the_largest_sample_below_the_upper_level_is_in_the_last_bin) {
  std::mt19937 random{5};
  std::uniform_real_distribution<float> levels{-10, 10};
  for (int num_bins : {2147483647, 2147483600, 16777217, 1000003, 1})
    for (int i = 0; i < 20000; ++i) {
      const float a = levels(random), b = levels(random), lower = std::min(a, b),
                  upper = std::max(a, b);
      if (!(lower < upper)) continue;
      const hindsight::detail::even_bins<float, float> bins{num_bins, lower, upper};
      const int bin = bins(std::nextafter(upper, lower));
      ASSERT_TRUE(bin >= 0 && bin < num_bins) << bin << " of " << num_bins;
    }
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// All counters share 2 MiB of memory: those of the same number modulo 2^21 are one.
TEST_F(faults, as_many_bins_as_an_int_can_count) {
  constexpr int bins = 2147483647;
  constexpr std::size_t bytes = std::size_t{1} << 31, shared_bytes = std::size_t{1} << 21;
  void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no 2 GiB of address space";
  auto* const counters = static_cast<unsigned char*>(memory);
  const int file = memfd_create("counters", 0);
  ASSERT_EQ(ftruncate(file, shared_bytes), 0);
  for (std::size_t at = 0; at < bytes; at += shared_bytes)
    ASSERT_NE(
        mmap(counters + at, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0),
        MAP_FAILED);
  close(file);
  const std::vector<float> sample{9.81641865f};  // (sample - lower) * scale rounds up to 2^31
  hindsight::histogram_even(par, sample.begin(), sample.end(), bins, -4.06399012f, 9.8164196f,
                            counters);
  EXPECT_EQ(counters[bins - 1], 1);
  munmap(memory, bytes);
}
#endif

// --- processes
// -------------------------------------------------------------------------------------

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
// The threads of a library stay with the parent.
TEST_F(faults, a_forked_child_works) {
  std::vector<int> v(1 << 20, 1);
  ASSERT_EQ(thrust::reduce(par, v.begin(), v.end()), 1 << 20);  // threads are up
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // ends the child if it hangs
    thrust::inclusive_scan(par, v.begin(), v.end(), v.begin());
    constexpr bool are_of_library = HINDSIGHT_HAS_TBB || HINDSIGHT_HAS_OPENMP;
    _exit(v.back() == 1 << 20 && host::lacks_library_threads() == are_of_library ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  EXPECT_FALSE(host::lacks_library_threads());
}
#endif

}  // namespace
