// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Algorithms over runs of equal keys.
#include <hindsight/detail/cuda/reduce_by_key.cuh>
#include <hindsight/detail/cuda/run_length_encode.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>
#include <hindsight/detail/host/reduce_by_key.h>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

struct tiny_by_key {
  static constexpr tile_shape shape{2, 2};
  static constexpr int min_blocks = 1;
};
template <class T>
struct scan_by_key_tuning<std::int32_t, T> : tiny_by_key {};
template <class T>
struct reduce_by_key_tuning<std::int32_t, T> : tiny_by_key {};
template <>
struct run_length_tuning<std::int32_t> : tiny_by_key {};
template <>
struct run_length_tuning<std::uint8_t> {  // four neighbours in a word
  static constexpr tile_shape shape{4, 2};
  static constexpr int min_blocks = 1;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;
using key = std::int32_t;

struct equal {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

/// A run of equal keys, and the fold of its values.
template <class Key, class T>
struct run {
  Key key;
  T fold;
  std::size_t length;
};
template <class Key, class T>
std::vector<run<Key, T>> find_runs(const std::vector<Key>& keys, const std::vector<T>& values) {
  std::vector<run<Key, T>> runs;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) {
      runs.back().fold = operator_of<T>{}(runs.back().fold, values[i]);
      ++runs.back().length;
    } else {
      runs.push_back({keys[i], values[i], 1});
    }
  }
  return runs;
}

template <class T>
class by_key : public testing::Test {
 protected:
  static constexpr std::size_t n = 1100;
  std::vector<key> keys_ = items_in_runs<key>(n);
  std::vector<T> values_ = random_items<T>(n);
  const std::vector<run<key, T>> runs_ = find_runs(keys_, values_);
  device_array<key> keys_in_{keys_}, keys_out_{runs_.size()};  // and no place behind them
  device_array<T> values_in_{values_}, values_out_{runs_.size()};
  device_array<std::size_t> count_{1};

  experiment reduction() {
    two_phases call{[this](void* temp, std::size_t& bytes) {
      return reduce_by_key<T>(temp, bytes, keys_in_.data(), values_in_.data(), keys_out_.data(),
                              values_out_.data(), count_.data(), n, equal{}, operator_of<T>{},
                              nullptr);
    }};
    return {[this] {
              count_.poison();
              keys_out_.poison();
              values_out_.poison();
            },
            std::move(call),
            [this] {
              if (*count_.data() != runs_.size()) return std::string{"wrong number of runs"};
              std::vector<key> keys;
              std::vector<T> folds;
              for (const auto& r : runs_) {
                keys.push_back(r.key);
                folds.push_back(r.fold);
              }
              return difference(keys_out_.to_host(keys.size()), keys) +
                     difference(values_out_.to_host(keys.size()), folds);
            }};
  }

  /// Into the values, or into the keys.
  template <class Out>
  experiment scan(device_array<Out>& out) {
    two_phases call{[this, &out](void* temp, std::size_t& bytes) {
      return scan_by_key<T, inclusive>(temp, bytes, keys_in_.data(), values_in_.data(), out.data(),
                                       n, equal{}, operator_of<T>{}, no_init{}, nullptr);
    }};
    return {[this] {
              keys_in_.assign(keys_);
              values_in_.assign(values_);
            },
            std::move(call),
            [this, &out] {
              std::vector<Out> expected;
              T fold{};
              for (std::size_t i = 0; i < n; ++i) {
                const bool goes_on = i > 0 && keys_[i] == keys_[i - 1];
                fold = goes_on ? operator_of<T>{}(fold, values_[i]) : values_[i];
                expected.push_back(static_cast<Out>(fold));
              }
              return difference(out.to_host(), expected);
            }};
  }
};
using types = testing::Types<std::uint32_t, affine<std::uint32_t, 0>, affine<std::uint64_t, 8>>;
TYPED_TEST_SUITE(by_key, types);

TYPED_TEST(by_key, reduces) {
  EXPECT_EQ(try_on_machines(150, this->reduction()), "");
}
TYPED_TEST(by_key, scans_in_place) {
  EXPECT_EQ(try_on_machines(150, this->scan(this->values_in_)), "");
}
TYPED_TEST(by_key, needs_every_ordering) {
  // Loads item by item end with a barrier, and finish_loads() brings another.
  const names warp_barrier{"staged_warp.cuh __syncwarp()"};
  expect_all_needed(50, this->reduction(), warp_barrier);
  expect_all_needed(50, this->scan(this->values_in_), warp_barrier);
}

using by_key_of_integers = by_key<std::uint32_t>;
TEST_F(by_key_of_integers, scans_into_the_keys) {
  EXPECT_EQ(try_on_machines(150, this->scan(this->keys_in_)), "");
}

/// The greater one, rounded up: not the same for 0.5 and for 0.
struct greater_rounded_up {
  HINDSIGHT_HD std::int32_t operator()(double a, double b) const {
    const double greater = a < b ? b : a;
    const auto whole = static_cast<std::int32_t>(greater);
    return whole < greater ? whole + 1 : whole;
  }
};

TEST(by_key, operators_get_an_initial_value_in_its_own_type) {
  const std::size_t num_values = 1000;
  std::vector<key> keys;
  std::vector<std::int32_t> values, expected;
  double fold = 0;
  for (std::size_t i = 0; i < num_values; ++i) {
    keys.push_back(key(i * i / 3000));
    values.push_back(int(i * 37 % 23) - 21);
    const bool is_head = i == 0 || keys[i] != keys[i - 1];
    expected.push_back(static_cast<std::int32_t>(is_head ? 0.5 : fold));
    fold = greater_rounded_up{}(is_head ? 0.5 : fold, values[i]);
  }
  device_array<key> keys_in{keys};
  device_array<std::int32_t> values_in{values}, out{num_values};
  two_phases call{[&](void* temp, std::size_t& bytes) {
    return scan_by_key<std::int32_t, exclusive>(
        temp, bytes, keys_in.data(), values_in.data(), out.data(), num_values, equal{},
        greater_rounded_up{}, init_of_runs<std::int32_t, greater_rounded_up>(0.5), nullptr);
  }};
  const experiment scan{[&] { out.poison(); }, std::move(call),
                        [&] { return difference(out.to_host(), expected); }};
  EXPECT_EQ(try_on_machines(10, scan), "");
}

// Inputs that end within a lane, with one, with a warp and with a tile of 128 items.
TEST(by_key_of_floats, reduces_to_the_bits_of_the_host) {
  for (const std::size_t n : {1, 2, 3, 4, 63, 64, 65, 66, 94, 126, 127, 128, 130, 192, 256, 300}) {
    std::vector<key> keys(n), host_keys(n);
    std::vector<float> values(n), host_values(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<key>(i / 37);
      values[i] = 1 / (float(i) + 0.7f);
    }
    const std::size_t runs = hindsight::detail::host::reduce_by_key<tiny_by_key>(
        keys.data(), values.data(), host_keys.data(), host_values.data(), n, equal{},
        std::plus<float>{});
    host_values.resize(runs);
    device_array<key> keys_in{keys}, keys_out{n};
    device_array<float> values_in{values}, values_out{n};
    device_array<std::size_t> count{1};
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return reduce_by_key<float>(temp, bytes, keys_in.data(), values_in.data(), keys_out.data(),
                                  values_out.data(), count.data(), n, equal{}, std::plus<float>{},
                                  nullptr);
    }};
    const experiment reduction{[&] { values_out.poison(); }, std::move(call),
                               [&] { return difference(values_out.to_host(runs), host_values); }};
    EXPECT_EQ(try_on_machines(2, reduction), "") << "n = " << n;
  }
}

template <class T>
class run_length : public testing::Test {
 protected:
  static constexpr std::size_t n = 1400;
  std::vector<T> items_ = items_in_runs<T>(n);
  const std::vector<run<T, T>> runs_ = find_runs(items_, items_);
  device_array<T> in_{items_}, unique_{runs_.size()};  // and no place behind them
  device_array<int> offsets_{runs_.size()}, lengths_{runs_.size()};
  device_array<std::size_t> count_{1};

  experiment encoding() {
    two_phases call{[this](void* temp, std::size_t& bytes) {
      return run_length_encode(temp, bytes, in_.data(), unique_.data(), lengths_.data(),
                               count_.data(), n, equal{}, nullptr);
    }};
    return {[this] {
              count_.poison();
              unique_.poison();
              lengths_.poison();
            },
            std::move(call),
            [this] {
              if (*count_.data() != runs_.size()) return std::string{"wrong number of runs"};
              std::vector<T> unique;
              std::vector<int> lengths;
              for (const auto& r : runs_) {
                unique.push_back(r.key);
                lengths.push_back(static_cast<int>(r.length));
              }
              return difference(unique_.to_host(unique.size()), unique) +
                     difference(lengths_.to_host(unique.size()), lengths);
            }};
  }
  experiment encoding_of_several() {
    two_phases call{[this](void* temp, std::size_t& bytes) {
      return non_trivial_runs(temp, bytes, in_.data(), offsets_.data(), lengths_.data(),
                              count_.data(), n, equal{}, nullptr);
    }};
    return {[this] {
              count_.poison();
              offsets_.poison();
              lengths_.poison();
            },
            std::move(call),
            [this] {
              std::vector<int> offsets, lengths;
              int begin = 0;
              for (const auto& r : runs_) {
                const int length = static_cast<int>(r.length);
                if (length > 1) {
                  offsets.push_back(begin);
                  lengths.push_back(length);
                }
                begin += length;
              }
              if (*count_.data() != offsets.size()) return std::string{"wrong number of runs"};
              return difference(offsets_.to_host(offsets.size()), offsets) +
                     difference(lengths_.to_host(offsets.size()), lengths);
            }};
  }
};
using items = testing::Types<std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(run_length, items);

TYPED_TEST(run_length, encodes) {
  EXPECT_EQ(try_on_machines(200, this->encoding()), "");
}
TYPED_TEST(run_length, encodes_runs_of_several) {
  EXPECT_EQ(try_on_machines(100, this->encoding_of_several()), "");
}
TYPED_TEST(run_length, needs_every_ordering) {
  expect_all_needed(50, this->encoding());
}

}  // namespace
