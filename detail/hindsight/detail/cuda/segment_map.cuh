// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where segments lie, for a sort of them: a bit for each item that begins one, and for each
// boundary of tiles the segment that lies on both sides of it.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail {

/// A segment that lies in the tiles before and behind a boundary of tiles; empty, if none does.
/// Items are counted from the first segment's first item on.
struct crossing_segment {
  std::size_t begin, end;
  HINDSIGHT_HD bool exists() const { return begin < end; }
  HINDSIGHT_HD bool operator==(const crossing_segment& other) const {
    return begin == other.begin && end == other.end;
  }
  /// The number of passes that move it: the last one merges at its boundary that most powers of two
  /// divide.
  template <int TileItems>
  HINDSIGHT_DEVICE int num_passes() const {
    const auto first_tile = static_cast<unsigned long long>(begin / TileItems);
    return 64 - __clzll(static_cast<long long>(first_tile ^ ((end - 1) / TileItems)));
  }
};

/// What kernels know of all segments.
struct segment_map {
  struct extent {
    std::size_t first, num_items;  ///< where segments begin, and how many items they have together
    int num_passes;                ///< of the segment that needs most
  };
  unsigned* heads;             ///< [num_items / 32, rounded up], a bit for each item
  crossing_segment* crossing;  ///< [num_tiles + 1], at the tiles' beginnings
  extent* whole;               ///< [1]
};

/// Makes the map.
///   offsets  [num_segments + 1]
///   map      all zero
template <int TileItems, class OffsetIt>
HINDSIGHT_KERNEL void map_segments_kernel(OffsetIt offsets, std::size_t num_segments,
                                          std::size_t num_tiles, segment_map map) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t num_threads = std::size_t{gridDim.x} * blockDim.x;
  const auto first = static_cast<std::size_t>(offsets[0]);
  const auto begin_of = [&](std::size_t s) { return static_cast<std::size_t>(offsets[s]) - first; };
  const std::size_t num_items = begin_of(num_segments);
  for (std::size_t s = thread; s < num_segments; s += num_threads) {
    const std::size_t begin = begin_of(s);
    if (begin < begin_of(s + 1)) atomicOr(map.heads + begin / 32, 1u << begin % 32);
  }
  int num_passes = 0;
  for (std::size_t t = thread; t <= num_tiles; t += num_threads) {
    const std::size_t boundary = t * TileItems;
    if (t == 0 || boundary >= num_items) continue;
    std::size_t low = 0, high = num_segments;  // the last segment that begins there or before
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (begin_of(middle) <= boundary ? low : high) = middle;
    }
    const crossing_segment segment{begin_of(low), begin_of(low + 1)};
    if (segment.begin == boundary) continue;
    map.crossing[t] = segment;
    num_passes = ::cuda::std::max(num_passes, segment.num_passes<TileItems>());
  }
  if (num_passes > 0) atomicMax(&map.whole->num_passes, num_passes);
  if (thread == 0) {
    map.whole->first = first;
    map.whole->num_items = num_items;
  }
}

/// Segments by offsets, of which the map is made.
///   offsets  [num_segments + 1]
template <class OffsetIt>
struct map_of_offsets {
  OffsetIt offsets;
  std::size_t num_segments;

  template <int TileItems>
  cudaError_t make(const segment_map& map, std::size_t num_tiles, cudaStream_t stream) const {
    constexpr std::size_t threads = 256, most_blocks = 1 << 16;
    const std::size_t blocks = ::cuda::std::max(num_segments, num_tiles + 1) / threads + 1;
    HINDSIGHT_LAUNCH(static_cast<unsigned>(::cuda::std::min(blocks, most_blocks)), threads, 0,
                     stream, map_segments_kernel<TileItems>)
    (offsets, num_segments, num_tiles, map);
    return cudaPeekAtLastError();
  }
};

}  // namespace hindsight::detail
