// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/std/version>
#include <cuda_runtime_api.h>

#include "engine.h"
#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <stdexcept>

namespace ab::engine {

const std::vector<mode> modes{mode::kernel, mode::whole_call};
const std::vector<std::size_t> default_sizes{1u << 16, 1u << 20, 1u << 24, 1u << 28};
const run_limits limits{2, 7, 25, 0.15};

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string{what} + ": " + cudaGetErrorString(status));
}

bool whole_chunks = true;

}  // namespace

std::string why_unusable() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) return cudaGetErrorString(status);
  return devices > 0 ? "" : "no CUDA device";
}

machine describe() {
  cudaDeviceProp device{};
  int driver = 0, toolkit = 0;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&toolkit), "cudaRuntimeGetVersion");
  return {device.name, "CUDA", driver, toolkit, std::nullopt, CCCL_VERSION};
}

double milliseconds(const std::function<void()>& call, mode measured) {
  check(cudaDeviceSynchronize(), "before a run");
  if (measured == mode::whole_call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const auto end = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(end - begin).count();
  }
  const auto make_event = [] {
    cudaEvent_t event;
    check(cudaEventCreate(&event), "cudaEventCreate");
    return event;
  };
  static const cudaEvent_t begin = make_event(), end = make_event();
  float ms = 0;
  check(cudaEventRecord(begin), "cudaEventRecord");
  call();
  check(cudaEventRecord(end), "cudaEventRecord");
  check(cudaEventSynchronize(end), "a run");
  check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
  return ms;
}

bool use_small_buffers() {
  whole_chunks = false;
  return true;
}

void* allocate(std::size_t bytes, memory where) {
  constexpr std::size_t chunk = std::size_t{2} << 20;
  bytes = std::max(bytes, std::size_t{8});
  void* data = nullptr;
  cudaError_t status;
  if (where == memory::shared) {
    status = cudaMallocHost(&data, bytes);
  } else {
    status = cudaMalloc(&data, whole_chunks ? (bytes + chunk - 1) / chunk * chunk : bytes);
  }
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // or the next launch would report it
    throw std::bad_alloc();
  }
  check(status, "allocation");
  return data;
}

void release(void* data, memory where) noexcept {
  where == memory::shared ? cudaFreeHost(data) : cudaFree(data);
}

void fill(void* data, unsigned char byte, std::size_t bytes) {
  check(cudaMemset(data, byte, bytes), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaMemset");
}

void copy(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}

namespace {

using word = unsigned long long;

__device__ std::size_t grid_rank() {
  return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
}
__device__ std::size_t grid_size() {
  return std::size_t{gridDim.x} * blockDim.x;
}

__global__ void first_difference_kernel(const word* a, const word* b, std::size_t n, word* first) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) {
    if (a[i] != b[i]) {
      atomicMin(first, word(i));
      return;
    }
  }
}

/// Unroll independent 16-byte loads per thread at a time. The sum is written where the host cannot
/// know that it never equals `unlikely`, so that the loads have a use.
template <int Unroll>
__global__ void read_kernel(const uint4* in, std::size_t n, unsigned unlikely, unsigned* out) {
  unsigned sum = 0;
  for (std::size_t i = grid_rank(); i < n; i += Unroll * grid_size()) {
    uint4 loaded[Unroll];
#pragma unroll
    for (int k = 0; k < Unroll; ++k) {
      const std::size_t at = i + k * grid_size();
      loaded[k] = at < n ? __ldcs(in + at) : uint4{};
    }
#pragma unroll
    for (int k = 0; k < Unroll; ++k) sum += loaded[k].x ^ loaded[k].y ^ loaded[k].z ^ loaded[k].w;
  }
  if (sum == unlikely) *out = sum;
}

template <int Unroll>
__global__ void copy_kernel(const uint4* in, uint4* out, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += Unroll * grid_size()) {
    uint4 loaded[Unroll];
#pragma unroll
    for (int k = 0; k < Unroll; ++k) {
      const std::size_t at = i + k * grid_size();
      if (at < n) loaded[k] = __ldcs(in + at);
    }
#pragma unroll
    for (int k = 0; k < Unroll; ++k) {
      const std::size_t at = i + k * grid_size();
      if (at < n) __stcs(out + at, loaded[k]);
    }
  }
}

/// The median time of seven calls.
template <class Call>
double median_of_calls(Call call) {
  std::vector<double> ms;
  for (int run = 0; run < 8; ++run) {
    const double time = milliseconds(call, mode::kernel);
    check(cudaGetLastError(), "launch");
    if (run > 0) ms.push_back(time);
  }
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

/// The best time over shapes of a launch: `launch(blocks, threads)`.
template <class Launch>
double best_shape(Launch launch) {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "attribute");
  double best = std::numeric_limits<double>::infinity();
  for (const int threads : {256, 512, 1024}) {
    for (const int threads_per_processor : {1024, 2048}) {
      const int blocks = processors * (threads_per_processor / threads);
      best = std::min(best, median_of_calls([&] { launch(blocks, threads); }));
    }
  }
  return best;
}

}  // namespace

std::size_t first_difference(const word* a, const word* b, std::size_t n) {
  const buffer first(sizeof(word));
  word result = n;
  copy(first.as<word>(), &result, sizeof result);
  first_difference_kernel<<<1024, 256>>>(a, b, n, first.as<word>());
  check(cudaGetLastError(), "comparison");
  copy(&result, first.as<word>(), sizeof result);
  return result;
}

ceilings measure_ceilings() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::size_t bytes = std::min(std::size_t{2} << 30, free / 4 / 16 * 16);
  const std::size_t n = bytes / sizeof(uint4);
  const buffer a(bytes), b(bytes);
  fill(a.as<void>(), 1, bytes);
  const auto* from = a.as<const uint4>();
  auto* to = b.as<uint4>();
  const double copy_ms =
      std::min({median_of_calls([&] {
                  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice), "copy");
                }),
                best_shape([&](int blocks, int threads) {
                  copy_kernel<4><<<blocks, threads>>>(from, to, n);
                }),
                best_shape([&](int blocks, int threads) {
                  copy_kernel<8><<<blocks, threads>>>(from, to, n);
                })});
  const auto read = [&](auto kernel) {
    return best_shape([&](int blocks, int threads) {
      kernel<<<blocks, threads>>>(from, n, 0xdeadbeef, b.as<unsigned>());
    });
  };
  const double read_ms =
      std::min({read(read_kernel<4>), read(read_kernel<8>), read(read_kernel<16>)});
  return {2 * double(bytes) / (copy_ms * 1e6), double(bytes) / (read_ms * 1e6)};
}

}  // namespace ab::engine
