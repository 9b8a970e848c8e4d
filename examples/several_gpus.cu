// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program for 1, 2 or n GPUs: numbers are shared out among all GPUs that there are, sorted, and
// counted by value.
#include <hindsight/hindsight.h>
#include <hindsight/nccl.h>

#include <thrust/execution_policy.h>
#include <thrust/tabulate.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct mixed {
  __host__ __device__ unsigned operator()(unsigned i) const { return i * 2654435761u >> 12; }
};

int main() {
  setenv("NCCL_NVLS_ENABLE", "0", 0);  // NVLink multicast is not needed here
  if (const std::string why = hindsight::nccl::why_missing(); !why.empty()) {
    std::printf("%s\n", why.c_str());
    return 77;
  }
  constexpr std::size_t n = 1 << 22;  // on each GPU
  hindsight::nccl::all_gpus gpus;
  hindsight::nccl::group g{gpus.comms(), gpus.streams()};

  std::vector<::cuda::std::span<unsigned>> keys, values, counts;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    unsigned* memory = nullptr;
    cudaSetDevice(int(i));
    if (cudaMalloc(&memory, 3 * n * sizeof(unsigned)) != cudaSuccess) return 1;
    thrust::tabulate(thrust::cuda::par, memory, memory + n, mixed{});
    keys.emplace_back(memory, n);
    values.emplace_back(memory + n, n);
    counts.emplace_back(memory + 2 * n, n);
  }

  const auto v = hindsight::shards(g, keys);
  hindsight::sort(g.par, v);
  const auto [different, lengths] = hindsight::run_length_encode(
      g.par, v, hindsight::shards(g, values), hindsight::shards(g, counts));
  const std::size_t total = hindsight::reduce(g.par, lengths, std::size_t{0});
  std::printf("%zu GPUs: %zu numbers\n", gpus.size(), total);

  for (const auto& shard : keys) cudaFree(shard.data());
  return total == n * gpus.size() ? 0 : 1;
}
