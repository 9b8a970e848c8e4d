// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Sorts by comparators on host threads: the order of std::stable_sort, all items there whatever a
// comparator does.
#include <hindsight/hindsight.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/sort.h>

#include "comparison_testing.h"
#include "order_testing.h"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace host = hindsight::detail::host;
using hindsight_test::keys_of_shape;
using hindsight_test::num_shapes;
using hindsight_test::places_in_order;
const auto& par = hindsight::host::par;

class comparison_sorts : public testing::Test {
  // Whatever the machine has, and also while other programs contend for it.
  const host::team_size_scope team_{5};
};

/// An item with a number by which tests see whether it kept its place.
struct numbered {
  std::uint32_t key, number;
  bool operator==(const numbered& other) const {
    return key == other.key && number == other.number;
  }
};
struct large {
  std::uint32_t key, number, rest[20];
  bool operator==(const large& other) const {
    return key == other.key && number == other.number &&
           std::equal(std::begin(rest), std::end(rest), other.rest);
  }
};
/// Neither default constructible nor assignable from a constant.
struct boxed {
  std::unique_ptr<std::uint32_t> key;
  std::uint32_t number;
  boxed(std::uint32_t k, std::uint32_t i) : key{new std::uint32_t{k}}, number{i} {}
};

std::uint32_t key_of(std::uint32_t item) {
  return item >> 8;
}
std::uint32_t key_of(const numbered& item) {
  return item.key;
}
std::uint32_t key_of(const large& item) {
  return item.key;
}
std::uint32_t key_of(const boxed& item) {
  return *item.key;
}
std::uint32_t key_of(const std::string& item) {
  return std::uint32_t(std::stoul(item));
}

template <class T>
T make(std::uint32_t key, std::uint32_t number) {
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    return key << 8 | (number & 255);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::to_string(key) + ": longer than what fits into it " + std::to_string(number);
  } else if constexpr (std::is_same_v<T, large>) {
    large item{key, number, {}};
    std::fill(std::begin(item.rest), std::end(item.rest), number);
    return item;
  } else {
    return T{key, number};
  }
}

struct by_key {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return key_of(a) < key_of(b);
  }
};

template <class T>
std::vector<T> items_of(const std::vector<std::uint32_t>& keys) {
  std::vector<T> items;
  items.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) items.push_back(make<T>(keys[i], std::uint32_t(i)));
  return items;
}

const std::size_t sizes[] = {0, 1, 2, 3, 8, 9, 17, 100, 1000, 40000, 100003};

template <class T>
class items_of_type : public comparison_sorts {};
using item_types = testing::Types<std::uint32_t, numbered, large, std::string, boxed>;
TYPED_TEST_SUITE(items_of_type, item_types);

TYPED_TEST(items_of_type, take_the_order_of_std_stable_sort) {
  using T = TypeParam;
  for (const std::size_t n : sizes) {
    for (int shape = 0; shape < num_shapes; ++shape) {
      const auto keys = keys_of_shape(shape, n);
      auto got = items_of<T>(keys);
      thrust::stable_sort(par, got.begin(), got.end(), by_key{});
      const auto places = places_in_order(keys);
      for (std::size_t i = 0; i < n; ++i) {
        if constexpr (std::is_same_v<T, boxed>) {
          ASSERT_EQ(got[i].number, places[i]) << n << " items, shape " << shape << ", at " << i;
        } else {
          ASSERT_TRUE(got[i] == make<T>(keys[places[i]], places[i]))
              << n << " items, shape " << shape << ", at " << i;
        }
      }
    }
  }
}

TYPED_TEST(items_of_type, are_cut_among_any_number_of_threads) {
  using T = TypeParam;
  const std::size_t n = 5000;
  const auto keys = keys_of_shape(1, n);
  const auto places = places_in_order(keys);
  for (const unsigned threads : {1u, 2u, 3u, 4u, 5u, 8u, 13u}) {
    auto got = items_of<T>(keys);
    host::comparison_sort(got.begin(), n, by_key{}, host::cut{threads, 100});
    auto numbers = std::vector<std::uint32_t>(n);
    auto by_number = items_of<T>(keys);
    host::comparison_sort_by_key(by_number.begin(), numbers.begin(), 0, by_key{});
    std::iota(numbers.begin(), numbers.end(), 0u);
    host::comparison_sort_by_key(by_number.begin(), numbers.begin(), n, by_key{},
                                 host::cut{threads, 100});
    EXPECT_EQ(numbers, places) << threads << " threads";
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(key_of(got[i]), keys[places[i]]) << threads << " threads, at " << i;
      ASSERT_EQ(key_of(by_number[i]), keys[places[i]]) << threads << " threads, at " << i;
    }
  }
}

TEST_F(comparison_sorts, values_of_any_type_move_with_their_keys) {
  for (const std::size_t n : {std::size_t{2}, std::size_t{100}, std::size_t{50021}}) {
    const auto keys = keys_of_shape(1, n);
    const auto places = places_in_order(keys);
    const auto check = [&](auto key_item, auto value_item) {
      using K = decltype(key_item);
      using V = decltype(value_item);
      auto got_keys = items_of<K>(keys);
      auto got = items_of<V>(keys);
      thrust::sort_by_key(par, got_keys.begin(), got_keys.end(), got.begin(), by_key{});
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(got_keys[i] == make<K>(keys[places[i]], places[i])) << i;
        ASSERT_TRUE(got[i] == make<V>(keys[places[i]], places[i])) << i;
      }
    };
    check(numbered{}, std::uint32_t{});
    check(std::uint32_t{}, large{});
    check(large{}, numbered{});
    check(std::string{}, std::uint32_t{});
    check(numbered{}, std::string{});
  }
}

struct copied {  // its copies may throw, and it has no moves
  explicit copied(std::size_t n = 0) : number{n} {}
  copied(const copied& other) : number{other.number} {}
  copied& operator=(const copied& other) {
    number = other.number;
    return *this;
  }
  std::size_t number;
};

TEST_F(comparison_sorts, values_behind_proxies_whose_copies_may_throw) {
  const std::size_t n = 5000;
  const auto keys = keys_of_shape(1, n);
  const auto places = places_in_order(keys);
  const auto check = [&](auto got_keys, auto compare) {
    thrust::device_vector<copied> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(copied{n - 1 - i});
    const auto backwards = thrust::make_permutation_iterator(
        values.begin(), thrust::make_reverse_iterator(thrust::make_counting_iterator(int{n})));
    thrust::sort_by_key(par, got_keys.begin(), got_keys.end(), backwards, compare);
    for (std::size_t i = 0; i < n; ++i) {
      const copied value = values[n - 1 - i];
      ASSERT_EQ(value.number, places[i]) << i;
    }
  };
  check(items_of<numbered>(keys), by_key{});
  check(keys, thrust::less<std::uint32_t>{});
}

bool is_below(std::uint32_t a, std::uint32_t b) {
  return a < b;
}
struct counts_calls {  // its call operator is not const, its result no bool
  int calls = 0;
  int operator()(std::uint32_t& a, std::uint32_t& b) { return ++calls, a < b ? 4 : 0; }
};
struct less_in_name_only : thrust::less<int> {
  bool operator()(int a, int b) const { return a > b; }
};

TEST_F(comparison_sorts, comparators_of_every_form) {
  const auto keys = keys_of_shape(0, 70001);
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end());
  const auto check = [&](auto compare) {
    auto got = keys;
    thrust::sort(par, got.begin(), got.end(), compare);
    EXPECT_EQ(got, expected);
  };
  check(is_below);
  check(&is_below);
  check(counts_calls{});
  check(std::function<bool(std::uint32_t, std::uint32_t)>{is_below});
  std::uint32_t none = 0;
  check([&](auto a, auto b) { return a + none < b; });
  check([&](const auto& a, const auto& b) mutable { return a + none < b; });
  check(std::less<>{});
  check(std::less<std::uint32_t>{});
  check(thrust::less<long>{});  // of another type than the keys
  check(std::less<std::int64_t>{});

  std::vector<int> signed_keys(keys.begin(), keys.end());
  auto got = signed_keys;
  std::stable_sort(signed_keys.begin(), signed_keys.end(), std::greater<>{});
  hindsight::host::par_t policy;
  thrust::sort(policy, got.begin(), got.end(), less_in_name_only{});
  EXPECT_EQ(got, signed_keys);
  std::reverse(got.begin(), got.end());
  thrust::sort(par, got.begin(), got.end(), std::greater<>{});
  EXPECT_EQ(got, signed_keys);
}

TEST_F(comparison_sorts, the_order_of_std_less_on_floats) {
  std::vector<double> got;
  for (const std::uint32_t key : keys_of_shape(0, 30000)) got.push_back(double(key) - 8e6);
  got[7] = 0.0, got[8] = -0.0, got[9] = 0.0;
  auto expected = got;
  std::stable_sort(expected.begin(), expected.end());
  auto by_ours = got;
  thrust::sort(par, got.begin(), got.end(), std::less<double>{});
  thrust::sort(par, by_ours.begin(), by_ours.end(), [](double a, double b) { return a < b; });
  EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(by_ours.data(), expected.data(), got.size() * sizeof(double)), 0);
}

TEST_F(comparison_sorts, iterators_of_every_kind) {
  const auto keys = keys_of_shape(0, 60007);
  const auto above = [](std::uint32_t a, std::uint32_t b) { return key_of(a) > key_of(b); };
  auto expected = keys;
  std::stable_sort(expected.rbegin(), expected.rend(), above);
  auto got = keys;
  hindsight::sort(par, got.rbegin(), got.rend(), above);
  EXPECT_EQ(got, expected);

  std::deque<std::string> words, sorted;
  for (std::size_t i = 0; i < 3000; ++i) words.push_back(make<std::string>(keys[i], 0));
  sorted = words;
  std::stable_sort(sorted.begin(), sorted.end(), by_key{});
  thrust::sort(par, words.begin(), words.end(), by_key{});
  EXPECT_TRUE(words == sorted);

  auto first = keys, second = keys;
  std::iota(second.begin(), second.end(), 0u);
  const auto zip = thrust::make_zip_iterator(first.begin(), second.begin());
  using item = ::cuda::std::tuple<std::uint32_t, std::uint32_t>;
  thrust::sort(par, zip, zip + std::ptrdiff_t(keys.size()), [](const item& a, const item& b) {
    return ::cuda::std::get<0>(a) % 16 < ::cuda::std::get<0>(b) % 16;
  });
  auto low = keys;
  for (auto& key : low) key %= 16;
  EXPECT_EQ(second, places_in_order(low));

  std::vector<bool> bits(40000);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = keys[i] % 3 == 0;
  auto expected_bits = bits;
  std::sort(expected_bits.begin(), expected_bits.end(), std::greater<>{});
  thrust::sort(par, bits.begin(), bits.end(), [](bool a, bool b) { return a && !b; });
  EXPECT_TRUE(bits == expected_bits);
}

// --- comparators that fail or lie
// ------------------------------------------------------------------

struct fails_at {
  std::shared_ptr<std::atomic<long>> calls_left;
  explicit fails_at(long call) : calls_left{new std::atomic<long>{call}} {}
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if (--*calls_left == 0) throw std::runtime_error{"comparator"};
    return key_of(a) < key_of(b);
  }
};
std::uint32_t number_of(const boxed& item) {
  return item.key ? item.number : ~0u;
}
std::uint32_t number_of(const numbered& item) {
  return item.number;
}
std::uint32_t number_of(const std::string& item) {
  return std::uint32_t(std::stoul(item.substr(item.rfind(' '))));
}

template <class T>
void expect_all_there(const std::vector<T>& items, long call) {
  std::vector<std::uint32_t> numbers;
  for (const T& item : items) numbers.push_back(number_of(item));
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < items.size(); ++i)
    ASSERT_EQ(numbers[i], i) << "the comparator threw at call " << call;
}

/// An assignment needs an object: memory that holds none has no mark.
struct marked {
  static inline std::atomic<int> to_nothing{0};
  std::uint32_t word = 0;
  std::uint32_t mark = 0x600D600D;
  marked() = default;
  explicit marked(std::uint32_t w) : word{w} {}
  marked(const marked&) = default;
  marked& operator=(const marked& other) {
    to_nothing += mark != 0x600D600D;
    word = other.word;
    return *this;
  }
  friend bool operator<(const marked& a, const marked& b) { return a.word % 97 < b.word % 97; }
};

/// Sorts items behind an iterator that is no pointer, which scratch memory holds meanwhile.
TEST_F(comparison_sorts, assign_to_objects_only) {
  const std::size_t n = 5000;
  std::deque<marked> items, values;
  for (std::size_t i = 0; i < n; ++i) {
    items.emplace_back(std::uint32_t(i) * 2654435761u);
    values.emplace_back(std::uint32_t(i));
  }
  auto expected = items;
  std::stable_sort(expected.begin(), expected.end());
  auto keys = items;
  { const std::vector<char> garbage(std::size_t{1} << 20, '\x5a'); }  // what allocations get next
  thrust::stable_sort(hindsight::host::par, items.begin(), items.end());
  thrust::stable_sort_by_key(hindsight::host::par, keys.begin(), keys.end(), values.begin());
  EXPECT_EQ(marked::to_nothing, 0);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(items[i].word, expected[i].word) << i;
    ASSERT_EQ(keys[i].word, expected[i].word) << i;
    ASSERT_EQ(values[i].word * 2654435761u, expected[i].word) << i;
  }
}

TEST_F(comparison_sorts, keep_all_items_when_the_comparator_throws) {
  const std::size_t n = 6000;
  const auto keys = keys_of_shape(0, n);
  for (const unsigned threads : {1u, 3u, 4u}) {
    for (long call = 1; call < 80000; call += 1 + call / 3) {
      const auto check = [&](auto item) {
        using T = decltype(item);
        auto items = items_of<T>(keys);
        const auto sort = [&] {
          host::comparison_sort(items.begin(), n, fails_at{call}, host::cut{threads, 100});
        };
        try {
          sort();
        } catch (const std::runtime_error&) {
        }
        expect_all_there(items, call);
        auto values = items_of<boxed>(keys);
        auto by_value = items_of<T>(keys);
        try {
          host::comparison_sort_by_key(by_value.begin(), values.begin(), n, fails_at{call},
                                       host::cut{threads, 100});
        } catch (const std::runtime_error&) {
        }
        expect_all_there(values, call);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(number_of(by_value[i]), values[i].number) << "separated from its value";
      };
      check(numbered{});
      check(std::string{});
    }
  }
  auto items = items_of<numbered>(keys);
  EXPECT_THROW(thrust::sort(par, items.begin(), items.end(), fails_at{7000}), std::runtime_error);
}

TEST_F(comparison_sorts, keep_all_items_whatever_the_comparator_says) {
  const std::size_t n = 20000;
  std::mt19937 random{5};
  for (const unsigned threads : {1u, 3u, 8u}) {
    auto items = items_of<numbered>(keys_of_shape(0, n));
    const host::cut wanted{threads, 100};
    host::comparison_sort(
        items.begin(), n, [](auto&, auto&) { return true; }, wanted);
    expect_all_there(items, 0);
    host::comparison_sort(
        items.begin(), n,
        [](const numbered& a, const numbered& b) { return (a.number * b.key >> 3) % 2 == 0; },
        wanted);
    expect_all_there(items, 0);
  }
}

/// Copying fails now and then, and moving may.
struct refuses_copies {
  static inline int copies_left = 0;
  std::uint32_t key;
  std::unique_ptr<int> whole{new int{1}};
  explicit refuses_copies(std::uint32_t k) : key{k} {}
  refuses_copies(const refuses_copies& other) : key{other.key} {
    if (--copies_left == 0) throw std::bad_alloc{};
  }
  refuses_copies(refuses_copies&& other) noexcept(false)
      : key{other.key}, whole{std::move(other.whole)} {}
  refuses_copies& operator=(refuses_copies&&) = default;
};

TEST_F(comparison_sorts, a_value_that_cannot_be_copied_leaves_all_in_place) {
  const std::size_t n = 500;
  const auto keys = keys_of_shape(0, n);
  for (const int copies : {1, 250, 500}) {
    std::vector<refuses_copies> values;
    values.reserve(n);
    for (const std::uint32_t key : keys) values.emplace_back(key);
    auto got = items_of<boxed>(keys);
    refuses_copies::copies_left = copies;
    EXPECT_THROW(thrust::sort_by_key(par, got.begin(), got.end(), values.begin(), by_key{}),
                 std::bad_alloc);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(number_of(got[i]), i);
      ASSERT_EQ(values[i].key, keys[i]);
      ASSERT_TRUE(values[i].whole);
    }
  }
}

/// Its copies may throw, its moves do not.
struct counted {
  static std::atomic<long> num_alive, copies_left;
  std::uint32_t key;
  explicit counted(std::uint32_t k = 0) : key{k} { ++num_alive; }
  counted(const counted& other) : key{other.key} {
    if (copies_left-- <= 0) throw std::bad_alloc{};
    ++num_alive;
  }
  counted(counted&& other) noexcept : key{other.key} { ++num_alive; }
  counted& operator=(const counted&) = default;
  ~counted() { --num_alive; }
};
std::atomic<long> counted::num_alive{0}, counted::copies_left{0};

// Zipped items are copied, though they could be moved by themselves.
TEST_F(comparison_sorts, zipped_values_whose_copies_throw_are_all_destroyed) {
  const std::size_t n = 40000;
  const auto keys = keys_of_shape(1, n);
  std::vector<counted> values;
  for (const std::uint32_t key : keys) values.emplace_back(key);
  auto others = keys;
  const auto zipped = thrust::make_zip_iterator(values.begin(), others.begin());
  const auto check = [&](auto compare) {
    auto got = keys;
    const long before = counted::num_alive;
    counted::copies_left = long(n / 2);
    EXPECT_THROW(thrust::sort_by_key(par.threads(4), got.begin(), got.end(), zipped, compare),
                 std::bad_alloc);
    EXPECT_EQ(counted::num_alive, before);
    EXPECT_EQ(got, keys);
    EXPECT_EQ(others, keys);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i].key, keys[i]) << i;
  };
  check(thrust::less<std::uint32_t>{});
  check([](std::uint32_t a, std::uint32_t b) { return a < b; });
}

/// It can only be moved, and its moves may throw, before they move anything.
struct moved_if_lucky {
  static inline long moves_left = -1;
  std::unique_ptr<int> value;
  explicit moved_if_lucky(int v) : value{new int{v}} {}
  moved_if_lucky(moved_if_lucky&& other) : value{taken(other)} {}
  moved_if_lucky& operator=(moved_if_lucky&& other) {
    value = std::move(other.value);
    return *this;
  }
  static std::unique_ptr<int> taken(moved_if_lucky& other) {
    if (moves_left >= 0 && moves_left-- == 0) throw std::runtime_error{"move"};
    return std::move(other.value);
  }
};

TEST_F(comparison_sorts, a_move_that_throws_leaves_all_in_place) {
  const int n = 500;
  const auto is_there = [](const moved_if_lucky& item, int value) {
    return item.value && *item.value == value;
  };
  const auto by_pointee = [](const moved_if_lucky& a, const moved_if_lucky& b) {
    return *a.value < *b.value;
  };
  std::vector<moved_if_lucky> items, values;
  std::vector<int> keys;
  for (int i = 0; i < n; ++i) {
    items.emplace_back(i * 7 % n), values.emplace_back(i), keys.push_back(i * 7 % n);
  }
  const std::vector<int> old_keys = keys;
  const auto expect_all_in_place = [&] {
    moved_if_lucky::moves_left = -1;
    for (int i = 0; i < n; ++i) {
      ASSERT_TRUE(is_there(items[std::size_t(i)], i * 7 % n)) << i;
      ASSERT_TRUE(is_there(values[std::size_t(i)], i)) << i;
      ASSERT_EQ(keys[std::size_t(i)], old_keys[std::size_t(i)]);
    }
  };
  for (const long moves : {0, 1, 250, 499, 500, 800}) {
    SCOPED_TRACE(moves);
    if (moves < n) {
      moved_if_lucky::moves_left = moves;
      EXPECT_THROW(thrust::sort(par, items.begin(), items.end(), by_pointee), std::runtime_error);
      expect_all_in_place();
      moved_if_lucky::moves_left = moves;  // by digits
      EXPECT_THROW(thrust::sort_by_key(par, keys.begin(), keys.end(), values.begin()),
                   std::runtime_error);
      expect_all_in_place();
    }
    moved_if_lucky::moves_left = moves;
    EXPECT_THROW(thrust::sort_by_key(par, items.begin(), items.end(), values.begin(), by_pointee),
                 std::runtime_error);
    expect_all_in_place();
  }
}

/// The assignment number `last_good + 1` throws, before it changes anything.
struct assigned_if_lucky {
  static std::atomic<long> last_good;
  std::unique_ptr<int> value;
  explicit assigned_if_lucky(int v) : value{new int{v}} {}
  assigned_if_lucky(assigned_if_lucky&&) = default;
  assigned_if_lucky& operator=(assigned_if_lucky&& other) {
    if (last_good-- == 0) throw std::runtime_error{"assignment"};
    value = std::move(other.value);
    return *this;
  }
};
std::atomic<long> assigned_if_lucky::last_good{-1};

TEST_F(comparison_sorts, an_assignment_that_throws_loses_no_item) {
  const int n = 40000;
  const auto by_pointee = [](const assigned_if_lucky& a, const assigned_if_lucky& b) {
    return *a.value < *b.value;
  };
  const auto is_odd = [](const assigned_if_lucky& item) { return *item.value % 2 != 0; };
  const auto values_of = [](const std::vector<assigned_if_lucky>& items) {
    std::vector<int> values;
    for (const assigned_if_lucky& item : items) values.push_back(item.value ? *item.value : -1);
    return values;
  };
  std::vector<int> keys;
  for (int i = 0; i < n; ++i) keys.push_back(int(i * 7919L % n));
  std::vector<int> in_order(keys), odd_first(keys), order(n);
  std::sort(in_order.begin(), in_order.end());
  std::stable_partition(odd_first.begin(), odd_first.end(), [](int key) { return key % 2 != 0; });
  for (int i = 0; i < n; ++i) order[std::size_t(keys[std::size_t(i)])] = i;
  for (const long good : {0, 1, n / 2, n - 1, n, 2 * n - 1}) {
    SCOPED_TRACE(good);
    const auto expect = [&](const std::vector<int>& expected_items,
                            const std::vector<int>& expected_values, bool throws, auto call) {
      std::vector<assigned_if_lucky> items, values;
      for (int i = 0; i < n; ++i) {
        items.emplace_back(keys[std::size_t(i)]);
        values.emplace_back(i);
      }
      assigned_if_lucky::last_good = good;
      if (throws) {
        EXPECT_THROW(call(items, values), std::runtime_error);
      } else {
        call(items, values);
      }
      assigned_if_lucky::last_good = -1;
      EXPECT_EQ(values_of(items), expected_items);
      if (!expected_values.empty()) {
        EXPECT_EQ(values_of(values), expected_values);
      }
    };
    expect(in_order, {}, good < n, [&](auto& items, auto&) {
      thrust::sort(par.threads(3), items.begin(), items.end(), by_pointee);
    });
    expect(in_order, order, true, [&](auto& items, auto& values) {
      thrust::sort_by_key(par.threads(3), items.begin(), items.end(), values.begin(), by_pointee);
    });
    std::vector<int> numbers = keys;  // by digits
    expect(keys, order, good < n, [&](auto&, auto& values) {
      thrust::sort_by_key(par.threads(3), numbers.begin(), numbers.end(), values.begin());
    });
    EXPECT_EQ(numbers, in_order);
    if (good < n / 2 || good >= n) continue;  // before that, accepted items are assigned
    expect(odd_first, {}, true, [&](auto& items, auto&) {
      thrust::stable_partition(par, items.begin(), items.end(), is_odd);
    });
  }
}

/// The same for items whose copies cost nothing.
struct cheap_if_lucky {
  static std::atomic<long> last_good;
  int value;
  explicit cheap_if_lucky(int v) : value{v} {}
  cheap_if_lucky(const cheap_if_lucky&) = default;
  cheap_if_lucky& operator=(const cheap_if_lucky& other) {
    if (last_good-- == 0) throw std::runtime_error{"assignment"};
    value = other.value;
    return *this;
  }
  cheap_if_lucky& operator=(cheap_if_lucky&& other) noexcept {
    value = other.value;
    return *this;
  }
};
std::atomic<long> cheap_if_lucky::last_good{-1};

TEST_F(comparison_sorts, an_assignment_of_a_cheap_item_that_throws_loses_no_item) {
  const auto less = [](const cheap_if_lucky& a, const cheap_if_lucky& b) {
    return a.value < b.value;
  };
  const int n = 40000;
  const std::vector<int> offsets{0, 10, n / 2, n};
  for (const long good : {0, 1, n / 2, n - 1, n + 7, 2 * n - 1}) {
    SCOPED_TRACE(good);
    // Returns whether each item still has its value.
    const auto keeps_all = [&](long assignments, auto call) {
      std::vector<cheap_if_lucky> items, values;
      for (int i = 0; i < n; ++i) {
        items.emplace_back(int(i * 7919L % n));
        values.emplace_back(items.back().value);
      }
      cheap_if_lucky::last_good = good;
      if (good < assignments) {
        EXPECT_THROW(call(items, values), std::runtime_error);
      } else {
        EXPECT_NO_THROW(call(items, values));
      }
      cheap_if_lucky::last_good = -1;
      const bool have_values =
          std::equal(items.begin(), items.end(), values.begin(), values.end(),
                     [](const auto& a, const auto& b) { return a.value == b.value; });
      std::sort(items.begin(), items.end(), less);
      int lost = 0;
      for (int i = 0; i < n; ++i) lost += items[std::size_t(i)].value != i;
      EXPECT_EQ(lost, 0);
      return have_values;
    };
    EXPECT_TRUE(keeps_all(2 * n, [&](auto& items, auto& values) {
      thrust::sort_by_key(par.threads(3), items.begin(), items.end(), values.begin(), less);
    }));
    EXPECT_TRUE(keeps_all(2 * n, [&](auto& items, auto& values) {
      hindsight::sort_segments_by_key(par.threads(3), items.begin(), items.end(), values.begin(),
                                      hindsight::by_offsets(offsets), less);
    }));
    keeps_all(n, [&](auto& items, auto&) {
      thrust::sort(par.threads(3), items.rbegin(), items.rend(), less);
    });
    keeps_all(0, [&](auto& items, auto&) {
      thrust::stable_partition(par.threads(3), items.begin(), items.end(),
                               [](const cheap_if_lucky& item) { return item.value % 2 != 0; });
    });
  }
}

}  // namespace
