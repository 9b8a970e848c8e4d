// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-back with hardly any block at a time: other kernels hold all of the GPU except for the room
// of a block or a few, so neither the scout nor the tile before can be counted on to be running.
#include <hindsight/hindsight.h>

#include "gpu_testing.h"
#include "occupying_kernels.h"
#include <gtest/gtest.h>

namespace hindsight_test {

using u32 = std::uint32_t;

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

  outputs alone(n), beside(n);  // before the others: allocating and loading kernels may wait for it
  run_all(alone);
  {
    const occupying_kernels others(free_threads);
    run_all(beside);
    EXPECT_TRUE(others.are_running()) << "the others had to go first";
  }
  check(cudaStreamDestroy(stream));
  EXPECT_EQ(difference(beside.scanned.to_host(), alone.scanned.to_host()), "");
  EXPECT_EQ(difference(beside.sums.to_host(), alone.sums.to_host()), "");
  EXPECT_EQ(difference_of_values(beside.sum, alone.sum), "");
  EXPECT_EQ(difference(beside.keys.to_host(), alone.keys.to_host()), "");
  EXPECT_EQ(difference(beside.selected.to_host(), alone.selected.to_host()), "");
  EXPECT_EQ(difference(beside.odd.to_host(), alone.odd.to_host()), "");
  EXPECT_EQ(difference(beside.even.to_host(), alone.even.to_host()), "");
  EXPECT_EQ(difference(beside.lengths.to_host(), alone.lengths.to_host()), "");
  EXPECT_EQ(difference(beside.sorted.to_host(), alone.sorted.to_host()), "");
}

// Room for one block at a time, for two, for four, without a scout; then for one block of a
// pipeline, which has a multiprocessor to itself, and may be the scout.
INSTANTIATE_TEST_SUITE_P(FreeThreads, Occupancy,
                         testing::Values(std::tuple{256, (1u << 20) + 7},
                                         std::tuple{512, (1u << 20) + 7},
                                         std::tuple{1024, (1u << 20) + 7},
                                         std::tuple{2048, (1u << 22) + 7}));

}  // namespace hindsight_test
