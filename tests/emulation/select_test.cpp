// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Selection and partition, also in place, where a tile overwrites what earlier tiles have read.
#include <hindsight/detail/cuda/select.cuh>
#include <hindsight/detail/cuda/three_way_partition.cuh>

#include "emulation/operators.h"
#include "emulation/scout.h"
#include "emulation/testing.h"
#include <array>

namespace emulation {

/// May begin at an odd address, where no item begins with a word of memory.
struct two_bytes {
  std::uint8_t value, other;
};

}  // namespace emulation

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

using emulation::affine;

template <int LaneItems, int Warps>
struct tiny_select {
  static constexpr tile_shape shape{LaneItems, Warps}, pipeline_shape = shape;
  static constexpr int pipeline_slots = 1, pipeline_tiles_per_slot = 1'000'000;  // never
  static constexpr int min_blocks = 1;
};
template <>
struct select_tuning<std::uint32_t> : tiny_select<2, 2> {};
template <>
struct select_tuning<std::uint16_t> : tiny_select<4, 2> {};  // two neighbours in a word
template <>
struct select_tuning<emulation::two_bytes> : tiny_select<4, 2> {};
template <>
inline constexpr int marks_at_once<std::uint16_t, std::uint16_t> = 2;  // of four
template <>
struct select_tuning<affine<std::uint64_t, 8>> : tiny_select<1, 2> {};
template <>
struct select_tuning<std::int32_t> : tiny_select<1, 1> {};  // many tiles: a scout

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

/// Looks at the first word of a struct only: the others may still be on their way.
struct is_odd {
  template <class T>
  bool operator()(const T& item) const {
    if constexpr (is_affine<T>::value) {
      return item.offset % 2 != 0;
    } else {
      return item % 2 != 0;
    }
  }
};

enum class places { apart, in_place };

template <class T>
class copy_if {
 public:
  copy_if(std::size_t n, places where, bool has_stencil = false)
      : items_{random_items<T>(n)},
        marks_{has_stencil ? random_items<T>(n + 1) : items_},
        expected_{selected()},
        in_{items_},
        out_{expected_.size()},  // and no place behind them
        stencil_{n},
        output_{where == places::in_place ? in_.data() : out_.data()},
        call_{[=](void* temp, std::size_t& bytes) {
          const auto run = [&](auto stencil) {
            return select(temp, bytes, in_.data(), stencil, output_, discard_rejected{},
                          count_.data(), n, is_odd{}, nullptr);
          };
          return has_stencil ? run(stencil_.data()) : run(input_is_stencil{});
        }} {
    stencil_.assign(marks_);
  }
  experiment make() {
    return {[this] {
              in_.assign(items_);
              out_.poison();
              count_.poison();
            },
            [this] { call_(); },
            [this] {
              if (*count_.data() != expected_.size()) return std::string{"wrong number of items"};
              return difference({output_, output_ + expected_.size()}, expected_);
            }};
  }
  bool scout_gave_up() const { return emulation::scout_gave_up(call_); }

 private:
  std::vector<T> selected() const {
    std::vector<T> items;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (is_odd{}(marks_[i])) items.push_back(items_[i]);
    return items;
  }

  std::vector<T> items_, marks_, expected_;
  device_array<T> in_, out_, stencil_;
  device_array<std::size_t> count_{1};
  T* output_;
  two_phases call_;
};

template <class Order, class T>
class partition {
 public:
  explicit partition(std::size_t n)
      : items_{random_items<T>(n)}, range_{items_}, call_{[=](void* temp, std::size_t& bytes) {
          return partition_in_place<Order>(temp, bytes, range_.data(), input_is_stencil{},
                                           count_.data(), n, is_odd{}, nullptr);
        }} {
    std::vector<T> rejected;
    for (const T& item : items_) (is_odd{}(item) ? expected_ : rejected).push_back(item);
    accepted_ = expected_.size();
    if (std::is_same_v<Order, from_the_end>) std::reverse(rejected.begin(), rejected.end());
    expected_.insert(expected_.end(), rejected.begin(), rejected.end());
  }
  experiment make() {
    return {[this] {
              range_.assign(items_);
              count_.poison();
            },
            [this] { call_(); },
            [this] {
              if (*count_.data() != accepted_) return std::string{"wrong number of items"};
              return difference(range_.to_host(), expected_);
            }};
  }

 private:
  std::vector<T> items_, expected_;
  std::size_t accepted_ = 0;
  device_array<T> range_;
  device_array<std::size_t> count_{1};
  two_phases call_;
};

/// Every third item or so goes to each part: what is of the first third is of the second, too.
struct is_of_third {
  unsigned part;
  template <class T>
  bool operator()(const T& item) const {
    if constexpr (is_affine<T>::value) {
      return item.offset % 3 <= part;
    } else {
      return item % 3 <= part;
    }
  }
};

template <class T>
class three_parts {
 public:
  explicit three_parts(std::size_t n)
      : items_{random_items<T>(n)},
        expected_{parts()},
        in_{items_},
        first_{expected_[0].size()},  // and no place behind them
        second_{expected_[1].size()},
        rest_{expected_[2].size()},
        call_{[=](void* temp, std::size_t& bytes) {
          return three_way_partition(temp, bytes, in_.data(), first_.data(), second_.data(),
                                     rest_.data(), counts_.data(), n, is_of_third{0},
                                     is_of_third{1}, nullptr);
        }} {}
  experiment make() {
    return {[this] {
              counts_.poison();
              for (device_array<T>* out : {&first_, &second_, &rest_}) out->poison();
            },
            [this] { call_(); },
            [this] {
              const auto& [first, second, rest] = expected_;
              if (counts_.data()[0] != first.size() || counts_.data()[1] != second.size())
                return std::string{"wrong number of items"};
              return difference(first_.to_host(first.size()), first) +
                     difference(second_.to_host(second.size()), second) +
                     difference(rest_.to_host(rest.size()), rest);
            }};
  }

 private:
  std::array<std::vector<T>, 3> parts() const {
    std::array<std::vector<T>, 3> all;
    for (const T& item : items_)
      all[is_of_third{0}(item) ? 0 : is_of_third{1}(item) ? 1 : 2].push_back(item);
    return all;
  }

  std::vector<T> items_;
  std::array<std::vector<T>, 3> expected_;
  device_array<T> in_, first_, second_, rest_;
  device_array<std::size_t> counts_{2};
  two_phases call_;
};

template <class T>
class select_of : public testing::Test {};
using types = testing::Types<std::uint32_t, std::uint16_t, affine<std::uint64_t, 8>>;
TYPED_TEST_SUITE(select_of, types);

TYPED_TEST(select_of, items_elsewhere) {
  EXPECT_EQ(try_on_machines(200, copy_if<TypeParam>{1000, places::apart}.make()), "");
}
TYPED_TEST(select_of, items_in_place) {
  EXPECT_EQ(try_on_machines(300, copy_if<TypeParam>{1000, places::in_place}.make()), "");
}
TYPED_TEST(select_of, items_in_place_by_a_stencil) {
  EXPECT_EQ(try_on_machines(200, copy_if<TypeParam>{1000, places::in_place, true}.make()), "");
}
// Each thread has a fence before the barrier after which thread 0 has one for all of them. The
// model asks for the second only.
const names one_fence_of_two{"launch_state.cuh __threadfence()"};

TYPED_TEST(select_of, items_in_place_needs_every_ordering) {
  expect_all_needed(50, copy_if<TypeParam>{1000, places::in_place}.make(), one_fence_of_two);
}
TYPED_TEST(select_of, partitions_in_place) {
  EXPECT_EQ(try_on_machines(100, partition<in_input_order, TypeParam>{900}.make()), "");
  EXPECT_EQ(try_on_machines(100, partition<from_the_end, TypeParam>{900}.make()), "");
}

TYPED_TEST(select_of, partitions_into_three) {
  EXPECT_EQ(try_on_machines(100, three_parts<TypeParam>{900}.make()), "");
}

struct has_odd_value {
  bool operator()(const two_bytes& item) const { return item.value % 2 != 0; }
};

// A GPU stops at a word that is not aligned; here UBSan does.
TEST(select_of_two_bytes, at_any_address) {
  const auto words = random_items<std::uint16_t>(900);
  std::vector<two_bytes> items(words.size()), expected[2];
  std::memcpy(items.data(), words.data(), words.size() * sizeof(two_bytes));
  for (const two_bytes& item : items) expected[has_odd_value{}(item)].push_back(item);
  device_array<two_bytes> room[3]{device_array<two_bytes>(items.size() + 2),
                                  device_array<two_bytes>(items.size() + 2),
                                  device_array<two_bytes>(items.size() + 2)};
  device_array<std::size_t> count{1};
  for (std::size_t shift = 0; shift < 4; ++shift) {  // in bytes
    two_bytes* begin[3];
    for (int i = 0; i < 3; ++i)
      begin[i] = reinterpret_cast<two_bytes*>(reinterpret_cast<char*>(room[i].data()) + shift);
    std::memcpy(static_cast<void*>(begin[0]), items.data(), items.size() * sizeof(two_bytes));
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return select(temp, bytes, begin[0], input_is_stencil{}, begin[1],
                    keep_rejected<two_bytes*>{begin[2]}, count.data(), items.size(),
                    has_odd_value{}, nullptr);
    }};
    const auto prepare = [&] {
      count.poison();
      for (int i = 1; i < 3; ++i) room[i].poison();
    };
    const auto check = [&] {
      if (*count.data() != expected[1].size()) return std::string{"wrong number of items"};
      const std::vector<two_bytes> odd(begin[1], begin[1] + expected[1].size());
      const std::vector<two_bytes> even(begin[2], begin[2] + expected[0].size());
      return difference(odd, expected[1]) + difference(even, expected[0]);
    };
    EXPECT_EQ(try_on_machines(30, {prepare, [&] { call(); }, check}), "");
  }
}

constexpr std::size_t many = tiles_with_scout * 32;

TEST(select_with_scout, in_place) {
  copy_if<std::int32_t> one{many, places::in_place};
  expect_right_with_scout_and_without(one);
}
TEST(select_with_scout, in_place_needs_every_ordering) {
  expect_all_needed(8, copy_if<std::int32_t>{many, places::in_place}.make(), one_fence_of_two);
}

}  // namespace
