// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// standard: 20
// options: --expt-relaxed-constexpr
// alone: its options
// The standard library's pairs and tuples in calls that fold them. In C++20 their assignment is
// constexpr, and with these options kernels may assign them: the calls are ours.
#include <hindsight/hindsight.h>

#include <thrust/iterator/constant_iterator.h>

#include "gpu_testing.h"
#include <gtest/gtest.h>
#include <tuple>
#include <utility>

namespace hindsight_test {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

#if HINDSIGHT_ASSIGNS_STD_PAIRS
static_assert(hindsight::detail::holds<hindsight::cuda::system, std::pair<u32, u64>>);
static_assert(
    hindsight::detail::holds<hindsight::cuda::system, std::tuple<u32, std::pair<u32, u64>>>);
static_assert(!hindsight::detail::holds<hindsight::cuda::system, std::pair<u32, std::vector<u32>>>);

/// Maps x -> first x + second, one after the other, in 32 bits: the order of the operands matters.
template <class T>
struct after {
  HINDSIGHT_HD T operator()(T a, T b) const {
    std::get<1>(a) = static_cast<u32>(std::get<0>(b) * std::get<1>(a) + std::get<1>(b));
    std::get<0>(a) *= std::get<0>(b);
    return a;
  }
};
template <class T>
struct sums {
  HINDSIGHT_HD T operator()(T a, T b) const {
    std::get<0>(a) += std::get<0>(b);
    std::get<1>(a) ^= std::get<1>(b);
    return a;
  }
};

template <class T>
class StdPairs : public testing::Test {};
using all_pairs =
    testing::Types<std::pair<u32, u32>, std::pair<u32, u64>, std::tuple<u32, u32, u32>>;
TYPED_TEST_SUITE(StdPairs, all_pairs, );

TYPED_TEST(StdPairs, Fold) {
  using T = TypeParam;
  const auto& par = hindsight::cuda::par;
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{300'000}}) {
    const auto numbers = random_items<u32>(2 * n);
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::get<0>(items[i]) = numbers[2 * i] | 1;
      std::get<1>(items[i]) = numbers[2 * i + 1];
    }
    T sum = items[0];
    for (const T& item : items) sum = sums<T>{}(sum, item);
    std::vector<T> scanned = items;
    for (std::size_t i = 1; i < n; ++i) scanned[i] = after<T>{}(scanned[i - 1], items[i]);

    const device_array<T> in(items), out(n);
    const device_array<u32> key_out(n);
    EXPECT_TRUE(thrust::reduce(par, in.begin(), in.end(), items[0], sums<T>{}) == sum);
    const auto end = thrust::inclusive_scan(par, in.begin(), in.end(), out.data(), after<T>{});
    EXPECT_EQ(end, out.end());
    EXPECT_TRUE(out.to_host(n) == scanned) << n;

    const auto keys = thrust::make_constant_iterator(7u);
    out.fill_with_poison();
    thrust::inclusive_scan_by_key(par, keys, keys + long(n), in.data(), out.data(),
                                  thrust::equal_to<u32>{}, after<T>{});
    EXPECT_TRUE(out.to_host(n) == scanned) << n;
    thrust::reduce_by_key(par, keys, keys + long(n), in.data(), key_out.data(), out.data(),
                          thrust::equal_to<u32>{}, after<T>{});
    EXPECT_TRUE(out.to_host(1)[0] == scanned.back()) << n;

    const auto least = std::min_element(items.begin(), items.end()) - items.begin();
    EXPECT_EQ(thrust::min_element(par, in.begin(), in.end()) - in.begin(), least) << n;
  }
}
#endif

}  // namespace hindsight_test
