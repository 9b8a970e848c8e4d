// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that start early wait for what came before. A kernel of the caller lets the next launch
// start at once, and only then, late, writes the input or reads what a call overwrites. And a chain
// of calls over the same memory has the results of calls one by one.
#include <hindsight/adjacent_difference.h>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_segmented_reduce.cuh>
#include <hindsight/device_topk.cuh>
#include <hindsight/image.h>
#include <hindsight/reduce_by_key.h>
#include <hindsight/scan.h>
#include <hindsight/scan_by_key.h>
#include <hindsight/sort.h>
#include <hindsight/sort_segments.h>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "gpu_testing.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace hindsight_test {
namespace {

using items = device_array<std::uint32_t>;

/// Sixteen numbers, added one by one: sums of tiles come first.
struct wide {
  std::uint32_t words[16];
};
struct add {
  HINDSIGHT_HD wide operator()(const wide& a, const wide& b) const {
    wide sum;
    for (int w = 0; w < 16; ++w) sum.words[w] = a.words[w] + b.words[w];
    return sum;
  }
};
/// An order that is not taken for less<>.
struct by_mixed_bits {
  HINDSIGHT_HD bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a * 2654435761u < b * 2654435761u;
  }
};

/// to = from, late: the next launch may start before.
__global__ void copy_late(const std::uint32_t* from, std::uint32_t* to, std::size_t n) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  const long long begin = clock64();
  while (clock64() - begin < 100'000) continue;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    to[i] = from[i];
}

/// One call that reads `in` and writes `out`, both [n], on a stream; it waits for nothing.
struct call {
  std::string name;
  std::size_t n;
  std::function<void(const items& in, const items& out, cudaStream_t)> run;
};

/// f(policy, first, last, out) for a policy that does not wait.
template <class F>
call on_range(std::string name, std::size_t n, F f) {
  return {std::move(name), n, [f](const items& in, const items& out, cudaStream_t stream) {
            f(hindsight::cuda::par_nosync.on(stream), in.data(), in.data() + in.size(), out.data());
          }};
}
/// f(temp, bytes, in, out, n, stream) in CUB's shape.
template <class F>
call in_cubs_shape(std::string name, std::size_t n, F f) {
  return {std::move(name), n, [f](const items& in, const items& out, cudaStream_t stream) {
            std::size_t bytes = 0;
            check(f(static_cast<void*>(nullptr), bytes, in.data(), out.data(), in.size(), stream));
            void* temp = nullptr;
            check(cudaMallocAsync(&temp, bytes, stream));
            check(f(temp, bytes, in.data(), out.data(), in.size(), stream));
            check(cudaFreeAsync(temp, stream));
          }};
}

/// Calls of several kernels, by every way that a number of items takes.
std::vector<call> calls() {
  const auto copy = [](auto policy, auto first, auto last, auto out) {
    const cudaStream_t stream = thrust::cuda_cub::stream(policy);
    check(cudaMemcpyAsync(out, first, (last - first) * sizeof *first, cudaMemcpyDefault, stream));
    return out + (last - first);
  };
  const auto as_wide = [](auto* words) { return reinterpret_cast<wide*>(words); };
  std::vector<call> all;
  for (const std::size_t n : {100, 40'001, 1'200'003, 2'500'001}) {
    all.push_back(
        on_range("adjacent_difference", n, [](auto policy, auto first, auto last, auto out) {
          hindsight::adjacent_difference(policy, first, last, out);
        }));
    all.push_back(in_cubs_shape("SortKeys", n,
                                [](void* temp, std::size_t& bytes, auto in, auto out,
                                   std::size_t size, cudaStream_t stream) {
                                  return hindsight::DeviceRadixSort::SortKeys(temp, bytes, in, out,
                                                                              size, 0, 32, stream);
                                }));
    all.push_back(in_cubs_shape("SortKeys of 8 bytes", n / 2 * 2,
                                [](void* temp, std::size_t& bytes, auto in, auto out,
                                   std::size_t size, cudaStream_t stream) {
                                  return hindsight::DeviceRadixSort::SortKeys(
                                      temp, bytes, reinterpret_cast<const std::uint64_t*>(in),
                                      reinterpret_cast<std::uint64_t*>(out), size / 2, 0, 64,
                                      stream);
                                }));
    all.push_back(
        on_range("sort by a comparator", n, [=](auto policy, auto first, auto last, auto out) {
          hindsight::sort(policy, out, copy(policy, first, last, out), by_mixed_bits{});
        }));
    all.push_back(on_range("inclusive_scan of wide items", n / 16 * 16,
                           [=](auto policy, auto first, auto last, auto out) {
                             hindsight::inclusive_scan(policy, as_wide(first), as_wide(last),
                                                       as_wide(out), add{});
                           }));
    all.push_back(on_range("inclusive_scan of wide items, in place", n / 16 * 16,
                           [=](auto policy, auto first, auto last, auto out) {
                             copy(policy, first, last, out);
                             hindsight::inclusive_scan(policy, as_wide(out),
                                                       as_wide(out) + (last - first) / 16,
                                                       as_wide(out), add{});
                           }));
    all.push_back(on_range("summed_area_table", n / 500 * 500,
                           [](auto policy, auto first, auto last, auto out) {
                             const std::size_t height = (last - first) / 500;
                             if (height > 0)
                               hindsight::summed_area_table(policy, first, out, 500, height, 500);
                           }));
    all.push_back(in_cubs_shape("DeviceTopK", n,
                                [](void* temp, std::size_t& bytes, auto in, auto out,
                                   std::size_t size, cudaStream_t stream) {
                                  return hindsight::DeviceTopK::MaxKeys(temp, bytes, in, out, size,
                                                                        size / 7, stream);
                                }));
  }
  // a sample sort
  all.push_back(on_range(
      "sort by a comparator", 9'000'000, [=](auto policy, auto first, auto last, auto out) {
        hindsight::sort(policy, out, copy(policy, first, last, out), by_mixed_bits{});
      }));
  return all;
}

TEST(EarlyLaunch, InputThatIsWrittenLate) {
  const own_stream stream;
  for (const call& one : calls()) {
    SCOPED_TRACE(testing::Message() << one.name << ", n = " << one.n);
    const auto numbers = random_items<std::uint32_t>(one.n);
    const items source(numbers), in(one.n), expected(one.n), out(one.n);
    one.run(source, expected, stream);
    stream.wait();
    for (int i = 0; i < 3; ++i) {
      in.fill(i);
      copy_late<<<40, 256, 0, stream>>>(source.data(), in.data(), one.n);
      one.run(in, out, stream);
      stream.wait();
      ASSERT_EQ(difference(out.to_host(), expected.to_host()), "");
    }
  }
}

TEST(EarlyLaunch, OutputThatIsReadLate) {
  const own_stream stream;
  for (const call& one : calls()) {
    SCOPED_TRACE(testing::Message() << one.name << ", n = " << one.n);
    const auto before = random_items<std::uint32_t>(one.n);
    const items in(random_items<std::uint32_t>(one.n)), out(one.n), kept(one.n);
    one.run(in, out, stream);  // its memory is there
    stream.wait();
    out.assign(before);
    copy_late<<<40, 256, 0, stream>>>(out.data(), kept.data(), one.n);
    one.run(in, out, stream);
    stream.wait();
    ASSERT_EQ(difference(kept.to_host(), before), "");
  }
}

/// The results of all calls, each on what the one before left, and each in the memory of the one
/// before that.
std::vector<std::uint32_t> results_of_chain(const std::vector<std::uint32_t>& numbers,
                                            std::size_t n, bool waits) {
  const own_stream stream;
  const items a(numbers), b(numbers);
  const std::vector<call> all = calls();
  bool is_in_a = true;
  for (int round = 0; round < 4; ++round) {
    for (const call& one : all) {
      if (one.n > n) continue;
      // Arrays of that many items, in the same memory.
      one.run(is_in_a ? a : b, is_in_a ? b : a, stream);
      if (waits) stream.wait();
      is_in_a = !is_in_a;
    }
  }
  stream.wait();
  return items_of(a, b);
}

TEST(EarlyLaunch, AChainOfCalls) {
  for (const std::size_t n : {16'000, 480'000, 2'400'000}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto numbers = random_items<std::uint32_t>(n);
    const auto expected = results_of_chain(numbers, n, true);
    for (int i = 0; i < 5; ++i)
      ASSERT_EQ(difference(results_of_chain(numbers, n, false), expected), "");
  }
}

}  // namespace
}  // namespace hindsight_test
