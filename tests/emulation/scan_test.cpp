// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Scans, over one tile for itself, over tiles that blocks share, over windows, and with a scout;
// every size of a board's slot.
#include <hindsight/detail/cuda/scan.cuh>

#include <cuda/std/functional>

#include "emulation/operators.h"
#include "emulation/scout.h"
#include "emulation/testing.h"
#include <random>
#include <utility>
#include <vector>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

using namespace emulation;

template <int LaneItems, int Warps>
struct tiny_scan {
  static constexpr tile_shape shape{LaneItems, Warps};
  static constexpr int pipeline_slots = 1, pipeline_tiles_per_slot = 1'000'000;  // never
  static constexpr int min_blocks = 1;
};
/// Two blocks share a tile.
template <int LaneItems>
struct tiny_parts : tiny_scan<LaneItems, 4> {
  static constexpr int most_tiles = 10, warps = 2, at_once = LaneItems;
};
template <>
struct scan_tuning<std::uint32_t> : tiny_scan<8, 2> {};  // moves in 16-byte pieces
template <>
struct scan_tuning<std::uint16_t> : tiny_scan<1, 1> {};  // many tiles: windows, a scout
template <class Word, int Padding>
struct scan_tuning<affine<Word, Padding>> : tiny_scan<2, 2> {};
template <>
struct scan_tuning<std::uint64_t> : tiny_scan<2, 4> {};
template <>
struct scan_parts_tuning<std::uint64_t> : tiny_parts<2> {};
template <>
struct scan_tuning<affine<std::uint16_t, 0>> : tiny_scan<2, 4> {};
template <>
struct scan_parts_tuning<affine<std::uint16_t, 0>> : tiny_parts<2> {};
template <>
struct scan_tuning<affine<std::uint16_t, 10>> : tiny_scan<2, 4> {};
template <>
struct scan_parts_tuning<affine<std::uint16_t, 10>> : tiny_parts<2> {};
template <>
struct scan_tuning<float> : tiny_scan<1, 4> {};
template <>
struct scan_parts_tuning<float> : tiny_parts<1> {};
template <>
struct scan_tuning<std::uint8_t> : tiny_scan<16, 2> {};  // pieces of 16 bytes, and words
template <>
struct scan_tuning<std::int16_t> : tiny_scan<8, 2> {};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

template <class T, class Kind, class Init>
class scan_of {
 public:
  using op = operator_of<T>;

  scan_of(std::size_t n, Init init, bool in_place)
      : items_{random_items<T>(n)},
        expected_(n),
        in_{items_},
        out_{n},
        init_{init},
        output_{in_place ? in_.data() : out_.data()},
        call_{[this](void* temp, std::size_t& bytes) {
          return hindsight::detail::cuda::scan<T, Kind>(temp, bytes, in_.data(), output_,
                                                        items_.size(), op{}, init_, nullptr);
        }} {
    T fold{};
    if constexpr (!std::is_same_v<Init, no_init>) fold = init;
    bool any = !std::is_same_v<Init, no_init>;
    for (std::size_t i = 0; i < n; ++i) {
      const T next = any ? op{}(fold, items_[i]) : items_[i];
      any = true;
      expected_[i] = std::is_same_v<Kind, exclusive> ? fold : next;
      fold = next;
    }
  }

  experiment make() {
    return {[this] {
              in_.assign(items_);
              out_.poison();
            },
            [this] { call_(); },
            [this] {
              return difference({output_, output_ + items_.size()}, expected_);
            }};
  }

  bool scout_gave_up() const { return emulation::scout_gave_up(call_); }

 private:
  std::vector<T> items_, expected_;
  device_array<T> in_, out_;
  Init init_;
  T* output_;
  two_phases call_;
};

template <class T>
class scan : public testing::Test {};
using types = testing::Types<std::uint32_t,               // one word with its flag
                             affine<std::uint8_t, 1>,     // 3 bytes: the same
                             affine<std::uint16_t, 0>,    // 4 bytes, in parts of tiles
                             std::uint64_t,               // 8 bytes, the same in pieces
                             affine<std::uint16_t, 10>,   // 14 bytes, the same in two words
                             affine<std::uint32_t, 0>,    // 8 bytes: two words
                             affine<std::uint32_t, 4>,    // 12 bytes: the same
                             affine<std::uint64_t, 8>,    // 24 bytes: two such pairs
                             affine<std::uint64_t, 16>>;  // 32 bytes: a flag after the value
TYPED_TEST_SUITE(scan, types);

TYPED_TEST(scan, inclusive) {
  scan_of<TypeParam, inclusive, no_init> one{2500, {}, false};
  EXPECT_EQ(try_on_machines(150, one.make()), "");
}
TYPED_TEST(scan, exclusive_in_place) {
  scan_of<TypeParam, exclusive, TypeParam> one{1000, random_items<TypeParam>(1)[0], true};
  EXPECT_EQ(try_on_machines(150, one.make()), "");
}
TYPED_TEST(scan, needs_every_ordering) {
  scan_of<TypeParam, inclusive, no_init> one{1300, {}, true};
  // Loads item by item end with a barrier, and finish_loads() brings another.
  const bool copied =
      std::is_same_v<TypeParam, std::uint32_t> || moves_in_words<TypeParam, const TypeParam*>;
  expect_all_needed(50, one.make(), copied ? names{} : names{"staged_warp.cuh __syncwarp()"});
}

/// The scan of floats, added one to the next in an order that shows in their bits.
template <class Size>
cudaError_t sum_floats(void* temp, std::size_t& bytes, const float* in, float* out, const Size& n) {
  return hindsight::detail::cuda::scan<float, inclusive>(temp, bytes, in, out, n,
                                                         ::cuda::std::plus<>{}, no_init{}, nullptr);
}
template <class Size>
std::vector<float> sums_of(const std::vector<float>& items, const Size& n) {
  const device_array<float> in{items};
  device_array<float> out{items.size()};
  out.poison();
  enter({habits{}, nullptr});
  two_phases{[&](void* temp, std::size_t& bytes) {
    return sum_floats(temp, bytes, in.data(), out.data(), n);
  }}();
  return out.to_host();
}

TEST(scan_in_parts, has_the_bits_of_whole_tiles) {
  constexpr tile_shape shape = scan_tuning<float>::shape;
  const std::size_t n = 9 * shape.tile_items() + shape.warp_items() + 7;
  std::vector<float> items(n);
  std::mt19937 random{1};
  for (float& item : items) item = std::uniform_real_distribution<float>{0, 1}(random);

  const device_array<std::uint32_t> count{std::vector<std::uint32_t>{std::uint32_t(n)}};
  const std::vector<float> shared = sums_of(items, n);
  // A number of items that only the device knows: no block shares a tile.
  const std::vector<float> whole =
      sums_of(items, hindsight::deferred<const std::uint32_t*>{count.data(), n});
  EXPECT_EQ(difference(shared, whole), "");
  float fold = 0;
  std::vector<float> one_by_one;
  for (const float item : items) one_by_one.push_back(fold += item);
  EXPECT_NE(shared, one_by_one) << "all orders have the same bits: nothing is tested";
}
TEST(scan_in_parts, takes_the_memory_of_more_items) {
  constexpr std::size_t step = scan_tuning<float>::shape.warp_items();
  std::size_t before = 0;
  for (std::size_t n = 0; n < 100 * step; n += step) {
    std::size_t bytes = 0;
    sum_floats<std::size_t>(nullptr, bytes, nullptr, nullptr, n);
    EXPECT_GE(bytes, before) << n;
    before = bytes;
  }
}

struct add_pairs {
  using pair = std::pair<std::uint32_t, std::uint32_t>;
  pair operator()(const pair& a, const pair& b) const {
    return {a.first + b.first, a.second ^ b.second};
  }
};
/// Pairs of std have an assignment of their own.
TEST(scan_in_parts, takes_std_pairs) {
  using pair = add_pairs::pair;
  const std::size_t n = 3 * scan_tuning<pair>::shape.tile_items() + 5;
  std::vector<pair> items, expected;
  pair fold{};
  for (std::uint32_t i = 0; i < n; ++i) {
    items.push_back({i, i * i});
    expected.push_back(fold = add_pairs{}(fold, items.back()));
  }
  const device_array<pair> in{items};
  device_array<pair> out{n};
  out.poison();
  enter({habits{}, nullptr});
  two_phases{[&](void* temp, std::size_t& bytes) {
    return hindsight::detail::cuda::scan<pair, inclusive>(temp, bytes, in.data(), out.data(), n,
                                                          add_pairs{}, no_init{}, nullptr);
  }}();
  EXPECT_EQ(out.to_host(), expected);
}

/// Items of one and of two bytes, of which neither array begins with a piece, or with a word. What
/// lies beside the output stays.
template <class T>
void expect_scan_between(std::size_t n, std::size_t in_begin, std::size_t out_begin) {
  constexpr std::size_t beside = 4;
  const std::vector<T> items = random_items<T>(in_begin + n),
                       old = random_items<T>(out_begin + n + beside);
  std::vector<T> expected = old;
  T fold{};
  for (std::size_t i = 0; i < n; ++i)
    expected[out_begin + i] = fold = T(fold + items[in_begin + i]);
  device_array<T> in{items}, out{old};
  two_phases call{[&](void* temp, std::size_t& bytes) {
    return hindsight::detail::cuda::scan<T, inclusive>(
        temp, bytes, in.data() + in_begin, out.data() + out_begin, n, add{}, no_init{}, nullptr);
  }};
  const experiment e{[&] { out.assign(old); }, [&] { call(); },
                     [&] { return difference(out.to_host(), expected); }};
  EXPECT_EQ(try_on_machines(3, e), "") << n << " items from " << in_begin << " to " << out_begin;
}
/// The same in place.
template <class T>
void expect_scan_in_place(std::size_t n, std::size_t begin) {
  const std::vector<T> items = random_items<T>(begin + n + 4);
  std::vector<T> expected = items;
  for (std::size_t i = begin + 1; i < begin + n; ++i)
    expected[i] = T(expected[i - 1] + expected[i]);
  device_array<T> in_out{items};
  T* const first = in_out.data() + begin;
  two_phases call{[&](void* temp, std::size_t& bytes) {
    return hindsight::detail::cuda::scan<T, inclusive>(temp, bytes, first, first, n, add{},
                                                       no_init{}, nullptr);
  }};
  const experiment e{[&] { in_out.assign(items); }, [&] { call(); },
                     [&] { return difference(in_out.to_host(), expected); }};
  EXPECT_EQ(try_on_machines(20, e), "") << n << " items from " << begin;
}
TEST(scan_of_narrow_items, begins_and_ends_anywhere) {
  for (const std::size_t n : {1, 2, 3, 5, 31, 62, 63, 64, 510, 511, 1024, 1025, 1539, 2111}) {
    for (std::size_t in_begin = 0; in_begin < 5; ++in_begin) {
      expect_scan_between<std::uint8_t>(n, in_begin, n % 5);
      expect_scan_between<std::uint8_t>(n, n % 3, in_begin);
      expect_scan_between<std::int16_t>(n, in_begin, n % 4);
      expect_scan_in_place<std::uint8_t>(n, in_begin);
      expect_scan_in_place<std::int16_t>(n, in_begin);
    }
  }
}

TEST(scan_with_scout, finds_carries_from_the_scout_and_by_walking) {
  scan_of<std::uint16_t, inclusive, no_init> one{tiles_with_scout * 32, {}, true};
  expect_right_with_scout_and_without(one);
}
TEST(scan_with_scout, needs_every_ordering) {
  scan_of<std::uint16_t, inclusive, no_init> one{tiles_with_scout * 32, {}, true};
  // The walk's barrier is there for tiles that hand over memory; loads have one too many, as above.
  expect_all_needed(8, one.make(), {"look_back.cuh __syncwarp()", "staged_warp.cuh __syncwarp()"});
}

}  // namespace
