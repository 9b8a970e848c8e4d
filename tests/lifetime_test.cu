// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: cudaHostAlloc cudaFreeHost cudaPeekAtLastError cudaStreamSynchronize
// Lifetimes that a program may choose: devices that are reset, static objects whose destructors
// call algorithms, threads that come and go, calls that fail while their kernels still run; and
// what release_memory() gives back.
#include <hindsight/hindsight.h>

#include <thrust/device_vector.h>
#include <thrust/system_error.h>

#include "fresh_process.h"
#include "gpu_testing.h"
#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hindsight_test {

std::atomic<int> pinned_arrays{0};
// Calls until one reports an error that there is not; none where negative.
thread_local int peeks_until_error = -1, waits_until_error = -1;

}  // namespace hindsight_test

extern "C" {

cudaError_t __real_cudaHostAlloc(void** data, std::size_t bytes, unsigned flags);
cudaError_t __wrap_cudaHostAlloc(void** data, std::size_t bytes, unsigned flags) {
  ++hindsight_test::pinned_arrays;
  return __real_cudaHostAlloc(data, bytes, flags);
}
cudaError_t __real_cudaFreeHost(void* data);
cudaError_t __wrap_cudaFreeHost(void* data) {
  --hindsight_test::pinned_arrays;
  return __real_cudaFreeHost(data);
}
cudaError_t __real_cudaPeekAtLastError();
cudaError_t __wrap_cudaPeekAtLastError() {
  if (hindsight_test::peeks_until_error-- == 0) return cudaErrorLaunchOutOfResources;
  return __real_cudaPeekAtLastError();
}
cudaError_t __real_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  if (hindsight_test::waits_until_error-- == 0) return cudaErrorUnknown;
  return __real_cudaStreamSynchronize(stream);
}

}  // extern "C"

namespace hindsight_test {

using u32 = std::uint32_t;
using hindsight::cuda::par;
using hindsight::cuda::par_nosync;

__global__ void busy(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// [n] ones in device memory, which nobody frees.
u32* ones(std::size_t n) {
  const std::vector<u32> items(n, 1);
  u32* data = nullptr;
  check(cudaMalloc(&data, n * sizeof(u32)));
  check(cudaMemcpy(data, items.data(), n * sizeof(u32), cudaMemcpyDefault));
  return data;
}

void require_small_sum() {
  u32* const data = ones(1000);
  require(thrust::reduce(par, data, data + 1000) == 1000, "a small sum is wrong");
}
void require_large_calls() {
  constexpr std::size_t n = 1000003;
  u32* const data = ones(n);
  thrust::inclusive_scan(par, data, data + n, data);
  u32 last = 0;
  check(cudaMemcpy(&last, data + n - 1, sizeof last, cudaMemcpyDefault));
  require(last == n, "a scan is wrong");
  thrust::sort(par, data, data + n, thrust::greater<u32>{});
  check(cudaMemcpy(&last, data, sizeof last, cudaMemcpyDefault));
  require(last == n, "a sort is wrong");
}

TEST(Lifetime, DeviceIsReset) {
  const auto use_and_reset = [](auto call) {
    for (int round = 0; round < 3; ++round) {
      call();
      check(cudaDeviceReset());
    }
  };
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([=] { use_and_reset(require_small_sum); });
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([=] { use_and_reset(require_large_calls); });
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([=] {
    use_and_reset([] {
      require_small_sum();
      require_large_calls();
      hindsight::release_memory();
    });
  });
}

TEST(Lifetime, DeviceIsResetByAnotherThread) {
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([] {
    require_small_sum();
    require_large_calls();
    std::thread([] {
      check(cudaDeviceReset());
      require_small_sum();
    }).join();
    check(cudaFree(nullptr));
    require_small_sum();
    require_large_calls();
  });
}

TEST(Lifetime, SortedCopiesWhatItsStreamHasWritten) {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  thrust::device_vector<u32> items(1000, 7);
  busy<<<1, 1, 0, stream>>>(100'000'000);
  check(cudaMemsetAsync(thrust::raw_pointer_cast(items.data()), 0, 1000 * sizeof(u32), stream));
  const auto copy = hindsight::sorted(par_nosync.on(stream), items);
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(thrust::reduce(par, copy.begin(), copy.end()), 0u);
  check(cudaStreamDestroy(stream));
}

/// Calls algorithms when it is destroyed. Such a failure must not end in an exit status of 0.
struct calls_at_its_end {
  ~calls_at_its_end() {
    try {
      require_small_sum();
      require_large_calls();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in a destructor: %s\n", error.what());
      std::_Exit(1);
    }
  }
};

TEST(Lifetime, DestructorOfAStaticObjectCalls) {
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([] {
    check(cudaFree(nullptr));  // CUDA's own end then comes after the object's
    static const calls_at_its_end object;
    require_small_sum();
    require_large_calls();
  });
}

TEST(Lifetime, DestructorOfAThreadLocalObjectCalls) {
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([] {
    std::thread([] {
      thread_local const calls_at_its_end object;
      static_cast<void>(object);
      require_small_sum();  // what the library keeps for a thread would end before the object
    }).join();
  });
}

TEST(Lifetime, ThreadsThatEndLeaveNoPinnedMemoryBehind) {
  u32* const data = ones(1000);
  const auto use = [data] {
    EXPECT_EQ(thrust::reduce(par.on(cudaStreamPerThread), data, data + 1000), 1000u);
  };
  use();
  const int before = pinned_arrays;
  for (int i = 0; i < 50; ++i) std::thread(use).join();
  EXPECT_EQ(pinned_arrays, before);
  std::vector<std::thread> at_once;
  for (int i = 0; i < 8; ++i) {
    at_once.emplace_back([&] {
      for (int j = 0; j < 100; ++j) use();
    });
  }
  for (auto& thread : at_once) thread.join();
  EXPECT_LE(pinned_arrays, before + 7);
  check(cudaFree(data));
}

/// Work that waits behind a kernel in a stream of its own, which goes while the work is pending.
struct pending_work {
  static constexpr std::size_t n = 200'003;
  const device_array<u32> sums{std::vector<u32>(n, 1)}, sum{1};

  void begin() const {
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    busy<<<1, 1, 0, stream>>>(1'000'000);
    const auto policy = par_nosync.on(stream);
    thrust::inclusive_scan(policy, sums.begin(), sums.end(), sums.begin());
    thrust::sort(policy, sums.begin(), sums.end(), thrust::greater<u32>{});
    hindsight::reduce_into(policy, sums.begin(), sums.begin() + 2, sum.begin());
    check(cudaStreamDestroy(stream));
  }
  bool is_right() const { return sums.to_host(1)[0] == n && sum.to_host()[0] == 2 * n - 1; }
};

TEST(Lifetime, StreamsGoWhileWorkIsPending) {
  for (int round = 0; round < 20; ++round) {
    const pending_work first, second;
    first.begin();
    second.begin();  // may have the handle of the stream before
    require_small_sum();
    check(cudaDeviceSynchronize());
    EXPECT_TRUE(first.is_right());
    EXPECT_TRUE(second.is_right());
  }
}

// CUDA does not work in a child of a process that used it.
TEST(Lifetime, ChildOfAProcessThatCalledIsTold) {
  HINDSIGHT_EXPECT_IN_FRESH_PROCESS([] {
    u32* const data = ones(100'000);
    for (const std::ptrdiff_t n : {1000, 100'000}) {
      require_small_sum();
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        try {
          thrust::reduce(par, data, data + n);
        } catch (const thrust::system_error& error) {
          _exit(std::string(error.what()).find("reduce") != std::string::npos ? 7 : 8);
        }
        _exit(9);
      }
      int status = 0;
      waitpid(child, &status, 0);
      require(WIFEXITED(status) && WEXITSTATUS(status) == 7, "the child was not told");
      require_small_sum();
    }
  });
}

/// Makes calls fail whose kernels wait in a stream, and calls on another stream in between: none
/// may find the result of a call that failed.
template <class Inject>
void expect_no_late_results(Inject inject) {
  constexpr std::size_t n = 1000;
  const device_array<u32> small(std::vector<u32>(n, 1)), large(std::vector<u32>(n, 2));
  cudaStream_t slow, fast;
  check(cudaStreamCreateWithFlags(&slow, cudaStreamNonBlocking));
  check(cudaStreamCreateWithFlags(&fast, cudaStreamNonBlocking));
  EXPECT_EQ(thrust::reduce(par.on(slow), small.begin(), small.end()), n);
  const int before = pinned_arrays;
  int wrong = 0, failed = 0;
  for (int round = 0; round < 300; ++round) {
    busy<<<1, 1, 0, slow>>>(40000 + 200 * round);
    inject();
    try {
      thrust::reduce(par.on(slow), small.begin(), small.end());
    } catch (const thrust::system_error&) {
      ++failed;
    }
    peeks_until_error = waits_until_error = -1;
    for (int i = 0; i < 8; ++i) {
      wrong += thrust::reduce(par.on(fast), large.begin(), large.end()) != 2 * n;
    }
  }
  EXPECT_EQ(failed, 300);
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(pinned_arrays, before + 1) << "failing calls must not use up memory";
  check(cudaStreamDestroy(slow));
  check(cudaStreamDestroy(fast));
}

TEST(Lifetime, KernelOfACallWhoseLaunchFailedWritesToNoLaterResult) {
  expect_no_late_results([] { peeks_until_error = 1; });  // the first one is before the launch
}

TEST(Lifetime, KernelOfACallWhoseWaitFailedWritesToNoLaterResult) {
  expect_no_late_results([] { waits_until_error = 0; });
}

TEST(Lifetime, OlderErrorIsThrownBeforeAnythingIsLaunched) {
  const device_array<u32> data(std::vector<u32>(1000, 3)), out(1000);
  void* nothing = nullptr;
  ASSERT_NE(cudaMalloc(&nothing, std::size_t{1} << 50), cudaSuccess);
  try {
    thrust::inclusive_scan(par, data.begin(), data.end(), out.data());
    FAIL() << "no exception";
  } catch (const thrust::system_error& error) {
    EXPECT_EQ(error.code().value(), int(cudaErrorMemoryAllocation));
    EXPECT_NE(std::string{error.what()}.find("earlier"), std::string::npos) << error.what();
  }
  check(cudaDeviceSynchronize());
  EXPECT_TRUE(out.is_untouched());
  EXPECT_EQ(thrust::reduce(par, data.begin(), data.end()), 3000u);
}

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return free;
}
constexpr std::size_t mib = std::size_t{1} << 20;

TEST(ReleaseMemory, GivesBackWhatASortTook) {
  hindsight::release_memory();
  const device_array<u32> keys(std::size_t{64} << 20);  // 256 MiB
  const std::size_t before = free_bytes();
  thrust::sort(par, keys.begin(), keys.end());
  ASSERT_LT(free_bytes(), before - 256 * mib) << "nothing was kept: this test shows nothing";
  hindsight::release_memory();
  EXPECT_GE(free_bytes() + 4 * mib, before);
  thrust::sort(par, keys.begin(), keys.end());
  EXPECT_EQ(thrust::count(par, keys.begin(), keys.end(), 0xABABABABu), std::ptrdiff_t(keys.size()));
}

TEST(ReleaseMemory, GivesBackSlotsOfResults) {
  const device_array<u32> data(std::vector<u32>(1000, 1));
  hindsight::release_memory();
  const int before = pinned_arrays;
  EXPECT_EQ(thrust::reduce(par, data.begin(), data.end()), 1000u);
  EXPECT_EQ(pinned_arrays, before + 1);
  hindsight::release_memory();
  EXPECT_EQ(pinned_arrays, before);
  EXPECT_EQ(thrust::reduce(par, data.begin(), data.end()), 1000u);
}

// The rest of the program may have what is merely kept, without asking for it.
TEST(ReleaseMemory, IsNotNeededByCudaMalloc) {
  hindsight::release_memory();
  const device_array<u32> keys(std::size_t{64} << 20);
  void *ballast = nullptr, *wanted = nullptr;
  ASSERT_GT(free_bytes(), 2048 * mib);
  check(cudaMalloc(&ballast, free_bytes() - 1024 * mib));
  thrust::sort(par, keys.begin(), keys.end());
  const std::size_t left = free_bytes();
  ASSERT_LT(left, 800 * mib) << "nothing was kept: this test shows nothing";
  EXPECT_EQ(cudaMalloc(&wanted, left + 128 * mib), cudaSuccess);
  cudaGetLastError();
  cudaFree(wanted);
  cudaFree(ballast);
  thrust::sort(par, keys.begin(), keys.end());
}

}  // namespace hindsight_test
