// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// alone: it gives a type of another file an operator
// run_length_encode on the GPU: each entry point against stock's recipe (a reduce_by_key over ones)
// and against a loop on the CPU.
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/run_length_encode.h>

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

template <class T>
struct encoded {
  std::vector<T> items;
  std::vector<std::int32_t> lengths;

  explicit encoded(const std::vector<T>& in) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i > 0 && in[i - 1] == in[i]) {
        items.back() = in[i];
        ++lengths.back();
      } else {
        items.push_back(in[i]);
        lengths.push_back(1);
      }
    }
  }
};

HINDSIGHT_HD inline bool operator==(const affine& f, const affine& g) {
  return f.a == g.a && f.b == g.b && f.last == g.last;
}

template <class T>
std::vector<T> items_of(std::size_t n, runs kind) {
  if constexpr (std::is_same_v<T, affine>) {
    std::vector<T> items;
    for (const std::uint32_t value : items_in_runs<std::uint32_t>(n, kind))
      items.push_back({1, value, 2});
    return items;
  } else {
    return items_in_runs<T>(n, kind);
  }
}

template <class T>
struct RunLengthEncodeOf : testing::Test {};
using types = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::uint16_t, std::uint32_t, std::uint64_t, float, double, affine>;
TYPED_TEST_SUITE(RunLengthEncodeOf, types);

TYPED_TEST(RunLengthEncodeOf, EqualsStock) {
  using T = TypeParam;
  for (const runs kind : {runs::of_one, runs::random, runs::all_equal}) {
    for (const std::size_t n :
         sizes_of_look_back(hindsight::detail::run_length_tuning<T>::shape.tile_items())) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", runs " << int(kind));
      const auto items = items_of<T>(n, kind);
      const encoded<T> expected(items);
      const auto num_runs = expected.items.size();
      const device_array<T> in(items, 1), out(n, 1), stock_out(n, 1);
      const device_array<std::int32_t> lengths(n, 1), stock_lengths(n, 1);

      const auto stock_ends = hindsight::run_length_encode(stock, in.begin(), in.end(),
                                                           stock_out.data(), stock_lengths.data());
      ASSERT_EQ(stock_ends.first - stock_out.data(), std::ptrdiff_t(num_runs));
      const auto ends =
          hindsight::run_length_encode(par, in.begin(), in.end(), out.data(), lengths.data());
      ASSERT_EQ(ends.first - out.data(), std::ptrdiff_t(num_runs));
      ASSERT_EQ(ends.second - lengths.data(), std::ptrdiff_t(num_runs));
      EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "");
      EXPECT_EQ(difference(lengths.to_host(), stock_lengths.to_host()), "");
      EXPECT_EQ(difference(out.to_host(num_runs), expected.items), "");
      EXPECT_EQ(difference(lengths.to_host(num_runs), expected.lengths), "");
      EXPECT_TRUE(out.is_untouched(num_runs));
      EXPECT_TRUE(lengths.is_untouched(num_runs));
    }
  }
}

// Zeros of both signs are equal and NaNs are not, even to themselves.
TEST(RunLengthEncode, ZerosAndNans) {
  const float nan = NAN;
  const std::vector<float> items = {0.0f, -0.0f, 0.0f, -0.0f, nan, nan, 1.0f, -0.0f, 0.0f};
  const device_array<float> in(items), out(9);
  const device_array<int> lengths(9);
  const auto ends =
      hindsight::run_length_encode(par, in.begin(), in.end(), out.data(), lengths.data());
  ASSERT_EQ(ends.first - out.data(), 5);
  EXPECT_EQ(difference(out.to_host(5), {-0.0f, nan, nan, 1.0f, 0.0f}), "");
  EXPECT_EQ(difference(lengths.to_host(5), {4, 1, 1, 1, 2}), "");
}

TEST(RunLengthEncode, ThroughIterators) {
  using u64 = std::uint64_t;
  for (const std::size_t n : {std::size_t{0}, std::size_t{777}, std::size_t{300001}}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::vector<u64> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = i / 100;
    const encoded<u64> expected(keys);
    const std::vector<u64> expected_lengths(expected.lengths.begin(), expected.lengths.end());
    const auto num_runs = std::ptrdiff_t(expected.items.size());
    const thrust::device_vector<u64> stored(keys.begin(), keys.end());
    thrust::device_vector<u64> out(n), lengths(n);
    const auto expect_right = [&](const char* what) {
      std::vector<u64> items(num_runs), counts(num_runs);
      thrust::copy_n(out.begin(), num_runs, items.begin());
      thrust::copy_n(lengths.begin(), num_runs, counts.begin());
      EXPECT_EQ(difference(items, expected.items), "") << what;
      EXPECT_EQ(difference(counts, expected_lengths), "") << what;
      thrust::fill(out.begin(), out.end(), 0);
      thrust::fill(lengths.begin(), lengths.end(), 0);
    };
    const auto numbers = thrust::make_counting_iterator(u64{0});
    const auto in = thrust::make_transform_iterator(numbers, hundreds{});
    hindsight::run_length_encode(par, in, in + n, out.begin(), lengths.begin());
    expect_right("transform iterator");
    const auto gathered = thrust::make_permutation_iterator(stored.begin(), numbers);
    hindsight::run_length_encode(par, gathered, gathered + n, out.begin(), lengths.begin());
    expect_right("permutation iterator");
    const auto zipped = thrust::make_zip_iterator(in, stored.begin());
    const auto zipped_out = thrust::make_zip_iterator(out.begin(), thrust::make_discard_iterator());
    hindsight::run_length_encode(par, zipped, zipped + n, zipped_out, lengths.begin());
    expect_right("zip iterator");
    const auto ends = hindsight::run_length_encode(stored, out.begin(), lengths.begin());
    EXPECT_EQ(ends.first - out.begin(), num_runs);
    expect_right("no policy, a range");
  }
}

TEST(RunLengthEncode, InCubsShape) {
  const std::size_t n = 300001;
  const auto items = items_in_runs<std::uint8_t>(n, runs::random);
  const encoded<std::uint8_t> expected(items);
  const device_array<std::uint8_t> in(items, 1), out(n, 1);
  const device_array<std::int32_t> lengths(n), count(1);
  const auto call = [&](void* temp, std::size_t& bytes) {
    check(hindsight::DeviceRunLengthEncode::Encode(temp, bytes, in.data(), out.data(),
                                                   lengths.data(), count.data(), n));
  };
  std::size_t bytes = 0;
  call(nullptr, bytes);
  const device_array<char> temp(bytes);
  call(temp.data(), bytes);
  ASSERT_EQ(count.to_host()[0], int(expected.items.size()));
  EXPECT_EQ(difference(out.to_host(expected.items.size()), expected.items), "");
  EXPECT_EQ(difference(lengths.to_host(expected.items.size()), expected.lengths), "");
}

}  // namespace hindsight_test
