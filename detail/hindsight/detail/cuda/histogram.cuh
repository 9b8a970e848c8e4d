// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histogram: each block counts its share of the samples in shared memory, then adds to the result.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/warp.cuh>
#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/tuning/histogram.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail {

/// Calls visit(samples[i]) for this thread's share of [0, n): 16 bytes at a time where the samples
/// lie in memory and are aligned.
template <class Tuning, class SampleIt, class Visit>
HINDSIGHT_DEVICE void visit_share(SampleIt samples, std::size_t n, Visit visit) {
  using Sample = value_of<SampleIt>;
  const std::size_t thread = std::size_t{blockIdx.x} * Tuning::block_threads + threadIdx.x;
  const std::size_t num_threads = std::size_t{gridDim.x} * Tuning::block_threads;
  std::size_t visited = 0;
  if constexpr (std::is_pointer_v<SampleIt> && std::is_trivially_copyable_v<Sample> &&
                16 % sizeof(Sample) == 0) {
    constexpr int vector = 16 / int(sizeof(Sample));
    if (reinterpret_cast<std::uintptr_t>(samples) % 16 == 0) {
      const auto words = reinterpret_cast<const uint4*>(samples);
      const std::size_t num_words = n / vector;
      std::size_t w = thread;
      const auto visit_word = [&](const uint4& word) {
        Sample items[vector];
        memcpy(items, &word, sizeof word);
        HINDSIGHT_UNROLL
        for (int v = 0; v < vector; ++v) visit(items[v]);
      };
      for (; w + (Tuning::lane_vectors - 1) * num_threads < num_words; w += Tuning::lane_vectors * num_threads) {
        uint4 batch[Tuning::lane_vectors];
        HINDSIGHT_UNROLL
        for (int i = 0; i < Tuning::lane_vectors; ++i) batch[i] = __ldcs(words + w + i * num_threads);
        HINDSIGHT_UNROLL
        for (int i = 0; i < Tuning::lane_vectors; ++i) visit_word(batch[i]);
      }
      for (; w < num_words; w += num_threads) visit_word(__ldcs(words + w));
      visited = num_words * vector;
    }
  }
  for (std::size_t i = visited + thread; i < n; i += num_threads) visit(Sample(samples[i]));
}

/// bins[b] += how many samples fall into bin b, as `rule` has it.
///   num_copies  of the bins in dynamic shared memory [num_copies * num_bins]; 0: count in `bins`
template <class Tuning, class SampleIt, class Counter, class Rule>
HINDSIGHT_KERNEL __launch_bounds__(Tuning::block_threads) void histogram_kernel(
    SampleIt samples, std::size_t n, Counter* bins, int num_bins, int num_copies, Rule rule) {
  extern __shared__ unsigned shared_counts[];
  if (num_copies == 0) {
    visit_share<Tuning>(samples, n, [&](const auto& sample) {
      if (const int bin = rule(sample); bin != no_bin) atomicAdd(bins + bin, Counter{1});
    });
    return;
  }
  for (int i = threadIdx.x; i < num_copies * num_bins; i += Tuning::block_threads) shared_counts[i] = 0;
  __syncthreads();
  unsigned* const own = shared_counts + warp_index() % num_copies * num_bins;
  visit_share<Tuning>(samples, n, [&](const auto& sample) {
    if (const int bin = rule(sample); bin != no_bin) atomicAdd(own + bin, 1u);
  });
  __syncthreads();
  for (int b = threadIdx.x; b < num_bins; b += Tuning::block_threads) {
    unsigned count = 0;
    for (int c = 0; c < num_copies; ++c) count += shared_counts[c * num_bins + b];
    if (count > 0) atomicAdd(bins + b, Counter(count));
  }
}

/// out[b] = bins[b], converted.
template <class Counter, class CounterIt>
HINDSIGHT_KERNEL void store_bins_kernel(const Counter* bins, CounterIt out, int num_bins) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < num_bins) out[b] = static_cast<value_of<CounterIt>>(bins[b]);
}

/// The type in which a counter of T can be added to atomically; void where there is none.
template <class T>
using atomic_counter_t =
    std::conditional_t<!std::is_integral_v<T>, void,
                       std::conditional_t<sizeof(T) == 4, unsigned,
                                          std::conditional_t<sizeof(T) == 8, unsigned long long, void>>>;

/// counters[b] = how many samples fall into bin b, for b in [0, num_bins), in CUB's two phases.
/// What `rule` refers to must be readable by the device.
template <class SampleIt, class CounterIt, class Rule>
cudaError_t histogram(void* temp, std::size_t& temp_bytes, SampleIt samples, std::size_t n,
                      CounterIt counters, int num_bins, Rule rule, cudaStream_t stream) {
  using tuning = histogram_tuning;
  const auto in = unwrap(samples);
  const auto out = unwrap(counters);
  using out_t = std::decay_t<decltype(out)>;
  using atomic_t = atomic_counter_t<value_of<CounterIt>>;
  constexpr bool counts_in_place = std::is_pointer_v<out_t> && !std::is_void_v<atomic_t>;
  using counter_t = std::conditional_t<counts_in_place, atomic_t, unsigned long long>;

  carver space{temp};
  counter_t* bins = nullptr;
  if constexpr (!counts_in_place) bins = space.take<counter_t>(num_bins);
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
  if constexpr (counts_in_place) bins = reinterpret_cast<counter_t*>(out);

  HINDSIGHT_TRY(cudaMemsetAsync(bins, 0, num_bins * sizeof *bins, stream));
  const std::size_t one_copy = num_bins * sizeof(unsigned);
  constexpr std::size_t warps = tuning::block_threads / warp_lanes;
  std::size_t num_copies = one_copy > tuning::max_shared_bytes ? 0 : tuning::copies_bytes / one_copy;
  num_copies = ::cuda::std::min(num_copies, warps);
  if (num_copies == 0 && one_copy <= tuning::max_shared_bytes) num_copies = 1;
  const std::size_t shared_bytes = num_copies * one_copy;

  const auto kernel = histogram_kernel<tuning, std::decay_t<decltype(in)>, counter_t, Rule>;
  if (shared_bytes > 48 * 1024) {
    HINDSIGHT_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shared_bytes)));
  }
  if (n > 0) {
    int multiprocessors = 0;
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
    const std::size_t shares = (n + tuning::block_threads * 16 - 1) / (tuning::block_threads * 16);
    const std::size_t fit = shared_bytes > tuning::copies_bytes ? tuning::max_shared_bytes / shared_bytes : tuning::blocks;
    const std::size_t blocks = ::cuda::std::min<std::size_t>(shares, multiprocessors * ::cuda::std::min<std::size_t>(fit, tuning::blocks));
    kernel<<<static_cast<unsigned>(blocks), tuning::block_threads, shared_bytes, stream>>>(
        in, n, bins, num_bins, static_cast<int>(num_copies), rule);
    HINDSIGHT_TRY(cudaPeekAtLastError());
  }
  if constexpr (!counts_in_place) {
    store_bins_kernel<<<(num_bins + 255) / 256, 256, 0, stream>>>(bins, out, num_bins);
    return cudaPeekAtLastError();
  }
  return cudaSuccess;
}

}  // namespace hindsight::detail
