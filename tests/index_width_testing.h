// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of one-byte items that are as long as memory allows, and what is in them: item i follows
// from i.
#pragma once

#include <hindsight/hindsight.h>

#include <thrust/count.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/tabulate.h>

#include "gpu_testing.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace hindsight_test {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u64 = std::uint64_t;
inline const auto& par = hindsight::cuda::par;
inline const auto& stock = thrust::cuda::par;
inline const auto numbers = thrust::make_counting_iterator(u64{0});

// ---- item i of each array ----
struct low_byte {
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8(i); }
};
struct fives {
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8(i / 5); }
};
template <class Key>
struct scattered {  // all keys once in each 2^bits items
  HINDSIGHT_HD Key operator()(u64 i) const { return Key(i * 40503); }
};

// ---- operators and checks ----
template <class T, class Expected>
struct is_not {
  const T* items;
  HINDSIGHT_HD bool operator()(u64 i) const { return items[i] != T(Expected{}(i)); }
};

template <class Expected, class T>
std::ptrdiff_t num_wrong(const device_array<T>& items, u64 n) {
  return thrust::count_if(stock, numbers, numbers + n, is_not<T, Expected>{items.data()});
}

inline constexpr u64 tiles = (u64{1} << 24) + 70001;  // thousands of any algorithm's

struct IndexWidth : testing::Test {
  std::vector<u64> sizes;

  void SetUp() override {
    std::vector<unsigned> widths{30, 31, 32};
    const char* const text = std::getenv("HINDSIGHT_TEST_INDEX_BITS");
    if (text) widths = {unsigned(std::strtoul(text, nullptr, 0))};
    std::size_t free_bytes = 0, total = 0;
    check(cudaMemGetInfo(&free_bytes, &total));
    for (const unsigned bits : widths) {
      const u64 edge = u64{1} << bits;
      if (free_bytes / 10 > edge)
        sizes.insert(sizes.end(), {edge - 1, edge, edge + 1, edge + tiles});
    }
    if (!sizes.empty()) return;
    if (text) FAIL() << "2^" << text << " items take ten times as much free memory";
    GTEST_SKIP() << "less than 10 GiB of free GPU memory";
  }
  void TearDown() override { hindsight::release_memory(); }

  template <class Item, class T = u8>
  static void make(const device_array<T>& items) {
    thrust::tabulate(stock, items.begin(), items.end(), Item{});
  }

  template <class Body>
  void for_sizes(Body body) const {
    for (const u64 n : sizes) {
      SCOPED_TRACE(testing::Message() << "n = " << n);
      body(n);
    }
  }
};

}  // namespace hindsight_test
