// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls of every family are put through: small enough for compute-sanitizer, replayed a
// thousand times from a graph, from many threads at once, with one multiprocessor free, and with
// each call of the runtime failing in turn. Whatever a call writes, and does not write, is compared
// with what stock left, or the standard library. The linker wraps what faulty_runtime.h says.
//
//   HINDSIGHT_TEST_SECONDS=N        for how long threads call (default 2)
//   HINDSIGHT_TEST_LEAVE_OUT="a b"  calls that EachCall leaves out, to look at the others
#pragma once

#include <hindsight/hindsight.h>

#include "faulty_runtime.h"
#include "gpu_testing.h"
#include "occupying_kernels.h"
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <thread>

namespace hindsight_test {

using u32 = std::uint32_t;

struct ours;
struct stock;

/// Composition of x -> a * x + b in halves of a word: does not commute.
struct compose_halves {
  HINDSIGHT_HD u32 operator()(u32 f, u32 g) const {
    const u32 a = (f & 0xffff) * (g & 0xffff) & 0xffff;
    return ((g & 0xffff) * (f >> 16) + (g >> 16)) << 16 | a;
  }
};
/// [n] random items, [n] keys in runs, [n] flags and [11] levels that increase.
struct inputs {
  device_array<u32> items, keys, levels;
  device_array<unsigned char> flags;
  inputs(std::size_t n, u32 seed) : items(n), keys(n), levels(11), flags(n) {
    std::mt19937 random{seed};
    std::vector<u32> numbers(n), runs(n), steps(11);
    std::vector<unsigned char> bits(n);
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = u32(random());
      runs[i] = i > 0 && random() % 8 > 0 ? runs[i - 1] : u32(random());
      bits[i] = random() % 4 == 0;
    }
    for (u32 i = 0; i < 11; ++i) steps[i] = i * i << 24;
    items.assign(numbers);
    keys.assign(runs);
    flags.assign(bits);
    levels.assign(steps);
  }
};

/// What a call may write: two arrays [n + 1] and a number.
struct results {
  u32 *first, *second, *number;
};

/// A call in two phases, of either library.
template <class Api>
using call = cudaError_t (*)(void*, std::size_t&, const inputs&, const results&, int n,
                             cudaStream_t);
struct row {
  const char* name;
  call<ours> by_us;
  call<stock> by_stock;
  bool waits;               ///< for a value, and cannot be captured
  int free_threads = 1024;  ///< of a multiprocessor, where the others occupy the rest of the GPU
};
/// The calls of a test.
std::vector<row> rows();

template <class Call>
row row_of(const char* name, bool waits = false) {
  return {name, Call::template run<ours>, Call::template run<stock>, waits};
}
/// *num_wrong += how many of the words differ.
static __global__ void compare_kernel(const u32* words, const u32* expected, std::size_t count,
                                      unsigned* num_wrong) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    if (words[i] != expected[i]) atomicAdd(num_wrong, 1u);
}

/// Room for the results of calls of up to n items, for temporary memory, and a stream.
class place {
 public:
  explicit place(std::size_t n) : words_(num_words(n)), num_wrong_(1) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    num_wrong_.assign({0});
  }
  place(const place&) = delete;
  place& operator=(const place&) = delete;
  ~place() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }

  static std::size_t num_words(std::size_t n) { return 2 * (n + 64) + 1; }
  cudaStream_t stream() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_)); }
  unsigned num_wrong() const { return num_wrong_.to_host()[0]; }

  /// Makes room; before anything is captured.
  template <class Call>
  void prepare(Call run, const inputs& in, std::size_t n) {
    std::size_t bytes = 0;
    check(run(nullptr, bytes, in, results_of(n), int(n), stream_));
    if (!temp_ || temp_->size() < bytes) temp_ = std::make_unique<device_array<char>>(bytes);
  }
  /// Clears all results and calls.
  template <class Call>
  void run(Call run, const inputs& in, std::size_t n) const {
    clear(n);
    check(call(run, in, n));
  }
  void clear(std::size_t n) const {
    check(cudaMemsetAsync(words_.data(), 0xAB, num_words(n) * sizeof(u32), stream_));
  }
  template <class Call>
  cudaError_t call(Call run, const inputs& in, std::size_t n) const {
    std::size_t bytes = temp_->size();
    return run(temp_->data(), bytes, in, results_of(n), int(n), stream_);
  }
  void compare(const device_array<u32>& expected) const {
    compare_kernel<<<64, 256, 0, stream_>>>(words_.data(), expected.data(), expected.size(),
                                            num_wrong_.data());
    check(cudaGetLastError());
  }
  std::vector<u32> words(std::size_t n) const {
    wait();
    return words_.to_host(num_words(n));
  }

 private:
  results results_of(std::size_t n) const {
    return {words_.data(), words_.data() + n + 64, words_.data() + 2 * (n + 64)};
  }

  device_array<u32> words_;
  device_array<unsigned> num_wrong_;
  std::unique_ptr<device_array<char>> temp_;
  cudaStream_t stream_ = nullptr;
};

struct Stress : testing::Test {
  /// What is kept for later calls is no leak; compute-sanitizer cannot know.
  static void TearDownTestSuite() { hindsight::release_memory(); }
  /// What stock leaves, for each row.
  static std::vector<std::unique_ptr<device_array<u32>>> all_expected(const inputs& in,
                                                                      std::size_t n) {
    std::vector<std::unique_ptr<device_array<u32>>> expected;
    place there(n);
    for (const row& one : rows()) {
      there.prepare(one.by_stock, in, n);
      there.run(one.by_stock, in, n);
      expected.push_back(std::make_unique<device_array<u32>>(there.words(n)));
    }
    return expected;
  }
};

TEST_F(Stress, EachCall) {
  const char* const text = std::getenv("HINDSIGHT_TEST_LEAVE_OUT");
  const std::string left_out = std::string{" "} + (text ? text : "") + " ";
  const auto all = rows();
  for (const std::size_t n : {std::size_t{1}, std::size_t{777}, std::size_t{40'003}}) {
    const inputs in(n, 1);
    const auto expected = all_expected(in, n);
    place here(n);
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (left_out.find(std::string{" "} + all[r].name + " ") != std::string::npos) continue;
      here.prepare(all[r].by_us, in, n);
      here.run(all[r].by_us, in, n);
      EXPECT_EQ(difference(here.words(n), expected[r]->to_host()), "") << all[r].name << ' ' << n;
    }
  }
}

TEST_F(Stress, ThousandReplays) {
  const auto all = rows();
  for (const std::size_t n : {std::size_t{300}, std::size_t{100'000}, std::size_t{3'000'000}}) {
    const inputs in(n, 2);
    const auto expected = all_expected(in, n);
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (all[r].waits) continue;
      SCOPED_TRACE(testing::Message() << all[r].name << ' ' << n);
      place here(n);
      here.prepare(all[r].by_us, in, n);
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t replay = nullptr;
      check(cudaStreamBeginCapture(here.stream(), cudaStreamCaptureModeGlobal));
      here.run(all[r].by_us, in, n);
      here.compare(*expected[r]);
      check(cudaStreamEndCapture(here.stream(), &graph));
      check(cudaGraphInstantiate(&replay, graph, 0));
      for (int i = 0; i < 1000; ++i) check(cudaGraphLaunch(replay, here.stream()));
      here.wait();
      EXPECT_EQ(here.num_wrong(), 0u);
      check(cudaGraphExecDestroy(replay));
      check(cudaGraphDestroy(graph));
    }
  }
}

TEST_F(Stress, OneMultiprocessorFree) {
  const auto all = rows();
  for (const std::size_t n : {std::size_t{40'003}, std::size_t{300'003}}) {
    const inputs in(n, 4);
    const auto expected = all_expected(in, n);
    for (std::size_t r = 0; r < all.size(); ++r) {
      place here(n);
      here.prepare(all[r].by_us, in, n);
      here.run(all[r].by_us, in, n);  // loads kernels, which may wait for the others
      here.wait();
      {
        const occupying_kernels others(all[r].free_threads);
        here.run(all[r].by_us, in, n);
        here.wait();
        EXPECT_TRUE(others.are_running()) << all[r].name << ' ' << n << ": the others went first";
      }
      EXPECT_EQ(difference(here.words(n), expected[r]->to_host()), "") << all[r].name << ' ' << n;
    }
  }
}

/// What went wrong when call `fault` of the runtime failed; sets `was_last` if there is none.
inline std::string wrong_after_fault(const row& one, const place& here, const inputs& in,
                                     std::size_t n, int fault, bool& was_last) {
  hindsight::release_memory();  // so that it has to be allocated
  here.clear(n);
  here.wait();
  const int arrays_before = pool_arrays;
  bool failed = false;
  calls_until_fault = fault;
  try {
    failed = here.call(one.by_us, in, n) != cudaSuccess;
  } catch (const std::exception&) {
    failed = true;
  }
  was_last = calls_until_fault >= 0;
  calls_until_fault = -1;
  stream_is_broken = false;
  if (cudaGetLastError() != cudaSuccess) return "an error was left behind";
  check(cudaDeviceSynchronize());
  if (pool_arrays != arrays_before) return "memory was not given back";
  if (failed == was_last) return was_last ? "fails without a fault" : "went unnoticed";
  return {};
}

TEST_F(Stress, FaultsInTurn) {
  for (const std::size_t n : {std::size_t{1'003}, std::size_t{300'007}}) {
    const auto all = rows();
    const inputs in(n, 5);
    const auto expected = all_expected(in, n);
    for (std::size_t r = 0; r < all.size(); ++r) {
      place here(n);
      here.prepare(all[r].by_us, in, n);
      bool was_last = false;
      for (int fault = 0; !was_last; ++fault) {
        SCOPED_TRACE(testing::Message() << all[r].name << ' ' << n << ", fault " << fault);
        ASSERT_EQ(wrong_after_fault(all[r], here, in, n, fault, was_last), "");
        ASSERT_LT(fault, 200);
        here.run(all[r].by_us, in, n);
        ASSERT_EQ(difference(here.words(n), expected[r]->to_host()), "") << "the next call";
      }
    }
  }
}

TEST_F(Stress, SixteenThreads) {
  const auto all = rows();
  const char* const text = std::getenv("HINDSIGHT_TEST_SECONDS");
  const std::chrono::duration<double> limit{text ? std::strtod(text, nullptr) : 2};
  const std::size_t sizes[] = {1'000, 70'000, 1'500'000};
  std::vector<std::unique_ptr<inputs>> in;
  std::vector<std::vector<std::unique_ptr<device_array<u32>>>> expected;
  for (const std::size_t n : sizes) {
    in.push_back(std::make_unique<inputs>(n, 3));
    expected.push_back(all_expected(*in.back(), n));
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> failures(16);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      try {
        place here(sizes[2]);
        std::mt19937 random{t};
        while (std::chrono::steady_clock::now() - start < limit) {
          const std::size_t s = random() % 3, r = random() % all.size();
          here.prepare(all[r].by_us, *in[s], sizes[s]);
          here.run(all[r].by_us, *in[s], sizes[s]);
          here.compare(*expected[s][r]);
          if (random() % 16 != 0) continue;
          here.wait();
          if (here.num_wrong() > 0) throw std::runtime_error("wrong results");
        }
        here.wait();
        if (here.num_wrong() > 0) throw std::runtime_error("wrong results");
      } catch (const std::exception& error) {
        failures[t] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

}  // namespace hindsight_test
