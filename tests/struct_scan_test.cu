// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of small structs: whatever a value's size, a tile must never take one that is only half
// there. Enough tiles for a scout, memory under load, several rounds.
#include <hindsight/hindsight.h>

#include <cuda/std/complex>
#include <thrust/complex.h>
#include <thrust/pair.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include "memory_load.h"
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace hindsight_test {
namespace {

/// x -> a * x + b modulo 2^32. Composition does not commute.
struct map8 {
  std::uint32_t a, b;
};
template <class Word, int Count>
struct words {
  Word items[Count];
};

/// Associative; of maps and pairs it does not commute.
struct combine {
  HINDSIGHT_HD map8 operator()(const map8& f, const map8& g) const {
    return {f.a * g.a, g.a * f.b + g.b};
  }
  HINDSIGHT_HD thrust::pair<int, int> operator()(const thrust::pair<int, int>& f,
                                                 const thrust::pair<int, int>& g) const {
    const map8 h = (*this)(map8{unsigned(f.first), unsigned(f.second)},
                           map8{unsigned(g.first), unsigned(g.second)});
    return {int(h.a), int(h.b)};
  }
  template <class Word, int Count>
  HINDSIGHT_HD words<Word, Count> operator()(const words<Word, Count>& f,
                                             const words<Word, Count>& g) const {
    words<Word, Count> sum;
    for (int i = 0; i < Count; ++i) sum.items[i] = Word(f.items[i] + g.items[i]);
    return sum;
  }
  template <class Complex>
  HINDSIGHT_HD Complex operator()(const Complex& f, const Complex& g) const {
    return f + g;
  }
};

void set(map8& item, unsigned bits) {
  item = {bits | 1, bits >> 7};
}
void set(thrust::pair<int, int>& item, unsigned bits) {
  item = {int(bits | 1), int(bits >> 7)};
}
template <class Word, int Count>
void set(words<Word, Count>& item, unsigned bits) {
  for (Word& word : item.items) word = Word(bits = bits * 1664525u + 1013904223u);
}
template <class Complex>
void set(Complex& item, unsigned bits) {
  item = Complex(float(int(bits % 3) - 1), float(int(bits / 3 % 3) - 1));  // sums are exact
}

template <class T>
class struct_scan : public testing::Test {};
using structs =
    testing::Types<words<std::uint8_t, 7>, map8, thrust::pair<int, int>, thrust::complex<float>,
                   ::cuda::std::complex<float>, words<std::int16_t, 4>, words<std::int16_t, 5>,
                   words<std::uint32_t, 3>, words<std::uint8_t, 15>, words<std::uint64_t, 2>>;
TYPED_TEST_SUITE(struct_scan, structs);

TYPED_TEST(struct_scan, is_right_with_any_number_of_tiles) {
  using T = TypeParam;
  const memory_load load;
  for (const std::size_t n : {269'450u, 1'000'003u, 1u << 24}) {
    std::mt19937 random{unsigned(n)};
    std::vector<T> items(n), inclusive(n), exclusive(n);
    for (T& item : items) set(item, random());
    T init;
    set(init, 7u);
    std::inclusive_scan(items.begin(), items.end(), inclusive.begin(), combine{});
    std::exclusive_scan(items.begin(), items.end(), exclusive.begin(), init, combine{});
    const device_array<T> in(items), out(n);
    for (int round = 0; round < 4; ++round) {
      load.start();
      thrust::inclusive_scan(hindsight::cuda::par, in.begin(), in.end(), out.begin(), combine{});
      ASSERT_EQ(difference(out.to_host(), inclusive), "") << "inclusive, n = " << n;
      out.fill_with_poison();
      load.start();
      thrust::exclusive_scan(hindsight::cuda::par, in.begin(), in.end(), out.begin(), init,
                             combine{});
      ASSERT_EQ(difference(out.to_host(), exclusive), "") << "exclusive, n = " << n;
      out.fill_with_poison();
    }
  }
}

/// Wide items, whose tiles have 64 to 1024 of them.
template <class T>
class wide_items : public testing::Test {};
using wide_structs =
    testing::Types<words<std::uint32_t, 8>, words<std::uint64_t, 7>, words<std::uint32_t, 20>,
                   words<std::uint64_t, 16>, words<std::uint32_t, 50>, words<std::uint8_t, 401>>;
TYPED_TEST_SUITE(wide_items, wide_structs);

TYPED_TEST(wide_items, scans_and_sums_by_key) {
  using T = TypeParam;
  for (const std::size_t n : {1u, 63u, 1'000u, 50'021u}) {
    std::mt19937 random{unsigned(n)};
    std::vector<T> items(n), scan(n), scan_by_key(n), sums;
    std::vector<int> keys(n), sum_keys;
    for (std::size_t i = 0; i < n; ++i) {
      set(items[i], random());
      keys[i] = i > 0 && random() % 50 != 0 ? keys[i - 1] : int(random() % 1000);
      const bool begins = i == 0 || keys[i] != keys[i - 1];
      scan[i] = i == 0 ? items[i] : combine{}(scan[i - 1], items[i]);
      scan_by_key[i] = begins ? items[i] : combine{}(scan_by_key[i - 1], items[i]);
      if (begins) {
        sum_keys.push_back(keys[i]);
        sums.push_back(items[i]);
      } else {
        sums.back() = scan_by_key[i];
      }
    }
    const device_array<T> in(items), out(n);
    const device_array<int> keys_in(keys), keys_out(n);
    const auto& par = hindsight::cuda::par;
    thrust::inclusive_scan(par, in.begin(), in.end(), out.begin(), combine{});
    ASSERT_EQ(difference(out.to_host(), scan), "") << n;
    thrust::inclusive_scan_by_key(par, keys_in.begin(), keys_in.end(), in.begin(), out.begin(),
                                  thrust::equal_to<int>{}, combine{});
    ASSERT_EQ(difference(out.to_host(), scan_by_key), "") << n;
    const auto ends =
        thrust::reduce_by_key(par, keys_in.begin(), keys_in.end(), in.begin(), keys_out.begin(),
                              out.begin(), thrust::equal_to<int>{}, combine{});
    ASSERT_EQ(std::size_t(ends.second - out.begin()), sums.size());
    auto got = out.to_host();
    got.resize(sums.size());
    EXPECT_EQ(difference(got, sums), "") << n;
    auto got_keys = keys_out.to_host();
    got_keys.resize(sums.size());
    EXPECT_EQ(difference(got_keys, sum_keys), "") << n;
  }
}

}  // namespace
}  // namespace hindsight_test
