// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Reductions and scans of segments.
#include <hindsight/detail/cuda/reduce_segments.cuh>
#include <hindsight/detail/cuda/scan_ranges.cuh>
#include <hindsight/detail/cuda/scan_segments.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

struct tiny_segments {  // chunks of two tiles of 128 items and ends
  static constexpr tile_shape shape{2, 2};
  static constexpr int min_blocks = 1;
  static constexpr std::size_t most_chunks = 8;
};
template <>
struct segment_reduce_tuning<std::uint32_t> : tiny_segments {};
template <>
struct segment_reduce_tuning<emulation::affine<std::uint32_t, 0>> : tiny_segments {};
template <>
struct segment_reduce_tuning<emulation::affine<std::uint64_t, 8>> : tiny_segments {};
struct aligned_segments {  // chunks that windows of 32 do not hold, and of more than four tiles
  static constexpr tile_shape shape{4, 2};
  static constexpr int min_blocks = 1;
  static constexpr std::size_t most_chunks = 80;
};
template <>
struct segment_reduce_tuning<std::int32_t> : aligned_segments {};
struct many_chunks {  // more of them than threads that join chunks
  static constexpr tile_shape shape{1, 2};
  static constexpr int min_blocks = 1;
  static constexpr std::size_t most_chunks = 4096;
};
template <>
struct segment_reduce_tuning<std::uint16_t> : many_chunks {};
template <>  // so that a warp folds several tiles of a long segment
struct whole_segment_tuning<std::uint32_t> : whole_segment_tuning<float> {
  static constexpr int warps = 4, fewest_warps = 2;
  static constexpr std::size_t few_chunks = 4;
};
template <>
struct segment_scan_tuning<std::uint32_t> : tiny_segments {};
template <>
struct segment_scan_tuning<emulation::affine<std::uint32_t, 0>> : tiny_segments {};
template <>
struct segment_scan_tuning<emulation::affine<std::uint64_t, 8>> : tiny_segments {
  static constexpr tile_shape shape{3, 2};  // a lane's bits lie in two words
};
template <>
struct segment_scan_tuning<float> : tiny_segments {};
template <>
struct scan_tuning<std::uint32_t> : tiny_segments {};
template <>
struct scan_tuning<emulation::affine<std::uint32_t, 0>> : tiny_segments {};
template <>
struct scan_tuning<emulation::affine<std::uint64_t, 8>> : tiny_segments {};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

/// One of more than a warp's tile, many empty ones in a row, short ones, and some of several tiles;
/// and more empty ones than a tile of a scan marks.
std::vector<int> make_offsets(std::size_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<int> offsets{3, 103};
  offsets.insert(offsets.end(), 700, 104);
  offsets.insert(offsets.end(), 500, 120);
  offsets.push_back(3 + 192 + 32);  // a lane of three items has this one in its second word
  while (offsets.back() < int(n)) {
    const int kind = int(random() % 8);
    if (kind == 0) offsets.insert(offsets.end(), random() % 200, offsets.back());
    const int most = kind < 5 ? 4 : kind < 7 ? 60 : 700;
    offsets.push_back(std::min(int(n), offsets.back() + int(random() % unsigned(most))));
  }
  return offsets;
}

template <std::size_t Bytes, std::size_t Alignment>
struct alignas(Alignment) item_of {
  unsigned char bytes[Bytes];
};
/// Of a block's shared memory, which has 48 KiB, for sums of such items.
template <class T>
constexpr std::size_t room_of_sums() {
  using tuning = segment_reduce_tuning<T>;
  return tuning::shape.warps * sizeof(segment_fold_storage<T, tuning::shape.lane_items>);
}
template <std::size_t Alignment, std::size_t... Index>
constexpr std::size_t most_room_of_sums(std::index_sequence<Index...>) {
  return std::max({room_of_sums<item_of<(Index + 1) * Alignment, Alignment>>()...});
}
template <std::size_t... Alignments>
constexpr bool all_sums_have_room() {
  return (
      (most_room_of_sums<Alignments>(std::make_index_sequence<512 / Alignments>{}) <= 48 * 1024) &&
      ...);
}
static_assert(all_sums_have_room<1, 2, 4, 8, 16, 32, 64, 128, 256, 512>(),
              "reduce_segments of some item size does not compile");

/// Whether GPUs before sm_80, which give a block 64 KiB, run scans of such items in one launch, or
/// such scans take the other way.
template <class T>
constexpr bool scan_alone_has_room() {
  using tuning = segment_scan_tuning<T>;
  return !can_scan_alone<tuning, T, const T*, T*> ||
         sizeof(scan_alone_storage_of<tuning, T>) <= 64 * 1024;
}
template <std::size_t Alignment, std::size_t... Index>
constexpr bool scans_alone_have_room(std::index_sequence<Index...>) {
  return (scan_alone_has_room<item_of<(Index + 1) * Alignment, Alignment>>() && ...);
}
template <std::size_t... Alignments>
constexpr bool all_scans_alone_have_room() {
  return (scans_alone_have_room<Alignments>(std::make_index_sequence<32 / Alignments>{}) && ...);
}
static_assert(all_scans_alone_have_room<1, 2, 4, 8, 16>(),
              "inclusive_scan_segments of some item size fails on old GPUs");

template <class T>
class segments : public testing::Test {
 protected:
  static constexpr std::size_t n = 1300;
  std::vector<int> offsets_ = make_offsets(n);
  std::vector<T> values_ = random_items<T>(n);
  std::size_t num_segments_ = offsets_.size() - 1;
  T init_ = random_items<T>(1)[0];
  device_array<int> offsets_in_{offsets_};
  device_array<T> values_in_{values_}, sums_{num_segments_}, scanned_{n};

  /// Of the first segments.
  experiment reduction(std::size_t num_segments, std::size_t most_items) {
    using op = operator_of<T>;
    two_phases call{[=](void* temp, std::size_t& bytes) {
      const segment_sums<T*, T, op> sums{sums_.data(), init_, op{}};
      return reduce_segments<T>(temp, bytes, values_in_.data(), offsets_in_.data(), num_segments,
                                most_items, sums, init_, op{}, nullptr);
    }};
    return {[this] { sums_.poison(); }, std::move(call),
            [=] {
              std::vector<T> expected(num_segments, init_);
              for (std::size_t s = 0; s < num_segments; ++s)
                for (int i = offsets_[s]; i < offsets_[s + 1]; ++i)
                  expected[s] = op{}(expected[s], values_[std::size_t(i)]);
              return difference(sums_.to_host(), expected);
            }};
  }

  /// In place.
  experiment scan(std::size_t most_items) {
    return exclusive_scan(num_segments_, [this, most_items](void* temp, std::size_t& bytes) {
      return scan_segments<T, exclusive>(temp, bytes, values_in_.data(), offsets_in_.data(),
                                         num_segments_, most_items, values_in_.data(),
                                         operator_of<T>{}, init_, nullptr);
    });
  }
  /// From one array to another, by blocks that need no other one.
  experiment scan_alone() {
    return exclusive_scan(
        num_segments_,
        [this](void* temp, std::size_t& bytes) {
          return scan_segments<T, exclusive>(temp, bytes, values_in_.data(), offsets_in_.data(),
                                             num_segments_, n, scanned_.data(), operator_of<T>{},
                                             init_, nullptr);
        },
        scanned_);
  }
  /// The same by so few blocks that each has several chunks, of one tile or more.
  experiment scan_by_few_blocks(unsigned num_blocks, std::size_t most_chunks) {
    return exclusive_scan(
        num_segments_,
        [=](void* temp, std::size_t& bytes) {
          if (temp == nullptr) return bytes = 1, cudaSuccess;
          return scan_segments_alone<segment_scan_tuning<T>, exclusive, T>(
              values_in_.data(), offsets_in_.data(), num_segments_, scanned_.data(),
              operator_of<T>{}, init_, most_chunks, num_blocks, published_runs<T>{}, nullptr);
        },
        scanned_);
  }
  /// Where no one knows how many items there are: as if there were places for eight tiles only.
  experiment scan_of_unknown_items() {
    return exclusive_scan(num_segments_, [this](void* temp, std::size_t& bytes) {
      const int* const begins = offsets_in_.data();
      return scan_ranges<T, exclusive>(temp, bytes, values_in_.data(), begins, begins + 1, begins,
                                       num_segments_, values_in_.data(), operator_of<T>{}, init_,
                                       nullptr);
    });
  }
  /// Of the first segments, as if they did not follow each other, by a few for each block.
  experiment scan_of_ranges() {
    const std::size_t count = std::min<std::size_t>(num_segments_, 20);
    return exclusive_scan(count, [this, count](void* temp, std::size_t& bytes) {
      const int* const begins = offsets_in_.data();
      const thrust::counting_iterator<int> index(0);
      const thrust::permutation_iterator places(begins, index);
      return scan_ranges<T, exclusive>(temp, bytes, values_in_.data(), begins, begins + 1, places,
                                       count, values_in_.data(), operator_of<T>{}, init_, nullptr);
    });
  }

 private:
  template <class Call>
  experiment exclusive_scan(std::size_t num_segments, Call call) {
    return exclusive_scan(num_segments, call, values_in_);
  }
  template <class Call>
  experiment exclusive_scan(std::size_t num_segments, Call call, device_array<T>& out) {
    using op = operator_of<T>;
    return {[this, &out] {
              values_in_.assign(values_);
              out.assign(values_);
            },
            two_phases{call},
            [this, &out, num_segments] {
              std::vector<T> expected = values_;
              for (std::size_t s = 0; s < num_segments; ++s) {
                T fold = init_;
                for (int i = offsets_[s]; i < offsets_[s + 1]; ++i) {
                  expected[std::size_t(i)] = fold;
                  fold = op{}(fold, values_[std::size_t(i)]);
                }
              }
              return difference(out.to_host(), expected);
            }};
  }
};
using types = testing::Types<std::uint32_t, affine<std::uint32_t, 0>, affine<std::uint64_t, 8>,
                             many_words<std::uint64_t, 4, 32>>;
TYPED_TEST_SUITE(segments, types);

TYPED_TEST(segments, are_reduced) {
  const std::size_t unknown = ~std::size_t{0};
  EXPECT_EQ(try_on_machines(100, this->reduction(this->num_segments_, this->n)), "");
  EXPECT_EQ(try_on_machines(100, this->reduction(this->num_segments_, unknown)), "");
}
TYPED_TEST(segments, leave_chunks_without_work_if_their_items_are_not_counted) {
  const std::size_t unknown = ~std::size_t{0};
  EXPECT_EQ(try_on_machines(100, this->reduction(this->num_segments_ / 5, unknown)), "");
}
TYPED_TEST(segments, are_scanned_in_place) {
  EXPECT_EQ(try_on_machines(100, this->scan(this->n)), "");
  EXPECT_EQ(try_on_machines(20, this->scan(4 * this->n)), "") << "tiles without items";
  EXPECT_EQ(try_on_machines(100, this->scan_of_unknown_items()), "");
  EXPECT_EQ(try_on_machines(20, this->scan_of_ranges()), "");
}

TYPED_TEST(segments, are_scanned_by_blocks_that_need_no_other_one) {
  EXPECT_EQ(try_on_machines(100, this->scan_alone()), "");
  if (sizeof(TypeParam) > segment_scan_alone_tuning::most_item_bytes) return;
  EXPECT_EQ(try_on_machines(50, this->scan_by_few_blocks(3, 100)), "");
  EXPECT_EQ(try_on_machines(50, this->scan_by_few_blocks(3, 4)), "");
  EXPECT_EQ(try_on_machines(20, this->scan_by_few_blocks(30, 100)), "") << "blocks without a tile";
}

/// No order of association has the result of another.
struct mix {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>((static_cast<std::uint64_t>(a) * 0x9e3779b1u + 1) ^
                          (static_cast<std::uint64_t>(b) * 0x85ebca77u >> 3));
  }
};

/// Sums in one launch and in two.
template <class T, class Offset = int>
struct sums_in_one_launch {
  using fold = fold_with<T, mix>;
  static constexpr std::size_t most_chunks = segment_reduce_tuning<T>::most_chunks;
  std::size_t num_segments;
  device_array<Offset> ends;
  device_array<T> in, sums;
  device_array<chunk_parts<T>> parts{most_chunks};
  device_array<unsigned> counts{most_chunks / 2 + 1};
  std::vector<T> expected;
  T init = 5;

  explicit sums_in_one_launch(const std::vector<int>& offsets)
      : num_segments{offsets.size() - 1},
        ends(std::vector<Offset>(offsets.begin(), offsets.end())),
        in(random_items<T>(std::size_t(offsets.back()))),
        sums(num_segments) {}
  segment_sums<T*, T, fold> results() { return {sums.data(), init, fold{}}; }

  /// Has to come first.
  std::string in_two_launches() {
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return reduce_segments<T>(temp, bytes, in.data(), ends.data(), num_segments, ~std::size_t{0},
                                results(), init, mix{}, nullptr);
    }};
    std::string wrong = try_on_seed(1, {[&] { sums.poison(); }, call, [] { return ""; }});
    expected = sums.to_host();
    return wrong;
  }
  /// As blocks of so many items are expected.
  experiment in_one_launch(std::size_t likely_items) {
    return in_one_launch(in.data(), likely_items);
  }
  /// The same of items that are computed.
  experiment of_computed_items(std::size_t likely_items) {
    return in_one_launch(thrust::make_transform_iterator(in.data(), same_item{}), likely_items);
  }

 private:
  struct same_item {
    HINDSIGHT_HD T operator()(const T& item) const { return item; }
  };
  template <class InputIt>
  experiment in_one_launch(InputIt items, std::size_t likely_items) {
    return {[this] {
              sums.poison();
              parts.poison();
              counts.assign(std::vector<unsigned>(most_chunks / 2 + 1));
            },
            [=] {
              reduce_whole_segments<segment_reduce_tuning<T>, T>(
                  items, ends.data(), num_segments, likely_items, results(), fold{}, parts.data(),
                  counts.data(), nullptr);
            },
            [this] { return difference(sums.to_host(), expected); }};
  }
};
template <class T, class Offset = int>
std::string difference_in_one_launch(const std::vector<int>& offsets, std::size_t likely_items,
                                     std::uint64_t machines) {
  sums_in_one_launch<T, Offset> sums(offsets);
  const std::string wrong = sums.in_two_launches();
  if (!wrong.empty()) return "two launches: " + wrong;
  const std::string wrong_if_computed = try_on_seed(1, sums.of_computed_items(likely_items));
  if (!wrong_if_computed.empty()) return "computed items: " + wrong_if_computed;
  return try_on_machines(machines, sums.in_one_launch(likely_items));
}

/// Offsets of segments of these lengths in turn, up to about so many items.
std::vector<int> offsets_of(int first, int num_items, const std::vector<int>& lengths) {
  std::vector<int> offsets{first};
  for (std::size_t s = 0; offsets.back() < first + num_items; ++s)
    offsets.push_back(offsets.back() + lengths[s % lengths.size()]);
  return offsets;
}

/// Sums of a deferred number of segments, of which `most_segments` are possible.
template <class T>
std::string difference_if_deferred(const std::vector<int>& offsets, std::size_t most_segments,
                                   std::size_t most_items) {
  sums_in_one_launch<T> sums(offsets);
  const std::string wrong = sums.in_two_launches();
  if (!wrong.empty()) return "a known number: " + wrong;
  device_array<int> count{std::vector<int>{int(sums.num_segments)}};
  const hindsight::deferred size{static_cast<const int*>(count.data()), most_segments};
  const two_phases call{[&](void* temp, std::size_t& bytes) {
    return reduce_segments<T>(temp, bytes, sums.in.data(), sums.ends.data(), size, most_items,
                              sums.results(), sums.init, mix{}, nullptr);
  }};
  return try_on_machines(3, {[&] { sums.sums.poison(); }, call,
                             [&] { return difference(sums.sums.to_host(), sums.expected); }});
}

// Segments that do not exist make neither chunks longer nor the shares of threads larger.
TEST(deferred_segments, have_the_bits_of_known_ones) {
  const std::vector<int> offsets = offsets_of(3, 1700, {300, 0, 1, 700});
  for (const std::size_t most_items : {std::size_t{2000}, ~std::size_t{0}}) {
    SCOPED_TRACE(most_items);
    EXPECT_EQ(difference_if_deferred<std::uint32_t>(offsets, offsets.size() - 1, most_items), "");
    EXPECT_EQ(difference_if_deferred<std::uint32_t>(offsets, 5000, most_items), "");
    EXPECT_EQ(difference_if_deferred<std::uint16_t>(offsets, 140000, most_items), "");
    EXPECT_EQ(difference_if_deferred<std::uint32_t>({7, 7}, 100, most_items), "");
  }
}

/// Sums of segments by offsets that may decrease, up to `num_items`, in two launches and in one.
/// Several threads may put one sum: a race, but nobody waits for its result.
template <class T>
std::string fault_of_sums(const std::vector<int>& offsets, int num_items) {
  const device_array<int> ends{offsets};
  const device_array<T> in{random_items<T>(std::size_t(num_items))}, sums{offsets.size() - 1};
  for (const std::size_t most_items : {~std::size_t{0}, std::size_t(num_items)}) {
    const two_phases call{[&](void* temp, std::size_t& bytes) {
      const segment_sums<T*, T, fold_with<T, mix>> results{sums.data(), T{5}, {mix{}}};
      return reduce_segments<T>(temp, bytes, in.data(), ends.data(), offsets.size() - 1, most_items,
                                results, T{5}, mix{}, nullptr);
    }};
    if (std::string wrong = try_on_machines(3, {[] {}, call, [] { return ""; }}); !wrong.empty())
      return wrong;
  }
  return {};
}
/// The same of scans: from one array to another, and in place.
std::string fault_of_scans(const std::vector<int>& offsets, int num_items) {
  using T = std::uint32_t;
  const auto n = std::size_t(num_items);
  const device_array<int> ends{offsets};
  const device_array<T> in{random_items<T>(n)}, out{n};
  for (T* const to : {out.data(), in.data()}) {
    const two_phases call{[&](void* temp, std::size_t& bytes) {
      return scan_segments<T, exclusive>(temp, bytes, in.data(), ends.data(), offsets.size() - 1, n,
                                         to, mix{}, T{5}, nullptr);
    }};
    if (std::string wrong = try_on_machines(3, {[] {}, call, [] { return ""; }}); !wrong.empty())
      return wrong;
  }
  return {};
}
TEST(segments_of_decreasing_offsets, are_reduced_and_scanned_to_anything) {
  if (watches_memory()) GTEST_SKIP() << "races are reported here";
  std::mt19937 random{5};
  std::vector<std::vector<int>> lists{{5, 3, 1}, {0, 1000, 1, 600}, {900, 0, 800, 0, 700}};
  std::vector<int> peak{0, 1500};
  for (int i = 1; i <= 1200; ++i) peak.push_back(i);
  lists.push_back(peak);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> offsets(2 + random() % 3000);
    for (int& offset : offsets) offset = int(random() % 1500);
    if (round % 2 == 0) offsets.front() = 0, offsets.back() = 1500;
    lists.push_back(std::move(offsets));
  }
  for (const std::vector<int>& offsets : lists) {
    EXPECT_EQ(fault_of_sums<std::uint32_t>(offsets, 1500), "");
    EXPECT_EQ(fault_of_sums<std::int32_t>(offsets, 1500), "");
    EXPECT_EQ(fault_of_scans(offsets, 1500), "");
  }
}

TEST(segments_in_one_launch, have_the_bits_of_two_launches) {
  std::vector<std::vector<int>> shapes{{1},
                                       {3},
                                       {30},
                                       {1000},
                                       {0, 0, 0, 1},
                                       {507},
                                       {508},
                                       {509},
                                       {512},
                                       {128},
                                       {506, 1},
                                       {127, 1, 380},
                                       {0, 512, 0, 0, 1},
                                       {1, 2030},
                                       {17'000, 3},
                                       {3, 3, 20'000},
                                       {40'000},
                                       {9, 0, 300, 5, 7000, 0, 0}};
  shapes.emplace_back(45, 1).push_back(900);  // more ends in a chunk than a warp has lanes
  for (const auto& lengths : shapes) {
    SCOPED_TRACE("segments of " + std::to_string(lengths[0]) + ", ...");
    for (const int first : {0, 3}) {
      const auto few = offsets_of(first, 3000, lengths), more = offsets_of(first, 30'000, lengths);
      EXPECT_EQ(difference_in_one_launch<std::int32_t>(few, 3000, 3), "");
      EXPECT_EQ(difference_in_one_launch<std::int32_t>(more, 30'000, 1), "");
      EXPECT_EQ(difference_in_one_launch<std::int32_t>(more, 1500, 1), "") << "more than expected";
      EXPECT_EQ(difference_in_one_launch<std::uint32_t>(few, 1500, 1), "");
      EXPECT_EQ(difference_in_one_launch<std::uint16_t>(few, 3000, 1), "");
      EXPECT_EQ((difference_in_one_launch<std::int32_t, std::int64_t>(more, 1500, 1)), "");
    }
  }
}
TEST(segments_in_one_launch, have_the_bits_of_two_launches_of_many_chunks) {
  const std::vector<int> offsets = offsets_of(0, 150'000, {70'000, 1000, 0, 3, 30'000});
  EXPECT_EQ(difference_in_one_launch<std::uint16_t>(offsets, 20'000, 1), "");
  EXPECT_EQ(difference_in_one_launch<std::int32_t>(offsets, 20'000, 1), "") << "long chunks";
  const std::vector<int> crossing = offsets_of(0, 150'000, {2100, 1700});
  EXPECT_EQ(difference_in_one_launch<std::int32_t>(crossing, 20'000, 1), "")
      << "a segment that goes on behind each long chunk";
}
TEST(segments_in_one_launch, join_the_parts_of_long_ones_on_all_machines) {
  // A chunk has 508 items and ends. It ends one long segment and begins another.
  const auto offsets = offsets_of(0, 9000, {900, 2700, 40, 1300, 1500});
  EXPECT_EQ(difference_in_one_launch<std::int32_t>(offsets, 9000, 100), "");
  EXPECT_EQ(difference_in_one_launch<std::int32_t>(offsets, 1500, 100), "") << "few blocks";
}
TEST(segments_in_one_launch, have_the_bits_of_two_launches_at_random) {
  std::mt19937 random{7};
  for (int round = 0; round < 100; ++round) {
    const int num_items = 1 + int(random() % 6000);
    std::vector<int> offsets{int(random() % 5)};
    while (offsets.back() < num_items) {
      const int most[]{1, 2, 3, 40, 129, 700, 3000};
      offsets.push_back(offsets.back() + int(random() % unsigned(most[random() % 7] + 1)));
    }
    SCOPED_TRACE("round " + std::to_string(round));
    const std::size_t likely = 1 + random() % 6000;
    EXPECT_EQ(difference_in_one_launch<std::int32_t>(offsets, likely, 1), "");
    EXPECT_EQ(difference_in_one_launch<std::uint16_t>(offsets, likely, 1), "");
    EXPECT_EQ(difference_in_one_launch<std::uint32_t>(offsets, likely, 1), "");
  }
}

// What the one kind of segments does not need, the other one does.
TEST(segments_in_one_launch, need_every_ordering) {
  const std::string warp_barrier = "staged_warp.cuh __syncwarp()";
  sums_in_one_launch<std::uint32_t> short_ones(offsets_of(0, 1300, {40}));
  EXPECT_EQ(short_ones.in_two_launches(), "");
  expect_all_needed(30, short_ones.in_one_launch(1300), {warp_barrier});
  sums_in_one_launch<std::uint32_t> long_ones(offsets_of(0, 1300, {5, 1200}));
  EXPECT_EQ(long_ones.in_two_launches(), "");
  expect_all_needed(30, long_ones.in_one_launch(1300),
                    {warp_barrier, "reduce_whole_segments.cuh __syncthreads()"});
  sums_in_one_launch<std::uint32_t> far_ones(offsets_of(0, 150000, {5, 100000}));
  EXPECT_EQ(far_ones.in_two_launches(), "");
  expect_all_needed(10, far_ones.in_one_launch(150000),
                    {warp_barrier, "reduce_whole_segments.cuh __syncthreads()"});
}

using segments_of_integers = segments<std::uint32_t>;
TEST_F(segments_of_integers, need_every_ordering) {
  const names warp_barrier{"staged_warp.cuh __syncwarp()"};
  const names of_long_ones{"staged_warp.cuh __syncwarp()",
                           "reduce_whole_segments.cuh __syncthreads()"};
  expect_all_needed(50, reduction(num_segments_, n), of_long_ones);
  expect_all_needed(50, reduction(num_segments_, ~std::size_t{0}), warp_barrier);
  expect_all_needed(50, this->scan(n), warp_barrier);
  const names between_tiles{"segment_scanner.cuh __syncwarp()", "staged_warp.cuh __syncwarp()"};
  expect_all_needed(50, this->scan_of_unknown_items(), between_tiles);
  EXPECT_EQ(try_on_machines(100, this->scan_of_ranges()), "");
  expect_all_needed(50, this->scan_by_few_blocks(11, 100), warp_barrier);
  expect_all_needed(50, this->scan_by_few_blocks(3, 100), warp_barrier);
}

struct add_floats {
  float operator()(float a, float b) const { return a + b; }
};

/// Segments of these lengths, over and over, up to n items.
std::vector<int> repeat_lengths(int n, const std::vector<int>& lengths) {
  std::vector<int> offsets{5};
  for (std::size_t s = 0; offsets.back() < n; ++s)
    offsets.push_back(std::min(n, offsets.back() + lengths[s % lengths.size()]));
  return offsets;
}

/// Sums of floats by blocks that need no other one, which are to have the bits of sums in place.
class segments_of_floats : public testing::Test {
 protected:
  static constexpr std::size_t all_as_chunks = 1000;

  void make(int n, const std::vector<int>& lengths, std::size_t most_chunks = all_as_chunks) {
    const std::vector<int> offsets = repeat_lengths(n, lengths);
    offsets_ = std::make_unique<device_array<int>>(offsets);
    num_segments_ = offsets.size() - 1;
    most_chunks_ = most_chunks;
    items_.resize(std::size_t(n));
    std::mt19937 random{unsigned(n)};
    for (float& item : items_) item = float(random()) / 1e9f;
    in_ = std::make_unique<device_array<float>>(items_);
    out_ = std::make_unique<device_array<float>>(items_);
    EXPECT_EQ(try_on_seed(1, {[] {}, in_place(), [] { return ""; }}), "");
    expected_ = out_->to_host();
  }
  /// `publish`: tiles have room for what they hand on.
  experiment sums(unsigned num_blocks, bool publish = false) {
    using tuning = segment_scan_tuning<float>;
    return {[this] {
              out_->assign(items_);
              std::memset(static_cast<void*>(slots_.data()), 0, most_tiles * sizeof(slot_type));
            },
            [=] {
              scan_segments_alone<tuning, inclusive, float>(
                  in_->data(), offsets_->data(), num_segments_, out_->data(), add_floats{},
                  no_init{}, most_chunks_, num_blocks,
                  published_runs<float>{publish ? slots_.data() : nullptr}, nullptr);
            },
            [this] { return difference(out_->to_host(), expected_); }};
  }

 private:
  two_phases in_place() {
    return two_phases{[=](void* temp, std::size_t& bytes) {
      float* const items = out_->data();
      return most_chunks_ < all_as_chunks
                 ? scan_segment_chunks<float, inclusive>(temp, bytes, items, offsets_->data(),
                                                         num_segments_, items, add_floats{},
                                                         no_init{}, nullptr)
                 : scan_segments<float, inclusive>(temp, bytes, items, offsets_->data(),
                                                   num_segments_, items_.size(), items,
                                                   add_floats{}, no_init{}, nullptr);
    }};
  }

  std::size_t num_segments_ = 0, most_chunks_ = 0;
  std::unique_ptr<device_array<int>> offsets_;
  std::unique_ptr<device_array<float>> in_, out_;
  std::vector<float> items_, expected_;
  using slot_type = slot<open_run<float>>;
  static constexpr std::size_t most_tiles = 80;
  device_array<slot_type> slots_{most_tiles};
};

// A tile has 128 items, and a window 4096.
TEST_F(segments_of_floats, have_the_same_bits_if_no_block_waits_for_another) {
  make(1300, {30, 0, 700});
  EXPECT_EQ(try_on_machines(100, sums(11)), "");
  EXPECT_EQ(try_on_machines(100, sums(11, true)), "");
  make(5000, {100, 4700, 50});
  EXPECT_EQ(try_on_machines(50, sums(40, true)), "") << "two windows";
  for (const std::vector<int>& lengths : std::vector<std::vector<int>>{{7},
                                                                       {127, 1},
                                                                       {128},
                                                                       {129},
                                                                       {500, 3},
                                                                       {1, 6000, 1},
                                                                       {5000},
                                                                       {0, 0, 4091, 9},
                                                                       {4096, 4224},
                                                                       {20000},
                                                                       {640, 1},
                                                                       {0, 300, 0, 2}}) {
    SCOPED_TRACE("segments of " + std::to_string(lengths[0]) + ", ...");
    make(10'000, lengths);
    EXPECT_EQ(try_on_seed(1, sums(79)), "");
    EXPECT_EQ(try_on_machines(5, sums(79, true)), "");
    EXPECT_EQ(try_on_seed(1, sums(13)), "") << "few blocks";
    make(10'000, lengths, 8);
    EXPECT_EQ(try_on_seed(1, sums(5)), "") << "chunks";
  }
}

}  // namespace
