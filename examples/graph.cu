// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of calls in one CUDA graph: each leaves a count in device memory, and the next one takes
// it from there. The graph is captured once, and replayed with other data of another size.
#include <hindsight/counts.h>

#include <thrust/device_vector.h>

#include <cstdio>
#include <vector>

struct is_even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

int main() {
  constexpr std::size_t most = 1 << 20;
  thrust::device_vector<int> in(most), kept(most), values(most), how_often(most), begins(most);
  thrust::device_vector<int> sizes(3);  // of the input, of what is kept, of the values
  const hindsight::deferred num_in{sizes.begin(), most}, num_kept{sizes.begin() + 1, most},
      num_values{sizes.begin() + 2, most};

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  const auto policy = hindsight::cuda::par_nosync.on(stream);
  hindsight::copy_if_into(policy, in.begin(), num_in, kept.begin(), sizes.begin() + 1, is_even{});
  hindsight::sort(policy, kept.begin(), num_kept);
  hindsight::run_length_encode_into(policy, kept.begin(), num_kept, values.begin(),
                                    how_often.begin(), sizes.begin() + 2);
  hindsight::exclusive_scan(policy, how_often.begin(), num_values, begins.begin(), 0);
  cudaStreamEndCapture(stream, &graph);
  if (cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess) return 1;

  for (const int n : {1000, 500000, 0}) {
    std::vector<int> items;
    for (int i = 0; i < n; ++i) items.push_back(i % 100);
    thrust::copy(items.begin(), items.end(), in.begin());
    sizes[0] = n;
    cudaGraphLaunch(executable, stream);
    if (cudaStreamSynchronize(stream) != cudaSuccess) return 1;
    std::printf("%d items: %d are even, %d values\n", n, int(sizes[1]), int(sizes[2]));
    if (sizes[1] != n / 2 || sizes[2] != (n > 0 ? 50 : 0)) return 1;
    if (n > 0 && begins[49] != n / 2 - n / 100) return 1;
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
