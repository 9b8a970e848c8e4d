// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An iterator as a user writes one: over every other item, with a proxy in the place of a
// reference, a difference type of int and no default constructor; and calls through it, in and out.
#pragma once

#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace hindsight_test {

class negating_output;

}  // namespace hindsight_test

template <>
struct std::iterator_traits<hindsight_test::negating_output> {
  using value_type = int;
  using reference = hindsight_test::negating_output;
  using difference_type = std::ptrdiff_t;
};
template <>
struct cuda::std::iterator_traits<hindsight_test::negating_output> {
  using iterator_category = ::std::random_access_iterator_tag;
  using value_type = int;
  using reference = hindsight_test::negating_output;
  using pointer = void;
  using difference_type = ::std::ptrdiff_t;
};

namespace hindsight_test {

class item_proxy {
 public:
  HINDSIGHT_HD explicit item_proxy(int* item) : item_{item} {}
  item_proxy(const item_proxy&) = default;
  HINDSIGHT_HD operator int() const { return *item_; }
  HINDSIGHT_HD const item_proxy& operator=(int value) const { return *item_ = value, *this; }
  HINDSIGHT_HD const item_proxy& operator=(const item_proxy& other) const {
    return *this = int(other);
  }

 private:
  int* item_;
};

class every_other {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = int;
  using pointer = int*;
  using reference = item_proxy;

  HINDSIGHT_HD explicit every_other(int* item) : item_{item} {}
  HINDSIGHT_HD item_proxy operator*() const { return item_proxy{item_}; }
  HINDSIGHT_HD item_proxy operator[](int i) const { return *(*this + i); }
  HINDSIGHT_HD every_other& operator+=(int n) { return item_ += 2 * std::ptrdiff_t{n}, *this; }
  HINDSIGHT_HD every_other& operator-=(int n) { return *this += -n; }
  HINDSIGHT_HD every_other& operator++() { return *this += 1; }
  HINDSIGHT_HD every_other& operator--() { return *this -= 1; }
  HINDSIGHT_HD every_other operator++(int) { return ++*this - 1; }
  HINDSIGHT_HD every_other operator--(int) { return --*this + 1; }
  friend HINDSIGHT_HD every_other operator+(every_other it, int n) { return it += n; }
  friend HINDSIGHT_HD every_other operator+(int n, every_other it) { return it += n; }
  friend HINDSIGHT_HD every_other operator-(every_other it, int n) { return it -= n; }
  friend HINDSIGHT_HD int operator-(every_other a, every_other b) {
    return static_cast<int>((a.item_ - b.item_) / 2);
  }
  friend HINDSIGHT_HD bool operator==(every_other a, every_other b) { return a - b == 0; }
  friend HINDSIGHT_HD bool operator!=(every_other a, every_other b) { return a - b != 0; }
  friend HINDSIGHT_HD bool operator<(every_other a, every_other b) { return a - b < 0; }
  friend HINDSIGHT_HD bool operator>(every_other a, every_other b) { return a - b > 0; }
  friend HINDSIGHT_HD bool operator<=(every_other a, every_other b) { return a - b <= 0; }
  friend HINDSIGHT_HD bool operator>=(every_other a, every_other b) { return a - b >= 0; }

 private:
  int* item_;
};

/// An output that std::iterator_traits does not know: CUDA's own has its category.
class negating_output {
 public:
  HINDSIGHT_HD explicit negating_output(int* item) : item_{item} {}
  HINDSIGHT_HD negating_output operator*() const { return *this; }
  HINDSIGHT_HD negating_output operator[](std::ptrdiff_t i) const { return *this + i; }
  HINDSIGHT_HD negating_output& operator++() { return ++item_, *this; }
  HINDSIGHT_HD const negating_output& operator=(int value) const { return *item_ = -value, *this; }
  friend HINDSIGHT_HD negating_output operator+(negating_output it, std::ptrdiff_t n) {
    return negating_output{it.item_ + n};
  }
  negating_output(const negating_output&) = default;

 private:
  int* item_;
};

/// An iterator whose author forgot that a subscript is const. Stock takes it in most calls.
class forgetful {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = int*;
  using reference = int&;

  forgetful() = default;
  HINDSIGHT_HD explicit forgetful(int* item) : item_{item} {}
  HINDSIGHT_HD int& operator*() const { return *item_; }
  HINDSIGHT_HD int& operator[](std::ptrdiff_t i) { return item_[i]; }
  HINDSIGHT_HD forgetful& operator+=(std::ptrdiff_t n) { return item_ += n, *this; }
  HINDSIGHT_HD forgetful& operator-=(std::ptrdiff_t n) { return item_ -= n, *this; }
  HINDSIGHT_HD forgetful& operator++() { return ++item_, *this; }
  HINDSIGHT_HD forgetful& operator--() { return --item_, *this; }
  HINDSIGHT_HD forgetful operator++(int) { return forgetful{item_++}; }
  HINDSIGHT_HD forgetful operator--(int) { return forgetful{item_--}; }
  HINDSIGHT_HD forgetful operator+(std::ptrdiff_t n) const { return forgetful{item_ + n}; }
  HINDSIGHT_HD forgetful operator-(std::ptrdiff_t n) const { return forgetful{item_ - n}; }
  HINDSIGHT_HD std::ptrdiff_t operator-(forgetful other) const { return item_ - other.item_; }
  HINDSIGHT_HD bool operator==(forgetful other) const { return item_ == other.item_; }
  HINDSIGHT_HD bool operator!=(forgetful other) const { return item_ != other.item_; }
  HINDSIGHT_HD bool operator<(forgetful other) const { return item_ < other.item_; }

 private:
  int* item_ = nullptr;
};

struct is_odd_int {
  HINDSIGHT_HD bool operator()(int item) const { return item % 2 != 0; }
};

/// Items with gaps between them, in an Array that begins with items and tells its data() and all().
template <class Array>
class spaced {
 public:
  explicit spaced(const std::vector<int>& items) : size_{items.size()}, array_{with_gaps(items)} {}
  explicit spaced(std::size_t n) : spaced(std::vector<int>(n, -2)) {}

  every_other begin() const { return every_other{array_.data()}; }
  every_other end() const { return begin() + static_cast<int>(size_); }
  /// The first items; no gap may have changed.
  std::vector<int> first(std::size_t count) const {
    const auto all = array_.all();
    std::vector<int> items;
    for (std::size_t i = 0; i < size_; ++i) {
      if (i < count) items.push_back(all[2 * i]);
      EXPECT_EQ(all[2 * i + 1], gap) << "behind item " << i;
      if (testing::Test::HasFailure()) break;
    }
    return items;
  }
  std::vector<int> before(every_other end) const { return first(std::size_t(end - begin())); }

 private:
  static constexpr int gap = -7;
  static std::vector<int> with_gaps(const std::vector<int>& items) {
    std::vector<int> all;
    for (const int item : items) all.insert(all.end(), {item, gap});
    all.push_back(gap);
    return all;
  }
  std::size_t size_;
  Array array_;
};

template <class Array, class Policy>
void expect_right_results(const Policy& policy, std::size_t n) {
  SCOPED_TRACE("n = " + std::to_string(n));
  std::vector<int> items(n), sums(n), odd, even, heads, folds, sorted;
  for (std::size_t i = 0; i < n; ++i) items[i] = int(i * 2654435761u % 1013 / 3 % 5);
  std::partial_sum(items.begin(), items.end(), sums.begin());
  std::partition_copy(items.begin(), items.end(), std::back_inserter(odd), std::back_inserter(even),
                      is_odd_int{});
  std::unique_copy(items.begin(), items.end(), std::back_inserter(heads));
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || items[i] != items[i - 1]) folds.push_back(0);
    folds.back() += items[i];
  }
  sorted = items;
  std::stable_sort(sorted.begin(), sorted.end(), std::greater<int>{});

  const spaced<Array> in(items), out(n), more(n);
  EXPECT_EQ(out.before(thrust::inclusive_scan(policy, in.begin(), in.end(), out.begin())), sums);
  EXPECT_EQ(out.before(thrust::copy_if(policy, in.begin(), in.end(), out.begin(), is_odd_int{})),
            odd);
  const auto parts =  // not where the odd items are already
      thrust::partition_copy(policy, in.begin(), in.end(), more.begin(), out.begin(), is_odd_int{});
  EXPECT_EQ(more.before(parts.first), odd);
  EXPECT_EQ(out.before(parts.second), even);
  const auto runs =
      thrust::reduce_by_key(policy, in.begin(), in.end(), in.begin(), out.begin(), more.begin());
  EXPECT_EQ(out.before(runs.first), heads);
  EXPECT_EQ(more.before(runs.second), folds);
  EXPECT_EQ(thrust::reduce(policy, in.begin(), in.end()), n > 0 ? sums.back() : 0);

  const Array negated(std::vector<int>(n + 1, 1));
  thrust::inclusive_scan(policy, in.begin(), in.end(), negating_output{negated.data()});
  auto negative = negated.all();
  EXPECT_EQ(negative.back(), 1);
  negative.pop_back();
  for (int& item : negative) item = -item;
  EXPECT_EQ(negative, sums);

  const spaced<Array> own(items);  // in place
  thrust::inclusive_scan(policy, own.begin(), own.end(), own.begin());
  EXPECT_EQ(own.before(own.end()), sums);
  thrust::adjacent_difference(policy, own.begin(), own.end(), own.begin());
  EXPECT_EQ(own.before(own.end()), items);
  thrust::sort(policy, own.begin(), own.end(), thrust::greater<int>{});
  EXPECT_EQ(own.before(own.end()), sorted);
  const spaced<Array> rest(items);
  EXPECT_EQ(rest.before(thrust::remove_if(policy, rest.begin(), rest.end(), is_odd_int{})), even);
}

struct by_last_digit {
  HINDSIGHT_HD bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

/// Subscripts that are not const, of an Array with data() and all(): such calls are stock's.
template <class Array, class Policy>
void expect_forgetful_iterators_are_taken(const Policy& policy) {
  const std::size_t n = 30'011;
  std::vector<int> items(n), sums(n), odd;
  for (std::size_t i = 0; i < n; ++i) items[i] = int(i * 2654435761u % 1013 / 3);
  std::partial_sum(items.begin(), items.end(), sums.begin());
  std::copy_if(items.begin(), items.end(), std::back_inserter(odd), is_odd_int{});

  const Array in(items), out(std::vector<int>(n, -2));
  const forgetful first{in.data()}, last = first + std::ptrdiff_t(n), to{out.data()};
  EXPECT_EQ(thrust::reduce(policy, first, last), sums.back());
  EXPECT_TRUE(thrust::inclusive_scan(policy, first, last, to) == to + std::ptrdiff_t(n));
  EXPECT_EQ(out.all(), sums);
  EXPECT_EQ(thrust::copy_if(policy, first, last, to, is_odd_int{}) - to,
            std::ptrdiff_t(odd.size()));
  auto kept = out.all();
  kept.resize(odd.size());
  EXPECT_EQ(kept, odd);
  thrust::stable_sort(policy, first, last, by_last_digit{});
  std::stable_sort(items.begin(), items.end(), by_last_digit{});
  EXPECT_EQ(in.all(), items);
}

/// Pointers to volatile items, of an Array with data() and all().
template <class Array, class Policy>
void expect_volatile_items_are_taken(const Policy& policy) {
  const std::size_t n = 100'003;
  std::vector<int> items(n), sums(n), odd;
  for (std::size_t i = 0; i < n; ++i) items[i] = int(i * 2654435761u % 1013 / 3 % 5);
  std::partial_sum(items.begin(), items.end(), sums.begin());
  std::copy_if(items.begin(), items.end(), std::back_inserter(odd), is_odd_int{});

  const Array in(items), out(std::vector<int>(n, -2));
  volatile int *const first = in.data(), *const last = first + n, *const to = out.data();
  EXPECT_EQ(thrust::inclusive_scan(policy, first, last, to), to + n);
  EXPECT_EQ(out.all(), sums);
  const auto end = thrust::copy_if(policy, first, last, to, is_odd_int{});
  EXPECT_EQ(end - to, std::ptrdiff_t(odd.size()));
  auto kept = out.all();
  kept.resize(odd.size());
  EXPECT_EQ(kept, odd);
}

}  // namespace hindsight_test
