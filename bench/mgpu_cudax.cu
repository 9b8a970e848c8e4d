// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mgpu_cudax [gpus ...]: what hindsight_ab_mgpu measures of sort, reduce and scan, of CCCL's own
// calls over several GPUs (cudax, experimental). Needs CCCL's main branch of August 2026 or later:
//   nvcc -std=c++20 -O2 -arch=sm_90 -I CCCL/cudax/include -I CCCL/libcudacxx/include -I CCCL/cub
//     -I CCCL/thrust bench/mgpu_cudax.cu -lnccl -ldl
#include <cuda/experimental/__multi_gpu/algorithm/reduce/reduce.h>
#include <cuda/experimental/__multi_gpu/algorithm/scan/scan.h>
#include <cuda/experimental/__multi_gpu/algorithm/sort/sort.h>
#include <cuda/experimental/__multi_gpu/nccl_communicator_ref.h>
#include <cuda/stream_ref>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nccl.h>
#include <stdexcept>
#include <vector>

namespace cudax = cuda::experimental;

namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class word>
__global__ void fill(word* items, std::uint64_t begin, std::uint64_t n) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < n;
       at += step) {
    std::uint64_t i = begin + at;
    i = (i ^ (i >> 31)) * 0xbf58476d1ce4e5b9u;
    i = (i ^ (i >> 29)) * 0x94d049bb133111ebu;
    items[at] = sizeof(word) == 8 ? word(i ^ (i >> 32)) : word(i >> 32);
  }
}

template <class word>
__global__ void count_descents(const word* items, std::uint64_t n, unsigned* descents) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; at + 1 < n;
       at += step)
    if (items[at + 1] < items[at]) atomicAdd(descents, 1u);
}

template <class word>
void measure(std::vector<ncclComm_t>& handles, const std::vector<cudaStream_t>& streams,
             const char* key, int log2_n, bool is_scan) {
  const int gpus = int(handles.size());
  const std::uint64_t part = (std::uint64_t{1} << log2_n) / std::uint64_t(gpus);
  std::vector<cudax::nccl_communicator_ref> comms;
  for (const ncclComm_t handle : handles) comms.emplace_back(handle);
  std::vector<cuda::stream_ref> environments(streams.begin(), streams.end());
  std::vector<word*> items(std::size_t(gpus), nullptr), out(std::size_t(gpus), nullptr);
  std::vector<std::uint64_t> sizes(std::size_t(gpus), part);
  for (int g = 0; g < gpus; ++g) {
    check(cudaSetDevice(g));
    check(cudaMalloc(&items[std::size_t(g)], part * sizeof(word)));
    if (is_scan) check(cudaMalloc(&out[std::size_t(g)], part * sizeof(word)));
  }
  std::vector<double> times;
  while (times.size() < 6 && (times.size() < 4 || times.back() < 50)) {
    for (int g = 0; g < gpus; ++g) {
      check(cudaSetDevice(g));
      fill<<<4096, 256>>>(items[std::size_t(g)], std::uint64_t(g) * part, part);
      check(cudaDeviceSynchronize());
    }
    check(cudaSetDevice(0));
    const auto begin = std::chrono::steady_clock::now();
    if (is_scan) {
      cudax::inclusive_scan(cudax::distributed, comms, environments, items, sizes, out);
    } else {
      cudax::sort(cudax::distributed, comms, environments, items, sizes);
    }
    for (const cudaStream_t stream : streams) check(cudaStreamSynchronize(stream));
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  unsigned *descents = nullptr, found = 0;
  check(cudaMalloc(&descents, sizeof *descents));
  check(cudaMemset(descents, 0, sizeof *descents));
  count_descents<<<4096, 256>>>(items[0], part, descents);
  check(cudaMemcpy(&found, descents, sizeof found, cudaMemcpyDeviceToHost));
  check(cudaFree(descents));
  std::sort(times.begin() + 1, times.end());
  std::printf("%d GPUs  cudax %-16s %s 2^%-4d %12.4f ms%s\n", gpus,
              is_scan ? "inclusive_scan" : "sort", key, log2_n, times[times.size() / 2],
              !is_scan && found > 0 ? " NOT SORTED" : "");
  std::fflush(stdout);
  for (int g = 0; g < gpus; ++g) {
    check(cudaSetDevice(g));
    check(cudaFree(items[std::size_t(g)]));
    check(cudaFree(out[std::size_t(g)]));
  }
}

void measure_all(int gpus) {
  std::vector<ncclComm_t> comms(std::size_t(gpus), nullptr);
  if (ncclCommInitAll(comms.data(), gpus, nullptr) != ncclSuccess)
    throw std::runtime_error("ncclCommInitAll");
  std::vector<cudaStream_t> streams(std::size_t(gpus), nullptr);
  for (int g = 0; g < gpus; ++g) {
    check(cudaSetDevice(g));
    check(cudaStreamCreateWithFlags(&streams[std::size_t(g)], cudaStreamNonBlocking));
  }
  for (const int log2_n : {26, 28, 30}) {
    measure<std::uint32_t>(comms, streams, "U32", log2_n, false);
    measure<std::uint64_t>(comms, streams, "U64", log2_n, false);
    measure<std::uint32_t>(comms, streams, "U32", log2_n, true);
  }
}

}  // namespace

int main(int argc, char** argv) {
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  try {
    for (int i = 1; i < argc; ++i) measure_all(std::atoi(argv[i]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mgpu_cudax: %s\n", error.what());
    return 1;
  }
  return 0;
}
