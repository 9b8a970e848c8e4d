// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nvcc knows without being told, for g++: it is included before everything else (-include), so
// that the kernels' own headers compile as they are.
#pragma once

#define HINDSIGHT_EMULATION 1
#define CCCL_DISABLE_FP16_SUPPORT 1  // cuda_fp16.h, if there is one, is for nvcc

#include <cuda_runtime_api.h>  // stub/ or calls/

#include "grid.h"
#if __has_include(<cuda/std/algorithm>)
#  include <cuda/std/algorithm>
#else
#  include <cuda/std/__algorithm_>  // cuda::std::min and the like before CCCL 3.1
#endif
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// --- the words of config.h -----------------------------------------------------------------------

#define HINDSIGHT_HD
#define HINDSIGHT_DEVICE inline __attribute__((always_inline))
#define HINDSIGHT_KERNEL
#define HINDSIGHT_BOUNDED_KERNEL(threads, blocks)
#define HINDSIGHT_LAUNCH(blocks, threads, shared_bytes, stream, ...)        \
  (::emulation::note_launch(__FILE__, __LINE__, __PRETTY_FUNCTION__),       \
   ::emulation::launch(stream, #__VA_ARGS__, blocks, threads, shared_bytes, \
                       [=](auto... arguments) { __VA_ARGS__(arguments...); }))
#define HINDSIGHT_LAUNCH_NEXT_IF(is_next, blocks, threads, shared_bytes, stream, ...)     \
  (::emulation::note_launch(__FILE__, __LINE__, __PRETTY_FUNCTION__),                     \
   ::emulation::launch_next(is_next, stream, #__VA_ARGS__, blocks, threads, shared_bytes, \
                            [=](auto... arguments) { __VA_ARGS__(arguments...); }))
#define HINDSIGHT_LAUNCH_NEXT(...) HINDSIGHT_LAUNCH_NEXT_IF(true, __VA_ARGS__)
#define HINDSIGHT_LAUNCH_TILES(chain, threads, stream, ...)                                \
  HINDSIGHT_LAUNCH_NEXT_IF((chain).starts_early, (chain).num_blocks(), threads, 0, stream, \
                           __VA_ARGS__)
#define HINDSIGHT_SHARED(name, ...) \
  static const char name##_key = 0; \
  auto& name =                      \
      *static_cast<__VA_ARGS__*>(::emulation::shared_memory(&name##_key, sizeof(__VA_ARGS__)))
#define HINDSIGHT_DYNAMIC_SHARED(name) \
  uint4* const name = static_cast<uint4*>(::emulation::dynamic_shared_memory())
#define HINDSIGHT_FROM_SM_90(body) EMULATION_UNWRAP body
#define HINDSIGHT_ON_DEVICE(on_device, on_host) \
  if (::emulation::plays_device) {              \
    EMULATION_UNWRAP on_device                  \
  } else {                                      \
    EMULATION_UNWRAP on_host                    \
  }
#define EMULATION_UNWRAP(...) __VA_ARGS__

namespace emulation {

/// Threads take the ways of device code; if not, those of host threads.
inline bool plays_device = true;

/// A kernel and its grid, to be called with the kernel's arguments. Each thread gets its own copy.
template <class Kernel>
auto launch(cudaStream_t stream, const char* name, dim3 blocks, unsigned threads,
            std::size_t shared_bytes, Kernel kernel, start when = start::after_launch_before) {
  return [=](auto... arguments) {
    emulation::put(stream, [=] {
      run_grid(
          name, blocks, threads, shared_bytes, [&] { kernel(arguments...); }, when);
    });
  };
}
template <class Kernel>
auto launch_next(bool is_next, cudaStream_t stream, const char* name, dim3 blocks, unsigned threads,
                 std::size_t shared_bytes, Kernel kernel) {
  return [=](auto... arguments) {
    launch(stream, name, blocks, threads, shared_bytes, kernel,
           is_next ? start::early : start::after_launch_before)(arguments...);
    return cudaGetLastError();  // as next_launch: returned, and not left to later calls
  };
}

/// The bits of a value of up to 8 bytes, and back.
template <class T>
std::uint64_t to_bits(const T& value) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T, class Change>
T update(T* word, Change change, place at) {
  const T before = from_bits<T>(begin_update(word, sizeof(T), order::relaxed, scope::device, at));
  end_update(word, sizeof(T), to_bits(change(before)), order::relaxed, scope::device, at);
  return before;
}

}  // namespace emulation

#define EMULATION_HERE ::emulation::place at = ::emulation::place::here()

// --- threads -------------------------------------------------------------------------------------

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

inline long long clock64() {
  return emulation::cycles();
}
HINDSIGHT_DEVICE void __syncthreads(EMULATION_HERE) {
  emulation::sync_threads(at);
}
inline int __syncthreads_count(bool yes, EMULATION_HERE) {
  return emulation::sync_threads_count(yes, at);
}
inline bool __syncthreads_or(bool yes, EMULATION_HERE) {
  return emulation::sync_threads_count(yes, at) != 0;
}
HINDSIGHT_DEVICE void __syncwarp(unsigned = ~0u, EMULATION_HERE) {
  emulation::sync_warp(at);
}
HINDSIGHT_DEVICE void __threadfence(EMULATION_HERE) {
  emulation::fence(emulation::scope::device, at);
}
HINDSIGHT_DEVICE void __threadfence_block(EMULATION_HERE) {
  emulation::fence(emulation::scope::block, at);
}

// --- warps: the mask is that of all lanes everywhere in this library -----------------------------

inline unsigned __shfl_sync(unsigned, unsigned value, int from, EMULATION_HERE) {
  const auto values = emulation::exchange(value, "__shfl_sync()", at);
  return static_cast<unsigned>(values[from % 32]);
}
inline int __shfl_sync(unsigned mask, int value, int from, EMULATION_HERE) {
  return static_cast<int>(__shfl_sync(mask, static_cast<unsigned>(value), from, at));
}
inline unsigned __shfl_up_sync(unsigned, unsigned value, int distance, EMULATION_HERE) {
  const auto values = emulation::exchange(value, "__shfl_up_sync()", at);
  const int lane = static_cast<int>(threadIdx.x % 32);
  return static_cast<unsigned>(values[lane >= distance ? lane - distance : lane]);
}
inline unsigned __shfl_down_sync(unsigned, unsigned value, int distance, EMULATION_HERE) {
  const auto values = emulation::exchange(value, "__shfl_down_sync()", at);
  const int lane = static_cast<int>(threadIdx.x % 32);
  return static_cast<unsigned>(values[lane + distance < 32 ? lane + distance : lane]);
}
inline unsigned __ballot_sync(unsigned, bool yes, EMULATION_HERE) {
  const auto values = emulation::exchange(yes, "__ballot_sync()", at);
  unsigned lanes = 0;
  for (unsigned l = 0; l < 32; ++l) lanes |= static_cast<unsigned>(values[l]) << l;
  return lanes;
}
inline bool __any_sync(unsigned mask, bool yes, EMULATION_HERE) {
  return __ballot_sync(mask, yes, at) != 0;
}
inline bool __all_sync(unsigned mask, bool yes, EMULATION_HERE) {
  return __ballot_sync(mask, yes, at) == ~0u;
}
template <class T>
T __reduce_add_sync(unsigned, T value, EMULATION_HERE) {
  const auto values = emulation::exchange(emulation::to_bits(value), "__reduce_add_sync()", at);
  T sum = 0;
  for (unsigned l = 0; l < 32; ++l) sum += emulation::from_bits<T>(values[l]);
  return sum;
}
template <class T>
T __reduce_max_sync(unsigned, T value, EMULATION_HERE) {
  const auto values = emulation::exchange(emulation::to_bits(value), "__reduce_max_sync()", at);
  T most = emulation::from_bits<T>(values[0]);
  for (unsigned l = 1; l < 32; ++l)
    if (most < emulation::from_bits<T>(values[l])) most = emulation::from_bits<T>(values[l]);
  return most;
}

template <class T>
T __reduce_min_sync(unsigned, T value, EMULATION_HERE) {
  const auto values = emulation::exchange(emulation::to_bits(value), "__reduce_min_sync()", at);
  T least = emulation::from_bits<T>(values[0]);
  for (unsigned l = 1; l < 32; ++l)
    if (emulation::from_bits<T>(values[l]) < least) least = emulation::from_bits<T>(values[l]);
  return least;
}

// --- memory --------------------------------------------------------------------------------------

template <class T>
T atomicAdd(T* word, T value, EMULATION_HERE) {
  return emulation::update(
      word, [=](T before) { return static_cast<T>(before + value); }, at);
}
template <class T>
T atomicOr(T* word, T value, EMULATION_HERE) {
  return emulation::update(
      word, [=](T before) { return static_cast<T>(before | value); }, at);
}
template <class T>
T atomicMax(T* word, T value, EMULATION_HERE) {
  return emulation::update(
      word, [=](T before) { return before < value ? value : before; }, at);
}
template <class T>
T atomicMin(T* word, T value, EMULATION_HERE) {
  return emulation::update(
      word, [=](T before) { return value < before ? value : before; }, at);
}
template <class T>
T atomicExch(T* word, T value, EMULATION_HERE) {
  return emulation::update(
      word, [=](T) { return value; }, at);
}
template <class T>
T atomicCAS(T* word, T expected, T value, EMULATION_HERE) {
  return emulation::update(
      word, [=](T before) { return before == expected ? value : before; }, at);
}
template <class T>
T __ldcs(const T* p) {
  return *p;
}
template <class T>
T __ldcg(const T* p) {
  return *p;
}

// --- arithmetic ----------------------------------------------------------------------------------

inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline float __fmaf_rn(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline float __saturatef(float x) {
  return x > 0 ? x < 1 ? x : 1 : 0;
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ typedef unsigned __int128 product;
  return static_cast<unsigned long long>(product{a} * b >> 64);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both >> shift % 32);
}
template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}

#include <hindsight/detail/ptx.cuh>  // that of the folder nvcc/ beside this file
