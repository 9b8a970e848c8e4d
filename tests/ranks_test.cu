// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls over 1 to 16 ranks that share one GPU.
#include <hindsight/loopback.h>

#include "ranks_gpu_testing.h"
#include <gtest/gtest.h>

namespace {

using hindsight_test::cut;

TEST(ranks_on_a_gpu, results_are_those_of_one_range) {
  cudaStream_t stream = nullptr;
  hindsight_test::check(cudaStreamCreate(&stream));
  for (const std::size_t ranks : {1, 2, 3, 16}) {
    const std::vector<int> devices(ranks, 0);
    std::vector<cudaStream_t> streams(ranks, cudaStreamPerThread);
    streams.front() = stream;
    hindsight::loopback::gpu_group g{devices, streams};
    for (const std::size_t n : {std::size_t{0}, std::size_t{5}, std::size_t{100003}})
      for (const cut how : hindsight_test::all_cuts)
        EXPECT_NO_THROW(hindsight_test::check_gpu_ranks(g, devices, n, how)) << n << " items";
  }
  hindsight_test::check(cudaStreamDestroy(stream));
}

}  // namespace
