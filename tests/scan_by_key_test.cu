// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by key on the GPU: against stock Thrust and against a loop on the CPU.
#include <hindsight/device_scan.cuh>
#include <hindsight/scan_by_key.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

template <class Key, class T, class Op>
std::vector<T> inclusive_on_cpu(const std::vector<Key>& keys, std::vector<T> items, Op op) {
  for (std::size_t i = 1; i < items.size(); ++i)
    if (keys[i - 1] == keys[i]) items[i] = op(items[i - 1], items[i]);
  return items;
}
template <class Key, class T, class Op>
std::vector<T> exclusive_on_cpu(const std::vector<Key>& keys, std::vector<T> items, T init, Op op) {
  T next = init;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const T before = i > 0 && keys[i - 1] == keys[i] ? next : init;
    next = op(before, items[i]);
    items[i] = before;
  }
  return items;
}

template <class Key, class Value>
constexpr std::size_t tile_items() {
  return hindsight::detail::by_key_shape<Key, Value>().tile_items();
}

template <class Pair>
struct ScanByKeyOf : testing::Test {};
using pairs =
    testing::Types<std::pair<std::int32_t, std::int32_t>, std::pair<std::uint8_t, std::uint8_t>,
                   std::pair<std::int16_t, std::int64_t>, std::pair<std::int64_t, std::uint16_t>,
                   std::pair<std::int32_t, float>, std::pair<std::int64_t, double>>;
TYPED_TEST_SUITE(ScanByKeyOf, pairs);

TYPED_TEST(ScanByKeyOf, SumsEqualStock) {
  using Key = typename TypeParam::first_type;
  using T = typename TypeParam::second_type;
  for (const std::size_t n : sizes_of_look_back(tile_items<Key, T>())) {
    for (const runs kind : {runs::of_one, runs::random, runs::all_equal}) {
      const std::size_t shift = n % 2;
      SCOPED_TRACE(testing::Message() << "n = " << n << ", runs " << int(kind));
      const auto keys = items_in_runs<Key>(n, kind);
      const auto items = random_items<T>(n);
      const device_array<Key> keys_in(keys, shift);
      const device_array<T> in(items, shift), out(n), stock_out(n);

      thrust::inclusive_scan_by_key(stock, keys_in.begin(), keys_in.end(), in.data(),
                                    stock_out.data());
      ASSERT_EQ(
          thrust::inclusive_scan_by_key(par, keys_in.begin(), keys_in.end(), in.data(), out.data()),
          out.end());
      EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
      EXPECT_EQ(difference(out.to_host(), inclusive_on_cpu(keys, items, wrapping_plus{})), "");
      EXPECT_TRUE(out.is_untouched(n));

      const auto expected = exclusive_on_cpu(keys, items, T(5), wrapping_plus{});
      thrust::exclusive_scan_by_key(stock, keys_in.begin(), keys_in.end(), in.data(),
                                    stock_out.data(), T(5));
      out.fill_with_poison();
      ASSERT_EQ(hindsight::exclusive_scan_by_key(par, keys_in.begin(), keys_in.end(), in.data(),
                                                 out.data(), T(5)),
                out.end());
      EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
      EXPECT_EQ(difference(out.to_host(), expected), "");

      thrust::exclusive_scan_by_key(par, keys_in.begin(), keys_in.end(), in.data(), in.data(),
                                    T(5));
      EXPECT_EQ(difference(in.to_host(), expected), "") << "onto the values";
      EXPECT_EQ(difference(keys_in.to_host(), keys), "");
    }
  }
}

// The output may be the keys: then no tile may look at what its neighbour has overwritten.
TEST(ScanByKey, OntoTheKeys) {
  for (const std::size_t n : sizes_of_look_back(tile_items<std::int32_t, std::int32_t>())) {
    for (const runs kind : {runs::of_one, runs::random, runs::all_equal}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", runs " << int(kind));
      const auto keys = items_in_runs<std::int32_t>(n, kind);
      const auto items = random_items<std::int32_t>(n);
      const device_array<std::int32_t> in(items), data(keys);
      thrust::inclusive_scan_by_key(par, data.begin(), data.end(), in.data(), data.data());
      EXPECT_EQ(difference(data.to_host(), inclusive_on_cpu(keys, items, wrapping_plus{})), "");
      data.assign(keys);
      thrust::exclusive_scan_by_key(par, data.begin(), data.end(), in.data(), data.data(), 7);
      EXPECT_EQ(difference(data.to_host(), exclusive_on_cpu(keys, items, 7, wrapping_plus{})), "");
      // Through an iterator that does not show where it reads.
      data.assign(keys);
      const auto seen = thrust::make_transform_iterator(data.begin(), ::cuda::std::identity{});
      thrust::inclusive_scan_by_key(par, seen, seen + n, in.data(), data.data());
      EXPECT_EQ(difference(data.to_host(), inclusive_on_cpu(keys, items, wrapping_plus{})), "");
    }
  }
}

TEST(ScanByKey, OfTwelveBytesByAnOperatorThatDoesNotCommute) {
  const affine init{3, 5, 7};
  for (const std::size_t n : sizes_of_look_back(tile_items<std::int32_t, affine>())) {
    for (const runs kind : {runs::of_one, runs::random, runs::all_equal}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", runs " << int(kind));
      const auto keys = items_in_runs<std::int32_t>(n, kind);
      const auto items = random_items<affine>(n);
      const device_array<std::int32_t> keys_in(keys);
      const device_array<affine> in(items, 1), out(n, 1);
      thrust::inclusive_scan_by_key(par, keys_in.begin(), keys_in.end(), in.data(), out.data(),
                                    thrust::equal_to<>{}, compose{});
      EXPECT_EQ(difference(out.to_host(), inclusive_on_cpu(keys, items, compose{})), "");
      thrust::exclusive_scan_by_key(par, keys_in.begin(), keys_in.end(), in.data(), out.data(),
                                    init, thrust::equal_to<>{}, compose{});
      EXPECT_EQ(difference(out.to_host(), exclusive_on_cpu(keys, items, init, compose{})), "");
    }
  }
}

// The sum of a char is a char where no initial value says otherwise; with one, it decides.
TEST(ScanByKey, AccumulatesInStocksTypes) {
  const std::size_t n = 100000;
  const device_array<std::int32_t> keys(items_in_runs<std::int32_t>(n, runs::random));
  const device_array<std::int8_t> bytes(random_items<std::int8_t>(n));
  const device_array<std::int32_t> out(n), stock_out(n);
  thrust::inclusive_scan_by_key(stock, keys.begin(), keys.end(), bytes.data(), stock_out.data());
  thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), bytes.data(), out.data());
  EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
  thrust::exclusive_scan_by_key(stock, keys.begin(), keys.end(), bytes.data(), stock_out.data(),
                                1000);
  thrust::exclusive_scan_by_key(par, keys.begin(), keys.end(), bytes.data(), out.data(), 1000);
  EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
}

/// The greater one, rounded up: not the same for 0.5 and for 0.
struct greater_rounded_up {
  HINDSIGHT_HD std::int32_t operator()(double a, double b) const {
    const double greater = a < b ? b : a;
    const auto whole = static_cast<std::int32_t>(greater);
    return whole < greater ? whole + 1 : whole;
  }
};

// As in CUB, an operator gets the initial value in its own type.
TEST(ScanByKey, FromAnInitialValueOfAnotherType) {
  const std::size_t n = 100000;
  const device_array<std::int32_t> keys(items_in_runs<std::int32_t>(n, runs::random));
  std::vector<std::int32_t> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = int(i * 37 % 23) - 21;
  const device_array<std::int32_t> values(items), out(n), cubs(n);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceScan::ExclusiveScanByKey(temp, bytes, keys.data(), values.data(),
                                                     out.data(), greater_rounded_up{}, 0.5, n);
  });
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScanByKey(temp, bytes, keys.data(), values.data(), cubs.data(),
                                               greater_rounded_up{}, 0.5, n);
  });
  EXPECT_EQ(difference(out.to_host(), cubs.to_host()), "");
}

struct same_first {
  template <class Pair>
  HINDSIGHT_HD bool operator()(const Pair& a, const Pair& b) const {
    return thrust::get<0>(a) == thrust::get<0>(b);
  }
};

TEST(ScanByKey, ThroughIterators) {
  using u64 = std::uint64_t;
  for (const std::size_t n : {std::size_t{0}, std::size_t{777}, std::size_t{300001}}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::vector<u64> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = i / 100;
    const auto items = random_items<u64>(n);
    const std::vector<u64> reversed(items.rbegin(), items.rend());
    const auto expected = inclusive_on_cpu(keys, items, wrapping_plus{});
    const auto expected_reversed = inclusive_on_cpu(keys, reversed, wrapping_plus{});
    const thrust::device_vector<u64> values(items.begin(), items.end());
    thrust::device_vector<u64> out(n);
    const auto got = [&] {
      std::vector<u64> host(n);
      thrust::copy(out.begin(), out.end(), host.begin());
      thrust::fill(out.begin(), out.end(), 0xABABABAB);
      return host;
    };
    const auto numbers = thrust::make_counting_iterator(u64{0});
    const auto keys_in = thrust::make_transform_iterator(numbers, hundreds{});
    thrust::inclusive_scan_by_key(par, keys_in, keys_in + n, values.begin(), out.begin());
    EXPECT_EQ(difference(got(), expected), "") << "transform iterator";
    const auto backwards = thrust::make_reverse_iterator(values.end());
    thrust::inclusive_scan_by_key(par, keys_in, keys_in + n, backwards, out.begin());
    EXPECT_EQ(difference(got(), expected_reversed), "") << "reverse iterator";
    const auto zipped = thrust::make_zip_iterator(keys_in, numbers);
    thrust::inclusive_scan_by_key(par, zipped, zipped + n, values.begin(), out.begin(),
                                  same_first{});
    EXPECT_EQ(difference(got(), expected), "") << "zip iterator";
    const thrust::device_vector<u64> stored(keys.begin(), keys.end());
    hindsight::inclusive_scan_by_key(stored, values.begin(), out.begin());  // no policy, a range
    EXPECT_EQ(difference(got(), expected), "") << "range";
  }
}

// Keys that no key equals, not even itself, make runs of one.
TEST(ScanByKey, OfKeysThatAreNotNumbers) {
  const std::size_t n = 100001;
  const device_array<float> keys(std::vector<float>(n, std::nanf("")));
  const auto items = random_items<std::int32_t>(n);
  const device_array<std::int32_t> in(items), out(n);
  thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), in.data(), out.data());
  EXPECT_EQ(difference(out.to_host(), items), "");
}

// Stock's bits may differ from run to run here; ours must not.
TEST(ScanByKey, OfFloatsGivesOnePatternOfBits) {
  const std::size_t n = (1u << 22) + 3;
  for (const runs kind : {runs::random, runs::all_equal}) {
    const device_array<std::int32_t> keys(items_in_runs<std::int32_t>(n, kind));
    const device_array<float> values(rough_items<float>(n)), out(n);
    std::vector<float> first;
    for (int run = 0; run < 20; ++run) {
      out.fill_with_poison();
      thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), values.data(), out.data());
      if (run == 0) first = out.to_host();
      ASSERT_EQ(difference(out.to_host(), first), "") << "run " << run;
    }
  }
}

}  // namespace hindsight_test
