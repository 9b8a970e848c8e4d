// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers made of pairs, tuples and arrays have their order, also where zeros have signs and where
// a member lies in two numbers.
#include <hindsight/detail/composite_key.h>

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using namespace hindsight::detail;
template <class... Ts>
using tuple = ::cuda::std::tuple<Ts...>;
using text = ::cuda::std::array<unsigned char, 27>;

std::mt19937_64 random_bits{7};

struct random_member {
  template <class Member>
  void operator()(Member& member) const {
    const auto bits = random_bits();
    if constexpr (std::is_floating_point_v<Member>) {
      member =
          static_cast<Member>(int(bits % 5) - 2) * (bits >> 9 & 1 ? Member(-0.5) : Member(0.5));
    } else {
      member = static_cast<Member>(bits & 3 ? bits >> 32 & 1 : bits >> 2);
    }
  }
};

template <class Key>
int order_of_words(const Key& a, const Key& b) {
  using words = key_words<Key>;
  for (int w = 0; w < words::count; ++w) {
    const auto of_a = words::at(w, a), of_b = words::at(w, b);
    if (of_a != of_b) return of_a < of_b ? -1 : 1;
  }
  return 0;
}

template <class Key>
struct CompositeKey : testing::Test {};
using keys = testing::Types<
    ::cuda::std::pair<std::int8_t, std::uint64_t>, tuple<float, std::int16_t, double>,
    tuple<std::int64_t, float, std::uint8_t, std::int64_t>, tuple<std::uint8_t, int128_t, float>,
    text, ::cuda::std::array<char, 5>, ::cuda::std::array<float, 7>>;
TYPED_TEST_SUITE(CompositeKey, keys);

TYPED_TEST(CompositeKey, HasTheOrderOfItsMembers) {
  static_assert(is_composite_sortable<TypeParam, ::cuda::std::less<>>);
  // Compilers take no list of so many members.
  static_assert(!is_composite_key<::cuda::std::array<char, 1000000>>);
  for (int i = 0; i < 20000; ++i) {
    TypeParam a{}, b{};
    for_each_member(a, random_member{});
    for_each_member(b, random_member{});
    if (i % 3 == 0) {
      b = a;
      if (i % 2) random_member{}(::cuda::std::get<1>(b));
    }
    ASSERT_EQ(order_of_words(a, b), a < b ? -1 : b < a ? 1 : 0) << i;
  }
}

// Where sorts by comparisons take the keys, NaNs have the places that a radix sort gives them.
TEST(OrderOfCompositeKeys, NaNsGoByTheirBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float in_order[] = {-nan, -1.0f, 0.0f, 2.0f, nan};
  const auto check = [&](auto make) {
    using key = decltype(make(0.0f));
    const auto ascending = as_order<key>(::cuda::std::less<key>{});
    const auto descending = as_order<key>(std::greater<>{});
    for (int a = 0; a < 5; ++a)
      for (int b = 0; b < 5; ++b) {
        EXPECT_EQ(ascending(make(in_order[a]), make(in_order[b])), a < b) << a << " " << b;
        EXPECT_EQ(descending(make(in_order[a]), make(in_order[b])), a > b) << a << " " << b;
      }
    EXPECT_FALSE(ascending(make(-0.0f), make(0.0f)));
    EXPECT_FALSE(ascending(make(0.0f), make(-0.0f)));
  };
  check([](float f) { return tuple<int, float>{7, f}; });
  check([](float f) { return tuple<std::int64_t, double, float>{7, 1, f}; });
}

TEST(ExactCompositeKey, TellsItsMembersIfTheyAreIntegers) {
  using key = tuple<std::int32_t, std::uint8_t, std::int16_t>;
  static_assert(is_exact_composite_key<key> && !is_exact_composite_key<tuple<int, float>>);
  const key one{-5, 200, -300};
  EXPECT_TRUE(from_composite_bits<key>{}(to_composite_bits<key>{}(one)) == one);
  static_assert(!is_composite_key<tuple<text, int>> && !is_composite_key<tuple<>>);
  static_assert(!is_composite_key<::cuda::std::array<unsigned char, 33>>);
}

}  // namespace
