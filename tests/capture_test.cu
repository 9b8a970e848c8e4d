// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls into graphs: every call that returns no value is captured, replayed on other data and
// compared with the same call outside; the others throw and leave the capture as it was.
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/partition.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_scan.h>

#include "fresh_process.h"
#include "functors_testing.h"
#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

namespace hindsight_test {

using u32 = std::uint32_t;
using hindsight::cuda::par;
using hindsight::cuda::par_nosync;

/// What the calls of `body` put into the stream, to be run again and again.
class graph {
 public:
  template <class Body>
  graph(cudaStream_t stream, Body body,
        cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
    check(cudaStreamBeginCapture(stream, mode));
    std::exception_ptr thrown;
    try {
      body();
    } catch (...) {
      thrown = std::current_exception();
    }
    const cudaError_t status = cudaStreamEndCapture(stream, &graph_);
    cudaGetLastError();
    if (thrown) std::rethrow_exception(thrown);
    check(status);
    check(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  ~graph() {
    if (executable_) cudaGraphExecDestroy(executable_);
    if (graph_) cudaGraphDestroy(graph_);
  }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

struct arrays {
  explicit arrays(std::size_t n) : size{n}, data{n}, out{n}, out2{n} {}

  void reset(const std::vector<u32>& items) const {
    data.assign(items);
    out.fill(0);
    out2.fill(0);
  }
  std::vector<u32> all() const { return items_of(data, out, out2); }

  std::size_t size;
  device_array<u32> data, out, out2;
};

/// Few runs, so that calls by key have something to add; low bits are random.
std::vector<u32> items_for(std::size_t n, unsigned seed) {
  auto items = random_items<u32>(n, seed);
  for (u32& item : items) item = item % 3 == 0 ? item : item % 4;
  return items;
}

struct by_low_digits {
  HINDSIGHT_HD bool operator()(u32 a, u32 b) const { return a % 1000 < b % 1000; }
};

/// Captures `call(policy, arrays)`, replays it on several inputs, two replays at a time and with
/// other calls on another stream, and compares with the same call outside of a graph.
template <class Policy, class Call>
void expect_same_in_graph(const Policy& policy, cudaStream_t stream, std::size_t n, Call call) {
  const own_stream other;
  const arrays a(n);
  a.reset(items_for(n, 1));
  const graph captured(stream, [&] { call(policy, a); });
  for (const unsigned seed : {1, 2, 3}) {
    const auto items = items_for(n, seed);
    a.reset(items);
    const arrays disturbing(n);
    disturbing.reset(items);
    captured.launch(stream);
    thrust::inclusive_scan(par_nosync.on(other), disturbing.data.begin(), disturbing.data.end(),
                           disturbing.out.data());
    if (seed == 3) {
      check(cudaStreamSynchronize(stream));
      check(
          cudaMemcpyAsync(a.data.data(), items.data(), n * sizeof(u32), cudaMemcpyDefault, stream));
      captured.launch(stream);
    }
    check(cudaStreamSynchronize(stream));
    const auto actual = a.all();
    a.reset(items);
    call(par, a);
    EXPECT_EQ(difference(actual, a.all()), "") << "input " << seed;
    other.wait();
  }
}

/// ... with every kind of policy; some need no temporary memory at the first size.
template <class Call>
void expect_captures(const char* name, Call call) {
  const own_stream stream;
  const device_array<char> buffer(std::size_t{16} << 20);
  hindsight::workspace space{buffer.data(), buffer.size()};
  for (const std::size_t n : {std::size_t{1003}, std::size_t{300007}}) {
    SCOPED_TRACE(std::string{name} + ", n " + std::to_string(n));
    expect_same_in_graph(par_nosync.on(stream), stream, n, call);
    expect_same_in_graph(par.on(stream), stream, n, call);
    expect_same_in_graph(par_nosync(space).on(stream), stream, n, call);
  }
}

TEST(Capture, Scans) {
  expect_captures("inclusive_scan", [](const auto& policy, const arrays& a) {
    thrust::inclusive_scan(policy, a.data.begin(), a.data.end(), a.out.data());
  });
  expect_captures("exclusive_scan", [](const auto& policy, const arrays& a) {
    thrust::exclusive_scan(policy, a.data.begin(), a.data.end(), a.data.data(), 7u);
  });
  expect_captures("transform_inclusive_scan", [](const auto& policy, const arrays& a) {
    thrust::transform_inclusive_scan(policy, a.data.begin(), a.data.end(), a.out.data(), twice{},
                                     thrust::plus<u32>{});
  });
  expect_captures("scan_by_key", [](const auto& policy, const arrays& a) {
    thrust::inclusive_scan_by_key(policy, a.data.begin(), a.data.end(), a.data.begin(),
                                  a.out.data());
    thrust::exclusive_scan_by_key(policy, a.data.begin(), a.data.end(), a.out.begin(),
                                  a.out2.data(), 3u);
  });
}

TEST(Capture, Sorts) {
  expect_captures("sort", [](const auto& policy, const arrays& a) {
    thrust::sort(policy, a.data.begin(), a.data.end());
  });
  expect_captures("sort_by_key", [](const auto& policy, const arrays& a) {
    thrust::inclusive_scan(policy, a.data.begin(), a.data.end(), a.out.data());
    thrust::stable_sort_by_key(policy, a.data.begin(), a.data.end(), a.out.data());
  });
  expect_captures("sort of reverse iterators", [](const auto& policy, const arrays& a) {
    const auto rbegin = thrust::make_reverse_iterator(a.data.end());
    thrust::sort(policy, rbegin, rbegin + a.size);
  });
}

TEST(Capture, CallsThatAreStocks) {
  expect_captures("stable_sort", [](const auto& policy, const arrays& a) {
    thrust::stable_sort(policy, a.data.begin(), a.data.end(), by_low_digits{});
  });
  expect_captures("transform", [](const auto& policy, const arrays& a) {
    thrust::transform(policy, a.data.begin(), a.data.end(), a.out.data(), twice{});
    thrust::copy(policy, a.out.begin(), a.out.end(), a.out2.begin());
    thrust::fill(policy, a.data.begin(), a.data.begin() + 100, 5u);
  });
}

TEST(Capture, ReduceInto) {
  expect_captures("reduce_into", [](const auto& policy, const arrays& a) {
    hindsight::reduce_into(policy, a.data.begin(), a.data.end(), a.out.data());
  });
}

TEST(Capture, Histograms) {
  expect_captures("histogram_even", [](const auto& policy, const arrays& a) {
    hindsight::histogram_even(policy, a.data.begin(), a.data.end(), 1000, 0u, 1u << 30,
                              a.out.data());
  });
  expect_captures("histogram_range, levels on the host", [](const auto& policy, const arrays& a) {
    std::vector<u32> levels{0, 1, 2, 3, 1000, 1u << 20, 1u << 28};
    hindsight::histogram_range(policy, a.data.begin(), a.data.end(), levels.begin(), levels.end(),
                               a.out.data());
    levels.assign(levels.size(), 5);  // the graph has them already
    if (a.size < 10000) return;
    std::vector<float> many(9001);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = float(i) * 100;
    hindsight::histogram_range(policy, a.data.begin(), a.data.end(), many.begin(), many.end(),
                               a.out2.data());
  });
}

TEST(Capture, HistogramOfManyBinsAndOfSmallCounters) {
  const own_stream stream;
  expect_same_in_graph(
      par_nosync.on(stream), stream, 300007, [](const auto& policy, const arrays& a) {
        hindsight::histogram_even(policy, a.data.begin(), a.data.end(), 200000, 0u, 1u << 30,
                                  a.out.data());
        const auto counters = reinterpret_cast<std::uint16_t*>(a.out2.data());
        hindsight::histogram_even(policy, a.data.begin(), a.data.end(), 77, 0u, 1u << 30, counters);
      });
}

// The graph itself writes the levels before it reads them.
TEST(Capture, HistogramByLevelsOnTheDevice) {
  const own_stream stream;
  const arrays a(300007);
  const device_array<u32> levels(4);
  a.reset(items_for(a.size, 1));
  levels.fill(0);
  const graph captured(stream, [&] {
    thrust::sequence(par_nosync.on(stream), levels.begin(), levels.end(), 1u);
    hindsight::histogram_range(par_nosync.on(stream), a.data.begin(), a.data.end(), levels.begin(),
                               levels.end(), a.out.data());
  });
  captured.launch(stream);
  stream.wait();
  std::vector<u32> expected(3);
  for (const u32 item : a.data.to_host()) {
    if (item >= 1 && item < 4) ++expected[item - 1];
  }
  EXPECT_EQ(difference(a.out.to_host(3), expected), "");
}

/// Calls of CUB's shape, whose temporary memory is asked for beforehand.
template <class Call>
void expect_captures_device_call(const char* name, Call call) {
  std::size_t bytes = 0;
  const arrays small(1003), large(300007);
  check(call(nullptr, bytes, large, cudaStream_t{}));
  const device_array<char> temp(bytes);
  for (const std::size_t n : {small.size, large.size}) {
    SCOPED_TRACE(std::string{name} + ", n " + std::to_string(n));
    const own_stream stream;
    expect_same_in_graph(par_nosync.on(stream), stream, n,
                         [&](const auto& policy, const arrays& a) {
                           std::size_t have = bytes;
                           check(call(temp.data(), have, a, hindsight::detail::stream_of(policy)));
                           if (hindsight::detail::stream_of(policy) != stream)
                             check(cudaDeviceSynchronize());
                         });
  }
}

TEST(Capture, DeviceCalls) {
  using namespace hindsight;
  expect_captures_device_call("If", [](void* temp, std::size_t& bytes, const arrays& a, auto s) {
    return DeviceSelect::If(temp, bytes, a.data.data(), a.out.data(), a.out2.data(), a.size,
                            is_odd{}, s);
  });
  expect_captures_device_call("partition",
                              [](void* temp, std::size_t& bytes, const arrays& a, auto s) {
                                return DevicePartition::If(temp, bytes, a.data.data(), a.out.data(),
                                                           a.out2.data(), a.size, is_odd{}, s);
                              });
  expect_captures_device_call(
      "ReduceByKey", [](void* temp, std::size_t& bytes, const arrays& a, auto s) {
        return DeviceReduce::ReduceByKey(temp, bytes, a.data.data(), a.out.data(), a.data.data(),
                                         a.out2.data() + 1, a.out2.data(), ::cuda::std::plus<>{},
                                         a.size / 2, s);
      });
  expect_captures_device_call(
      "Encode", [](void* temp, std::size_t& bytes, const arrays& a, auto s) {
        return DeviceRunLengthEncode::Encode(temp, bytes, a.data.data(), a.out.data(),
                                             a.out2.data() + 1, a.out2.data(), a.size - 1, s);
      });
  expect_captures_device_call("SortKeys", [](void* temp, std::size_t& bytes, const arrays& a,
                                             auto s) {
    return DeviceRadixSort::SortKeys(temp, bytes, a.data.data(), a.out.data(), a.size, 0, 32, s);
  });
  expect_captures_device_call("Sum", [](void* temp, std::size_t& bytes, const arrays& a, auto s) {
    return DeviceReduce::Sum(temp, bytes, a.data.data(), a.out.data(), a.size, s);
  });
}

TEST(Capture, CallsThatReturnAValueThrowAndLeaveItAsItWas) {
  const own_stream stream;
  const arrays a(300007);
  const auto items = items_for(a.size, 1);
  a.reset(items);
  const auto policy = par_nosync.on(stream);
  u32 *const first = a.data.begin(), *const last = a.data.end();
  const thrust::device_vector<u32> vector(100, 7);
  const auto expect_refusal = [](const char* algorithm, auto call) {
    try {
      call();
      ADD_FAILURE() << algorithm << " did not throw";
    } catch (const thrust::system_error& error) {
      EXPECT_EQ(error.code().value(), int(cudaErrorStreamCaptureUnsupported)) << error.what();
      const std::string what = error.what();
      EXPECT_NE(what.find(algorithm), std::string::npos) << what;
      EXPECT_NE(what.find("returns a value"), std::string::npos) << what;
    }
  };
  const graph captured(stream, [&] {
    expect_refusal("hindsight::reduce", [&] { thrust::reduce(policy, first, last); });
    expect_refusal("hindsight::count_if", [&] { thrust::count_if(policy, first, last, is_odd{}); });
    expect_refusal("hindsight::inner_product",
                   [&] { thrust::inner_product(policy, first, last, first, 0u); });
    expect_refusal("hindsight::copy_if",
                   [&] { thrust::copy_if(policy, first, last, a.out.data(), is_odd{}); });
    expect_refusal("hindsight::remove_if",
                   [&] { thrust::remove_if(policy, first, last, is_odd{}); });
    expect_refusal("hindsight::stable_partition",
                   [&] { thrust::stable_partition(policy, first, last, is_odd{}); });
    expect_refusal("hindsight::reduce_by_key", [&] {
      thrust::reduce_by_key(policy, first, last, first, a.out.data(), a.out2.data());
    });
    expect_refusal("hindsight::run_length_encode", [&] {
      hindsight::run_length_encode(policy, first, last, a.out.data(), a.out2.data());
    });
    expect_refusal("hindsight::run_length_decode", [&] {
      hindsight::run_length_decode(policy, first, last, first, a.out2.data());
    });
    expect_refusal("hindsight::filter", [&] { hindsight::filter(policy, vector, is_odd{}); });
    expect_refusal("hindsight::run_lengths", [&] { hindsight::run_lengths(policy, vector); });
    expect_refusal("hindsight::sorted", [&] { hindsight::sorted(policy, vector); });
    thrust::inclusive_scan(policy, first, last, a.out.data());
  });
  captured.launch(stream);
  stream.wait();
  u32 sum = 0;
  for (const u32 item : items) sum += item;
  EXPECT_EQ(a.out2.to_host(), std::vector<u32>(a.size)) << "a call that throws is not in the graph";
  EXPECT_EQ(difference(a.data.to_host(), items), "");
  EXPECT_EQ(a.out.to_host().back(), sum);
  EXPECT_EQ(thrust::reduce(policy, first, last), sum);
}

// The legacy default stream would wait for a blocking stream, which no graph can express.
TEST(Capture, ADefaultStreamThatWaitsForACaptureIsRefusedByName) {
  cudaStream_t blocking = nullptr;
  check(cudaStreamCreate(&blocking));
  const arrays a(100003);
  const auto items = items_for(a.size, 1);
  a.reset(items);
  const auto policy = par.on(cudaStreamLegacy);
  const auto expect_refusal = [](const char* algorithm, auto call) {
    try {
      call();
      ADD_FAILURE() << algorithm << " did not throw";
    } catch (const thrust::system_error& error) {
      EXPECT_EQ(error.code().value(), int(cudaErrorStreamCaptureImplicit)) << error.what();
      const std::string what = error.what();
      EXPECT_EQ(what.find(algorithm), 0u) << what;
      EXPECT_NE(what.find("call with .on(stream)"), std::string::npos) << what;
      EXPECT_EQ(what.find("earlier"), std::string::npos) << what;
    }
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  };
  {
    const graph captured(blocking, [&] {
      expect_refusal("hindsight::inclusive_scan", [&] {
        thrust::inclusive_scan(policy, a.data.begin(), a.data.end(), a.out.data());
      });
      expect_refusal("hindsight::reduce",
                     [&] { thrust::reduce(policy, a.data.begin(), a.data.end()); });
      expect_refusal("hindsight::inclusive_scan", [&] {
        thrust::inclusive_scan(hindsight::cuda::par_nosync.on(cudaStreamLegacy), a.data.begin(),
                               a.data.end(), a.out.data());
      });
      // Of several steps, whose copies and temporary memory come before the first one.
      const auto backwards = thrust::make_reverse_iterator(a.data.end());
      expect_refusal("hindsight::sort",
                     [&] { thrust::sort(policy, backwards, backwards + a.size); });
      auto* const pairs = reinterpret_cast<thrust::pair<u32, u32>*>(a.data.data());
      expect_refusal("hindsight::sort", [&] { thrust::sort(policy, pairs, pairs + 500); });
      expect_refusal("hindsight::top_k", [&] {
        hindsight::top_k(policy, a.data.begin(), a.data.end(), 10, a.out.data(), by_low_digits{});
      });
      expect_refusal("hindsight::box_filter", [&] {
        hindsight::box_filter(policy, a.data.data(), a.out.data(), 10, 100, 10, 1);
      });
      thrust::inclusive_scan(par.on(blocking), a.data.begin(), a.data.end(), a.out2.data());
    });
    captured.launch(blocking);
    check(cudaStreamSynchronize(blocking));
  }
  EXPECT_EQ(a.out.to_host(), std::vector<u32>(a.size)) << "a refused call has written";
  u32 sum = 0;
  for (const u32 item : items) sum += item;
  EXPECT_EQ(a.out2.to_host().back(), sum) << "the capture went on";
  check(cudaStreamDestroy(blocking));
}

TEST(Capture, GraphOutlivesTheThreadThatCapturedIt) {
  const own_stream stream;
  const arrays a(300007);
  const auto items = items_for(a.size, 1);
  a.reset(items);
  std::unique_ptr<graph> captured;
  std::thread([&] {
    captured = std::make_unique<graph>(stream, [&] {
      thrust::sort(par_nosync.on(stream), a.data.begin(), a.data.end());
      hindsight::reduce_into(par_nosync.on(stream), a.data.begin(), a.data.end(), a.out.data());
    });
  }).join();
  auto sorted = items;
  std::sort(sorted.begin(), sorted.end());
  for (int round = 0; round < 3; ++round) {
    a.reset(items);
    captured->launch(stream);
    stream.wait();
    EXPECT_EQ(difference(a.data.to_host(), sorted), "");
  }
}

/// Calls of several families, of which pipelines take many items.
template <class Policy>
void call_some(const Policy& policy, const arrays& a) {
  thrust::inclusive_scan(policy, a.data.begin(), a.data.end(), a.out.data());
  thrust::sort(policy, a.data.begin(), a.data.end());
  thrust::inclusive_scan_by_key(policy, a.data.begin(), a.data.end(), a.out.data(), a.out2.data());
}

/// What call_some() leaves, of each of these inputs.
std::vector<u32> some_results(const std::vector<u32>& items) {
  const arrays a(items.size());
  a.reset(items);
  call_some(par, a);
  return a.all();
}

TEST(Capture, OnTwoBranchesOfOneGraph) {
  const own_stream stream, branch;
  cudaEvent_t forked = nullptr, joined = nullptr;
  check(cudaEventCreate(&forked));
  check(cudaEventCreate(&joined));
  for (const std::size_t n : {std::size_t{1003}, std::size_t{9'000'001}}) {
    SCOPED_TRACE("n " + std::to_string(n));
    const arrays a(n), b(n);
    const graph captured(stream, [&] {
      check(cudaEventRecord(forked, stream));
      check(cudaStreamWaitEvent(branch, forked, 0));
      call_some(par.on(stream), a);
      call_some(par_nosync.on(branch), b);
      check(cudaEventRecord(joined, branch));
      check(cudaStreamWaitEvent(stream, joined, 0));
    });
    for (const unsigned seed : {1, 2}) {
      const auto items = items_for(n, seed), others = items_for(n, seed + 10);
      a.reset(items);
      b.reset(others);
      captured.launch(stream);
      stream.wait();
      EXPECT_EQ(difference(a.all(), some_results(items)), "");
      EXPECT_EQ(difference(b.all(), some_results(others)), "");
    }
  }
  check(cudaEventDestroy(forked));
  check(cudaEventDestroy(joined));
}

#if CUDART_VERSION >= 12040
__global__ void repeat_until_none_are_left(cudaGraphConditionalHandle again, int* left) {
  cudaGraphSetConditional(again, --*left > 0);
}

/// A node that repeats a graph while the handle says so, and that graph.
cudaGraph_t add_loop(cudaGraph_t to, cudaGraphConditionalHandle again) {
  cudaGraphNodeParams loop{};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = again;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
#  if CUDART_VERSION >= 13000
  check(cudaGraphAddNode(&node, to, nullptr, nullptr, 0, &loop));
#  else
  check(cudaGraphAddNode(&node, to, nullptr, 0, &loop));
#  endif
  return loop.conditional.phGraph_out[0];
}

// CUDA lets neither hold memory of its own, so the calls have a workspace.
TEST(Capture, InABodyThatRepeatsAndInAChildGraph) {
  const own_stream stream;
  const device_array<char> buffer(std::size_t{128} << 20);
  const device_array<int> left(1);
  for (const std::size_t n : {std::size_t{1003}, std::size_t{9'000'001}}) {
    SCOPED_TRACE("n " + std::to_string(n));
    const arrays a(n);
    const auto items = items_for(n, 1);
    const auto policy = par_nosync(hindsight::workspace{buffer.data(), buffer.size()}).on(stream);
    cudaGraph_t whole = nullptr;
    check(cudaGraphCreate(&whole, 0));
    cudaGraphConditionalHandle again{};
    check(cudaGraphConditionalHandleCreate(&again, whole, 1, cudaGraphCondAssignDefault));
    const cudaGraph_t body = add_loop(whole, again);
    check(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                        cudaStreamCaptureModeThreadLocal));
    call_some(policy, a);
    repeat_until_none_are_left<<<1, 1, 0, stream>>>(again, left.data());
    check(cudaStreamEndCapture(stream, nullptr));
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, whole, 0));
    a.reset(items);
    left.assign({1});
    check(cudaGraphLaunch(executable, stream));
    stream.wait();
    EXPECT_EQ(difference(a.all(), some_results(items)), "");
    auto twice_sorted = items;
    std::sort(twice_sorted.begin(), twice_sorted.end());
    a.reset(items);
    left.assign({2});
    check(cudaGraphLaunch(executable, stream));
    stream.wait();
    EXPECT_EQ(difference(a.all(), some_results(twice_sorted)), "") << "of sorted items";
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(whole));

    cudaGraph_t child = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    call_some(policy, a);
    check(cudaStreamEndCapture(stream, &child));
    check(cudaGraphCreate(&whole, 0));
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddChildGraphNode(&node, whole, nullptr, 0, child));
    check(cudaGraphInstantiate(&executable, whole, 0));
    a.reset(items);
    check(cudaGraphLaunch(executable, stream));
    stream.wait();
    EXPECT_EQ(difference(a.all(), some_results(items)), "") << "a child";
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(child));
    check(cudaGraphDestroy(whole));
  }
}
#endif

/// The first call of a process is captured; then the same call is made outside.
void capture_first_call(cudaStreamCaptureMode mode) {
  const std::size_t n = 1000003;
  const own_stream stream;
  const device_array<u32> in(std::vector<u32>(n, 1)), out(n);
  const auto last = [&] {
    const auto sums = out.to_host();
    out.fill_with_poison();
    return sums.back();
  };
  const graph captured(
      stream,
      [&] { thrust::inclusive_scan(par_nosync.on(stream), in.begin(), in.end(), out.data()); },
      mode);
  for (int round = 0; round < 3; ++round) {
    captured.launch(stream);
    stream.wait();
    require(last() == n, "a replay is wrong");
  }
  thrust::inclusive_scan(par, in.begin(), in.end(), out.data());
  require(last() == n, "the next call is wrong");
}

TEST(Capture, FirstCallOfAProcess) {
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([] { capture_first_call(cudaStreamCaptureModeGlobal); });
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([] { capture_first_call(cudaStreamCaptureModeThreadLocal); });
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([] { capture_first_call(cudaStreamCaptureModeRelaxed); });
}

// The memory of results is allocated while another stream of this thread is being captured.
TEST(Capture, FirstValueOfAProcessWhileAnotherThreadCaptures) {
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([] {
    const own_stream captured_stream, stream;
    const device_array<u32> in(std::vector<u32>(1000, 1));
    check(cudaStreamBeginCapture(captured_stream, cudaStreamCaptureModeThreadLocal));
    u32 sum = 0;
    std::thread([&] { sum = thrust::reduce(par.on(stream), in.begin(), in.end()); }).join();
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(captured_stream, &graph));
    require(sum == 1000, "the sum is wrong");
  });
}

}  // namespace hindsight_test
