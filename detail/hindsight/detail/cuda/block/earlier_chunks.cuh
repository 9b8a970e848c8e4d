// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block folds again what earlier chunks have of a segment, in the order of reduce_segments.cuh: a
// chunk's tiles in turn, and chunks as its second launch joins them. All warps take part.
#pragma once

#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/segment_chunks.cuh>
#include <hindsight/detail/cuda/block/segment_fold.cuh>

#include <cuda/std/functional>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Tuning, class T, class InputIt, class OffsetIt, class Op>
struct earlier_chunks {
  static constexpr int lane_items = Tuning::shape.lane_items;
  using cut = segment_cut<T, Tuning>;
  using round = round_of_tiles<cut>;
  using staged_items = staged_warp<T, lane_items>;
  struct storage {
    uninitialized<T> tiles[warp_lanes][round::tiles];  ///< folds of tiles; a row for each chunk
    uninitialized<T> all;
  };

  InputIt in;
  chunks_of_segments<cut, OffsetIt> chunks;
  Op op;
  storage& folds;
  staged_items& items;  ///< this warp's room
  unsigned (&heads)[lane_items];
  int segment;
  std::size_t first_item;   ///< where the segment begins
  int first_chunk;          ///< the chunk in which it begins
  int first_chunk_segment;  ///< the one that is open, or begins, where that chunk begins

  /// folds.all = the fold of the segment's items before chunk `last`, written by thread 0. It is
  /// made as by the block that joins chunks: a lane's share in turn, lanes by Kogge-Stone, warp
  /// after warp, and then chunk by chunk what the last lane has before `last`. Long segments are
  /// rare: inlined, this would cost the others registers. `earlier` is a copy. Members behind a
  /// pointer would be loaded from local memory again after each store.
  static HINDSIGHT_DEVICE_CALL void fold_before(int last, earlier_chunks earlier) {
    earlier.fold_chunks_before(last);
  }

 private:
  HINDSIGHT_DEVICE void fold_chunks_before(int last) const {
    const int share = chunks.share(), last_shared = last - last % share;
    uninitialized<T> fold;
    HINDSIGHT_ROLL
    for (int next = first_chunk; next < last;) {
      if (next > first_chunk) __syncthreads();  // the room for folds is free again
      const bool by_lanes = next < last_shared;
      const int lane_chunks = by_lanes ? share : 1, window = by_lanes ? warp_lanes * share : 1;
      const int low = next - next % window, first_lane = (next - low) / lane_chunks;
      const int high = ::cuda::std::min(low + window, by_lanes ? last_shared : last);
      const T own = fold_lanes(low + first_lane * lane_chunks, lane_chunks,
                               (high - low) / lane_chunks - first_lane, first_lane);
      fold.set(next > first_chunk ? op(fold.get(), own) : own);
      next = high;
    }
    if (threadIdx.x == 0) folds.all = fold;
  }
  HINDSIGHT_DEVICE round tiles_of(int chunk, int r) const {
    const std::size_t begin = chunk * chunks.members;
    const std::size_t first = begin - (chunk == first_chunk ? first_chunk_segment : segment);
    const std::size_t last = begin + chunks.members - segment;
    if (r == 0) return {first, last};
    const std::size_t floor = first / cut::alignment * cut::alignment;
    return {::cuda::std::min(floor + r * round::most_items, last), last};
  }
  HINDSIGHT_DEVICE bool has_items(int chunk, const round& tiles, int tile) const {
    return chunk >= first_chunk && tiles.has(tile) && tiles.floor + tiles.end_of(tile) > first_item;
  }

  /// Joins lanes that have `lane_chunks` chunks each, from `chunk` on. The first one is
  /// `first_lane`: the others' folds do not depend on lanes before it.
  HINDSIGHT_DEVICE T fold_lanes(int chunk, int lane_chunks, int num_lanes, int first_lane) const {
    // Lanes without chunks take a neighbour's, so that operators see real values only.
    const int lane =
        ::cuda::std::max(0, ::cuda::std::min(lane_index() - first_lane, num_lanes - 1));
    uninitialized<T> fold, chunk_fold;
    bool any_chunk = false;
    HINDSIGHT_ROLL
    for (int k = 0; k < lane_chunks; ++k) {
      bool any = false;
      HINDSIGHT_ROLL
      for (int r = 0; r < chunks.rounds(); ++r) {
        if (k > 0 || r > 0) __syncthreads();  // the room for folds is free again
        fold_tiles(chunk + k, lane_chunks, num_lanes, r);
        __syncthreads();
        if (warp_index() == 0)
          append_tiles(chunk + k + lane * lane_chunks, r, folds.tiles[lane], chunk_fold, any);
      }
      if (any) fold.set(any_chunk ? op(fold.get(), chunk_fold.get()) : chunk_fold.get());
      any_chunk = any_chunk || any;
    }
    if (warp_index() > 0 || num_lanes == 1) return fold.get();
    return cuda::shuffle_from(cuda::warp_segmented_fold(fold.get(), 1u << first_lane, op),
                              first_lane + num_lanes - 1);
  }

  /// Appends a chunk's tiles of a round.
  HINDSIGHT_DEVICE void append_tiles(int chunk, int r,
                                     const uninitialized<T> (&tile_folds)[round::tiles],
                                     uninitialized<T>& fold, bool& any) const {
    const round tiles = tiles_of(chunk, r);
    HINDSIGHT_UNROLL
    for (int t = 0; t < round::tiles; ++t) {
      if (!has_items(chunk, tiles, t)) continue;
      fold.set(any ? op(fold.get(), tile_folds[t].get()) : tile_folds[t].get());
      any = true;
    }
  }

  /// Folds a round's tiles of chunks that lie `distance` apart. A warp begins to load its next tile
  /// before it joins the lanes of one.
  HINDSIGHT_DEVICE void fold_tiles(int chunk, int distance, int num_chunks, int r) const {
    const int last_place = num_chunks * round::tiles, num_warps = int(blockDim.x) / warp_lanes;
    HINDSIGHT_ROLL
    for (int place = warp_index() - num_warps; place < last_place; place += num_warps) {
      uninitialized<T> fold;
      int num_items = 0;
      bool is_whole = true;
      if (place >= 0) {
        const int c = chunk + place / round::tiles * distance, tile = tile_at(place);
        const round tiles = tiles_of(c, r);
        staged_items::finish_loads();
        if (has_items(c, tiles, tile)) {
          num_items = tiles.end_of(tile) - tiles.begin_of(tile);
          const std::size_t begin = tiles.floor + tiles.begin_of(tile);
          // Where a segment ends in a tile, also one without items, it was folded by segment.
          is_whole = first_item <= begin &&
                     !(tile == 0 && r == 0 && c == first_chunk && first_chunk_segment < segment);
          fold.set(is_whole ? cuda::fold_lane(items, num_items, op)
                            : fold_from(static_cast<int>(first_item - begin), num_items));
        }
      }
      __syncwarp();  // the room is free again
      if (const int next = place + num_warps; next < last_place) {
        const int c = chunk + next / round::tiles * distance, tile = tile_at(next);
        const round tiles = tiles_of(c, r);
        if (has_items(c, tiles, tile)) chunks.begin_load(items, in, tiles, tile);
      }
      if (num_items == 0) continue;
      if (is_whole) fold.set(cuda::join_lanes(fold.get(), num_items, lane_items, op));
      if (lane_index() == 0) folds.tiles[place / round::tiles][tile_at(place)] = fold;
    }
  }
  /// A chunk's first tile takes longest. So warps that share a scheduler have different ones.
  static HINDSIGHT_DEVICE int tile_at(int place) {
    return (place ^ place / round::tiles) % round::tiles;
  }

  /// Folds a tile's items from one on that begins the segment.
  HINDSIGHT_DEVICE T fold_from(int head, int num_items) const {
    const int lane = lane_index();
    if (lane < lane_items) heads[lane] = lane == head / 32 ? 1u << head % 32 : 0;
    __syncwarp();
    cuda::fold_tile_by_segment(items, heads, num_items, op);
    __syncwarp();
    return items[num_items - 1];
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
