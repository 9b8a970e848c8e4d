// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// find, find_if, find_if_not, all_of, any_of and none_of on the GPU, against loops and stock.
#include <hindsight/find.h>

#include <thrust/device_vector.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/tuple.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

struct is_beyond {
  long long limit;
  HINDSIGHT_HD bool operator()(long long item) const { return item > limit; }
};

template <class T>
struct FindOf : testing::Test {};
using types = testing::Types<std::uint8_t, std::int16_t, std::uint32_t, double>;
TYPED_TEST_SUITE(FindOf, types);

/// A nine, and another one behind it, at places all over the range.
TYPED_TEST(FindOf, TheFirstWhereverItIs) {
  using T = TypeParam;
  constexpr std::size_t tile = hindsight::detail::select_tuning<T>::shape.tile_items();
  for (const std::size_t n : sizes_around(tile)) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const device_array<T> in(std::vector<T>(n, T(1)), 1);
    const T* const first = in.begin();
    const T* const last = in.end();
    EXPECT_EQ(thrust::find_if(par, first, last, is_nine{}), last);
    EXPECT_TRUE(thrust::none_of(par, first, last, is_nine{}));
    EXPECT_EQ(thrust::all_of(par, first, last, is_nine{}), n == 0);
    const T nine = 9, one = 1;
    for (std::size_t at = 0; at < n; at += n / 7 + 1) {
      const std::size_t other = at + (n - at) / 2;
      check(cudaMemcpy(in.data() + at, &nine, sizeof nine, cudaMemcpyDefault));
      check(cudaMemcpy(in.data() + other, &nine, sizeof nine, cudaMemcpyDefault));
      ASSERT_EQ(thrust::find_if(par, first, last, is_nine{}) - first, std::ptrdiff_t(at));
      ASSERT_EQ(thrust::find(par, first, last, nine) - first, std::ptrdiff_t(at));
      ASSERT_EQ(hindsight::find_if_not(par, first, last, is_nine{}) - first, at > 0 ? 0
                                                                             : n <= 2
                                                                                 ? std::ptrdiff_t(n)
                                                                                 : 1);
      ASSERT_TRUE(thrust::any_of(par, first, last, is_nine{}));
      ASSERT_FALSE(thrust::none_of(par, first, last, is_nine{}));
      check(cudaMemcpy(in.data() + at, &one, sizeof one, cudaMemcpyDefault));
      check(cudaMemcpy(in.data() + other, &one, sizeof one, cudaMemcpyDefault));
    }
  }
}

struct marked {
  int number;
  bool is_good;
};

TEST(Find, ItemsWithoutAMember) {  // stock takes pointers to members here
  std::vector<marked> items(100000, marked{1, true});
  const device_array<marked> good(items);
  items[70000].is_good = false;
  const device_array<marked> one_bad(items);
  EXPECT_TRUE(thrust::all_of(par, good.begin(), good.end(), &marked::is_good));
  EXPECT_FALSE(thrust::all_of(par, one_bad.begin(), one_bad.end(), &marked::is_good));
  const auto found = hindsight::find_if_not(par, one_bad.begin(), one_bad.end(), &marked::is_good);
  EXPECT_EQ(found - one_bad.begin(), 70000);
}

/// Takes a tuple that it may change, which what a zip iterator gives is not.
struct second_is_nine {
  HINDSIGHT_HD bool operator()(thrust::tuple<int, int>& pair) const {
    return thrust::get<1>(pair) == 9;
  }
};

TEST(Find, PredicatesOfItemsThatMayBeChanged) {
  constexpr std::ptrdiff_t n = 5000, at = 3210;
  std::vector<int> items(n, 1);
  items[at] = 9;
  const device_array<int> in(items);
  const auto first = thrust::make_zip_iterator(in.data(), in.data()), last = first + n;
  EXPECT_EQ(thrust::find_if(par, first, last, second_is_nine{}) - first, at);
  EXPECT_EQ(thrust::find_if(stock, first, last, second_is_nine{}) - first, at);
  EXPECT_EQ(thrust::find_if_not(par, first, last, second_is_nine{}) - first, 0);
  EXPECT_FALSE(thrust::all_of(par, first, last, second_is_nine{}));
  EXPECT_TRUE(thrust::any_of(par, first, last, second_is_nine{}));
  EXPECT_FALSE(thrust::none_of(par, first, last, second_is_nine{}));
}

TEST(Find, LongRangesAndMany) {
  const thrust::counting_iterator<long long> zero(0);
  const long long n = (1LL << 32) + 1000;
  for (const long long at : {0LL, 12345678LL, n - 2}) {
    EXPECT_EQ(hindsight::find_if(par, zero, zero + n, is_beyond{at}) - zero, at + 1);
  }
  EXPECT_TRUE(hindsight::all_of(par, zero, zero + n, is_beyond{-1}));
  const auto items = random_items<std::uint32_t>(1000003);
  const thrust::device_vector<std::uint32_t> in = items;
  EXPECT_EQ(hindsight::find_if(in, is_odd{}) - in.begin(),  // no policy
            thrust::find_if(stock, in.begin(), in.end(), is_odd{}) - in.begin());
}

TEST(Find, RefusesReversedRanges) {
  const thrust::device_vector<int> in(5);
  EXPECT_THROW(thrust::find_if(par, in.end(), in.begin(), is_nine{}), hindsight::invalid_call);
  EXPECT_THROW(thrust::find(par, in.end(), in.begin(), 3), hindsight::invalid_call);
  EXPECT_THROW(thrust::all_of(par, in.end(), in.begin(), is_nine{}), hindsight::invalid_call);
}

}  // namespace hindsight_test
