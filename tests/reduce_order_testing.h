// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of stock's order share: items whose sums round differently in every order, and the
// lengths at which the order changes.
#pragma once

#include <hindsight/detail/cuda/reduce.cuh>
#include <hindsight/reduce.h>

#include <thrust/reduce.h>
#include <thrust/tabulate.h>

#include "gpu_testing.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

HINDSIGHT_HD inline std::uint64_t mixed(std::uint64_t i) {
  i = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 31)) * 0x94d049bb133111ebu;
  return i ^ (i >> 29);
}

/// Item i of seven decades of magnitudes, at most 1000 * scale, of either sign.
template <class T>
struct rough {
  double scale = 1;
  HINDSIGHT_HD T operator()(std::size_t i) const {
    const std::uint64_t bits = mixed(i);
    double magnitude = 1e-4 * scale;
    for (unsigned decade = bits % 8; decade > 0; --decade) magnitude *= 10;
    return T((static_cast<double>(bits >> 11) * 0x1p-52 - 1) * magnitude);
  }
};

/// Items whose products stay near 1.
template <class T>
struct near_one {
  double width;
  HINDSIGHT_HD T operator()(std::size_t i) const {
    return T(1 + (static_cast<double>(mixed(i) >> 11) * 0x1p-52 - 1) * width);
  }
};

/// Zeros of both signs, numbers on one side of them, now and then a NaN: extrema that depend on
/// the order.
template <class T>
struct doubtful {
  double side;  ///< 1 or -1
  HINDSIGHT_HD T operator()(std::size_t i) const {
    const std::uint64_t bits = mixed(i);
    if (bits >> 44 == 0) return T(NAN);
    return bits % 4 < 2 ? T(bits % 4 == 0 ? 0.0 : -0.0) : T(side * double(1 + bits % 1000));
  }
};

/// [n] items in device memory, item i = make(i).
template <class T>
class made_array : public device_array<T> {
 public:
  template <class Make>
  made_array(std::size_t n, Make make, std::size_t shift = 0) : device_array<T>(n, shift) {
    thrust::tabulate(stock, this->begin(), this->end(), make);
  }
};

inline std::size_t multiprocessors() {
  int count = 0;
  check(hindsight::detail::cuda::multiprocessors_of_current_device(count));
  return static_cast<std::size_t>(count);
}

/// Around a warp, a block, some tiles, and the largest grid if a multiprocessor holds 1 to 8
/// blocks: five waves. Also 2^26.
template <class T>
std::vector<std::size_t> lengths_around_grids() {
  const std::size_t tile = hindsight::detail::cuda::reduce_order_of<T>().tile_items();
  std::vector<std::size_t> lengths{0, 1, 2, 31, 32, 33, 255, 256, 257};
  for (const std::size_t tiles : {1, 2, 3, 33}) {
    lengths.insert(lengths.end(), {tiles * tile - 1, tiles * tile, tiles * tile + 1});
    lengths.insert(lengths.end(), {tiles * tile + 255, tiles * tile + 257});
  }
  for (std::size_t blocks = 1; blocks <= 8; ++blocks) {
    const std::size_t grid = 5 * blocks * multiprocessors() * tile;
    lengths.insert(lengths.end(), {grid - 1, grid, grid + 1, grid + tile, grid + tile + 1});
  }
  const std::size_t largest = 5 * 8 * multiprocessors() * tile;
  lengths.insert(lengths.end(), {2 * largest - 1, 2 * largest, 2 * largest + tile + 1});
  constexpr std::size_t many = std::size_t{1} << 26;
  lengths.insert(lengths.end(), {many - 1, many, many + 1});
  return lengths;
}

/// As many as any of these lengths needs.
template <class T>
std::size_t longest() {
  const auto lengths = lengths_around_grids<T>();
  return *std::max_element(lengths.begin(), lengths.end());
}

/// `count` lengths up to longest<T>(), evenly spread over magnitudes.
template <class T>
std::vector<std::size_t> random_lengths(int count) {
  std::mt19937_64 random{4};
  std::uniform_real_distribution<double> exponent{0, std::log2(double(longest<T>()))};
  std::vector<std::size_t> lengths(count);
  for (std::size_t& n : lengths) n = static_cast<std::size_t>(std::exp2(exponent(random)));
  return lengths;
}

/// reduce(policy, n) has the same bits with both policies.
template <class Reduce>
void expect_stocks_bits(const std::vector<std::size_t>& lengths, Reduce reduce) {
  for (const std::size_t n : lengths) {
    ASSERT_EQ(difference_of_values(reduce(par, n), reduce(stock, n)), "") << "n = " << n;
  }
}

/// Needs room for n items and a GiB.
inline bool is_room_for(std::size_t n, std::size_t item_bytes) {
  std::size_t free_bytes = 0, total = 0;
  check(cudaMemGetInfo(&free_bytes, &total));
  return free_bytes >= n * item_bytes + (std::size_t{1} << 30);
}

}  // namespace hindsight_test
