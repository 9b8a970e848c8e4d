// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Radix sort of items by their members, which passes move as they are. The first items in the order
// of members that are too large for a selection.
#include <hindsight/detail/cuda/composite_sort.cuh>
#include <hindsight/detail/cuda/top_k_by_places.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"
#include "emulation/tiny_sort.h"
#include <array>
#include <cstring>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Items of 8 bytes: one launch, of small tiles up to 1,280 keys, else of medium ones.
template <class Item, class KeyOf, class Value, tiles Size>
struct sort_tuning<cuda::item_as_key<Item, KeyOf>, Value, Size>
    : tiny_sort_tuning<Value,
                       sizeof(Item) != 8      ? 0
                       : Size == tiles::small ? 5
                                              : 100,
                       sizeof(Item) == 8 && Size == tiles::small ? 1 : 2> {};
template <class Item, class KeyOf, class Value, bool Few>
struct segment_tuning<cuda::item_as_key<Item, KeyOf>, Value, Few> : tiny_segment_tuning {};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
namespace on_gpu = hindsight::detail::cuda;

/// Members in another order than in memory, and bytes that are none.
struct entry {
  float low;
  std::int16_t high;
  std::uint16_t note;
};
struct members_of_entry {
  HINDSIGHT_HD ::cuda::std::tuple<std::int16_t&, float&> operator()(entry& item) {
    return {item.high, item.low};
  }
};
/// 16 bytes, of which nine are the key's.
struct record {
  std::int32_t count;
  float price;
  std::uint8_t kind;
  std::uint32_t place;
};
struct members_of_record {
  HINDSIGHT_HD ::cuda::std::tuple<std::uint8_t&, float&, std::int32_t&> operator()(
      record& item) const {
    return {item.kind, item.price, item.count};
  }
};
/// 20 bytes that count, and four that tell equal keys apart.
struct wide_record {
  double price;
  std::int64_t count;
  std::uint32_t kind, place;
};
struct members_of_wide_record {
  HINDSIGHT_HD ::cuda::std::tuple<double&, std::int64_t&, std::uint32_t&> operator()(
      wide_record& item) const {
    return {item.price, item.count, item.kind};
  }
};
using number_and_float = ::cuda::std::pair<std::uint32_t, float>;

/// Items whose members have values of a range, among them both zeros.
struct some_items {
  std::vector<std::uint32_t> random;
  std::uint32_t high, low;
  some_items(std::size_t n, std::uint32_t high_mask, std::uint32_t low_mask)
      : random{random_items<std::uint32_t>(3 * n)}, high{high_mask}, low{low_mask} {}
  float number(std::size_t i) const {
    const std::uint32_t word = random[3 * i + 1] & low;
    return word % 5 == 0 ? (random[3 * i + 2] & 1 ? -0.0f : 0.0f)
                         : float(std::int32_t(word)) - float(low / 2);
  }
  void make(std::size_t i, entry& item) const {
    item = {number(i), std::int16_t(random[3 * i] & high), std::uint16_t(i)};
  }
  void make(std::size_t i, record& item) const {
    std::memset(static_cast<void*>(&item), int(i & 127), sizeof item);
    item.kind = std::uint8_t(random[3 * i] & high);
    item.price = number(i);
    item.count = std::int32_t(random[3 * i + 2] << (i & 3));
    item.place = std::uint32_t(i);
  }
  void make(std::size_t i, wide_record& item) const {
    item = {double(number(i)), std::int64_t(random[3 * i] & high) - 1, random[3 * i + 2] & high,
            std::uint32_t(i)};
  }
  void make(std::size_t i, number_and_float& item) const {
    item = {random[3 * i] & high, number(i)};
  }
};

/// The number that a key's order is, of which zeros share one.
template <class Item, class KeyOf>
auto key_bits_of_item(Item item) {
  const auto bits = [](auto& key) {
    for_each_member(key, [](auto& member) {
      if (member == 0) member = 0;
    });
    return to_composite_bits<without_cvref<decltype(key)>>{}(key);
  };
  if constexpr (std::is_same_v<KeyOf, on_gpu::item_itself>) {
    return bits(item);
  } else {
    KeyOf key_of;
    auto key = key_of(item);
    return bits(key);
  }
}

enum class output { elsewhere, in_place, unaligned };

/// A sort of n items; `end_bit` bits count, or all.
template <class Direction, class Item, class KeyOf, class Value = no_value>
experiment sort_of_items(std::size_t n, const some_items& some, output to, int begin_bit = 0,
                         int end_bit = -1) {
  using Key = std::conditional_t<std::is_same_v<KeyOf, on_gpu::item_itself>, Item,
                                 without_cvref<std::invoke_result_t<KeyOf&, Item&>>>;
  constexpr bool has_values = !std::is_empty_v<Value>;
  static_assert(on_gpu::moves_items<Key, Item, Value, KeyOf>());
  using word = unsigned_of_size_t<alignof(Item)>;
  constexpr std::size_t item_words = sizeof(Item) / sizeof(word);
  const int num_bits = int(key_words<Key>::bytes) * 8;
  if (end_bit < 0) end_bit = num_bits;
  std::vector<Item> items(n);
  std::vector<Value> values(n);
  std::vector<std::size_t> places(n);
  for (std::size_t i = 0; i < n; ++i) {
    some.make(i, items[i]);
    places[i] = i;
    if constexpr (has_values) values[i] = Value(i);
  }
  const auto counted = [&](std::size_t i) {
    using bits_t = composite_bits_t<Key>;
    if (begin_bit == end_bit) return bits_t(0);
    const int unused = int(sizeof(bits_t)) * 8 - num_bits;
    bits_t bits = Direction::bits(key_bits_of_item<Item, KeyOf>(items[i]));
    bits = bits_t(bits << (num_bits - end_bit));
    return bits_t(bits >> (num_bits - end_bit + unused + begin_bit));
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return counted(a) < counted(b); });
  const std::size_t offset = to == output::unaligned ? 1 : 0;  // in words
  const auto as_words = [=](const auto& place) {
    std::vector<word> words(offset + n * item_words);
    for (std::size_t i = 0; i < n; ++i)
      std::memcpy(&words[offset + i * item_words], static_cast<const void*>(&items[place(i)]),
                  sizeof(Item));
    return words;
  };
  const auto input = as_words([](std::size_t i) { return i; });
  const auto expected = as_words([&](std::size_t i) { return places[i]; });
  std::vector<Value> expected_values;
  for (const std::size_t p : places) expected_values.push_back(values[p]);

  const auto in = std::make_shared<device_array<word>>(input),
             out = std::make_shared<device_array<word>>(input);
  const auto values_in = std::make_shared<device_array<Value>>(values),
             values_out = std::make_shared<device_array<Value>>(values);
  const bool in_place = to == output::in_place;
  const two_phases sort{[=](void* temp, std::size_t& bytes) {
    const auto from = reinterpret_cast<const Item*>((in_place ? out : in)->data() + offset);
    const auto result = reinterpret_cast<Item*>(out->data() + offset);
    return on_gpu::composite_sort<Key, Direction>(
        temp, bytes, from, result,
        static_cast<const Value*>((in_place ? values_out : values_in)->data()), values_out->data(),
        n, KeyOf{}, begin_bit, end_bit, nullptr);
  }};
  return {[=] {
            out->assign(in_place ? input : std::vector<word>(input.size()));
            values_out->assign(in_place ? values : std::vector<Value>(n));
          },
          sort,
          [=] {
            std::string wrong = difference(out->to_host(), expected);
            if constexpr (has_values) wrong += difference(values_out->to_host(), expected_values);
            return wrong;
          }};
}

const output outputs[] = {output::elsewhere, output::in_place, output::unaligned};

template <class Item, class KeyOf, class Value = no_value>
void expect_sorted(std::size_t n, const some_items& some) {
  for (const output to : outputs) {
    EXPECT_EQ(try_on_machines(2, sort_of_items<ascending, Item, KeyOf, Value>(n, some, to)), "")
        << n << ", output " << int(to);
    EXPECT_EQ(try_on_machines(2, sort_of_items<descending, Item, KeyOf, Value>(n, some, to)), "")
        << n << ", descending, output " << int(to);
  }
}

TEST(items, of_one_tile_and_several) {
  for (const std::size_t n : {1, 300, 1200, 1400}) {
    const some_items few{n, 3, 7}, many{n, ~0u, 0xffffff};
    expect_sorted<entry, members_of_entry>(n, few);
    expect_sorted<entry, members_of_entry, std::uint32_t>(n, many);
    expect_sorted<number_and_float, on_gpu::item_itself>(n, many);
    expect_sorted<number_and_float, on_gpu::item_itself, std::uint16_t>(n, few);
    expect_sorted<record, members_of_record>(n, few);
    expect_sorted<record, members_of_record, std::uint64_t>(n, many);
  }
}
TEST(items, of_segments) {
  const std::size_t n = 70000;
  for (const std::uint32_t low : {0xffffffu, 0xffffu}) {
    const some_items items{n, ~0u, low};
    for (const output to : {output::elsewhere, output::in_place}) {
      EXPECT_EQ(try_on_machines(1, sort_of_items<ascending, number_and_float, on_gpu::item_itself>(
                                       n, items, to)),
                "");
    }
  }
}
TEST(items, by_some_bits) {
  const std::size_t n = 1300;
  const some_items items{n, ~0u, 0xffffff};
  for (const auto& [begin, end] : {std::array<int, 2>{32, 48}, {0, 48}, {20, 40}, {0, 9}}) {
    EXPECT_EQ(try_on_machines(2, sort_of_items<ascending, entry, members_of_entry>(
                                     n, items, output::elsewhere, begin, end)),
              "")
        << begin << " to " << end;
    EXPECT_EQ(try_on_machines(2, sort_of_items<descending, record, members_of_record>(
                                     n, items, output::in_place, begin, end)),
              "")
        << begin << " to " << end;
  }
}
TEST(items, by_no_bits_are_copied) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1300}}) {
    const some_items items{n, ~0u, 0xffffff};
    for (const output to : outputs) {
      for (const int bit : {0, 9}) {
        const auto pairs = sort_of_items<ascending, entry, members_of_entry, std::uint32_t>(
            n, items, to, bit, bit);
        EXPECT_EQ(try_on_machines(1, pairs), "") << n << ", bit " << bit;
        EXPECT_EQ(try_on_machines(1, sort_of_items<descending, record, members_of_record>(
                                         n, items, to, bit, bit)),
                  "")
            << n << ", bit " << bit;
      }
    }
  }
}

/// Segments of 200 items in tiles of 256, whose 56 other slots and 144 `true`s together are as
/// many.
TEST(items, with_bools_in_segments) {
  using item = ::cuda::std::pair<float, bool>;
  const std::size_t n = 8 * 200;
  std::vector<item> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t segment = i % 8;
    items[i] = {::cuda::std::bit_cast<float>((0x20 + segment) << 24 | 0x10203 * segment),
                i / 8 % 25 < 18};
  }
  auto expected = items;
  std::stable_sort(expected.begin(), expected.end());
  const auto in = std::make_shared<device_array<item>>(items),
             out = std::make_shared<device_array<item>>(n);
  const two_phases sort{[=](void* temp, std::size_t& bytes) {
    no_value* const none = nullptr;
    return on_gpu::composite_sort<item, ascending>(
        temp, bytes, static_cast<const item*>(in->data()), out->data(),
        static_cast<const no_value*>(none), none, n, on_gpu::item_itself{}, 0, 40, nullptr);
  }};
  EXPECT_EQ(try_on_machines(1, {[=] { out->poison(); }, sort,
                                [=] { return out->to_host() == expected ? "" : "not in order"; }}),
            "");
}

/// Items of 32 bytes at multiples of 32, which are sorted by their indices.
struct alignas(32) ray {
  float length, rest[7];
};
struct length_of_ray {
  HINDSIGHT_HD ::cuda::std::tuple<float&> operator()(ray& item) const { return {item.length}; }
};
TEST(items, at_multiples_of_their_size) {
  const std::size_t n = 700;
  std::vector<ray> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = {float(i * 7 % 100), {float(i)}};
  auto expected = items;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const ray& a, const ray& b) { return a.length < b.length; });
  const auto in = std::make_shared<device_array<ray>>(items),
             out = std::make_shared<device_array<ray>>(n);
  const two_phases sort{[=](void* temp, std::size_t& bytes) {
    no_value* const none = nullptr;
    return on_gpu::composite_sort<::cuda::std::tuple<float&>, ascending>(
        temp, bytes, static_cast<const ray*>(in->data()), out->data(),
        static_cast<const no_value*>(none), none, n, length_of_ray{}, 0, 32, nullptr);
  }};
  const auto check = [=]() -> std::string {
    const auto got = out->to_host();
    return std::memcmp(got.data(), expected.data(), n * sizeof(ray)) == 0 ? "" : "wrong";
  };
  EXPECT_EQ(try_on_machines(1, {[=] { out->poison(); }, sort, check}), "");
}

/// 12 bytes, which no pass moves: the numbers are sorted, and the items with them. Nobody may write
/// &item.
struct triple {
  float price;
  std::int32_t count, place;
  void operator&() const = delete;
};
struct price_of_triple {
  HINDSIGHT_HD ::cuda::std::tuple<float&> operator()(triple& item) const { return {item.price}; }
};
TEST(items, that_are_alike_and_do_not_move) {
  using members = ::cuda::std::tuple<float&>;
  for (const std::size_t n : {1, 300, 5000}) {
    for (const int prices : {1, 2}) {
      std::vector<triple> items(n);
      for (std::size_t i = 0; i < n; ++i) items[i] = {float(i % prices), int(i * 7), int(i)};
      auto expected = items;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const triple& a, const triple& b) { return a.price < b.price; });
      const auto in = std::make_shared<device_array<triple>>(items),
                 out = std::make_shared<device_array<triple>>(n);
      const two_phases sort{[=](void* temp, std::size_t& bytes) {
        no_value* const none = nullptr;
        return on_gpu::composite_sort<members, ascending>(
            temp, bytes, static_cast<const triple*>(in->data()), out->data(),
            static_cast<const no_value*>(none), none, n, price_of_triple{}, 0, 32, nullptr);
      }};
      const auto check = [=]() -> std::string {
        const auto got = out->to_host();
        return std::memcmp(got.data(), expected.data(), n * sizeof(triple)) == 0 ? "" : "wrong";
      };
      EXPECT_EQ(try_on_machines(1, {[=] { out->poison(); }, sort, check}), "") << n;
    }
  }
}

/// The first k of n keys with their values, and alone.
template <class Direction, class Key, class Decomposer>
experiment first_of_items(std::size_t n, std::size_t k, const some_items& some) {
  using members = std::invoke_result_t<Decomposer&, Key&>;
  std::vector<Key> keys(n);
  std::vector<std::uint32_t> places(n);
  for (std::uint32_t i = 0; i < n; ++i) some.make(places[i] = i, keys[i]);
  const auto in = std::make_shared<device_array<Key>>(keys);
  const auto values = std::make_shared<device_array<std::uint32_t>>(places);
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    if constexpr (std::is_same_v<Direction, descending>) std::swap(a, b);
    return Decomposer{}(keys[a]) < Decomposer{}(keys[b]);
  });
  places.resize(k);
  std::vector<Key> expected;
  for (const std::uint32_t place : places) expected.push_back(keys[place]);
  const auto out = std::make_shared<device_array<Key>>(k),
             alone = std::make_shared<device_array<Key>>(k);
  const auto values_out = std::make_shared<device_array<std::uint32_t>>(k);
  const auto first = [=](auto to, auto from_values, auto to_values) {
    two_phases{[=](void* temp, std::size_t& bytes) {
      return on_gpu::top_k_by_places<members, Direction>(temp, bytes, in->data(), to, from_values,
                                                         to_values, n, k, Decomposer{}, nullptr);
    }}();
  };
  return {[=] { out->poison(), alone->poison(), values_out->poison(); },
          [=] {
            no_value* const none = nullptr;
            first(out->data(), values->data(), values_out->data());
            first(alone->data(), none, none);
          },
          [=] {
            return difference(out->to_host(), expected) + difference(alone->to_host(), expected) +
                   difference(values_out->to_host(), places);
          }};
}

TEST(first_items, by_members_of_many_bytes) {
  const auto expect_first = [](std::size_t n, std::size_t k, auto direction) {
    using to = decltype(direction);
    const some_items few{n, 3, 7};
    EXPECT_EQ(try_on_machines(1, first_of_items<to, record, members_of_record>(n, k, few)), "")
        << k << " of " << n;
    EXPECT_EQ(
        try_on_machines(1, first_of_items<to, wide_record, members_of_wide_record>(n, k, few)), "")
        << k << " of " << n;
  };
  for (const std::size_t n : {1, 300, 1400}) {
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 3, n}) {
      expect_first(n, k, ascending{});
      expect_first(n, k, descending{});
    }
  }
}

}  // namespace
