// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Radix sort: the histogram of digits, its passes, and the sort of one tile.
#include <hindsight/detail/cuda/radix_sort.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"
#include "emulation/tiny_sort.h"
#include <array>
#include <cmath>
#include <limits>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Value, tiles Size>
struct sort_tuning<std::uint16_t, Value, Size> : tiny_sort_tuning<Value, 0> {};
/// One launch, of small tiles up to 1,280 keys, else of medium ones.
template <class Value, tiles Size>
using one_launch_tuning =
    tiny_sort_tuning<Value, Size == tiles::small ? 5 : 100, Size == tiles::small ? 1 : 2>;
template <class Value, tiles Size>
struct sort_tuning<std::int16_t, Value, Size> : one_launch_tuning<Value, Size> {
  static constexpr int few_digits = 1, few_digits_of_few_keys = 1;  // no segments: they take long
};
template <class Value, tiles Size>
struct sort_tuning<float, Value, Size> : one_launch_tuning<Value, Size> {};
template <class Value, tiles Size>
struct sort_tuning<std::uint32_t, Value, Size> : one_launch_tuning<Value, Size> {};
/// Another type of 4 bytes, split into segments.
using narrow_key = wchar_t;
template <class Value, tiles Size>
struct sort_tuning<narrow_key, Value, Size> : tiny_sort_tuning<Value, 0> {};
template <class Value, tiles Size>
struct sort_tuning<std::uint64_t, Value, Size> : tiny_sort_tuning<Value, 0> {};
template <class Value, tiles Size>
struct sort_tuning<std::int64_t, Value, Size> : tiny_sort_tuning<Value, 0> {};
template <class Value, tiles Size>
struct sort_tuning<double, Value, Size> : tiny_sort_tuning<Value, 0> {};
/// A pass takes portions of two tiles. Places beyond 1,500 count as wide ones.
template <class Value, tiles Size>
struct sort_tuning<std::int32_t, Value, Size> : tiny_sort_tuning<Value, 0> {
  static constexpr unsigned portion_tiles = 2;
  static constexpr std::size_t most_narrow_places = 1500, least_split = std::size_t(-1);
};

/// Another type of 8 bytes. A pass of 70,000 keys takes three portions.
using key_of_wide_portions = unsigned long long;
static_assert(!std::is_same_v<key_of_wide_portions, std::uint64_t>);
template <class Value, tiles Size>
struct sort_tuning<key_of_wide_portions, Value, Size> : tiny_sort_tuning<Value, 0> {
  static constexpr unsigned portion_tiles = 50;
};

template <class Value, bool Few>
struct segment_tuning<std::uint32_t, Value, Few> : tiny_segment_tuning {};
template <class Value, bool Few>
struct segment_tuning<narrow_key, Value, Few> : tiny_segment_tuning {};
template <class Value, bool Few>
struct segment_tuning<float, Value, Few> : tiny_segment_tuning {};
template <class Value, bool Few>
struct segment_tuning<std::uint64_t, Value, Few> : tiny_segment_tuning {};
template <class Value, bool Few>
struct segment_tuning<std::int64_t, Value, Few> : tiny_segment_tuning {};
template <class Value, bool Few>
struct segment_tuning<double, Value, Few> : tiny_segment_tuning {};
template <class Value, bool Few>
struct segment_tuning<key_of_wide_portions, Value, Few> : tiny_segment_tuning {};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;
using key = std::uint16_t;
using key_of_few = std::int16_t;            // sorted in one launch
using key_of_few_segments = std::uint32_t;  // so, too, by the highest digit and in segments
using key_of_portions = std::int32_t;       // a pass has several launches
struct wide {                               // not staged, but fetched in the order of the output
  std::uint32_t words[5];
};

enum class output { elsewhere, in_place };

/// Keys that differ in the bits of `varying` only.
template <class Key>
std::vector<Key> keys_that_vary(std::size_t n, Key varying) {
  std::vector<Key> keys = random_items<Key>(n);
  for (Key& each : keys) each = Key(each & varying);
  return keys;
}

template <class Value, class Key = key>
class sort_of {
 public:
  explicit sort_of(std::size_t n, Key varying = Key(~0u), output to = output::elsewhere,
                   int begin_bit = 0)
      : keys_{keys_that_vary(n, varying)},
        keys_in_{keys_},
        keys_out_{n},
        values_(n),
        values_in_{n},
        values_out_{n},
        to_{to},
        call_{[=](void* temp, std::size_t& bytes) {
          constexpr bool has_values = !std::is_same_v<Value, no_value>;
          const bool in_place = to == output::in_place;
          const auto& keys_in = in_place ? keys_out_ : keys_in_;
          const auto& values_in = in_place ? values_out_ : values_in_;
          return radix_sort<ascending, Key, Value>(temp, bytes, keys_in.data(), keys_out_.data(),
                                                   has_values ? values_in.data() : nullptr,
                                                   has_values ? values_out_.data() : nullptr, n,
                                                   begin_bit, int(sizeof(Key)) * 8, nullptr);
        }} {
    std::vector<std::size_t> places(n);
    for (std::size_t i = 0; i < n; ++i) {
      places[i] = i;
      std::memcpy(static_cast<void*>(&values_[i]), &i, std::min(sizeof(Value), sizeof i));
    }
    values_in_.assign(values_);
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return keys_[a] >> begin_bit < keys_[b] >> begin_bit;
    });
    for (const std::size_t p : places) {
      expected_keys_.push_back(keys_[p]);
      expected_values_.push_back(values_[p]);
    }
  }
  experiment make() {
    return {[this] { to_ == output::elsewhere ? keys_out_.poison() : reset(); }, call_,
            [this] {
              std::string wrong = difference(keys_out_.to_host(), expected_keys_);
              if constexpr (!std::is_same_v<Value, no_value>)
                wrong += difference(values_out_.to_host(), expected_values_);
              return wrong;
            }};
  }

 private:
  void reset() {
    keys_out_.assign(keys_);
    values_out_.assign(values_);
  }

  std::vector<Key> keys_, expected_keys_;
  device_array<Key> keys_in_, keys_out_;
  std::vector<Value> values_, expected_values_;
  device_array<Value> values_in_, values_out_;
  output to_;
  two_phases call_;
};

template <class Value>
class sort : public testing::Test {};
using value_types = testing::Types<no_value, std::uint32_t, wide>;
TYPED_TEST_SUITE(sort, value_types);

TYPED_TEST(sort, of_many_tiles) {
  EXPECT_EQ(try_on_machines(40, sort_of<TypeParam>{3000}.make()), "");
}
TYPED_TEST(sort, of_few_tiles) {
  for (const std::size_t n : {513, 1024, 3000})
    EXPECT_EQ(try_on_machines(40, sort_of<TypeParam, key_of_few>{n}.make()), "") << n;
  for (const std::uint32_t varying : {~0u, 0x01ffffffu, 0xff0000ffu}) {
    for (const output to : {output::elsewhere, output::in_place}) {
      sort_of<TypeParam, key_of_few_segments> some{1500, varying, to}, fewer{1200, varying, to};
      EXPECT_EQ(try_on_machines(1, some.make()), "") << varying;
      EXPECT_EQ(try_on_machines(1, fewer.make()), "") << varying << ", small tiles";
    }
  }
}
TYPED_TEST(sort, by_an_odd_number_of_digits_in_place) {
  for (const std::uint32_t varying : {~0u, 0xff00ffffu}) {
    sort_of<TypeParam, key_of_few_segments> few{1500, varying, output::in_place, 8};
    EXPECT_EQ(try_on_machines(1, few.make()), "") << varying << ", one launch";
  }
  sort_of<TypeParam, key_of_portions> many{2500, ~0, output::in_place, 8};
  EXPECT_EQ(try_on_machines(1, many.make()), "");
}
TYPED_TEST(sort, of_several_portions) {
  for (const std::size_t n : {1024, 1025, 1500, 2049, 3000})
    EXPECT_EQ(try_on_machines(5, sort_of<TypeParam, key_of_portions>{n}.make()), "") << n;
  for (const output to : {output::elsewhere, output::in_place}) {
    for (const int varying : {0, 0xff, 0xff00ff, 0x7fffff00, -1}) {
      sort_of<TypeParam, key_of_portions> some{2500, varying, to};
      EXPECT_EQ(try_on_machines(2, some.make()), "") << varying;
    }
  }
}
TYPED_TEST(sort, of_one_tile) {
  for (const std::size_t n : {200, 500})
    EXPECT_EQ(try_on_machines(20, sort_of<TypeParam>{n}.make()), "") << n;
}
TYPED_TEST(sort, passes_over_digits_that_do_not_vary) {
  for (const output to : {output::elsewhere, output::in_place}) {
    for (const int varying : {0, 0xff, 0xff00, 0xffff}) {
      EXPECT_EQ(try_on_machines(4, sort_of<TypeParam>{1500, key(varying), to}.make()), "")
          << varying;
      sort_of<TypeParam, key_of_few> few{1500, key_of_few(varying), to};
      EXPECT_EQ(try_on_machines(10, few.make()), "") << varying << ", few tiles";
    }
  }
}
TYPED_TEST(sort, needs_every_ordering) {
  expect_all_needed(10, sort_of<TypeParam>{1500}.make());
  // Where too many keys have the same highest digit, there are no segments, but a phase for each
  // digit; and one that copies, where they are odd in number.
  using some = sort_of<TypeParam, key_of_few_segments>;
  some segments{1500, 0xf0ffffffu}, digits{1500, 0x01ffffffu};  // most segments are empty
  some and_copy{1500, 0x01ffff00u, output::in_place};
  // A lane of a segment has one row, after which nothing comes. Large values have no segments.
  const names needless = {"digit_rank.cuh __syncwarp()"};
  expect_all_needed(10, all_of({segments.make(), digits.make(), and_copy.make()}),
                    sizeof(TypeParam) <= 8 ? needless : names{});
  if (sizeof(TypeParam) <= 16) {  // else values are not staged, and there is no sort of one tile
    expect_all_needed(10, sort_of<TypeParam>{500}.make());
  }
}

/// A row of -0.0 in each tile, then rows of `other`: keys that passes move as their key bits.
template <class Direction>
experiment sort_of_zeros(std::size_t n, float other) {
  std::vector<float> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = i / 256 % 2 == 0 ? -0.0f : other;
  std::vector<float> expected = keys;
  std::stable_sort(expected.begin(), expected.end(), radix_order<Direction>{});
  const auto items = std::make_shared<device_array<float>>(keys);
  const two_phases sort{[=](void* temp, std::size_t& bytes) {
    const no_value* const none = nullptr;
    return radix_sort<Direction>(temp, bytes, static_cast<const float*>(items->data()),
                                 items->data(), none, static_cast<no_value*>(nullptr), n, 0, 32,
                                 nullptr);
  }};
  return {[=] { items->assign(keys); }, sort,
          [=] { return difference(items->to_host(), expected); }};
}
TEST(floats, zeros_share_their_digits) {
  for (const float other : {-1e-45f, -1.0f, 3.0f}) {
    EXPECT_EQ(try_on_machines(3, sort_of_zeros<ascending>(1500, other)), "") << other;
    EXPECT_EQ(try_on_machines(3, sort_of_zeros<descending>(1500, other)), "") << other;
  }
}

/// What the highest digits of keys are like.
enum class highest {
  even,
  of_few_values,
  of_one_value,
  alike,
  one_segment_of_two_parts,
  one_segment_too_large
};

/// Keys of 8 or 4 bytes by bits [0, end_bit): segments if the highest digits are even. `lower`:
/// which bits below vary, of keys of 8 bytes; those of 4 bytes are their upper halves.
template <class Key, class Direction, class Value>
class split_sort {
 public:
  split_sort(std::size_t n, highest top, std::uint64_t lower, output to, int end_bit)
      : keys_(n),
        values_(n),
        in_{n},
        out_{n},
        values_in_{n},
        values_out_{n},
        to_{to},
        call_{[=](void* temp, std::size_t& bytes) {
          const bool in_place = to == output::in_place;
          return radix_sort<Direction, Key, Value>(temp, bytes, (in_place ? out_ : in_).data(),
                                                   out_.data(),
                                                   (in_place ? values_out_ : values_in_).data(),
                                                   values_out_.data(), n, 0, end_bit, nullptr);
        }} {
    const auto random = random_items<std::uint32_t>(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t key = (std::uint64_t{random[3 * i]} << 32 | random[3 * i + 1]) & lower;
      std::uint64_t digits = random[3 * i + 2] & 0xffff;
      key &= ~std::uint64_t{0} >> 16;
      if (top == highest::even) key |= digits << 48;
      if (top == highest::of_few_values) key |= (digits & 7) << 56;
      if (top == highest::alike) key |= (digits & 0xff) * 0x101 << 48;
      if (top == highest::one_segment_of_two_parts)
        key |= (digits >> 8 == 5 ? digits & 0xff7f : digits) << 48;
      if (top == highest::one_segment_too_large) {
        if (digits >> 8 == 5) digits = (digits & 0xff) * 0x101;
        if (i % 132 == 0) digits = (digits & 0x7f) | 0x500;
        key |= digits << 48;
        if (end_bit < 64) key = key >> (64 - end_bit) | std::uint64_t{random[3 * i]} << end_bit;
      }
      if (sizeof(Key) == 4) key >>= 32;
      std::memcpy(&keys_[i], &key, sizeof(Key));
    }
    std::vector<std::size_t> places(n);
    for (std::size_t i = 0; i < n; ++i) {
      places[i] = i;
      if constexpr (has_values) values_[i] = Value(i);
    }
    in_.assign(keys_);
    values_in_.assign(values_);
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      const std::uint64_t counted = ~std::uint64_t{0} >> (64 - end_bit);
      return (Direction::bits(keys_[a]) & counted) < (Direction::bits(keys_[b]) & counted);
    });
    for (const std::size_t p : places) {
      expected_.push_back(keys_[p]);
      expected_values_.push_back(values_[p]);
    }
  }
  experiment make() {
    return {[this] { to_ == output::elsewhere ? out_.poison() : reset(); }, call_,
            [this] {
              std::string wrong = difference(bits(out_.to_host()), bits(expected_));
              if constexpr (has_values)
                wrong += difference(values_out_.to_host(), expected_values_);
              return wrong;
            }};
  }

 private:
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  void reset() {
    out_.assign(keys_);
    values_out_.assign(values_);
  }
  static auto bits(const std::vector<Key>& keys) {
    std::vector<unsigned_bits_t<Key>> result(keys.size());
    std::memcpy(result.data(), keys.data(), keys.size() * sizeof(Key));
    return result;
  }
  std::vector<Key> keys_, expected_;
  std::vector<Value> values_, expected_values_;
  device_array<Key> in_, out_;
  device_array<Value> values_in_, values_out_;
  output to_;
  two_phases call_;
};

constexpr std::uint64_t all_bits = ~std::uint64_t{0}, lowest_16 = 0xffff, two_ways = 1ull << 47,
                        few_tie = 0xfffc0000000full;

template <class Key, class Direction, class Value = no_value>
void expect_sorted(int machines, std::size_t n, highest top, std::uint64_t lower,
                   int end_bit = int(sizeof(Key)) * 8) {
  for (const output to : {output::elsewhere, output::in_place}) {
    EXPECT_EQ(try_on_machines(machines,
                              split_sort<Key, Direction, Value>{n, top, lower, to, end_bit}.make()),
              "")
        << n << " keys, highest digits " << int(top) << ", bits " << lower << " below " << end_bit;
  }
}
TEST(segments, of_one_digit) {
  for (const std::uint64_t lower : {all_bits, few_tie, lowest_16, two_ways}) {
    expect_sorted<std::uint64_t, ascending>(3, 1500, highest::of_few_values, lower);
    expect_sorted<double, descending>(3, 1500, highest::of_few_values, lower);
    expect_sorted<double, ascending, std::uint16_t>(3, 1500, highest::of_few_values, lower);
  }
  expect_sorted<std::uint64_t, descending>(3, 1500, highest::of_one_value, all_bits);
}
TEST(segments, of_two_digits) {
  expect_sorted<std::uint64_t, ascending>(1, 70000, highest::even, all_bits);
}
TEST(segments, of_keys_whose_highest_bits_do_not_count) {
  expect_sorted<std::uint64_t, descending>(1, 1500, highest::even, two_ways, 56);
  expect_sorted<double, ascending, std::uint16_t>(1, 1500, highest::even, few_tie, 56);
  expect_sorted<std::uint64_t, ascending>(1, 70000, highest::even, all_bits, 56);
}
TEST(segments, of_digits_that_depend_on_each_other) {  // a sample tells, or one that does not fit
  expect_sorted<std::uint64_t, ascending>(1, 70000, highest::alike, all_bits);
  expect_sorted<std::uint64_t, ascending>(1, 70000, highest::one_segment_too_large, all_bits);
}
/// Five to seven digits of which two split the keys: the passes over all of them are in place.
TEST(segments, of_which_one_does_not_fit_and_an_odd_number_of_digits) {
  for (const int end_bit : {40, 56})
    expect_sorted<std::uint64_t, ascending>(1, 70000, highest::one_segment_too_large, all_bits,
                                            end_bit);
}
TEST(segments, of_passes_in_portions) {
  for (const highest top : {highest::even, highest::one_segment_too_large})
    expect_sorted<key_of_wide_portions, ascending>(1, 70000, top, all_bits);
}
TEST(segments, of_which_one_does_not_fit) {
  expect_sorted<std::uint64_t, descending>(1, 70000, highest::one_segment_of_two_parts, all_bits);
  expect_sorted<double, ascending>(1, 70000, highest::one_segment_of_two_parts, two_ways);
}

TEST(segments, of_narrow_keys) {
  expect_sorted<float, descending, std::uint16_t>(1, 70000, highest::even, all_bits);
  for (const highest top : {highest::even, highest::alike, highest::one_segment_too_large,
                            highest::one_segment_of_two_parts})
    expect_sorted<narrow_key, ascending>(1, 70000, top, all_bits);
  expect_sorted<std::uint32_t, ascending>(1, 1500, highest::of_few_values, all_bits, 24);
  expect_sorted<narrow_key, descending>(1, 70000, highest::even, all_bits, 30);
}
TEST(segments, of_narrow_keys_fit_and_have_many_bits) {
  using tuning = segment_tuning<char32_t, no_value>;
  for (std::size_t n = 1 << 16; n < std::size_t{1} << 29; n += n / 3) {
    const auto split = segment_split::of<char32_t, tuning>(n);
    EXPECT_EQ(split.num_passes <= 2, n <= segment_split::most_keys<tuning>(2)) << n;
    EXPECT_LE(n >> split.bits, std::size_t(tuning::tile_items)) << n;
    EXPECT_LE(split.bits, split.num_passes * tuning::digit_bits) << n;
    const std::size_t mean = n >> split.num_passes * tuning::digit_bits;
    if (mean >= tuning::least_mean) {
      EXPECT_EQ(split.bits, split.num_passes * tuning::digit_bits);
    }
  }
}

void are_skewed_kernel(const double* keys, std::size_t n, skew_test test, bool* result) {
  struct storage {
    unsigned bits[2048], collisions;
  };
  HINDSIGHT_SHARED(shared, storage);
  const bool skewed = are_skewed<ascending>(keys, n, 64, test, shared.bits, shared.collisions);
  if (threadIdx.x == 0) *result = skewed;
}
/// What the test for n keys says of so many, of which each digit is as frequent as any other.
bool are_found_skewed(highest top, std::size_t n) {
  const auto random = random_items<std::uint32_t>(n);
  std::vector<double> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned digit = random[i] >> 8 & 0xff;
    const std::uint64_t bits = top == highest::alike ? digit * 0x101 : random[i] & 0xffff;
    keys[i] = from_key_bits<double>(bits << 48 | i);
  }
  const device_array<double> items{keys};
  const device_array<bool> result{1};
  const segment_split split{n, 256, 8};
  const auto run = [&] {
    HINDSIGHT_LAUNCH(1, 256, 0, nullptr, are_skewed_kernel)
    (items.data(), n, split.test, result.data());
  };
  EXPECT_EQ(try_on_machines(3, {[] {}, run, [] { return std::string{}; }}), "");
  return *result.data();
}
TEST(segments, a_sample_tells_whether_keys_are_skewed) {
  for (const std::size_t n : {300000, 500000}) {
    EXPECT_FALSE(are_found_skewed(highest::even, n)) << n;
    EXPECT_TRUE(are_found_skewed(highest::alike, n)) << n;
  }
}
/// Numbers that are spread evenly over [least, least + range), with zeros of both signs if they lie
/// there, and what sorts in a way of its own.
std::vector<double> even_numbers(std::size_t n, double least, double range, bool with_odd_ones) {
  const auto random = random_items<std::uint32_t>(2 * n);
  std::vector<double> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = least + range * (random[2 * i] + random[2 * i + 1] * 0x1p-32) * 0x1p-32;
  for (std::size_t i = 0; least <= 0 && i < n; i += 1000) keys[i] = i % 2000 == 0 ? -0.0 : 0.0;
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double odd_ones[] = {inf, -inf, nan, -nan, 5e-324, -5e-324, 1e300, -1e300};
  for (std::size_t i = 0; with_odd_ones && i < 8; ++i) keys[i * (n / 8) + 3] = odd_ones[i];
  return keys;
}
template <class Direction, class Value = std::uint32_t, class Key>
experiment sort_of_numbers(const std::vector<Key>& keys, output to) {
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  const std::size_t n = keys.size();
  std::vector<std::uint32_t> places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = std::uint32_t(i);
  auto expected = places;
  std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
    return Direction::bits(keys[a]) < Direction::bits(keys[b]);
  });
  const auto in = std::make_shared<device_array<Key>>(keys);
  const auto out = std::make_shared<device_array<Key>>(keys);
  const auto values = std::make_shared<device_array<std::uint32_t>>(places);
  const two_phases sort{[=](void* temp, std::size_t& bytes) {
    const auto from = to == output::in_place ? out : in;
    Value* own_values = nullptr;
    if constexpr (has_values) own_values = values->data();
    return radix_sort<Direction, Key, Value>(temp, bytes, from->data(), out->data(), own_values,
                                             own_values, n, 0, 64, nullptr);
  }};
  return {[=] { out->assign(keys), values->assign(places); }, sort,
          [=] {
            std::string wrong = has_values ? difference(values->to_host(), expected) : "";
            const auto sorted = out->to_host();
            for (std::size_t i = 0; i < n && wrong.empty(); ++i)
              if (std::memcmp(&sorted[i], &keys[expected[i]], sizeof(Key)) != 0)
                wrong = "key " + std::to_string(i);
            return wrong;
          }};
}
TEST(values, split_numbers_that_share_exponents) {
  const auto positive = even_numbers(70000, 0, 1, false), both = even_numbers(70000, -3, 7, false);
  EXPECT_EQ(try_on_machines(1, sort_of_numbers<ascending>(positive, output::elsewhere)), "");
  EXPECT_EQ(try_on_machines(1, sort_of_numbers<descending>(both, output::in_place)), "");
  const auto and_odd_ones = even_numbers(70000, -3, 7, true);
  EXPECT_EQ(try_on_machines(1, sort_of_numbers<ascending>(and_odd_ones, output::elsewhere)), "");
}
/// Keys in order, some of them zeros of both signs, NaNs and infinities.
template <class Direction>
std::vector<double> keys_in_order(std::size_t n) {
  auto keys = even_numbers(n, -3, 7, true);
  std::stable_sort(keys.begin(), keys.end(), radix_order<Direction>{});
  return keys;
}
/// The other way round, without ties: one zero is left.
template <class Direction>
std::vector<double> keys_in_reverse_order(std::size_t n) {
  auto keys = keys_in_order<Direction>(n);
  const auto is_tie = [](double a, double b) { return Direction::bits(a) == Direction::bits(b); };
  keys.erase(std::unique(keys.begin(), keys.end(), is_tie), keys.end());
  std::reverse(keys.begin(), keys.end());
  return keys;
}
/// Two neighbours change places.
std::vector<double> but_for(std::size_t pair, std::vector<double> keys) {
  std::swap(keys[pair], keys[pair + 1]);
  return keys;
}
/// Two neighbours are equal.
std::vector<double> but_for_tie(std::size_t pair, std::vector<double> keys) {
  keys[pair] = keys[pair + 1];
  return keys;
}
template <class Direction>
std::vector<std::vector<double>> keys_nearly_in_order(std::size_t n) {
  const auto sorted = keys_in_order<Direction>(n), reversed = keys_in_reverse_order<Direction>(n);
  const std::size_t last = reversed.size() - 2;
  return {but_for(0, sorted),
          but_for(n / 3, sorted),
          but_for(n - 2, sorted),
          but_for(0, reversed),
          but_for_tie(last, reversed),
          but_for_tie(last / 2, reversed),
          {sorted.rbegin(), sorted.rend()}};  // zeros of both signs are equal
}
template <class Direction, class Value>
void expect_orders_sorted() {
  for (const output to : {output::elsewhere, output::in_place}) {
    const auto expect_sorted = [&](const std::vector<double>& keys) {
      return try_on_machines(2, sort_of_numbers<Direction, Value>(keys, to));
    };
    EXPECT_EQ(expect_sorted(keys_in_order<Direction>(5000)), "");
    EXPECT_EQ(expect_sorted(keys_in_reverse_order<Direction>(5000)), "");
    EXPECT_EQ(expect_sorted(keys_in_reverse_order<Direction>(5001)), "");
    for (const auto& keys : keys_nearly_in_order<Direction>(5000))
      EXPECT_EQ(expect_sorted(keys), "");
  }
}
TEST(orders, of_keys_with_and_without_values) {
  expect_orders_sorted<ascending, std::uint32_t>();
  expect_orders_sorted<descending, std::uint32_t>();
  expect_orders_sorted<descending, no_value>();
}

/// What becomes of a plan whose keys are compared by bits [begin_bit, end_bit).
template <class Direction, class Key>
sort_plan plan_for_order(const std::vector<Key>& keys, int begin_bit = 0, int end_bit = 64) {
  const device_array<Key> items{keys};
  device_array<sort_plan> plan{1};
  device_array<launch_state> state{1};
  const auto reset = [&] {
    sort_plan segmented{};
    segmented.varying = 0xff;
    segmented.segmented = 1;
    plan.assign({segmented});
    state.assign(std::vector<launch_state>(1));
  };
  const auto run = [&] {
    HINDSIGHT_LAUNCH(2, order_tuning::block_threads, 0, nullptr,
                     find_order_kernel<order_tuning, Direction>)
    (items.data(), keys.size(), digit_passes{begin_bit, end_bit, 8}, plan.data(), state.data());
  };
  EXPECT_EQ(try_on_machines(3, {reset, run, [] { return std::string{}; }}), "");
  return *plan.data();
}
TEST(orders, leave_nothing_to_sort) {
  const auto sorted = plan_for_order<descending>(keys_in_order<descending>(9000));
  EXPECT_EQ(sorted.varying, 0u);
  EXPECT_EQ(sorted.segmented, 0u);
  EXPECT_EQ(sorted.reversed, 0u);
  const auto reversed = plan_for_order<ascending>(keys_in_reverse_order<ascending>(9000));
  EXPECT_EQ(reversed.varying, 0u);
  EXPECT_EQ(reversed.segmented, 0u);
  EXPECT_EQ(reversed.reversed, 1u);
  for (const auto& keys : keys_nearly_in_order<ascending>(9000)) {
    const auto neither = plan_for_order<ascending>(keys);
    EXPECT_EQ(neither.varying, 0xffu);
    EXPECT_EQ(neither.segmented, 1u);
    EXPECT_EQ(neither.reversed, 0u);
  }
}
TEST(orders, are_those_of_the_bits_that_count) {
  std::vector<std::uint64_t> keys(9000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i % 7 << 60 | i << 8 | (255 - i % 200);
  EXPECT_EQ(plan_for_order<ascending>(keys, 8, 60).varying, 0u);
  EXPECT_EQ(plan_for_order<descending>(keys, 8, 60).reversed, 1u);
  EXPECT_EQ(plan_for_order<ascending>(keys, 8, 64).varying, 0xffu);
  EXPECT_EQ(plan_for_order<ascending>(keys, 0, 60).varying, 0u);
  EXPECT_EQ(plan_for_order<ascending>(keys, 0, 8).varying, 0xffu);
}

/// What a sample says of keys.
template <class Direction, class Key>
sort_plan plan_of(const std::vector<Key>& keys) {
  const device_array<Key> items{keys};
  const device_array<sort_plan> plan{std::vector<sort_plan>(1)};
  const segment_split split{keys.size(), 256, 8};
  const auto run = [&] {
    HINDSIGHT_LAUNCH(1, value_sample_tuning::block_threads, 0, nullptr,
                     choose_value_scale_kernel<value_sample_tuning, Direction>)
    (items.data(), keys.size(), split.test, plan.data());
  };
  EXPECT_EQ(try_on_machines(1, {[] {}, run, [] { return std::string{}; }}), "");
  return *plan.data();
}
/// Integers that are spread evenly from the least to the greatest.
template <class Key>
std::vector<Key> even_integers(std::size_t n, Key least, Key greatest) {
  const auto random = random_items<std::uint32_t>(2 * n);
  const auto range = std::uint64_t(greatest) - std::uint64_t(least);
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t part = std::uint64_t{random[2 * i]} << 32 | random[2 * i + 1];
    keys[i] = Key(std::uint64_t(least) + std::uint64_t(uint128_t(range) * part >> 64));
  }
  return keys;
}
constexpr std::int64_t lowest = INT64_MIN, highest_of_all = INT64_MAX, trillion = 1'000'000'000'000;
TEST(values, split_integers_that_share_bits) {
  const auto positive = even_integers<std::int64_t>(70000, 0, highest_of_all);
  EXPECT_EQ(try_on_machines(1, sort_of_numbers<ascending>(positive, output::elsewhere)), "");
  auto both = even_integers<std::int64_t>(70000, -trillion, 3 * trillion);
  both[3] = lowest, both[40000] = highest_of_all, both[60000] = -5 * trillion;
  EXPECT_EQ(try_on_machines(1, sort_of_numbers<descending>(both, output::in_place)), "");
  const auto late = even_integers<std::uint64_t>(70000, ~0ull - 123'456'789'012ull, ~0ull);
  EXPECT_EQ(try_on_machines(1, sort_of_numbers<ascending>(late, output::elsewhere)), "");
}
TEST(values, split_integers_that_bits_do_not) {
  const auto splits = [](std::int64_t least, std::int64_t greatest) {
    const auto keys = even_integers(300000, least, greatest);
    const bool ascends = plan_of<ascending>(keys).by_value;
    EXPECT_EQ(plan_of<descending>(keys).by_value, ascends) << least;
    return ascends;
  };
  EXPECT_TRUE(splits(0, highest_of_all));
  EXPECT_TRUE(splits(-trillion, trillion));
  EXPECT_TRUE(splits(trillion, 2 * trillion));
  EXPECT_FALSE(splits(lowest, highest_of_all)) << "bits split them as well";
  EXPECT_FALSE(splits(0, 1 << 30)) << "few digits vary";
  EXPECT_FALSE(splits(-100, 100)) << "few keys differ";
  auto skewed = even_integers<std::int64_t>(300000, 0, trillion);
  for (std::int64_t& each : skewed) each = each % 7 == 0 ? each : each % 1000;
  EXPECT_FALSE(plan_of<ascending>(skewed).by_value);
}
TEST(values, codes_are_in_the_order_of_integers) {
  for (const auto& range : {std::array<std::int64_t, 2>{0, highest_of_all},
                            {-trillion, 3 * trillion},
                            {7, 1 << 22},
                            {lowest, -trillion},
                            {lowest, highest_of_all},
                            {-1, highest_of_all}}) {
    auto keys = even_integers(5000, range[0], range[1]);
    for (int bit = 0; bit < 63; ++bit) keys.push_back(std::int64_t{1} << bit);
    keys.insert(keys.end(), {lowest, lowest + 1, -1, 0, highest_of_all});
    std::sort(keys.begin(), keys.end());
    using code_of = value_code<ascending, std::int64_t>;
    const code_of code{code_of::scale_between(code_of::word_of(std::uint64_t(range[0])),
                                              code_of::word_of(std::uint64_t(range[1])))};
    unsigned last_code = 0;
    for (const std::int64_t each : keys) {
      const unsigned own = code(std::uint64_t(each));
      EXPECT_GE(own, last_code) << each;
      EXPECT_LE(own, 65535u);
      last_code = own;
    }
    const auto middle =
        std::uint64_t(range[0]) + (std::uint64_t(range[1]) - std::uint64_t(range[0])) / 2;
    EXPECT_NEAR(code(middle), 32768, 200) << range[0];
  }
}
TEST(values, split_where_a_sample_is_not_skewed) {
  auto keys = even_numbers(300000, 0, 1, false);
  EXPECT_TRUE(plan_of<ascending>(keys).by_value);
  EXPECT_TRUE(plan_of<descending>(keys).by_value);
  for (double& each : keys) each = std::pow(each, 12) - 0.5;  // most are near -0.5
  EXPECT_FALSE(plan_of<ascending>(keys).by_value);
  EXPECT_FALSE(plan_of<ascending>(std::vector<double>(300000, 2.5)).by_value);
}
TEST(values, codes_are_in_the_order_of_keys) {
  for (const auto& range : {std::array<double, 2>{0, 1}, {-3, 7}, {-1e-200, 1e-200}, {1e6, 1}}) {
    auto keys = even_numbers(5000, range[0], range[1], true);
    std::sort(keys.begin(), keys.end(), radix_order<ascending>{});
    const value_scale scale =
        plan_of<ascending>(even_numbers(300000, range[0], range[1], false)).scale;
    const value_code<ascending, double> up{scale};
    const value_code<descending, double> down{scale};
    unsigned last_code = 0;
    for (const double each : keys) {
      const unsigned code = up(pass_key<ascending, double>::from(each));
      EXPECT_GE(code, last_code) << each;
      EXPECT_LE(code, 65535u);
      EXPECT_EQ(down(pass_key<descending, double>::from(each)), 65535u - code) << each;
      last_code = code;
    }
    EXPECT_EQ(up(pass_key<ascending, double>::from(-0.0)),
              up(pass_key<ascending, double>::from(0.0)));
  }
}

/// Segments, each of so many keys in turn that agree in the bits that num_passes passes sort, in
/// place. The first segment_bits name the segment.
template <class Direction, class Value>
class sort_of_segments {
  using key = std::uint64_t;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;

 public:
  sort_of_segments(const std::vector<std::vector<std::size_t>>& segments, int num_passes,
                   int segment_bits, key lower)
      : num_passes_{num_passes}, segment_bits_{segment_bits} {
    const auto random = random_items<std::uint32_t>(20000);
    const int sorted_bits = 8 * num_passes;
    for (std::size_t s = 0; s < segments.size(); ++s) {
      starts_.push_back(keys_.size());
      for (std::size_t part = 0; part < segments[s].size(); ++part) {
        const key highest = key{s} << (64 - segment_bits) | key{part} << (64 - sorted_bits);
        for (std::size_t i = 0; i < segments[s][part]; ++i) {
          const key bits = key{random[2 * keys_.size()]} << 32 | random[2 * keys_.size() + 1];
          const key image = (bits & lower & ~key{0} >> sorted_bits) | highest;
          keys_.push_back(std::is_same_v<Direction, ascending> ? image : ~image);
        }
      }
    }
    std::vector<std::size_t> places(keys_.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = i;
      if constexpr (has_values) values_.push_back(Value(i));
    }
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return Direction::bits(keys_[a]) < Direction::bits(keys_[b]);
    });
    for (const std::size_t p : places) {
      expected_.push_back(keys_[p]);
      if constexpr (has_values) expected_values_.push_back(values_[p]);
    }
  }

  experiment make() const {
    const std::size_t n = keys_.size(), m = has_values ? n : 1;
    const auto keys = std::make_shared<device_array<key>>(n);
    const auto spare = std::make_shared<device_array<key>>(n);
    const auto values = std::make_shared<device_array<Value>>(m);
    const auto spare_values = std::make_shared<device_array<Value>>(m);
    const auto starts = std::make_shared<device_array<std::uint64_t>>(starts_);
    std::vector<unsigned> large_segments;
    for (unsigned s = 0; s < starts_.size(); ++s)
      if ((s + 1 < starts_.size() ? starts_[s + 1] : n) - starts_[s] > 256)
        large_segments.push_back(s);
    const auto num_large = static_cast<unsigned>(large_segments.size());
    large_segments.push_back(0);  // else there may be nothing to allocate
    const auto large = std::make_shared<device_array<unsigned>>(large_segments);
    const auto plan = std::make_shared<device_array<sort_plan>>(
        std::vector<sort_plan>{{0, 1, 0, 0, {}, num_large, 0, 0}});
    const auto num_segments = static_cast<unsigned>(starts_.size());
    const auto sort = [=, num_passes = num_passes_, segment_bits = segment_bits_] {
      using tuning = segment_tuning<key, Value>;
      using storage = segment_parts_storage<tuning, key, Value>;
      const sort_buffers<key> key_buffers{keys->data(), keys->data(), spare->data()};
      const sort_buffers<Value> value_buffers{values->data(), values->data(), spare_values->data()};
      const std::uint64_t* const first = starts->data();
      HINDSIGHT_LAUNCH(num_segments, tuning::block_threads, sizeof(storage), nullptr,
                       sort_segments_kernel<tuning, Direction>)
      (key_buffers, value_buffers, n, plan->data(), first, num_passes, 64 - segment_bits, 64);
      if (num_large == 0) return;
      HINDSIGHT_LAUNCH(2, tuning::block_threads, sizeof(storage), nullptr,
                       sort_large_segments_kernel<tuning, Direction>)
      (key_buffers, value_buffers, n, plan->data(), first,
       static_cast<const unsigned*>(large->data()), num_segments, num_passes, 64 - segment_bits,
       64);
    };
    const bool in_spare = num_passes_ % 2 != 0;  // an even number of passes ends in place
    const auto reset = [=, from = keys_, from_values = values_] {
      (in_spare ? spare : keys)->assign(from);
      (in_spare ? keys : spare)->poison();
      if constexpr (has_values) (in_spare ? spare_values : values)->assign(from_values);
    };
    return {reset, sort, [=, sorted = expected_, sorted_values = expected_values_] {
              std::string wrong = difference(keys->to_host(), sorted);
              if constexpr (has_values) wrong += difference(values->to_host(), sorted_values);
              return wrong;
            }};
  }

 private:
  int num_passes_, segment_bits_;
  std::vector<std::uint64_t> starts_;
  std::vector<key> keys_, expected_;
  std::vector<Value> values_, expected_values_;
};
experiment sort_of_small_segments(std::uint64_t lower) {
  return sort_of_segments<ascending, no_value>{{{1}, {199}, {}, {256}, {144}}, 2, 16, lower}.make();
}
/// Where a segment does not fit a block of 256, parts of it do; or one does not, and is merged.
const std::vector<std::vector<std::size_t>> in_parts = {
    {100, 156, 1, 255, 2}, {300, 7, 600}, {1300}, {255}, {513, 513}};
template <class Direction, class Value>
experiment sort_of_large_segments(int num_passes, std::uint64_t lower) {
  return sort_of_segments<Direction, Value>{in_parts, num_passes, 12, lower}.make();
}
TEST(segments, of_several_parts_and_pieces) {
  for (const int num_passes : {2, 3}) {
    for (const std::uint64_t lower : {all_bits, few_tie, lowest_16, std::uint64_t{3}}) {
      EXPECT_EQ(try_on_machines(2, sort_of_large_segments<ascending, no_value>(num_passes, lower)),
                "")
          << num_passes << ' ' << lower;
      EXPECT_EQ(
          try_on_machines(1, sort_of_large_segments<descending, std::uint16_t>(num_passes, lower)),
          "")
          << num_passes << ' ' << lower;
    }
  }
}
TEST(segments, need_every_ordering) {
  EXPECT_EQ(try_on_machines(20, sort_of_small_segments(lowest_16)), "");
  EXPECT_EQ(try_on_machines(20, sort_of_small_segments(1)), "");
  // A lane's only row has nothing after it; the last vote hands over its result alone.
  expect_all_needed(10, sort_of_small_segments(all_bits),
                    {"digit_rank.cuh __syncwarp()", "segment_sort.cuh __syncthreads()"});
}

}  // namespace
