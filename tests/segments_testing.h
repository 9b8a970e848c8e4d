// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of every kind, and what reductions and scans of them are, found by plain loops.
#pragma once

#include <hindsight/detail/config.h>

#include "affine_testing.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#if !HINDSIGHT_CUDA
namespace hindsight_test {

/// Empty if both hold the same bits, else what differs first.
template <class T>
std::string difference(const std::vector<T>& actual, const std::vector<T>& expected) {
  if (actual.size() != expected.size())
    return std::to_string(actual.size()) + " items instead of " + std::to_string(expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (std::memcmp(&actual[i], &expected[i], sizeof(T)) != 0)
      return "item " + std::to_string(i) + " of " + std::to_string(actual.size());
  return {};
}

template <class T, class Random>
T random_item(Random& random) {
  return {std::uint32_t(random()) | 1, std::uint32_t(random()), std::uint32_t(random())};
}

}  // namespace hindsight_test
#else
#  include "gpu_testing.h"
#endif

namespace hindsight_test {

inline constexpr affine poison{0xABABABAB, 0xABABABAB, 0xABABABAB};

/// Offsets of segments.
struct segment_lengths {
  std::string name;
  std::vector<std::uint32_t> offsets;

  /// Random ones of about these lengths, up to at least `num_items` items, from `first` on.
  segment_lengths(std::string what, std::size_t num_items, std::uint32_t first,
                  const std::vector<std::uint32_t>& lengths)
      : name{std::move(what)}, offsets{first} {
    std::mt19937_64 random{num_items};
    for (std::size_t s = 0; offsets.back() - first < num_items || s < 10; ++s) {
      const std::uint32_t length = lengths[random() % lengths.size()];
      const std::uint32_t jitter = length > 3 ? std::uint32_t(random()) % length : length;
      offsets.push_back(offsets.back() + (length > 3 ? length / 2 : 0) + jitter);
    }
  }
  segment_lengths(std::string what, std::vector<std::uint32_t> all)
      : name{std::move(what)}, offsets{std::move(all)} {}

  std::vector<bool> heads() const {
    std::vector<bool> flags(offsets.back());
    for (const std::uint32_t offset : offsets)
      if (offset < flags.size()) flags[offset] = true;
    return flags;
  }
};

inline std::vector<segment_lengths> all_segment_lengths(std::uint32_t tile = 1024) {
  std::vector<segment_lengths> all{
      {"one item", {0, 1}},
      {"one empty segment", {0, 0}},
      {"only empty segments", std::vector<std::uint32_t>(3 * tile, 7)},
      {"no segment", {3}},
      {"one segment", {0, 20 * tile + 1}},
      {"one segment in the midst", {77, 5 * tile}},
      {"ends at the ends of tiles",
       {0, tile - 1, 2 * tile - 2, 3 * tile - 3, 3 * tile - 3, 5 * tile}},
      {"of one item", 30'000, 0, {1}},
      {"of three items", 30'000, 0, {3}},
      {"mostly empty", 3'000, 5, {0, 0, 0, 0, 0, 0, 0, 0, 1}},
      {"short", 30'000, 0, {0, 1, 2, 3}},
      {"long", 200'000, 3, {10'000}},
      {"medium", 200'000, 2, {1000}},
      {"medium and some long", 400'000, 0, {300, 0, 300, 300, 300, 300, 300, 300, 1, 60'000}},
      {"all sorts", 100'000, 1, {0, 0, 0, 1, 1, 2, 40, 300, 20'000}}};
  // Many empty segments in a row, before and after long ones.
  std::vector<std::uint32_t> offsets{0};
  for (const std::uint32_t length : {0u, 5 * tile, 1u, 0u, 3 * tile}) {
    offsets.insert(offsets.end(), 2 * tile + 3, offsets.back());
    offsets.push_back(offsets.back() + length);
  }
  all.emplace_back("many empty ones in a row", offsets);
  return all;
}

/// Items, of which `spare` are in no segment, and what is to come out.
template <class T>
struct segments_case {
  T init;
  std::vector<T> items, untouched, sums, inclusive, exclusive;

  segments_case(const segment_lengths& lengths, std::size_t spare) {
    std::mt19937_64 random{lengths.offsets.size()};
    init = random_item<T>(random);
    items.resize(lengths.offsets.back() + spare);
    for (T& item : items) item = random_item<T>(random);
    untouched.assign(items.size(), poison);
    inclusive = exclusive = untouched;
    for (std::size_t s = 0; s + 1 < lengths.offsets.size(); ++s) {
      T sum = init, own{};
      for (std::size_t begin = lengths.offsets[s], i = begin; i < lengths.offsets[s + 1]; ++i) {
        exclusive[i] = sum;
        sum = compose{}(sum, items[i]);
        own = i > begin ? compose{}(own, items[i]) : items[i];
        inclusive[i] = own;
      }
      sums.push_back(sum);
    }
  }
};

}  // namespace hindsight_test
