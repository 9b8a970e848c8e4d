// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partitions on the GPU: each entry point against stock Thrust and against a loop on the CPU.
#include <hindsight/device_partition.cuh>
#include <hindsight/partition.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

template <class T>
struct halves {
  std::vector<T> odd, even;

  template <class Stencil>
  halves(const std::vector<T>& items, const std::vector<Stencil>& stencil) {
    for (std::size_t i = 0; i < items.size(); ++i)
      (is_odd{}(stencil[i]) ? odd : even).push_back(items[i]);
  }
  std::vector<T> in_order() const {
    auto all = odd;
    all.insert(all.end(), even.begin(), even.end());
    return all;
  }
  std::vector<T> rejected_reversed() const {
    auto all = odd;
    all.insert(all.end(), even.rbegin(), even.rend());
    return all;
  }
};

template <class T>
struct PartitionOf : testing::Test {};
using types = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::uint16_t, std::uint32_t, std::uint64_t, float, double, affine>;
TYPED_TEST_SUITE(PartitionOf, types);

TYPED_TEST(PartitionOf, EqualsStock) {
  using T = TypeParam;
  for (const std::size_t n :
       sizes_of_look_back(hindsight::detail::select_tuning<T>::shape.tile_items())) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto items = random_items<T>(n);
    const halves<T> expected(items, items);
    const auto odds = std::ptrdiff_t(expected.odd.size());
    const device_array<T> in(items, 1), odd(n, 1), even(n, 1), stock_in(items, 1);

    const auto ends =
        thrust::partition_copy(par, in.begin(), in.end(), odd.data(), even.data(), is_odd{});
    ASSERT_EQ(ends.first - odd.data(), odds);
    ASSERT_EQ(ends.second - even.data(), std::ptrdiff_t(n) - odds);
    EXPECT_EQ(difference(odd.to_host(odds), expected.odd), "");
    EXPECT_EQ(difference(even.to_host(n - odds), expected.even), "");
    EXPECT_TRUE(odd.is_untouched(odds));
    EXPECT_TRUE(even.is_untouched(n - odds));

    ASSERT_EQ(hindsight::partition(par, in.begin(), in.end(), is_odd{}) - in.data(), odds);
    ASSERT_EQ(
        thrust::partition(stock, stock_in.begin(), stock_in.end(), is_odd{}) - stock_in.data(),
        odds);
    EXPECT_EQ(difference(in.to_host(), stock_in.to_host()), "") << "partition";
    EXPECT_EQ(difference(in.to_host(), expected.rejected_reversed()), "") << "partition";

    in.assign(items);
    ASSERT_EQ(thrust::stable_partition(par, in.begin(), in.end(), is_odd{}) - in.data(), odds);
    EXPECT_EQ(difference(in.to_host(), expected.in_order()), "") << "stable_partition";
  }
}

TEST(Partition, ByStencil) {
  for (const std::size_t n : sizes_of_look_back(8192)) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto items = random_items<float>(n);
    const auto stencil = random_items<std::uint8_t>(n, 7);
    const halves<float> expected(items, stencil);
    const auto odds = std::ptrdiff_t(expected.odd.size());
    const device_array<float> in(items), odd(n), even(n), stock_in(items);
    const device_array<std::uint8_t> flags(stencil, 1);

    const auto ends = thrust::stable_partition_copy(par, in.begin(), in.end(), flags.data(),
                                                    odd.data(), even.data(), is_odd{});
    ASSERT_EQ(ends.first - odd.data(), odds);
    EXPECT_EQ(difference(odd.to_host(odds), expected.odd), "");
    EXPECT_EQ(difference(even.to_host(n - odds), expected.even), "");

    ASSERT_EQ(thrust::partition(par, in.begin(), in.end(), flags.data(), is_odd{}) - in.data(),
              odds);
    thrust::partition(stock, stock_in.begin(), stock_in.end(), flags.data(), is_odd{});
    EXPECT_EQ(difference(in.to_host(), stock_in.to_host()), "");

    in.assign(items);
    ASSERT_EQ(
        thrust::stable_partition(par, in.begin(), in.end(), flags.data(), is_odd{}) - in.data(),
        odds);
    EXPECT_EQ(difference(in.to_host(), expected.in_order()), "");
  }
}

TEST(Partition, ThroughIterators) {
  using u64 = std::uint64_t;
  for (const std::size_t n : {std::size_t{0}, std::size_t{777}, std::size_t{300001}}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto items = random_items<u64>(n);
    std::vector<u64> indices(n);
    for (u64 i = 0; i < n; ++i) indices[i] = i;
    const halves<u64> expected(items, items), expected_indices(indices, items);
    const auto odds = std::ptrdiff_t(expected.odd.size());
    thrust::device_vector<u64> in(items.begin(), items.end()), odd(n), even(n);
    const auto to_host = [](const thrust::device_vector<u64>& from, std::size_t count) {
      std::vector<u64> front(count);
      thrust::copy_n(from.begin(), count, front.begin());
      return front;
    };

    const auto numbers = thrust::make_counting_iterator(u64{0});
    auto ends = thrust::partition_copy(par, numbers, numbers + n, in.begin(), odd.begin(),
                                       even.begin(), is_odd{});
    ASSERT_EQ(ends.first - odd.begin(), odds);
    EXPECT_EQ(difference(to_host(odd, odds), expected_indices.odd), "") << "counting iterator";
    EXPECT_EQ(difference(to_host(even, n - odds), expected_indices.even), "")
        << "counting iterator";

    const auto gathered = thrust::make_permutation_iterator(in.begin(), odd.begin());
    const auto discarded = thrust::make_discard_iterator();
    const auto mixed_ends = hindsight::partition_copy(par, gathered, gathered + odds, even.begin(),
                                                      discarded, is_odd{});
    ASSERT_EQ(mixed_ends.first - even.begin(), odds);
    EXPECT_EQ(difference(to_host(even, odds), expected.odd), "") << "permutation iterator";

    const auto plus_two = thrust::make_transform_iterator(in.begin(), thrust::placeholders::_1 + 2);
    ends = hindsight::stable_partition_copy(par, plus_two, plus_two + n, odd.begin(), even.begin(),
                                            is_odd{});
    ASSERT_EQ(ends.first - odd.begin(), odds);
    auto more = expected.odd;
    for (u64& item : more) item += 2;
    EXPECT_EQ(difference(to_host(odd, odds), more), "") << "transform iterator";

    thrust::copy(indices.begin(), indices.end(), odd.begin());
    const auto pairs = thrust::make_zip_iterator(in.begin(), odd.begin());
    ASSERT_EQ(hindsight::stable_partition(par, pairs, pairs + n, first_is_odd{}) - pairs, odds);
    EXPECT_EQ(difference(to_host(in, n), expected.in_order()), "") << "zip iterator";
    EXPECT_EQ(difference(to_host(odd, n), expected_indices.in_order()), "") << "zip iterator";

    thrust::copy(items.begin(), items.end(), in.begin());
    ASSERT_EQ(hindsight::partition(in, is_odd{}) - in.begin(), odds);  // no policy, a range
    EXPECT_EQ(difference(to_host(in, n), expected.rejected_reversed()), "") << "range";
  }
}

TEST(Partition, InCubsShape) {
  const std::size_t n = 300001;
  const auto items = random_items<std::int32_t>(n);
  const device_array<std::int32_t> in(items), out(n);
  const device_array<int> count(1);
  std::size_t bytes = 0;
  check(hindsight::DevicePartition::If(nullptr, bytes, in.data(), out.data(), count.data(), n,
                                       is_odd{}));
  const device_array<char> temp(bytes);
  check(hindsight::DevicePartition::If(temp.data(), bytes, in.data(), out.data(), count.data(), n,
                                       is_odd{}));
  const halves<std::int32_t> expected(items, items);
  EXPECT_EQ(count.to_host()[0], int(expected.odd.size()));
  EXPECT_EQ(difference(out.to_host(), expected.rejected_reversed()), "");
}

}  // namespace hindsight_test
