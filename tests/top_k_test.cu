// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// top_k and DeviceTopK on the GPU, against a stable sort on the CPU. nth_element_test.cu has the
// rest.
#include <hindsight/device_topk.cuh>
#include <hindsight/top_k.h>

#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>

#include "composite_testing.h"
#include "top_k_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;

/// The k first of the keys, in outputs with room for one more, which has to stay as it was.
template <class Key, class Call>
void expect_top_k(const std::vector<Key>& keys, const std::vector<std::uint32_t>& sorted,
                  std::size_t k, Call call) {
  const std::size_t n = keys.size(), written = std::min(n, k);
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  const device_array<Key> in(keys), out(written + 1);
  const device_array<std::uint32_t> values(numbers), values_out(written + 1);
  call(in.begin(), values.begin(), out.begin(), values_out.begin());
  check(cudaDeviceSynchronize());
  const auto places = first_of(sorted, k);
  std::vector<Key> expected;
  for (const auto place : places) expected.push_back(keys[place]);
  ASSERT_EQ(difference(out.to_host(written), expected), "");
  ASSERT_EQ(values_out.to_host(written), places) << "of equal keys the first";
  ASSERT_TRUE(out.is_untouched(written) && values_out.is_untouched(written));
  ASSERT_EQ(difference(in.to_host(), keys), "") << "the input";
}

template <class Key>
struct TopK : testing::Test {};
using key_types = testing::Types<float, std::int64_t>;
TYPED_TEST_SUITE(TopK, key_types);

TYPED_TEST(TopK, OfNumbers) {
  using Key = TypeParam;
  for_each_input([](std::size_t n, shape s) {
    const auto keys = keys_of<Key>(s, n);
    const auto sorted = sorted_places(keys, order::descending);
    constexpr std::size_t ranked = hindsight::detail::radix_select_tuning::most_ranked;
    for (const std::size_t k :
         {std::size_t{1}, 100 + n % 1000, ranked - 100, ranked, ranked + 1, n / 33, n / 5, n + 5}) {
      SCOPED_TRACE(testing::Message() << "n " << n << " k " << k << " shape " << int(s));
      expect_top_k(keys, sorted, k, [&](auto in, auto values, auto out, auto to) {
        const auto ends = hindsight::top_k_by_key(par, in, in + n, values, k, out, to);
        ASSERT_TRUE(ends.first == out + std::min(n, k));
        ASSERT_TRUE(ends.second == to + std::min(n, k));
      });
    }
  });
}

/// A call in two phases, in no more memory than it asks for, and refused in less.
template <class Call>
void twice(Call call) {
  std::size_t bytes = 0;
  ASSERT_EQ(call(nullptr, bytes), cudaSuccess);
  const device_array<char> temp(bytes);
  std::size_t less = bytes > 1 ? 1 : 0;  // the memory is enough for fewer items, in any way
  if (bytes > 1) {
    ASSERT_EQ(call(temp.begin(), less), cudaErrorInvalidValue);
  }
  ASSERT_EQ(call(temp.begin(), bytes), cudaSuccess);
  ASSERT_TRUE(temp.is_untouched(bytes)) << "nothing behind the temporary memory";
}

TEST(DeviceTopK, AsCubHasIt) {
  using Key = float;
  using top = hindsight::DeviceTopK;
  const int selected = int(hindsight::detail::fewest_selected) + 7;
  for (const int n : {0, 1, 5000, 100007, selected}) {
    const auto keys = keys_of<Key>(n % 2 ? shape::few : shape::random, std::size_t(n));
    const auto down = sorted_places(keys, order::descending);
    const auto up = sorted_places(keys, order::ascending);
    for (const int k : {0, 1, 1000, 70000}) {
      SCOPED_TRACE(testing::Message() << "n " << n << " k " << k);
      expect_top_k(keys, down, std::size_t(k), [&](auto in, auto values, auto out, auto to) {
        twice([&](void* temp, std::size_t& bytes) {
          return top::MaxPairs(temp, bytes, in, out, values, to, n, k);
        });
      });
      expect_top_k(keys, up, std::size_t(k), [&](auto in, auto values, auto out, auto to) {
        twice([&](void* temp, std::size_t& bytes) {
          return top::MinPairs(temp, bytes, in, out, values, to, n, k);
        });
        twice([&](void* temp, std::size_t& bytes) {
          return top::MinKeys(temp, bytes, in, out, n, k);
        });
      });
    }
  }
  std::size_t bytes = 0;
  const Key* const none = nullptr;
  Key* const nowhere = nullptr;
  EXPECT_EQ(top::MaxKeys(nullptr, bytes, none, nowhere, -1, 1), cudaErrorInvalidValue);
  EXPECT_EQ(top::MinKeys(nullptr, bytes, none, nowhere, 1, -1), cudaErrorInvalidValue);
}

/// Twelve bytes that count, and four that tell equal keys apart.
struct entry {
  float price;
  std::uint32_t place;
  std::int64_t count;
};
struct members_of_entry {
  HINDSIGHT_HD ::cuda::std::tuple<float&, std::int64_t&> operator()(entry& key) const {
    return {key.price, key.count};
  }
};

TEST(DeviceTopK, ByTwelveBytes) {
  using top = hindsight::DeviceTopK;
  for (const int n : {0, 1, 5000, 300007}) {
    std::mt19937_64 random{29};
    std::vector<entry> keys(n);
    for (entry& key : keys) {
      key.place = std::uint32_t(&key - keys.data());
      random_member{random}(key.price);
      random_member{random}(key.count);
    }
    const auto members = [](const entry& key) { return std::pair{key.price, key.count}; };
    const auto up =
        places_in_order(keys, [&](auto& a, auto& b) { return members(a) < members(b); });
    const auto down =
        places_in_order(keys, [&](auto& a, auto& b) { return members(a) > members(b); });
    const device_array<entry> in(keys);
    for (const int k : {0, 1, 700, n, n + 5}) {
      SCOPED_TRACE(testing::Message() << "n " << n << " k " << k);
      const members_of_entry by;
      const auto written = std::size_t(std::min(n, k));
      expect_top_k(keys, down, std::size_t(k), [&](auto from, auto values, auto out, auto to) {
        twice([&](void* temp, std::size_t& bytes) {
          return top::MaxPairs(temp, bytes, from, out, values, to, n, k, by);
        });
      });
      expect_top_k(keys, up, std::size_t(k), [&](auto from, auto values, auto out, auto to) {
        check(top::MinPairs(from, out, values, to, n, k, by));
      });
      const device_array<entry> highest(written), lowest(written);
      check(top::MaxKeys(in.begin(), highest.begin(), n, k, by));
      twice([&](void* temp, std::size_t& bytes) {
        return top::MinKeys(temp, bytes, in.begin(), lowest.begin(), n, k, by);
      });
      check(cudaDeviceSynchronize());
      EXPECT_EQ(difference(highest.to_host(), gathered(keys, first_of(down, written))), "");
      EXPECT_EQ(difference(lowest.to_host(), gathered(keys, first_of(up, written))), "");
    }
  }
}

TEST(DeviceTopK, OfNumbersOf128Bits) {
  const int n = 70001, k = 1000;
  for (const auto kind : {values::of_all_bits, values::few}) {
    const auto keys = random_keys<int128>(n, kind);
    expect_top_k(keys, sorted_places(keys, order::descending), k,
                 [&](auto in, auto values, auto out, auto to) {
                   check(hindsight::DeviceTopK::MaxPairs(in, out, values, to, n, k));
                 });
  }
}

/// Bytes that can be copied, but not assigned.
struct fixed {
  const std::uint32_t number;
};

TEST(DeviceTopK, ValuesThatCannotBeAssigned) {
  const int n = 5000, k = 100;
  const auto keys = keys_of<float>(shape::few, n);
  const auto places = first_of(sorted_places(keys, order::descending), k);
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  const device_array<float> in(keys), out(k);
  const device_array<std::uint32_t> values(numbers), values_out(k);
  static_assert(sizeof(fixed) == sizeof(std::uint32_t));
  check(hindsight::DeviceTopK::MaxPairs(in.begin(), out.begin(),
                                        reinterpret_cast<const fixed*>(values.begin()),
                                        reinterpret_cast<fixed*>(values_out.begin()), n, k));
  check(cudaDeviceSynchronize());
  EXPECT_EQ(values_out.to_host(k), places);
}

TEST(TopK, OfKeysThatAreComputed) {
  for (const std::size_t n : {std::size_t{5000}, hindsight::detail::fewest_selected + 7}) {
    const auto numbers = thrust::make_counting_iterator(std::int64_t{0});
    const device_array<std::int64_t> out(100), values_out(100);
    hindsight::top_k(par, numbers, numbers + n, 100, out.begin());
    hindsight::top_k_by_key(par, numbers, numbers + n, numbers, 100, out.begin(),
                            values_out.begin(), thrust::less<std::int64_t>{});
    const auto lowest = out.to_host(100);
    EXPECT_EQ(values_out.to_host(100), lowest);
    hindsight::top_k(par, numbers, numbers + n, 100, out.begin());
    const auto highest = out.to_host(100);
    for (std::size_t i = 0; i < 100; ++i) {
      ASSERT_EQ(lowest[i], std::int64_t(i));
      ASSERT_EQ(highest[i], std::int64_t(n - 1 - i));
    }
  }
}

TEST(TopK, InAGraph) {
  const std::size_t n = hindsight::detail::fewest_selected + 7, k = 1000;
  const device_array<float> in(n), out(k);
  in.assign(keys_of<float>(shape::few, n));
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  hindsight::top_k(hindsight::cuda::par_nosync.on(stream), in.begin(), in.end(), k, out.begin());
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  for (const shape s : {shape::random, shape::narrow}) {
    const auto keys = keys_of<float>(s, n);
    in.assign(keys);
    out.fill_with_poison();
    check(cudaGraphLaunch(exec, stream));
    check(cudaStreamSynchronize(stream));
    EXPECT_EQ(difference(out.to_host(), first_of(sorted_on_cpu(keys, order::descending), k)), "");
  }
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

TEST(TopK, InAWorkspace) {
  const device_array<char> room(std::size_t{1} << 25);
  hindsight::workspace workspace{room.begin(), room.size()};
  for (const std::size_t n : {std::size_t{200003}, hindsight::detail::fewest_selected + 7}) {
    const std::size_t k = 500;
    const auto keys = keys_of<float>(shape::random, n);
    const device_array<float> in(keys), out(k);
    hindsight::top_k(par(workspace), in.begin(), in.end(), k, out.begin());
    EXPECT_EQ(difference(out.to_host(), first_of(sorted_on_cpu(keys, order::descending), k)), "")
        << n;
  }
}

}  // namespace hindsight_test
