// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Radix sort: the histogram of digits, its passes, and the sort of one tile.
#include <hindsight/detail/cuda/radix_sort.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// As the library's, with few items a lane; a block has a thread for each digit all the same.
template <class Value, tiles Size>
struct sort_tuning<std::uint16_t, Value, Size> {
  static constexpr int digit_bits = 8;
  static constexpr int num_digits = 256;
  static constexpr int block_threads = 256;
  static constexpr bool has_values = !std::is_empty_v<Value>;
  static constexpr bool stages_values = sizeof(Value) <= 16;
  static constexpr int lane_items = 2;
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr int min_blocks = 1;
  static constexpr int few_tiles = 100;
  static constexpr int rows_ahead = 3;
  static constexpr int max_shared_bytes = 200 * 1024;
  static constexpr int histogram_blocks = 2;
  static constexpr int histogram_lane_items = 2;
  static constexpr int histogram_tile_items = block_threads * histogram_lane_items;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using key = std::uint16_t;
struct wide {  // not staged, but fetched in the order of the output
  std::uint32_t words[5];
};

enum class output { elsewhere, in_place };

/// Keys that differ in the bits of `varying` only.
std::vector<key> keys_that_vary(std::size_t n, key varying) {
  std::vector<key> keys = random_items<key>(n);
  for (key& each : keys) each &= varying;
  return keys;
}

template <class Value>
class sort_of {
 public:
  explicit sort_of(std::size_t n, key varying = key(~0u), output to = output::elsewhere)
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
          return radix_sort<ascending, key, Value>(temp, bytes, keys_in.data(), keys_out_.data(),
                                                   has_values ? values_in.data() : nullptr,
                                                   has_values ? values_out_.data() : nullptr, n, 0,
                                                   16, nullptr);
        }} {
    std::vector<std::size_t> places(n);
    for (std::size_t i = 0; i < n; ++i) {
      places[i] = i;
      std::memcpy(static_cast<void*>(&values_[i]), &i, std::min(sizeof(Value), sizeof i));
    }
    values_in_.assign(values_);
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return keys_[a] < keys_[b]; });
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

  std::vector<key> keys_, expected_keys_;
  device_array<key> keys_in_, keys_out_;
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
TYPED_TEST(sort, of_one_tile) {
  EXPECT_EQ(try_on_machines(20, sort_of<TypeParam>{500}.make()), "");
}
TYPED_TEST(sort, passes_over_digits_that_do_not_vary) {
  for (const output to : {output::elsewhere, output::in_place}) {
    for (const int varying : {0, 0xff, 0xff00, 0xffff}) {
      EXPECT_EQ(try_on_machines(4, sort_of<TypeParam>{1500, key(varying), to}.make()), "")
          << varying;
    }
  }
}
TYPED_TEST(sort, needs_every_ordering) {
  expect_all_needed(10, sort_of<TypeParam>{1500}.make());
  if (sizeof(TypeParam) <= 16) {  // else values are not staged, and there is no sort of one tile
    expect_all_needed(10, sort_of<TypeParam>{500}.make());
  }
}

}  // namespace
