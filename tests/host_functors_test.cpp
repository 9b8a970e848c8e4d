// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// systems: CPP TBB
// labels: asan tsan
// Functors of every form, in every algorithm that takes one. Thrust takes them by value, and calls
// its copies as objects that are not const.
#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <thrust/zip_function.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

const auto& par = hindsight::host::par;
using ints = std::vector<int>;

struct data {
  ints keys, values;
  explicit data(std::size_t n) : keys(n), values(n) {
    std::mt19937 random{unsigned(n)};
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = int(random() % 3);
      values[i] = int(random() % 1000);
    }
  }
};

/// Every result so far, one after the other.
struct results {
  std::vector<ints> all;
  void add(ints items) { all.push_back(std::move(items)); }
  void add(long long number) { all.push_back({int(number)}); }
};

// x + y * 2 would not be associative; this is, and does not commute: the left operand if it is odd.
int first_odd(int x, int y) {
  return x % 2 != 0 ? x : y;
}

/// The algorithms that fold, with `op` and with a transform that stock calls with constants.
template <class Op, class Unary>
void run_folds(const data& in, results& to, Op op, Unary unary) {
  ints values = in.values, out(in.values.size());
  const auto first = values.begin(), last = values.end();
  to.add(thrust::reduce(par, first, last, 8, op));
  to.add(thrust::transform_reduce(par, first, last, unary, 8, op));
  to.add(thrust::inner_product(par, first, last, in.keys.begin(), 8, op, thrust::plus<int>{}));
  const auto add = [&] { to.add(out); };
  thrust::inclusive_scan(par, first, last, out.begin(), op), add();
  thrust::exclusive_scan(par, first, last, out.begin(), 4, op), add();
  thrust::transform_inclusive_scan(par, first, last, out.begin(), unary, op), add();
  thrust::transform_exclusive_scan(par, first, last, out.begin(), unary, 4, op), add();
  thrust::inclusive_scan(par, first, last, first, op), to.add(values);
}

template <class Op, class Equal>
void run_by_key(const data& in, results& to, Op op, Equal equal) {
  ints keys = in.keys, values = in.values, out(in.values.size()), keys_out(in.values.size());
  const auto k = keys.begin(), l = keys.end(), v = values.begin();
  thrust::inclusive_scan_by_key(par, k, l, v, out.begin(), equal, op), to.add(out);
  thrust::exclusive_scan_by_key(par, k, l, v, out.begin(), 6, equal, op), to.add(out);
  thrust::inclusive_scan_by_key(par, k, l, v, out.begin(), equal), to.add(out);
  const auto ends = thrust::reduce_by_key(par, k, l, v, keys_out.begin(), out.begin(), equal, op);
  to.add(ints(keys_out.begin(), ends.first));
  to.add(ints(out.begin(), ends.second));
  const auto sums = thrust::reduce_by_key(par, k, l, v, keys_out.begin(), out.begin(), equal);
  to.add(ints(out.begin(), sums.second));
  const auto runs = hindsight::run_length_encode(par, k, l, keys_out.begin(), out.begin(), equal);
  to.add(ints(out.begin(), runs.second));
}

template <class Pred>
void run_selections(const data& in, results& to, Pred pred) {
  ints values = in.values, stencil = in.keys, out(in.values.size()), rest(in.values.size());
  const auto f = values.begin(), l = values.end(), s = stencil.begin();
  to.add(ints(out.begin(), thrust::copy_if(par, f, l, out.begin(), pred)));
  to.add(ints(out.begin(), thrust::copy_if(par, f, l, s, out.begin(), pred)));
  thrust::partition_copy(par, f, l, out.begin(), rest.begin(), pred), to.add(out), to.add(rest);
  thrust::partition_copy(par, f, l, s, out.begin(), rest.begin(), pred), to.add(out);
  to.add(thrust::stable_partition(par, f, l, s, pred) - f), to.add(values);
  to.add(thrust::stable_partition(par, f, l, pred) - f), to.add(values);
  to.add(ints(f, thrust::remove_if(par, f, l, s, pred))), values = in.values;
  to.add(ints(f, thrust::remove_if(par, f, l, pred)));
}

template <class Pred>
void run_counts(const data& in, results& to, Pred pred) {
  to.add(thrust::count_if(par, in.values.begin(), in.values.end(), pred));
}

template <class Op, class Equal, class Pred, class Unary>
results run_all(const data& in, Op op, Equal equal, Pred pred, Unary unary) {
  results to;
  run_folds(in, to, op, unary);
  run_by_key(in, to, op, equal);
  run_selections(in, to, pred);
  run_counts(in, to, pred);
  return to;
}

bool same(int x, int y) {
  return x == y;
}
bool odd(int x) {
  return x % 2 != 0;
}
int half(int x) {
  return x / 2;
}

struct usual {
  int operator()(const int& x, const int& y) const { return first_odd(x, y); }
};
struct usual_equal {
  bool operator()(const int& x, const int& y) const { return x == y; }
};
struct usual_pred {
  bool operator()(const int& x) const { return odd(x); }
};
struct usual_unary {
  int operator()(const int& x) const { return half(x); }
};

class functors : public testing::Test {
 protected:
  /// Compares with the usual form, for one tile and for many.
  template <class Op, class Equal, class Pred, class Unary>
  static void expect_usual(Op op, Equal equal, Pred pred, Unary unary) {
    for (std::size_t n : {1u, 100u, 300007u}) {
      const data in{n};
      const results expected = run_all(in, usual{}, usual_equal{}, usual_pred{}, usual_unary{});
      const results got = run_all(in, op, equal, pred, unary);
      ASSERT_EQ(got.all.size(), expected.all.size());
      for (std::size_t i = 0; i < got.all.size(); ++i)
        EXPECT_TRUE(got.all[i] == expected.all[i]) << "result " << i << ", n " << n;
    }
  }

 private:
  // Whatever the machine has, and also while other programs contend for it.
  const hindsight::detail::host::team_size_scope team_{3};
};

// --- what stock takes
// ------------------------------------------------------------------------------

TEST_F(functors, usual_form_is_right) {
  const data in{1000};
  int fold = 8;
  for (int value : in.values) fold = first_odd(fold, value);
  const results got = run_all(in, usual{}, usual_equal{}, usual_pred{}, usual_unary{});
  EXPECT_EQ(got.all[0], ints{fold});
}

struct not_const {
  int operator()(int x, int y) { return first_odd(x, y); }
};
struct not_const_equal {
  bool operator()(int x, int y) { return x == y; }
};
struct not_const_pred {
  bool operator()(int x) { return odd(x); }
};
struct not_const_unary {
  int operator()(int x) { return half(x); }
};
TEST_F(functors, call_operator_that_is_not_const) {
  expect_usual(not_const{}, not_const_equal{}, not_const_pred{}, not_const_unary{});
}

TEST_F(functors, mutable_lambdas) {
  expect_usual([calls = 0](int x, int y) mutable { return ++calls, first_odd(x, y); },
               [calls = 0](int x, int y) mutable { return ++calls, x == y; },
               [calls = 0](int x) mutable { return ++calls, odd(x); },
               [calls = 0](int x) mutable { return ++calls, half(x); });
}

TEST_F(functors, function_pointers) {
  expect_usual(&first_odd, &same, &odd, &half);
}
TEST_F(functors, functions) {
  expect_usual(first_odd, same, odd, half);
}

TEST_F(functors, std_functions) {
  expect_usual(std::function<int(int, int)>{first_odd}, std::function<bool(int, int)>{same},
               std::function<bool(int)>{odd}, std::function<int(int)>{half});
}

TEST_F(functors, generic_lambdas) {
  expect_usual([](const auto& x, auto&& y) { return first_odd(x, y); },
               [](auto x, const auto& y) { return x == y; }, [](auto&& x) { return odd(x); },
               [](const auto& x) { return half(x); });
}

/// A functor whose address nobody may take by &.
template <class F>
struct without_address : F {
  void operator&() const = delete;
};
TEST_F(functors, without_an_address) {
  expect_usual(without_address<usual>{}, without_address<usual_equal>{},
               without_address<usual_pred>{}, without_address<usual_unary>{});
  const ints offsets{0, 3, 3, 700, 1000};
  ints items = data{1000}.values, expected = items;
  hindsight::sort_segments(par, items, hindsight::by_offsets(offsets),
                           without_address<std::greater<int>>{});
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    std::sort(expected.begin() + offsets[i], expected.begin() + offsets[i + 1], std::greater<>{});
  EXPECT_TRUE(items == expected);
}

// Stock calls these two with constants, or with results: a reference to what can be changed does
// not take those, here or there.
TEST_F(functors, operands_by_reference) {
  const auto op = [](int& x, int& y) { return first_odd(x, y); };
  const auto equal = [](int& x, int& y) { return x == y; };
  const auto pred = [](int& x) { return odd(x); };
  for (std::size_t n : {100u, 300007u}) {
    const data in{n};
    results got, expected;
    run_folds(in, got, op, usual_unary{}), run_folds(in, expected, usual{}, usual_unary{});
    run_by_key(in, got, op, equal), run_by_key(in, expected, usual{}, usual_equal{});
    run_selections(in, got, pred), run_selections(in, expected, usual_pred{});
    EXPECT_TRUE(got.all == expected.all) << "n " << n;

    ints values = in.values;
    const auto f = values.begin(), l = values.end();
    const auto less = [](int& x, int& y) { return x < y; };
    EXPECT_EQ(thrust::min_element(par, f, l, less), std::min_element(f, l)) << "n " << n;
    EXPECT_EQ(thrust::max_element(par, f, l, less), std::max_element(f, l)) << "n " << n;
    const auto both = thrust::minmax_element(par, f, l, less);
    EXPECT_EQ(both.first, std::min_element(f, l)) << "n " << n;
    EXPECT_EQ(both.second, std::max_element(f, l)) << "n " << n;
    const auto ends = hindsight::minmax(par, f, l, less);
    EXPECT_EQ(ends.first, *both.first) << "n " << n;
    EXPECT_EQ(ends.second, *both.second) << "n " << n;
  }
}

// The type in which the GPU folds: items are not cut off to that of the initial value.
TEST_F(functors, an_initial_value_that_is_narrower_than_the_items) {
  for (std::size_t n : {1u, 2u, 100u, 300007u}) {
    const ints items(n, -300);
    const auto f = items.begin(), l = items.end();
    const auto greater_one = [](int x, int y) { return x < y ? y : x; };
    const unsigned char init = 5;
    EXPECT_EQ(thrust::reduce(par, f, l, init, greater_one), 5) << "n " << n;
    EXPECT_EQ(thrust::reduce(par, f, l, init, thrust::maximum<int>{}), 5) << "n " << n;
    EXPECT_EQ(thrust::reduce(par, f, l, init, thrust::plus<>{}),
              static_cast<unsigned char>(5 - 300 * int(n)))
        << "n " << n;
    unsigned char greatest = 0;
    hindsight::reduce_into(par, f, l, &greatest, init, greater_one);
    EXPECT_EQ(greatest, 5) << "n " << n;
    const std::vector<double> halves(n, 0.5);
    EXPECT_EQ(thrust::reduce(par, halves.begin(), halves.end(), 1, thrust::plus<>{}),
              int(1 + 0.5 * double(n)))
        << "n " << n;
  }
}

/// Keeps its result in its left operand.
struct changes_operand {
  int& operator()(int& x, const int& y) const { return x = first_odd(x, y); }
};
TEST_F(functors, operands_that_are_changed) {
  const auto right_too = [](auto& x, auto y) {
    y = first_odd(x, y);
    return x = y;
  };
  for (std::size_t n : {100u, 300007u}) {
    const data in{n};
    results got, generic, expected;
    run_folds(in, got, changes_operand{}, usual_unary{});
    run_folds(in, generic, right_too, usual_unary{});
    run_folds(in, expected, usual{}, usual_unary{});
    run_by_key(in, got, changes_operand{}, usual_equal{});
    run_by_key(in, generic, right_too, usual_equal{});
    run_by_key(in, expected, usual{}, usual_equal{});
    EXPECT_TRUE(got.all == expected.all) << "n " << n;
    EXPECT_TRUE(generic.all == expected.all) << "n " << n;

    ints values = in.values, out(n), differences(n);
    const auto subtract = [](int& x, const int& y) { return x -= y; };
    thrust::adjacent_difference(par, values.begin(), values.end(), out.begin(), subtract);
    std::adjacent_difference(values.begin(), values.end(), differences.begin());
    EXPECT_TRUE(values == in.values) << "n " << n;
    EXPECT_TRUE(out == differences) << "n " << n;
  }
}

struct yes_or_no {
  bool value;
  explicit operator bool() const { return value; }
};
TEST_F(functors, results_of_other_types) {
  expect_usual([](int x, int y) { return double(first_odd(x, y)); },
               [](int x, int y) { return yes_or_no{x == y}; },
               [](int x) { return yes_or_no{odd(x)}; }, [](int x) { return (long long)half(x); });
  expect_usual([](long long x, double y) { return (long long)first_odd(int(x), int(y)); },
               [](long x, short y) { return x == y ? 2 : 0; },
               [](long x) { return x % 2 != 0 ? 4 : 0; }, [](float x) { return short(x / 2); });
}

/// `amount + int` is ambiguous. An operator on amounts takes both, as it converts them first.
struct amount {
  int value;
  amount(int v) : value{v} {}
  operator int() const { return value; }
  friend amount operator+(const amount& a, const amount& b) { return a.value + b.value; }
  friend bool operator==(const amount& a, const amount& b) { return a.value == b.value; }
  friend bool operator<(const amount& a, const amount& b) { return a.value < b.value; }
};
template <template <class> class Plus, template <class> class Equal, template <class> class Less>
void check_amounts(const data& in) {
  const auto f = in.values.begin(), l = in.values.end();
  const int total = std::accumulate(f, l, 5);
  EXPECT_EQ(int(thrust::reduce(par, f, l, amount{5}, Plus<amount>{})), total);
  EXPECT_EQ(int(thrust::transform_reduce(
                par, f, l, [](int x) { return x; }, amount{5}, Plus<amount>{})),
            total);
  std::vector<amount> sums(in.values.size(), 0);
  thrust::exclusive_scan(par, f, l, sums.begin(), amount{5}, Plus<amount>{});
  EXPECT_EQ(int(sums.back()), total - in.values.back());
  ints expected(in.values.size());
  std::partial_sum(f, l, expected.begin());
  thrust::inclusive_scan(par, f, l, sums.begin(), Plus<amount>{});
  EXPECT_TRUE(ints(sums.begin(), sums.end()) == expected);

  ints keys(in.keys), values(in.values.size(), 2);
  thrust::exclusive_scan_by_key(par, keys.begin(), keys.end(), values.begin(), sums.begin(),
                                amount{5}, Equal<amount>{}, Plus<amount>{});
  EXPECT_EQ(int(sums.front()), 5);
  expected = keys;
  std::stable_sort(expected.begin(), expected.end());
  thrust::sort(par, keys.begin(), keys.end(), Less<amount>{});
  EXPECT_TRUE(keys == expected);
}
TEST_F(functors, of_a_type_that_items_convert_to) {
  for (std::size_t n : {100u, 300007u}) {
    check_amounts<std::plus, std::equal_to, std::less>(data{n});
    check_amounts<thrust::plus, thrust::equal_to, thrust::less>(data{n});
  }
}

/// A sum that is not computed yet: no int becomes one.
struct late_sum {
  int left, right;
  operator int() const { return left + right; }
};
struct explicit_sum {
  int value;
  explicit explicit_sum(int sum) : value{sum} {}
  operator int() const { return value; }
};
TEST_F(functors, results_that_an_initial_value_does_not_become) {
  const data in{300007};
  const auto first = in.values.begin(), last = in.values.end();
  ints expected(in.values), out(in.values.size());
  expected[0] += 7;
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  thrust::inclusive_scan(par, first, last, out.begin(), 7, [](int x, int y) {
    return late_sum{x, y};
  });
  EXPECT_EQ(out, expected);
  thrust::inclusive_scan(par, first, last, out.begin(), 7,
                         [](int x, int y) { return explicit_sum{x + y}; });
  EXPECT_EQ(out, expected);
}

/// A sum of vectors that is computed where it becomes a vector: until then it refers to both.
struct vector2;
struct sum_of_two {
  const vector2& left;
  const vector2& right;
};
struct vector2 {
  int x, y;
  vector2() = default;
  vector2(int first, int second) : x{first}, y{second} {}
  vector2(const sum_of_two& sum) : x{sum.left.x + sum.right.x}, y{sum.left.y + sum.right.y} {}
  friend sum_of_two operator+(const vector2& a, const vector2& b) { return {a, b}; }
  friend bool operator==(const vector2& a, const vector2& b) { return a.x == b.x && a.y == b.y; }
};
TEST_F(functors, results_that_refer_to_operands) {
  for (std::size_t n : {100u, 300007u}) {
    const data in{n};
    std::vector<vector2> items, sums, differences, out(n);
    for (std::size_t i = 0; i < n; ++i) {
      const vector2 item{in.keys[i], in.values[i]};
      differences.push_back(i > 0 ? vector2{item + items.back()} : item);
      sums.push_back(i > 0 ? vector2{sums.back() + item} : item);
      items.push_back(item);
    }
    const ints keys(n, 1);
    ints keys_out(n);
    const auto f = items.begin(), l = items.end(), o = out.begin();
    const auto k = keys.begin();
    const auto add = [](const auto& a, const auto& b) { return a + b; };
    thrust::inclusive_scan(par, f, l, o, add);
    EXPECT_TRUE(out == sums) << "n " << n;
    thrust::inclusive_scan_by_key(par, k, keys.end(), f, o, thrust::equal_to<>{}, add);
    EXPECT_TRUE(out == sums) << "n " << n;
    thrust::reduce_by_key(par, k, keys.end(), f, keys_out.begin(), o, thrust::equal_to<>{}, add);
    EXPECT_TRUE(out[0] == sums[n - 1]) << "n " << n;
    EXPECT_TRUE(thrust::reduce(par, f, l, vector2{0, 0}, add) == sums[n - 1]) << "n " << n;
    thrust::adjacent_difference(par, f, l, o, add);
    EXPECT_TRUE(out == differences) << "n " << n;
    thrust::adjacent_difference(par, f, l, f, add);
    EXPECT_TRUE(items == differences) << "n " << n;
  }
}

// A sum of bytes is an int, and the output has ints: all the same a scan by key folds bytes.
TEST_F(functors, results_wider_than_items) {
  for (std::size_t n : {100u, 300007u}) {
    const data in{n};
    const std::vector<unsigned char> bytes(in.values.begin(), in.values.end());
    ints keys(n), sums(n), before(n), out(n);
    unsigned char sum = 0, sum_before = 9;
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = int(i / 100);
      if (i % 100 == 0) sum = 0, sum_before = 9;
      before[i] = sum_before;
      sum_before = (unsigned char)(sum_before + bytes[i]);
      sums[i] = sum = (unsigned char)(sum + bytes[i]);
    }
    const auto add = [](int x, int y) { return x + y; };
    thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), bytes.begin(), out.begin(),
                                  thrust::equal_to<int>{}, add);
    EXPECT_TRUE(out == sums) << "n " << n;
    thrust::exclusive_scan_by_key(par, keys.begin(), keys.end(), bytes.begin(), out.begin(),
                                  (unsigned char)9, thrust::equal_to<int>{}, add);
    EXPECT_TRUE(out == before) << "n " << n;

    const std::vector<float> tenths(n, 0.1f);
    std::vector<double> doubles(n);
    const auto is_float = [](double x) { return x == double(float(x)); };
    thrust::inclusive_scan(par, tenths.begin(), tenths.end(), doubles.begin(),
                           [](double x, double y) { return x + y; });
    EXPECT_TRUE(std::all_of(doubles.begin(), doubles.end(), is_float)) << "n " << n;
  }
}

/// Knows how often it and its copies were copied: a functor may hold a large table.
struct counts_copies {
  std::atomic<int>* copies;
  explicit counts_copies(std::atomic<int>& number) : copies{&number} {}
  counts_copies(const counts_copies& other) : copies{other.copies} { ++*copies; }
  counts_copies& operator=(const counts_copies&) = default;
  int operator()(int x) const { return half(x); }
  int operator()(int x, int y) const { return half(x + y); }
};
TEST_F(functors, are_not_copied_for_each_item) {
  const data in{300007};
  const auto f = in.values.begin(), l = in.values.end();
  ints out(in.values.size()), rest(in.values.size());
  const thrust::plus<int> plus;
  const auto o = out.begin();
  std::atomic<int> copies{0};
  const counts_copies unary{copies};
  thrust::transform_inclusive_scan(par, f, l, o, unary, plus);
  thrust::transform_exclusive_scan(par, f, l, o, unary, 0, plus);
  thrust::inner_product(par, f, l, f, 0, plus, unary);
  const auto seen = thrust::make_transform_iterator(f, unary);
  const auto end = seen + std::ptrdiff_t(out.size());
  const int sum = thrust::reduce(par, seen, end);
  EXPECT_EQ(sum, thrust::transform_reduce(par, f, l, usual_unary{}, 0, plus));
  const auto ends = thrust::partition_copy(par, seen, end, o, rest.begin(), odd);
  EXPECT_EQ(thrust::copy_if(par, seen, end, seen, o, odd), ends.first);
  EXPECT_LT(copies, 30000);
}

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP
// Operators that join no two results, which only stock's sequential code takes.
TEST_F(functors, as_of_std_accumulate) {
  const std::vector<std::string> words(1000, "word");
  const auto add_size = [](std::size_t sum, const std::string& word) { return sum + word.size(); };
  EXPECT_EQ(thrust::reduce(par, words.begin(), words.end(), std::size_t{5}, add_size), 4005u);
  EXPECT_EQ(hindsight::reduce(words, std::size_t{5}, add_size), 4005u);
  std::vector<std::size_t> sums(words.size());
  thrust::inclusive_scan(par, words.begin(), words.end(), sums.begin(), std::size_t{5}, add_size);
  EXPECT_EQ(sums[0], 9u);
  EXPECT_EQ(sums.back(), 4005u);
  const auto append = [](ints list, int item) { return list.push_back(item), list; };
  const data in{100};
  EXPECT_EQ(thrust::reduce(par, in.values.begin(), in.values.end(), ints{}, append), in.values);
  // This one joins lists as well. But no list is made of an int as it appends one.
  const auto append_all = [append](ints list, const auto& item) {
    if constexpr (std::is_same_v<std::decay_t<decltype(item)>, int>) {
      return append(std::move(list), item);
    } else {
      return list.insert(list.end(), item.begin(), item.end()), list;
    }
  };
  EXPECT_EQ(thrust::reduce(par, in.values.begin(), in.values.end(), ints{}, append_all), in.values);
}
#endif

// --- threads do not share them
// ---------------------------------------------------------------------

/// Room that a call uses for itself: a copy's own, as Thrust's documentation lets a functor have.
struct slow_op {
  mutable volatile int x = 0, y = 0;
  slow_op() = default;
  slow_op(const slow_op&) {}
  int operator()(int left, int right) const {
    x = left;
    y = right;
    return first_odd(x, y);
  }
};
struct slow_equal {
  mutable volatile int x = 0, y = 0;
  slow_equal() = default;
  slow_equal(const slow_equal&) {}
  bool operator()(int left, int right) const {
    x = left;
    y = right;
    return x == y;
  }
};
struct slow_pred {
  mutable volatile int x = 0;
  slow_pred() = default;
  slow_pred(const slow_pred&) {}
  bool operator()(int item) const {
    x = item;
    return odd(x);
  }
};
struct slow_unary {
  mutable volatile int x = 0;
  slow_unary() = default;
  slow_unary(const slow_unary&) {}
  int operator()(int item) const {
    x = item;
    return half(x);
  }
};
TEST_F(functors, each_thread_has_its_own) {
  for (int round = 0; round < 5; ++round)
    expect_usual(slow_op{}, slow_equal{}, slow_pred{}, slow_unary{});
}

// Selections and searches call a predicate with what the iterator gives: a zip iterator's tuple of
// references. Sums call an operator with objects that may be changed, generic ones too.
TEST_F(functors, references_that_may_be_changed) {
  ints x(1000), y(1000), out_x(1000), out_y(1000);
  for (int i = 0; i < 1000; ++i) x[std::size_t(i)] = i % 7, y[std::size_t(i)] = i % 5;
  const auto zip = thrust::make_zip_iterator(x.begin(), y.begin()), end = zip + 1000;
  const auto out = thrust::make_zip_iterator(out_x.begin(), out_y.begin());
  const auto more = thrust::make_zip_function([](int& a, int& b) { return a > b; });
  const auto more_of = [](thrust::tuple<int&, int&> pair) {
    return thrust::get<0>(pair) > thrust::get<1>(pair);
  };
  std::ptrdiff_t expected = 0;
  for (std::size_t i = 0; i < 1000; ++i) expected += x[i] > y[i];
  EXPECT_EQ(thrust::copy_if(par, zip, end, out, more) - out, expected);
  EXPECT_EQ(thrust::copy_if(par, zip, end, out, more_of) - out, expected);
  EXPECT_EQ(thrust::copy_if(par, x.begin(), x.end(), zip, out_x.begin(), more_of) - out_x.begin(),
            expected);
  EXPECT_EQ(thrust::find_if(par, zip, end, more_of) - zip, 5);
  EXPECT_EQ(thrust::remove_if(par, zip, end, more) - zip, 1000 - expected);
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP  // others of stock's take no lists
  const std::list<int> list(x.begin(), x.end());      // stock's
  EXPECT_EQ(
      thrust::copy_if(par, list.begin(), list.end(), out_y.begin(), usual_pred{}) - out_y.begin(),
      thrust::copy_if(par, x.begin(), x.end(), out_x.begin(), usual_pred{}) - out_x.begin());
  std::list<std::unique_ptr<int>> owners;  // that stock partitions by swaps
  for (const int item : {1, 2, 3, 4}) owners.push_back(std::make_unique<int>(item));
  const auto is_even = [](const std::unique_ptr<int>& item) { return *item % 2 == 0; };
  EXPECT_EQ(
      std::distance(owners.begin(), thrust::partition(par, owners.begin(), owners.end(), is_even)),
      2);
  EXPECT_EQ(**std::next(owners.begin()), 4);
#endif
  const auto add = [](auto& sum, const auto& item) {
    sum += item;
    return sum;
  };
  EXPECT_EQ(thrust::reduce(par, y.begin(), y.end(), 8, add), 8 + std::reduce(y.begin(), y.end()));
}

/// Items that are computed are constants for a predicate, so that it may take them by `auto&`.
TEST_F(functors, references_to_computed_items) {
  const ints items{1, 2, 3, 4};
  ints out(4), rest(4);
  const auto first = thrust::make_transform_iterator(items.begin(), std::negate<>{});
  const auto last = first + 4;
  const auto is_low = [](auto& x) { return x < -2; };
  EXPECT_EQ(thrust::copy_if(par, first, last, out.begin(), is_low) - out.begin(), 2);
  EXPECT_EQ(out, (ints{-3, -4, 0, 0}));
  EXPECT_EQ(
      thrust::copy_if(par, items.begin(), items.end(), first, out.begin(), is_low) - out.begin(),
      2);
  EXPECT_EQ(out, (ints{3, 4, 0, 0}));
  EXPECT_EQ(thrust::remove_copy_if(par, first, last, out.begin(), is_low) - out.begin(), 2);
  EXPECT_EQ(thrust::partition_copy(par, first, last, out.begin(), rest.begin(), is_low).first,
            out.begin() + 2);
  EXPECT_EQ(thrust::find_if(par, first, last, is_low) - first, 2);
  EXPECT_FALSE(thrust::none_of(par, first, last, is_low));
}

/// Takes items that it may change, and changes them.
struct halves_first {
  template <class Item>
  bool operator()(Item& item) const {
    thrust::get<0>(item) /= 2;
    return thrust::get<0>(item) == 0;
  }
};

/// A predicate of stable_partition cannot change the range: stock partitions a copy.
TEST_F(functors, predicates_of_own_items) {
  ints x{2, 1, 9, 0}, y{1, 2, 3, 4};
  const auto zip = thrust::make_zip_iterator(x.begin(), y.begin());
  EXPECT_EQ(thrust::stable_partition(par, zip, zip + 4, halves_first{}) - zip, 2);
  EXPECT_EQ(x, (ints{1, 0, 2, 9}));
  EXPECT_EQ(y, (ints{2, 4, 1, 3}));
}

/// Edges and their weights: a zip of a zip, whose inner tuple has as many elements as the outer
/// one.
TEST_F(functors, predicates_of_zipped_zips) {
  ints from(1000), to(1000), weights(1000);
  for (int i = 0; i < 1000; ++i) {
    from[std::size_t(i)] = i, to[std::size_t(i)] = 2 * i, weights[std::size_t(i)] = i % 10;
  }
  const auto edges = thrust::make_zip_iterator(from.begin(), to.begin());
  const auto zip = thrust::make_zip_iterator(edges, weights.begin()), end = zip + 1000;
  const auto is_heavy = [](const auto& edge) { return thrust::get<1>(edge) > 6; };
  using edge = thrust::tuple<thrust::tuple<int, int>, int>;
  EXPECT_EQ(thrust::stable_partition(par, zip, end, is_heavy) - zip, 300);
  EXPECT_EQ(to[299], 2 * 999);
  EXPECT_EQ(
      thrust::partition(par, zip, end, [](edge& own) { return thrust::get<1>(own) < 5; }) - zip,
      500);
  EXPECT_EQ(from[500], 7);
  EXPECT_EQ(weights[500], 7);
}

struct point {
  int x;
};

/// A functor that looks into the items of zipped device_vectors: it gets references to items, no
/// device_references, which have no members.
TEST_F(functors, members_of_zipped_items) {
  thrust::device_vector<point> points(1000), out_points(1000);
  thrust::device_vector<int> numbers(1000), out_numbers(1000), counts(1000);
  for (int i = 0; i < 1000; ++i)
    points[std::size_t(i)] = point{i / 10 % 7}, numbers[std::size_t(i)] = i;
  const auto zip = thrust::make_zip_iterator(points.begin(), numbers.begin()), end = zip + 1000;
  const auto out = thrust::make_zip_iterator(out_points.begin(), out_numbers.begin());
  const auto is_low = [](auto pair) { return thrust::get<0>(pair).x < 2; };
  const auto same_x = [](auto a, auto b) { return thrust::get<0>(a).x == thrust::get<0>(b).x; };
  EXPECT_EQ(thrust::copy_if(par, zip, end, out, is_low) - out, 300);
  EXPECT_EQ(int(out_numbers[20]), 70);
  EXPECT_EQ(thrust::find_if_not(par, zip, end, is_low) - zip, 20);
  const auto ends =
      thrust::reduce_by_key(par, zip, end, numbers.begin(), out, counts.begin(), same_x);
  EXPECT_EQ(ends.first - out, 100);
  EXPECT_EQ(int(counts[1]), 145);
  EXPECT_EQ(thrust::unique_copy(par, zip, end, out, same_x) - out, 100);
  EXPECT_EQ(thrust::stable_partition(par, zip, end, is_low) - zip, 300);
  EXPECT_EQ(int(numbers[20]), 70);
  EXPECT_EQ(thrust::remove_if(par, zip, end, is_low) - zip, 700);
  EXPECT_EQ(int(numbers[0]), 20);
}

// Items that are no numbers, through a functor that may change its operands' copies.
/// The same for items of a device_vector in reverse, where there is no pointer to take.
TEST_F(functors, members_of_items_in_reverse) {
  thrust::device_vector<point> points(1000), out(1000);
  for (int i = 0; i < 1000; ++i) points[std::size_t(i)] = point{i / 10};
  const auto first = thrust::make_reverse_iterator(points.end()), last = first + 1000;
  const auto less = [](const auto& a, const auto& b) { return a.x < b.x; };
  const auto equal = [](const auto& a, const auto& b) { return a.x == b.x; };
  for (const unsigned threads : {1u, 3u}) {
    const auto par = hindsight::host::par.threads(threads);
    EXPECT_EQ(hindsight::min_element(par, first, last, less) - first, 990);
    EXPECT_EQ(hindsight::max_element(par, first, last, less) - first, 0);
    EXPECT_EQ(hindsight::unique_copy(par, first, last, out.begin(), equal) - out.begin(), 100);
    EXPECT_EQ(hindsight::unique_count(par, first, last, equal), 100);
  }
  EXPECT_EQ(thrust::unique(hindsight::host::par, first, last, equal) - first, 100);
}

TEST_F(functors, predicates_of_items_in_reverse) {
  thrust::device_vector<point> points(1000), out(1000), others(1000);
  for (int i = 0; i < 1000; ++i) points[std::size_t(i)] = point{i / 10};
  const auto first = thrust::make_reverse_iterator(points.end()), last = first + 1000;
  const auto is_low = [](const auto& p) { return p.x < 30; };
  const auto is_item = [](auto& p) { return sizeof p == sizeof(point); };
  for (const unsigned threads : {1u, 3u}) {
    const auto par = hindsight::host::par.threads(threads);
    EXPECT_EQ(thrust::find_if(par, first, last, is_low) - first, 700);
    EXPECT_EQ(thrust::find_if_not(par, first, last, is_item), last);
    EXPECT_EQ(thrust::count_if(par, first, last, is_low), 300);
    EXPECT_EQ(thrust::copy_if(par, first, last, out.begin(), is_low) - out.begin(), 300);
    EXPECT_EQ(point(out[299]).x, 0);
    EXPECT_EQ(thrust::remove_copy_if(par, out.begin(), out.end(), first, out.begin(), is_low) -
                  out.begin(),
              700);
    const auto ends = thrust::partition_copy(par, first, last, out.begin(), others.begin(), is_low);
    EXPECT_EQ(ends.first - out.begin(), 300);
  }
  EXPECT_EQ(thrust::stable_partition(hindsight::host::par, first, last, is_low) - first, 300);
  EXPECT_EQ(point(points[999]).x, 29);
  EXPECT_EQ(thrust::remove_if(hindsight::host::par, first, last, is_low) - first, 700);
}

/// The same for items whose copies are not cheap, in place.
TEST_F(functors, members_of_strings_in_reverse) {
  thrust::device_vector<std::string> words(3);
  words[0] = "a";
  words[1] = "bb";
  words[2] = "c";
  const auto first = thrust::make_reverse_iterator(words.end());
  int count = 0;
  const auto is_long = [](const auto& word) { return word.size() > 1; };
  hindsight::remove_if_into(par, first, first + 3, &count, is_long);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(std::string(words[1]), "a");
}

TEST_F(functors, of_strings) {
  std::vector<std::string> in(3000), out(3000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::string(1, char('a' + i % 26));
  const auto join = [](std::string& left, std::string& right) {
    return (left + right).substr(0, 9);
  };
  EXPECT_EQ(thrust::reduce(par, in.begin(), in.end(), std::string{"<"}, join), "<abcdefgh");
  thrust::inclusive_scan(par, in.begin(), in.end(), out.begin(), join);
  EXPECT_EQ(out.back(), "abcdefghi");
  EXPECT_EQ(in[1], "b");
}

}  // namespace

namespace {

/// Items whose operators are specialized: those of std for Item = priced<0>, those of CUDA for
/// priced<1>. They have no operators of their own.
template <int>
struct priced {
  int name, price;
};
struct cheaper {
  template <class Item>
  bool operator()(const Item& a, const Item& b) const {
    return a.price < b.price;
  }
};
struct of_one_price {
  template <class Item>
  bool operator()(const Item& a, const Item& b) const {
    return a.price == b.price;
  }
};
struct add_prices {
  template <class Item>
  Item operator()(const Item& a, const Item& b) const {
    return {a.name, a.price + b.price};
  }
};

}  // namespace

template <>
struct std::less<priced<0>> : cheaper {};
template <>
struct std::equal_to<priced<0>> : of_one_price {};
template <>
struct std::plus<priced<0>> : add_prices {};
template <>
struct cuda::std::less<priced<1>> : cheaper {};
template <>
struct cuda::std::equal_to<priced<1>> : of_one_price {};
template <>
struct cuda::std::plus<priced<1>> : add_prices {};

namespace {

template <class Item, class Less, class Equal, class Plus>
void check_specialized(const data& in) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < in.keys.size(); ++i) items.push_back({int(i), in.keys[i]});
  const auto f = items.begin(), l = items.end();
  std::vector<Item> out(items), sums(items);
  const auto prices = [](const std::vector<Item>& list) {
    ints all;
    for (const Item& item : list) all.push_back(item.price);
    return all;
  };
  const auto heads = hindsight::unique_count(in.keys);

  EXPECT_EQ(thrust::max_element(par, f, l, Less{}) - f,
            std::max_element(in.keys.begin(), in.keys.end()) - in.keys.begin());
  EXPECT_EQ(thrust::reduce(par, f, l, Item{7, 1}, Plus{}).price,
            std::accumulate(in.keys.begin(), in.keys.end(), 1));
  thrust::inclusive_scan(par, f, l, out.begin(), Plus{});
  ints expected(in.keys);
  std::partial_sum(in.keys.begin(), in.keys.end(), expected.begin());
  EXPECT_EQ(prices(out), expected);
  EXPECT_EQ(thrust::unique_copy(par, f, l, out.begin(), Equal{}) - out.begin(), heads);
  EXPECT_EQ(thrust::reduce_by_key(par, f, l, f, out.begin(), sums.begin(), Equal{}, Plus{}).first -
                out.begin(),
            heads);
  thrust::stable_sort(par, f, l, Less{});
  expected = in.keys;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(prices(items), expected);
}

// A program may specialize the operators of std for its own types. No other operator of the same
// name may be called then.
TEST_F(functors, specialized_operators) {
  const data in{300007};
  check_specialized<priced<0>, std::less<priced<0>>, std::equal_to<priced<0>>,
                    std::plus<priced<0>>>(in);
  check_specialized<priced<1>, thrust::less<priced<1>>, thrust::equal_to<priced<1>>,
                    thrust::plus<priced<1>>>(in);
}

/// Says of an item whether nobody has asked about it before, and whether it is odd.
struct is_new_and_odd {
  std::atomic<int>* asked;
  bool operator()(int item) const { return asked[item]++ == 0 && item % 2 != 0; }
};

// Predicates are called once for each item. So they may insert items into a set.
TEST_F(functors, predicates_that_change_something) {
  for (const std::size_t n : {1, 2, 1000, 300007}) {
    std::vector<std::atomic<int>> asked(n);
    const is_new_and_odd pred{asked.data()};
    const auto each_once = [&] {
      bool all = true;
      for (std::atomic<int>& times : asked) all = times.exchange(0) == 1 && all;
      return all;
    };
    ints items(n), out(n), rest(n);
    const auto f = items.begin(), l = items.end(), to = out.begin();
    const auto odd = std::ptrdiff_t(n / 2), even = std::ptrdiff_t(n) - odd;
    const auto begin_anew = [&] { std::iota(f, l, 0); };
    begin_anew();
    EXPECT_EQ(thrust::count_if(par, f, l, pred), odd);
    EXPECT_TRUE(each_once());
    EXPECT_EQ(thrust::copy_if(par, f, l, to, pred) - to, odd);
    EXPECT_TRUE(each_once());
    EXPECT_EQ(thrust::copy_if(par, f, l, f, to, pred) - to, odd);
    EXPECT_TRUE(each_once());
    EXPECT_EQ(thrust::remove_copy_if(par, f, l, to, pred) - to, even);
    EXPECT_TRUE(each_once());
    EXPECT_EQ(thrust::partition_copy(par, f, l, to, rest.begin(), pred).first - to, odd);
    EXPECT_TRUE(each_once());
    EXPECT_EQ(thrust::stable_partition(par, f, l, pred) - f, odd);
    EXPECT_TRUE(each_once());
    begin_anew();
    EXPECT_EQ(thrust::remove_if(par, f, l, pred) - f, even);
    EXPECT_TRUE(each_once());
  }
}

/// A copy of one is never made unasked.
struct explicit_copy {
  int value;
  explicit_copy(int number) : value{number} {}
  explicit explicit_copy(const explicit_copy&) = default;
  explicit_copy& operator=(const explicit_copy&) = default;
  bool operator<(const explicit_copy& other) const { return value < other.value; }
};

TEST_F(functors, minmax_takes_items_whose_copy_constructor_is_explicit) {
  std::vector<explicit_copy> items;
  for (int i = 0; i < 100000; ++i) items.emplace_back(i * 7919 % 100003);
  const auto ends = hindsight::minmax(hindsight::host::par, items);
  EXPECT_EQ(ends.first.value, 0);
  EXPECT_EQ(ends.second.value, std::max_element(items.begin(), items.end())->value);
}

}  // namespace
