// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: cudaMallocFromPoolAsync cudaFreeAsync cudaMemPoolCreate cudaMemPoolSetAttribute
// wraps: cudaHostAlloc cudaMemsetAsync cudaMemcpyAsync cudaPeekAtLastError cudaStreamSynchronize
// wraps: cudaStreamIsCapturing cudaGetDevice cudaGetDeviceCount cudaDeviceGetAttribute
// wraps: cudaFuncSetAttribute cudaLaunchKernelExC cudaStreamGetId
//
// Every call of the CUDA runtime that an algorithm makes fails once, one after the other: the
// algorithm throws, gives its memory back, and the next call is right.
#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/partition.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>
#include <thrust/unique.h>

#include "faulty_runtime.h"
#include "fresh_process.h"
#include "functors_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>
#include <new>

namespace hindsight_test {

using u32 = std::uint32_t;
using hindsight::cuda::par;
using hindsight::cuda::par_nosync;

struct ten_times {
  HINDSIGHT_HD u32 operator()(u32 i) const { return 10 * i; }
};

struct arrays {
  explicit arrays(std::size_t n) : items{random_items<u32>(n)}, data{n}, out{n}, out2{n} {}
  void reset() const {
    data.assign(items);
    out.fill_with_poison();
    out2.fill_with_poison();
  }
  std::vector<u32> all() const { return items_of(data, out, out2); }
  std::vector<u32> items;
  device_array<u32> data, out, out2;
};

/// What went wrong with `call(arrays)` when one call of the runtime after the other failed; empty
/// if nothing.
template <class Call>
std::string wrong_after_faults(const arrays& a, Call call) {
  a.reset();
  call(a);
  check(cudaDeviceSynchronize());
  const auto expected = a.all();
  constexpr int most_calls = 200;
  for (int fault = 0; fault < most_calls; ++fault) {
    const std::string where = "fault " + std::to_string(fault) + ": ";
    a.reset();
    hindsight::release_memory();  // so that slots of results have to be allocated
    bool threw = false;
    calls_until_fault = fault;
    try {
      call(a);
    } catch (const thrust::system_error& error) {
      threw = true;
      if (std::string{error.what()}.find("hindsight::") == std::string::npos)
        return where + "the message names no algorithm: " + error.what();
    } catch (const std::bad_alloc&) {
      threw = true;
    } catch (const std::exception& error) {
      return where + "another exception: " + error.what();
    }
    const bool was_injected = calls_until_fault < 0;
    calls_until_fault = -1;
    stream_is_broken = false;
    if (cudaGetLastError() != cudaSuccess) return where + "an error was left behind";
    check(cudaDeviceSynchronize());
    if (pool_arrays != 0) return where + "memory was not given back";
    if (!threw && !difference(a.all(), expected).empty()) return where + "silently wrong";
    if (!was_injected) return fault > 0 ? "" : "no call of the runtime was seen";
    if (!threw) return where + "went unnoticed";
    a.reset();
    call(a);
    check(cudaDeviceSynchronize());
    if (const auto wrong = difference(a.all(), expected); !wrong.empty())
      return where + "the next call: " + wrong;
  }
  return "more than 200 calls of the runtime";
}

template <class Call>
void expect_no_harm(const char* name, Call call) {
  for (const std::size_t n : {std::size_t{1003}, std::size_t{300007}}) {
    SCOPED_TRACE(std::string{name} + ", n " + std::to_string(n));
    const arrays a(n);
    EXPECT_EQ(wrong_after_faults(a, [&](const arrays& b) { call(par, b); }), "");
    EXPECT_EQ(wrong_after_faults(a, [&](const arrays& b) { call(par_nosync, b); }), "");
  }
}

TEST(Faults, OfCallsWithoutAValue) {
  expect_no_harm("inclusive_scan", [](const auto& policy, const arrays& a) {
    thrust::inclusive_scan(policy, a.data.begin(), a.data.end(), a.out.data());
  });
  expect_no_harm("scan_by_key", [](const auto& policy, const arrays& a) {
    thrust::inclusive_scan_by_key(policy, a.data.begin(), a.data.end(), a.data.begin(),
                                  a.out.data());
  });
  expect_no_harm("reduce_into", [](const auto& policy, const arrays& a) {
    hindsight::reduce_into(policy, a.data.begin(), a.data.end(), a.out.data());
  });
  expect_no_harm("sort", [](const auto& policy, const arrays& a) {
    thrust::sort(policy, a.data.begin(), a.data.end());
  });
  expect_no_harm("sort by a comparator", [](const auto& policy, const arrays& a) {
    thrust::stable_sort(policy, a.data.begin(), a.data.end(), by_twelve_bits{});
  });
  expect_no_harm("adjacent_difference", [](const auto& policy, const arrays& a) {
    thrust::adjacent_difference(policy, a.data.begin(), a.data.end(), a.data.begin());
  });
  expect_no_harm("reduce_segments", [](const auto& policy, const arrays& a) {
    const auto begins =
        thrust::make_transform_iterator(thrust::make_counting_iterator(u32{0}), ten_times{});
    hindsight::reduce_segments(policy, a.data.begin(), a.data.end(),
                               hindsight::by_offsets(begins, begins + 100), a.out.data(), 0u);
  });
  expect_no_harm("histograms", [](const auto& policy, const arrays& a) {
    hindsight::histogram_even(policy, a.data.begin(), a.data.end(), 100, 0u, 1u << 30,
                              a.out.data());
    const std::vector<u32> levels{0, 1000, 70000, 3000000000u};
    hindsight::histogram_range(policy, a.data.begin(), a.data.end(), levels.begin(), levels.end(),
                               a.out2.data());
  });
}

TEST(Faults, OfCallsWithAValue) {
  expect_no_harm("reduce", [](const auto& policy, const arrays& a) {
    const u32 sum = thrust::reduce(policy, a.data.begin(), a.data.end());
    check(cudaMemcpy(a.out.data(), &sum, sizeof sum, cudaMemcpyDefault));
  });
  expect_no_harm("copy_if", [](const auto& policy, const arrays& a) {
    thrust::copy_if(policy, a.data.begin(), a.data.end(), a.out.data(), is_odd{});
  });
  expect_no_harm("stable_partition", [](const auto& policy, const arrays& a) {
    thrust::stable_partition(policy, a.data.begin(), a.data.end(), is_odd{});
  });
  expect_no_harm("reduce_by_key", [](const auto& policy, const arrays& a) {
    thrust::reduce_by_key(policy, a.data.begin(), a.data.end(), a.data.begin(), a.out.data(),
                          a.out2.data());
  });
  expect_no_harm("unique", [](const auto& policy, const arrays& a) {
    thrust::unique(policy, a.data.begin(), a.data.end());
  });
  expect_no_harm("minmax_element and find", [](const auto& policy, const arrays& a) {
    const auto extrema = thrust::minmax_element(policy, a.data.begin(), a.data.end());
    const u32 places[] = {
        u32(extrema.first - a.data.begin()), u32(extrema.second - a.data.begin()),
        u32(thrust::find(policy, a.data.begin(), a.data.end(), 5u) - a.data.begin())};
    check(cudaMemcpy(a.out.data(), places, sizeof places, cudaMemcpyDefault));
  });
  expect_no_harm("run_length_encode", [](const auto& policy, const arrays& a) {
    hindsight::run_length_encode(policy, a.data.begin(), a.data.end(), a.out.data(), a.out2.data());
  });
}

// What is made once, the pool above all, fails at first and is there for the next call.
TEST(Faults, OfTheFirstCallOfAProcess) {
  for (int fault = 0; fault < 10; ++fault) {
    SCOPED_TRACE(fault);
    HINDSIGHT_EXPECT_IN_FRESH_PROCESS([fault] {
      const arrays a(300007);
      a.reset();
      calls_until_fault = fault;
      try {
        thrust::inclusive_scan(par, a.data.begin(), a.data.end(), a.out.data());
      } catch (const std::exception&) {
      }
      calls_until_fault = -1;
      for (int round = 0; round < 2; ++round) {
        thrust::inclusive_scan(par, a.data.begin(), a.data.end(), a.out.data());
        u32 sum = 0;
        for (const u32 item : a.items) sum += item;
        require(a.out.to_host().back() == sum, "the next call is wrong");
      }
    });
  }
}

}  // namespace hindsight_test
