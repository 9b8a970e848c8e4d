// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of segments of few items in one launch. A block folds the segments that end in its
// chunk as a whole. What earlier chunks have of the first one it folds again, in the same order as
// the two launches of reduce_segments.cuh: so the bits are the same, and no block waits for
// another.
#pragma once

#include <hindsight/detail/cuda/block/earlier_chunks.cuh>
#include <hindsight/detail/cuda/block/segment_chunks.cuh>
#include <hindsight/detail/cuda/block/segment_fold.cuh>
#include <hindsight/detail/tuning/segments.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A chunk's items [item, last_item), and the segments [segment, last_segment) that end in it.
struct chunk_members {
  int segment, last_segment;
  std::size_t item, last_item;
};

/// A block that folds the segments that end in a chunk.
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
struct whole_segments_folder {
  static constexpr int lane_items = Tuning::shape.lane_items;
  using cut = segment_cut<T, Tuning>;
  using round = round_of_tiles<cut>;
  using staged_items = staged_warp<T, lane_items>;
  using earlier_chunks = cuda::earlier_chunks<Tuning, T, InputIt, OffsetIt, Op>;
  static constexpr int most_tiles = 2 * round::tiles;  ///< the chunk's and the earlier one's
  static constexpr int rooms = round::tiles + whole_segment_tuning<T>::warps;
  static_assert(rooms >= most_tiles &&
                most_tiles * lane_items <= warp_lanes * whole_segment_tuning<T>::warps);
  struct storage {
    staged_items items[rooms];  ///< of each tile of the block, and of each warp
    unsigned heads[rooms][lane_items];
    unsigned ended;                      ///< a bit for each tile in which segments end
    uninitialized<T> folds[most_tiles];  ///< of what is open at each tile's end
    typename earlier_chunks::storage earlier_folds;
    int found[search_by_block<OffsetIt>::num_positions];
  };

  InputIt in;
  const chunks_of_segments<cut, OffsetIt>& chunks;
  Results results;
  Op op;
  storage& shared;

  HINDSIGHT_DEVICE void clear_marks() const {
    if (threadIdx.x < most_tiles * lane_items)
      shared.heads[threadIdx.x / lane_items][threadIdx.x % lane_items] = 0;
    if (threadIdx.x == 0) shared.ended = 0;
  }

  /// Folds the segments that end in chunk `index`. The chunk before it is folded at the same time:
  /// mostly the first segment begins there.
  ///   before_segment  the segment that is open, or begins, where that chunk begins
  HINDSIGHT_DEVICE void fold(int index, const chunk_members& chunk, int before_segment) const {
    if (chunk.segment == chunk.last_segment) return;
    const std::size_t before_item = chunks.begin(index > 0 ? index - 1 : 0) - before_segment;
    const round before{before_item, chunk.item};
    const int num_warps = static_cast<int>(blockDim.x) / warp_lanes;
    int num_tiles = index > 0 && chunks.rounds() == 1 ? most_tiles : round::tiles;
    int segment = chunk.segment;
    std::size_t begin = chunk.item;
    uninitialized<T> open;
    bool is_far = false;  // whether the first segment begins before that chunk, or chunks are long
    HINDSIGHT_ROLL
    for (;; num_tiles = round::tiles) {
      const round own{begin, chunk.last_item};
      const auto tiles_of = [&](int i) {
        const bool is_own = i < round::tiles;
        return round{is_own ? begin : before_item, is_own ? chunk.last_item : chunk.item};
      };
      HINDSIGHT_ROLL
      for (int i = warp_index(); i < num_tiles; i += num_warps) {
        const round tiles = tiles_of(i);
        if (tiles.has(i % round::tiles))
          chunks.begin_load(shared.items[i], in, tiles, i % round::tiles);
      }
      const std::size_t first_item = chunks.merged.begin(segment);
      const bool goes_on = begin > chunk.item && first_item < begin;
      const int last = last_ended(own, segment, chunk);
      if (threadIdx.x == 0 && num_tiles == most_tiles && before_segment < segment)
        mark_end(before, static_cast<int>(first_item - before.floor), round::tiles);
      mark(own, segment, last);
      staged_items::finish_loads();
      __syncthreads();
      HINDSIGHT_ROLL
      for (int i = warp_index(); i < num_tiles; i += num_warps) fold_tile(tiles_of(i), i);
      if (begin == chunk.item && first_item < begin) {
        is_far = num_tiles < most_tiles || (before_segment == segment && first_item < before_item);
        if (is_far) fold_far(index, segment, first_item);
      }
      __syncthreads();
      put_ended(own, chunk, segment, last, open, goes_on,
                [&] { return is_far ? shared.earlier_folds.all.get() : fold_of_before(before); });
      if (last == chunk.last_segment) return;
      segment = last;
      open.set(open_before(round::tiles, open, goes_on));
      begin = own.floor + own.end;
      __syncthreads();
      clear_marks();
      __syncthreads();
    }
  }

 private:
  /// Behind the last segment that ends in the round. All of the chunk's do, unless it is long.
  HINDSIGHT_DEVICE int last_ended(const round& tiles, int segment,
                                  const chunk_members& chunk) const {
    const std::size_t end = tiles.floor + tiles.end;
    int last = chunk.last_segment;
    HINDSIGHT_ROLL
    for (int low = segment; end < chunk.last_item && low < last;) {
      const int middle = low + (last - low) / 2;
      if (chunks.merged.end(middle) <= end) {
        low = middle + 1;
      } else {
        last = middle;
      }
    }
    return last;
  }

  /// Marks the tile in which a segment ends, and the item that the next one begins with.
  ///   first_tile  the round's first one
  HINDSIGHT_DEVICE void mark_end(const round& tiles, int end, int first_tile) const {
    atomicOr(&shared.ended, 1u << (first_tile + tiles.tile_of_end(end)));
    if (end < tiles.end) {
      const int tile = unsigned(end) / round::tile_items, head = end - tiles.begin_of(tile);
      atomicOr(shared.heads[first_tile + tile] + head / 32, 1u << head % 32);
    }
  }
  HINDSIGHT_DEVICE void mark(const round& tiles, int first, int last) const {
    HINDSIGHT_ROLL
    for (int s = first + int(threadIdx.x); s < last; s += int(blockDim.x))
      mark_end(tiles, static_cast<int>(chunks.merged.end(s) - tiles.floor), 0);
  }

  /// Folds a tile of a round. Called by a full warp.
  HINDSIGHT_DEVICE void fold_tile(const round& tiles, int i) const {
    const int tile = i % round::tiles, num_items = tiles.end_of(tile) - tiles.begin_of(tile);
    if (num_items <= 0) return;
    auto& items = shared.items[i];
    uninitialized<T> fold;
    if (shared.ended >> i & 1) {
      cuda::fold_tile_by_segment(items, shared.heads[i], num_items, op);
      __syncwarp();
      fold.set(items[num_items - 1]);
    } else {
      fold.set(cuda::fold_tile(items, num_items, op));
    }
    if (lane_index() == 0) shared.folds[i] = fold;
  }

  /// Folds what earlier chunks have of a segment that is long.
  HINDSIGHT_DEVICE void fold_far(int chunk, int segment, std::size_t first_item) const {
    const int num_warps = static_cast<int>(blockDim.x) / warp_lanes, warp = warp_index();
    const int room = warp < round::tiles ? num_warps + warp : warp;  // no other warp has used it
    const int first_chunk = chunks.at(first_item + segment);
    const auto first_chunk_segment = static_cast<int>(
        cuda::warp_count_ends(chunks.merged, first_chunk * chunks.members, 0, segment));
    const earlier_chunks earlier{in,
                                 chunks,
                                 op,
                                 shared.earlier_folds,
                                 shared.items[room],
                                 shared.heads[room],
                                 segment,
                                 first_item,
                                 first_chunk,
                                 first_chunk_segment};
    earlier_chunks::fold_before(chunk, earlier);
  }
  HINDSIGHT_DEVICE T fold_of_before(const round& before) const {
    uninitialized<T> open;
    HINDSIGHT_ROLL
    for (int t = 0; t < round::tiles && before.has(t); ++t)
      append_tile(round::tiles + t, t == 0, open);
    return open.get();
  }

  HINDSIGHT_DEVICE void append_tile(int i, bool begins, uninitialized<T>& open) const {
    const T& fold = shared.folds[i].get();
    const bool is_first = begins || shared.heads[i][0] & 1 || shared.ended >> i & 1;
    open.set(is_first ? fold : op(open.get(), fold));
  }
  /// The chunk's part of what is open where a tile of the round begins. `open` is that where the
  /// round begins, if that segment `goes_on` there.
  HINDSIGHT_DEVICE T open_before(int tile, uninitialized<T> open, bool goes_on) const {
    HINDSIGHT_ROLL
    for (int t = 0; t < tile; ++t) append_tile(t, t == 0 && !goes_on, open);
    return open.get();
  }

  /// Gives `results` the folds of segments [first, last), which end in the round.
  ///   before()  the fold of what earlier chunks have of the chunk's first segment, for thread 0
  template <class Before>
  HINDSIGHT_DEVICE void put_ended(const round& tiles, const chunk_members& chunk, int first,
                                  int last, const uninitialized<T>& open, bool goes_on,
                                  Before before) const {
    const auto& merged = chunks.merged;
    HINDSIGHT_ROLL
    for (int s = first + int(threadIdx.x); s < last; s += int(blockDim.x)) {
      const std::size_t from = merged.begin(s), to = merged.end(s);
      if (from == to) {
        results.put_empty(s);
        continue;
      }
      const int end = static_cast<int>(to - tiles.floor), tile = tiles.tile_of_end(end);
      const int begin = tiles.begin_of(tile);
      uninitialized<T> fold;
      if (end > begin) {
        const T& own = shared.items[tile][end - begin - 1];
        const bool has_carry = from < tiles.floor + begin && (tile > 0 || tiles.floor > chunk.item);
        fold.set(has_carry ? op(open_before(tile, open, goes_on), own) : own);
      }
      if (s == chunk.segment && from < chunk.item)
        fold.set(end > begin ? op(before(), fold.get()) : before());
      results.put(s, merged.first() + from, fold.get());
    }
  }
};

/// For each segment: results.put(segment, its first item's index, the fold of its items), or
/// results.put_empty(segment).
///   offsets    [num_segments + 1], 0 < num_segments < 2^30
///   part_size  of segments, for each thread of a block
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
HINDSIGHT_BOUNDED_KERNEL(whole_segment_tuning<T>::warps* warp_lanes,
                         whole_segment_tuning<T>::min_blocks)
void reduce_whole_segments_kernel(InputIt in, OffsetIt offsets, int num_segments, int part_size,
                                  Results results, Op op) {
  using folder = whole_segments_folder<Tuning, T, InputIt, OffsetIt, Results, Op>;
  HINDSIGHT_SHARED(shared, typename folder::storage);
  const search_by_block<OffsetIt> search{offsets, num_segments, part_size};
  const chunks_of_segments<typename folder::cut, OffsetIt> chunks{offsets,
                                                                  std::size_t(num_segments)};
  const folder block{in, chunks, results, op, shared};
  const int first_chunk = static_cast<int>(blockIdx.x), stride = static_cast<int>(gridDim.x);
  HINDSIGHT_ROLL
  for (int c = first_chunk; c * chunks.members < chunks.total; c += stride) {
    if (c > first_chunk) __syncthreads();  // the room is free again
    block.clear_marks();
    const std::size_t begin = c * chunks.members, end = chunks.begin(c + 1);
    const std::size_t positions[] = {c > 0 ? begin - chunks.members : 0, begin, end};
    int counts[3];
    search.count(chunks.merged, positions, counts, shared.found);
    block.fold(c, {counts[1], counts[2], begin - counts[1], end - counts[2]}, counts[0]);
  }
}

/// Host side, after unwrap(). `likely_items`: about the number of items in all segments; results do
/// not depend on it.
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
cudaError_t reduce_whole_segments(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                  std::size_t likely_items, Results results, Op op,
                                  cudaStream_t stream) {
  using tuning = whole_segment_tuning<T>;
  const std::size_t num_chunks = segment_cut<T, Tuning>::num_chunks(likely_items + num_segments);
  constexpr int block_threads = tuning::warps * warp_lanes;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_chunks), block_threads, 0, stream,
                   reduce_whole_segments_kernel<Tuning, T>)
  (in, offsets, int(num_segments), (int(num_segments) + block_threads - 1) / block_threads, results,
   op);
  return cudaPeekAtLastError();
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
