// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is refused, with what message, that nothing is written then, and that the next call works.
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/hindsight.h>

#include <cuda/std/utility>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/system_error.h>

#include "gpu_testing.h"
#include <gtest/gtest.h>
#include <new>
#include <numeric>

namespace hindsight_test {

using u32 = std::uint32_t;
const auto& par = hindsight::cuda::par;

/// What `call` throws, which must be an Error.
template <class Error = hindsight::invalid_call, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no exception";
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Errors : testing::Test {
  static constexpr std::size_t n = 100003;
  const std::vector<u32> items = random_items<u32>(n);
  const device_array<u32> in{items}, out{n}, out2{n};

  template <class Call>
  void expect_refused(const char* algorithm, const char* reason, Call call) {
    SCOPED_TRACE(algorithm);
    const std::string message = message_of(call);
    EXPECT_TRUE(contains(message, algorithm)) << message;
    EXPECT_TRUE(contains(message, reason)) << message;
    expect_untouched();
  }
  void expect_untouched() {
    EXPECT_EQ(difference(in.to_host(), items), "");
    EXPECT_TRUE(out.is_untouched());
    EXPECT_TRUE(out2.is_untouched());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(thrust::reduce(par, in.begin(), in.end()),
              std::accumulate(items.begin(), items.end(), 0u))
        << "the next call";
  }
};

TEST_F(Errors, ReversedRangesAreRefused) {
  const auto reason = "last comes before first";
  u32* const first = in.end();
  u32* const last = in.begin();
  expect_refused("reduce", reason, [&] { thrust::reduce(par, first, last); });
  expect_refused("reduce_into", reason,
                 [&] { hindsight::reduce_into(par, first, last, out.data()); });
  expect_refused("count_if", reason, [&] { thrust::count_if(par, first, last, is_odd{}); });
  expect_refused("inclusive_scan", reason,
                 [&] { thrust::inclusive_scan(par, first, last, out.data()); });
  expect_refused("exclusive_scan", reason,
                 [&] { thrust::exclusive_scan(par, first, last, out.data()); });
  expect_refused("copy_if", reason,
                 [&] { thrust::copy_if(par, first, last, out.data(), is_odd{}); });
  expect_refused("remove_if", reason, [&] { thrust::remove_if(par, first, last, is_odd{}); });
  expect_refused("partition", reason, [&] { thrust::partition(par, first, last, is_odd{}); });
  expect_refused("stable_partition", reason,
                 [&] { thrust::stable_partition(par, first, last, is_odd{}); });
  expect_refused("partition_copy", reason, [&] {
    thrust::partition_copy(par, first, last, out.data(), out2.data(), is_odd{});
  });
  expect_refused("reduce_by_key", reason, [&] {
    thrust::reduce_by_key(par, first, last, in.data(), out.data(), out2.data());
  });
  expect_refused("inclusive_scan_by_key", reason,
                 [&] { thrust::inclusive_scan_by_key(par, first, last, in.data(), out.data()); });
  expect_refused("exclusive_scan_by_key", reason,
                 [&] { thrust::exclusive_scan_by_key(par, first, last, in.data(), out.data()); });
  expect_refused("run_length_encode", reason,
                 [&] { hindsight::run_length_encode(par, first, last, out.data(), out2.data()); });
  expect_refused("sort", reason, [&] { thrust::sort(par, first, last); });
  expect_refused("sort_by_key", reason, [&] { thrust::sort_by_key(par, first, last, out.data()); });
  expect_refused("histogram_even", reason,
                 [&] { hindsight::histogram_even(par, first, last, 4, 0, 4, out.data()); });
}

TEST_F(Errors, BinsThatAreNoneAreRefused) {
  const auto even = [&](int num_bins, auto lower, auto upper) {
    return [=, this_ = this] {
      hindsight::histogram_even(par, this_->in.begin(), this_->in.end(), num_bins, lower, upper,
                                this_->out.data());
    };
  };
  expect_refused("histogram_even", "at least one bin", even(0, 0, 10));
  expect_refused("histogram_even", "at least one bin", even(-3, 0, 10));
  expect_refused("histogram_even", "less than", even(4, 10, 10));
  expect_refused("histogram_even", "less than", even(4, 10, 3));
  expect_refused("histogram_even", "NaN", even(4, NAN, 1.0f));
  expect_refused("histogram_even", "NaN", even(4, 0.0, double(NAN)));
  expect_refused("histogram_even", "infinite", even(4, 0.0, double(INFINITY)));

  const auto range = [&](std::vector<float> levels) {
    return [=, this_ = this] {
      hindsight::histogram_range(par, this_->in.begin(), this_->in.end(), levels.begin(),
                                 levels.end(), this_->out.data());
    };
  };
  expect_refused("histogram_range", "at least one bin", range({}));
  expect_refused("histogram_range", "at least one bin", range({1}));
  expect_refused("histogram_range", "NaN", range({1, 2, NAN, 3}));
  expect_refused("histogram_range", "less than the one before", range({1, 2, 1.5f, 3}));
}

TEST_F(Errors, TheFacadeReturnsInvalidValueForTooLittleRoom) {
  const device_array<int> count(1);
  const device_array<char> temp(std::size_t{16} << 20);
  const auto expect_refusal = [&](const char* name, auto call) {
    SCOPED_TRACE(name);
    std::size_t bytes = 0;
    ASSERT_EQ(call(nullptr, bytes, int(n)), cudaSuccess);
    ASSERT_GT(bytes, 0u);
    ASSERT_LE(bytes, temp.size());
    if (bytes > 1) {
      std::size_t fewer = bytes - 1;
      EXPECT_EQ(call(temp.data(), fewer, int(n)), cudaErrorInvalidValue);
    }
    EXPECT_EQ(call(temp.data(), bytes, -1), cudaErrorInvalidValue) << "a negative number of items";
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_TRUE(count.is_untouched());
    expect_untouched();
  };
  using hindsight::DeviceRadixSort;
  expect_refusal("Sum", [&](void* t, std::size_t& b, int items) {
    return hindsight::DeviceReduce::Sum(t, b, in.data(), out.data(), items);
  });
  expect_refusal("ReduceByKey", [&](void* t, std::size_t& b, int items) {
    return hindsight::DeviceReduce::ReduceByKey(t, b, in.data(), out.data(), in.data(), out2.data(),
                                                count.data(), thrust::plus<>{}, items);
  });
  expect_refusal("InclusiveSum", [&](void* t, std::size_t& b, int items) {
    return hindsight::DeviceScan::InclusiveSum(t, b, in.data(), out.data(), items);
  });
  expect_refusal("Select", [&](void* t, std::size_t& b, int items) {
    return hindsight::DeviceSelect::If(t, b, in.data(), out.data(), count.data(), items, is_odd{});
  });
  expect_refusal("Partition", [&](void* t, std::size_t& b, int items) {
    return hindsight::DevicePartition::If(t, b, in.data(), out.data(), count.data(), items,
                                          is_odd{});
  });
  expect_refusal("Encode", [&](void* t, std::size_t& b, int items) {
    return hindsight::DeviceRunLengthEncode::Encode(t, b, in.data(), out.data(), out2.data(),
                                                    count.data(), items);
  });
  expect_refusal("SortKeys", [&](void* t, std::size_t& b, int items) {
    return DeviceRadixSort::SortKeys(t, b, in.data(), out.data(), items);
  });
  expect_refusal("SortPairs", [&](void* t, std::size_t& b, int items) {
    return DeviceRadixSort::SortPairs(t, b, in.data(), out.data(), in.data(), out2.data(), items);
  });
  expect_refusal("HistogramEven", [&](void* t, std::size_t& b, int items) {
    return hindsight::DeviceHistogram::HistogramEven(t, b, in.data(), out.data(), 100001, 0u,
                                                     1u << 31, items);
  });

  std::size_t bytes = 0;
  EXPECT_EQ(DeviceRadixSort::SortKeys(nullptr, bytes, in.data(), out.data(), n, 5, 33),
            cudaErrorInvalidValue);
  EXPECT_EQ(DeviceRadixSort::SortKeys(nullptr, bytes, in.data(), out.data(), n, -1, 3),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      hindsight::DeviceHistogram::HistogramEven(nullptr, bytes, in.data(), out.data(), 1, 0, 9, n),
      cudaErrorInvalidValue);
  EXPECT_EQ(hindsight::DeviceHistogram::HistogramEven(nullptr, bytes, in.data(), out.data(), 5, NAN,
                                                      9.0f, n),
            cudaErrorInvalidValue);
}

struct empty_handed_allocator {
  using value_type = char;
  char* allocate(std::ptrdiff_t) { throw std::bad_alloc{}; }
  void deallocate(char*, std::size_t) {}
};

TEST_F(Errors, OutOfMemoryIsBadAlloc) {
  empty_handed_allocator none;
  message_of<std::bad_alloc>([&] { thrust::sort(par(none), in.begin(), in.end()); });
  expect_untouched();
  message_of<std::bad_alloc>(
      [&] { thrust::inclusive_scan(par(none), in.begin(), in.end(), out.data()); });
  expect_untouched();

  // More than any GPU has: refused before the range, which is not there, is read.
  const std::size_t too_many = std::size_t{1} << 41;
  const auto keys = reinterpret_cast<std::uint16_t*>(in.data());  // bytes need no room
  const std::string message =
      message_of<std::bad_alloc>([&] { thrust::sort(par, keys, keys + too_many); });
  EXPECT_TRUE(contains(message, "memory")) << message;
  expect_untouched();
}

// The legacy stream may not be used while a stream that waits for it is captured: that is as good
// a CUDA failure as any.
TEST_F(Errors, FailuresOfCudaNameTheAlgorithm) {
  thrust::inclusive_scan(par, in.begin(), in.end(), out2.data());  // loads the kernel
  out2.fill_with_poison();
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  const std::string message = message_of<thrust::system_error>(
      [&] { thrust::inclusive_scan(par, in.begin(), in.end(), out.data()); });
  EXPECT_TRUE(contains(message, "inclusive_scan")) << message;
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  if (graph) cudaGraphDestroy(graph);
  cudaGetLastError();
  check(cudaStreamDestroy(stream));
  expect_untouched();
}

// Calls that copy items before they sort them look before the first copy, too.
TEST_F(Errors, OlderErrorsAreRefusedBeforeAnythingIsLaunched) {
  const auto expect_older = [&](const char* algorithm, auto call) {
    SCOPED_TRACE(algorithm);
    EXPECT_NE(cudaSetDevice(-1), cudaSuccess);
    const std::string message = message_of<thrust::system_error>(call);
    EXPECT_TRUE(contains(message, algorithm)) << message;
    EXPECT_TRUE(contains(message, "was not cleared")) << message;
    expect_untouched();
  };
  const auto last = thrust::make_reverse_iterator(in.begin());
  const auto first = thrust::make_reverse_iterator(in.end());
  using pair = ::cuda::std::pair<u32, u32>;
  const auto pairs = reinterpret_cast<pair*>(in.data());
  const std::vector<u32> levels{0, 5, 10};
  expect_older("sort", [&] { thrust::sort(par, in.begin(), in.end()); });
  expect_older("sort", [&] { thrust::sort(par, first, last); });
  expect_older("sort", [&] { thrust::sort(par, pairs, pairs + n / 2); });
  expect_older("sort_by_key", [&] { thrust::sort_by_key(par, out.begin(), out.end(), first); });
  expect_older("top_k", [&] { hindsight::top_k(par, first, last, 5, out.data()); });
  expect_older("histogram_range", [&] {
    hindsight::histogram_range(par, in.begin(), in.end(), levels.begin(), levels.end(), out.data());
  });
}

}  // namespace hindsight_test
