// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs and tuples, those of Thrust and those of the standard library, in calls that fold them: our
// kernels run them. (A call that stock gets fails here: nobody emulates its kernels.) And items
// whose constructor takes anything, in calls that only copy and compare them.
#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include "calls_testing.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace emulation;
using std::size_t, std::ptrdiff_t;
using u32 = std::uint32_t;

constexpr size_t sizes[] = {1, 33, 1000, 5003};

/// Of any pair or tuple; all members are u32.
template <class T>
u32& first_of(T& item) {
  using std::get;
  return get<0>(item);
}
template <class T>
u32& second_of(T& item) {
  using std::get;
  return get<1>(item);
}

/// The affine map x -> first x + second of two maps, one after the other: the order of the operands
/// matters.
struct after {
  template <class T>
  T operator()(T a, T b) const {
    second_of(a) = first_of(b) * second_of(a) + second_of(b);
    first_of(a) *= first_of(b);
    return a;
  }
};
/// For reductions, which take their operands in any order.
struct sums {
  template <class T>
  T operator()(T a, T b) const {
    first_of(a) += first_of(b);
    second_of(a) ^= second_of(b);
    return a;
  }
};
struct less_second {
  template <class T>
  bool operator()(T a, T b) const {
    return second_of(a) % 1000 < second_of(b) % 1000;
  }
};
/// Equal neighbours, of which there are many.
struct same_run {
  template <class T>
  bool operator()(T a, T b) const {
    return second_of(a) / 8 % 2 == second_of(b) / 8 % 2;
  }
};

template <class T>
std::vector<T> items_of(size_t n) {
  std::vector<T> items(n);
  const std::vector<u32> drawn = numbers<u32>(2 * n);
  for (size_t i = 0; i < n; ++i) {
    first_of(items[i]) = drawn[2 * i] | 1;
    second_of(items[i]) = drawn[2 * i + 1];
  }
  return items;
}
template <class T>
std::vector<T> with_room(std::vector<T> items, size_t outputs) {
  items.resize(items.size() * (1 + outputs));
  return items;
}

/// Of more bytes than tiles hand over in words.
using wide_tuple = std::tuple<u32, u32, u32, u32, u32, u32, u32, u32>;

template <class T>
class Pairs : public testing::Test {};
using all_pairs = testing::Types<std::pair<u32, u32>, std::tuple<u32, u32>,
                                 std::tuple<u32, u32, u32>, wide_tuple, thrust::pair<u32, u32>,
                                 thrust::tuple<u32, u32>, cuda::std::tuple<u32, u32, u32>>;
TYPED_TEST_SUITE(Pairs, all_pairs, );

TYPED_TEST(Pairs, Scans) {
  for (const size_t n : sizes) {
    call_of<TypeParam> call{with_room(items_of<TypeParam>(n), 1)};
    TypeParam* const expected = call.expected.data();
    expected[n] = expected[0];
    for (size_t i = 1; i < n; ++i) expected[n + i] = after{}(expected[n + i - 1], expected[i]);
    call.every_way([n](auto policy, TypeParam* in) {
      thrust::inclusive_scan(policy, in, in + n, in + n, after{});
    });
  }
}

TYPED_TEST(Pairs, ScansByKey) {
  for (const size_t n : sizes) {
    call_of<TypeParam> call{with_room(items_of<TypeParam>(n), 1)};
    TypeParam* const expected = call.expected.data();
    for (size_t i = 0; i < n; ++i)
      expected[n + i] = i > 0 && same_run{}(expected[i - 1], expected[i])
                            ? after{}(expected[n + i - 1], expected[i])
                            : expected[i];
    call.every_way([n](auto policy, TypeParam* in) {
      thrust::inclusive_scan_by_key(policy, in, in + n, in, in + n, same_run{}, after{});
    });
  }
}

TYPED_TEST(Pairs, ReduceAndExtrema) {
  for (const size_t n : sizes) {
    const std::vector<TypeParam> items = items_of<TypeParam>(n);
    TypeParam fold = items[0];
    for (const TypeParam& item : items) fold = sums{}(fold, item);
    const auto least = std::min_element(items.begin(), items.end(), less_second{}) - items.begin();
    call_of<TypeParam> call{items};
    call.every_way_but_captured([&](auto policy, TypeParam* in) {
      EXPECT_TRUE(thrust::reduce(policy, in, in + n, items[0], sums{}) == fold);
      EXPECT_EQ(thrust::min_element(policy, in, in + n, less_second{}), in + least);
    });
  }
}

TYPED_TEST(Pairs, ReduceByKey) {
  for (const size_t n : sizes) {
    call_of<TypeParam> call{with_room(items_of<TypeParam>(n), 2)};
    TypeParam *const keys = call.expected.data(), *const sums = keys + 2 * n;
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) {
      const bool goes_on = i > 0 && same_run{}(keys[i - 1], keys[i]);
      sums[count - goes_on] = goes_on ? after{}(sums[count - 1], keys[i]) : keys[i];
      keys[n + count - goes_on] = keys[i];  // the last key of the run
      count += !goes_on;
    }
    call.every_way_but_captured([=](auto policy, TypeParam* in) {
      const auto ends =
          thrust::reduce_by_key(policy, in, in + n, in, in + n, in + 2 * n, same_run{}, after{});
      EXPECT_EQ(ends.first, in + n + count);
    });
  }
}

/// Short segments, an empty one, and one that is longer than several chunks.
TYPED_TEST(Pairs, Segments) {
  for (const size_t n : sizes) {
    const std::vector<u32> offsets{0, 0, u32(n / 20), u32(n / 10), u32(n)};
    const size_t num_segments = offsets.size() - 1;
    call_of<TypeParam> call{with_room(items_of<TypeParam>(n + num_segments), 1)};
    TypeParam *const items = call.expected.data(), *const folds = items + n,
                     *const scanned = folds + num_segments;
    const TypeParam init = items[0];
    for (size_t s = 0; s < num_segments; ++s) {
      folds[s] = init;
      for (size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
        folds[s] = after{}(folds[s], items[i]);
        scanned[i] = i == offsets[s] ? items[i] : after{}(scanned[i - 1], items[i]);
      }
    }
    call.every_way([&](auto policy, TypeParam* in) {
      const auto segments = hindsight::by_offsets(offsets);
      hindsight::reduce_segments(policy, in, in + n, segments, in + n, init, after{});
      hindsight::inclusive_scan_segments(policy, in, in + n, segments, in + n + num_segments,
                                         after{});
    });
  }
}

TYPED_TEST(Pairs, Selections) {
  for (const size_t n : sizes) {
    call_of<TypeParam> call{with_room(items_of<TypeParam>(n), 1)};
    const auto is_low = [](TypeParam item) { return second_of(item) % 3 == 0; };
    const auto in = call.expected.begin();
    const auto kept = std::copy_if(in, in + ptrdiff_t(n), in + ptrdiff_t(n), is_low) - in;
    call.every_way_but_captured([=](auto policy, TypeParam* items) {
      EXPECT_EQ(thrust::copy_if(policy, items, items + n, items + n, is_low), items + kept);
    });
  }
}

/// Made of anything, also, by a better match than the copy constructor, of an item that is not
/// const.
template <class Word>
struct made_of_anything {
  Word value;
  made_of_anything() = default;
  template <class T>
  made_of_anything(T&&) : value{Word(~Word{0})} {}
  bool operator==(const made_of_anything& other) const { return value == other.value; }
};
/// Nothing but its assignment makes an item of a number here.
struct sum_of_values {
  template <class T>
  T operator()(const T& a, const T& b) const {
    T sum;
    sum.value = static_cast<decltype(sum.value)>(a.value + b.value);
    return sum;
  }
};

template <class Word>
class MadeOfAnything : public testing::Test {};
using all_words = testing::Types<u32, std::uint16_t>;
TYPED_TEST_SUITE(MadeOfAnything, all_words, );

/// Runs of three equal numbers, behind them room for two outputs.
template <class Word>
std::vector<Word> runs_with_room(size_t n) {
  std::vector<Word> numbers(3 * n);
  for (size_t i = 0; i < n; ++i) numbers[i] = static_cast<Word>(i / 3 % 100 + 1);
  return numbers;
}

TYPED_TEST(MadeOfAnything, Runs) {
  for (const size_t n : sizes) {
    call_of<TypeParam> call{runs_with_room<TypeParam>(n)};
    TypeParam* const expected = call.expected.data();
    for (size_t i = 0; i < n; i += 3) expected[n + i / 3] = expected[2 * n + i / 3] = expected[i];
    const size_t num_runs = (n + 2) / 3;
    call.every_way_but_captured([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<made_of_anything<TypeParam>*>(numbers);
      EXPECT_EQ(thrust::unique_copy(policy, in, in + n, in + n), in + n + num_runs);
      const device_array<u32> lengths{n};
      const auto ends =
          hindsight::run_length_encode(policy, in, in + n, in + 2 * n, lengths.data());
      EXPECT_EQ(ends.first, in + 2 * n + num_runs);
    });
  }
}

TYPED_TEST(MadeOfAnything, Differences) {
  for (const size_t n : sizes) {
    call_of<TypeParam> call{runs_with_room<TypeParam>(n)};
    TypeParam* const expected = call.expected.data();
    for (size_t i = n; i-- > 0;)
      expected[n + i] = expected[i] += i > 0 ? expected[i - 1] : TypeParam{0};
    call.every_way([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<made_of_anything<TypeParam>*>(numbers);
      thrust::adjacent_difference(policy, in, in + n, in + n, sum_of_values{});
      thrust::adjacent_difference(policy, in, in + n, in, sum_of_values{});
    });
  }
}

/// The same of both members of a pair.
struct sums_of_members {
  template <class T>
  T operator()(const T& a, const T& b) const {
    using thrust::get;
    T sums;
    get<0>(sums) = sum_of_values{}(get<0>(a), get<0>(b));
    get<1>(sums) = sum_of_values{}(get<1>(a), get<1>(b));
    return sums;
  }
};

TYPED_TEST(MadeOfAnything, DifferencesOfPairsInPlace) {
  for (const size_t n : sizes) {
    call_of<TypeParam> call{runs_with_room<TypeParam>(n)};
    TypeParam* const expected = call.expected.data();
    for (size_t i = n; i-- > 1;) {
      expected[i] += expected[i - 1];
      expected[n + i] += expected[n + i - 1];
    }
    call.every_way([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<made_of_anything<TypeParam>*>(numbers);
      const auto pairs = thrust::make_zip_iterator(in, in + n);
      thrust::adjacent_difference(policy, pairs, pairs + n, pairs, sums_of_members{});
    });
  }
}

/// The same; what is made of anything counts as nothing. (Stock hands on initial values that are
/// not const.)
struct sum_of_others {
  template <class T>
  T operator()(const T& a, const T& b) const {
    if (a.value == decltype(a.value)(~decltype(a.value){0})) return b;
    return sum_of_values{}(a, b);
  }
};
struct less_value {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a.value < b.value;
  }
};
struct is_odd {
  template <class T>
  bool operator()(const T& item) const {
    return item.value % 2 != 0;
  }
  bool operator()(u32 number) const { return number % 2 != 0; }
  bool operator()(std::uint16_t number) const { return number % 2 != 0; }
};

TYPED_TEST(MadeOfAnything, Folds) {
  using item = made_of_anything<TypeParam>;
  for (const size_t n : sizes) {
    const std::vector<TypeParam> numbers = runs_with_room<TypeParam>(n);
    TypeParam sum = 0;
    for (size_t i = 0; i < n; ++i) sum = static_cast<TypeParam>(sum + numbers[i]);
    call_of<TypeParam> call{numbers};
    call.every_way_but_captured([=](auto policy, TypeParam* items) {
      const auto in = reinterpret_cast<item*>(items);
      const item zero{};
      EXPECT_EQ(thrust::reduce(policy, in, in + n, zero, sum_of_others{}).value, sum);
      EXPECT_EQ(thrust::max_element(policy, in, in + n, less_value{}),
                in + (std::max_element(numbers.begin(), numbers.begin() + ptrdiff_t(n)) -
                      numbers.begin()));
    });
  }
}

TYPED_TEST(MadeOfAnything, Scans) {
  using item = made_of_anything<TypeParam>;
  for (const size_t n : sizes) {
    call_of<TypeParam> call{runs_with_room<TypeParam>(n)};
    TypeParam* const expected = call.expected.data();
    for (size_t i = 0; i < n; ++i) {
      expected[n + i] = static_cast<TypeParam>(expected[i] + (i > 0 ? expected[n + i - 1] : 0));
      expected[2 * n + i] = static_cast<TypeParam>(expected[i] * (i % 3 + 1));
    }
    call.every_way([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<item*>(numbers);
      thrust::inclusive_scan(policy, in, in + n, in + n, sum_of_values{});
      thrust::inclusive_scan_by_key(policy, in, in + n, in, in + 2 * n, cuda::std::equal_to<item>{},
                                    sum_of_values{});
    });
  }
}

TYPED_TEST(MadeOfAnything, SumsByKey) {
  using item = made_of_anything<TypeParam>;
  for (const size_t n : sizes) {
    call_of<TypeParam> call{runs_with_room<TypeParam>(n)};
    TypeParam* const expected = call.expected.data();
    for (size_t i = 0; i < n; ++i) {
      const TypeParam before = i % 3 > 0 ? expected[2 * n + i / 3] : TypeParam{0};
      expected[n + i / 3] = expected[i];
      expected[2 * n + i / 3] = static_cast<TypeParam>(before + expected[i]);
    }
    const size_t num_runs = (n + 2) / 3;
    call.every_way_but_captured([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<item*>(numbers);
      const auto ends = thrust::reduce_by_key(policy, in, in + n, in, in + n, in + 2 * n,
                                              cuda::std::equal_to<item>{}, sum_of_values{});
      EXPECT_EQ(ends.first, in + n + num_runs);
    });
  }
}

TYPED_TEST(MadeOfAnything, Segments) {
  using item = made_of_anything<TypeParam>;
  for (const size_t n : sizes) {
    if (n < 20) continue;
    const std::vector<u32> offsets{0, u32(n / 20), u32(n / 10), u32(n)};
    call_of<TypeParam> call{runs_with_room<TypeParam>(n + 3)};
    TypeParam* const expected = call.expected.data();
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      TypeParam sum = 0;
      for (size_t i = offsets[s]; i < offsets[s + 1]; ++i)
        expected[n + 3 + i] = sum = static_cast<TypeParam>(sum + expected[i]);
      expected[n + s] = sum;
    }
    call.every_way([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<item*>(numbers);
      const item zero{};
      const auto segments = hindsight::by_offsets(offsets);
      hindsight::reduce_segments(policy, in, in + n, segments, in + n, zero, sum_of_others{});
      hindsight::inclusive_scan_segments(policy, in, in + n, segments, in + n + 3, sum_of_values{});
    });
  }
}

TYPED_TEST(MadeOfAnything, Sorts) {
  for (const size_t n : sizes) {
    call_of<TypeParam> call{runs_with_room<TypeParam>(n)};
    std::sort(call.expected.begin(), call.expected.begin() + ptrdiff_t(n));
    call.every_way([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<made_of_anything<TypeParam>*>(numbers);
      thrust::sort(policy, in, in + n, less_value{});
    });
  }
}

TYPED_TEST(MadeOfAnything, Selections) {
  for (const size_t n : sizes) {
    call_of<TypeParam> call{runs_with_room<TypeParam>(n)};
    const auto in = call.expected.begin(), behind = in + ptrdiff_t(n);
    const auto count = std::copy_if(in, behind, behind, is_odd{}) - behind;
    call.every_way_but_captured([=](auto policy, TypeParam* numbers) {
      const auto items = reinterpret_cast<made_of_anything<TypeParam>*>(numbers);
      EXPECT_EQ(thrust::copy_if(policy, items, items + n, items + n, is_odd{}), items + n + count);
    });
  }
}

/// A zip iterator gives references to items that are not const.
struct first_is_odd {
  template <class Pair>
  bool operator()(const Pair& pair) const {
    return thrust::get<0>(pair).value % 2 != 0;
  }
};
TYPED_TEST(MadeOfAnything, Zipped) {
  using item = made_of_anything<TypeParam>;
  for (const size_t n : sizes) {
    call_of<TypeParam> runs{runs_with_room<TypeParam>(n)}, odd{runs_with_room<TypeParam>(n)};
    TypeParam* const expected = runs.expected.data();
    for (size_t i = 0; i < n; i += 3) expected[n + i / 3] = expected[2 * n + i / 3] = expected[i];
    const size_t num_runs = (n + 2) / 3;
    runs.every_way_but_captured([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<item*>(numbers);
      const auto ends = thrust::unique_by_key_copy(policy, in, in + n, in, in + n, in + 2 * n);
      EXPECT_EQ(ends.second, in + 2 * n + num_runs);
    });
    const auto begin = odd.expected.begin(), behind = begin + ptrdiff_t(n);
    const auto count = std::copy_if(begin, behind, behind, is_odd{}) - behind;
    std::copy_if(begin, behind, behind + ptrdiff_t(n), is_odd{});
    odd.every_way_but_captured([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<item*>(numbers);
      const auto pairs = thrust::make_zip_iterator(in, in);
      const auto out = thrust::make_zip_iterator(in + n, in + 2 * n);
      EXPECT_EQ(thrust::copy_if(policy, pairs, pairs + ptrdiff_t(n), out, first_is_odd{}),
                out + count);
    });
  }
}

/// Items that a function computes, and returns as constants.
struct as_constant {
  template <class T>
  const T operator()(const T& item) const {
    return item;
  }
};
TYPED_TEST(MadeOfAnything, Constants) {
  using item = made_of_anything<TypeParam>;
  for (const size_t n : sizes) {
    call_of<TypeParam> call{runs_with_room<TypeParam>(n)};
    TypeParam* const expected = call.expected.data();
    std::partial_sum(expected, expected + n, expected + n);
    call.every_way_but_captured([=](auto policy, TypeParam* numbers) {
      const auto in = reinterpret_cast<item*>(numbers);
      const auto first = thrust::make_transform_iterator(in, as_constant{});
      const item zero{};
      EXPECT_EQ(thrust::reduce(policy, first, first + ptrdiff_t(n), zero, sum_of_others{}).value,
                static_cast<TypeParam>(expected[2 * n - 1]));
      thrust::inclusive_scan(policy, first, first + ptrdiff_t(n), in + n, sum_of_values{});
    });
  }
}

/// Assigned from anything, also, by a better match than the copy assignment, from an item that is
/// const and computed.
struct assigned_from_anything {
  u32 value;
  template <class T>
  assigned_from_anything& operator=(T&&) {
    value = ~u32{0};
    return *this;
  }
};
TEST(AssignedFromAnything, Tables) {
  for (const size_t height : {1, 63, 64, 65, 200}) {
    constexpr size_t width = 5;
    std::vector<u32> numbers(2 * width * height);
    for (size_t i = 0; i < width * height; ++i) numbers[i] = static_cast<u32>(i % 7 + 1);
    call_of<u32> call{numbers};
    u32 *const in = call.expected.data(), *const table = in + width * height;
    for (size_t y = 0; y < height; ++y) {
      for (size_t x = 0; x < width; ++x) {
        const auto sum_at = [=](size_t row, size_t column) {
          return row > 0 && column > 0 ? table[(row - 1) * width + column - 1] : 0;
        };
        table[y * width + x] =
            in[y * width + x] + sum_at(y, x + 1) + sum_at(y + 1, x) - sum_at(y, x);
      }
    }
    call.every_way([=](auto policy, u32* items) {
      const auto pixels = reinterpret_cast<assigned_from_anything*>(items);
      hindsight::summed_area_table(policy, pixels, pixels + width * height, width, height, width,
                                   sum_of_values{});
    });
  }
}

/// The last run ends with a tile.
TEST(AssignedFromAnything, SumsByKey) {
  using item = assigned_from_anything;
  constexpr size_t tile = hindsight::detail::by_key_shape<u32, item>().tile_items();
  for (const size_t num_tiles : {1, 2, 3}) {
    const size_t n = num_tiles * tile;
    std::vector<u32> numbers(4 * n);  // keys, values, and room for both
    for (size_t i = 0; i < n; ++i) numbers[n + i] = static_cast<u32>(i % 7 + 1);
    numbers[0] = 1;  // a run of its own: the other one is in all tiles
    call_of<u32> call{numbers};
    u32* const expected = call.expected.data();
    expected[2 * n] = 1;
    expected[3 * n] = expected[n];
    expected[3 * n + 1] = std::accumulate(expected + n + 1, expected + 2 * n, 0u);
    call.every_way_but_captured([=](auto policy, u32* keys) {
      const auto values = reinterpret_cast<item*>(keys + n);
      const auto ends =
          thrust::reduce_by_key(policy, keys, keys + n, values, keys + 2 * n, values + 2 * n,
                                thrust::equal_to<u32>{}, sum_of_values{});
      EXPECT_EQ(ends.first, keys + 2 * n + 2);
    });
  }
}

}  // namespace
