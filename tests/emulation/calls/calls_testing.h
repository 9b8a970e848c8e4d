// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of the library, made in every way that a policy allows.
#pragma once

#include <hindsight/policy.h>
#include <hindsight/reduce.h>
#include <hindsight/scan.h>

#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/system_error.h>

#include "emulation/testing.h"
#include "runtime.h"
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace emulation {

/// [n] random items, many of them alike.
template <class T>
std::vector<T> numbers(std::size_t n) {
  std::mt19937_64 draw{n};
  std::vector<T> items(n);
  for (T& item : items) item = static_cast<T>(draw() % 4 == 0 ? draw() % 100 : draw());
  return items;
}

/// A stream that the default stream does not wait for.
class own_stream {
 public:
  own_stream() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
  }
  own_stream(const own_stream&) = delete;
  ~own_stream() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What `capture(stream)` puts into a stream, as a graph; null where the capture was broken.
template <class Capture>
cudaGraphExec_t graph_of(cudaStream_t stream, Capture capture) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  capture(stream);
  if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) return cudaGetLastError(), nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  return exec;
}

/// A call that works on one array, which has its inputs and its outputs: what the array holds
/// before and after.
template <class T>
class call_of {
 public:
  explicit call_of(std::vector<T> items) : expected{items}, items_{std::move(items)} {}

  std::vector<T> expected;

  /// `run(policy, array)` with par, in a stream, and without a wait.
  template <class Run>
  void by_every_policy(Run run) {
    for (std::uint64_t seed = 0; seed < machines; ++seed) {
      begin(seed);
      run(hindsight::par, array_.data());
      check("par");
      const own_stream stream;
      array_.assign(items_);
      run(hindsight::par.on(stream), array_.data());
      check("par.on(stream)");
      array_.assign(items_);
      run(hindsight::par_nosync.on(stream), array_.data());
      EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      check("par_nosync.on(stream)");
      end();
    }
  }

  /// The same, and captured in a graph that runs twice.
  template <class Run>
  void every_way(Run run) {
    by_every_policy(run);
    begin(0);
    array_.poison();
    {
      const own_stream stream;
      const auto exec = graph_of(stream, [&](auto s) { run(hindsight::par.on(s), array_.data()); });
      ASSERT_NE(exec, nullptr);
      for (int replay = 0; replay < 2; ++replay) {
        array_.assign(items_);
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        check("a graph");
      }
      EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    }
    end();
  }

  /// The same of a call that returns what the work finds out: while its stream is being captured it
  /// throws, and nothing changes.
  template <class Run>
  void every_way_but_captured(Run run) {
    by_every_policy(run);
    begin(0);
    const own_stream stream;
    const auto exec = graph_of(stream, [&](auto s) {
      EXPECT_THROW(run(hindsight::par.on(s), array_.data()), thrust::system_error);
    });
    ASSERT_NE(exec, nullptr) << "the capture was broken";
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_EQ(difference(array_.to_host(), items_), "");
  }

 private:
  static constexpr std::uint64_t machines = 4;

  void begin(std::uint64_t seed) {
    seed_ = seed;
    reset_device(seed);
    hindsight::release_memory();
    array_.assign(items_);
    arrays_ = living_arrays();
  }
  void check(const char* way) {
    EXPECT_EQ(failed_launch(), "") << way;
    EXPECT_EQ(difference(array_.to_host(), expected), "")
        << way << ", an array of " << items_.size() << ", seed " << seed_;
  }
  /// Temporary memory was given back.
  void end() {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    hindsight::release_memory();
    EXPECT_EQ(living_arrays(), arrays_);
  }

  std::vector<T> items_;
  device_array<T> array_{items_.size()};
  std::uint64_t seed_ = 0;
  std::size_t arrays_ = 0;
};

}  // namespace emulation
