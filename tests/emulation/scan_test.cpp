// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Scans, over one tile for itself, over windows, and with a scout; every size of a board's slot.
#include <hindsight/detail/cuda/scan.cuh>

#include "emulation/operators.h"
#include "emulation/scout.h"
#include "emulation/testing.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

using namespace emulation;

template <int LaneItems, int Warps>
struct tiny_scan {
  static constexpr tile_shape shape{LaneItems, Warps};
  static constexpr int pipeline_slots = 1, pipeline_tiles_per_slot = 1'000'000;  // never
  static constexpr int min_blocks = 1;
};
template <>
struct scan_tuning<std::uint32_t> : tiny_scan<8, 2> {};  // moves in 16-byte pieces
template <>
struct scan_tuning<std::uint16_t> : tiny_scan<1, 1> {};  // many tiles: windows, a scout
template <class Word, int Padding>
struct scan_tuning<affine<Word, Padding>> : tiny_scan<2, 2> {};

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
