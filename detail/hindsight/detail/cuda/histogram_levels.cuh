// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels of a histogram by range: in shared memory, where blocks search them, and their way there.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/histogram_bins.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <iterator>

namespace hindsight::detail {

/// Levels with a slot of padding after every 128 bytes, or without: the steps of a binary search
/// are powers of two apart, which without it would be the same bank of shared memory.
template <class Level>
class skewed_levels {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Level;
  using difference_type = std::ptrdiff_t;
  using pointer = const Level*;
  using reference = const Level&;

  HINDSIGHT_DEVICE skewed_levels(const Level* levels, bool is_skewed)
      : levels_{levels}, is_skewed_{is_skewed} {}
  HINDSIGHT_DEVICE const Level& operator[](unsigned i) const {
    return levels_[is_skewed_ ? slot(i) : i];
  }
  HINDSIGHT_HD static constexpr unsigned slot(unsigned i) {
    return i + i / unsigned(128 / sizeof(Level));
  }

 private:
  const Level* levels_;
  bool is_skewed_;
};

/// Shared memory for the levels of a rule that searches them, if it does: lanes that look at
/// different levels are then served at once.
template <class Rule>
std::size_t level_bytes(const Rule&) {
  return 0;
}
template <class Level>
std::size_t level_bytes(const range_bins<const Level*>& rule) {
  const std::size_t slots = skewed_levels<Level>::slot(unsigned(rule.num_bins())) + 1;
  return (slots * sizeof(Level) + 15) / 16 * 16;
}

/// The rule, with its levels in `room` if that has any bytes. Called by a whole block; a barrier
/// has to follow.
template <class Rule>
HINDSIGHT_DEVICE Rule stage_levels(const Rule& rule, void*, int) {
  return rule;
}
template <class Level>
HINDSIGHT_DEVICE range_bins<skewed_levels<Level>> stage_levels(const range_bins<const Level*>& rule,
                                                               void* room, int bytes) {
  using skewed = skewed_levels<Level>;
  if (bytes == 0) return {rule.num_bins(), skewed{rule.levels(), false}};
  const auto staged = static_cast<Level*>(room);
  for (int i = threadIdx.x; i <= rule.num_bins(); i += blockDim.x)
    staged[skewed::slot(i)] = rule.levels()[i];
  return {rule.num_bins(), skewed{staged, true}};
}

/// As many levels as the arguments of a launch have room for.
template <class Level>
struct level_chunk {
  static constexpr int size = 2048 / int(sizeof(Level));
  Level levels[size];
};

/// to[i] = chunk.levels[i], i < count.
template <class Level>
HINDSIGHT_KERNEL void store_levels_kernel(level_chunk<Level> chunk, Level* to, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = chunk.levels[i];
}

/// to = levels [n], on the host, by way of the arguments of launches: a graph keeps those, while it
/// would read a copy's source when it runs.
template <class Level>
cudaError_t send_levels(const Level* levels, std::size_t n, Level* to, cudaStream_t stream) {
  using chunk_t = level_chunk<Level>;
  for (std::size_t begin = 0; begin < n; begin += chunk_t::size) {
    const auto count = ::cuda::std::min<std::size_t>(chunk_t::size, n - begin);
    chunk_t chunk{};
    memcpy(chunk.levels, levels + begin, count * sizeof(Level));
    HINDSIGHT_LAUNCH(1, 256, 0, stream, store_levels_kernel)
    (chunk, to + begin, static_cast<int>(count));
    HINDSIGHT_TRY(cudaPeekAtLastError());
  }
  return cudaSuccess;
}

}  // namespace hindsight::detail
