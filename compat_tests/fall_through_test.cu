// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not ours runs on stock Thrust, in the policy's stream and with its allocator, on both
// systems of one program. Some of these algorithms are ours by now: they give stock's results.
#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/reverse.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include "../tests/gpu_testing.h"
#include <boost/test/unit_test.hpp>

namespace fall_through_test {

using namespace hindsight_test;
using u32 = std::uint32_t;
using list = std::vector<u32>;

/// Two sorted lists, a shuffled one with repetitions, indices into them; managed memory, which both
/// systems can reach.
struct data {
  static constexpr std::size_t n = 50021;  // prime
  u32 *sorted, *other, *mixed, *indices, *out;

  data() {
    for (u32** array : {&sorted, &other, &mixed, &indices, &out}) {
      check(cudaMallocManaged(array, 2 * n * sizeof(u32)));
    }
    for (std::size_t i = 0; i < n; ++i) {
      sorted[i] = u32(3 * i / 2);
      other[i] = u32(2 * i);
      mixed[i] = u32(i * 7919 % n) / 5;
      indices[i] = u32(i * 104729 % n);
    }
    for (std::size_t i = 0; i < 2 * n; ++i) out[i] = 0xabababab;
  }
  ~data() {
    for (u32* array : {sorted, other, mixed, indices, out}) cudaFree(array);
  }
};

struct triple {
  HINDSIGHT_HD u32 operator()(u32 x) const { return 3 * x; }
};
struct add_one {
  HINDSIGHT_HD void operator()(u32& x) const { ++x; }
};

/// All that the algorithms produce, one list each.
template <class Policy>
std::vector<list> run_all(const Policy& policy) {
  constexpr std::size_t n = data::n;
  std::vector<list> results;
  const auto run = [&](auto call) {
    data d;
    u32* const end = call(d);
    check(cudaDeviceSynchronize());
    results.emplace_back(d.out, end);
    results.emplace_back(d.mixed, d.mixed + n);
  };
  run([&](data& d) { return thrust::transform(policy, d.mixed, d.mixed + n, d.out, triple{}); });
  run([&](data& d) { return thrust::for_each(policy, d.mixed, d.mixed + n, add_one{}), d.out; });
  run([&](data& d) { return thrust::gather(policy, d.indices, d.indices + n, d.mixed, d.out); });
  run([&](data& d) {
    return thrust::merge(policy, d.sorted, d.sorted + n, d.other, d.other + n, d.out);
  });
  run([&](data& d) {
    return thrust::set_union(policy, d.sorted, d.sorted + n, d.other, d.other + n, d.out);
  });
  run([&](data& d) { return thrust::unique(policy, d.mixed, d.mixed + n), d.out; });
  run([&](data& d) { return thrust::unique_copy(policy, d.sorted, d.sorted + n, d.out); });
  run([&](data& d) {
    return d.out[0] = u32(thrust::min_element(policy, d.mixed + 9, d.mixed + n) - d.mixed),
           d.out + 1;
  });
  run([&](data& d) {
    return d.out[0] = u32(thrust::max_element(policy, d.mixed, d.mixed + n) - d.mixed), d.out + 1;
  });
  run([&](data& d) { return thrust::adjacent_difference(policy, d.mixed, d.mixed + n, d.out); });
  run([&](data& d) {
    return thrust::lower_bound(policy, d.sorted, d.sorted + n, d.mixed, d.mixed + n, d.out);
  });
  run([&](data& d) { return thrust::reverse_copy(policy, d.mixed, d.mixed + n, d.out); });
  run([&](data& d) { return thrust::sequence(policy, d.mixed, d.mixed + n, 5u), d.out; });
  run([&](data& d) {
    return d.out[0] = thrust::all_of(policy, d.mixed, d.mixed + n, is_odd{}), d.out + 1;
  });
  return results;
}

void expect_same(const std::vector<list>& actual, const std::vector<list>& expected) {
  BOOST_TEST_REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    BOOST_TEST_CONTEXT("result " << i) {
      BOOST_TEST(difference(actual[i], expected[i]) == "");
    }
  }
}

const std::vector<list>& stock_results() {
  static const auto results = run_all(thrust::cuda::par);
  return results;
}

BOOST_AUTO_TEST_CASE(on_the_gpu) {
  expect_same(run_all(hindsight::cuda::par), stock_results());
  expect_same(run_all(hindsight::par), stock_results());
}

BOOST_AUTO_TEST_CASE(on_the_gpu_without_waiting_in_a_stream) {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  expect_same(run_all(hindsight::cuda::par_nosync.on(stream)), stock_results());
  check(cudaStreamDestroy(stream));
}

BOOST_AUTO_TEST_CASE(on_the_gpu_with_a_workspace) {
  const device_array<char> buffer(std::size_t{8} << 20);
  hindsight::workspace space{buffer.data(), buffer.size()};
  expect_same(run_all(hindsight::cuda::par(space)), stock_results());
}

BOOST_AUTO_TEST_CASE(on_host_threads) {
  expect_same(run_all(hindsight::host::par), stock_results());
}

}  // namespace fall_through_test
