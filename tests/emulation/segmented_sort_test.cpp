// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Sorts of segments: pieces in tiles, passes that merge them, from and to which buffer; radix
// sorts.
#include <hindsight/detail/cuda/segmented_sort.cuh>
#include <hindsight/detail/cuda/sort_ranges.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"
#include "emulation/tiny_sort.h"
#include <limits>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

struct tiny_merges {
  static constexpr int block_threads = 64, lane_items = 3, sort_blocks = 1;
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr int merge_threads = 64, merge_lane_items = 3, merge_blocks = 1;
  static constexpr int merge_tile_items = merge_threads * merge_lane_items;
  static constexpr int few_tiles = 12;
  static constexpr bool merges_count_passes = false;
  static constexpr std::size_t most_marks_by_end = 256;
};
template <>
struct merge_sort_tuning<std::uint32_t, std::uint32_t> : tiny_merges {};
template <>
struct merge_sort_tuning<std::uint32_t, no_value> : tiny_merges {};
template <>
struct merge_sort_tuning<float, no_value> : tiny_merges {};
/// Up to 1100 items: blocks find their segments without a map.
struct tiny_merges_of_few : tiny_merges {
  static constexpr int lane_items = 4, tile_items = 256;
  static constexpr int merge_lane_items = 2, merge_tile_items = 128;
  static constexpr std::size_t most_items = 1100;
};
template <>
struct merge_sort_tuning_of_few<std::uint32_t, std::uint32_t> : tiny_merges_of_few {};
template <>
struct merge_sort_tuning_of_few<std::uint32_t, no_value> : tiny_merges_of_few {};
template <>
struct merge_sort_tuning_of_few<float, no_value> : tiny_merges_of_few {};
/// A radix sort takes numbers of 16 bits, of which the merges here have none. A block sorts up to
/// 512 of them.
template <tiles Size>
struct sort_tuning<std::uint16_t, no_value, Size> : tiny_sort_tuning<no_value> {};
template <tiles Size>
struct sort_tuning<std::int16_t, no_value, Size> : tiny_sort_tuning<no_value> {};
template <tiles Size>
struct sort_tuning<std::int16_t, std::uint32_t, Size> : tiny_sort_tuning<std::uint32_t> {};
template <class Key, class Value>
struct tiny_segmented_radix {
  using in_block = sort_tuning<Key, Value, tiles::segment>;
  using in_passes = sort_tuning<Key, Value>;
  static constexpr bool pays(std::size_t, std::size_t, int) { return true; }
};
template <>
struct segmented_radix_tuning<std::uint16_t, no_value>
    : tiny_segmented_radix<std::uint16_t, no_value> {};
template <>
struct segmented_radix_tuning<std::int16_t, no_value>
    : tiny_segmented_radix<std::int16_t, no_value> {};
template <>
struct segmented_radix_tuning<std::int16_t, std::uint32_t>
    : tiny_segmented_radix<std::int16_t, std::uint32_t> {};
/// Of signed integers of 32 bits up to 3000 take a block for each segment. A block sorts up to 512
/// of them; longer segments are cut at steps of 128. Other numbers never do.
template <>
struct merge_sort_tuning<std::int32_t, std::uint32_t> : tiny_merges {};
template <>
struct merge_sort_tuning<std::int32_t, no_value> : tiny_merges {};
template <>
struct merge_sort_tuning_of_few<std::int32_t, std::uint32_t> : tiny_merges_of_few {};
template <>
struct merge_sort_tuning_of_few<std::int32_t, no_value> : tiny_merges_of_few {};
template <class Value, bool MayPay>
struct tiny_each_segment {
  using in_block = tiny_sort_tuning<Value>;
  static constexpr bool may_pay = MayPay;
  static constexpr bool pays(std::size_t n, std::size_t, int passes) {
    return n <= 3000 && passes > 0;
  }
};
template <>
struct each_segment_tuning<std::int32_t, no_value> : tiny_each_segment<no_value, true> {};
template <>
struct each_segment_tuning<std::int32_t, std::uint32_t> : tiny_each_segment<std::uint32_t, true> {};
template <>
struct each_segment_tuning<std::uint16_t, no_value> : tiny_each_segment<no_value, false> {};
template <>
struct each_segment_tuning<std::int16_t, no_value> : tiny_each_segment<no_value, false> {};
template <>
struct each_segment_tuning<std::int16_t, std::uint32_t> : tiny_each_segment<std::uint32_t, false> {
};
template <>
struct each_segment_tuning<std::uint32_t, no_value> : tiny_each_segment<no_value, false> {};
template <>
struct each_segment_tuning<float, no_value> : tiny_each_segment<no_value, false> {};
template <>
struct each_segment_tuning<std::uint32_t, std::uint32_t> : tiny_each_segment<std::uint32_t, false> {
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

struct by_low_bits {
  bool operator()(std::uint32_t a, std::uint32_t b) { return (a & 63) < (b & 63); }
};

/// Of these lengths at random, from `first` on, up to n.
std::vector<int> make_offsets(std::size_t n, int first, const std::vector<unsigned>& lengths) {
  std::mt19937 random{unsigned(n)};
  std::vector<int> offsets{first};
  while (offsets.back() < int(n)) {
    const unsigned length = lengths[random() % lengths.size()];
    offsets.push_back(std::min(int(n), offsets.back() + int(length ? random() % length + 1 : 0)));
  }
  return offsets;
}

/// Sorts keys with their places; items in no segment stay.
template <class Compare = by_low_bits>
class sort_of_segments {
 public:
  sort_of_segments(std::vector<int> offsets, std::size_t n, bool in_place)
      : keys_{random_items<std::uint32_t>(n)},
        offsets_{offsets},
        in_{n},
        got_{n},
        values_in_{n},
        got_values_{n},
        call_{[=](void* temp, std::size_t& bytes) {
          const auto* const keys = in_place ? got_.data() : in_.data();
          const auto* const values = in_place ? got_values_.data() : values_in_.data();
          const map_of_offsets<int*> segments{offsets_.data(), offsets.size() - 1};
          return sort_segments(temp, bytes, keys, got_.data(), values, got_values_.data(), n,
                               segments, Compare{}, nullptr);
        }} {
    for (auto& key : keys_) key %= 256;
    for (std::size_t i = 0; i < n; ++i) places_.push_back(std::uint32_t(i));
    order_ = places_;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      std::stable_sort(order_.begin() + offsets[s], order_.begin() + offsets[s + 1],
                       [&](auto a, auto b) { return Compare{}(keys_[a], keys_[b]); });
    for (const std::uint32_t place : order_) expected_.push_back(keys_[place]);
  }
  experiment make() {
    return {[this] {
              in_.assign(keys_);
              values_in_.assign(places_);
              got_.assign(keys_);
              got_values_.assign(places_);
            },
            call_,
            [this] {
              return difference(got_.to_host(), expected_) +
                     difference(got_values_.to_host(), order_);
            }};
  }

 private:
  std::vector<std::uint32_t> keys_, places_, order_, expected_;
  device_array<int> offsets_;
  device_array<std::uint32_t> in_, got_, values_in_, got_values_;
  two_phases call_;
};

TEST(sort_segments, of_any_lengths) {
  const std::vector<std::vector<unsigned>> kinds{{3},    {1, 0, 0, 2, 40},      {100},
                                                 {1500}, {0, 1, 2, 3, 70, 900}, {5000}};
  for (const auto& kind : kinds)
    for (const std::size_t n : {std::size_t{40}, std::size_t{190}, std::size_t{384},
                                std::size_t{900}, std::size_t{1200}, std::size_t{2500}})
      EXPECT_EQ(try_on_machines(5, sort_of_segments<>{make_offsets(n, 5, kind), n, n > 192}.make()),
                "")
          << n << " " << kind[0];
}
/// Segments of `length`, one behind the other.
std::vector<int> offsets_of_length(int n, int length) {
  std::vector<int> offsets{0};
  while (offsets.back() < n) offsets.push_back(std::min(n, offsets.back() + length));
  return offsets;
}
/// Short segments, and after every 40 items one of `length`.
std::vector<int> offsets_with_some_of_length(int n, int length) {
  std::vector<int> offsets{0};
  int next_long = 7;
  while (offsets.back() < n) {
    const bool is_long = offsets.back() >= next_long;
    if (is_long) next_long += 40 + length;
    offsets.push_back(std::min(n, offsets.back() + (is_long ? length : 1 + offsets.back() % 4)));
  }
  return offsets;
}
/// Threads have 3 or 4 items. One merges segments of up to two more that lie in two threads; warps
/// sort others of up to 32 items, if they are few; else there are rounds of merges.
TEST(sort_segments, that_hardly_fit_a_thread_or_a_warp) {
  for (const int length : {2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 31, 32, 33, 34}) {
    for (const int n : {900, 1500}) {
      for (const auto& offsets :
           {offsets_of_length(n, length), offsets_with_some_of_length(n, length)})
        EXPECT_EQ(
            try_on_machines(2, sort_of_segments<>{offsets, std::size_t(n), length % 2 == 0}.make()),
            "")
            << length << " " << n;
    }
  }
  // Warps that sort segments wait for their lanes. There are no passes, which would wait for seams.
  const std::vector<int> offsets = offsets_with_some_of_length(1500, 13);
  expect_all_needed(5, sort_of_segments<>{offsets, 1500, true}.make(),
                    names{"phased_work.cuh release"});
}
TEST(sort_segments, that_leave_items_on_both_sides) {
  for (const std::size_t n : {std::size_t{800}, std::size_t{2300}}) {
    std::vector<int> offsets = make_offsets(n - 300, 77, {0, 20, 700});
    EXPECT_EQ(try_on_machines(5, sort_of_segments<>{offsets, n, false}.make()), "") << n;
  }
}
/// Each length that a segment may have beside the places where blocks' parts begin, and each place
/// for it: whole in one block, or cut.
TEST(sort_segments, that_fit_a_block_or_do_not) {
  for (const int length : {127, 128, 129, 255, 256, 257, 258, 384, 385})
    for (const int first : {0, 1, 127, 128, 129, 255})
      EXPECT_EQ(try_on_machines(2, sort_of_segments<>{{0, first, first + length, first + length + 1,
                                                       first + 2 * length, 1100},
                                                      1100,
                                                      length % 2 == 0}
                                       .make()),
                "")
          << length << " " << first;
}
/// So many empty segments at one place that items search for their ends.
TEST(sort_segments, of_which_most_are_empty) {
  for (const int n : {400, 1200}) {
    for (const int place : {0, 3, 32, 300, 400}) {
      std::vector<int> offsets = make_offsets(std::size_t(n), 0, {1, 2, 40, 90});
      const auto at = std::lower_bound(offsets.begin(), offsets.end(), place);
      offsets.insert(at, 500, *at);
      EXPECT_EQ(try_on_machines(3, sort_of_segments<>{offsets, std::size_t(n), true}.make()), "")
          << n << " " << place;
    }
  }
}
TEST(sort_segments, of_one_segment_with_many_passes) {
  EXPECT_EQ(try_on_machines(5, sort_of_segments<>{{0, 5000}, 5000, true}.make()), "");
}
/// Of numbers with values, in tiles of short segments and in others.
TEST(sort_segments, of_numbers) {
  for (const unsigned length : {30u, 70u})
    EXPECT_EQ(try_on_machines(5,
                              sort_of_segments<radix_order<ascending>>{
                                  make_offsets(2100, 4, {0, 1, 2, length}), 2100, true}
                                  .make()),
              "")
        << length;
}
struct large_key {
  std::uint32_t key, padding[5];
  bool operator<(const large_key& other) const { return key < other.key; }
};
/// Large items stay where they are, and their indices are sorted; values move with them.
template <class Key, class Value>
experiment sort_of_large_items(std::size_t n, bool in_place) {
  const std::vector<int> offsets = make_offsets(n - 50, 7, {0, 2, 90, 400});
  const auto random = random_items<std::uint32_t>(n);
  std::vector<Key> keys(n);
  std::vector<Value> values(n);
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key = random[i] % 100;
    std::memcpy(static_cast<void*>(&keys[i]), &key, sizeof key);
    std::memcpy(static_cast<void*>(&values[i]), &i, sizeof i);
    order[i] = std::uint32_t(i);
  }
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(order.begin() + offsets[s], order.begin() + offsets[s + 1],
                     [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::vector<Key> expected = keys;
  std::vector<Value> expected_values = values;
  for (std::size_t i = 0; i < n; ++i)
    expected[i] = keys[order[i]], expected_values[i] = values[order[i]];
  const auto starts = std::make_shared<device_array<int>>(offsets);
  const auto in = std::make_shared<device_array<Key>>(keys),
             got = std::make_shared<device_array<Key>>(n);
  const auto values_in = std::make_shared<device_array<Value>>(values),
             values_got = std::make_shared<device_array<Value>>(n);
  const two_phases call{[=](void* temp, std::size_t& bytes) {
    const map_of_offsets<int*> segments{starts->data(), offsets.size() - 1};
    return sort_segments(temp, bytes, static_cast<const Key*>((in_place ? got : in)->data()),
                         got->data(),
                         static_cast<const Value*>((in_place ? values_got : values_in)->data()),
                         values_got->data(), n, segments, std::less<Key>{}, nullptr);
  }};
  return {[=] { got->assign(keys), values_got->assign(values); }, call,
          [=] {
            return difference(got->to_host(), expected) +
                   difference(values_got->to_host(), expected_values);
          }};
}
TEST(sort_segments, of_large_items) {
  for (const bool in_place : {false, true}) {
    EXPECT_EQ(try_on_machines(3, sort_of_large_items<large_key, large_key>(900, in_place)), "")
        << in_place;
    EXPECT_EQ(try_on_machines(3, sort_of_large_items<std::uint32_t, large_key>(900, in_place)), "")
        << in_place;
  }
}
/// Segments that do not lie one behind the other, nor in order.
TEST(sort_segments, with_a_begin_and_an_end_each) {
  const std::size_t n = 1500;
  const std::vector<int> begins = {900, 0, 30, 100, 100, 700}, ends = {1400, 25, 31, 600, 100, 890};
  const auto keys = random_items<std::uint32_t>(n);
  auto expected = keys;
  for (std::size_t s = 0; s < begins.size(); ++s)
    std::stable_sort(expected.begin() + begins[s], expected.begin() + ends[s], by_low_bits{});
  const device_array<int> begins_in(begins), ends_in(ends);
  const device_array<std::uint32_t> in(keys);
  device_array<std::uint32_t> got(n);
  const two_phases call{[&](void* temp, std::size_t& bytes) {
    no_value* const none = nullptr;
    return sort_ranges(temp, bytes, static_cast<const std::uint32_t*>(in.data()), got.data(),
                       static_cast<const no_value*>(none), none, n, begins_in.data(),
                       ends_in.data(), begins.size(), by_low_bits{}, nullptr);
  }};
  const experiment sort{[&] { got.assign(keys); }, call,
                        [&] { return difference(got.to_host(), expected); }};
  EXPECT_EQ(try_on_machines(3, sort), "");
}
TEST(sort_segments, without_items) {
  EXPECT_EQ(try_on_machines(2, sort_of_segments<>{{3, 3, 3}, 10, true}.make()), "");
}
/// Integers alone, some of which are equal, go through a network.
TEST(sort_segments, of_integers_alone) {
  const std::size_t n = 1700;
  auto keys = random_items<std::uint32_t>(n);
  for (auto& key : keys) key %= 300;
  const std::vector<int> offsets = make_offsets(n, 3, {2, 40, 900});
  auto expected = keys;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1],
              std::greater<std::uint32_t>{});
  const device_array<int> offsets_in(offsets);
  device_array<std::uint32_t> got(n);
  const map_of_offsets<int*> segments{offsets_in.data(), offsets.size() - 1};
  const two_phases call{[&](void* temp, std::size_t& bytes) {
    const std::uint32_t* const in = got.data();
    no_value* const none = nullptr;
    return sort_segments(temp, bytes, in, got.data(), none, none, n, segments,
                         radix_order<descending>{}, nullptr);
  }};
  const experiment sort{[&] { got.assign(keys); }, call,
                        [&] { return difference(got.to_host(), expected); }};
  EXPECT_EQ(try_on_machines(5, sort), "");
}
/// Keys of two bytes are merged in another way. A thread has 9 items.
TEST(sort_segments, of_small_items) {
  const std::size_t n = 1500;
  std::vector<std::uint16_t> keys;
  for (const std::uint32_t random : random_items<std::uint32_t>(n))
    keys.push_back(std::uint16_t(random % 512));
  for (const int length : {9, 11, 14, 60}) {
    for (const auto& offsets :
         {offsets_of_length(int(n), length), offsets_with_some_of_length(int(n), length)}) {
      auto expected = keys;
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        std::stable_sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1],
                         by_low_bits{});
      const device_array<int> offsets_in(offsets);
      device_array<std::uint16_t> got(n);
      const map_of_offsets<int*> segments{offsets_in.data(), offsets.size() - 1};
      const two_phases call{[&](void* temp, std::size_t& bytes) {
        const std::uint16_t* const in = got.data();
        no_value* const none = nullptr;
        return sort_segments(temp, bytes, in, got.data(), none, none, n, segments, by_low_bits{},
                             nullptr);
      }};
      const experiment sort{[&] { got.assign(keys); }, call,
                            [&] { return difference(got.to_host(), expected); }};
      EXPECT_EQ(try_on_machines(2, sort), "") << length;
    }
  }
}
/// Floats lie in tiles as bits. Zeros of both signs are equivalent, so they keep their order.
template <class Direction>
void sort_floats(const std::vector<int>& offsets) {
  const std::size_t n = std::size_t(offsets.back());
  std::vector<float> keys;
  for (const std::uint32_t random : random_items<std::uint32_t>(n)) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float values[] = {
        -0.0f, 0.0f, nan, -nan, -1.5f, 2.0f, -std::numeric_limits<float>::infinity()};
    // Only a part of the threads have a -0.0.
    keys.push_back(random % 64 == 0  ? values[0]
                   : random % 4 == 0 ? values[random / 64 % 6 + 1]
                                     : float(int(random)));
  }
  auto expected = keys;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1],
                     radix_order<Direction>{});
  const auto bits_of = [](const std::vector<float>& floats) {
    std::vector<std::uint32_t> bits(floats.size());
    std::memcpy(bits.data(), floats.data(), floats.size() * sizeof(float));
    return bits;
  };
  const device_array<int> offsets_in(offsets);
  const device_array<float> in(keys);
  device_array<float> got(n);
  const map_of_offsets<int*> segments{offsets_in.data(), offsets.size() - 1};
  const two_phases call{[&](void* temp, std::size_t& bytes) {
    no_value* const none = nullptr;
    return sort_segments(temp, bytes, in.data(), got.data(), none, none, n, segments,
                         radix_order<Direction>{}, nullptr);
  }};
  const experiment sort{[&] { got.assign(std::vector<float>(n)); }, call,
                        [&] { return difference(bits_of(got.to_host()), bits_of(expected)); }};
  EXPECT_EQ(try_on_machines(2, sort), "") << n;
}
TEST(sort_segments, of_floats) {
  for (const int n : {900, 1500}) {
    for (const int length : {3, 5, 20, 400}) {
      sort_floats<ascending>(offsets_of_length(n, length));
      sort_floats<descending>(offsets_with_some_of_length(n, length));
    }
  }
}
/// The map from flags: what crosses a boundary is found by one block.
TEST(sort_segments, by_flags) {
  for (const std::size_t n : {std::size_t{5}, std::size_t{4000}}) {
    auto keys = random_items<std::uint32_t>(n);
    std::vector<char> flags(n);
    for (const int head : make_offsets(n, 0, {1, 3, 50, 1500}))
      if (std::size_t(head) < n) flags[std::size_t(head)] = 1;
    flags[0] = 0;  // begins one all the same
    auto expected = keys;
    for (std::size_t begin = 0, end; begin < n; begin = end) {
      for (end = begin + 1; end < n && flags[end] == 0;) ++end;
      std::stable_sort(expected.begin() + std::ptrdiff_t(begin),
                       expected.begin() + std::ptrdiff_t(end), by_low_bits{});
    }
    const device_array<char> flags_in(flags);
    device_array<std::uint32_t> got(n);
    const two_phases call{[&](void* temp, std::size_t& bytes) {
      const std::uint32_t* const in = got.data();
      no_value* const none = nullptr;
      return sort_segments(temp, bytes, in, got.data(), none, none, n,
                           map_of_flags<char*>{flags_in.data()}, by_low_bits{}, nullptr);
    }};
    const experiment sort{[&] { got.assign(keys); }, call,
                          [&] { return difference(got.to_host(), expected); }};
    EXPECT_EQ(try_on_machines(3, sort), "") << n;
    // A barrier is for more tiles than a block has threads, which would take long here.
    if (n > 1000) expect_all_needed(5, sort, names{"segment_map.cuh __syncthreads()"});
  }
}

/// Sorts numbers by an order of bits, with their places if Value is a number. `random_bits`: those
/// that vary between keys.
template <class Key, class Value, class Order>
class sort_of_numbers {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;

 public:
  sort_of_numbers(std::vector<int> offsets, std::size_t n, unsigned random_bits, bool in_place,
                  Order order)
      : expected_(n),
        expected_values_(n),
        offsets_{offsets},
        in_{n},
        got_{n},
        values_in_{n},
        got_values_{n},
        call_{[=](void* temp, std::size_t& bytes) {
          const auto* const keys = in_place ? got_.data() : in_.data();
          const auto* const values = in_place ? got_values_.data() : values_in_.data();
          const map_of_offsets<int*> segments{offsets_.data(), offsets.size() - 1};
          // As many items as the segments have: they may begin behind the first one.
          const auto count = std::size_t(offsets.back() - offsets.front());
          return sort_segments(temp, bytes, keys, got_.data(), values, got_values_.data(), count,
                               segments, order, nullptr);
        }} {
    std::vector<std::size_t> places(n);
    for (const std::uint32_t random : random_items<std::uint32_t>(n))
      keys_.push_back(Key(random & random_bits));
    for (std::size_t i = 0; i < n; ++i) {
      places[i] = i;
      values_.push_back(make_value(i));
    }
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      std::stable_sort(places.begin() + offsets[s], places.begin() + offsets[s + 1],
                       [&](auto a, auto b) { return order(keys_[a], keys_[b]); });
    for (std::size_t i = 0; i < n; ++i)
      expected_[i] = keys_[places[i]], expected_values_[i] = make_value(places[i]);
  }
  experiment make() {
    return {[this] {
              in_.assign(keys_);
              values_in_.assign(values_);
              got_.assign(keys_);
              got_values_.assign(values_);
            },
            call_,
            [this] {
              std::string found = difference(got_.to_host(), expected_);
              if constexpr (has_values)
                found += difference(got_values_.to_host(), expected_values_);
              return found;
            }};
  }

 private:
  static Value make_value(std::size_t i) {
    if constexpr (has_values) return Value(i);
    return {};
  }
  std::vector<Key> keys_, expected_;
  std::vector<Value> values_, expected_values_;
  device_array<int> offsets_;
  device_array<Key> in_, got_;
  device_array<Value> values_in_, got_values_;
  two_phases call_;
};

/// A tile has 512 items: lengths at its borders, short and long segments mixed, and empty ones.
std::vector<std::vector<int>> offsets_for_radix_sorts() {
  return {{0, 511, 1023, 1536, 2049, 2049, 2050},
          {7, 3000},
          {0, 0, 0},
          {100, 612, 1125, 1638, 1640, 2700},
          {5, 1029, 1030, 3000},
          {2, 3, 3, 90, 101, 600}};
}
TEST(radix_sort_segments, by_digits) {
  for (const auto& offsets : offsets_for_radix_sorts())
    for (const bool in_place : {false, true}) {
      EXPECT_EQ(try_on_machines(2,
                                sort_of_numbers<std::uint16_t, no_value, radix_order<ascending>>{
                                    offsets, 3100, 0xffff, in_place, {}}
                                    .make()),
                "");
      EXPECT_EQ(
          try_on_machines(2,
                          sort_of_numbers<std::int16_t, std::uint32_t, radix_order<descending>>{
                              offsets, 3100, 0xffff, in_place, {}}
                              .make()),
          "");
    }
}
/// Passes whose digit is the same in each segment move nothing, or copy.
TEST(radix_sort_segments, of_which_few_digits_vary) {
  for (const unsigned random_bits : {0u, 0xffu, 0xff00u, 0x0ff0u})
    for (const bool in_place : {false, true})
      EXPECT_EQ(
          try_on_machines(3,
                          sort_of_numbers<std::int16_t, std::uint32_t, radix_order<ascending>>{
                              {3, 700, 1800, 1801, 2500}, 2600, random_bits, in_place, {}}
                              .make()),
          "")
          << random_bits << in_place;
}
TEST(radix_sort_segments, by_some_bits) {
  const std::vector<int> offsets = {3, 700, 1800, 1801, 2500};
  for (const order_of_bits<ascending> bits :
       {order_of_bits<ascending>{0, 3}, order_of_bits<ascending>{5, 14},
        order_of_bits<ascending>{15, 16}, order_of_bits<ascending>{4, 4}})
    for (const bool in_place : {false, true})
      EXPECT_EQ(
          try_on_machines(3,
                          sort_of_numbers<std::int16_t, std::uint32_t, order_of_bits<ascending>>{
                              offsets, 2600, 0xffff, in_place, bits}
                              .make()),
          "")
          << bits.first_bit << in_place;
}
TEST(radix_sort_segments, needs_every_ordering) {
  expect_all_needed(10,
                    sort_of_numbers<std::int16_t, std::uint32_t, radix_order<ascending>>{
                        {0, 300, 1100, 1100, 1500, 2700, 2800}, 2800, 0xffff, true, {}}
                        .make());
}

/// With a block for each segment: lengths at the borders of a block and of steps, some long ones.
std::vector<std::vector<int>> offsets_for_blocks() {
  return {{0, 511, 1023, 1536, 2049, 2049, 2050},
          {7, 519, 3000},
          {7, 520, 3000},
          {0, 0, 0},
          {0, 1, 514, 1026, 1539, 2051, 2052},
          {128, 256, 896, 897, 1024, 2900},
          {2, 3, 3, 90, 101, 600},
          {5, 400}};
}
TEST(sort_each_segment, by_digits) {
  for (const auto& offsets : offsets_for_blocks())
    for (const bool in_place : {false, true}) {
      EXPECT_EQ(try_on_machines(3,
                                sort_of_numbers<std::int32_t, no_value, radix_order<descending>>{
                                    offsets, 3000, 0xffffffff, in_place, {}}
                                    .make()),
                "")
          << offsets[1] << in_place;
      EXPECT_EQ(
          try_on_machines(3,
                          sort_of_numbers<std::int32_t, std::uint32_t, radix_order<ascending>>{
                              offsets, 3000, 0x3f, in_place, {}}
                              .make()),
          "")
          << offsets[1] << in_place;
    }
}
TEST(sort_each_segment, by_some_bits) {
  for (const order_of_bits<ascending> bits :
       {order_of_bits<ascending>{5, 14}, order_of_bits<ascending>{3, 3}})
    EXPECT_EQ(
        try_on_machines(3,
                        sort_of_numbers<std::int32_t, std::uint32_t, order_of_bits<ascending>>{
                            {3, 700, 1800, 1801, 2500}, 2600, 0xffff, true, bits}
                            .make()),
        "")
        << bits.first_bit;
}
TEST(sort_each_segment, needs_every_ordering) {
  expect_all_needed(10,
                    sort_of_numbers<std::int32_t, std::uint32_t, radix_order<ascending>>{
                        {0, 300, 1100, 1100, 1500, 2700, 2800}, 2800, 0xffff, true, {}}
                        .make());
}

TEST(sort_segments, needs_every_ordering) {
  expect_all_needed(20, sort_of_segments<>{make_offsets(1100, 0, {0, 3, 50, 4000}), 1100, true}
                            .make());  // without a map
  // So many segments in a tile that each warp marks some of their heads.
  const auto many = make_offsets(1500, 0, {0, 0, 0, 3, 3, 50, 4000});
  expect_all_needed(20, sort_of_segments<>{many, 1500, true}.make());  // each block searches
  expect_all_needed(20, sort_of_segments<>{make_offsets(6000, 0, {0, 3, 50, 4000}), 6000, false}
                            .make());  // a kernel does
}

}  // namespace
