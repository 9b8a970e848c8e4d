// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and sums by key of wide items, also of aligned ones, in the tiles that the library has for
// them: of two and three warps.
#include <hindsight/detail/cuda/reduce_by_key.cuh>
#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;
using key = std::int64_t;

struct equal {
  bool operator()(key a, key b) const { return a == b; }
};

/// Whether blocks have enough shared memory.
template <class T>
constexpr bool has_room() {
  constexpr tile_shape scans = scan_shape<T>(), by_key = by_key_shape<key, T>();
  return std::max({sizeof(scan_storage<T, scans.lane_items, scans.warps>),
                   sizeof(scan_by_key_storage<key, T, by_key.lane_items, by_key.warps>),
                   sizeof(reduce_by_key_storage<key, T, by_key.lane_items, by_key.warps>)}) <=
         48 * 1024;
}

template <class T>
class wide_items : public testing::Test {
  static_assert(has_room<T>(), "calls on these items do not compile");

 protected:
  /// Of the widest items, tiles enough for sums to come first.
  static constexpr std::size_t n = sizeof(T) > 128
                                       ? (fewest_summed_tiles + 40) * scan_shape<T>().tile_items() -
                                             5
                                       : 1500;
  static constexpr std::uint64_t machines = sizeof(T) > 128 ? 3 : 10;
  std::vector<key> keys_ = items_in_runs<key>(n), sum_keys_;
  std::vector<T> values_ = random_items<T>(n), scan_, scan_by_key_, sums_;
  device_array<key> keys_in_{keys_}, keys_out_{n};
  device_array<T> in_{values_}, out_{n};
  device_array<std::size_t> count_{1};

  wide_items() {
    const operator_of<T> op;
    for (std::size_t i = 0; i < n; ++i) {
      const bool begins = i == 0 || keys_[i] != keys_[i - 1];
      scan_.push_back(i == 0 ? values_[i] : op(scan_.back(), values_[i]));
      scan_by_key_.push_back(begins ? values_[i] : op(scan_by_key_.back(), values_[i]));
      if (begins) {
        sum_keys_.push_back(keys_[i]);
        sums_.push_back(values_[i]);
      } else {
        sums_.back() = scan_by_key_.back();
      }
    }
  }
};
using types = testing::Types<affine<std::uint64_t, 64>, affine<std::uint64_t, 112>,
                             affine<std::uint64_t, 184>, many_words<std::uint64_t, 32, 128>,
                             many_words<std::uint64_t, 64, 128>>;
TYPED_TEST_SUITE(wide_items, types);

TYPED_TEST(wide_items, scans) {
  using T = TypeParam;
  two_phases call{[this](void* temp, std::size_t& bytes) {
    return scan<T, inclusive>(temp, bytes, this->in_.data(), this->out_.data(), this->n,
                              operator_of<T>{}, no_init{}, nullptr);
  }};
  EXPECT_EQ(try_on_machines(this->machines,
                            {[this] { this->out_.poison(); }, std::move(call),
                             [this] { return difference(this->out_.to_host(), this->scan_); }}),
            "");
}
TYPED_TEST(wide_items, scans_by_key) {
  using T = TypeParam;
  two_phases call{[this](void* temp, std::size_t& bytes) {
    return scan_by_key<T, inclusive>(temp, bytes, this->keys_in_.data(), this->in_.data(),
                                     this->out_.data(), this->n, equal{}, operator_of<T>{},
                                     no_init{}, nullptr);
  }};
  EXPECT_EQ(
      try_on_machines(this->machines,
                      {[this] { this->out_.poison(); }, std::move(call),
                       [this] { return difference(this->out_.to_host(), this->scan_by_key_); }}),
      "");
}
TYPED_TEST(wide_items, sums_by_key) {
  using T = TypeParam;
  two_phases call{[this](void* temp, std::size_t& bytes) {
    return reduce_by_key<T>(temp, bytes, this->keys_in_.data(), this->in_.data(),
                            this->keys_out_.data(), this->out_.data(), this->count_.data(), this->n,
                            equal{}, operator_of<T>{}, nullptr);
  }};
  const auto check = [this] {
    const std::size_t count = this->sums_.size();
    if (*this->count_.data() != count) return std::string{"wrong number of runs"};
    return difference(this->keys_out_.to_host(count), this->sum_keys_) +
           difference(this->out_.to_host(count), this->sums_);
  };
  const auto prepare = [this] {
    this->count_.poison();
    this->keys_out_.poison();
    this->out_.poison();
  };
  EXPECT_EQ(try_on_machines(this->machines, {prepare, std::move(call), check}), "");
}

}  // namespace
