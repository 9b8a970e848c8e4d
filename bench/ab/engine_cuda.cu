// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/detail/ab/bits.h>

#include <cuda/std/version>
#include <cuda_runtime_api.h>
#include <thrust/execution_policy.h>

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

/// Keeps the stream busy until *go is not 0, or for about a millisecond, if the host waits for the
/// stream before it lets it go.
__global__ void hold_kernel(const volatile unsigned* go) {
  const long long begin = clock64();
  while (*go == 0 && clock64() - begin < 2'000'000) continue;
}

}  // namespace

std::string why_unreliable() {
  return "";
}

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
  const auto make_flag = [] {
    void* flag;
    check(cudaHostAlloc(&flag, sizeof(unsigned), cudaHostAllocMapped), "cudaHostAlloc");
    return static_cast<volatile unsigned*>(flag);
  };
  static const cudaEvent_t begin = make_event(), end = make_event();
  static volatile unsigned* const go = make_flag();
  float ms = 0;
  *go = 0;
  hold_kernel<<<1, 1>>>(go);  // all is enqueued when the GPU begins: the host takes no part
  check(cudaEventRecord(begin), "cudaEventRecord");
  call();
  check(cudaEventRecord(end), "cudaEventRecord");
  *go = 1;
  check(cudaEventSynchronize(end), "a run");
  check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
  return ms;
}

void forget_failed_allocation() {
  cudaGetLastError();
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
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
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

constexpr int max_threads = 512;

/// What a thread of the kernels below does with in[0, n): 16-byte loads, `Unroll` in flight.
template <int Unroll, class Use>
__device__ void for_each_loaded(const uint4* in, std::size_t n, Use use) {
  const std::size_t tile = std::size_t{Unroll} * blockDim.x;
  for (std::size_t begin = blockIdx.x * tile; begin < n; begin += gridDim.x * tile) {
    uint4 loaded[Unroll];
#pragma unroll
    for (int k = 0; k < Unroll; ++k) {
      const std::size_t i = begin + k * blockDim.x + threadIdx.x;
      if (i < n) loaded[k] = __ldcs(in + i);
    }
#pragma unroll
    for (int k = 0; k < Unroll; ++k) {
      const std::size_t i = begin + k * blockDim.x + threadIdx.x;
      if (i < n) use(i, loaded[k]);
    }
  }
}

/// The compiler cannot know that no sum is `unlikely`, so the loads have a use.
template <int Unroll>
__global__ void __launch_bounds__(max_threads)
    read_kernel(const uint4* in, std::size_t n, unsigned unlikely, unsigned* out) {
  unsigned sum = 0;
  for_each_loaded<Unroll>(
      in, n, [&](std::size_t, uint4 item) { sum += item.x ^ item.y ^ item.z ^ item.w; });
  if (sum == unlikely) *out = sum;
}

template <int Unroll>
__global__ void __launch_bounds__(max_threads)
    copy_kernel(const uint4* in, std::size_t n, uint4* out) {
  for_each_loaded<Unroll>(in, n, [=](std::size_t i, uint4 item) { __stcs(out + i, item); });
}

/// The median time of seven calls, after one to warm up.
template <class Call>
double median_of_calls(Call call) {
  std::vector<double> ms;
  for (int run = 0; run < 8; ++run) {
    const double time = milliseconds(call, mode::kernel);
    check(cudaGetLastError(), "a ceiling's kernel");
    if (run > 0) ms.push_back(time);
  }
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

/// The best time of `launch(blocks, threads)` with blocks that loop and with a block for each tile.
template <class Launch>
double best_shape(std::size_t n, int unroll, Launch launch) {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0),
        "cudaDeviceGetAttribute");
  double best = std::numeric_limits<double>::infinity();
  for (const int threads : {max_threads / 2, max_threads}) {
    const std::size_t tile = std::size_t(threads) * unroll;
    for (const std::size_t blocks :
         {std::size_t(processors * 1024 / threads), std::size_t(processors * 2048 / threads),
          (n + tile - 1) / tile}) {
      best = std::min(best, median_of_calls([&] { launch(unsigned(blocks), threads); }));
    }
  }
  return best;
}

template <int Unroll>
double read_ms(const uint4* in, std::size_t n, unsigned* out) {
  return best_shape(n, Unroll, [=](unsigned blocks, int threads) {
    read_kernel<Unroll><<<blocks, threads>>>(in, n, 0xdeadbeef, out);
  });
}

template <int Unroll>
double copy_ms(const uint4* in, std::size_t n, uint4* out) {
  return best_shape(n, Unroll, [=](unsigned blocks, int threads) {
    copy_kernel<Unroll><<<blocks, threads>>>(in, n, out);
  });
}

}  // namespace

std::size_t first_difference(const void* a, const void* b, std::size_t item_bytes, std::size_t n) {
  return hindsight::detail::ab::first_differing_item(thrust::device, a, b, item_bytes, n);
}

ceilings measure_ceilings() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::size_t bytes = std::min(std::size_t{2} << 30, free / 4 / 16 * 16);
  const std::size_t n = bytes / sizeof(uint4);
  const buffer from(bytes), to(bytes);
  fill(from.as<void>(), 1, bytes);
  const auto* in = from.as<const uint4>();
  auto* out = to.as<uint4>();
  const double driver_copy_ms = median_of_calls(
      [=] { check(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice), "cudaMemcpy"); });
  const double copy = std::min(
      {driver_copy_ms, copy_ms<2>(in, n, out), copy_ms<4>(in, n, out), copy_ms<8>(in, n, out)});
  const double read =
      std::min({read_ms<4>(in, n, to.as<unsigned>()), read_ms<8>(in, n, to.as<unsigned>()),
                read_ms<16>(in, n, to.as<unsigned>())});
  return {2 * double(bytes) / (copy * 1e6), double(bytes) / (read * 1e6)};
}

}  // namespace ab::engine
