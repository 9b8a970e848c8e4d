// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Selections and partitions of wide items, which are staged in slots and move word by word: with
// full tiles and partial ones, into arrays without a place to spare.
#include <hindsight/detail/cuda/select.cuh>
#include <hindsight/detail/cuda/three_way_partition.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Word, int Words, std::size_t Alignment>
struct select_tuning<emulation::many_words<Word, Words, Alignment>> {
  static constexpr tile_shape shape{2, 2}, pipeline_shape = shape;
  static constexpr int pipeline_slots = 1, pipeline_tiles_per_slot = 1'000'000;  // never
  static constexpr int min_blocks = 1;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

/// Whether an item is of one of the first parts of three.
template <class T>
struct is_of_third {
  unsigned part;
  bool operator()(const T& item) const {
    if (!item.is_value()) fail("a predicate is called with what is no value");
    return item.words[1] % 3 <= part;
  }
};
struct have_equal_thirds {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a.words[1] % 3 == b.words[1] % 3;
  }
};

/// n items, and what calls come to.
template <class T>
class selections_of {
 public:
  explicit selections_of(std::size_t n) : n_{n} {
    for (std::size_t i = 0; i < n; ++i) {
      const T& item = items_[i];
      thirds_[item.words[1] % 3].push_back(item);
      if (!is_first(item)) rest_.push_back(item);
      if (i == 0 || !have_equal_thirds{}(items_[i - 1], item)) unique_.push_back(item);
    }
    partitioned_ = thirds_[0];
    partitioned_.insert(partitioned_.end(), rest_.begin(), rest_.end());
  }

  std::string selects() {
    device_array<T> out{thirds_[0].size()};
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return select(temp, bytes, in_.data(), input_is_stencil{}, out.data(), discard_rejected{},
                    counts_.data(), n_, is_first, nullptr);
    }};
    return try_on_all(
        call, thirds_[0].size(), [&] { return difference(out.to_host(), thirds_[0]); }, out);
  }
  std::string selects_in_place() {
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return select(temp, bytes, in_.data(), input_is_stencil{}, in_.data(), discard_rejected{},
                    counts_.data(), n_, is_first, nullptr);
    }};
    return try_on_all(call, thirds_[0].size(),
                      [&] { return difference(in_.to_host(), thirds_[0]); });
  }
  std::string finds_unique() {
    device_array<T> out{unique_.size()};
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return unique(temp, bytes, in_.data(), out.data(), counts_.data(), n_, have_equal_thirds{},
                    nullptr);
    }};
    return try_on_all(
        call, unique_.size(), [&] { return difference(out.to_host(), unique_); }, out);
  }
  std::string partitions() {
    device_array<T> out{thirds_[0].size()}, rejected{rest_.size()};
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return select(temp, bytes, in_.data(), input_is_stencil{}, out.data(),
                    keep_rejected<T*>{rejected.data()}, counts_.data(), n_, is_first, nullptr);
    }};
    const auto check = [&] {
      return difference(out.to_host(), thirds_[0]) + difference(rejected.to_host(), rest_);
    };
    return try_on_all(call, thirds_[0].size(), check, out, rejected);
  }
  std::string partitions_in_place() {
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return partition_in_place<in_input_order>(temp, bytes, in_.data(), input_is_stencil{},
                                                counts_.data(), n_, is_first, nullptr);
    }};
    return try_on_all(call, thirds_[0].size(),
                      [&] { return difference(in_.to_host(), partitioned_); });
  }
  std::string partitions_into_three() {
    const auto& [first, second, third] = thirds_;
    device_array<T> out[] = {device_array<T>(first.size()), device_array<T>(second.size()),
                             device_array<T>(third.size())};
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return three_way_partition(temp, bytes, in_.data(), out[0].data(), out[1].data(),
                                 out[2].data(), counts_.data(), n_, is_first, is_of_third<T>{1},
                                 nullptr);
    }};
    const auto check = [&] {
      return difference(out[0].to_host(), thirds_[0]) + difference(out[1].to_host(), thirds_[1]) +
             difference(out[2].to_host(), thirds_[2]);
    };
    return try_on_all(call, thirds_[0].size(), check, out[0], out[1], out[2]);
  }

 private:
  /// `number` is how many items there are in the first part.
  template <class Check, class... Outs>
  std::string try_on_all(const two_phases& call, std::size_t number, Check check, Outs&... outs) {
    const auto prepare = [&] {
      in_.assign(items_);
      counts_.poison();
      (outs.poison(), ...);
    };
    const auto check_all = [&] {
      return *counts_.data() == number ? check() : std::string{"wrong number of items"};
    };
    return try_on_machines(5, {prepare, call, check_all});
  }

  static constexpr is_of_third<T> is_first{0};
  std::size_t n_;
  std::vector<T> items_ = random_items<T>(n_), thirds_[3], rest_, partitioned_, unique_;
  device_array<T> in_{items_};
  device_array<std::size_t> counts_{2};
};

template <class T>
class select_wide : public testing::Test {};
using types = testing::Types<many_words<std::uint8_t, 33>,       // not in words
                             many_words<std::uint64_t, 5>,       // slots without pads
                             many_words<std::uint32_t, 8>,       // slots with pads
                             many_words<std::uint64_t, 6, 16>>;  // words of 16 bytes
TYPED_TEST_SUITE(select_wide, types);

// Within a warp, one item short of it, a warp, one item short of a tile, tiles.
TYPED_TEST(select_wide, items_of_full_tiles_and_partial_ones) {
  for (const std::size_t n : {1, 63, 64, 127, 256, 575, 600}) {
    SCOPED_TRACE(n);
    selections_of<TypeParam> calls{n};
    EXPECT_EQ(calls.selects(), "");
    EXPECT_EQ(calls.selects_in_place(), "");
    EXPECT_EQ(calls.finds_unique(), "");
    EXPECT_EQ(calls.partitions(), "");
    EXPECT_EQ(calls.partitions_in_place(), "");
    EXPECT_EQ(calls.partitions_into_three(), "");
  }
}

}  // namespace
