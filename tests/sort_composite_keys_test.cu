// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting on the GPU by numbers that are made of the keys: tuples with floats, strings of bytes.
// Against a stable sort on the CPU by the keys' own order.
#include <hindsight/sort.h>

#include <cuda/std/array>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sequence.h>
#include <thrust/tuple.h>

#include "composite_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const std::size_t sizes[] = {0, 1, 2, 1000, 70001};

using floats = thrust::tuple<float, __half, double>;
using text = ::cuda::std::array<unsigned char, 27>;
using numbers = thrust::tuple<std::int64_t, float, std::uint8_t, std::int64_t>;
using small_members = ::cuda::std::tuple<std::int16_t, std::uint8_t, std::uint8_t, float>;

template <class Key, class Work, std::size_t... Places>
void each_member(Key& key, Work work, std::index_sequence<Places...>) {
  (work(::cuda::std::get<Places>(key)), ...);
}
template <class Key, class Work>
void each_member(Key& key, Work work) {
  each_member(key, work,
              std::make_index_sequence<::cuda::std::tuple_size<std::remove_const_t<Key>>::value>{});
}
template <class Key>
std::vector<Key> random_composites(std::size_t n) {
  std::mt19937_64 random{n + sizeof(Key)};
  std::vector<Key> items(n);
  for (Key& item : items) each_member(item, random_member{random});
  return items;
}

struct add_bits {
  unsigned char* to;
  std::size_t count = 0;
  template <class Member>
  void operator()(const Member& member) {
    std::memcpy(to + count, &member, sizeof member);
    count += sizeof member;
  }
};

/// Bits, not values: the zeros are to keep their signs.
template <class T>
bool same_bits(const thrust::device_vector<T>& got, const std::vector<T>& expected) {
  const thrust::host_vector<T> host = got;
  bool same = host.size() == expected.size();
  for (std::size_t i = 0; same && i < expected.size(); ++i) {
    unsigned char a[sizeof(T)] = {}, b[sizeof(T)] = {};
    each_member(host[i], add_bits{a});
    each_member(expected[i], add_bits{b});
    same = std::memcmp(a, b, sizeof a) == 0;
  }
  return same;
}

template <class Key>
struct CompositeKeys : testing::Test {};
using key_types = testing::Types<floats, text, numbers, small_members>;
TYPED_TEST_SUITE(CompositeKeys, key_types);

TYPED_TEST(CompositeKeys, HaveTheOrderOfStableSort) {
  using Key = TypeParam;
  static_assert(hindsight::detail::is_composite_sortable<Key, thrust::less<Key>>);
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto keys = random_composites<Key>(n);
    const auto up = places_in_order(keys, std::less<>{}),
               down = places_in_order(keys, std::greater<>{});
    thrust::device_vector<Key> sorted(keys.begin(), keys.end());
    thrust::device_vector<unsigned> values(n);
    thrust::sequence(values.begin(), values.end());
    hindsight::sort_by_key(par, sorted.begin(), sorted.end(), values.begin());
    EXPECT_TRUE(same_bits(sorted, gathered(keys, up))) << "with values";
    EXPECT_TRUE(thrust::host_vector<unsigned>(values) ==
                thrust::host_vector<unsigned>(up.begin(), up.end()));
    thrust::copy(keys.begin(), keys.end(), sorted.begin());
    hindsight::sort(par, sorted.begin(), sorted.end(), thrust::greater<Key>{});
    EXPECT_TRUE(same_bits(sorted, gathered(keys, down))) << "descending";
  }
}

TEST(ZippedKeys, KeepTheirBits) {
  const std::size_t n = 70001;
  const auto keys = random_composites<floats>(n);
  const auto places = places_in_order(keys, std::less<>{});
  thrust::device_vector<float> first(n);
  thrust::device_vector<__half> second(n);
  thrust::device_vector<double> third(n);
  const auto zipped = thrust::make_zip_iterator(first.begin(), second.begin(), third.begin());
  thrust::device_vector<floats> sorted(keys.begin(), keys.end());
  thrust::copy(sorted.begin(), sorted.end(), zipped);
  hindsight::sort(par, zipped, zipped + n);
  thrust::copy(zipped, zipped + n, sorted.begin());
  EXPECT_TRUE(same_bits(sorted, gathered(keys, places)));
}

}  // namespace hindsight_test
