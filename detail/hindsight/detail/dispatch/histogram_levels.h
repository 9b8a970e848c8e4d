// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The levels of a histogram_range: what is refused, and how they get to the host and to the GPU.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/std_basics.h>

#include <thrust/copy.h>

#include <climits>
#include <string>
#include <type_traits>
#include <vector>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/histogram_levels.cuh>
#  include <hindsight/detail/cuda/iterator.cuh>
#  include <hindsight/detail/runtime/run.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// Throws invalid_call unless `reason` is null.
inline void refuse(const char* name, const char* reason) {
  if (reason) throw invalid_call(std::string{name} + ": " + reason);
}

/// Refuses numbers of levels between which there is no bin, or more than an int counts.
inline void check_num_levels(const char* name, std::size_t num_levels) {
  if (num_levels < 2) refuse(name, "there must be at least one bin (two levels)");
  if (num_levels > INT_MAX) refuse(name, "there are more than 2^31 - 1 levels");
}

/// Number of bins between the levels; refuses what refuse_range_bins refuses. Reads the levels on
/// the host.
template <class LevelIt>
int checked_num_bins(const char* name, LevelIt levels_first, LevelIt levels_last) {
  const std::size_t num_levels = detail::length(levels_first, levels_last, name);
  check_num_levels(name, num_levels);
  const int num_bins = static_cast<int>(num_levels) - 1;
  refuse(name, refuse_range_bins(num_bins, levels_first));
  return num_bins;
}

#if HINDSIGHT_CUDA

/// Where an address is; unregistered where CUDA knows nothing of it.
inline cudaPointerAttributes attributes_of(const void* address) {
  const outside_capture guard;
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) cudaGetLastError();
  return attributes;
}

/// Whether levels lie where a captured call must not read them at once: what writes them may be
/// part of the same graph. True where nobody knows.
template <class LevelIt>
bool are_on_device(LevelIt levels) {
  if constexpr (thrust::is_contiguous_iterator_v<LevelIt>) {
    const cudaPointerAttributes attributes = attributes_of(cuda::unwrap(levels));
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  } else {
    return true;
  }
}

/// Levels on the host. Bools are kept as bytes: a std::vector<bool> is no array.
template <class Level>
using host_levels =
    std::vector<std::conditional_t<std::is_same_v<Level, bool>, unsigned char, Level>>;

/// The levels of a call, on the host, checked. They may lie in host or device memory.
template <class LevelIt>
host_levels<item_t<LevelIt>> levels_on_host(const char* name, LevelIt first, LevelIt last,
                                            cudaStream_t stream) {
  using Level = item_t<LevelIt>;
  host_levels<Level> levels(detail::length(first, last, name));
  const auto wait = [&] {  // what writes the levels may be under way
    throw_on_error(cudaStreamSynchronize(stream), name);
  };
  if constexpr (!thrust::is_contiguous_iterator_v<LevelIt>) {
    wait();
    thrust::copy(first, last, levels.begin());
  } else if (const auto from = cuda::unwrap(first); are_on_device(first)) {
    throw_on_error(cudaMemcpyAsync(levels.data(), from, levels.size() * sizeof(Level),
                                   cudaMemcpyDefault, stream),
                   name);
    wait();
  } else {
    wait();
    std::copy(from, from + levels.size(), levels.begin());
  }
  checked_num_bins(name, levels.begin(), levels.end());
  return levels;
}

/// Copies the levels to `to`, where kernels of the stream can read them. They are not needed any
/// more then. (A copy from pageable memory may go on behind the call, where the GPU reads that
/// memory by itself. The stream was waited for before, so there is only the copy to wait for.)
template <class Level>
void copy_levels(const char* name, const host_levels<Level>& levels, Level* to,
                 cudaStream_t stream) {
  if (levels.size() <= std::size_t(cuda::level_chunk<Level>::size)) {
    throw_on_error(cuda::send_levels(levels.data(), levels.size(), to, stream), name);
  } else {
    throw_on_error(cudaMemcpyAsync(to, levels.data(), levels.size() * sizeof(Level),
                                   cudaMemcpyHostToDevice, stream),
                   name);
    throw_on_error(cudaStreamSynchronize(stream), name);
  }
}

/// Whether kernels may read the levels where they are: nobody else changes them before the kernels'
/// turn in the stream, and the counters do not overlap them.
template <class LevelIt, class CounterIt>
bool stay_in_place(const char* name, LevelIt levels, std::size_t num_levels, CounterIt counters) {
  const cudaPointerAttributes attributes = attributes_of(cuda::unwrap(levels));
  if (attributes.type != cudaMemoryTypeDevice) return false;
  int device = -1;
  throw_on_error(cudaGetDevice(&device), name);
  return attributes.device == device &&
         !cuda::may_overlap(cuda::unwrap(levels), cuda::unwrap(counters), num_levels);
}

#endif  // HINDSIGHT_CUDA

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
