// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nth_element and partial_sort on the GPU, against a stable sort on the CPU; top_k by any order.
#include <hindsight/top_k.h>

#include <thrust/device_vector.h>

#include "top_k_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;

template <class Key>
struct NthElement : testing::Test {};
using key_types = testing::Types<float, std::int64_t>;
TYPED_TEST_SUITE(NthElement, key_types);

/// The same for the same items in any order.
template <class Key>
std::uint64_t sum_of_hashes(const std::vector<Key>& keys) {
  std::uint64_t sum = 0;
  for (const Key& key : keys) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &key, sizeof key);
    bits = (bits + 1) * 0x9E3779B97F4A7C15u;
    sum += (bits ^ bits >> 31) * 0xBF58476D1CE4E5B9u;
  }
  return sum;
}

TYPED_TEST(NthElement, OfNumbers) {
  using Key = TypeParam;
  for_each_input([](std::size_t n, shape s) {
    const auto keys = keys_of<Key>(s, n);
    const auto expected = sorted_on_cpu(keys, order::ascending);
    for (const std::size_t nth : {std::size_t{0}, n / 2 + n / 5, n - 1}) {
      SCOPED_TRACE(testing::Message() << "n " << n << " nth " << nth << " shape " << int(s));
      const device_array<Key> items(keys), again(keys);
      hindsight::nth_element(par, items.begin(), items.begin() + nth, items.end());
      hindsight::nth_element(par, again.begin(), again.begin() + nth, again.end());
      const auto got = items.to_host();
      ASSERT_EQ(difference(again.to_host(), got), "") << "the same every run";
      const auto middle = rank_of(expected[nth]);
      ASSERT_TRUE(rank_of(got[nth]) == middle);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i)
        wrong += i < nth ? rank_of(got[i]) > middle : rank_of(got[i]) < middle;
      ASSERT_EQ(wrong, 0u);
      ASSERT_EQ(sum_of_hashes(got), sum_of_hashes(keys)) << "all items are there";

      items.assign(keys);
      hindsight::partial_sort(par, items.begin(), items.begin() + nth, items.end());
      ASSERT_EQ(difference(first_of(items.to_host(), nth), first_of(expected, nth)), "");
    }
  });
}

struct by_tens {
  __host__ __device__ bool operator()(float a, float b) const { return int(a) / 10 < int(b) / 10; }
};

TEST(NthElement, AndOthersOfAnyOrder) {
  const std::size_t n = 70001, k = 500;
  std::vector<float> keys(n);
  std::mt19937 random{5};
  for (float& key : keys) key = float(random() % 100000);
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(), by_tens{});
  const thrust::device_vector<float> in(keys.begin(), keys.end());
  thrust::device_vector<float> out(k), items = in;
  const auto to_host = [](const thrust::device_vector<float>& from) {
    std::vector<float> host(from.size());
    thrust::copy(from.begin(), from.end(), host.begin());
    return host;
  };
  hindsight::top_k(in, k, out.begin(), by_tens{});
  EXPECT_EQ(difference(to_host(out), first_of(expected, k)), "");
  hindsight::partial_sort(items.begin(), items.begin() + k, items.end(), by_tens{});
  EXPECT_EQ(difference(first_of(to_host(items), k), first_of(expected, k)), "");
  items = in;
  hindsight::nth_element(items.begin(), items.begin() + k, items.end(), by_tens{});
  EXPECT_EQ(int(to_host(items)[k]) / 10, int(expected[k]) / 10);
}

}  // namespace hindsight_test
