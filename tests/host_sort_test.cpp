// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host engine's radix sort against std::stable_sort on key bits.
#include <hindsight/detail/host/sort.h>

#include <thrust/functional.h>
#include <thrust/tuple.h>

#include "order_testing.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

namespace host = hindsight::detail::host;
using hindsight_test::gathered;
using hindsight_test::places_in_order;
using host::cut;

template <class T>
T from_random(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {  // every kind of number: NaN, infinity, zero,
                                                // denormal
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return bits % 16 == 0 ? T(bits & 32 ? -0.0 : 0.0) : value;
  } else {
    return T(bits);
  }
}

/// What makes a radix sort take another path: which bits vary, and how evenly.
enum class keys_are { random, few, equal, sorted, skewed, sparse, high_bits };

template <class T>
std::vector<T> keys_like(keys_are kind, std::size_t n) {
  std::mt19937_64 random{n};
  std::vector<T> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random();
    switch (kind) {
      case keys_are::random:
        keys[i] = from_random<T>(bits);
        break;
      case keys_are::few:
        keys[i] = T(bits % 3);
        break;
      case keys_are::equal:
        keys[i] = T(7);
        break;
      case keys_are::sorted:
        keys[i] = T(i);
        break;
      case keys_are::skewed:
        keys[i] = T(bits >> random() % 64);
        break;
      case keys_are::sparse:  // one bit in 16, in as many bytes as make 5 to 8 passes
        keys[i] = T((bits & random() & random() & random()) >> n / 1000 % 4 * 8);
        break;
      case keys_are::high_bits:
        keys[i] = from_random<T>(bits & 0xff000000ff000000u);
        break;
    }
  }
  return keys;
}

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& items) {
  std::vector<unsigned char> bytes(items.size() * sizeof(T));
  if (!items.empty()) std::memcpy(bytes.data(), items.data(), bytes.size());
  return bytes;
}

template <class T>
class host_sort : public testing::Test {};
using key_types = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t,
                                 hindsight::detail::int128_t, float, double>;
TYPED_TEST_SUITE(host_sort, key_types);

template <class Direction, class Compare, class Key>
void check_sort(const std::vector<Key>& keys, cut wanted) {
  const std::size_t n = keys.size();
  const auto order =
      places_in_order(keys, [](Key a, Key b) { return Direction::bits(a) < Direction::bits(b); });
  const auto expected = gathered(keys, order);

  auto alone = keys;
  host::sort(alone.begin(), n, Compare{}, wanted);
  ASSERT_EQ(bytes_of(alone), bytes_of(expected));

  auto paired = keys;
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  host::sort_by_key(paired.begin(), values.begin(), n, Compare{}, wanted);
  ASSERT_EQ(bytes_of(paired), bytes_of(expected));
  ASSERT_EQ(values, order);
}

/// One small sort at a time has a team, the others sort alone; so do all under contention.
TEST(host_sort, by_many_callers_and_under_contention) {
  const std::size_t n = 100003;
  const auto keys = keys_like<std::uint64_t>(keys_are::random, n);
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  const auto sort_often = [&](unsigned* num_wrong) {
    for (int i = 0; i < 5; ++i) {
      auto sorted = keys;
      host::sort(sorted.begin(), n, thrust::less<>{});
      *num_wrong += sorted != expected;
    }
  };
  for (int round = 0; round < 2; ++round) {
    unsigned num_wrong[6] = {};
    std::vector<std::thread> callers;
    for (unsigned& wrong : num_wrong) callers.emplace_back(sort_often, &wrong);
    for (std::thread& caller : callers) caller.join();
    for (const unsigned wrong : num_wrong) EXPECT_EQ(wrong, 0u);
    const auto now = host::contention::clock::now();
    for (int team = 0; team < 3; ++team) host::other_programs.note_late_team(now);
  }
  host::small_sort_team first, second;
  const host::team_size_scope asked{3};
  EXPECT_TRUE(second.is_worthwhile()) << "the caller has asked for threads";
}

TEST(host_sort, of_small_arrays_has_one_team_at_a_time) {
  while (host::other_programs.is_likely()) std::this_thread::yield();
  {
    const host::small_sort_team first, second;
    EXPECT_TRUE(first.is_worthwhile());
    EXPECT_FALSE(second.is_worthwhile());
  }
  const host::small_sort_team next;
  EXPECT_TRUE(next.is_worthwhile());
}

/// Sorts look whether keys are in order already: one that is not may be anywhere.
TYPED_TEST(host_sort, of_all_keys_but_one_in_order) {
  namespace d = hindsight::detail;
  const std::size_t n = 1200;
  for (const cut wanted : {cut{}, cut{1, 0}, cut{2, 40}, cut{3, 500}})
    for (const std::size_t place :
         {0, 1, 39, 40, 41, 255, 256, 257, 499, 500, 511, 512, 1000, 1198, 1199}) {
      std::vector<TypeParam> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = TypeParam(10 + i / 20);
      keys[place] = TypeParam(place < n / 2 ? 99 : 1);
      check_sort<d::ascending, thrust::less<TypeParam>>(keys, wanted);
      std::reverse(keys.begin(), keys.end());
      check_sort<d::descending, thrust::greater<>>(keys, wanted);
      check_sort<d::ascending, thrust::less<TypeParam>>(keys, wanted);
    }
}

TYPED_TEST(host_sort, is_a_stable_sort_of_images) {
  namespace d = hindsight::detail;
  for (keys_are kind : {keys_are::random, keys_are::few, keys_are::equal, keys_are::sorted,
                        keys_are::skewed, keys_are::sparse, keys_are::high_bits}) {
    SCOPED_TRACE(testing::Message() << "keys of kind " << int(kind));
    for (std::size_t n : {0, 1, 2, 3, 32, 33, 100, 257, 600, 1000, 2500, 3500})
      for (cut wanted : {cut{}, cut{2, 40}, cut{3, 500}}) {
        check_sort<d::ascending, thrust::less<TypeParam>>(keys_like<TypeParam>(kind, n), wanted);
        check_sort<d::descending, thrust::greater<>>(keys_like<TypeParam>(kind, n), wanted);
      }
    for (unsigned threads : {0u, 3u, 6u})
      check_sort<d::ascending, thrust::less<TypeParam>>(keys_like<TypeParam>(kind, 140003),
                                                        {threads, 0});
  }
}

TEST(host_sort, large_arrays_of_which_most_share_a_digit) {
  namespace d = hindsight::detail;
  const auto keys = keys_like<std::uint64_t>(keys_are::sparse, 300001);
  check_sort<d::ascending, thrust::less<>>(keys, {5, 0});
  auto few_differ = keys_like<std::uint64_t>(keys_are::equal, 300001);
  few_differ[200000] = 1, few_differ[250000] = ~std::uint64_t{0};
  check_sort<d::ascending, thrust::less<>>(few_differ, {5, 0});
}

// Arrays that are too large for chunks, and keys of two bytes: all threads sort from the lowest
// digit.
TYPED_TEST(host_sort, large_arrays_of_skewed_keys) {
  namespace d = hindsight::detail;
  std::mt19937_64 random{7};
  for (const std::size_t n : {60'001, 600'001})
    for (const unsigned words : {3u, 5u}) {
      std::vector<TypeParam> keys(n);
      for (TypeParam& key : keys) {
        std::uint64_t bits = random();
        for (unsigned i = 1; i < words; ++i) bits &= random();
        key = from_random<TypeParam>(bits);
      }
      for (const unsigned threads : {3u, 9u}) {
        SCOPED_TRACE(testing::Message() << n << " keys, " << threads << " threads");
        check_sort<d::ascending, thrust::less<TypeParam>>(keys, {threads, 0});
        check_sort<d::descending, thrust::greater<>>(keys, {threads, 0});
      }
    }
}

TEST(host_sort, values_of_every_kind) {
  struct heavy {
    std::uint64_t words[5];
  };
  for (std::size_t n : {2, 100, 30000}) {
    const auto keys = keys_like<std::uint32_t>(keys_are::skewed, n);
    const auto order = places_in_order(keys);
    std::vector<heavy> large(n);
    std::vector<std::string> words(n);
    std::vector<char> bytes(n);
    std::vector<thrust::tuple<char, int, char>> odd(n);
    for (std::size_t i = 0; i < n; ++i) {
      large[i] = {{i, i, i, i, i}};
      words[i] = std::to_string(i);
      bytes[i] = char(i);
      odd[i] = {char(i), int(i), 'x'};
    }
    auto k1 = keys, k2 = keys, k3 = keys, k4 = keys;
    host::sort_by_key(k1.begin(), large.begin(), n, thrust::less<>{}, cut{2, 0});
    host::sort_by_key(k2.begin(), words.begin(), n, thrust::less<>{}, cut{2, 0});
    host::sort_by_key(k3.begin(), bytes.begin(), n, thrust::less<>{}, cut{2, 1000});
    host::sort_by_key(k4.begin(), odd.begin(), n, thrust::less<>{}, cut{2, 1000});
    EXPECT_TRUE(std::is_sorted(k1.begin(), k1.end()));
    EXPECT_EQ(k1, k2);
    EXPECT_EQ(k1, k3);
    EXPECT_EQ(k1, k4);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(large[i].words[4], order[i]);
      ASSERT_EQ(words[i], std::to_string(order[i]));
      ASSERT_EQ(bytes[i], char(order[i]));
      ASSERT_EQ(thrust::get<1>(odd[i]), int(order[i]));
    }
  }
}

TEST(host_sort, values_that_are_copied_explicitly) {
  struct place {
    std::size_t value = 0;
    place() = default;
    explicit place(const place&) = default;
    place& operator=(const place&) = default;
  };
  for (std::size_t n : {2, 100, 30000}) {
    auto keys = keys_like<std::uint32_t>(keys_are::skewed, n);
    const auto order = places_in_order(keys);
    std::vector<place> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i].value = i;
    host::sort_by_key(keys.begin(), places.begin(), n, thrust::less<>{}, cut{2, 0});
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(places[i].value, order[i]);
  }
}

TEST(host_sort, through_iterators_that_are_no_pointers) {
  const auto keys = keys_like<std::int32_t>(keys_are::random, 10000);
  auto expected = keys, reversed = keys;
  std::stable_sort(expected.begin(), expected.end());
  host::sort(reversed.rbegin(), keys.size(), thrust::greater<>{});
  EXPECT_EQ(reversed, expected);
  auto by_key = keys, values = keys;
  host::sort_by_key(by_key.rbegin(), values.rbegin(), keys.size(), thrust::greater<>{});
  EXPECT_EQ(by_key, expected);
  EXPECT_EQ(values, expected);
}

}  // namespace
