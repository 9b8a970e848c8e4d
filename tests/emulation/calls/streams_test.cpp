// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls promise about streams, captures, graphs, errors and memory, tried on a runtime that
// does everything as late as it may, gives memory out again as early as it may, and fails.
#include <hindsight/device_adjacent_difference.cuh>
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/hindsight.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "calls_testing.h"
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <future>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace emulation;
using std::size_t;
using u32 = std::uint32_t;
using hindsight::par;
using hindsight::par_nosync;

/// A functor whose copies die with what they know: only copies may outlive a call.
struct of_digit {
  explicit of_digit(u32 base) : base_{base} {}
  of_digit(const of_digit&) = default;
  ~of_digit() { base_ = 1; }
  bool operator()(u32 a) const { return a / 10 % base_ == 1; }
  bool operator()(u32 a, u32 b) const { return a / 10 % base_ < b / 10 % base_; }

 private:
  u32 base_;
};

constexpr size_t n = 3001;
constexpr size_t spare = 8;

std::vector<u32> items_of(u32 kind) {
  std::vector<u32> items = numbers<u32>(n + kind);
  items.resize(n);
  return items;
}

/// Inputs and outputs of one call. They outlive a device that is reset.
struct arrays {
  arrays() { reset(0); }
  void reset(u32 kind) {
    data.assign(items_of(kind));
    for (auto* const out : {&one, &other}) out->assign(std::vector<u32>(n + spare, 0xfeedbeef));
  }
  std::vector<u32> all() const {
    std::vector<u32> items = data.to_host();
    for (const auto* const out : {&one, &other}) {
      const std::vector<u32> some = out->to_host();
      items.insert(items.end(), some.begin(), some.end());
    }
    return items;
  }
  u32* first() const { return data.data(); }
  u32* last() const { return data.data() + n; }

  device_array<u32> data{n}, one{n + spare}, other{n + spare};
};

/// Visits calls of many families that return no value: visit(name, call(policy, arrays)).
template <class Visit>
void for_calls_without_a_value(Visit visit) {
  visit("scan", [](auto policy, const arrays& a) {
    thrust::inclusive_scan(policy, a.first(), a.last(), a.one.data());
  });
  visit("scan by key, in place", [](auto policy, const arrays& a) {
    thrust::inclusive_scan_by_key(policy, a.first(), a.last(), a.first(), a.first());
  });
  visit("sort", [](auto policy, const arrays& a) { thrust::sort(policy, a.first(), a.last()); });
  visit("sort by an order", [](auto policy, const arrays& a) {
    thrust::stable_sort(policy, a.first(), a.last(), of_digit{7});
  });
  visit("reduce_into", [](auto policy, const arrays& a) {
    hindsight::reduce_into(policy, a.first(), a.last(), a.one.data());
  });
  visit("histogram", [](auto policy, const arrays& a) {
    hindsight::histogram_even(policy, a.first(), a.last(), 31, 0u, 93u, a.one.data());
  });
  visit("top_k", [](auto policy, const arrays& a) {
    hindsight::top_k(policy, a.first(), a.last(), 1000, a.one.data());
  });
  visit("run lengths", [](auto policy, const arrays& a) {
    hindsight::run_length_encode_into(policy, a.first(), a.last(), a.one.data(), a.other.data(),
                                      a.one.data() + n);
  });
  visit("box_filter", [](auto policy, const arrays& a) {
    hindsight::box_filter(policy, a.first(), a.one.data(), 30, n / 30, 30, 2);
  });
  visit("a matrix by rows", [](auto policy, const arrays& a) {
    const thrust::counting_iterator<u32> entries{0};
    const auto rows = thrust::make_transform_iterator(entries, [](u32 i) { return i / 7; });
    const auto matrix = hindsight::coo(n / 7 + 1, rows, rows + n, entries, a.first());
    hindsight::spmv(policy, matrix, a.first(), a.one.data());
  });
  visit("a chain of deferred sizes", [](auto policy, const arrays& a) {
    u32 *const out = a.one.data(), *const other = a.other.data();
    u32 *const count = a.one.data() + n, *const rest = a.other.data() + n;
    hindsight::copy_if_into(policy, a.first(), a.last(), out, count, of_digit{2});
    hindsight::deferred size{count, n};
    hindsight::inclusive_scan(policy, out, size, out);
    hindsight::copy_if_into(policy, out, size, other, rest, of_digit{3});
    hindsight::inclusive_scan(policy, other, hindsight::deferred{rest, n}, other);
    hindsight::reduce_into(policy, other, hindsight::deferred{rest, n}, a.one.data() + n + 1);
    size = hindsight::deferred{rest, size_t{0}};  // the calls have their own
  });
}

/// Visits calls that wait for a value, which they write to the arrays.
template <class Visit>
void for_calls_with_a_value(Visit visit) {
  visit("reduce", [](auto policy, const arrays& a) {
    a.other.data()[0] = thrust::reduce(policy, a.first(), a.last());
  });
  visit("copy_if", [](auto policy, const arrays& a) {
    const auto end = thrust::copy_if(policy, a.first(), a.last(), a.one.data(), of_digit{2});
    a.other.data()[0] = static_cast<u32>(end - a.one.data());
  });
  visit("max_element and find", [](auto policy, const arrays& a) {
    const auto most = thrust::max_element(policy, a.first(), a.last());
    const auto found = thrust::find(policy, a.first(), a.last(), 17u);
    a.other.data()[0] = static_cast<u32>(most - a.first());
    a.other.data()[1] = static_cast<u32>(found - a.first());
  });
  visit("partition in place", [](auto policy, const arrays& a) {
    const auto end = thrust::stable_partition(policy, a.first(), a.last(), of_digit{2});
    a.other.data()[0] = static_cast<u32>(end - a.first());
  });
  visit("reduce_by_key", [](auto policy, const arrays& a) {
    const auto ends =
        thrust::reduce_by_key(policy, a.first(), a.last(), a.first(), a.one.data(), a.other.data());
    a.other.data()[n] = static_cast<u32>(ends.first - a.one.data());
  });
}

/// What a call leaves of items of one kind. The calls' values are another test's matter.
template <class Call>
std::vector<u32> expected_of(Call call, u32 kind) {
  reset_device(1);
  arrays a;
  a.reset(kind);
  call(par, a);
  EXPECT_EQ(failed_launch(), "");
  const std::vector<u32> expected = a.all();
  a.reset(kind);
  EXPECT_NE(difference(a.all(), expected), "") << "the call changes nothing";
  return expected;
}

void expect_no_harm_done(const std::string& where) {
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << where;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << where;
  EXPECT_EQ(failed_launch(), "") << where;
  hindsight::release_memory();
  EXPECT_EQ(living_arrays(), 0u) << where;
}

// --- captures ------------------------------------------------------------------------------------

/// The first call of a context is captured. Its graph runs again and again with other items, beside
/// another graph of the same call, and while other calls have the pool.
TEST(Streams, TheFirstCallIsCaptured) {
  for_calls_without_a_value([](const char* name, auto call) {
    const std::vector<u32> expected[] = {expected_of(call, 0), expected_of(call, 1)};
    for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                            cudaStreamCaptureModeRelaxed}) {
      SCOPED_TRACE(std::string{name} + ", mode " + std::to_string(mode));
      cudaDeviceReset();
      reset_device(mode + 10);
      arrays a, b;
      const std::vector<u32> untouched = a.all();
      {
        const own_stream streams[2];
        cudaGraphExec_t graphs[2] = {};
        for (const int i : {0, 1}) {
          cudaGraph_t graph = nullptr;
          EXPECT_EQ(cudaStreamBeginCapture(streams[i], mode), cudaSuccess);
          if (i == 0) {
            call(par.on(streams[i]), a);
          } else {
            call(par_nosync.on(streams[i]), b);
          }
          ASSERT_EQ(cudaStreamEndCapture(streams[i], &graph), cudaSuccess);
          EXPECT_EQ(cudaGraphInstantiate(&graphs[i], graph, 0), cudaSuccess);
          EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
        }
        EXPECT_EQ(difference(a.all(), untouched), "") << "a call ran at once";
        for (u32 replay = 0; replay < 4; ++replay) {
          a.reset(replay % 2);
          b.reset((replay + 1) % 2);
          arrays c;
          const own_stream third;
          EXPECT_EQ(cudaGraphLaunch(graphs[0], streams[0]), cudaSuccess);
          call(par_nosync.on(third), c);
          EXPECT_EQ(cudaGraphLaunch(graphs[1], streams[1]), cudaSuccess);
          for (const auto stream : {(cudaStream_t)streams[replay / 2], (cudaStream_t)third,
                                    (cudaStream_t)streams[1 - replay / 2]})
            EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
          EXPECT_EQ(difference(a.all(), expected[replay % 2]), "");
          EXPECT_EQ(difference(b.all(), expected[(replay + 1) % 2]), "");
          EXPECT_EQ(difference(c.all(), expected[0]), "");
        }
        for (const auto graph : graphs) EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
      }
      expect_no_harm_done("after the capture");
    }
  });
}

/// Two streams are captured in one graph: a call in each, and one after both.
TEST(Streams, BranchesOfOneGraph) {
  for_calls_without_a_value([](const char* name, auto call) {
    SCOPED_TRACE(name);
    const std::vector<u32> expected = expected_of(call, 0);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      cudaDeviceReset();
      reset_device(seed);
      arrays a, b, c;
      {
        const own_stream stream, branch;
        cudaEvent_t forked = nullptr, joined = nullptr;
        EXPECT_EQ(cudaEventCreate(&forked), cudaSuccess);
        EXPECT_EQ(cudaEventCreate(&joined), cudaSuccess);
        const auto graph = graph_of(stream, [&](cudaStream_t) {
          EXPECT_EQ(cudaEventRecord(forked, stream), cudaSuccess);
          EXPECT_EQ(cudaStreamWaitEvent(branch, forked, 0), cudaSuccess);
          call(par.on(stream), a);
          call(par.on(branch), b);
          EXPECT_EQ(cudaEventRecord(joined, branch), cudaSuccess);
          EXPECT_EQ(cudaStreamWaitEvent(stream, joined, 0), cudaSuccess);
          call(par_nosync.on(stream), c);
        });
        ASSERT_NE(graph, nullptr);
        for (int replay = 0; replay < 2; ++replay) {
          for (arrays* const each : {&a, &b, &c}) each->reset(0);
          EXPECT_EQ(cudaGraphLaunch(graph, branch), cudaSuccess);
          EXPECT_EQ(cudaStreamSynchronize(branch), cudaSuccess);
          for (const arrays* const each : {&a, &b, &c})
            EXPECT_EQ(difference(each->all(), expected), "");
        }
        EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
        EXPECT_EQ(cudaEventDestroy(forked), cudaSuccess);
        EXPECT_EQ(cudaEventDestroy(joined), cudaSuccess);
      }
      expect_no_harm_done("after the graph");
    }
  });
}

/// While a stream is being captured, calls in other streams run at once, the first ones too.
TEST(Streams, OtherStreamsRunWhileOneIsCaptured) {
  const auto expect_runs = [](const char* name, auto call) {
    SCOPED_TRACE(name);
    const std::vector<u32> expected = expected_of(call, 0);
    cudaDeviceReset();
    reset_device(3);
    arrays a, b;
    {
      const own_stream stream, other;
      cudaStream_t blocking = nullptr;
      EXPECT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
      const auto graph = graph_of(stream, [&](cudaStream_t) {
        call(par.on(other), a);
        EXPECT_EQ(difference(a.all(), expected), "");
        a.reset(0);
        call(par, a);
        EXPECT_EQ(difference(a.all(), expected), "") << "the default stream";
        a.reset(0);
        call(par.on(blocking), a);
        EXPECT_EQ(difference(a.all(), expected), "") << "a blocking stream";
        a.reset(0);
        std::thread{[&] { call(par.on(cudaStreamPerThread), a); }}.join();
        EXPECT_EQ(difference(a.all(), expected), "") << "another thread";
        hindsight::release_memory();
        thrust::inclusive_scan(par.on(stream), b.first(), b.last(), b.one.data());
        EXPECT_THROW(thrust::reduce(par.on(stream), b.first(), b.last()), thrust::system_error);
      });
      ASSERT_NE(graph, nullptr);
      EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
      EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
    }
    expect_no_harm_done("after the capture");
  };
  for_calls_without_a_value(expect_runs);
  for_calls_with_a_value(expect_runs);
}

/// A single call without a stream, while a stream is captured that the default stream waits for: an
/// error that says so, as CUB's. Nothing else is lost.
TEST(Streams, SingleCallsInADefaultStreamThatWaitsForACapture) {
  cudaDeviceReset();
  reset_device(1);
  {
    const arrays a;
    const auto scan = [&] {
      return hindsight::DeviceScan::InclusiveSum(a.first(), a.one.data(), int(n));
    };
    cudaStream_t blocking = nullptr;
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
    EXPECT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(scan(), cudaErrorStreamCaptureImplicit);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_NE(cudaStreamEndCapture(blocking, &graph), cudaSuccess);
    EXPECT_NE(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(scan(), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
  }
  expect_no_harm_done("after the capture");
}

// --- streams -------------------------------------------------------------------------------------

/// Programs keep a policy for each of their streams, by the name that Thrust has for its type.
TEST(Streams, PoliciesThatAProgramKeeps) {
  reset_device(0);
  const own_stream streams[2];
  hindsight::cuda::par_t::stream_attachment_type policies[] = {cudaStream_t{streams[1]}, {}};
  hindsight::cuda::par_nosync_t::stream_attachment_type without_wait = par_nosync.on(streams[1]);
  for (int i = 0; i < 2; ++i) policies[i] = par.on(streams[i]);
  device_array<u32> items{std::vector<u32>{3, 1, 2}};
  thrust::sort(policies[0], items.data(), items.data() + 3);
  EXPECT_EQ(items.to_host(), (std::vector<u32>{1, 2, 3}));
  thrust::inclusive_scan(without_wait, items.data(), items.data() + 3, items.data());
  EXPECT_EQ(thrust::reduce(policies[1], items.data(), items.data() + 3), 1u + 3 + 6);
  without_wait = cudaStream_t{streams[0]};
  EXPECT_EQ(thrust::reduce(without_wait, items.data(), items.data() + 3), 1u + 3 + 6);
}

/// Ten calls in each of three streams, none of which waits; all of them share the pool, and the
/// calls of one stream share a workspace.
TEST(Streams, ManyCallsWithoutAWait) {
  const auto expect_right = [](const char* name, auto call) {
    SCOPED_TRACE(name);
    const std::vector<u32> expected = expected_of(call, 0);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      reset_device(seed);
      constexpr size_t bytes = 1 << 20;
      const device_array<char> buffer{bytes};
      arrays all[9];
      {
        const own_stream streams[2];
        for (int i = 0; i < 9; ++i) {
          if (i % 3 == 0) call(par_nosync.on(streams[0]), all[i]);
          if (i % 3 == 1) call(par_nosync.on(cudaStreamPerThread), all[i]);
          if (i % 3 == 2) {
            hindsight::workspace space{buffer.data(), bytes};
            call(par_nosync(space).on(streams[1]), all[i]);
          }
          if (seed == 2 && i == 5) hindsight::release_memory();
        }
        EXPECT_EQ(cudaStreamSynchronize(streams[1]), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
      }
      for (const arrays& a : all) EXPECT_EQ(difference(a.all(), expected), "");
      expect_no_harm_done("after the calls");
    }
  };
  for_calls_without_a_value(expect_right);
  for_calls_with_a_value(expect_right);
}

/// A large item: a board of few tiles takes as much zeroed memory as a call may.
struct large_item {
  u32 sum, rest[127];
};
struct add_sums {
  large_item operator()(large_item a, const large_item& b) const { return a.sum += b.sum, a; }
};

struct sum_of {
  u32 operator()(const large_item& item) const { return item.sum; }
};

/// Calls of Device* take zeroed memory of their stream's own, until it is used up and cleared,
/// again and again: beside each other, in threads that follow each other in a stream, beside a
/// graph, and in more streams than have such memory.
TEST(Streams, ZeroedMemory) {
  constexpr size_t count = 890;
  std::vector<large_item> in(count);
  std::vector<u32> sums(count);
  u32 sum = 0;
  for (size_t i = 0; i < count; ++i) {
    in[i].sum = u32(i) * 2654435761u;
    sums[i] = sum += in[i].sum;
  }
  struct one_call {
    device_array<u32> out{count};
    device_array<char> temp{20000};  // of its own: nothing orders the streams
    void scan(const device_array<large_item>& items, cudaStream_t stream) {
      temp.poison();
      size_t bytes = 20000;
      EXPECT_EQ(hindsight::DeviceScan::InclusiveScan(
                    temp.data(), bytes, items.data(),
                    thrust::make_transform_output_iterator(out.data(), sum_of{}), add_sums{},
                    int(count), stream),
                cudaSuccess);
    }
  };
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    reset_device(seed);
    {  // a default stream, whose number is the same on the next device
      const device_array<large_item> items{in};
      one_call call;
      call.scan(items, nullptr);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }
    cudaDeviceReset();
    reset_device(seed);
    {
      const device_array<large_item> items{in};
      constexpr size_t num_calls = 30;
      std::deque<one_call> calls;
      const auto call_in = [&](cudaStream_t stream) { calls.emplace_back().scan(items, stream); };
      {
        const own_stream streams[2];
        const own_stream captured;
        call_in(nullptr);
        one_call& by_workspace = calls.emplace_back();
        hindsight::workspace space{by_workspace.temp.data(), 20000};
        asked_so_far() = {};
        thrust::inclusive_scan(
            par_nosync(space).on(captured), items.data(), items.data() + count,
            thrust::make_transform_output_iterator(by_workspace.out.data(), sum_of{}), add_sums{});
        EXPECT_EQ(asked_so_far().allocations, 0u);
        call_in(captured);
        const auto graph = graph_of(captured, call_in);
        ASSERT_NE(graph, nullptr);
        one_call& of_graph = calls.back();
        for (size_t i = 0; i < num_calls; ++i) {
          for (const own_stream& stream : streams) call_in(stream);
          if (i % 10 == 5) {
            EXPECT_EQ(cudaGraphLaunch(graph, streams[0]), cudaSuccess);
          }
        }
        call_in(nullptr);
        asked_so_far() = {};
        for (size_t i = 0; i < num_calls; ++i) std::thread{[&] { call_in(streams[1]); }}.join();
        EXPECT_LE(asked_so_far().allocations, 1u) << "a slab of threads that ended";
        EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(streams[1]), cudaSuccess);
        of_graph.out.poison();
        EXPECT_EQ(cudaGraphLaunch(graph, streams[0]), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
        EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
      }
      asked_so_far() = {};
      for (size_t i = 0; i < 50; ++i) call_in(own_stream{});
      EXPECT_LE(asked_so_far().allocations, 32u) << "too many streams have memory";
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      for (size_t i = 0; i < calls.size(); ++i) {
        ASSERT_EQ(difference(calls[i].out.to_host(), sums), "") << "call " << i;
      }
    }
    expect_no_harm_done("after the calls");
  }
}

/// Calls that wait are done when they return, whatever other streams have left to do. What these
/// did with the pool's memory, and with that of calls that wait, makes no difference.
TEST(Streams, CallsThatWaitAreDone) {
  const auto expect_done = [](const char* name, auto call) {
    SCOPED_TRACE(name);
    const std::vector<u32> expected = expected_of(call, 0);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      reset_device(seed);
      arrays a, b, pending;
      {
        const own_stream stream, other;
        cudaStream_t blocking = nullptr;
        EXPECT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
        for (const cudaStream_t each :
             {cudaStream_t{stream}, blocking, cudaStreamLegacy, cudaStreamPerThread}) {
          pending.reset(0);
          thrust::inclusive_scan(par_nosync.on(other), pending.first(), pending.last(),
                                 pending.one.data());
          a.reset(0);
          call(par.on(each), a);
          EXPECT_EQ(difference(a.all(), expected), "");
          call(par_nosync.on(blocking), b);  // the default stream waits for it
          call(par, (a.reset(0), a));
          EXPECT_EQ(difference(a.all(), expected), "") << "the default stream";
          EXPECT_EQ(difference(b.all(), expected), "") << "before the default stream";
          b.reset(0);
          EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
        }
        EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
      }
      expect_no_harm_done("after the calls");
    }
  };
  for_calls_without_a_value(expect_done);
  for_calls_with_a_value(expect_done);
}

/// release_memory() waits for kernels that run. Other threads can call meanwhile.
TEST(Streams, ReleaseMemoryKeepsNoOtherThreadWaiting) {
  cudaDeviceReset();
  reset_device(1);
  {
    constexpr size_t count = 890;
    const device_array<large_item> items{std::vector<large_item>(count)};
    const device_array<u32> sums{count};
    const auto out = thrust::make_transform_output_iterator(sums.data(), sum_of{});
    const auto call = [&] {
      large_item* const last = items.data() + count;
      thrust::inclusive_scan(par_nosync, items.data(), last, out, add_sums{});
      thrust::inclusive_scan(par, items.data(), last, out, add_sums{});
      return thrust::reduce(par, sums.data(), sums.data() + count);
    };
    EXPECT_EQ(call(), 0u);
    std::vector<std::future<u32>> calls;
    while_free_waits() = [&] {
      calls.push_back(std::async(std::launch::async, call));
      EXPECT_EQ(calls.back().wait_for(std::chrono::seconds(20)), std::future_status::ready);
    };
    hindsight::release_memory();
    while_free_waits() = nullptr;
    EXPECT_GE(calls.size(), 3u) << "a slot of a result, a slab of a call, a slab of a stream";
    for (auto& each : calls) EXPECT_EQ(each.get(), 0u);
  }
  expect_no_harm_done("after the calls");
}

// --- errors --------------------------------------------------------------------------------------

/// One call of the runtime after the other fails, in a context without anything and in one where
/// the library keeps memory: one exception with the algorithm's name, or the right result.
template <class Policy, class Call>
std::string wrong_after_faults(const std::string& name, Policy policy, Call call, bool is_first) {
  const std::vector<u32> expected = expected_of(call, 0);
  for (int fault = 0; fault < 200; ++fault) {
    const std::string where = name + ", fault " + std::to_string(fault) + ": ";
    if (is_first) cudaDeviceReset();
    reset_device(static_cast<std::uint64_t>(fault));
    arrays a;
    if (!is_first) call(policy, a);
    cudaDeviceSynchronize();
    a.reset(0);
    bool threw = false;
    fail_at(fault);
    try {
      call(policy, a);
    } catch (const thrust::system_error& error) {
      threw = true;
      if (std::string{error.what()}.find("hindsight::") == std::string::npos)
        return where + "no algorithm is named: " + error.what();
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    const bool failed = has_failed();
    fail_at(-1);
    if (cudaGetLastError() != cudaSuccess) return where + "an error was left behind";
    cudaDeviceSynchronize();
    if (!threw && a.all() != expected) return where + "silently wrong";
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (mode != cudaStreamCaptureModeGlobal) return where + "the thread's capture mode has changed";
    for (int times = 0; times < 2; ++times) {
      a.reset(0);
      call(policy, a);
      cudaDeviceSynchronize();
      if (a.all() != expected) return where + "the next call is wrong";
    }
    hindsight::release_memory();
    if (living_arrays() != 0) return where + "memory stays behind";
    if (!failed_launch().empty()) return where + failed_launch();
    if (!failed) return fault > 0 ? "" : where + "no call of the runtime was seen";
  }
  return name + ": more than 200 calls of the runtime";
}

TEST(Streams, AnyCallOfTheRuntimeMayFail) {
  const auto expect_no_harm = [](const std::string& name, auto call) {
    for (const bool is_first : {true, false}) {
      const std::string when = is_first ? " (the first call)" : "";
      EXPECT_EQ(wrong_after_faults(name + when, par, call, is_first), "");
      EXPECT_EQ(wrong_after_faults(name + " without a wait" + when, par_nosync, call, is_first),
                "");
    }
  };
  for_calls_without_a_value(expect_no_harm);
  for_calls_with_a_value(expect_no_harm);
}

/// One call of the runtime after the other fails in the second phase of a call of Device*: the
/// error is returned, and is not left to later calls.
template <class Call>
void expect_error_is_returned(const char* name, Call call) {
  for (int fault = 0; fault < 100; ++fault) {
    SCOPED_TRACE(std::string{name} + ", fault " + std::to_string(fault));
    reset_device(1);
    const arrays a;
    size_t bytes = 0;
    ASSERT_EQ(call(a, nullptr, bytes), cudaSuccess);
    const device_array<char> temp{bytes};
    fail_at(fault);
    const cudaError_t status = call(a, temp.data(), bytes);
    const bool failed = has_failed();
    fail_at(-1);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    cudaDeviceSynchronize();
    if (!failed) {
      EXPECT_EQ(status, cudaSuccess);
      return;
    }
  }
  FAIL() << name << ": more than 100 calls of the runtime";
}

TEST(Streams, TwoPhasesLeaveNoErrorBehind) {
  expect_error_is_returned("scan", [](const arrays& a, void* temp, size_t& bytes) {
    return hindsight::DeviceScan::InclusiveSum(temp, bytes, a.first(), a.one.data(), int(n));
  });
  expect_error_is_returned("scan by key", [](const arrays& a, void* temp, size_t& bytes) {
    return hindsight::DeviceScan::InclusiveSumByKey(temp, bytes, a.first(), a.first(), a.first(),
                                                    int(n));
  });
  expect_error_is_returned("reduce", [](const arrays& a, void* temp, size_t& bytes) {
    return hindsight::DeviceReduce::Sum(temp, bytes, a.first(), a.one.data(), int(n));
  });
  expect_error_is_returned("select", [](const arrays& a, void* temp, size_t& bytes) {
    return hindsight::DeviceSelect::If(temp, bytes, a.first(), a.one.data(), a.other.data(), int(n),
                                       of_digit{2});
  });
  expect_error_is_returned("histogram", [](const arrays& a, void* temp, size_t& bytes) {
    return hindsight::DeviceHistogram::HistogramEven(temp, bytes, a.first(), a.one.data(), 10, 0u,
                                                     100u, int(n));
  });
}

/// A context that is broken makes each call throw. After a reset calls are right again.
TEST(Streams, BrokenContext) {
  const auto expect_throws = [](const char* name, auto call) {
    SCOPED_TRACE(name);
    const std::vector<u32> expected = expected_of(call, 0);
    reset_device(5);
    arrays a;
    call(par, a);
    break_context();
    a.reset(0);
    const std::vector<u32> before = a.all();
    for (int times = 0; times < 2; ++times) {
      EXPECT_THROW(call(par, a), thrust::system_error);
      EXPECT_THROW(call(par_nosync, a), thrust::system_error);
      cudaGetLastError();
    }
    EXPECT_EQ(difference(a.all(), before), "");
    cudaDeviceReset();
    call(par, a);
    EXPECT_EQ(difference(a.all(), expected), "");
    expect_no_harm_done("after the reset");
  };
  for_calls_without_a_value(expect_throws);
  for_calls_with_a_value(expect_throws);
}

/// A refused call launches nothing, waits for nothing and takes no memory.
TEST(Streams, RefusedCallsAskForNothing) {
  reset_device(0);
  arrays a;
  thrust::reduce(par, a.first(), a.last());
  const own_stream stream;
  const auto expect_nothing = [&](const char* name, auto call) {
    SCOPED_TRACE(name);
    const std::vector<u32> before = a.all();
    asked_so_far() = {};
    EXPECT_ANY_THROW(call());
    EXPECT_EQ(asked_so_far().launches, 0u);
    EXPECT_EQ(asked_so_far().waits, 0u);
    EXPECT_EQ(asked_so_far().allocations, 0u);
    EXPECT_EQ(difference(a.all(), before), "");
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  };
  u32* const out = a.one.data();
  expect_nothing("no bins",
                 [&] { hindsight::histogram_even(par, a.first(), a.last(), 0, 0u, 9u, out); });
  expect_nothing("a null workspace", [&] {
    hindsight::workspace space{nullptr, 0};
    thrust::stable_sort(par(space), a.first(), a.last(), of_digit{7});
  });
  expect_nothing("a workspace that is too small", [&] {
    hindsight::workspace space{a.other.data(), 300};
    thrust::stable_sort(par(space), a.first(), a.last(), of_digit{7});
  });
  expect_nothing("a range that ends before it begins", [&] {
    hindsight::copy_if_into(par, a.last(), a.first(), out, out + n, of_digit{2});
  });
  // An older error of the program's is the program's to clear.
  cudaSetDevice(77);
  EXPECT_THROW(thrust::reduce(par, a.first(), a.last()), thrust::system_error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

/// CUB's calls take a stream as a number, as a null pointer, and as a program's class that converts
/// to one. None of these is taken for an operator or for the number of items.
TEST(Streams, OfCubsCallsInEveryForm) {
  struct wrapper {
    cudaStream_t stream;
    operator cudaStream_t() const { return stream; }
  };
  const auto run = [](auto call) {
    std::size_t bytes = 0;
    EXPECT_EQ(call(nullptr, bytes), cudaSuccess);
    const device_array<unsigned char> temp{bytes};
    EXPECT_EQ(call(temp.data(), bytes), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  };
  reset_device(0);
  const own_stream stream;
  const wrapper own{stream};
  const std::vector<u32> items = {1, 1, 2, 4, 5, 5, 5, 8};
  const device_array<u32> in{items}, count(2);
  device_array<u32> out(8);
  u32 *const p = in.data(), *const q = out.data(), *const c = count.data();
  const auto expect = [&](const std::vector<u32>& expected) {
    EXPECT_EQ(out.to_host(expected.size()), expected);
    out.poison();
  };
  using hindsight::DevicePartition, hindsight::DeviceSelect, hindsight::DeviceScan;
  const auto even = [](u32 a) { return a % 2 == 0; };
  const std::vector<u32> parted = {2, 4, 8, 5, 5, 5, 1, 1}, sums = {1, 2, 4, 8, 13, 18, 23, 31};
  run([&](void* t, auto& s) { return DevicePartition::If(t, s, p, q, c, 8, even, 0); });
  expect(parted);
  run([&](void* t, auto& s) { return DevicePartition::If(t, s, p, q, c, 8, even, nullptr); });
  expect(parted);
  run([&](void* t, auto& s) { return DevicePartition::If(t, s, p, q, c, 8, even, own); });
  expect(parted);
  run([&](void* t, auto& s) { return DeviceSelect::Unique(t, s, p, q, c, 8, own); });
  expect({1, 2, 4, 5, 8});
  run([&](void* t, auto& s) { return DeviceScan::InclusiveSum(t, s, p, q, 8, own); });
  expect(sums);
  EXPECT_EQ(DeviceScan::InclusiveSum(p, q, 8, own), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  expect(sums);
  run([&](void* t, auto& s) { return DeviceScan::InclusiveSum(t, s, p, 8, own); });
  EXPECT_EQ(in.to_host(), sums);
}

/// The calls whose two phases end with an environment in CUB 3.6 take one, and run in its stream. A
/// null pointer, a number and a program's class behind an operator are streams as well.
TEST(Streams, OfEnvironmentsInTwoPhases) {
  struct careless_wrapper {
    cudaStream_t stream;
    operator cudaStream_t() { return stream; }
  };
  reset_device(0);
  const own_stream stream;
  const auto env = hindsight::execution::env{cudaStream_t{stream}};
  careless_wrapper careless{stream};
  const std::vector<u32> items = {1, 1, 2, 4, 5, 5, 5, 8};
  const device_array<u32> in{items}, values(8), count(2);
  device_array<u32> out(8);
  u32 *const p = in.data(), *const q = out.data(), *const v = values.data(), *c = count.data();
  const auto expect_that = [&](const std::vector<u32>& expected, auto call) {
    std::size_t bytes = 0;
    EXPECT_EQ(call(nullptr, bytes), cudaSuccess);
    const device_array<unsigned char> temp{bytes};
    EXPECT_EQ(call(temp.data(), bytes), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out.to_host(expected.size()), expected);
    out.poison();
  };
  using namespace hindsight;
  const auto even = [](u32 a) { return a % 2 == 0; };
  const auto equal = ::cuda::std::equal_to<>{};
  const std::vector<u32> evens = {2, 4, 8}, kinds = {1, 2, 4, 5, 8};
  const std::vector<u32> parted = {2, 4, 8, 5, 5, 5, 1, 1}, steps = {1, 0, 1, 2, 1, 0, 0, 3};
  expect_that(evens,
              [&](void* t, auto& s) { return DeviceSelect::If(t, s, p, q, c, 8, even, env); });
  expect_that(items,
              [&](void* t, auto& s) { return DeviceSelect::Flagged(t, s, p, p, q, c, 8, env); });
  expect_that(evens, [&](void* t, auto& s) {
    return DeviceSelect::FlaggedIf(t, s, p, p, q, c, 8, even, env);
  });
  expect_that(kinds, [&](void* t, auto& s) { return DeviceSelect::Unique(t, s, p, q, c, 8, env); });
  const auto expect_kinds = [&](auto... last) {
    expect_that(kinds, [&](void* t, auto& s) {
      return DeviceSelect::UniqueByKey(t, s, p, p, q, v, c, 8, last...);
    });
    expect_that(kinds, [&](void* t, auto& s) {
      return DeviceSelect::UniqueByKey(t, s, p, p, q, v, c, 8, equal, last...);
    });
  };
  expect_kinds(env);
  expect_kinds(nullptr);
  expect_kinds(careless);
  expect_that(kinds,
              [&](void* t, auto& s) { return DeviceSelect::Unique(t, s, p, q, c, 8, equal, 0); });
  expect_that(parted,
              [&](void* t, auto& s) { return DevicePartition::If(t, s, p, q, c, 8, even, env); });
  expect_that({8, 0}, [&](void* t, auto& s) {
    return DeviceHistogram::HistogramEven(t, s, p, q, 3, 0, 20, 8, env);
  });
  expect_that(steps, [&](void* t, auto& s) {
    return DeviceAdjacentDifference::SubtractLeftCopy(t, s, p, q, 8, ::cuda::std::minus<>{}, env);
  });
  expect_that({1}, [&](void* t, auto& s) { return DeviceReduce::ArgMin(t, s, p, q, c, 8, env); });
}

/// In steady state calls allocate nothing, and wait once or not at all.
TEST(Streams, SteadyState) {
  const auto expect_little = [](bool has_value) {
    return [=](const std::string& name, auto call) {
      const unsigned values = !has_value ? 0 : name == "max_element and find" ? 2 : 1;
      const unsigned most = name == "a chain of deferred sizes" ? 5 : 1;
      SCOPED_TRACE(name);
      reset_device(0);
      arrays a;
      call(par, a);
      for (int times = 0; times < 3; ++times) {
        a.reset(0);
        asked_so_far() = {};
        call(par, a);
        EXPECT_EQ(asked_so_far().allocations, 0u);
        EXPECT_LE(asked_so_far().waits, std::max(values, most));
        a.reset(0);
        asked_so_far() = {};
        call(par_nosync, a);
        EXPECT_EQ(asked_so_far().allocations, 0u);
        EXPECT_EQ(asked_so_far().waits, values);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      }
      expect_no_harm_done("after the calls");
    };
  };
  for_calls_without_a_value(expect_little(false));
  for_calls_with_a_value(expect_little(true));
}

/// Calls with a workspace allocate nothing, also where they need no temporary memory.
TEST(Streams, NothingBesideAWorkspace) {
  const auto expect_nothing_else = [](const std::string& name, auto call) {
    SCOPED_TRACE(name);
    reset_device(0);
    arrays a;
    constexpr size_t bytes = 1 << 20;
    const device_array<char> buffer{bytes};
    hindsight::workspace space{buffer.data(), bytes};
    asked_so_far() = {};
    call(par(space), a);
    call(par_nosync(space), a);
    EXPECT_EQ(asked_so_far().allocations, 0u);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    expect_no_harm_done("after the calls");
  };
  for_calls_without_a_value(expect_nothing_else);
}

/// An allocator that has no memory, and says so in its own way.
struct refusing_allocator {
  using value_type = char;
  struct refusal : thrust::system_error {
    refusal() : thrust::system_error{cudaErrorNotSupported, thrust::cuda_category(), "no more"} {}
  };
  char* allocate(std::size_t) { throw refusal{}; }
  void deallocate(char*, std::size_t) noexcept {}
};

TEST(Streams, ExceptionsOfAnAllocatorReachTheCaller) {
  reset_device(0);
  arrays a;
  refusing_allocator none;
  using refusal = refusing_allocator::refusal;
  u32 *const in = a.first(), *const out = a.one.data();
  EXPECT_THROW(hindsight::box_filter(par(none), in, out, 30, 100, 30, 2), refusal);
  EXPECT_THROW(hindsight::box_filter(par_nosync(none), in, out, 30, 100, 30, 2), refusal);
}

/// A static object sorts when it is destroyed, after main.
struct at_the_end {
  arrays a;
  ~at_the_end() {
    a.reset(0);
    thrust::sort(par, a.first(), a.last());
    const u32 sum = thrust::reduce(par, a.first(), a.last());
    u32 expected = 0;
    for (const u32 item : items_of(0)) expected += item;
    const std::vector<u32> items = a.data.to_host();
    if (sum != expected || !std::is_sorted(items.begin(), items.end())) std::abort();
  }
};

TEST(Streams, CallsAfterMain) {
  reset_device(0);
  static const at_the_end one;
  EXPECT_EQ(failed_launch(), "");
}

}  // namespace
