// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_by_key on the GPU: each entry point against stock Thrust and against a loop on the CPU.
#include <hindsight/device_reduce.cuh>
#include <hindsight/reduce_by_key.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

/// The last key of each run, as stock's CUDA backend has it, and the fold of the run's values.
template <class Key, class Value>
struct reduced {
  std::vector<Key> keys;
  std::vector<Value> values;

  template <class Equal, class Op>
  reduced(const std::vector<Key>& keys_in, const std::vector<Value>& values_in, Equal equal,
          Op op) {
    for (std::size_t i = 0; i < keys_in.size(); ++i) {
      if (i > 0 && equal(keys_in[i - 1], keys_in[i])) {
        keys.back() = keys_in[i];
        values.back() = op(values.back(), values_in[i]);
      } else {
        keys.push_back(keys_in[i]);
        values.push_back(values_in[i]);
      }
    }
  }
};

template <class Key, class Value>
std::size_t tile_items() {
  return hindsight::detail::reduce_by_key_tuning<Key, Value>::shape.tile_items();
}

template <class Pair>
struct ReduceByKeyOf : testing::Test {};
template <class Key, class Value>
struct pair_of {
  using key = Key;
  using value = Value;
};
using pairs =
    testing::Types<pair_of<std::int8_t, std::int8_t>, pair_of<std::uint8_t, std::uint16_t>,
                   pair_of<std::int16_t, std::int32_t>, pair_of<std::uint16_t, std::uint8_t>,
                   pair_of<std::int32_t, float>, pair_of<std::uint32_t, std::uint32_t>,
                   pair_of<std::int64_t, std::int64_t>, pair_of<std::uint64_t, std::uint64_t>,
                   pair_of<float, std::int16_t>, pair_of<double, double>>;
TYPED_TEST_SUITE(ReduceByKeyOf, pairs);

TYPED_TEST(ReduceByKeyOf, EqualsStock) {
  using Key = typename TypeParam::key;
  using Value = typename TypeParam::value;
  for (const runs kind : {runs::of_one, runs::random, runs::all_equal}) {
    for (const std::size_t n : sizes_of_look_back(tile_items<Key, Value>())) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", runs " << int(kind));
      const auto keys = items_in_runs<Key>(n, kind);
      const auto values = random_items<Value>(n);
      const reduced expected(keys, values, std::equal_to<>{}, wrapping_plus{});
      const auto num_runs = expected.keys.size();
      const device_array<Key> keys_in(keys, 1), keys_out(n, 1), stock_keys(n, 1);
      const device_array<Value> values_in(values, 1), values_out(n, 1), stock_values(n, 1);

      thrust::reduce_by_key(stock, keys_in.begin(), keys_in.end(), values_in.data(),
                            stock_keys.data(), stock_values.data());
      const auto ends = thrust::reduce_by_key(par, keys_in.begin(), keys_in.end(), values_in.data(),
                                              keys_out.data(), values_out.data());
      ASSERT_EQ(ends.first - keys_out.data(), std::ptrdiff_t(num_runs));
      ASSERT_EQ(ends.second - values_out.data(), std::ptrdiff_t(num_runs));
      EXPECT_EQ(difference(keys_out.to_host(), stock_keys.to_host()), "");
      EXPECT_EQ(difference(values_out.to_host(), stock_values.to_host()), "");
      EXPECT_EQ(difference(keys_out.to_host(num_runs), expected.keys), "");
      EXPECT_EQ(difference(values_out.to_host(num_runs), expected.values), "");
      EXPECT_TRUE(keys_out.is_untouched(num_runs));
      EXPECT_TRUE(values_out.is_untouched(num_runs));
    }
  }
}

TEST(ReduceByKey, OfTwelveBytesByAnOperatorThatDoesNotCommute) {
  for (const runs kind : {runs::of_one, runs::random, runs::all_equal}) {
    for (const std::size_t n : sizes_of_look_back(tile_items<std::int32_t, affine>())) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", runs " << int(kind));
      const auto keys = items_in_runs<std::int32_t>(n, kind);
      const auto values = random_items<affine>(n);
      const reduced expected(keys, values, std::equal_to<>{}, compose{});
      const device_array<std::int32_t> keys_in(keys), keys_out(n);
      const device_array<affine> values_in(values), values_out(n);
      const auto ends = hindsight::reduce_by_key(
          par, keys_in.begin(), keys_in.end(), values_in.data(), keys_out.data(), values_out.data(),
          thrust::equal_to<>{}, compose{});
      ASSERT_EQ(ends.first - keys_out.data(), std::ptrdiff_t(expected.keys.size()));
      EXPECT_EQ(difference(keys_out.to_host(expected.keys.size()), expected.keys), "");
      EXPECT_EQ(difference(values_out.to_host(expected.keys.size()), expected.values), "");
    }
  }
}

struct same_tens {
  HINDSIGHT_HD bool operator()(std::int32_t a, std::int32_t b) const { return a / 10 == b / 10; }
};

// Keys of a run that are not the same show which of them is written: stock's choice, the last.
TEST(ReduceByKey, WritesTheLastKeyOfARun) {
  const std::size_t n = 300001;
  std::vector<std::int32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = int(i) * 3;
  const auto values = random_items<std::uint32_t>(n);
  const reduced expected(keys, values, same_tens{}, wrapping_plus{});
  const auto num_runs = expected.keys.size();
  const device_array<std::int32_t> keys_in(keys), keys_out(n), stock_keys(n);
  const device_array<std::uint32_t> values_in(values), values_out(n), stock_values(n);
  thrust::reduce_by_key(stock, keys_in.begin(), keys_in.end(), values_in.data(), stock_keys.data(),
                        stock_values.data(), same_tens{});
  thrust::reduce_by_key(par, keys_in.begin(), keys_in.end(), values_in.data(), keys_out.data(),
                        values_out.data(), same_tens{});
  EXPECT_EQ(difference(keys_out.to_host(), stock_keys.to_host()), "");
  EXPECT_EQ(difference(keys_out.to_host(num_runs), expected.keys), "");
  EXPECT_EQ(difference(values_out.to_host(), stock_values.to_host()), "");
}

// A NaN equals no key, not even itself: runs of one. (Stock writes beyond its outputs here.)
TEST(ReduceByKey, OfKeysThatAreNotNumbers) {
  for (const std::size_t n : sizes_of_look_back(tile_items<float, std::uint32_t>())) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::vector<float> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = i / 5 % 2 ? std::nanf("") : 1.0f;
    const auto values = random_items<std::uint32_t>(n);
    const reduced expected(keys, values, std::equal_to<>{}, wrapping_plus{});
    const std::size_t num_runs = expected.keys.size();
    const device_array<float> keys_in(keys), keys_out(n);
    const device_array<std::uint32_t> values_in(values), values_out(n);
    const auto ends = thrust::reduce_by_key(par, keys_in.begin(), keys_in.end(), values_in.data(),
                                            keys_out.data(), values_out.data());
    ASSERT_EQ(ends.second - values_out.data(), std::ptrdiff_t(num_runs));
    EXPECT_EQ(difference(keys_out.to_host(num_runs), expected.keys), "");
    EXPECT_EQ(difference(values_out.to_host(num_runs), expected.values), "");
    EXPECT_TRUE(values_out.is_untouched(num_runs));
  }
}

// The fold is done in the input's type, then converted.
TEST(ReduceByKey, AccumulatesInStocksTypes) {
  const std::size_t n = 100000;
  const device_array<std::int32_t> keys(items_in_runs<std::int32_t>(n, runs::random)), keys_out(n);
  const device_array<std::int8_t> values(random_items<std::int8_t>(n));
  const device_array<std::int32_t> values_out(n), stock_values(n);
  thrust::reduce_by_key(stock, keys.begin(), keys.end(), values.data(), keys_out.data(),
                        stock_values.data());
  thrust::reduce_by_key(par, keys.begin(), keys.end(), values.data(), keys_out.data(),
                        values_out.data());
  EXPECT_EQ(difference(values_out.to_host(), stock_values.to_host()), "");
}

TEST(ReduceByKey, ThroughIterators) {
  using u64 = std::uint64_t;
  for (const std::size_t n : {std::size_t{0}, std::size_t{777}, std::size_t{300001}}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::vector<u64> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = i / 100;
    const auto items = random_items<u64>(n);
    const std::vector<u64> items_reversed(items.rbegin(), items.rend());
    const reduced expected(keys, items, std::equal_to<>{}, wrapping_plus{});
    const reduced expected_reversed(keys, items_reversed, std::equal_to<>{}, wrapping_plus{});
    const auto num_runs = std::ptrdiff_t(expected.keys.size());

    const thrust::device_vector<u64> values(items.begin(), items.end());
    thrust::device_vector<u64> keys_out(n), values_out(n);
    const auto to_host = [num_runs](const thrust::device_vector<u64>& from) {
      std::vector<u64> front(num_runs);
      thrust::copy_n(from.begin(), num_runs, front.begin());
      return front;
    };
    const auto numbers = thrust::make_counting_iterator(u64{0});
    const auto keys_in = thrust::make_transform_iterator(numbers, hundreds{});
    auto ends = thrust::reduce_by_key(par, keys_in, keys_in + n, values.begin(), keys_out.begin(),
                                      values_out.begin());
    ASSERT_EQ(ends.first - keys_out.begin(), num_runs);
    EXPECT_EQ(difference(to_host(keys_out), expected.keys), "");
    EXPECT_EQ(difference(to_host(values_out), expected.values), "") << "transform iterator";

    const auto reversed = thrust::make_permutation_iterator(
        values.begin(), thrust::make_transform_iterator(numbers, from_the_end{n}));
    const auto discarded_ends = hindsight::reduce_by_key(
        par, keys_in, keys_in + n, reversed, thrust::make_discard_iterator(), values_out.begin());
    ASSERT_EQ(discarded_ends.second - values_out.begin(), num_runs);
    EXPECT_EQ(difference(to_host(values_out), expected_reversed.values), "")
        << "permutation iterator";

    const auto pairs = thrust::make_zip_iterator(keys_in, keys_in);
    const auto pairs_out =
        thrust::make_zip_iterator(keys_out.begin(), thrust::make_discard_iterator());
    thrust::fill(keys_out.begin(), keys_out.end(), 0);
    const auto zip_ends = hindsight::reduce_by_key(par, pairs, pairs + n, values.begin(), pairs_out,
                                                   values_out.begin());
    ASSERT_EQ(zip_ends.second - values_out.begin(), num_runs);
    EXPECT_EQ(difference(to_host(keys_out), expected.keys), "") << "zip iterator";
    EXPECT_EQ(difference(to_host(values_out), expected.values), "") << "zip iterator";

    const thrust::device_vector<u64> stored_keys(keys.begin(), keys.end());
    ends = hindsight::reduce_by_key(stored_keys, thrust::make_constant_iterator(u64{1}),
                                    keys_out.begin(), values_out.begin());  // no policy, a range
    ASSERT_EQ(ends.first - keys_out.begin(), num_runs);
    if (n > 100) {
      EXPECT_EQ(to_host(values_out)[1], 100u);
    }
  }
}

TEST(ReduceByKey, InCubsShape) {
  const std::size_t n = 300001;
  const auto keys = items_in_runs<std::int32_t>(n, runs::random);
  const auto values = random_items<std::uint32_t>(n);
  const reduced expected(keys, values, std::equal_to<>{}, wrapping_plus{});
  const device_array<std::int32_t> keys_in(keys), keys_out(n);
  const device_array<std::uint32_t> values_in(values), values_out(n);
  const device_array<int> count(1);
  const auto call = [&](void* temp, std::size_t& bytes) {
    check(hindsight::DeviceReduce::ReduceByKey(temp, bytes, keys_in.data(), keys_out.data(),
                                               values_in.data(), values_out.data(), count.data(),
                                               thrust::plus<>{}, n));
  };
  std::size_t bytes = 0;
  call(nullptr, bytes);
  const device_array<char> temp(bytes);
  call(temp.data(), bytes);
  ASSERT_EQ(count.to_host()[0], int(expected.keys.size()));
  EXPECT_EQ(difference(keys_out.to_host(expected.keys.size()), expected.keys), "");
  EXPECT_EQ(difference(values_out.to_host(expected.keys.size()), expected.values), "");
}

// Stock's bits differ from run to run here; ours must not.
TEST(ReduceByKey, OfFloatsGivesOnePatternOfBits) {
  const std::size_t n = (1u << 22) + 3;
  for (const runs kind : {runs::random, runs::all_equal}) {
    const device_array<std::int32_t> keys(items_in_runs<std::int32_t>(n, kind)), keys_out(n);
    const device_array<float> values(rough_items<float>(n)), values_out(n);
    std::vector<float> first;
    for (int run = 0; run < 50; ++run) {
      values_out.fill_with_poison();
      const auto ends = hindsight::reduce_by_key(par, keys.begin(), keys.end(), values.data(),
                                                 keys_out.data(), values_out.data());
      const auto sums = values_out.to_host(ends.second - values_out.data());
      if (run == 0) first = sums;
      ASSERT_EQ(difference(sums, first), "") << "run " << run;
    }
  }
}

}  // namespace hindsight_test
