// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the GPU of keys of which some digits are all the same: these passes do nothing, or
// copy where the keys would end in the wrong buffer. Every set of digits, in place and not.
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/sort.h>

#include <thrust/sort.h>

#include "sort_testing.h"
#include <gtest/gtest.h>
#include <limits>

namespace hindsight_test {

/// Keys that differ in the bits of `varying` only.
std::vector<std::uint32_t> keys_that_vary(std::size_t n, std::uint32_t varying) {
  auto keys = random_keys<std::uint32_t>(n, values::of_all_bits);
  for (std::uint32_t& key : keys) key = (key & varying) | (0x5a3c96e1u & ~varying);
  return keys;
}

constexpr std::uint32_t digits_that_vary(unsigned set) {
  std::uint32_t bits = 0;
  for (int p = 0; p < 4; ++p)
    if (set >> p & 1) bits |= 0xffu << 8 * p;
  return bits;
}

struct wide {
  std::uint64_t words[3];
};
template <class Value>
struct DigitsOf : testing::Test {};
using value_types = testing::Types<std::uint32_t, wide>;  // staged, fetched
TYPED_TEST_SUITE(DigitsOf, value_types);

TYPED_TEST(DigitsOf, AnySetOfThem) {
  using Key = std::uint32_t;
  using Value = TypeParam;
  for (const std::size_t n : {std::size_t{30001}, std::size_t{1600001}}) {
    for (unsigned set = 0; set < 16; ++set) {
      if (n > 30001 && set != 0 && set != 1 && set != 6 && set != 13) continue;
      SCOPED_TRACE(testing::Message() << "n = " << n << ", digits " << set);
      const auto keys = keys_that_vary(n, digits_that_vary(set));
      std::vector<Value> items(n);
      for (std::size_t i = 0; i < n; ++i) std::memcpy(&items[i], &i, sizeof(std::uint32_t));
      const auto places = sorted_places(keys, order::ascending);

      const device_array<Key> in(keys), sorted(n);
      const device_array<Value> values_in(items), moved(n);
      std::size_t bytes = 0;
      const auto sort = [&](void* temp) {
        return hindsight::DeviceRadixSort::SortPairs(temp, bytes, in.data(), sorted.data(),
                                                     values_in.data(), moved.data(), n);
      };
      check(sort(nullptr));
      const device_array<char> temp(bytes);
      check(sort(temp.data()));
      EXPECT_EQ(difference(sorted.to_host(), gathered(keys, places)), "");
      EXPECT_EQ(difference(moved.to_host(), gathered(items, places)), "");
      EXPECT_EQ(difference(in.to_host(), keys), "") << "the input stays";

      thrust::sort_by_key(hindsight::cuda::par, in.data(), in.data() + n, values_in.data());
      EXPECT_EQ(difference(in.to_host(), gathered(keys, places)), "") << "in place";
      EXPECT_EQ(difference(values_in.to_host(), gathered(items, places)), "") << "in place";
    }
  }
}

TYPED_TEST(DigitsOf, NoKeys) {
  const device_array<std::uint32_t> keys(1);
  const device_array<TypeParam> values(1);
  std::size_t bytes = 0;
  const auto sort = [&](void* temp) {
    return hindsight::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), keys.data(),
                                                 values.data(), values.data(), 0);
  };
  EXPECT_EQ(sort(nullptr), cudaSuccess);
  EXPECT_GT(bytes, 0u);
  const device_array<char> temp(bytes);
  EXPECT_EQ(sort(temp.data()), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// One, two and three passes, in place and not, with and without digits that vary.
TEST(Digits, OfBitRanges) {
  const std::size_t n = 30001;
  for (const std::uint32_t varying : {0u, 0xffu, 0xff00u, 0xff00ffu, ~0u}) {
    const auto keys = keys_that_vary(n, varying);
    for (const int end : {7, 16, 21}) {
      SCOPED_TRACE(testing::Message() << "varying " << varying << ", bits 0 to " << end);
      auto expected = keys;
      std::stable_sort(expected.begin(), expected.end(), [=](std::uint32_t a, std::uint32_t b) {
        return (a & ((1u << end) - 1)) < (b & ((1u << end) - 1));
      });
      const device_array<std::uint32_t> in(keys), out(n);
      for (std::uint32_t* const to : {out.data(), in.data()}) {
        std::size_t bytes = 0;
        check(hindsight::DeviceRadixSort::SortKeys(nullptr, bytes, in.data(), to, n, 0, end));
        const device_array<char> temp(bytes);
        check(hindsight::DeviceRadixSort::SortKeys(temp.data(), bytes, in.data(), to, n, 0, end));
      }
      EXPECT_EQ(difference(out.to_host(), expected), "");
      EXPECT_EQ(difference(in.to_host(), expected), "") << "in place";
    }
  }
}

// The passes carry images of floats: the first that sorts makes them, the last turns them back.
TEST(Digits, OfFloats) {
  const std::size_t n = 30001;
  for (const std::uint32_t varying : {0u, 0x80000000u, 0xff00u, 0x8000ff00u, 0xffffffu}) {
    SCOPED_TRACE(varying);
    std::vector<float> keys(n);
    const auto bits = random_keys<std::uint32_t>(n, values::of_all_bits);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t key = bits[i] & varying;  // zeros of both signs, too
      std::memcpy(&keys[i], &key, sizeof key);
    }
    const device_array<float> sorted(keys);
    thrust::sort(hindsight::cuda::par, sorted.data(), sorted.data() + n, thrust::greater<float>{});
    EXPECT_EQ(difference(sorted.to_host(), sorted_on_cpu(keys, order::descending)), "");
  }
}

template <class Key>
struct ZerosOf : testing::Test {};
using float_types = testing::Types<float, double>;
TYPED_TEST_SUITE(ZerosOf, float_types);

// The zeros sort as one key, though their bits differ in all digits: by rows of a block, in which
// keys that share a digit are counted at once.
TYPED_TEST(ZerosOf, RowsAmongKeysThatShareDigits) {
  using Key = TypeParam;
  for (const std::size_t n : {std::size_t{30001}, std::size_t{400001}, std::size_t{1600001}}) {
    for (const Key other : {-std::numeric_limits<Key>::denorm_min(), Key(-1), Key(3)}) {
      for (const bool zeros_first : {true, false}) {
        SCOPED_TRACE(testing::Message() << n << " keys, zeros and " << other);
        std::vector<Key> keys(n);
        for (std::size_t i = 0; i < n; ++i)
          keys[i] = (i / 256 % 8 == 0) == zeros_first ? -Key(0) : other;
        const device_array<Key> up(keys), down(keys);
        thrust::sort(hindsight::cuda::par, up.data(), up.data() + n);
        thrust::sort(hindsight::cuda::par, down.data(), down.data() + n, thrust::greater<Key>{});
        EXPECT_EQ(difference(up.to_host(), sorted_on_cpu(keys, order::ascending)), "");
        EXPECT_EQ(difference(down.to_host(), sorted_on_cpu(keys, order::descending)), "");
      }
    }
  }
}

}  // namespace hindsight_test
