// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where segments lie, for a sort of them: for each boundary of tiles the segment that lies on both
// sides of it, and in each tile a bit for each item that begins one.
#pragma once

#include <hindsight/detail/cuda/block/head_bits.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/loads.h>
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
  HINDSIGHT_HD std::size_t size() const { return end - begin; }
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

/// Where a place lies among segments.
struct segment_boundary {
  std::size_t num_ended;      ///< how many segments end there or before
  crossing_segment crossing;  ///< the segment on both sides

  /// Called by a full warp, each lane of which asks for one end at a time.
  template <class OffsetIt>
  static HINDSIGHT_DEVICE segment_boundary at(const merged_segments<OffsetIt>& merged,
                                              std::size_t place) {
    std::size_t low = 0, high = merged.num_segments();
    while (low < high) {
      const std::size_t distance = (high - low + warp_lanes - 1) / warp_lanes;
      const std::size_t probe = low + (lane_index() + 1) * distance - 1;
      const bool has_ended = probe < high && merged.end(probe) <= place;
      low += __popc(__ballot_sync(all_lanes, has_ended)) * distance;
      high = ::cuda::std::min(high, low + distance - 1);
    }
    segment_boundary boundary{low, {0, 0}};
    if (low < merged.num_segments() && merged.begin(low) < place)
      boundary.crossing = {merged.begin(low), merged.end(low)};
    return boundary;
  }
};

/// Makes the map: a warp for each boundary of tiles finds what crosses it.
///   offsets    [num_segments + 1]
///   num_ended  [num_tiles + 1], written: how many segments end at a tile's beginning or before
///   map        whole->num_passes is 0
template <int TileItems, class OffsetIt>
HINDSIGHT_KERNEL void map_offsets_kernel(OffsetIt offsets, std::size_t num_segments,
                                         segment_map map, std::size_t* num_ended) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t num_warps = std::size_t{gridDim.x} * blockDim.x / warp_lanes;
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  const std::size_t num_items = merged.num_items();
  const std::size_t num_tiles = (num_items + TileItems - 1) / TileItems;
  int num_passes = 0;
  for (std::size_t t = thread / warp_lanes; t <= num_tiles; t += num_warps) {
    const segment_boundary boundary = segment_boundary::at(merged, t * TileItems);
    if (boundary.crossing.needs_passes<TileItems>())
      num_passes = ::cuda::std::max(num_passes, boundary.crossing.num_moves<TileItems>());
    if (lane_index() != 0) continue;
    num_ended[t] = boundary.num_ended;
    map.crossing[t] = boundary.crossing;
  }
  if (num_passes > 0 && lane_index() == 0) atomicMax(&map.whole->num_passes, num_passes);
  if (thread == 0) {
    map.whole->first = merged.first();
    map.whole->num_items = num_items;
  }
}

/// Marks the items of a tile that begin a segment. The ends of segments [first, last) are those
/// that lie in it.
///   heads  cleared, and a barrier since
template <class Tuning, class OffsetIt>
HINDSIGHT_DEVICE void mark_heads(head_bits<Tuning::tile_items>& heads,
                                 const merged_segments<OffsetIt>& merged, std::size_t first,
                                 std::size_t last, std::size_t begin, std::size_t count) {
  if (last - first <= Tuning::most_marks_by_end) {
    for (std::size_t s = first + threadIdx.x; s < last;
         s += std::size_t{Tuning::block_threads} * marked_at_once) {
      std::size_t items[marked_at_once];  // all are read before the first one is marked
      HINDSIGHT_UNROLL
      for (int j = 0; j < marked_at_once; ++j) {
        const std::size_t each = s + std::size_t(j) * Tuning::block_threads;
        items[j] = each < last ? merged.end(each) - begin : count;
      }
      HINDSIGHT_UNROLL
      for (int j = 0; j < marked_at_once; ++j)
        if (items[j] < count) heads.mark(static_cast<int>(items[j]));
    }
    return;
  }
  // Most segments here are empty: the time must not depend on in which tile they are.
  for (std::size_t i = threadIdx.x; i < count; i += Tuning::block_threads) {
    std::size_t low = first, high = last;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const bool is_before = merged.end(middle) < begin + i;
      (is_before ? low : high) = is_before ? middle + 1 : middle;
    }
    if (low < last && merged.end(low) == begin + i) heads.mark(static_cast<int>(i));
  }
}

/// The heads of tiles, which blocks find among the offsets.
///   num_ended  [num_tiles + 1], as map_offsets_kernel() writes it
template <class OffsetIt>
struct heads_of_offsets {
  OffsetIt offsets;
  std::size_t num_segments;
  const std::size_t* num_ended;

  /// Three steps of a block. Between the second and the third one there is a barrier.
  template <class Tuning>
  HINDSIGHT_DEVICE void clear(head_bits<Tuning::tile_items>& heads, int count) const {
    heads.template clear<Tuning::block_threads>(count);
    __syncthreads();
  }
  template <class Tuning>
  HINDSIGHT_DEVICE void mark(head_bits<Tuning::tile_items>& heads, std::size_t tile,
                             int count) const {
    const merged_segments<OffsetIt> merged{offsets, num_segments};
    cuda::mark_heads<Tuning>(heads, merged, num_ended[tile], num_ended[tile + 1],
                             tile * Tuning::tile_items, static_cast<std::size_t>(count));
  }
  template <class Tuning>
  HINDSIGHT_DEVICE void finish(head_bits<Tuning::tile_items>& heads) const {
    heads.template finish_marks<Tuning::block_threads>();
    __syncthreads();
  }
};

/// The heads of tiles, as map_flags_kernel() writes them.
///   bits  [num_items / 32, rounded up], a bit for each item
struct heads_of_flags {
  unsigned* bits;

  template <class Tuning>
  HINDSIGHT_DEVICE void clear(head_bits<Tuning::tile_items>&, int) const {}
  template <class Tuning>
  HINDSIGHT_DEVICE void mark(head_bits<Tuning::tile_items>& heads, std::size_t tile,
                             int count) const {
    heads.template load<Tuning::block_threads>(bits + tile * (Tuning::tile_items / 32), count);
  }
  template <class Tuning>
  HINDSIGHT_DEVICE void finish(head_bits<Tuning::tile_items>&) const {}
};

template <int Warps>
struct heads_of_warps {
  std::size_t last[Warps], first[Warps];
};

/// Heads from a flag for each item; item 0 begins a segment in any case.
///   heads        [n / 32, rounded up], written
///   last_heads   [num_tiles], written: 1 + the last item of the tile that begins a segment, or 0
///   first_heads  [num_tiles], written: the first one, or n
template <int TileItems, int BlockThreads, class FlagIt>
HINDSIGHT_KERNEL void map_flags_kernel(FlagIt flags, std::size_t n, heads_of_flags heads_out,
                                       std::size_t* last_heads, std::size_t* first_heads) {
  HINDSIGHT_SHARED(shared, heads_of_warps<BlockThreads / warp_lanes>);
  const std::size_t begin = std::size_t{blockIdx.x} * TileItems;
  std::size_t last = 0, first = n;
  for (int base = warp_index() * warp_lanes; base < TileItems; base += BlockThreads) {
    const std::size_t i = begin + base + lane_index();
    const bool is_head = i < n && (i == 0 || static_cast<bool>(flags[i]));
    const unsigned heads = __ballot_sync(all_lanes, is_head);
    if (begin + base >= n) continue;
    if (lane_index() == 0) heads_out.bits[(begin + base) / 32] = heads;
    if (heads == 0) continue;
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
  std::size_t* num_ended = nullptr;

  void carve(carver& space, std::size_t, std::size_t num_tiles) {
    num_ended = space.take<std::size_t>(num_tiles + 1);
  }
  heads_of_offsets<OffsetIt> heads() const { return {offsets, num_segments, num_ended}; }
  template <int TileItems>
  cudaError_t make(const segment_map& map, std::size_t, std::size_t num_tiles,
                   cudaStream_t stream) const {
    const std::size_t blocks = num_tiles / (map_threads / warp_lanes) + 1;
    HINDSIGHT_LAUNCH(static_cast<unsigned>(::cuda::std::min(blocks, most_map_blocks)), map_threads,
                     0, stream, map_offsets_kernel<TileItems>)
    (offsets, num_segments, map, num_ended);
    return detail::reported(cudaPeekAtLastError());
  }
};

/// Segments by a flag for each item.
///   flags  [n]
template <class FlagIt>
struct map_of_flags {
  static constexpr bool are_offsets = false;
  FlagIt flags;
  unsigned* bits = nullptr;
  std::size_t *last_heads = nullptr, *first_heads = nullptr;

  void carve(carver& space, std::size_t n, std::size_t num_tiles) {
    bits = space.take<unsigned>((n + 31) / 32);
    last_heads = space.take<std::size_t>(num_tiles);
    first_heads = space.take<std::size_t>(num_tiles);
  }
  heads_of_flags heads() const { return {bits}; }
  template <int TileItems>
  cudaError_t make(const segment_map& map, std::size_t n, std::size_t num_tiles,
                   cudaStream_t stream) const {
    HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), map_threads, 0, stream,
                     map_flags_kernel<TileItems, map_threads>)
    (flags, n, heads(), last_heads, first_heads);
    constexpr auto find_crossing = map_crossing_kernel<TileItems, map_crossing_threads>;
    return HINDSIGHT_LAUNCH_NEXT(1, map_crossing_threads, 0, stream, find_crossing)(
        n, num_tiles, map, last_heads, first_heads);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
