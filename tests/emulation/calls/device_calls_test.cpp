// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device* functions as programs call them that were written for CUB: outputs that keep nothing,
// template arguments that are named, NULL and 0 for no memory and the default stream, every number
// of items up to the largest tile of a sort, and types of a program's own.
#include <hindsight/device_adjacent_difference.cuh>
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_segmented_radix_sort.cuh>
#include <hindsight/device_segmented_reduce.cuh>
#include <hindsight/device_segmented_scan.cuh>
#include <hindsight/device_segmented_sort.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/device_topk.cuh>

#include <cub/util_type.cuh>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/type_traits>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "calls_testing.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

/// A half of a program's own, which it has told CUB and libcu++ about.
struct short_float {
  std::uint16_t bits;
};
template <>
inline constexpr bool cuda::is_floating_point_v<short_float> = true;
template <>
class cuda::std::numeric_limits<short_float> {
 public:
  static constexpr bool is_specialized = true;
  static short_float max() { return {0x7bff}; }
  static short_float min() { return {0x0400}; }
  static short_float lowest() { return {0xfbff}; }
};
template <>
struct cub::NumericTraits<short_float>
    : cub::BaseTraits<cub::FLOATING_POINT, true, std::uint16_t, short_float> {};

/// Integers of a program's own, likewise.
enum class badge : std::uint32_t {};
enum class level : std::int8_t {};
template <>
class cuda::std::numeric_limits<badge> : public cuda::std::numeric_limits<std::uint32_t> {};
template <>
class cuda::std::numeric_limits<level> : public cuda::std::numeric_limits<std::int8_t> {};
template <>
struct cub::NumericTraits<badge>
    : cub::BaseTraits<cub::UNSIGNED_INTEGER, true, std::uint32_t, badge> {};
template <>
struct cub::NumericTraits<level> : cub::BaseTraits<cub::SIGNED_INTEGER, true, std::uint8_t, level> {
};
template <>
struct cub::NumericTraits<char32_t>
    : cub::BaseTraits<cub::UNSIGNED_INTEGER, true, std::uint32_t, char32_t> {};

namespace {

using namespace emulation;
using u32 = std::uint32_t;

/// Runs both phases of `call(temp, temp_bytes)`.
template <class Call>
void in_two_phases(Call call) {
  std::size_t bytes = 0;
  EXPECT_EQ(call(nullptr, bytes), cudaSuccess);
  const device_array<unsigned char> temp{bytes};
  EXPECT_EQ(call(temp.data(), bytes), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(failed_launch(), "");
}

/// CUB takes the type that thrust::discard_iterator names for none.
TEST(DeviceCalls, OutputsThatKeepNothing) {
  reset_device(0);
  const device_array<int> in{numbers<int>(100)};
  const device_array<int> offsets{std::vector<int>{0, 0, 60, 100}};
  const auto nowhere = thrust::make_discard_iterator();
  namespace lib = hindsight;
  EXPECT_EQ(lib::DeviceReduce::Sum(in.data(), nowhere, 100), cudaSuccess);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lib::DeviceReduce::ArgMin(temp, bytes, in.data(), nowhere, 100);
  });
  const int* const begins = offsets.data();
  const int* const ends = begins + 1;
  using segments = lib::DeviceSegmentedReduce;
  EXPECT_EQ(segments::Sum(in.data(), nowhere, 3, begins, ends), cudaSuccess);
  EXPECT_EQ(segments::ArgMax(in.data(), nowhere, 3, begins, ends), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(failed_launch(), "");
}

/// A number of 64 bits without a sign and without a bound may be more than any memory has.
TEST(DeviceCalls, DeferredNumbersWithoutBounds) {
  EXPECT_EQ(hindsight::detail::bound_of_items(UINT64_MAX), std::size_t{PTRDIFF_MAX});
  EXPECT_EQ(hindsight::detail::bound_of_items(7u), 7u);
  EXPECT_EQ(hindsight::detail::bound_of_items(-1), std::size_t(-1)) << "a call refuses it";
  // Room for so many numbers of 8 bytes is no product modulo 2^64.
  for (const std::size_t most : {std::size_t{1} << 61, std::size_t{PTRDIFF_MAX}}) {
    hindsight::detail::carver space{nullptr};
    space.take<std::uint64_t>(most);
    space.take<char>(1);
    EXPECT_GT(space.bytes(), std::size_t{1} << 60);
  }
#if __has_include(<cuda/argument>)
  reset_device(0);
  const device_array<int> in{std::vector<int>{1, 2, 3, 4}};
  const device_array<std::uint64_t> size{std::vector<std::uint64_t>{3}};
  device_array<int> sum{1};
  EXPECT_EQ(
      hindsight::DeviceReduce::Sum(in.data(), sum.data(), ::cuda::args::deferred{size.data()}),
      cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(failed_launch(), "");
  EXPECT_EQ(sum.to_host(), std::vector<int>{6});
  const ::cuda::args::immediate two{2};
  EXPECT_EQ(hindsight::DeviceReduce::Sum(in.data(), sum.data(), two), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(sum.to_host(), std::vector<int>{3});
  EXPECT_EQ(hindsight::DeviceReduce::Sum(in.data(), sum.data(), ::cuda::args::constant<4>{}),
            cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(sum.to_host(), std::vector<int>{10});
#endif
}

struct by_first {
  cuda::std::tuple<int&> operator()(cuda::std::pair<int, int>& item) const { return {item.first}; }
};
/// Between two buffers without items the current one stays, as in CUB.
TEST(DeviceCalls, BuffersWithoutItems) {
  reset_device(0);
  using item = cuda::std::pair<int, int>;
  device_array<item> a{1}, b{1};
  for (const int n : {0, 1}) {
    cub::DoubleBuffer<item> keys{a.data(), b.data()}, values{a.data(), b.data()};
    in_two_phases([&](void* temp, std::size_t& bytes) {
      return hindsight::DeviceRadixSort::SortKeys(temp, bytes, keys, n, by_first{});
    });
    EXPECT_EQ(keys.selector, n);
    cub::DoubleBuffer<item> other_keys{a.data(), b.data()};
    in_two_phases([&](void* temp, std::size_t& bytes) {
      return hindsight::DeviceRadixSort::SortPairsDescending(temp, bytes, other_keys, values, n,
                                                             by_first{});
    });
    EXPECT_EQ(other_keys.selector, n);
    EXPECT_EQ(values.selector, n);
  }
}

/// One item is no run of several, so it is not read: CUB takes a null pointer there.
TEST(DeviceCalls, NoRunOfSeveralInOneItem) {
  reset_device(0);
  const int* const nothing = nullptr;
  int* const nowhere = nullptr;
  device_array<int> count{std::vector<int>{7}};
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceRunLengthEncode::NonTrivialRuns(temp, bytes, nothing, nowhere, nowhere,
                                                            count.data(), 1);
  });
  EXPECT_EQ(count.to_host(), std::vector<int>{0});
}

struct plus_hundred {
  int operator()(std::ptrdiff_t number) const { return int(number) + 100; }
};

/// The places and lengths of runs may go to outputs that have no value type.
TEST(DeviceCalls, RunsToComputingOutputs) {
  reset_device(0);
  const device_array<int> in{std::vector<int>{7, 7, 7, 8, 9, 9}};
  device_array<int> unique{3}, lengths{3}, offsets{2}, longer{2}, count{1};
  const auto plus_100 = [](device_array<int>& out) {
    return thrust::make_transform_output_iterator(out.data(), plus_hundred{});
  };
  using lib = hindsight::DeviceRunLengthEncode;
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lib::Encode(temp, bytes, in.data(), unique.data(), plus_100(lengths), count.data(), 6);
  });
  EXPECT_EQ(lengths.to_host(), (std::vector<int>{103, 101, 102}));
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lib::NonTrivialRuns(temp, bytes, in.data(), plus_100(offsets), plus_100(longer),
                               count.data(), 6);
  });
  EXPECT_EQ(offsets.to_host(), (std::vector<int>{100, 104}));
  EXPECT_EQ(longer.to_host(), (std::vector<int>{103, 102}));
}

/// Sorts take them, as in CUB: -2, 1, -0, 0.5 and 0 are in the order of their values, and zeros are
/// equal.
TEST(DeviceCalls, KeysOfOwnFloatType) {
  reset_device(0);
  const std::vector<short_float> numbers = {{0xc000}, {0x3c00}, {0x8000}, {0x3800}, {0x0000}};
  const device_array<short_float> keys{numbers};
  const device_array<int> values{std::vector<int>{0, 1, 2, 3, 4}}, offsets{std::vector<int>{0, 5}};
  device_array<short_float> sorted_keys{5};
  device_array<int> sorted_values{5};
  const auto expect_sorted = [&](std::vector<int> expected) {
    const auto bits = sorted_keys.to_host();
    EXPECT_EQ(sorted_values.to_host(), expected);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(bits[i].bits, numbers[expected[i]].bits) << i;
  };
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), sorted_keys.data(),
                                                 values.data(), sorted_values.data(), 5);
  });
  expect_sorted({0, 2, 4, 3, 1});
  const int *const from = offsets.data(), *const to = from + 1;
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceSegmentedSort::SortPairsDescending(
        temp, bytes, keys.data(), sorted_keys.data(), values.data(), sorted_values.data(), 5, 1,
        from, to);
  });
  expect_sorted({1, 3, 2, 4, 0});
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceSegmentedRadixSort::SortPairs(temp, bytes, keys.data(),
                                                          sorted_keys.data(), values.data(),
                                                          sorted_values.data(), 5, 1, from, to);
  });
  expect_sorted({0, 2, 4, 3, 1});
}

template <class Key>
void expect_sorted_as(const std::vector<Key>& keys, const std::vector<int>& ascending) {
  const int n = int(keys.size());
  std::vector<int> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  const device_array<Key> in{keys};
  const device_array<int> values{places}, offsets{std::vector<int>{0, n}};
  device_array<Key> sorted{keys.size()};
  device_array<int> sorted_values{keys.size()};
  const auto expect_places = [&](const std::vector<int>& expected) {
    EXPECT_EQ(sorted_values.to_host(), expected);
    const auto sorted_keys = sorted.to_host();
    for (int i = 0; i < n; ++i) EXPECT_EQ(sorted_keys[i], keys[expected[i]]) << i;
  };
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceRadixSort::SortPairs(temp, bytes, in.data(), sorted.data(),
                                                 values.data(), sorted_values.data(), n);
  });
  expect_places(ascending);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceSegmentedSort::SortPairsDescending(
        temp, bytes, in.data(), sorted.data(), values.data(), sorted_values.data(), n, 1,
        offsets.data(), offsets.data() + 1);
  });
  expect_places({ascending.rbegin(), ascending.rend()});
}

/// As CUB: the traits say whether their highest bit is a sign.
TEST(DeviceCalls, KeysOfOwnIntegerTypes) {
  reset_device(0);
  expect_sorted_as<badge>({badge{0x80000000}, badge{7}, badge{0xffffffff}, badge{300}},
                          {1, 3, 0, 2});
  expect_sorted_as<level>({level{3}, level{-128}, level{127}, level{-1}}, {1, 3, 0, 2});
  expect_sorted_as<char32_t>({U'\U0001F600', U'b', U'a', U'\u00e9'}, {2, 1, 3, 0});
}

/// Made of anything, also, by a better match than the copy constructor, of an item that is not
/// const.
template <int Rest>
struct made_of_anything {
  std::uint16_t number;
  unsigned char rest[Rest];
  made_of_anything() = default;
  template <class T>
  made_of_anything(T&&) : number{0xffff} {}
  bool operator==(const made_of_anything& other) const { return number == other.number; }
};
struct number_of_item {
  template <class Item>
  cuda::std::tuple<std::uint16_t&> operator()(Item& item) const {
    return {item.number};
  }
};
struct by_half {
  bool operator()(int a, int b) const { return a / 2 < b / 2; }
};

template <class Item>
class MadeOfAnything : public testing::Test {};
using items_made_of_anything = testing::Types<made_of_anything<2>, made_of_anything<8>>;
TYPED_TEST_SUITE(MadeOfAnything, items_made_of_anything, );

template <class Item>
std::vector<Item> items_of(const std::vector<int>& numbers) {
  std::vector<Item> items(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    items[i].number = static_cast<std::uint16_t>(numbers[i]);
  return items;
}
template <class Item>
std::vector<int> numbers_of(const device_array<Item>& items, std::size_t n) {
  std::vector<int> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = items.data()[i].number;
  return numbers;
}

TYPED_TEST(MadeOfAnything, ValuesOfSorts) {
  reset_device(0);
  constexpr int n = 5000, segment_items = 5;
  std::vector<int> keys(n), places(n), ends;
  for (int i = 0; i < n; ++i) keys[i] = i * 7919 % n;
  std::iota(places.begin(), places.end(), 0);
  const auto before = [&](int a, int b) { return by_half{}(keys[a], keys[b]); };
  {
    const device_array<int> in{keys};
    const device_array<TypeParam> values{items_of<TypeParam>(places)};
    in_two_phases([&](void* temp, std::size_t& bytes) {
      return hindsight::DeviceMergeSort::SortPairs(temp, bytes, in.data(), values.data(), n,
                                                   by_half{});
    });
    std::vector<int> expected = places;
    std::stable_sort(expected.begin(), expected.end(), before);
    EXPECT_EQ(numbers_of(values, n), expected);
  }
  for (int end = 0; end <= n; end += segment_items) ends.push_back(end);
  const device_array<int> in{keys}, offsets{ends};
  const device_array<TypeParam> values{items_of<TypeParam>(places)};
  in_two_phases([&](void* temp, std::size_t& bytes) {
    const int* const from = in.data();
    const TypeParam* const values_from = values.data();
    return hindsight::DeviceSegmentedSort::SortPairs(temp, bytes, from, in.data(), values_from,
                                                     values.data(), n, n / segment_items,
                                                     offsets.data(), offsets.data() + 1);
  });
  std::vector<int> expected = places;
  for (auto first = expected.begin(); first != expected.end(); first += segment_items)
    std::sort(first, first + segment_items, [&](int a, int b) { return keys[a] < keys[b]; });
  EXPECT_EQ(numbers_of(values, n), expected);
}
TYPED_TEST(MadeOfAnything, Keys) {
  reset_device(0);
  constexpr int n = 3000;
  std::vector<int> numbers(n + 1), runs;
  for (int i = 0; i <= n; ++i) numbers[i] = i / 3;
  for (int i = 1; i <= n; ++i)
    if (i == 1 || numbers[i] != numbers[i - 1]) runs.push_back(numbers[i]);
  const device_array<TypeParam> items{items_of<TypeParam>(numbers)}, heads{runs.size()}, best{3};
  const device_array<int> ones{std::vector<int>(n, 1)}, sums{runs.size()}, num_runs{1};
  in_two_phases([&](void* temp, std::size_t& bytes) {  // at no multiple of 16 bytes
    return hindsight::DeviceReduce::ReduceByKey(temp, bytes, items.data() + 1, heads.data(),
                                                ones.data(), sums.data(), num_runs.data(),
                                                cuda::std::plus<>{}, n);
  });
  EXPECT_EQ(numbers_of(heads, runs.size()), runs);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceTopK::MaxKeys(temp, bytes, items.data(), best.data(), n + 1, 3,
                                          number_of_item{});
  });
  EXPECT_EQ(numbers_of(best, 3), (std::vector<int>{1000, 999, 999}));
}

/// Functions have CUB's template parameters in front, in CUB's order.
TEST(DeviceCalls, NamedTemplateArguments) {
  const int *in = nullptr, *offsets = nullptr;
  int* out = nullptr;
  using at = const int*;
  std::size_t bytes = 0;
  namespace lib = hindsight;
  EXPECT_EQ((lib::DeviceSegmentedSort::SortKeys<int, at, at>(nullptr, bytes, in, out, 9, 2, offsets,
                                                             offsets + 1)),
            cudaSuccess);
  lib::DoubleBuffer<int> buffer;
  EXPECT_EQ((lib::DeviceSegmentedSort::StableSortPairsDescending<int, int, at, at>(
                nullptr, bytes, buffer, buffer, 9, 2, offsets, offsets + 1)),
            cudaSuccess);
  EXPECT_EQ((lib::DeviceSegmentedRadixSort::SortPairs<int, int, at, at>(
                nullptr, bytes, in, out, in, out, 9, 2, offsets, offsets + 1)),
            cudaSuccess);
  using difference = ::cuda::std::minus<>;
  EXPECT_EQ((lib::DeviceAdjacentDifference::SubtractLeftCopy<at, int*, difference>(nullptr, bytes,
                                                                                   in, out, 9, {})),
            cudaSuccess);
  EXPECT_EQ((lib::DeviceSegmentedReduce::Reduce<at, int*, ::cuda::std::plus<>, int>(
                nullptr, bytes, in, out, 3, 3, {}, 0)),
            cudaSuccess);
}
/// The same: operators come before the number of items.
TEST(DeviceCalls, NamedOperators) {
  const int *in = nullptr, *offsets = nullptr;
  int* out = nullptr;
  std::size_t bytes = 0;
  using at = const int*;
  using to = int*;
  using plus = ::cuda::std::plus<>;
  using equal = ::cuda::std::equal_to<>;
  using less = ::cuda::std::less<>;
  using is_set = ::cuda::std::identity;
  using namespace hindsight;
#define EXPECT_A_CALL(...) static_assert(std::is_same_v<decltype(__VA_ARGS__), cudaError_t>)
  EXPECT_A_CALL(DeviceReduce::ArgMin<at, to, to, less>(nullptr, bytes, in, out, out, 9, {}));
  EXPECT_A_CALL(DeviceReduce::ArgMax<at, to, to, less>(in, out, out, 9, {}));
  EXPECT_A_CALL(DeviceReduce::ArgMinMax<at, to, to, to, to, less>(nullptr, bytes, in, out, out, out,
                                                                  out, 9, {}));
  EXPECT_A_CALL(
      DeviceReduce::ArgMinLastMax<at, to, to, to, to, less>(in, out, out, out, out, 9, {}));
  EXPECT_A_CALL(DeviceSelect::Unique<at, to, to, equal>(nullptr, bytes, in, out, out, 9, {}));
  EXPECT_A_CALL(DeviceSelect::Unique<to, to, equal>(out, out, 9, {}));
  EXPECT_A_CALL(DevicePartition::If<at, to, to, is_set>(in, out, out, 9, {}));
  EXPECT_A_CALL(
      DevicePartition::If<at, to, to, to, to, is_set, is_set>(in, out, out, out, out, 9, {}, {}));
  EXPECT_A_CALL(DeviceScan::InclusiveScanByKey<at, at, to, plus, equal>(in, in, out, {}, 9, {}));
  EXPECT_A_CALL(
      DeviceScan::ExclusiveScanByKey<at, at, to, plus, int, equal>(in, in, out, {}, 0, 9, {}));
  EXPECT_A_CALL(DeviceScan::ExclusiveSumByKey<at, at, to, equal>(in, in, out, 9, {}));
  using scan = DeviceSegmentedScan;
  EXPECT_A_CALL(scan::InclusiveSegmentedScan<at, to, at, at, plus>(nullptr, bytes, in, out, offsets,
                                                                   offsets, 9, {}));
  EXPECT_A_CALL(scan::ExclusiveSegmentedScan<at, to, at, at, at, plus, int>(
      nullptr, bytes, in, out, offsets, offsets, offsets, 9, {}, 0));
  EXPECT_A_CALL(scan::InclusiveSegmentedScanInit<at, to, at, at, plus, int>(in, out, offsets,
                                                                            offsets, 9, {}, 0));
#undef EXPECT_A_CALL
}

/// As in CUB: 2.7 and 2.3 are equal as ints, and -1 is the greatest int as an unsigned number.
TEST(DeviceCalls, ExtremaAreComparedAsWhatTheOutputHolds) {
  reset_device(0);
  const device_array<double> in{std::vector<double>{3.5, 2.7, 2.3, 2.9}};
  const device_array<int> with_sign{std::vector<int>{5, -1, 3, -2}};
  const device_array<int> offsets{std::vector<int>{0, 1, 1, 4}};
  device_array<int> least{1}, place{1};
  device_array<u32> greatest{1};
  using pair = cub::KeyValuePair<int, int>;
  device_array<pair> pairs{3};
  using lib = hindsight::DeviceReduce;
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lib::ArgMin(temp, bytes, in.data(), least.data(), place.data(), 4);
  });
  EXPECT_EQ(place.to_host()[0], 1);
  EXPECT_EQ(least.to_host()[0], 2);
  EXPECT_EQ(lib::ArgMax(with_sign.data(), greatest.data(), place.data(), 4), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(place.to_host()[0], 1);
  EXPECT_EQ(greatest.to_host()[0], ~0u);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lib::ArgMin(temp, bytes, in.data(), pairs.data(), 4);
  });
  EXPECT_EQ(pairs.to_host()[0].key, 1);
  EXPECT_EQ(pairs.to_host()[0].value, 2);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceSegmentedReduce::ArgMin(temp, bytes, in.data(), pairs.data(), 3,
                                                    offsets.data(), offsets.data() + 1);
  });
  const auto found = pairs.to_host();
  EXPECT_EQ(found[0].key, 0);
  EXPECT_EQ(found[0].value, 3);
  EXPECT_EQ(found[1].key, 1);
  EXPECT_EQ(found[2].key, 0);
  EXPECT_EQ(found[2].value, 2);
}

/// As in CUB: minima in one call begin with the largest number of the output's type, those in two
/// phases with that of the input's.
TEST(DeviceCalls, MinimaBeginWithALargestNumber) {
  reset_device(0);
  const device_array<int> in{std::vector<int>{300, 200, -300}};
  const device_array<std::int8_t> bytes{1};
  device_array<std::int8_t> out{1};
  device_array<int> of_none{1};
  using lib = hindsight::DeviceReduce;
  EXPECT_EQ(lib::Min(in.data(), out.data(), 2), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out.to_host()[0], 127);
  EXPECT_EQ(lib::Max(in.data() + 2, out.data(), 1), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out.to_host()[0], -128);
  in_two_phases([&](void* temp, std::size_t& temp_bytes) {
    return lib::Min(temp, temp_bytes, in.data(), out.data(), 2);
  });
  EXPECT_EQ(out.to_host()[0], static_cast<std::int8_t>(200));
  EXPECT_EQ(lib::Min(bytes.data(), of_none.data(), 0), cudaSuccess);
  EXPECT_EQ(lib::Min(bytes.data(), thrust::make_discard_iterator(), 1), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(of_none.to_host()[0], std::numeric_limits<int>::max());
}

struct put_found {
  int* out;
  void operator()(std::ptrdiff_t s, const ::cuda::std::pair<int, int>& found) const {
    out[s] = found.first * 100 + found.second;
  }
  void operator()(std::ptrdiff_t s, const cub::KeyValuePair<int, int>& found) const {
    out[s] = -found.key * 100 - found.value;
  }
};
/// An output without a value type gets CUB's pairs: those of segments of one size are libcu++'s.
TEST(DeviceCalls, ExtremaOfSegmentsToComputingOutputs) {
  reset_device(0);
  const device_array<int> in{std::vector<int>{5, 9, 3, 7, 8, 1}};
  const device_array<int> offsets{std::vector<int>{0, 3, 6}};
  device_array<int> found{2};
  const auto to = thrust::make_tabulate_output_iterator(put_found{found.data()});
  using lib = hindsight::DeviceSegmentedReduce;
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lib::ArgMin(temp, bytes, in.data(), to, 2, 3);
  });
  EXPECT_EQ(found.to_host(), (std::vector<int>{203, 201}));
  EXPECT_EQ(lib::ArgMax(in.data(), to, 2, 3), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(found.to_host(), (std::vector<int>{109, 108}));
  const int* const begins = offsets.data();
  EXPECT_EQ(lib::ArgMax(in.data(), to, 2, begins, begins + 1), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(found.to_host(), (std::vector<int>{-109, -108}));
}

/// As in CUB: 1.2 and 1.7 are equal as ints, and so are 1 and 257 as bytes.
TEST(DeviceCalls, RunsAreComparedAsWhatTheOutputHolds) {
  reset_device(0);
  const device_array<double> keys{std::vector<double>{1.2, 1.7, 2.5, -0.5, 0.5}};
  const device_array<int> ints{std::vector<int>{1, 257, 2, -1, 255}};
  const device_array<int> values{std::vector<int>{1, 2, 3, 4, 5}};
  device_array<int> unique{5}, counts{5}, sums{5}, num_runs{1};
  device_array<std::uint8_t> bytes_out{5};
  device_array<u32> wide{5};
  const auto first = [&](const auto& out) {
    const auto all = out.to_host();
    return std::vector<int>(all.begin(), all.begin() + num_runs.to_host()[0]);
  };
  using reduce = hindsight::DeviceReduce;
  using lengths = hindsight::DeviceRunLengthEncode;
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return reduce::ReduceByKey(temp, bytes, keys.data(), unique.data(), values.data(), sums.data(),
                               num_runs.data(), ::cuda::std::plus<>{}, 5);
  });
  EXPECT_EQ(first(unique), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(first(sums), (std::vector<int>{3, 3, 9}));
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lengths::Encode(temp, bytes, ints.data(), bytes_out.data(), counts.data(),
                           num_runs.data(), 5);
  });
  EXPECT_EQ(first(bytes_out), (std::vector<int>{1, 2, 255}));
  EXPECT_EQ(first(counts), (std::vector<int>{2, 1, 2}));
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lengths::Encode(temp, bytes, ints.data(), wide.data(), counts.data(), num_runs.data(),
                           5);
  });
  EXPECT_EQ(first(wide), (std::vector<int>{1, 257, 2, -1, 255}));
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lengths::Encode(temp, bytes, keys.data(), thrust::make_discard_iterator(), counts.data(),
                           num_runs.data(), 5);
  });
  EXPECT_EQ(first(counts), (std::vector<int>{1, 1, 1, 1, 1}));
}

struct sum_of_ints {
  int operator()(int a, int b) const { return a + b; }
};
/// Only the operator converts an initial value, as in CUB: an empty segment has it as it is.
TEST(DeviceCalls, SegmentsBehindAnotherType) {
  reset_device(0);
  const device_array<int> in{std::vector<int>{7, 7, 3, 3}};
  const device_array<int> offsets{std::vector<int>{0, 3, 3, 4}};
  device_array<double> out{3};
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceSegmentedReduce::Reduce(temp, bytes, in.data(), out.data(), 3,
                                                    offsets.data(), offsets.data() + 1,
                                                    sum_of_ints{}, 0.5);
  });
  EXPECT_EQ(out.to_host(), (std::vector<double>{17, 0.5, 3}));
}

/// Offsets may be negative, as in CUB. The two calls take different kernels.
TEST(DeviceCalls, SegmentsBeforeThePointer) {
  reset_device(0);
  const device_array<int> items{std::vector<int>{1, 2, 3, 4, 5, 6}};
  const device_array<int> offsets{std::vector<int>{-3, -1, 3}};
  device_array<int> sums{2};
  const int *const in = items.data() + 3, *const begins = offsets.data();
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceSegmentedReduce::Sum(temp, bytes, in, sums.data(), 2, begins,
                                                 begins + 1);
  });
  EXPECT_EQ(sums.to_host(), (std::vector<int>{3, 18}));
  namespace engine = hindsight::detail::cuda;
  using plus = engine::fold_with<int, ::cuda::std::plus<>>;
  in_two_phases([&](void* temp, std::size_t& bytes) {
    const engine::segment_sums<int*, int, plus> to{sums.data(), 10, plus{}};
    const std::size_t num_items = 6;
    return engine::reduce_segments<int>(temp, bytes, in, begins, 2, num_items, to, 0,
                                        ::cuda::std::plus<>{}, nullptr);
  });
  EXPECT_EQ(sums.to_host(), (std::vector<int>{13, 28}));
}

/// The item without a neighbour is copied by way of the type that the operator returns, as in CUB.
TEST(DeviceCalls, DifferencesOfAnotherType) {
  reset_device(0);
  const device_array<int> in{std::vector<int>{7, 7, 3, 3}};
  device_array<int> out{4};
  const ::cuda::std::not_equal_to<> differs;
  using lib = hindsight::DeviceAdjacentDifference;
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lib::SubtractLeftCopy(temp, bytes, in.data(), out.data(), 4, differs);
  });
  EXPECT_EQ(out.to_host(), (std::vector<int>{1, 0, 1, 0}));
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return lib::SubtractRightCopy(temp, bytes, in.data(), out.data(), 4, differs);
  });
  EXPECT_EQ(out.to_host(), (std::vector<int>{0, 1, 0, 1}));
}

struct price {
  int whole, cents;
};
struct members_of_price {
  ::cuda::std::tuple<int&, int&> operator()(price& key) const { return {key.whole, key.cents}; }
};

/// Both are integers where a template passes them on.
TEST(DeviceCalls, NullAndZero) {
  const int *in = nullptr, *offsets = nullptr;
  int* out = nullptr;
  std::size_t bytes = 0;
  namespace lib = hindsight;
  lib::DoubleBuffer<int> buffer;
  using sort = lib::DeviceSegmentedSort;
  EXPECT_EQ(sort::StableSortKeys(NULL, bytes, in, out, 9, 2, offsets, offsets + 1, 0), cudaSuccess);
  EXPECT_EQ(sort::StableSortKeysDescending(NULL, bytes, buffer, 9, 2, offsets, offsets + 1, 0),
            cudaSuccess);
  EXPECT_EQ(sort::StableSortPairs(NULL, bytes, in, out, in, out, 9, 2, offsets, offsets + 1, 0),
            cudaSuccess);
  const price* keys = nullptr;
  price* sorted = nullptr;
  const members_of_price by;
  using radix = lib::DeviceRadixSort;
  EXPECT_EQ(radix::SortKeys(NULL, bytes, keys, sorted, 9, by, 0), cudaSuccess);
  EXPECT_EQ(radix::SortPairs(NULL, bytes, keys, sorted, in, out, 9, by, 0, 8, 0), cudaSuccess);
}

/// Keys in place and their values not, or the other way round; also where no digit varies.
TEST(DeviceCalls, PairsHalfInPlace) {
  for (const size_t n : {size_t{5}, size_t{9001}}) {
    for (const u32 mask : {0u, 0xffu, ~0u}) {
      SCOPED_TRACE(testing::Message() << n << " keys, bits " << mask);
      reset_device(n);
      std::vector<u32> all_keys = numbers<u32>(n), places(n), expected_keys;
      for (u32& key : all_keys) key &= mask;
      std::iota(places.begin(), places.end(), 0u);
      const std::vector<u32> all_values = places;
      std::stable_sort(places.begin(), places.end(),
                       [&](u32 a, u32 b) { return all_keys[a] < all_keys[b]; });
      for (const u32 place : places) expected_keys.push_back(all_keys[place]);
      device_array<u32> keys{all_keys}, values{all_values}, other{n};
      in_two_phases([&](void* temp, std::size_t& bytes) {
        return hindsight::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), keys.data(),
                                                     values.data(), other.data(), n);
      });
      EXPECT_EQ(keys.to_host(), expected_keys);
      EXPECT_EQ(other.to_host(), places);
      EXPECT_EQ(values.to_host(), all_values);
      keys.assign(all_keys);
      other.poison();
      in_two_phases([&](void* temp, std::size_t& bytes) {
        return hindsight::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), other.data(),
                                                     values.data(), values.data(), n);
      });
      EXPECT_EQ(other.to_host(), expected_keys);
      EXPECT_EQ(values.to_host(), places);
      EXPECT_EQ(keys.to_host(), all_keys);
    }
  }
}
TEST(DeviceCalls, SegmentsOfPairsHalfInPlaceAreRefused) {
  reset_device(1);
  device_array<int> keys{std::vector<int>{3, 1, 2}}, values{std::vector<int>{0, 1, 2}}, other{3};
  const device_array<int> offsets{std::vector<int>{0, 3}};
  std::size_t bytes = 0;
  const auto sort = [&](void* temp) {
    return hindsight::DeviceSegmentedSort::SortPairs(temp, bytes, keys.data(), keys.data(),
                                                     values.data(), other.data(), 3, 1,
                                                     offsets.data(), offsets.data() + 1);
  };
  EXPECT_EQ(sort(nullptr), cudaSuccess);
  const device_array<char> temp{bytes};
  EXPECT_EQ(sort(temp.data()), cudaErrorInvalidValue);
  EXPECT_EQ(keys.to_host(), (std::vector<int>{3, 1, 2}));
}

/// A tile that is not full takes fewer rows of lanes.
TEST(DeviceCalls, PairsOfEveryNumberOfRows) {
  for (u32 n = 200; n < 9000; n += 256) {
    SCOPED_TRACE(n);
    reset_device(n);
    const std::vector<u32> all_keys = numbers<u32>(n);
    std::vector<u32> places(n);
    std::iota(places.begin(), places.end(), 0u);
    const device_array<u32> keys{all_keys}, values{places};
    device_array<u32> sorted_keys{n}, sorted_values{n};
    in_two_phases([&](void* temp, std::size_t& bytes) {
      return hindsight::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), sorted_keys.data(),
                                                   values.data(), sorted_values.data(), n);
    });
    std::stable_sort(places.begin(), places.end(),
                     [&](u32 a, u32 b) { return all_keys[a] < all_keys[b]; });
    EXPECT_EQ(sorted_values.to_host(), places);
    for (u32& place : places) place = all_keys[place];
    EXPECT_EQ(sorted_keys.to_host(), places);
  }
}

/// Where the compiler does not say for which architectures it compiles: code of kernels and of
/// their callers is not in the namespace of code for host threads, which has functions of the same
/// names.
TEST(DeviceCalls, UnnamedArchitectures) {
#define HINDSIGHT_TEXT_(text) #text
#define HINDSIGHT_TEXT(name) HINDSIGHT_TEXT_(name)
  EXPECT_STREQ(HINDSIGHT_TEXT(HINDSIGHT_ARCHITECTURES), "sm_unnamed");
}

}  // namespace
