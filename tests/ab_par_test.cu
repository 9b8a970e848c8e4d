// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A/B runs on the GPU: stock's results and bits for the caller, in his stream; differences and
// errors of our side in the report. Ours is made wrong here by a policy that spoils what it wrote.
#include <hindsight/ab.h>

#include <thrust/device_ptr.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>

#include "ab_par_testing.h"
#include "functors_testing.h"
#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>

namespace hindsight_test {

using hindsight::ab_report;
using hindsight::ab_row;
using hindsight::cuda::ab_par;
using u32 = std::uint32_t;

constexpr std::size_t n = 100003;  // prime; several tiles of every kernel

/// Device memory that one call works on.
struct memory {
  device_array<u32> in{random_items<u32>(n)}, runs{items_in_runs<u32>(n, runs::random)};
  device_array<u32> stencil{random_items<u32>(n, 9)}, out{n}, out2{n};

  std::vector<std::vector<u32>> content() const {
    return {in.to_host(), runs.to_host(), stencil.to_host(), out.to_host(), out2.to_host()};
  }
};

/// What `call(policy, memory)` returns and leaves in memory.
template <class Policy, class Call>
std::pair<long long, std::vector<std::vector<u32>>> run(const Policy& policy, Call call) {
  const memory m;
  check(cudaDeviceSynchronize());  // what fills it is not in the policy's stream
  const auto value = static_cast<long long>(call(policy, m));
  check(cudaDeviceSynchronize());
  return {value, m.content()};
}

/// Stock's results with A/B, in both orders of the sides, and a row without a blemish.
template <class Call>
void expect_same(const char* algorithm, Call call) {
  SCOPED_TRACE(algorithm);
  const own_stream own;
  const auto expected = run(thrust::cuda::par, call);
  ab_report().clear();
  EXPECT_TRUE(run(ab_par, call) == expected);
  EXPECT_TRUE(run(ab_par.on(own), call) == expected);
  expect_row_without_blemish(algorithm, 2, n);
}

TEST(AbPar, Values) {
  expect_same("reduce",
              [](auto& p, auto& m) { return thrust::reduce(p, m.in.begin(), m.in.end()); });
  expect_same("transform_reduce", [](auto& p, auto& m) {
    return thrust::transform_reduce(p, m.in.begin(), m.in.end(), twice{}, 3u, thrust::plus<u32>{});
  });
  expect_same("inner_product", [](auto& p, auto& m) {
    return thrust::inner_product(p, m.in.begin(), m.in.end(), m.stencil.begin(), 3u);
  });
  expect_same("count_if", [](auto& p, auto& m) {
    return thrust::count_if(p, m.in.begin(), m.in.end(), is_odd_number{});
  });
}

TEST(AbPar, FloatReduceHasStocksBits) {
  const device_array<float> in{rough_items<float>(n)};
  ab_report().clear();
  const float expected = thrust::reduce(thrust::cuda::par, in.begin(), in.end());
  EXPECT_EQ(thrust::reduce(ab_par, in.begin(), in.end()), expected);
  EXPECT_EQ(only_row().differing, 0u);
}

TEST(AbPar, Scans) {
  expect_same("inclusive_scan", [](auto& p, auto& m) {
    return thrust::inclusive_scan(p, m.in.begin(), m.in.end(), m.out.begin()) - m.out.begin();
  });
  expect_same("exclusive_scan", [](auto& p, auto& m) {  // in place
    return thrust::exclusive_scan(p, m.in.begin(), m.in.end(), m.in.begin(), 3u) - m.in.begin();
  });
  expect_same("transform_inclusive_scan", [](auto& p, auto& m) {  // in place
    return thrust::transform_inclusive_scan(p, m.in.begin(), m.in.end(), m.in.begin(), twice{},
                                            thrust::plus<u32>{}) -
           m.in.begin();
  });
  expect_same("exclusive_scan_by_key", [](auto& p, auto& m) {
    return thrust::exclusive_scan_by_key(p, m.runs.begin(), m.runs.end(), m.in.begin(),
                                         m.in.begin()) -
           m.in.begin();
  });
}

TEST(AbPar, SelectionsAndPartitions) {
  expect_same("copy_if", [](auto& p, auto& m) {
    return thrust::copy_if(p, m.in.begin(), m.in.end(), m.out.begin(), is_odd_number{}) -
           m.out.begin();
  });
  expect_same("copy_if", [](auto& p, auto& m) {
    return thrust::copy_if(p, m.in.begin(), m.in.end(), m.stencil.begin(), m.out.begin(),
                           is_odd_number{}) -
           m.out.begin();
  });
  expect_same("remove_if", [](auto& p, auto& m) {
    u32* const end = thrust::remove_if(p, m.in.begin(), m.in.end(), is_odd_number{});
    check(cudaMemset(end, 0, (m.in.end() - end) * sizeof(u32)));  // unspecified
    return end - m.in.begin();
  });
  expect_same("partition", [](auto& p, auto& m) {
    return thrust::partition(p, m.in.begin(), m.in.end(), is_odd_number{}) - m.in.begin();
  });
  expect_same("stable_partition", [](auto& p, auto& m) {
    return thrust::stable_partition(p, m.in.begin(), m.in.end(), m.stencil.begin(),
                                    is_odd_number{}) -
           m.in.begin();
  });
  expect_same("partition_copy", [](auto& p, auto& m) {
    const auto ends = thrust::partition_copy(p, m.in.begin(), m.in.end(), m.out.begin(),
                                             m.out2.begin(), is_odd_number{});
    return (ends.first - m.out.begin()) * 1000000 + (ends.second - m.out2.begin());
  });
}

TEST(AbPar, RunsAndSorts) {
  expect_same("reduce_by_key", [](auto& p, auto& m) {
    const auto ends = thrust::reduce_by_key(p, m.runs.begin(), m.runs.end(), m.in.begin(),
                                            m.out.begin(), m.out2.begin());
    return (ends.first - m.out.begin()) * 1000000 + (ends.second - m.out2.begin());
  });
  expect_same("run_length_encode", [](auto& p, auto& m) {
    const auto ends = hindsight::run_length_encode(p, m.runs.begin(), m.runs.end(), m.out.begin(),
                                                   m.out2.begin());
    return (ends.first - m.out.begin()) * 1000000 + (ends.second - m.out2.begin());
  });
  expect_same("sort", [](auto& p, auto& m) {
    thrust::sort(p, m.in.begin(), m.in.end());
    return 0;
  });
  expect_same("stable_sort_by_key", [](auto& p, auto& m) {
    const auto values = thrust::make_zip_iterator(m.runs.begin(), m.stencil.begin());
    thrust::stable_sort_by_key(p, m.in.begin(), m.in.end(), values, thrust::greater<u32>{});
    return 0;
  });
  expect_same("histogram_even", [](auto& p, auto& m) {
    return hindsight::histogram_even(p, m.in.begin(), m.in.end(), 100, 0u, 4000000000u,
                                     m.out.begin()) -
           m.out.begin();
  });
  expect_same("histogram_range", [](auto& p, auto& m) {
    const device_array<u32> levels{std::vector<u32>{0, 1000, 70000, 3000000000u}};
    return hindsight::histogram_range(p, m.in.begin(), m.in.end(), levels.begin(), levels.end(),
                                      m.out.begin()) -
           m.out.begin();
  });
}

TEST(AbPar, DevicePointersAndNothingAtAll) {
  const memory m;
  ab_report().clear();
  const auto first = thrust::device_pointer_cast(m.in.begin());
  EXPECT_EQ(thrust::reduce(ab_par, first, first), 0u);
  thrust::sort(ab_par, first, first);
  EXPECT_TRUE(thrust::copy_if(ab_par, first, first, first, is_odd_number{}) == first);
  thrust::sort(ab_par.named("all"), first, first + n);
  auto sorted = random_items<u32>(n);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(difference(m.in.to_host(), sorted), "");
  EXPECT_EQ(ab_report().rows().size(), 4u);
  for (const ab_row& row : ab_report().rows()) {
    EXPECT_EQ(row.calls, 1u);
    EXPECT_EQ(row.differing + row.not_compared + row.errors, 0u) << row.name;
  }
}

/// Ours, but item 17 of what it writes is wrong; sort fails in the middle of what it writes.
struct faulty : hindsight::cuda::execution_policy<faulty> {};

void spoil(u32* item) {
  u32 value;
  check(cudaMemcpy(&value, item, sizeof value, cudaMemcpyDefault));
  ++value;
  check(cudaMemcpy(item, &value, sizeof value, cudaMemcpyDefault));
}
template <class It, class Out>
Out inclusive_scan(faulty&, It first, It last, Out out) {
  const Out end = thrust::inclusive_scan(hindsight::cuda::par, first, last, out);
  spoil(out + 17);
  return end;
}
template <class It, class Pred>
It stable_partition(faulty&, It first, It last, Pred pred) {
  const It border = thrust::stable_partition(hindsight::cuda::par, first, last, pred);
  spoil(last - 1);
  return border;
}
template <class It>
void sort(faulty&, It first, It) {
  spoil(first);
  throw std::runtime_error("no luck");
}

TEST(AbPar, SaysWhereOurSideDiffersAndKeepsStocksBits) {
  const auto policy = hindsight::ab(thrust::cuda::par, faulty{});
  const auto scan = [](auto& p, auto& m) {
    return thrust::inclusive_scan(p, m.in.begin(), m.in.end(), m.in.begin()) - m.in.begin();
  };
  const auto split = [](auto& p, auto& m) {
    return thrust::stable_partition(p, m.in.begin(), m.in.end(), is_odd_number{}) - m.in.begin();
  };
  ab_report().clear();
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_TRUE(run(policy, scan) == run(thrust::cuda::par, scan));
    EXPECT_TRUE(run(policy, split) == run(thrust::cuda::par, split));
  }
  const auto rows = ab_report().rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].differing, 2u);
  EXPECT_EQ(rows[0].first_difference, "out[17] in call 1");
  EXPECT_EQ(rows[1].differing, 2u);
  EXPECT_EQ(rows[1].first_difference, "items[" + std::to_string(n - 1) + "] in call 1");
}

TEST(AbPar, OurExceptionsStayInTheReport) {
  const auto policy = hindsight::ab(thrust::cuda::par, faulty{});
  const auto sort = [](auto& p, auto& m) {
    thrust::sort(p, m.in.begin(), m.in.end());
    return 0;
  };
  ab_report().clear();
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_TRUE(run(policy, sort) == run(thrust::cuda::par, sort));
  }
  EXPECT_EQ(only_row().errors, 2u);
  EXPECT_EQ(only_row().first_error, "no luck");
}

TEST(AbPar, OutputsThatCannotBeComparedAreStocks) {
  const memory m;
  ab_report().clear();
  const thrust::discard_iterator<> nowhere;
  const auto count =
      thrust::copy_if(ab_par, m.in.begin(), m.in.end(), nowhere, is_odd_number{}) - nowhere;
  EXPECT_EQ(count, thrust::count_if(thrust::cuda::par, m.in.begin(), m.in.end(), is_odd_number{}));
  EXPECT_EQ(only_row().not_compared, 1u);
  EXPECT_EQ(only_row().our_ms, 0);
}

TEST(AbPar, WhatIsNotOursRunsInTheStreamUnrecorded) {
  const own_stream own;
  const memory m;
  check(cudaDeviceSynchronize());
  ab_report().clear();
  check(cudaMemcpyAsync(m.stencil.data(), m.in.data(), n * sizeof(u32), cudaMemcpyDefault, own));
  thrust::transform(ab_par.on(own), m.stencil.begin(), m.stencil.end(), m.out.begin(), twice{});
  EXPECT_EQ(cudaStreamQuery(own), cudaSuccess);
  auto expected = random_items<u32>(n);
  for (u32& item : expected) item *= 2;
  EXPECT_EQ(difference(m.out.to_host(), expected), "");
  EXPECT_TRUE(ab_report().rows().empty());
}

TEST(AbPar, AnyPairOfPolicies) {
  const device_array<char> buffer(std::size_t{8} << 20);
  hindsight::workspace space{buffer.data(), buffer.size()};
  const own_stream own;
  const auto policy =
      hindsight::ab(thrust::cuda::par_nosync.on(own), hindsight::cuda::par_nosync(space).on(own));
  const auto sort = [](auto& p, auto& m) {
    thrust::sort(p, m.in.begin(), m.in.end());
    return 0;
  };
  ab_report().clear();
  EXPECT_TRUE(run(policy, sort) == run(thrust::cuda::par, sort));
  EXPECT_EQ(only_row().errors, 0u) << only_row().first_error;
  EXPECT_EQ(only_row().differing, 0u);
}

__global__ void sort_in_a_kernel(u32* items, std::size_t num_items, u32* sum) {
  thrust::sort(ab_par, items, items + num_items);
  *sum = thrust::reduce(ab_par.named("sum"), items, items + num_items);
}

TEST(AbPar, InAKernelIsSequential) {
  constexpr std::size_t few = 100;
  const device_array<u32> items{random_items<u32>(few)}, sum(1);
  ab_report().clear();
  sort_in_a_kernel<<<1, 1>>>(items.data(), few, sum.data());
  check(cudaDeviceSynchronize());
  auto expected = random_items<u32>(few);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(difference(items.to_host(), expected), "");
  u32 total = 0;
  for (const u32 item : expected) total += item;
  EXPECT_EQ(sum.to_host()[0], total);
  EXPECT_TRUE(ab_report().rows().empty());
}

}  // namespace hindsight_test
