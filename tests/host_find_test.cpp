// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// systems: CPP OMP
// find, find_if, find_if_not, all_of, any_of and none_of on host threads.
#include <hindsight/counts_in_place.h>
#include <hindsight/find.h>
#include <hindsight/reduce.h>
#include <hindsight/select.h>

#include <thrust/count.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/remove.h>

#include "functors_testing.h"
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <list>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using hindsight_test::is_nine;

const auto& par = hindsight::host::par;

template <class T>
struct HostFind : testing::Test {};
using types = testing::Types<std::uint8_t, std::int32_t, double>;
TYPED_TEST_SUITE(HostFind, types);

TYPED_TEST(HostFind, TheFirstWhereverItIs) {
  using T = TypeParam;
  for (const std::size_t n : {1, 2, 33, 32768, 32769, 2000003}) {
    std::vector<T> items(n, T(1));
    const auto first = items.begin(), last = items.end();
    EXPECT_EQ(thrust::find_if(par, first, last, is_nine{}), last);
    EXPECT_TRUE(thrust::none_of(par, first, last, is_nine{}));
    EXPECT_FALSE(thrust::all_of(par, first, last, is_nine{}));
    for (std::size_t at = 0; at < n; at += n / 7 + 1) {
      SCOPED_TRACE(testing::Message() << at << " of " << n);
      items[at] = items[at + (n - at) / 2] = items[n - 1] = T(9);
      ASSERT_EQ(thrust::find_if(par, first, last, is_nine{}) - first, std::ptrdiff_t(at));
      ASSERT_EQ(thrust::find(par, first, last, T(9)) - first, std::ptrdiff_t(at));
      ASSERT_EQ(hindsight::find_if_not(items, is_nine{}), std::find(first, last, T(1)));
      ASSERT_TRUE(thrust::any_of(par, first, last, is_nine{}));
      ASSERT_FALSE(thrust::none_of(par, first, last, is_nine{}));
      items[at] = items[at + (n - at) / 2] = items[n - 1] = T(1);
    }
  }
}

// The tiles after the one where an item is found would take years.
TEST(HostFindTypes, InAsGoodAsEndlessRanges) {
  using iterator = thrust::counting_iterator<std::int64_t>;
  const iterator first{0}, last{std::numeric_limits<std::int64_t>::max()};
  const auto is_large = [](std::int64_t x) { return x >= 1000003; };
  for (const unsigned threads : {1, 4}) {
    const auto some = par.threads(threads);
    EXPECT_EQ(*thrust::find_if(some, first, last, is_large), 1000003);
    EXPECT_EQ(*thrust::find(some, first, last, 7654321), 7654321);
    EXPECT_TRUE(thrust::any_of(some, first, last, is_large));
    EXPECT_FALSE(thrust::none_of(some, first, last, is_large));
  }
}

struct marked {
  int number;
  bool is_good;
  bool is_odd() const { return number % 2 != 0; }
};

// Stock's find_if_not and all_of take pointers to members, and no other call of its does.
TEST(HostFindTypes, PointersToMembers) {
  std::vector<marked> items(100000, marked{1, true});
  const auto first = items.begin(), last = items.end();
  EXPECT_TRUE(hindsight::all_of(items, &marked::is_good));
  EXPECT_TRUE(thrust::all_of(par, first, last, &marked::is_odd));
  EXPECT_EQ(hindsight::find_if_not(items, &marked::is_good), last);
  items[70000] = marked{2, false};
  EXPECT_FALSE(thrust::all_of(par, first, last, &marked::is_good));
  EXPECT_EQ(thrust::find_if_not(par, first, last, &marked::is_good) - first, 70000);
  EXPECT_EQ(hindsight::find_if_not(items, &marked::is_odd) - first, 70000);
}

TEST(HostFindTypes, OfStringsListsAndNothing) {
  const std::vector<std::string> words{"a", "b", "b"};
  EXPECT_EQ(hindsight::find(words, std::string{"b"}) - words.begin(), 1);
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP  // stock's other systems take no lists
  const std::list<int> list{3, 9, 9};
  EXPECT_EQ(std::distance(list.begin(), thrust::find(par, list.begin(), list.end(), 9)), 1);
#endif
  const std::vector<int> none;
  EXPECT_TRUE(hindsight::all_of(none, is_nine{}));
  EXPECT_FALSE(hindsight::any_of(none, is_nine{}));
  EXPECT_TRUE(hindsight::none_of(none, is_nine{}));
}

/// Says whether it is equal by something that is no bool, as stock takes it.
struct answer {
  bool value;
  explicit operator bool() const { return value; }
};
struct item_with_answer {
  int value;
  friend answer operator==(item_with_answer a, item_with_answer b) { return {a.value == b.value}; }
};

TEST(HostFindTypes, OfItemsWhoseEqualityIsNoBool) {
  const std::vector<item_with_answer> items{{1}, {2}, {2}};
  EXPECT_EQ(thrust::find(par, items.begin(), items.end(), item_with_answer{2}) - items.begin(), 1);
  EXPECT_EQ(thrust::count(par, items.begin(), items.end(), item_with_answer{2}), 2);
}

TEST(HostFindTypes, OfStringLiterals) {
  std::vector<std::string> words{"a", "b", "a"}, out(3);
  EXPECT_EQ(thrust::find(par, words.begin(), words.end(), "b") - words.begin(), 1);
  EXPECT_EQ(hindsight::find(words, "b") - words.begin(), 1);
  EXPECT_EQ(thrust::count(par, words.begin(), words.end(), "a"), 2);
  EXPECT_EQ(thrust::remove_copy(par, words.begin(), words.end(), out.begin(), "a") - out.begin(),
            1);
  EXPECT_EQ(hindsight::remove(words, "a") - words.begin(), 1);
  EXPECT_EQ(words[0], "b");
}

/// A copy has to be asked for.
struct copied_explicitly {
  int value = 0;
  copied_explicitly() = default;
  explicit copied_explicitly(int v) : value{v} {}
  explicit copied_explicitly(const copied_explicitly&) = default;
  copied_explicitly& operator=(const copied_explicitly&) = default;
  bool operator==(const copied_explicitly& other) const { return value == other.value; }
};

TEST(HostFindTypes, OfItemsThatAreCopiedExplicitly) {
  std::vector<copied_explicitly> items(90000), out(90000);
  for (int i = 0; i < 90000; ++i) items[i].value = i % 3;
  const auto first = items.begin(), last = items.end();
  const copied_explicitly two{2};
  EXPECT_EQ(thrust::find(par, first, last, two) - first, 2);
  EXPECT_EQ(thrust::count(par, first, last, two), 30000);
  EXPECT_EQ(thrust::remove_copy(par, first, last, out.begin(), two) - out.begin(), 60000);
  EXPECT_EQ(out[59999].value, 1);
  EXPECT_EQ(thrust::remove(par, first, last, two) - first, 60000);
  EXPECT_EQ(items[59999].value, 1);
  int left = 0;
  hindsight::remove_into(par, first, first + 60000, &left, copied_explicitly{1});
  EXPECT_EQ(left, 30000);
}

// Other threads may have come to items behind the first one. What is thrown there does not count.
TEST(HostFindTypes, ThrowsAsOneThreadAlone) {
  constexpr int n = 1000000;
  const thrust::counting_iterator<int> first{0}, last{n};
  for (const unsigned threads : {1, 4}) {
    const auto some = par.threads(threads);
    const auto find_before_fault = [](int i) {
      if (i > n / 4) throw std::runtime_error("behind the first one");
      if (i == 9) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return i == 9;
    };
    EXPECT_EQ(*thrust::find_if(some, first, last, find_before_fault), 9);
    const auto find_behind_fault = [](int i) {
      if (i == 9) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        throw std::runtime_error("before the first one");
      }
      return i > n / 4;
    };
    EXPECT_THROW(thrust::find_if(some, first, last, find_behind_fault), std::runtime_error);
  }
}

TEST(HostFindTypes, PassesOnWhatIsThrown) {
  const std::vector<int> items(1000000, 1);
  const auto refuses = [](int item) -> bool { throw std::runtime_error(std::to_string(item)); };
  EXPECT_THROW(hindsight::any_of(items, refuses), std::runtime_error);
  EXPECT_THROW(thrust::find_if(par, items.end(), items.begin(), is_nine{}),
               hindsight::invalid_call);
  EXPECT_THROW(thrust::none_of(par, items.end(), items.begin(), is_nine{}),
               hindsight::invalid_call);
}

}  // namespace
