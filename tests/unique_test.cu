// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unique family on the GPU: each call against stock Thrust and a loop on the CPU.
#include <hindsight/unique.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/unique.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

namespace hindsight_test {

using u32 = std::uint32_t;

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

template <class T, class Equal>
std::vector<T> heads_of(const std::vector<T>& keys, const std::vector<T>& items, Equal equal) {
  std::vector<T> heads;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i == 0 || !equal(keys[i - 1], keys[i])) heads.push_back(items[i]);
  return heads;
}

/// Runs whose items differ in what equal_tens does not see; `kind` may be no runs or one.
template <class T>
std::vector<T> items_of_tens(std::size_t n, runs kind) {
  auto items = items_in_runs<T>(n, kind);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(items[i] * 10 + T(i * 7 % 10));
  return items;
}

template <class T>
struct UniqueOf : testing::Test {};
using types = testing::Types<std::uint8_t, std::int16_t, std::uint32_t, double>;
TYPED_TEST_SUITE(UniqueOf, types);

TYPED_TEST(UniqueOf, EqualsStock) {
  using T = TypeParam;
  constexpr std::size_t tile = hindsight::detail::select_tuning<T>::shape.tile_items();
  for (const std::size_t n : sizes_of_look_back(tile)) {
    for (const runs kind : {runs::of_one, runs::random, runs::all_equal}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", runs " << int(kind));
      const auto items = items_of_tens<T>(n, kind);
      const device_array<T> in(items, 1), out(n, 1), stock_out(n, 1);
      const auto tens = heads_of(items, items, equal_tens{});

      T* end = thrust::unique_copy(par, in.begin(), in.end(), out.data(), equal_tens{});
      ASSERT_EQ(end - out.data(), std::ptrdiff_t(tens.size()));
      thrust::unique_copy(stock, in.begin(), in.end(), stock_out.data(), equal_tens{});
      EXPECT_EQ(difference(out.to_host(tens.size()), tens), "");
      EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "") << "behind the result";
      EXPECT_EQ(thrust::unique_count(par, in.begin(), in.end(), equal_tens{}),
                std::ptrdiff_t(tens.size()));
      const auto ones = heads_of(items, items, std::equal_to<T>{});
      EXPECT_EQ(hindsight::unique_count(par, in.begin(), in.end()), std::ptrdiff_t(ones.size()));

      end = thrust::unique(par, in.begin(), in.end(), equal_tens{});
      ASSERT_EQ(end - in.data(), std::ptrdiff_t(tens.size()));
      EXPECT_EQ(difference(in.to_host(tens.size()), tens), "") << "in place";
    }
  }
}

TEST(Unique, ByKey) {
  for (const std::size_t n : sizes_of_look_back(4096)) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto keys = items_of_tens<u32>(n, runs::random), values = random_items<u32>(n);
    const device_array<u32> keys_in(keys), values_in(values), keys_out(n), values_out(n);
    const device_array<u32> stock_keys(n), stock_values(n);
    const auto expected_keys = heads_of(keys, keys, equal_tens{});
    const auto expected_values = heads_of(keys, values, equal_tens{});
    const auto size = std::ptrdiff_t(expected_keys.size());

    const auto ends =
        thrust::unique_by_key_copy(par, keys_in.begin(), keys_in.end(), values_in.data(),
                                   keys_out.data(), values_out.data(), equal_tens{});
    ASSERT_EQ(ends.first - keys_out.data(), size);
    ASSERT_EQ(ends.second - values_out.data(), size);
    thrust::unique_by_key_copy(stock, keys_in.begin(), keys_in.end(), values_in.data(),
                               stock_keys.data(), stock_values.data(), equal_tens{});
    EXPECT_EQ(difference(keys_out.to_host(), stock_keys.to_host()), "");
    EXPECT_EQ(difference(values_out.to_host(), stock_values.to_host()), "");

    const auto in_place = hindsight::unique_by_key(par, keys_in.begin(), keys_in.end(),
                                                   values_in.data(), equal_tens{});
    ASSERT_EQ(in_place.first - keys_in.data(), size);
    ASSERT_EQ(in_place.second - values_in.data(), size);
    EXPECT_EQ(difference(keys_in.to_host(expected_keys.size()), expected_keys), "");
    EXPECT_EQ(difference(values_in.to_host(expected_keys.size()), expected_values), "");
  }
}

/// A key and its value have as many bytes as items may have, each.
struct wide_item {
  u32 words[128];
  HINDSIGHT_HD friend bool operator==(const wide_item& a, const wide_item& b) {
    return a.words[0] / 10 == b.words[0] / 10;
  }
};
TEST(Unique, ByKeyOfTheWidestItems) {
  const std::size_t n = 1001;
  const auto tens = items_of_tens<u32>(n, runs::random);
  std::vector<wide_item> keys(n), values(n);
  for (std::size_t i = 0; i < n; ++i)
    for (u32 w = 0; w < 128; ++w) keys[i].words[w] = tens[i], values[i].words[w] = u32(i) + w;
  const device_array<wide_item> keys_in(keys), values_in(values);
  const auto ends =
      thrust::unique_by_key(par, keys_in.data(), keys_in.data() + n, values_in.data());
  const auto expected_keys = heads_of(keys, keys, std::equal_to<wide_item>{});
  const auto expected_values = heads_of(keys, values, std::equal_to<wide_item>{});
  const std::size_t size = expected_keys.size();
  ASSERT_EQ(ends.first - keys_in.data(), std::ptrdiff_t(size));
  const auto same = [size](const std::vector<wide_item>& got, const std::vector<wide_item>& items) {
    return std::memcmp(got.data(), items.data(), size * sizeof(wide_item)) == 0;
  };
  EXPECT_TRUE(same(keys_in.to_host(size), expected_keys));
  EXPECT_TRUE(same(values_in.to_host(size), expected_values));
}

/// Many times, because what a tile must not read too late is only sometimes overwritten early.
TEST(Unique, InPlaceUnderLoad) {
  constexpr std::size_t n = 3000001;
  const auto items = items_in_runs<std::uint64_t>(n, runs::random);
  const auto expected = heads_of(items, items, std::equal_to<std::uint64_t>{});
  const device_array<std::uint64_t> data(n);
  for (int i = 0; i < 20; ++i) {
    data.assign(items);
    auto* const end = hindsight::unique(par, data.begin(), data.end());
    ASSERT_EQ(end - data.data(), std::ptrdiff_t(expected.size()));
    ASSERT_EQ(difference(data.to_host(expected.size()), expected), "");
  }
}

TEST(Unique, RangesAndIterators) {
  const thrust::device_vector<int> in = items_in_runs<int>(10000, runs::random);
  const auto items = items_in_runs<int>(10000, runs::random);
  const auto expected = heads_of(items, items, std::equal_to<int>{});
  thrust::device_vector<int> out(in.size());
  const auto end = hindsight::unique_copy(in, out.begin());  // no policy
  ASSERT_EQ(end - out.begin(), std::ptrdiff_t(expected.size()));
  EXPECT_TRUE(
      std::equal(expected.begin(), expected.end(), std::vector<int>(out.begin(), end).begin()));

  EXPECT_EQ(hindsight::unique_count(par, thrust::counting_iterator<long long>(0),
                                    thrust::counting_iterator<long long>(5000), equal_tens{}),
            500);
  EXPECT_EQ(hindsight::unique_count(in, std::equal_to<int>{}), std::ptrdiff_t(expected.size()));
  EXPECT_THROW(thrust::unique(par, out.end(), out.begin()), hindsight::invalid_call);
  EXPECT_THROW(thrust::unique_copy(par, in.end(), in.begin(), out.begin()),
               hindsight::invalid_call);
  EXPECT_THROW(thrust::unique_count(par, in.end(), in.begin()), hindsight::invalid_call);
}

}  // namespace hindsight_test
