// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of small structs: whatever a value's size, a tile must never take one that is only half
// there. Enough tiles for a scout, memory under load, several rounds.
#include <hindsight/hindsight.h>

#include <cuda/std/complex>
#include <thrust/complex.h>
#include <thrust/pair.h>
#include <thrust/scan.h>

#include "memory_load.h"
#include "word_testing.h"
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
/// Associative; of maps and pairs it does not commute.
struct combine : sum_of_words {
  using sum_of_words::operator();
  HINDSIGHT_HD map8 operator()(const map8& f, const map8& g) const {
    return {f.a * g.a, g.a * f.b + g.b};
  }
  HINDSIGHT_HD thrust::pair<int, int> operator()(const thrust::pair<int, int>& f,
                                                 const thrust::pair<int, int>& g) const {
    const map8 h = (*this)(map8{unsigned(f.first), unsigned(f.second)},
                           map8{unsigned(g.first), unsigned(g.second)});
    return {int(h.a), int(h.b)};
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

}  // namespace
}  // namespace hindsight_test
