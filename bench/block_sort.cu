// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts for users' kernels beside CUB's: keys of 4 bytes sorted per nanosecond by all of a GPU,
// where each thread, warp or block sorts its own. bench_block_sort [log2 of the number of keys]
#include <hindsight/block_sort.cuh>

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cuda/std/functional>
#include <cuda_runtime_api.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include "cuda_check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using key = std::uint32_t;
using less = ::cuda::std::less<key>;
using hindsight::network::bitonic;
using hindsight::network::odd_even_merge;

struct hash_of {
  __host__ __device__ key operator()(key i) const {
    return key((i + 1) * 0x9e3779b97f4a7c15u >> 31);
  }
};

// How a team of Threads sorts its Threads * Items keys, which lie side by side.

template <class Network>
struct network_of_threads {
  template <int Threads, int Items>
  static __device__ void sort(key* keys) {
    static_assert(Threads == 1);
    key own[Items];
    for (int i = 0; i < Items; ++i) own[i] = keys[i];
    hindsight::thread_sort<Network>(own, less{});
    for (int i = 0; i < Items; ++i) keys[i] = own[i];
  }
};
template <class Network>
struct network_of_warps {
  template <int Threads, int Items>
  static __device__ void sort(key* keys) {
    static_assert(Threads == 32);
    __shared__ key shared[8][32 * Items];
    const int lane = int(threadIdx.x % 32);
    key* const own = shared[threadIdx.x / 32];
    for (int i = lane; i < 32 * Items; i += 32) own[i] = keys[i];
    hindsight::warp_sort<Network>(own, 32 * Items, less{});
    for (int i = lane; i < 32 * Items; i += 32) keys[i] = own[i];
  }
};
template <class Network>
struct network_of_blocks {
  template <int Threads, int Items>
  static __device__ void sort(key* keys) {
    __shared__ key shared[Threads * Items];
    for (int i = int(threadIdx.x); i < Threads * Items; i += Threads) shared[i] = keys[i];
    hindsight::block_sort<Network>(shared, Threads * Items, less{});
    for (int i = int(threadIdx.x); i < Threads * Items; i += Threads) keys[i] = shared[i];
  }
};

/// `Sort(storage).member` of keys that a thread has side by side.
template <int Threads, int Items, class Storage, class Call>
__device__ void sort_blocked(key* keys, Storage& storage, Call call) {
  key own[Items];
  const int first = int(threadIdx.x) % Threads * Items;
  for (int i = 0; i < Items; ++i) own[i] = keys[first + i];
  call(storage, own);
  for (int i = 0; i < Items; ++i) keys[first + i] = own[i];
}
template <template <int, int> class Sorter>
struct merges_of_warps {
  template <int Threads, int Items>
  static __device__ void sort(key* keys) {
    using sorter = typename Sorter<Threads, Items>::type;
    __shared__ typename sorter::TempStorage storage[8];
    sort_blocked<Threads, Items>(keys, storage[threadIdx.x / 32],
                                 [](auto& room, auto& own) { sorter(room).Sort(own, less{}); });
  }
};
template <template <int, int> class Sorter>
struct merges_of_blocks {
  template <int Threads, int Items>
  static __device__ void sort(key* keys) {
    using sorter = typename Sorter<Threads, Items>::type;
    __shared__ typename sorter::TempStorage storage;
    sort_blocked<Threads, Items>(keys, storage,
                                 [](auto& room, auto& own) { sorter(room).Sort(own, less{}); });
  }
};
struct radix_of_blocks {
  template <int Threads, int Items>
  static __device__ void sort(key* keys) {
    using sorter = cub::BlockRadixSort<key, Threads, Items>;
    __shared__ typename sorter::TempStorage storage;
    sort_blocked<Threads, Items>(keys, storage,
                                 [](auto& room, auto& own) { sorter(room).Sort(own); });
  }
};

template <int Threads, int Items>
struct our_warp_merge {
  using type = hindsight::WarpMergeSort<key, Items>;
};
template <int Threads, int Items>
struct cubs_warp_merge {
  using type = cub::WarpMergeSort<key, Items>;
};
template <int Threads, int Items>
struct our_block_merge {
  using type = hindsight::BlockMergeSort<key, Threads, Items>;
};
template <int Threads, int Items>
struct cubs_block_merge {
  using type = cub::BlockMergeSort<key, Threads, Items>;
};

template <class Way, int Threads, int Items>
__global__ void sort_teams(key* keys) {
  const unsigned team = (blockIdx.x * blockDim.x + threadIdx.x) / Threads;
  Way::template sort<Threads, Items>(keys + std::size_t{team} * (Threads * Items));
}

/// Keys per nanosecond; 0 if a team's keys are not sorted.
template <class Way, int Threads, int Items>
double speed(thrust::device_vector<key>& keys) {
  constexpr int block = Threads > 32 ? Threads : 256;
  const std::size_t blocks = keys.size() / (block * Items), n = blocks * block * Items;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int run = 0; run < 6; ++run) {
    thrust::transform(thrust::counting_iterator<key>(0),
                      thrust::counting_iterator<key>(key(keys.size())), keys.begin(), hash_of{});
    check(cudaEventRecord(begin));
    sort_teams<Way, Threads, Items>
        <<<unsigned(blocks), block>>>(thrust::raw_pointer_cast(keys.data()));
    check(cudaPeekAtLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (run > 0) times.push_back(ms);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  const thrust::host_vector<key> some(keys.begin(), keys.begin() + 100 * Threads * Items);
  for (std::size_t i = 1; i < some.size(); ++i)
    if (i % (Threads * Items) != 0 && some[i] < some[i - 1]) return 0;
  return double(n) / (1e6 * times[times.size() / 2]);
}

template <int... Items>
void print_threads(thrust::device_vector<key>& keys) {
  std::puts("a thread's items       odd-even merge      bitonic");
  (std::printf("%16d %20.0f %12.0f\n", Items,
               speed<network_of_threads<odd_even_merge>, 1, Items>(keys),
               speed<network_of_threads<bitonic>, 1, Items>(keys)),
   ...);
}
template <int... Items>
void print_warps(thrust::device_vector<key>& keys) {
  std::puts("a warp's items         odd-even merge      bitonic   WarpMergeSort     CUB's");
  (std::printf("%16d %20.0f %12.0f %15.0f %9.0f\n", 32 * Items,
               speed<network_of_warps<odd_even_merge>, 32, Items>(keys),
               speed<network_of_warps<bitonic>, 32, Items>(keys),
               speed<merges_of_warps<our_warp_merge>, 32, Items>(keys),
               speed<merges_of_warps<cubs_warp_merge>, 32, Items>(keys)),
   ...);
}
template <int Threads, int Items>
void print_block(thrust::device_vector<key>& keys) {
  std::printf("%4d x %-2d = %5d %20.0f %12.0f %15.0f %9.0f %13.0f\n", Threads, Items,
              Threads * Items, speed<network_of_blocks<odd_even_merge>, Threads, Items>(keys),
              speed<network_of_blocks<bitonic>, Threads, Items>(keys),
              speed<merges_of_blocks<our_block_merge>, Threads, Items>(keys),
              speed<merges_of_blocks<cubs_block_merge>, Threads, Items>(keys),
              speed<radix_of_blocks, Threads, Items>(keys));
}

}  // namespace

int main(int argc, char** argv) {
  const int log = argc > 1 ? std::atoi(argv[1]) : 24;
  if (log < 20 || log > 31) return std::puts("usage: bench_block_sort [20 to 31]"), 1;
  thrust::device_vector<key> keys(std::size_t{1} << log);
  std::puts("keys of 4 bytes sorted per ns; 0 is a wrong result");
  print_threads<2, 4, 9, 17>(keys);
  print_warps<1, 2, 4, 9>(keys);
  std::puts(
      "a block's items        odd-even merge      bitonic  BlockMergeSort     CUB's  CUB's radix");
  print_block<64, 1>(keys);
  print_block<128, 1>(keys);
  print_block<256, 1>(keys);
  print_block<64, 4>(keys);
  print_block<128, 4>(keys);
  print_block<256, 4>(keys);
  print_block<256, 9>(keys);
  print_block<512, 9>(keys);
  return 0;
}
