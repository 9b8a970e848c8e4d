// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where segments lie, for a sort of them: a bit for each item that begins one, and for each
// boundary of tiles the segment that lies on both sides of it.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/tuning/segments.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A segment that lies in the tiles before and behind a boundary of tiles; empty, if none does.
/// Items are counted from the first segment's first item on.
struct crossing_segment {
  std::size_t begin, end;
  HINDSIGHT_HD bool exists() const { return begin < end; }
  HINDSIGHT_HD bool operator==(const crossing_segment& other) const {
    return begin == other.begin && end == other.end;
  }
  /// Whether it lies in two tiles only. Such a seam is merged once, and by no pass.
  template <int TileItems>
  HINDSIGHT_DEVICE bool is_seam() const {
    return exists() && (end - 1) / TileItems == begin / TileItems + 1;
  }
  template <int TileItems>
  HINDSIGHT_DEVICE bool needs_passes() const {
    return exists() && !is_seam<TileItems>();
  }
  /// How often its items move once its pieces are sorted: in each pass up to that of its highest
  /// boundary, the one whose number the highest power of two divides.
  template <int TileItems>
  HINDSIGHT_DEVICE int num_moves() const {
    if (is_seam<TileItems>()) return 1;
    const auto first_tile = static_cast<unsigned long long>(begin / TileItems);
    return 64 - __clzll(static_cast<long long>(first_tile ^ ((end - 1) / TileItems)));
  }
};

/// What kernels know of all segments.
struct segment_map {
  struct extent {
    std::size_t first, num_items;  ///< where segments begin, and how many items they have together
    int num_passes;                ///< of the segment that needs most; 0, if merges count them
  };
  unsigned* heads;             ///< [num_items / 32, rounded up], a bit for each item
  crossing_segment* crossing;  ///< [num_tiles + 1], at the tiles' beginnings
  extent* whole;               ///< [1]
};

/// At least as many passes as any segment needs. Called by a block.
///   shared  a word of shared memory
template <int TileItems, int BlockThreads>
HINDSIGHT_DEVICE int count_passes(const segment_map& map, std::size_t num_items, int& shared) {
  if (threadIdx.x == 0) shared = 0;
  __syncthreads();
  int most = 0;
  for (std::size_t t = threadIdx.x; t * TileItems < num_items; t += BlockThreads) {
    const crossing_segment segment = map.crossing[t];
    if (segment.needs_passes<TileItems>())
      most = ::cuda::std::max(most, segment.num_moves<TileItems>());
  }
  if (most > 0) atomicMax(&shared, most);
  __syncthreads();
  return shared;
}

/// Sets the bit of each lane's item, if the lane has one. No two lanes have the same item. The bits
/// of a word are set by one atomic operation. All lanes call it.
HINDSIGHT_DEVICE void mark_items_by_warp(unsigned* bits, std::size_t item, bool has_item) {
  const auto word = static_cast<unsigned long long>(item / 32);
  for (unsigned left = __ballot_sync(all_lanes, has_item); left != 0;) {
    const int leader = __ffs(static_cast<int>(left)) - 1;
    const bool is_same = word == cuda::shuffle_from(word, leader) && has_item;
    const unsigned mask = cuda::warp_sum(is_same ? 1u << item % 32 : 0u);
    if (lane_index() == leader) atomicOr(bits + word, mask);
    left &= ~__ballot_sync(all_lanes, is_same);
  }
}

/// Notes each lane's segment at the boundaries of tiles that it crosses. All lanes call it.
template <int TileItems>
HINDSIGHT_DEVICE void mark_crossings_by_warp(const segment_map& map, const crossing_segment& own,
                                             bool crosses) {
  for (unsigned left = __ballot_sync(all_lanes, crosses); left != 0; left &= left - 1) {
    const int lane = __ffs(static_cast<int>(left)) - 1;
    const crossing_segment segment = cuda::shuffle_from(own, lane);
    for (std::size_t t = segment.begin / TileItems + 1 + lane_index(); t * TileItems < segment.end;
         t += warp_lanes)
      map.crossing[t] = segment;
  }
}

/// Makes the map.
///   offsets  [num_segments + 1]
///   map      all zero
template <int TileItems, class OffsetIt>
HINDSIGHT_KERNEL void map_segments_kernel(OffsetIt offsets, std::size_t num_segments,
                                          segment_map map) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t num_threads = std::size_t{gridDim.x} * blockDim.x;
  const auto first = static_cast<std::size_t>(offsets[0]);
  const auto begin_of = [&](std::size_t s) { return static_cast<std::size_t>(offsets[s]) - first; };
  int num_passes = 0;
  for (std::size_t s = thread; s - lane_index() < num_segments; s += num_threads) {
    crossing_segment own{0, 0};
    if (s < num_segments) own = {begin_of(s), begin_of(s + 1)};
    cuda::mark_items_by_warp(map.heads, own.begin, own.exists());
    const bool crosses = own.exists() && own.begin / TileItems != (own.end - 1) / TileItems;
    if (crosses && own.needs_passes<TileItems>())
      num_passes = ::cuda::std::max(num_passes, own.num_moves<TileItems>());
    cuda::mark_crossings_by_warp<TileItems>(map, own, crosses);
  }
  if (num_passes > 0) atomicMax(&map.whole->num_passes, num_passes);
  if (thread == 0) {
    map.whole->first = first;
    map.whole->num_items = begin_of(num_segments);
  }
}

template <int Warps>
struct heads_of_warps {
  std::size_t last[Warps], first[Warps];
};

/// heads of the map, from a flag for each item; item 0 begins a segment in any case.
///   last_heads   [num_tiles], written: 1 + the last item of the tile that begins a segment, or 0
///   first_heads  [num_tiles], written: the first one, or n
template <int TileItems, int BlockThreads, class FlagIt>
HINDSIGHT_KERNEL void map_flags_kernel(FlagIt flags, std::size_t n, segment_map map,
                                       std::size_t* last_heads, std::size_t* first_heads) {
  HINDSIGHT_SHARED(shared, heads_of_warps<BlockThreads / warp_lanes>);
  const std::size_t begin = std::size_t{blockIdx.x} * TileItems;
  std::size_t last = 0, first = n;
  for (int base = warp_index() * warp_lanes; base < TileItems; base += BlockThreads) {
    const std::size_t i = begin + base + lane_index();
    const bool is_head = i < n && (i == 0 || static_cast<bool>(flags[i]));
    const unsigned heads = __ballot_sync(all_lanes, is_head);
    if (begin + base >= n || heads == 0) continue;
    if (lane_index() == 0) map.heads[(begin + base) / 32] = heads;
    last = begin + base + 32 - __clz(static_cast<int>(heads));
    first = ::cuda::std::min(first, begin + base + __ffs(static_cast<int>(heads)) - 1);
  }
  if (lane_index() == 0) {
    shared.last[warp_index()] = last;
    shared.first[warp_index()] = first;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < BlockThreads / warp_lanes; ++w) {
    last = ::cuda::std::max(last, shared.last[w]);
    first = ::cuda::std::min(first, shared.first[w]);
  }
  last_heads[blockIdx.x] = last;
  first_heads[blockIdx.x] = first;
}

/// The rest of the map, by one block: what crosses a boundary begins at the last head before it and
/// ends at the first one behind it.
template <int TileItems, int BlockThreads>
HINDSIGHT_BOUNDED_KERNEL(BlockThreads, 1)
void map_crossing_kernel(std::size_t n, std::size_t num_tiles, segment_map map,
                         const std::size_t* last_heads, const std::size_t* first_heads) {
  ptx::wait_for_launch_before();
  HINDSIGHT_SHARED(shared, heads_of_warps<BlockThreads / warp_lanes>);
  constexpr int warps = BlockThreads / warp_lanes;
  const auto larger = [](std::size_t a, std::size_t b) { return ::cuda::std::max(a, b); };
  const int thread = static_cast<int>(threadIdx.x);
  // The first head behind a tile has the largest n - begin: the same maximum finds it, from the
  // last tile to the first.
  std::size_t last = 0, first = 0;
  for (std::size_t chunk = 0; chunk < num_tiles; chunk += BlockThreads) {
    const std::size_t t = chunk + thread;
    const std::size_t own_last = t < num_tiles ? last_heads[t] : 0;
    const std::size_t own_first = t < num_tiles ? n - first_heads[num_tiles - 1 - t] : 0;
    std::size_t last_until = cuda::warp_inclusive_fold(own_last, larger);
    std::size_t first_from = cuda::warp_inclusive_fold(own_first, larger);
    if (lane_index() == warp_lanes - 1) {
      shared.last[warp_index()] = last_until;
      shared.first[warp_index()] = first_from;
    }
    __syncthreads();
    last_until = larger(last_until, last);
    first_from = larger(first_from, first);
    for (int w = 0; w < warps; ++w) {
      if (w < warp_index()) {
        last_until = larger(last_until, shared.last[w]);
        first_from = larger(first_from, shared.first[w]);
      }
      last = larger(last, shared.last[w]);
      first = larger(first, shared.first[w]);
    }
    __syncthreads();
    if (t >= num_tiles) continue;
    map.crossing[t + 1].begin = last_until - 1;
    map.crossing[num_tiles - 1 - t].end = n - first_from;
  }
  __syncthreads();
  int num_passes = 0;
  for (std::size_t t = thread; t <= num_tiles; t += BlockThreads) {
    crossing_segment& segment = map.crossing[t];
    if (t == 0 || t == num_tiles || segment.end == t * TileItems) {
      segment = {0, 0};
    } else if (segment.needs_passes<TileItems>()) {
      num_passes = ::cuda::std::max(num_passes, segment.num_moves<TileItems>());
    }
  }
  if (num_passes > 0) atomicMax(&map.whole->num_passes, num_passes);
  if (thread == 0) map.whole->num_items = n;
}

/// Segments by offsets, of which the map is made.
///   offsets  [num_segments + 1]
template <class OffsetIt>
struct map_of_offsets {
  static constexpr bool are_offsets = true;
  OffsetIt offsets;
  std::size_t num_segments;

  void carve(carver&, std::size_t) {}
  template <int TileItems>
  cudaError_t make(const segment_map& map, std::size_t, std::size_t, cudaStream_t stream) const {
    const std::size_t blocks = num_segments / map_threads + 1;
    HINDSIGHT_LAUNCH(static_cast<unsigned>(::cuda::std::min(blocks, most_map_blocks)), map_threads,
                     0, stream, map_segments_kernel<TileItems>)
    (offsets, num_segments, map);
    return cudaPeekAtLastError();
  }
};

/// Segments by a flag for each item.
///   flags  [n]
template <class FlagIt>
struct map_of_flags {
  static constexpr bool are_offsets = false;
  FlagIt flags;
  std::size_t *last_heads = nullptr, *first_heads = nullptr;

  void carve(carver& space, std::size_t num_tiles) {
    last_heads = space.take<std::size_t>(num_tiles);
    first_heads = space.take<std::size_t>(num_tiles);
  }
  template <int TileItems>
  cudaError_t make(const segment_map& map, std::size_t n, std::size_t num_tiles,
                   cudaStream_t stream) const {
    HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), map_threads, 0, stream,
                     map_flags_kernel<TileItems, map_threads>)
    (flags, n, map, last_heads, first_heads);
    constexpr auto find_crossing = map_crossing_kernel<TileItems, map_crossing_threads>;
    return HINDSIGHT_LAUNCH_NEXT(1, map_crossing_threads, 0, stream, find_crossing)(
        n, num_tiles, map, last_heads, first_heads);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
