// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting structs on the GPU by what is made of them: projections, CUB's decomposers. Against a
// stable sort on the CPU.
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/sort_by.h>

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>

#include "composite_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const std::size_t sizes[] = {0, 1, 2, 1000, 150001};

/// Padded, and larger than what moves in passes if Words is large.
template <int Words>
struct record {
  std::int32_t count;
  float price;
  std::uint8_t kind;
  std::uint32_t place[Words];
};
struct price_of {
  template <class Record>
  __host__ __device__ float operator()(const Record& item) const {
    return item.price;
  }
};
struct members_of_record {
  template <class Record>
  __host__ __device__ ::cuda::std::tuple<std::uint8_t&, float&, std::int32_t&> operator()(
      Record& item) const {
    return {item.kind, item.price, item.count};
  }
};
template <int Words>
std::vector<record<Words>> random_records(std::size_t n) {
  std::mt19937_64 random{n};
  std::vector<record<Words>> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    random_member{random}(items[i].count);
    random_member{random}(items[i].price);
    random_member{random}(items[i].kind);
    for (auto& word : items[i].place) word = unsigned(i);
  }
  return items;
}
template <class Record>
std::vector<unsigned> places_in(const thrust::device_vector<Record>& items) {
  thrust::host_vector<Record> host = items;
  std::vector<unsigned> places;
  for (const Record& item : host) places.push_back(item.place[0]);
  return places;
}

template <class Record>
struct Records : testing::Test {};
using record_types = testing::Types<record<1>, record<9>>;
TYPED_TEST_SUITE(Records, record_types);

TYPED_TEST(Records, ByProjections) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto items = random_records<sizeof(TypeParam::place) / 4>(n);
    const auto on = [](auto f) { return [f](auto a, auto b) { return f(a) < f(b); }; };
    thrust::device_vector<TypeParam> sorted(items.begin(), items.end());
    hindsight::sort_by(par, sorted.begin(), sorted.end(), price_of{});
    EXPECT_EQ(places_in(sorted), places_in_order(items, on([](auto& x) { return x.price; })));
    thrust::copy(items.begin(), items.end(), sorted.begin());
    hindsight::sort_by(sorted, &TypeParam::count, thrust::greater<>{});
    EXPECT_EQ(places_in(sorted),
              places_in_order(items, on([](auto& x) { return -std::int64_t(x.count); })));
    thrust::copy(items.begin(), items.end(), sorted.begin());
    hindsight::sort_by(sorted, members_of_record{});
    EXPECT_EQ(places_in(sorted), places_in_order(items, on([](auto& x) {
                                                   return std::make_tuple(x.kind, x.price, x.count);
                                                 })));
  }
}

TYPED_TEST(Records, ByDecomposers) {
  using sort = hindsight::DeviceRadixSort;
  const std::size_t n = 70001;
  const auto items = random_records<sizeof(TypeParam::place) / 4>(n);
  const thrust::device_vector<TypeParam> in(items.begin(), items.end());
  thrust::device_vector<TypeParam> out(n);
  thrust::device_vector<unsigned> values(n), values_out(n);
  thrust::sequence(values.begin(), values.end());
  const TypeParam* const from = in.data().get();
  TypeParam* const to = out.data().get();
  const auto twice = [](auto call) {
    std::size_t bytes = 0;
    ASSERT_EQ(call(nullptr, bytes), cudaSuccess);
    thrust::device_vector<char> temp(bytes);
    ASSERT_EQ(call(temp.data().get(), bytes), cudaSuccess);
  };
  const auto all = [](auto& x) { return std::make_tuple(x.kind, x.price, x.count); };
  const auto up = places_in_order(items, [&](auto& a, auto& b) { return all(a) < all(b); });
  const auto down = places_in_order(items, [&](auto& a, auto& b) { return all(a) > all(b); });
  twice([&](void* temp, std::size_t& bytes) {
    return sort::SortKeys(temp, bytes, from, to, n, members_of_record{});
  });
  EXPECT_EQ(places_in(out), up);
  twice([&](void* temp, std::size_t& bytes) {
    return sort::SortPairsDescending(temp, bytes, from, to, values.data().get(),
                                     values_out.data().get(), n, members_of_record{});
  });
  EXPECT_EQ(places_in(out), down);
  EXPECT_TRUE(thrust::host_vector<unsigned>(values_out) ==
              thrust::host_vector<unsigned>(down.begin(), down.end()));
  // The lowest 32 bits are the last member's; the float's follow.
  const auto low = places_in_order(items, [](auto& a, auto& b) {
    return (unsigned(a.count) >> 4 & 0xffffff) < (unsigned(b.count) >> 4 & 0xffffff);
  });
  twice([&](void* temp, std::size_t& bytes) {
    return sort::SortKeys(temp, bytes, from, to, n, members_of_record{}, 4, 28);
  });
  EXPECT_EQ(places_in(out), low);
  thrust::device_vector<TypeParam> first = in;
  hindsight::DoubleBuffer<TypeParam> keys(first.data().get(), to);
  hindsight::DoubleBuffer<unsigned> numbers(values.data().get(), values_out.data().get());
  twice([&](void* temp, std::size_t& bytes) {
    return sort::SortPairsDescending(temp, bytes, keys, numbers, n, members_of_record{});
  });
  EXPECT_EQ(keys.Current(), to);
  EXPECT_EQ(numbers.Current(), values_out.data().get());
  EXPECT_EQ(places_in(out), down);
  EXPECT_TRUE(thrust::host_vector<unsigned>(values_out) ==
              thrust::host_vector<unsigned>(down.begin(), down.end()));
  twice([&](void* temp, std::size_t& bytes) {
    return sort::SortKeys(temp, bytes, keys, n, members_of_record{}, cudaStream_t{});
  });
  EXPECT_EQ(keys.Current(), first.data().get());
  EXPECT_EQ(places_in(first), up);

  std::size_t bytes = 0;
  EXPECT_EQ(sort::SortKeys(nullptr, bytes, from, to, n, members_of_record{}, 4, 73),
            cudaErrorInvalidValue);
}

}  // namespace hindsight_test
