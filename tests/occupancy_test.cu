// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-back with hardly any block at a time: other kernels hold all of the GPU except for the room
// of a block or a few, so neither the scout nor the tile before can be counted on to be running.
#include <hindsight/hindsight.h>

#include "gpu_testing.h"
#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace hindsight_test {

using u32 = std::uint32_t;

/// Holds its threads and shared memory until *stop, or for five seconds.
__global__ void hold(volatile int* stop, int* started) {
  if (threadIdx.x == 0) {  // the others wait at the barrier: what is tested needs the memory's time
    atomicAdd_system(started, 1);
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
      __nanosleep(100'000);
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (!*stop && now - begin < 5'000'000'000);
  }
  __syncthreads();
}

/// Leaves free `free_threads` threads of one multiprocessor.
class crowd {
 public:
  explicit crowd(int free_threads) {
    check(cudaHostAlloc(&flags_, 2 * sizeof(int), cudaHostAllocMapped));
    flags_[0] = flags_[1] = 0;
    for (cudaStream_t& stream : streams_)
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int sms = 0, threads = 0, shared_bytes = 0;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    check(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    // Shared memory stays as it is split while a block runs: split it for the kernels to come.
    check(cudaFuncSetAttribute(hold, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared));
    hold<<<sms - 1, 1024, shared_bytes, streams_[0]>>>(flags_, flags_ + 1);  // one for each
    check(cudaGetLastError());
    int expected = sms - 1;
    wait_for(expected);
    int left = threads - free_threads;
    for (int i = 1; i < 4 && left > 0; ++i) {
      const int block = std::min(left, 1024);
      hold<<<1, block, 0, streams_[i]>>>(flags_, flags_ + 1);
      check(cudaGetLastError());
      wait_for(++expected);
      left -= block;
    }
  }
  ~crowd() {
    *static_cast<volatile int*>(flags_) = 1;
    for (cudaStream_t stream : streams_) {
      cudaStreamSynchronize(stream);
      cudaStreamDestroy(stream);
    }
    cudaFreeHost(flags_);
  }
  bool is_there() const { return cudaStreamQuery(streams_[0]) == cudaErrorNotReady; }

 private:
  void wait_for(int expected) {
    for (int i = 0; i < 2000 && *static_cast<volatile int*>(flags_ + 1) < expected; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (flags_[1] < expected) throw std::runtime_error("the GPU does not hold all these blocks");
  }
  int* flags_ = nullptr;  ///< stop, number of blocks that have started
  cudaStream_t streams_[4];
};

struct outputs {
  device_array<float> scanned, sums;
  device_array<u32> keys, selected, odd, even, lengths, sorted;
  float sum = 0;

  explicit outputs(std::size_t n)
      : scanned(n), sums(n), keys(n), selected(n), odd(n), even(n), lengths(n), sorted(n) {}
};

struct Occupancy : testing::TestWithParam<std::tuple<int, std::size_t>> {};

TEST_P(Occupancy, EveryFamilyFinishesWithTheSameBits) {
  const int free_threads = std::get<0>(GetParam());
  const std::size_t n = std::get<1>(GetParam());
  const device_array<float> in(rough_items<float>(n));
  const device_array<u32> runs_in(items_in_runs<u32>(n, runs::random)),
      numbers(random_items<u32>(n));
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const auto policy = hindsight::cuda::par.on(stream);
  const auto run_all = [&](outputs& out) {
    thrust::inclusive_scan(policy, in.begin(), in.end(), out.scanned.data());
    thrust::reduce_by_key(policy, runs_in.begin(), runs_in.end(), in.data(), out.keys.data(),
                          out.sums.data());
    out.sum = thrust::reduce(policy, in.begin(), in.end());
    thrust::copy_if(policy, numbers.begin(), numbers.end(), out.selected.data(), is_odd{});
    thrust::partition_copy(policy, numbers.begin(), numbers.end(), out.odd.data(), out.even.data(),
                           is_odd{});
    hindsight::run_length_encode(policy, runs_in.begin(), runs_in.end(), out.keys.data(),
                                 out.lengths.data());
    check(cudaMemcpyAsync(out.sorted.data(), numbers.data(), n * sizeof(u32),
                          cudaMemcpyDeviceToDevice, stream));
    thrust::sort(policy, out.sorted.begin(), out.sorted.end());
  };

  outputs alone(n), crowded(n);  // before the crowd: allocating and loading kernels may wait for it
  run_all(alone);
  {
    const crowd others(free_threads);
    run_all(crowded);
    EXPECT_TRUE(others.is_there()) << "the others had to go first";
  }
  check(cudaStreamDestroy(stream));
  EXPECT_EQ(difference(crowded.scanned.to_host(), alone.scanned.to_host()), "");
  EXPECT_EQ(difference(crowded.sums.to_host(), alone.sums.to_host()), "");
  EXPECT_EQ(difference_of_values(crowded.sum, alone.sum), "");
  EXPECT_EQ(difference(crowded.keys.to_host(), alone.keys.to_host()), "");
  EXPECT_EQ(difference(crowded.selected.to_host(), alone.selected.to_host()), "");
  EXPECT_EQ(difference(crowded.odd.to_host(), alone.odd.to_host()), "");
  EXPECT_EQ(difference(crowded.even.to_host(), alone.even.to_host()), "");
  EXPECT_EQ(difference(crowded.lengths.to_host(), alone.lengths.to_host()), "");
  EXPECT_EQ(difference(crowded.sorted.to_host(), alone.sorted.to_host()), "");
}

// Room for one block at a time, for two, for four; without a scout and with one.
INSTANTIATE_TEST_SUITE_P(FreeThreads, Occupancy,
                         testing::Combine(testing::Values(256, 512, 1024),
                                          testing::Values((1u << 20) + 7, (1u << 22) + 7)));

}  // namespace hindsight_test
