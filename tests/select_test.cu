// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// copy_if and the remove family on the GPU: each entry point against stock Thrust and a loop on the
// CPU.
#include <hindsight/device_select.cuh>
#include <hindsight/partition.h>
#include <hindsight/select.h>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/remove.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>
#include <numeric>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

/// The items whose stencil is odd, or those whose stencil is not.
template <class T, class Stencil>
std::vector<T> select_on_cpu(const std::vector<T>& items, const std::vector<Stencil>& stencil,
                             bool odd) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (is_odd{}(stencil[i]) == odd) kept.push_back(items[i]);
  }
  return kept;
}

template <class T>
struct SelectOf : testing::Test {};
using types = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::uint16_t, std::uint32_t, std::uint64_t, float, double, affine>;
TYPED_TEST_SUITE(SelectOf, types);

TYPED_TEST(SelectOf, EqualsStock) {
  using T = TypeParam;
  for (const std::size_t n :
       sizes_of_look_back(hindsight::detail::select_tuning<T>::shape.tile_items())) {
    for (const std::size_t shift : {0, 1}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", shift = " << shift);
      const auto items = random_items<T>(n);
      const device_array<T> in(items, shift), out(n, shift), stock_out(n, shift);
      const auto odd = select_on_cpu(items, items, true);

      T* end = thrust::copy_if(par, in.begin(), in.end(), out.data(), is_odd{});
      ASSERT_EQ(end - out.data(),
                thrust::copy_if(stock, in.begin(), in.end(), stock_out.data(), is_odd{}) -
                    stock_out.data());
      ASSERT_EQ(end - out.data(), std::ptrdiff_t(odd.size()));
      EXPECT_EQ(difference(out.to_host(odd.size()), odd), "");
      EXPECT_EQ(difference(out.to_host(), stock_out.to_host()), "") << "behind the result";

      end = hindsight::remove_if(par, in.begin(), in.end(), is_odd{});
      const auto even = select_on_cpu(items, items, false);
      ASSERT_EQ(end - in.data(), std::ptrdiff_t(even.size()));
      EXPECT_EQ(difference(in.to_host(even.size()), even), "") << "in place";
    }
  }
}

TEST(Select, ByStencil) {
  for (const std::size_t n : sizes_of_look_back(8192)) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto items = random_items<std::uint32_t>(n);
    const auto stencil = random_items<std::uint8_t>(n, 7);
    const device_array<std::uint32_t> in(items, 1), out(n, 1);
    const device_array<std::uint8_t> flags(stencil, 1);
    const auto odd = select_on_cpu(items, stencil, true),
               even = select_on_cpu(items, stencil, false);

    auto* end = thrust::copy_if(par, in.begin(), in.end(), flags.data(), out.data(), is_odd{});
    ASSERT_EQ(end - out.data(), std::ptrdiff_t(odd.size()));
    EXPECT_EQ(difference(out.to_host(odd.size()), odd), "");
    EXPECT_TRUE(out.is_untouched(odd.size()));

    out.fill_with_poison();
    end = thrust::remove_copy_if(par, in.begin(), in.end(), flags.data(), out.data(), is_odd{});
    ASSERT_EQ(end - out.data(), std::ptrdiff_t(even.size()));
    EXPECT_EQ(difference(out.to_host(even.size()), even), "");

    end = thrust::remove_if(par, in.begin(), in.end(), flags.data(), is_odd{});
    ASSERT_EQ(end - in.data(), std::ptrdiff_t(even.size()));
    EXPECT_EQ(difference(in.to_host(even.size()), even), "");
  }
}

// Few tiles and many, again and again: timing must not show.
TEST(Select, GivesTheSameEveryTime) {
  for (const std::size_t n : {std::size_t{300007}, (std::size_t{1} << 22) + 3}) {
    const auto items = random_items<std::uint32_t>(n);
    const auto odd = select_on_cpu(items, items, true);
    const device_array<std::uint32_t> in(items), out(n);
    for (int run = 0; run < 200; ++run) {
      const auto end = thrust::copy_if(par, in.begin(), in.end(), out.data(), is_odd{});
      ASSERT_EQ(end - out.data(), std::ptrdiff_t(odd.size())) << "n = " << n << ", run " << run;
      if (run % 20 == 0) ASSERT_EQ(difference(out.to_host(odd.size()), odd), "");
    }
  }
}

struct never {
  template <class T>
  HINDSIGHT_HD bool operator()(const T&) const {
    return false;
  }
};
struct always {
  template <class T>
  HINDSIGHT_HD bool operator()(const T&) const {
    return true;
  }
};

TEST(Select, AllAndNothing) {
  const std::size_t n = 300001;
  const auto items = random_items<std::int32_t>(n);
  const device_array<std::int32_t> in(items), out(n);
  EXPECT_EQ(thrust::copy_if(par, in.begin(), in.end(), out.data(), never{}), out.data());
  EXPECT_TRUE(out.is_untouched());
  EXPECT_EQ(thrust::remove_if(par, in.begin(), in.end(), never{}), in.end());
  EXPECT_EQ(difference(in.to_host(), items), "");
  EXPECT_EQ(thrust::copy_if(par, in.begin(), in.end(), out.data(), always{}), out.end());
  EXPECT_EQ(difference(out.to_host(), items), "");
  EXPECT_EQ(thrust::remove_if(par, in.begin(), in.end(), always{}), in.begin());
}

struct second_is_odd {
  template <class Pair>
  HINDSIGHT_HD bool operator()(const Pair& pair) const {
    return thrust::get<1>(pair) & 1;
  }
};

/// Says of an item whether nobody has asked about it before.
struct is_new {
  unsigned* asked;
  __device__ bool operator()(int item) const { return atomicAdd(asked + item, 1u) == 0; }
};

// As stock does: so a predicate may insert items into a set.
TEST(Select, AsksOnceAboutEachItem) {
  for (const std::size_t n : {1, 31, 1000, 5003, 1'000'003, 30'000'001}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::vector<int> items(n);
    std::iota(items.begin(), items.end(), 0);
    const std::vector<unsigned> none(n, 0), one(n, 1);
    const device_array<int> in(items), out(n);
    const device_array<unsigned> asked(none);
    EXPECT_EQ(thrust::copy_if(par, in.begin(), in.end(), out.begin(), is_new{asked.data()}),
              out.end());
    EXPECT_EQ(difference(asked.to_host(n), one), "");
    asked.assign(none);
    const thrust::counting_iterator<int> first{0};
    EXPECT_EQ(thrust::copy_if(par, first, first + n, in.begin(), out.begin(), is_new{asked.data()}),
              out.end());
    EXPECT_EQ(difference(asked.to_host(n), one), "");
    asked.assign(none);
    EXPECT_EQ(thrust::partition(par, in.begin(), in.end(), is_new{asked.data()}), in.end());
    EXPECT_EQ(difference(asked.to_host(n), one), "");
    asked.assign(none);
    EXPECT_TRUE(thrust::all_of(par, in.begin(), in.end(), is_new{asked.data()}));
    EXPECT_EQ(difference(asked.to_host(n), one), "");
  }
}

TEST(Select, ThroughIterators) {
  using u64 = std::uint64_t;
  for (const std::size_t n : {std::size_t{0}, std::size_t{777}, std::size_t{300001}}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto host_items = random_items<u64>(n);
    thrust::device_vector<u64> in(host_items.begin(), host_items.end()), out(n), indices(n);
    const auto odd = select_on_cpu(host_items, host_items, true);
    std::vector<u64> odd_indices;
    for (u64 i = 0; i < n; ++i) {
      if (host_items[i] & 1) odd_indices.push_back(i);
    }
    const auto to_host = [&odd](const thrust::device_vector<u64>& items) {
      std::vector<u64> front(odd.size());
      thrust::copy_n(items.begin(), odd.size(), front.begin());
      return front;
    };
    const auto numbers = thrust::make_counting_iterator(u64{0});
    auto end = thrust::copy_if(par, numbers, numbers + n, in.begin(), indices.begin(), is_odd{});
    ASSERT_EQ(end - indices.begin(), std::ptrdiff_t(odd.size()));
    EXPECT_EQ(difference(to_host(indices), odd_indices), "") << "counting iterator";

    const auto plus_one = thrust::make_transform_iterator(in.begin(), thrust::placeholders::_1 + 1);
    end = hindsight::remove_copy_if(par, plus_one, plus_one + n, out.begin(), is_odd{});
    ASSERT_EQ(end - out.begin(), std::ptrdiff_t(odd.size()));
    auto expected = odd;
    for (u64& item : expected) ++item;
    EXPECT_EQ(difference(to_host(out), expected), "") << "transform iterator";

    thrust::fill(indices.begin(), indices.end(), 0);
    const auto to = thrust::make_zip_iterator(indices.begin(), out.begin());
    const auto from = thrust::make_zip_iterator(numbers, in.begin());
    const auto zip_end = hindsight::copy_if(par, from, from + n, to, second_is_odd{});
    ASSERT_EQ(zip_end - to, std::ptrdiff_t(odd.size()));
    EXPECT_EQ(difference(to_host(indices), odd_indices), "") << "zip iterator";
    EXPECT_EQ(difference(to_host(out), odd), "") << "zip iterator";

    const auto gathered = thrust::make_permutation_iterator(in.begin(), indices.begin());
    end = hindsight::copy_if(par, gathered, gathered + odd.size(), out.begin(), is_odd{});
    ASSERT_EQ(end - out.begin(), std::ptrdiff_t(odd.size()));
    EXPECT_EQ(difference(to_host(out), odd), "") << "permutation iterator";

    const auto nowhere = thrust::make_discard_iterator();
    EXPECT_EQ(hindsight::copy_if(par, in.begin(), in.end(), nowhere, is_odd{}) - nowhere,
              std::ptrdiff_t(odd.size()));

    end = hindsight::remove_if(in, is_odd{});  // no policy, a range
    EXPECT_EQ(end - in.begin(), std::ptrdiff_t(n - odd.size()));
    if (n > 1) {
      const u64 kept = select_on_cpu(host_items, host_items, false)[1];
      const auto left = end - in.begin();
      EXPECT_LT(thrust::remove(par, in.begin(), end, kept) - in.begin(), left);
    }
  }
}

struct put_negated {
  std::int32_t* to;
  HINDSIGHT_HD void operator()(std::ptrdiff_t i, std::int32_t item) const { to[i] = -item; }
};

TEST(Select, IntoAZipWhosePartHasNoTypeOfItems) {
  const std::size_t n = 70001;
  const auto items = random_items<std::int32_t>(n), others = random_items<std::int32_t>(n, 5);
  const device_array<std::int32_t> in(items), other_in(others), out(n), negated(n);
  std::vector<std::int32_t> odd, others_of_odd;
  for (std::size_t i = 0; i < n; ++i) {
    if (items[i] % 2 == 0) continue;
    odd.push_back(items[i]);
    others_of_odd.push_back(-others[i]);
  }
  const auto first = thrust::make_zip_iterator(in.begin(), other_in.begin());
  const auto to = thrust::make_zip_iterator(
      out.data(), thrust::make_tabulate_output_iterator(put_negated{negated.data()}));
  const auto end = thrust::copy_if(par, first, first + std::ptrdiff_t(n), to, first_is_odd{});
  ASSERT_EQ(end - to, std::ptrdiff_t(odd.size()));
  EXPECT_EQ(difference(out.to_host(odd.size()), odd), "");
  EXPECT_EQ(difference(negated.to_host(odd.size()), others_of_odd), "");
  EXPECT_TRUE(negated.is_untouched(odd.size()));
}

/// May begin at an odd address, where no item begins with a word of memory.
struct two_bytes {
  std::uint8_t value, other;
};

struct has_odd_value {
  HINDSIGHT_HD bool operator()(const two_bytes& item) const { return item.value % 2 != 0; }
};

TEST(Select, ItemsOfTwoBytesAtAnyAddress) {
  const std::size_t n = 70001;
  const auto words = random_items<std::uint16_t>(n);
  std::vector<two_bytes> items(n), odd, even;
  std::memcpy(items.data(), words.data(), n * sizeof(two_bytes));
  for (const two_bytes& item : items) (has_odd_value{}(item) ? odd : even).push_back(item);
  for (std::size_t shift = 0; shift < 4; ++shift) {  // in bytes
    SCOPED_TRACE(testing::Message() << "shift = " << shift);
    const device_array<std::uint8_t> room(2 * n, shift), odd_room(2 * n, shift);
    const device_array<std::uint8_t> even_room(2 * n, shift);
    const auto in = reinterpret_cast<two_bytes*>(room.data());
    const auto out = reinterpret_cast<two_bytes*>(odd_room.data());
    const auto rest = reinterpret_cast<two_bytes*>(even_room.data());
    const auto to_host = [](const two_bytes* from, std::size_t count) {
      std::vector<two_bytes> copy(count);
      check(cudaMemcpy(copy.data(), from, count * sizeof(two_bytes), cudaMemcpyDefault));
      return copy;
    };
    check(cudaMemcpy(in, items.data(), n * sizeof(two_bytes), cudaMemcpyDefault));
    const auto ends = thrust::partition_copy(par, in, in + n, out, rest, has_odd_value{});
    ASSERT_EQ(ends.first - out, std::ptrdiff_t(odd.size()));
    EXPECT_EQ(difference(to_host(out, odd.size()), odd), "");
    EXPECT_EQ(difference(to_host(rest, even.size()), even), "");
    ASSERT_EQ(thrust::copy_if(par, in, in + n, in, has_odd_value{}) - in,
              std::ptrdiff_t(odd.size()));
    EXPECT_EQ(difference(to_host(in, odd.size()), odd), "");
  }
}

TEST(Select, InCubsShape) {
  const std::size_t n = 300001;
  const auto items = random_items<std::int32_t>(n);
  const auto stencil = random_items<std::uint8_t>(n, 7);
  std::vector<std::uint8_t> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = stencil[i] & 1;
  const device_array<std::int32_t> in(items), out(n);
  const device_array<std::uint8_t> device_flags(flags);
  const device_array<int> count(1);
  std::size_t bytes = 0;
  check(hindsight::DeviceSelect::Flagged(nullptr, bytes, in.data(), device_flags.data(), out.data(),
                                         count.data(), n));
  const device_array<char> temp(bytes);
  check(hindsight::DeviceSelect::Flagged(temp.data(), bytes, in.data(), device_flags.data(),
                                         out.data(), count.data(), n));
  const auto odd = select_on_cpu(items, flags, true);
  ASSERT_EQ(count.to_host()[0], int(odd.size()));
  EXPECT_EQ(difference(out.to_host(odd.size()), odd), "");
  EXPECT_TRUE(out.is_untouched(odd.size()));
}

}  // namespace hindsight_test
