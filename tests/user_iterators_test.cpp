// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Host threads: calls through iterators that a user wrote.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/find.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/scan.h>

#include "user_iterators_testing.h"
#include <atomic>
#include <utility>

namespace hindsight_test {
namespace {

class host_items {
 public:
  explicit host_items(std::vector<int> items) : items_{std::move(items)} {}
  int* data() const { return items_.data(); }
  std::vector<int> all() const { return items_; }

 private:
  mutable std::vector<int> items_;
};

TEST(UserIterators, OverEveryOtherItem) {
  for (const std::size_t n : {0, 1, 33, 5000, 300'007})
    expect_right_results<host_items>(hindsight::host::par, n);
}

TEST(UserIterators, OverVolatileItems) {
  expect_volatile_items_are_taken<host_items>(hindsight::host::par);
}

TEST(UserIterators, WhoseSubscriptIsNotConst) {
  expect_forgetful_iterators_are_taken<host_items>(hindsight::host::par);
}

struct celsius {
  int value;
  bool operator==(const celsius& other) const { return value == other.value; }
};

/// Converts to an item, and has no operators of its own.
class celsius_proxy {
 public:
  explicit celsius_proxy(celsius* item) : item_{item} {}
  celsius_proxy(const celsius_proxy&) = default;
  operator celsius() const { return *item_; }
  const celsius_proxy& operator=(const celsius& item) const { return *item_ = item, *this; }
  const celsius_proxy& operator=(const celsius_proxy& other) const {
    return *this = celsius(other);
  }

 private:
  celsius* item_;
};

class over_celsius {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = celsius;
  using difference_type = std::ptrdiff_t;
  using pointer = celsius*;
  using reference = celsius_proxy;

  explicit over_celsius(celsius* item) : item_{item} {}
  celsius_proxy operator*() const { return celsius_proxy{item_}; }
  celsius_proxy operator[](std::ptrdiff_t i) const { return celsius_proxy{item_ + i}; }
  over_celsius& operator++() { return ++item_, *this; }
  over_celsius& operator--() { return --item_, *this; }
  over_celsius& operator+=(std::ptrdiff_t n) { return item_ += n, *this; }
  over_celsius& operator-=(std::ptrdiff_t n) { return item_ -= n, *this; }
  friend over_celsius operator+(over_celsius it, std::ptrdiff_t n) { return it += n; }
  friend over_celsius operator-(over_celsius it, std::ptrdiff_t n) { return it -= n; }
  friend std::ptrdiff_t operator-(over_celsius a, over_celsius b) { return a.item_ - b.item_; }
  friend bool operator==(over_celsius a, over_celsius b) { return a.item_ == b.item_; }
  friend bool operator!=(over_celsius a, over_celsius b) { return a.item_ != b.item_; }
  friend bool operator<(over_celsius a, over_celsius b) { return a.item_ < b.item_; }

 private:
  celsius* item_;
};

TEST(UserIterators, ValuesAmongItemsBehindProxiesWithoutOperators) {
  const auto par = hindsight::host::par.threads(4);
  const std::size_t n = 30000;
  std::vector<celsius> items(n), out(n);
  for (std::size_t i = 0; i < n; ++i) items[i].value = int(i / 3);
  const over_celsius first{items.data()}, last = first + std::ptrdiff_t(n);
  const celsius sought{5000};
  EXPECT_EQ(thrust::find(par, first, last, sought) - first, 15000);
  EXPECT_EQ(thrust::count(par, first, last, sought), 3);
  const over_celsius copied{out.data()};
  EXPECT_EQ(thrust::remove_copy(par, first, last, copied, sought) - copied, 29997);
  EXPECT_EQ(out[15000].value, 5001);
  EXPECT_EQ(thrust::remove(par, first, last, sought) - first, 29997);
  EXPECT_EQ(items[15000].value, 5001);
  std::size_t count = 0;
  hindsight::remove_into(par, first, first + 29997, &count, celsius{5001});
  EXPECT_EQ(count, 29994u);
  EXPECT_EQ(items[15000].value, 5002);
}

TEST(UserIterators, RunsOfItemsBehindProxiesWithoutOperators) {
  const auto par = hindsight::host::par.threads(4);
  const std::size_t n = 30000;
  std::vector<celsius> items(n), runs(n);
  for (std::size_t i = 0; i < n; ++i) items[i].value = int(i / 3);
  const over_celsius first{items.data()}, last = first + std::ptrdiff_t(n), out{runs.data()};
  std::vector<int> lengths(n);
  const auto ends = hindsight::run_length_encode(par, first, last, out, lengths.begin());
  EXPECT_EQ(ends.first - out, 10000);
  std::size_t count = 0;
  hindsight::unique_into(par, first, last, &count);
  EXPECT_EQ(count, 10000u);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(lengths[i], 3) << i;
    ASSERT_EQ(runs[i].value, int(i));
    ASSERT_EQ(items[i].value, int(i));
  }
}

/// Its operators give the base: it + 1 is no quiet_output. Stock takes it for most outputs.
struct quiet_output : thrust::discard_iterator<> {
  using thrust::discard_iterator<>::discard_iterator;
};

/// Notes what it gets, and takes nothing but ints.
struct noted {
  std::atomic<long>* sum;
  int operator()(int item) const {
    *sum += item;
    return item;
  }
};

/// Outputs that drop all they get.
template <class Call>
void expect_all_is_written(long expected, Call call) {
  std::atomic<long> sum{0};
  call(thrust::make_transform_output_iterator(thrust::discard_iterator<>{}, noted{&sum}));
  EXPECT_EQ(sum.exchange(0), expected);
  call(thrust::make_transform_output_iterator(quiet_output{}, noted{&sum}));
  EXPECT_EQ(sum, expected);
}

TEST(UserIterators, FunctionsBeforeOutputsThatDropAll) {
  const auto& par = hindsight::host::par;
  const long n = 100'000;
  const std::vector<int> in(n, 1);
  const thrust::discard_iterator<> nowhere;
  expect_all_is_written(n * (n + 1) / 2, [&](auto out) {
    (void)thrust::inclusive_scan(par, in.begin(), in.end(), out);
  });
  expect_all_is_written(
      n, [&](auto out) { (void)thrust::copy_if(par, in.begin(), in.end(), out, is_odd_int{}); });
  expect_all_is_written(n, [&](auto out) {
    (void)hindsight::run_length_encode(par, in.begin(), in.end(), nowhere, out);
  });
  expect_all_is_written(n, [&](auto out) {
    hindsight::copy_if_into(par, in.begin(), in.end(), nowhere, out, is_odd_int{});
  });
  (void)thrust::inclusive_scan(par, in.begin(), in.end(), quiet_output{});
}

}  // namespace
}  // namespace hindsight_test
