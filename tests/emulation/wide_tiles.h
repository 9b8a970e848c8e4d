// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and sums by key of any number of wide items, in tiny tiles.
#pragma once

#include <hindsight/detail/cuda/reduce_by_key.cuh>
#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>

#include "operators.h"
#include "testing.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

using emulation::many_words;

/// One warp, with two items a lane where items have an odd number of words.
template <class T>
struct tiny_tiles;
template <class Word, int Words, std::size_t Alignment>
struct tiny_tiles<many_words<Word, Words, Alignment>> {
  static constexpr tile_shape shape{1 + Words % 2, 1};
  static constexpr int pipeline_slots = 1, pipeline_tiles_per_slot = 1'000'000;  // never
  static constexpr int min_blocks = 1;
};
template <class Word, int Words, std::size_t Alignment>
struct scan_tuning<many_words<Word, Words, Alignment>>
    : tiny_tiles<many_words<Word, Words, Alignment>> {};
template <class Key, class Word, int Words, std::size_t Alignment>
struct scan_by_key_tuning<Key, many_words<Word, Words, Alignment>>
    : tiny_tiles<many_words<Word, Words, Alignment>> {};
template <class Key, class Word, int Words, std::size_t Alignment>
struct reduce_by_key_tuning<Key, many_words<Word, Words, Alignment>>
    : tiny_tiles<many_words<Word, Words, Alignment>> {};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace emulation {

using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

struct equal {
  template <class Key>
  bool operator()(const Key& a, const Key& b) const {
    if constexpr (has_many_words<Key>) {
      return a.words[0] == b.words[0];
    } else {
      return a == b;
    }
  }
};

/// Keys in runs, of which the last one is longer than two tiles, and some begin with a tile.
template <class Key>
std::vector<Key> keys_in_runs(std::size_t n, std::size_t tile_items) {
  const std::vector<int> runs = items_in_runs<int>(n);
  const std::size_t last = n - std::min(n, 2 * tile_items + tile_items / 2);
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = std::uint8_t(i < last ? runs[i] + i / tile_items / 10 * 8 : 250);
    if constexpr (has_many_words<Key>) {
      keys[i].words[0] = number;
    } else {
      keys[i] = number;
    }
  }
  return keys;
}

/// All calls on n items.
template <class T>
class calls_on {
 public:
  using key = std::int32_t;
  static constexpr std::size_t tile_items = tiny_tiles<T>::shape.tile_items();

  explicit calls_on(std::size_t n) : n_{n} {
    const operator_of<T> op;
    T before = init_;
    for (std::size_t i = 0; i < n; ++i) {
      const bool begins = i == 0 || !equal{}(keys_[i], keys_[i - 1]);
      exclusive_.push_back(before);
      before = op(before, values_[i]);
      inclusive_.push_back(i == 0 ? values_[i] : op(inclusive_.back(), values_[i]));
      exclusive_by_key_.push_back(begins ? init_ : op(exclusive_by_key_.back(), values_[i - 1]));
      inclusive_by_key_.push_back(begins ? values_[i] : op(inclusive_by_key_.back(), values_[i]));
      if (begins) sums_.push_back(values_[i]), sum_keys_.push_back(keys_[i]);
      sums_.back() = inclusive_by_key_.back();
    }
  }

  std::string inclusive_scan() {
    two_phases call{[this](void* temp, std::size_t& bytes) {
      return scan<T, inclusive>(temp, bytes, in_.data(), out_.data(), n_, operator_of<T>{},
                                no_init{}, nullptr);
    }};
    return try_on_all(call, out_, inclusive_);
  }
  std::string exclusive_scan_in_place() {
    two_phases call{[this](void* temp, std::size_t& bytes) {
      return scan<T, exclusive>(temp, bytes, in_.data(), in_.data(), n_, operator_of<T>{}, init_,
                                nullptr);
    }};
    return try_on_all(call, in_, exclusive_);
  }
  std::string inclusive_scan_by_key() {
    two_phases call{[this](void* temp, std::size_t& bytes) {
      return scan_by_key<T, inclusive>(temp, bytes, keys_in_.data(), in_.data(), out_.data(), n_,
                                       equal{}, operator_of<T>{}, no_init{}, nullptr);
    }};
    return try_on_all(call, out_, inclusive_by_key_);
  }
  /// The keys are as wide as the values.
  std::string exclusive_scan_by_key_over_the_keys() {
    const std::vector<T> keys = keys_in_runs<T>(n_, tile_items);
    device_array<T> keys_in{keys};
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return scan_by_key<T, exclusive>(temp, bytes, keys_in.data(), in_.data(), keys_in.data(), n_,
                                       equal{}, operator_of<T>{}, init_, nullptr);
    }};
    return try_on_machines(2, {[&] { keys_in.assign(keys), in_.assign(values_); }, call,
                               [&] { return difference(keys_in.to_host(), exclusive_by_key_); }});
  }
  std::string sums_by_key() {
    const std::size_t runs = sums_.size();
    device_array<T> sums{runs};  // and no place behind them
    device_array<key> sum_keys{runs};
    two_phases call{[&](void* temp, std::size_t& bytes) {
      return reduce_by_key<T>(temp, bytes, keys_in_.data(), in_.data(), sum_keys.data(),
                              sums.data(), count_.data(), n_, equal{}, operator_of<T>{}, nullptr);
    }};
    const auto prepare = [&] { in_.assign(values_), sums.poison(), count_.poison(); };
    return try_on_machines(2, {prepare, call, [&] {
                                 if (*count_.data() != runs) return std::string{"wrong number"};
                                 return difference(sum_keys.to_host(), sum_keys_) +
                                        difference(sums.to_host(), sums_);
                               }});
  }

 private:
  std::string try_on_all(const two_phases& call, device_array<T>& result,
                         const std::vector<T>& expected) {
    return try_on_machines(2, {[&] { out_.poison(), in_.assign(values_); }, call,
                               [&] { return difference(result.to_host(), expected); }});
  }

  std::size_t n_;
  T init_ = random_items<T>(1)[0];
  std::vector<key> keys_ = keys_in_runs<key>(n_, tile_items), sum_keys_;
  std::vector<T> values_ = random_items<T>(n_), inclusive_, exclusive_, inclusive_by_key_,
                 exclusive_by_key_, sums_;
  device_array<key> keys_in_{keys_};
  device_array<T> in_{values_}, out_{n_};
  device_array<std::size_t> count_{1};
};

template <class T>
void expect_right(std::size_t n) {
  SCOPED_TRACE(n);
  calls_on<T> calls{n};
  EXPECT_EQ(calls.inclusive_scan(), "");
  EXPECT_EQ(calls.exclusive_scan_in_place(), "");
  EXPECT_EQ(calls.inclusive_scan_by_key(), "");
  EXPECT_EQ(calls.exclusive_scan_by_key_over_the_keys(), "");
  EXPECT_EQ(calls.sums_by_key(), "");
}

}  // namespace emulation
