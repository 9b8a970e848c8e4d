// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, and scans and sums by key, of structs whose tiles have 64 to 1024 items.
#include <hindsight/hindsight.h>

#include <thrust/reduce.h>
#include <thrust/scan.h>

#include "gpu_testing.h"
#include "word_testing.h"
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace hindsight_test {
namespace {

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
      scan[i] = i == 0 ? items[i] : sum_of_words{}(scan[i - 1], items[i]);
      scan_by_key[i] = begins ? items[i] : sum_of_words{}(scan_by_key[i - 1], items[i]);
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
    thrust::inclusive_scan(par, in.begin(), in.end(), out.begin(), sum_of_words{});
    ASSERT_EQ(difference(out.to_host(), scan), "") << n;
    thrust::inclusive_scan_by_key(par, keys_in.begin(), keys_in.end(), in.begin(), out.begin(),
                                  thrust::equal_to<int>{}, sum_of_words{});
    ASSERT_EQ(difference(out.to_host(), scan_by_key), "") << n;
    const auto ends =
        thrust::reduce_by_key(par, keys_in.begin(), keys_in.end(), in.begin(), keys_out.begin(),
                              out.begin(), thrust::equal_to<int>{}, sum_of_words{});
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
