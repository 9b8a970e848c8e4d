// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The single-call forms of Device*: the results of the two phases, on the environment's stream,
// with its memory, and with bits that do not depend on the GPU where that is required.
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_segmented_radix_sort.cuh>
#include <hindsight/device_segmented_sort.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/device_topk.cuh>

#if __has_include(<cuda/execution.policy.h>)  // CCCL 3.6
#  include <cuda/execution.policy.h>
#endif
#if __has_include(<cuda/execution.output_ordering.h>)
#  include <cuda/execution.output_ordering.h>
#endif

#include "gpu_testing.h"
#include "sum_of_any_gpu.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <new>
#include <numeric>

namespace hindsight_test {

namespace execution = hindsight::execution;
namespace determinism = hindsight::execution::determinism;
using u32 = std::uint32_t;

/// A resource that counts what it gives, and remembers the stream. CCCL 3.1 names its functions
/// allocate and deallocate, 3.0 allocate_async and deallocate_async.
struct ledger {
  int allocations = 0;
  std::size_t bytes_out = 0, bytes_back = 0;
  cudaStream_t stream = nullptr;

  void* give(std::size_t bytes, cudaStream_t on) {
    ++allocations;
    bytes_out += bytes;
    stream = on;
    void* buffer = nullptr;
    check(cudaMallocAsync(&buffer, bytes, on));
    return buffer;
  }
  void take(void* buffer, std::size_t bytes, cudaStream_t on) {
    bytes_back += bytes;
    EXPECT_EQ(on, stream);
    check(cudaFreeAsync(buffer, on));
  }
};
struct new_resource {
  ledger* book;
  void* allocate(::cuda::stream_ref on, std::size_t bytes, std::size_t) const {
    return book->give(bytes, on.get());
  }
  void deallocate(::cuda::stream_ref on, void* buffer, std::size_t bytes, std::size_t) const {
    book->take(buffer, bytes, on.get());
  }
};
struct old_resource {
  ledger* book;
  void* allocate_async(std::size_t bytes, std::size_t, ::cuda::stream_ref on) const {
    return book->give(bytes, on.get());
  }
  void deallocate_async(void* buffer, std::size_t bytes, std::size_t, ::cuda::stream_ref on) const {
    book->take(buffer, bytes, on.get());
  }
};

constexpr int n = 300007;
constexpr auto same_everywhere = execution::require(determinism::gpu_to_gpu);

/// The strictest requirement counts, in any order.
template <class... Determinisms>
constexpr auto required_by = hindsight::detail::part_traits<
    execution::env<execution::requirement<Determinisms>...>>::required;
static_assert(required_by<determinism::not_guaranteed_t, determinism::gpu_to_gpu_t> ==
                  hindsight::detail::determined::gpu_to_gpu &&
              required_by<determinism::gpu_to_gpu_t, determinism::run_to_run_t> ==
                  hindsight::detail::determined::gpu_to_gpu &&
              required_by<determinism::not_guaranteed_t, determinism::run_to_run_t> ==
                  hindsight::detail::determined::run_to_run);

struct arrays {
  device_array<u32> in{random_items<u32>(n)}, keys{items_in_runs<u32>(n, runs::random)};
  device_array<u32> out{std::size_t(n)}, out2{std::size_t(n)}, count{2};
  device_array<std::int64_t> place{1};
  std::vector<std::vector<u32>> written;

  void record(cudaError_t status) {
    check(status);
    check(cudaDeviceSynchronize());
    for (const auto* array : {&out, &out2, &count}) {
      written.push_back(array->to_host());
      array->fill_with_poison();
    }
  }
};

#define EXPECT_ONE_CALL_LIKE_TWO(Family, Function, environment, ...)                             \
  do {                                                                                           \
    arrays two, one;                                                                             \
    {                                                                                            \
      arrays& a = two;                                                                           \
      in_two_phases([&](void* temp, std::size_t& bytes) {                                        \
        return hindsight::Family::Function(temp, bytes, __VA_ARGS__);                            \
      });                                                                                        \
      a.record(cudaSuccess);                                                                     \
    }                                                                                            \
    {                                                                                            \
      arrays& a = one;                                                                           \
      a.record(hindsight::Family::Function(__VA_ARGS__, environment));                           \
    }                                                                                            \
    for (std::size_t i = 0; i < two.written.size(); ++i)                                         \
      EXPECT_EQ(difference(one.written[i], two.written[i]), "") << #Function << ", array " << i; \
  } while (false)

const u32* constant(const device_array<u32>& array) {
  return array.data();
}

TEST(Environment, FoldsAndScans) {
  const auto plus = ::cuda::std::plus<>{};
  const auto equal = ::cuda::std::equal_to<>{};
  ledger book;
  const auto env = execution::env{cudaStreamPerThread, new_resource{&book}, same_everywhere};
  EXPECT_ONE_CALL_LIKE_TWO(DeviceScan, InclusiveSum, env, a.in.data(), a.out.data(), n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceScan, ExclusiveSum, env, a.in.data(), a.out.data(), n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceScan, InclusiveScan, env, a.in.data(), a.out.data(), plus, n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceScan, InclusiveScanInit, env, a.in.data(), a.out.data(), plus, 3u,
                           n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceScan, ExclusiveScan, env, a.in.data(), a.out.data(), plus, 3u, n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceScan, InclusiveSumByKey, env, a.keys.data(), a.in.data(),
                           a.out.data(), n, equal);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceScan, ExclusiveScanByKey, env, a.keys.data(), a.in.data(),
                           a.out.data(), plus, 9u, n, equal);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceReduce, Sum, env, a.in.data(), a.out.data(), n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceReduce, Max, env, a.in.data(), a.out.data(), n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceReduce, ArgMin, env, a.in.data(), a.out.data(), a.place.data(), n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceReduce, TransformReduce, env, a.in.data(), a.out.data(), n, plus,
                           ::cuda::std::negate<>{}, 1u);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceReduce, ReduceByKey, env, a.keys.data(), a.out.data(), a.in.data(),
                           a.out2.data(), a.count.data(), plus, n);
  EXPECT_GE(book.allocations, 11);
  EXPECT_EQ(book.bytes_back, book.bytes_out);
  EXPECT_EQ(book.stream, cudaStreamPerThread);
}

TEST(Environment, SelectionsSortsAndHistograms) {
  ledger book;
  const auto env = execution::env{old_resource{&book}, execution::env{cudaStreamPerThread}};
  EXPECT_ONE_CALL_LIKE_TWO(DeviceSelect, If, env, a.in.data(), a.out.data(), a.count.data(), n,
                           is_odd{});
  EXPECT_ONE_CALL_LIKE_TWO(DeviceSelect, Flagged, env, a.in.data(), a.keys.data(), a.out.data(),
                           a.count.data(), n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceSelect, Unique, env, a.keys.data(), a.out.data(), a.count.data(),
                           n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceSelect, UniqueByKey, env, a.keys.data(), a.in.data(), a.out.data(),
                           a.out2.data(), a.count.data(), n);
  EXPECT_ONE_CALL_LIKE_TWO(DevicePartition, If, env, a.in.data(), a.out.data(), a.count.data(), n,
                           is_odd{});
  EXPECT_ONE_CALL_LIKE_TWO(DeviceRunLengthEncode, Encode, env, a.keys.data(), a.out.data(),
                           a.out2.data(), a.count.data(), n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceRunLengthEncode, NonTrivialRuns, env, a.keys.data(), a.out.data(),
                           a.out2.data(), a.count.data(), n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceRadixSort, SortKeys, env, constant(a.in), a.out.data(), n, 3, 21);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceMergeSort, SortKeysCopy, env, a.in.data(), a.out.data(), n,
                           ::cuda::std::greater<>{});
  EXPECT_GE(book.allocations, 9);
  EXPECT_EQ(book.bytes_back, book.bytes_out);
  EXPECT_EQ(book.stream, cudaStreamPerThread);
  // Without a resource: our pool. A histogram needs no memory.
  EXPECT_ONE_CALL_LIKE_TWO(DeviceHistogram, HistogramEven, cudaStreamPerThread, a.in.data(),
                           a.out.data(), 513, 0u, 1u << 31, n);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceScan, ExclusiveSum, ::cuda::stream_ref{cudaStreamPerThread},
                           a.in.data(), a.out.data(), n);
  arrays a;
  a.record(hindsight::DeviceScan::ExclusiveSum(a.in.data(), n));  // in place, no environment
  std::vector<u32> sums(n, 0);
  const auto items = random_items<u32>(n);
  for (int i = 1; i < n; ++i) sums[i] = sums[i - 1] + items[i - 1];
  EXPECT_EQ(difference(a.in.to_host(), sums), "");
}

/// As a pool that owns its memory: no copies, no const functions.
struct owning_resource {
  ledger book;
  owning_resource() = default;
  owning_resource(const owning_resource&) = delete;
  void* allocate(::cuda::stream_ref on, std::size_t bytes, std::size_t) {
    return book.give(bytes, on.get());
  }
  void deallocate(::cuda::stream_ref on, void* buffer, std::size_t bytes, std::size_t) {
    book.take(buffer, bytes, on.get());
  }
};

TEST(Environment, AResourceThatCannotBeCopied) {
  owning_resource resource;
  EXPECT_ONE_CALL_LIKE_TWO(DeviceScan, ExclusiveSum, resource, a.in.data(), a.out.data(), n);
  EXPECT_EQ(resource.book.allocations, 1);
  EXPECT_EQ(resource.book.bytes_back, resource.book.bytes_out);
}

struct low_word_first {
  HINDSIGHT_HD ::cuda::std::tuple<u32&> operator()(u32& key) const { return {key}; }
};

TEST(Environment, SortsOfSegmentsAndOfMembers) {
  ledger book;
  const auto env = execution::env{cudaStreamPerThread, new_resource{&book}};
  const std::vector<int> bounds{0, 10, 10, 70000, n};
  const device_array<int> offsets(bounds);
  const int* const begins = offsets.data();
  const auto ends = begins + 1;
  EXPECT_ONE_CALL_LIKE_TWO(DeviceSegmentedSort, SortKeys, env, constant(a.in), a.out.data(), n, 4,
                           begins, ends);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceSegmentedSort, SortPairsDescending, env, constant(a.in),
                           a.out.data(), constant(a.keys), a.out2.data(), n, 4, begins, ends);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceSegmentedSort, StableSortPairs, env, constant(a.in), a.out.data(),
                           constant(a.keys), a.out2.data(), n, 4, begins, ends);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceSegmentedRadixSort, SortKeysDescending, env, constant(a.in),
                           a.out.data(), n, 4, begins, ends, 3, 21);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceSegmentedRadixSort, SortPairs, env, constant(a.in), a.out.data(),
                           constant(a.keys), a.out2.data(), n, 4, begins, ends, 0, 8);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceTopK, MaxKeys, env, a.in.data(), a.out.data(), n, 1000);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceTopK, MinPairs, env, a.in.data(), a.out.data(), a.keys.data(),
                           a.out2.data(), n, 1000);
  EXPECT_ONE_CALL_LIKE_TWO(DeviceRadixSort, SortKeys, cudaStreamPerThread, constant(a.in),
                           a.out.data(), n, low_word_first{});
  EXPECT_ONE_CALL_LIKE_TWO(DeviceRadixSort, SortPairsDescending, cudaStreamPerThread,
                           constant(a.in), a.out.data(), constant(a.keys), a.out2.data(), n,
                           low_word_first{}, 3, 21);
  EXPECT_GE(book.allocations, 7);
  EXPECT_EQ(book.bytes_back, book.bytes_out);
  arrays a;
  hindsight::DoubleBuffer<u32> buffers{a.in.data(), a.out.data()};
  check(hindsight::DeviceSegmentedSort::StableSortKeys(buffers, n, 4, begins, ends));
  check(cudaDeviceSynchronize());
  const device_array<u32> buffered(random_items<u32>(n));
  using offsets_it = const int*;  // named template arguments
  check(hindsight::DeviceSegmentedSort::StableSortKeys<u32, offsets_it, offsets_it>(
      constant(buffered), a.out2.data(), n, 4, begins, ends));
  check(hindsight::DeviceSegmentedSort::SortKeys(constant(buffered), buffered.data(), n, 4, begins,
                                                 ends));
  check(cudaDeviceSynchronize());
  const device_array<u32> current(n);
  check(cudaMemcpy(current.data(), buffers.Current(), n * sizeof(u32), cudaMemcpyDefault));
  EXPECT_EQ(difference(current.to_host(), buffered.to_host()), "");
}

TEST(Environment, ErrorsAsInTwoPhases) {
  const device_array<u32> in(4);
  const auto p = in.data();
  EXPECT_EQ(hindsight::DeviceScan::InclusiveSum(p, p, -1), cudaErrorInvalidValue);
  struct nothing_left {
    void* allocate(::cuda::stream_ref, std::size_t, std::size_t) const { return nullptr; }
    void deallocate(::cuda::stream_ref, void*, std::size_t, std::size_t) const {}
  };
  const device_array<u32> many{std::size_t(n)};
  EXPECT_EQ(hindsight::DeviceScan::InclusiveSum(many.data(), n, nothing_left{}),
            cudaErrorMemoryAllocation);
  EXPECT_TRUE(many.is_untouched());
}

/// The Device* functions throw nothing, as CUB's.
TEST(Environment, AResourceThatThrowsHasNoMemory) {
  struct throws_at_once {
    void* allocate(::cuda::stream_ref, std::size_t, std::size_t) const { throw std::bad_alloc{}; }
    void deallocate(::cuda::stream_ref, void*, std::size_t, std::size_t) const {}
  };
  struct throws_at_end {
    void* allocate_async(std::size_t, std::size_t, ::cuda::stream_ref) const {
      static char memory[256];
      return memory;
    }
    void deallocate_async(void*, std::size_t, std::size_t, ::cuda::stream_ref) const { throw 7; }
  };
  cudaError_t answer = cudaSuccess;
  int num_calls = 0;
  const auto call = [&](void*, std::size_t& bytes, cudaStream_t) {
    bytes = 256;
    return ++num_calls == 1 ? cudaSuccess : answer;
  };
  EXPECT_EQ(hindsight::detail::in_one_call(throws_at_once{}, call), cudaErrorMemoryAllocation);
  EXPECT_EQ(num_calls, 1);
  num_calls = 0;
  EXPECT_EQ(hindsight::detail::in_one_call(throws_at_end{}, call), cudaErrorMemoryAllocation);
  num_calls = 0;
  answer = cudaErrorInvalidValue;
  EXPECT_EQ(hindsight::detail::in_one_call(throws_at_end{}, call), cudaErrorInvalidValue);
}

// On a GPU of more multiprocessors than one where stock's order was read, and on one of fewer.
TEST(Environment, FloatSumsDependOnNoGpu) {
  for (const int size : {1, 777, 4096, 70001, 4096 * 4096, 4096 * 4096 * 2 + 4097 * 3 + 5}) {
    const auto items = rough_items<float>(size);
    const device_array<float> in(items), sum(1);
    check(hindsight::DeviceReduce::Sum(in.data(), sum.data(), size, same_everywhere));
    EXPECT_EQ(difference(sum.to_host(), {sum_of_any_gpu{}(items)}), "") << "n = " << size;
  }
}

__extension__ typedef __int128 i128;
struct minus_wide {
  HINDSIGHT_HD i128 operator()(u32 number) const { return -i128(number); }
};

// Sums of integers of 128 bits, which std::is_integral does not know, have the same bits
// everywhere.
TEST(Environment, WideIntegersDependOnNoGpu) {
  const auto numbers = random_items<u32>(n);
  const std::vector<i128> items(numbers.begin(), numbers.end());
  const device_array<i128> in(items), sum(1);
  const device_array<u32> narrow(numbers);
  check(hindsight::DeviceReduce::Sum(in.data(), sum.data(), n, same_everywhere));
  EXPECT_TRUE(sum.to_host()[0] == std::accumulate(items.begin(), items.end(), i128{0}));
  check(hindsight::DeviceReduce::TransformReduce(
      narrow.data(), sum.data(), n, ::cuda::std::plus<>{}, minus_wide{}, i128{0}, same_everywhere));
  EXPECT_TRUE(sum.to_host()[0] == -std::accumulate(items.begin(), items.end(), i128{0}));
}

#if defined(HINDSIGHT_CCCL_HAS_ENVIRONMENTS)
// CCCL's own environment: its stream and what it requires.
TEST(Environment, OfCccl) {
  const auto in = rough_items<float>(n);
  const device_array<float> items(in), sum(1);
  const auto env = ::cuda::std::execution::env{
      ::cuda::stream_ref{cudaStreamPerThread},
      ::cuda::execution::require(::cuda::execution::determinism::gpu_to_gpu)};
  check(hindsight::DeviceReduce::Sum(items.data(), sum.data(), n, env));
  EXPECT_EQ(difference(sum.to_host(), {sum_of_any_gpu{}(in)}), "");
}

#  if __has_include(<cuda/execution.output_ordering.h>)
// Requirements that say nothing of bits.
TEST(Environment, OtherRequirementsOfCccl) {
  const auto items = random_items<u32>(n);
  const device_array<u32> in(items), sum(1);
  const auto env = ::cuda::execution::require(::cuda::execution::output_ordering::unsorted);
  static_assert(!hindsight::detail::part_traits<std::decay_t<decltype(env)>>::has_requirement);
  check(hindsight::DeviceReduce::Sum(in.data(), sum.data(), n, env));
  EXPECT_EQ(sum.to_host()[0], std::accumulate(items.begin(), items.end(), u32{0}));
}
#  endif

/// An environment as a program writes one.
struct own_environment {
  cudaStream_t stream;
  ::cuda::stream_ref query(const ::cuda::get_stream_t&) const noexcept {
    return ::cuda::stream_ref{stream};
  }
};

TEST(Environment, ThatAProgramWrote) {
  const auto items = random_items<u32>(n);
  const device_array<u32> in(items), out{std::size_t(n)};
  const own_stream stream;
  const own_environment env{stream};
  static_assert(!hindsight::detail::part_traits<own_environment>::has_memory);
  check(hindsight::DeviceScan::InclusiveSum(in.data(), out.data(), n, env));
  stream.wait();
  u32 sum = 0;
  for (const u32 item : items) sum += item;
  EXPECT_EQ(out.to_host().back(), sum);
  check(hindsight::DeviceScan::InclusiveSum(in.data(), out.data(), n,
                                            ::cuda::std::execution::env{env}));
}

/// What a program has its stream in.
struct own_context {
  cudaStream_t stream_of_context;
  cudaStream_t stream() const { return stream_of_context; }
};

TEST(Environment, ThatHasAStream) {
  const auto items = random_items<u32>(n);
  const device_array<u32> in(items), out{std::size_t(n)}, count(1);
  const own_stream stream;
  const own_context context{stream};
  check(hindsight::DeviceScan::InclusiveSum(in.data(), out.data(), n, context));
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceSelect::If(temp, bytes, in.data(), out.data(), count.data(), n,
                                       is_odd{}, context);
  });
  stream.wait();
  EXPECT_EQ(count.to_host()[0], u32(std::count_if(items.begin(), items.end(), is_odd{})));
}

#  if __has_include(<cuda/execution.policy.h>)
// CCCL's execution policies are environments, too: in one call and in two phases.
TEST(Environment, OfAnExecutionPolicy) {
  const device_array<u32> in(random_items<u32>(n)), kept(n), sums(n), count(1);
  const own_stream stream;
  const auto gpu = ::cuda::execution::gpu;
  const auto in_order = gpu.with(::cuda::get_stream, ::cuda::stream_ref{stream});
  const auto kept_by = [&](auto environment) {
    in_two_phases([&](void* temp, std::size_t& bytes) {
      return hindsight::DeviceSelect::If(temp, bytes, in.data(), kept.data(), count.data(), n,
                                         is_odd{}, environment);
    });
    check(hindsight::DeviceScan::InclusiveSum(kept.data(), sums.data(), n / 4, environment));
    check(cudaDeviceSynchronize());
    return sums.to_host(n / 4);
  };
  const auto expected = kept_by(cudaStream_t{});
  EXPECT_EQ(difference(kept_by(gpu), expected), "");
  EXPECT_EQ(difference(kept_by(in_order), expected), "");
}
#  endif
#endif

TEST(Environment, AGraphCapturesASingleCall) {
  const auto items = random_items<u32>(n);
  const device_array<u32> in(items), out{std::size_t(n)};
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cudaError_t status = hindsight::DeviceScan::InclusiveSum(in.data(), out.data(), n, stream);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  check(status);
  check(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_TRUE(out.is_untouched());
  check(cudaGraphLaunch(exec, stream));
  check(cudaStreamSynchronize(stream));
  u32 sum = 0;
  for (const u32 item : items) sum += item;
  EXPECT_EQ(out.to_host().back(), sum);
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

}  // namespace hindsight_test
