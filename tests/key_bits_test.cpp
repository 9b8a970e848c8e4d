// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Key bits and bin rules, exhaustively over 16-bit types and against plain arithmetic elsewhere.
#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/radix_sortable.h>

#include <thrust/functional.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

#if __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>)
#  include <cuda_bf16.h>
#  include <cuda_fp16.h>
#  define HINDSIGHT_TEST_HALVES 1
#else
#  define HINDSIGHT_TEST_HALVES 0
#endif
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace hindsight::detail;

template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

template <class Key>
class all_16_bit_keys : public testing::Test {};
using small_types = testing::Types<bool, char, signed char, unsigned char, short, unsigned short>;
TYPED_TEST_SUITE(all_16_bit_keys, small_types);

TYPED_TEST(all_16_bit_keys, images_order_as_values) {
  using limits = std::numeric_limits<TypeParam>;
  for (int i = int(limits::min()); i < int(limits::max()); ++i) {
    const TypeParam low = TypeParam(i), high = TypeParam(i + 1);
    ASSERT_EQ(to_key_bits(low) + 1, to_key_bits(high)) << i;
    ASSERT_GT(to_descending_key_bits(low), to_descending_key_bits(high)) << i;
    ASSERT_EQ(from_key_bits<TypeParam>(to_key_bits(low)), low) << i;
  }
}

TEST(key_bits, constant_expressions_for_integers) {
  static_assert(to_key_bits(std::int32_t(-1)) == 0x7fffffffu);
  static_assert(to_key_bits(std::uint64_t(7)) == 7);
  static_assert(to_key_bits(int128_t(0)) == uint128_t(1) << 127);
  static_assert(to_key_bits(false) == 0 && to_key_bits(true) == 1);
}

// A 16-bit IEEE pattern widened to float keeps its order, its sign and its kind, so that every
// value of __nv_bfloat16 (the upper half of a float) is covered by walking over the patterns.
TEST(key_bits, order_of_some_bits) {
  constexpr order_of_bits<ascending> low_half{0, 16}, low_bit{0, 1}, all{0, 32};
  static_assert(low_half(0x20001u, 0x10002u) && !low_half(0x10002u, 0x20002u));
  static_assert(low_bit(2u, 1u) && !low_bit(1u, 2u));
  static_assert(all(1u, 2u) && !all(2u, 1u));
  static_assert(order_of_bits<descending>{31, 32}(0x80000000u, 1u));
}

// Shifts by a key's whole width have no defined result, and none in a constant expression.
TEST(key_bits, no_bits_make_all_keys_equivalent) {
  constexpr order_of_bits<ascending> at_begin{0, 0}, within{5, 5}, at_end{32, 32};
  static_assert(!at_begin(1u, 2u) && !at_begin(2u, 1u));
  static_assert(!within(1u, 2u) && !within(2u, 1u));
  static_assert(!at_end(1u, 2u) && !at_end(2u, 1u));
  static_assert(!order_of_bits<descending>{64, 64}(std::int64_t{1}, std::int64_t{2}));
  static_assert(!order_of_bits<descending>{7, 7}(uint128_t{1}, uint128_t{2}));
}

TEST(key_bits, float_order_over_all_upper_halves) {
  const auto key = [](unsigned pattern) { return bits_as<float>(std::uint32_t(pattern) << 16); };
  for (unsigned a = 0; a < 0x10000; ++a) {
    const float x = key(a);
    if (x != x) continue;
    for (unsigned b : {a ^ 1, a ^ 0x8000, (a * 40503u + 11) & 0xffff, 0u, 0x8000u, 0x7f80u}) {
      const float y = key(b);
      if (y != y) continue;
      ASSERT_EQ(x < y, to_key_bits(x) < to_key_bits(y)) << x << " " << y;
      ASSERT_EQ(x == y, to_key_bits(x) == to_key_bits(y)) << x << " " << y;
    }
  }
}

template <class Direction, class Key>
void check_exact(Key key) {
  const auto exact = Direction::exact(key);
  ASSERT_EQ(Direction::template join_zeros<Key>(exact), Direction::bits(key));
  ASSERT_EQ(bits_as<unsigned_bits_t<Key>>(Direction::template key<Key>(exact)),
            bits_as<unsigned_bits_t<Key>>(key));
}

TEST(key_bits, exact_images_keep_every_bit) {
  for (unsigned a = 0; a < 0x10000; ++a) {
    for (const unsigned low : {0u, 1u, 0xffffu}) {
      const float x = bits_as<float>(std::uint32_t(a << 16 | low));
      check_exact<ascending>(x);
      check_exact<descending>(x);
    }
    check_exact<descending>(std::int16_t(a));
  }
}

template <class Float>
void check_special_order() {
  using limits = std::numeric_limits<Float>;
  using bits_t = unsigned_bits_t<Float>;
  const Float minus_nan = bits_as<Float>(bits_t(~bits_t{0}));
  const Float plus_nan = bits_as<Float>(bits_t(~sign_bit<Float>));
  const Float order[] = {minus_nan,
                         -limits::infinity(),
                         -limits::max(),
                         Float(-1),
                         -limits::min(),
                         -limits::denorm_min(),
                         Float(0),
                         limits::denorm_min(),
                         limits::min(),
                         Float(1),
                         limits::max(),
                         limits::infinity(),
                         limits::quiet_NaN(),
                         plus_nan};
  for (std::size_t i = 1; i < std::size(order); ++i) {
    EXPECT_LT(to_key_bits(order[i - 1]), to_key_bits(order[i])) << i;
    EXPECT_GT(to_descending_key_bits(order[i - 1]), to_descending_key_bits(order[i])) << i;
    EXPECT_EQ(bits_as<bits_t>(from_key_bits<Float>(to_key_bits(order[i]))),
              bits_as<bits_t>(order[i]));
  }
  EXPECT_EQ(to_key_bits(Float(-0.0)), to_key_bits(Float(0.0)));
  EXPECT_EQ(to_descending_key_bits(Float(-0.0)), to_descending_key_bits(Float(0.0)));
}

TEST(key_bits, special_floats) {
  check_special_order<float>();
  check_special_order<double>();
}

#if HINDSIGHT_TEST_HALVES
template <class Half>
void check_all_halves() {
  static_assert(is_radix_sortable<Half, thrust::less<Half>>);
  for (unsigned a = 0; a < 0x10000; ++a) {
    const Half half = bits_as<Half>(std::uint16_t(a));
    const float x = float(half);
    if (x == x && x != 0) {
      ASSERT_EQ(bits_as<std::uint16_t>(from_key_bits<Half>(to_key_bits(half))), a);
    }
    for (unsigned b : {a ^ 1, a ^ 0x8000, (a * 40503u + 11) & 0xffff, 0u, 0x8000u, 0x7f80u}) {
      const Half other = bits_as<Half>(std::uint16_t(b));
      const float y = float(other);
      if (x != x || y != y) continue;
      ASSERT_EQ(x < y, to_key_bits(half) < to_key_bits(other)) << x << " " << y;
      ASSERT_EQ(x == y, to_key_bits(half) == to_key_bits(other)) << x << " " << y;
    }
  }
}

TEST(key_bits, all_halves) {
  check_all_halves<__half>();
  check_all_halves<__nv_bfloat16>();
}

// Every half in [lower, upper): the bin of CUB's rule with its three roundings, and never beyond.
// Up to a range that is the largest half, as CUB's own test has it, and the last one below
// infinity.
TEST(even_bins, all_halves) {
  const float ranges[][2] = {{-1.5f, 10.0f}, {0.0f, 65504.0f}, {-8.0f, 65504.0f}};
  for (const auto& range : ranges) {
    const __half lower{range[0]}, upper{range[1]};
    for (int num_bins : {1, 7, 100, 127, 2048}) {
      const even_bins<__half, __half> bins{num_bins, lower, upper};
      const __half scale{float(num_bins) / (float(upper) - float(lower))};
      for (unsigned a = 0; a < 0x10000; ++a) {
        const __half s = bits_as<__half>(std::uint16_t(a));
        const float x = float(s);
        const __half product{float(__half{x - float(lower)}) * float(scale)};
        const bool counted = x >= range[0] && x < range[1];
        ASSERT_EQ(bins(s), counted ? std::min(int(float(product)), num_bins - 1) : no_bin) << x;
      }
    }
  }
}
#endif

struct derived_less : thrust::less<int> {};

TEST(radix_sortable, is_stocks_rule_and_stds_comparators) {
  static_assert(is_radix_sortable<int, thrust::less<int>>);
  static_assert(is_radix_sortable<int, const thrust::less<>&>);
  static_assert(is_radix_sortable<double, thrust::greater<double>>);
  static_assert(is_radix_sortable<bool, thrust::less<bool>>);
  static_assert(is_radix_sortable<uint128_t, thrust::greater<>>);
  static_assert(!is_radix_sortable<int, thrust::less<long>>);
  static_assert(is_radix_sortable<int, std::less<int>>);
  static_assert(is_radix_sortable<int, std::greater<>>);
  static_assert(!is_radix_sortable<int, std::less<long>>);
  static_assert(!is_radix_sortable<int, derived_less>);
  static_assert(!is_radix_sortable<long double, thrust::less<long double>>);
  static_assert(!is_radix_sortable<wchar_t, thrust::less<wchar_t>>);
  static_assert(!is_radix_sortable<char16_t, thrust::less<>>);
  static_assert(!is_radix_sortable<int*, thrust::less<>>);
  static_assert(is_descending<int, thrust::greater<>> && !is_descending<int, thrust::less<>>);
}

// ---- histogram bins ----

template <class Sample, class Level>
int even_reference(Sample sample, int num_bins, Level lower, Level upper) {
  const int128_t s = sample, lo = lower, hi = upper;
  return s < lo || s >= hi ? no_bin : int((s - lo) * num_bins / (hi - lo));
}

template <class Sample, class Level>
void check_even(int num_bins, Level lower, Level upper, const std::vector<Sample>& samples) {
  ASSERT_EQ(refuse_even_bins(num_bins, lower, upper), nullptr);
  const even_bins<Sample, Level> bins{num_bins, lower, upper};
  for (Sample s : samples)
    ASSERT_EQ(bins(s), even_reference(s, num_bins, lower, upper))
        << "sample " << +s << ", " << num_bins << " bins over [" << +lower << ", " << +upper << ")";
}

template <class Sample, class Level>
void check_even_over_levels(const std::vector<Sample>& samples) {
  using limits = std::numeric_limits<Level>;
  const Level low = limits::min(), high = limits::max(), middle = Level(low / 2 + high / 2);
  for (int num_bins : {1, 2, 3, 7, 100, 255, 256, 257, 1000, 65535, 65536, 70000, 2147483647})
    for (auto [lower, upper] : {std::pair<Level, Level>{low, high},
                                {Level(low + 1), high},
                                {low, middle},
                                {Level(middle - 9), Level(middle + 3)},
                                {Level(0), Level(100)},
                                {high / 3, high}})
      check_even<Sample, Level>(num_bins, lower, upper, samples);
}

template <class Sample>
std::vector<Sample> every_sample() {
  std::vector<Sample> all;
  for (int i = int(std::numeric_limits<Sample>::min());
       i <= int(std::numeric_limits<Sample>::max()); ++i)
    all.push_back(Sample(i));
  return all;
}

template <class Sample>
std::vector<Sample> random_samples() {
  std::mt19937_64 random{42};
  using limits = std::numeric_limits<Sample>;
  std::vector<Sample> samples{limits::min(), limits::max(), Sample(0), Sample(1), Sample(-1)};
  for (int i = 0; i < 20000; ++i) samples.push_back(Sample(random() >> random() % 64));
  for (Sample base : {limits::min(), limits::max(), Sample(limits::max() / 3)})
    for (int i = 0; i < 50; ++i) samples.push_back(Sample(unsigned_bits_t<Sample>(base) + i - 25));
  return samples;
}

/// Enumerations of an unsigned type beside levels below zero.
TEST(range_bins, compare_enumerations_by_their_numbers) {
  enum color : unsigned { red, green };
  enum class flag : std::uint64_t { off, on };
  enum class step : int { back = -1, none };
  using hindsight::detail::less_in_value;
  EXPECT_FALSE(less_in_value(red, -1));
  EXPECT_TRUE(less_in_value(-1, red));
  EXPECT_TRUE(less_in_value(red, 1));
  EXPECT_FALSE(less_in_value(flag::on, -1));
  EXPECT_TRUE(less_in_value(step::back, 0u));
  EXPECT_FALSE(less_in_value(step::none, step::back));
}

TEST(even_bins, all_8_and_16_bit_samples) {
  check_even_over_levels<std::int8_t, std::int8_t>(every_sample<std::int8_t>());
  check_even_over_levels<std::uint8_t, std::uint8_t>(every_sample<std::uint8_t>());
  check_even_over_levels<std::int16_t, std::int16_t>(every_sample<std::int16_t>());
  check_even_over_levels<std::uint16_t, std::uint16_t>(every_sample<std::uint16_t>());
  check_even_over_levels<std::int8_t, std::int32_t>(every_sample<std::int8_t>());
}

TEST(even_bins, wide_integers) {
  check_even_over_levels<std::int32_t, std::int32_t>(random_samples<std::int32_t>());
  check_even_over_levels<std::uint32_t, std::uint32_t>(random_samples<std::uint32_t>());
  check_even_over_levels<std::int64_t, std::int64_t>(random_samples<std::int64_t>());
  check_even_over_levels<std::uint64_t, std::uint64_t>(random_samples<std::uint64_t>());
}

TEST(even_bins, integers_of_different_signs) {
  check_even_over_levels<std::uint32_t, std::int32_t>(random_samples<std::uint32_t>());
  check_even_over_levels<std::int32_t, std::uint32_t>(random_samples<std::int32_t>());
  check_even_over_levels<std::uint64_t, std::int64_t>(random_samples<std::uint64_t>());
  check_even_over_levels<std::int64_t, std::uint64_t>(random_samples<std::int64_t>());
  check_even_over_levels<std::int8_t, std::uint64_t>(every_sample<std::int8_t>());
}

template <class Float>
void check_cubs_float_rule() {
  std::mt19937_64 random{7};
  std::uniform_real_distribution<Float> uniform{Float(-3), Float(5)};
  const Float lower = Float(-1.7), upper = Float(3.3);
  for (int num_bins : {1, 3, 10, 256, 2048}) {
    const even_bins<Float, Float> bins{num_bins, lower, upper};
    const Float scale = Float(num_bins) / (upper - lower);
    for (int i = 0; i < 20000; ++i) {
      const Float s = uniform(random);
      const int cub = int((s - lower) * scale);
      const int expected = s >= lower && s < upper ? std::min(cub, num_bins - 1) : no_bin;
      ASSERT_EQ(bins(s), expected) << s;
    }
  }
}

TEST(even_bins, floats_by_cubs_rule) {
  check_cubs_float_rule<float>();
  check_cubs_float_rule<double>();
}

template <class Float>
void check_float_extremes() {
  using limits = std::numeric_limits<Float>;
  const even_bins<Float, Float> whole{4, -limits::max(), limits::max()};
  EXPECT_EQ(whole(-limits::max()), 0);
  EXPECT_EQ(whole(limits::max() / 4), 2);
  EXPECT_EQ(whole(std::nextafter(limits::max(), Float(0))), 3);
  EXPECT_EQ(whole(limits::max()), no_bin);
  EXPECT_EQ(whole(limits::infinity()), no_bin);
  EXPECT_EQ(whole(-limits::infinity()), no_bin);
  EXPECT_EQ(whole(limits::quiet_NaN()), no_bin);

  const Float tiny = limits::denorm_min();
  const even_bins<Float, Float> small{2147483647, 0, 4 * tiny};
  EXPECT_EQ(small(0), 0);
  EXPECT_NEAR(double(small(2 * tiny)), 1073741824.0, 128.0);
  const even_bins<Float, Float> few{4, 0, 4 * tiny};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(few(Float(i) * tiny), i);
}

TEST(even_bins, float_extremes) {
  check_float_extremes<float>();
  check_float_extremes<double>();
}

TEST(range_bins, is_upper_bound) {
  const std::vector<int> levels{-5, -5, 0, 3, 3, 3, 10};
  const range_bins<const int*> bins{int(levels.size()) - 1, levels.data()};
  for (int s = -9; s < 15; ++s) {
    const int upper = int(std::upper_bound(levels.begin(), levels.end(), s) - levels.begin());
    EXPECT_EQ(bins(s), s < -5 || s >= 10 ? no_bin : upper - 1) << s;
  }
  EXPECT_EQ(bins(200u), no_bin);
  EXPECT_EQ(bins(0xffffffffu), no_bin);  // not -1
  EXPECT_EQ(bins(-0.5), 1);              // not rounded to the level type
  EXPECT_EQ(bins(std::numeric_limits<double>::quiet_NaN()), no_bin);
}

TEST(refusals, name_what_is_wrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_NE(refuse_even_bins(0, 0, 1), nullptr);
  EXPECT_NE(refuse_even_bins(-1, 0, 1), nullptr);
  EXPECT_NE(refuse_even_bins(1, 1, 1), nullptr);
  EXPECT_NE(refuse_even_bins(1, 2, 1), nullptr);
  EXPECT_NE(refuse_even_bins(1, nan, 1.0), nullptr);
  EXPECT_NE(refuse_even_bins(1, 0.0, nan), nullptr);
  EXPECT_NE(refuse_even_bins(1, 0.0, inf), nullptr);
  EXPECT_NE(refuse_even_bins(1, -inf, 0.0), nullptr);
  EXPECT_EQ(refuse_even_bins(1, -1.0, 1.0), nullptr);

  const double good[] = {-inf, 0, 0, inf}, down[] = {0, 2, 1}, bad[] = {0, nan, 1};
  EXPECT_EQ(refuse_range_bins(3, good), nullptr);
  EXPECT_NE(refuse_range_bins(0, good), nullptr);
  EXPECT_NE(refuse_range_bins(2, down), nullptr);
  EXPECT_NE(refuse_range_bins(2, bad), nullptr);
}

}  // namespace
