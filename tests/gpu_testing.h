// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the GPU tests share: seeded data, device arrays that start out poisoned, bit comparison.
// Nothing here depends on a test framework.
#pragma once

#include <hindsight/detail/ab/bits.h>
#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/block/look_back.cuh>

#include <cuda_runtime_api.h>

#include "affine_testing.h"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace hindsight_test {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// A stream that does not wait for the default one.
class own_stream {
 public:
  own_stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  ~own_stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_)); }
  bool is_busy() const { return cudaStreamQuery(stream_) == cudaErrorNotReady; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// [n] items in device memory, first all bytes 0xAB. `shift` items of room before data() make it as
/// misaligned as the type allows.
template <class T>
class device_array {
 public:
  static constexpr int poison = 0xAB;

  explicit device_array(std::size_t n, std::size_t shift = 0) : n_{n}, shift_{shift} {
    check(cudaMalloc(&base_, (n + shift + 1) * sizeof(T)));
    fill_with_poison();
  }
  explicit device_array(const std::vector<T>& items, std::size_t shift = 0)
      : device_array(items.size(), shift) {
    assign(items);
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(base_); }

  T* data() const { return base_ + shift_; }
  T* begin() const { return data(); }
  T* end() const { return data() + n_; }
  std::size_t size() const { return n_; }

  void fill_with_poison() const {
    check(cudaMemset(base_, poison, (n_ + shift_ + 1) * sizeof(T)));
    wait();
  }
  /// All bytes of all items.
  void fill(int byte) const {
    check(cudaMemset(data(), byte, n_ * sizeof(T)));
    wait();
  }
  void assign(const std::vector<T>& items) const {
    check(cudaMemcpy(data(), items.data(), items.size() * sizeof(T), cudaMemcpyDefault));
    wait();
  }
  std::vector<T> to_host() const { return to_host(n_); }
  std::vector<T> to_host(std::size_t count) const {
    std::vector<T> items(count);
    check(cudaMemcpy(items.data(), data(), count * sizeof(T), cudaMemcpyDefault));
    return items;
  }
  /// Whether the items from `from` on, the one behind the last, and those that `shift` leaves in
  /// front still are what they were first.
  bool is_untouched(std::size_t from = 0) const {
    return is_poison(base_, shift_) && is_poison(data() + from, n_ - from + 1);
  }

 private:
  /// The host may be ahead of what fills memory; a stream that waits for no other could read
  /// before.
  static void wait() { check(cudaStreamSynchronize(cudaStreamLegacy)); }

  static bool is_poison(const T* items, std::size_t count) {
    std::vector<unsigned char> bytes(count * sizeof(T));
    check(cudaMemcpy(bytes.data(), items, bytes.size(), cudaMemcpyDefault));
    for (const unsigned char byte : bytes) {
      if (byte != poison) return false;
    }
    return true;
  }

  T* base_ = nullptr;
  std::size_t n_, shift_;
};

/// The items of several arrays, one array after the other.
template <class T, class... Arrays>
std::vector<T> items_of(const device_array<T>& first, const Arrays&... others) {
  std::vector<T> items = first.to_host();
  const auto append = [&](const std::vector<T>& more) {
    items.insert(items.end(), more.begin(), more.end());
  };
  (append(others.to_host()), ...);
  return items;
}

/// Calls call(temp, bytes) in CUB's two phases, with memory of that alignment, and waits.
template <class Call>
void in_two_phases_at(std::size_t shift, Call call) {
  std::size_t bytes = 0;
  check(call(static_cast<void*>(nullptr), bytes));
  const device_array<char> temp(bytes, shift);
  check(call(static_cast<void*>(temp.data()), bytes));
  check(cudaDeviceSynchronize());
}
template <class Call>
void in_two_phases(Call call) {
  in_two_phases_at(0, call);
}

/// Empty if both hold the same bits, else what differs first.
template <class T>
std::string difference(const std::vector<T>& actual, const std::vector<T>& expected) {
  if (actual.size() != expected.size()) {
    return std::to_string(actual.size()) + " items instead of " + std::to_string(expected.size());
  }
  using hindsight::detail::ab::hex;
  const std::size_t i = hindsight::detail::ab::first_differing_item(actual.data(), expected.data(),
                                                                    sizeof(T), actual.size());
  if (i == actual.size()) return {};
  return "item " + std::to_string(i) + " of " + std::to_string(actual.size()) + " is " +
         hex(&actual[i], sizeof(T)) + " instead of " + hex(&expected[i], sizeof(T));
}
template <class T>
std::string difference_of_values(const T& actual, const T& expected) {
  return difference(std::vector<T>{actual}, std::vector<T>{expected});
}

/// Integers of all values; floating-point numbers whose sums are exact.
template <class T, class Random>
T random_item(Random& random) {
  if constexpr (std::is_same_v<T, affine>) {
    return {std::uint32_t(random()) | 1, std::uint32_t(random()), std::uint32_t(random())};
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return T(int(random() % 15) - 7);
  } else {
    return static_cast<T>(random() >> 3);
  }
}

template <class T>
std::vector<T> random_items(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random{seed + n};
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = random_item<T>(random);
  return items;
}

/// Magnitudes over seven decades: every order of addition rounds differently.
template <class T>
std::vector<T> rough_items(std::size_t n, unsigned seed = 2) {
  std::mt19937_64 random{seed + n};
  std::vector<T> items(n);
  for (T& item : items) {
    const double magnitude = std::pow(10.0, int(random() % 8) - 4);
    item = T((double(random() % 2000001) / 1000000 - 1) * magnitude);
  }
  return items;
}

enum class runs { of_one, random, all_equal };

/// Few values in runs of that kind.
template <class T>
std::vector<T> items_in_runs(std::size_t n, runs kind, unsigned seed = 3) {
  std::mt19937_64 random{seed + n};
  std::vector<T> items(n);
  std::uint64_t value = 0;
  std::size_t left = 0;
  for (T& item : items) {
    if (kind == runs::of_one) {
      ++value;
    } else if (kind == runs::random && left-- == 0) {
      ++value;
      left = random() % 64 == 0 ? random() % 20000 : random() % 8;
    }
    item = T(value % 3 + 1);
  }
  return items;
}

/// Around nothing, a warp, a tile and a window of 32 tiles; many tiles.
inline std::vector<std::size_t> sizes_around(std::size_t tile) {
  return {0, 1, 2, 31, 32, 33, 1000, tile - 1, tile, tile + 1, 33 * tile + 1, (1u << 20) + 7};
}

/// Also the last number of tiles whose blocks fold for themselves, and the first with a scout.
inline std::vector<std::size_t> sizes_of_look_back(
    std::size_t tile,
    std::size_t own_tiles = hindsight::detail::own_windows * hindsight::detail::window_tiles) {
  auto sizes = sizes_around(tile);
  sizes.insert(sizes.end(), {own_tiles * tile, own_tiles * tile + 1});
  return sizes;
}

/// a + b in T, wrapping.
template <class T>
T wrapping_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

struct wrapping_plus {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_sum(a, b);
  }
};

struct is_odd {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& item) const {
    if constexpr (std::is_same_v<T, affine>) {
      return item.b & 1;
    } else {
      return static_cast<long long>(item) & 1;
    }
  }
};

}  // namespace hindsight_test
