// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of segments in one launch, in which no block waits for another. A block folds the
// segments that end in its chunk as a whole. What the chunk before has of the first one it folds
// again. Of a longer segment each chunk leaves its part, and the last block to do so joins them.
// All is folded in the same order as by the two launches of reduce_segments.cuh: so the bits are
// the same.
#pragma once

#include <hindsight/detail/cuda/block/segment_chunks.cuh>
#include <hindsight/detail/cuda/block/segment_fold.cuh>
#include <hindsight/detail/cuda/block/segment_joiner.cuh>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/segments.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A chunk's items [item, last_item), and the segments [segment, last_segment) that end in it.
template <class Position>
struct chunk_members {
  int segment, last_segment;
  Position item, last_item;
};

/// A block that folds the segments that end in a chunk.
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
struct whole_segments_folder {
  static constexpr int lane_items = Tuning::shape.lane_items;
  using cut = segment_cut<T, Tuning>;
  using position = chunk_position<OffsetIt>;
  using round = round_of_tiles<cut, position>;
  using staged_items = staged_warp<T, lane_items>;
  using joiner_type = cuda::segment_joiner<T, chunks_of_segments<cut, OffsetIt>, Results, Op>;
  static constexpr int most_tiles = 2 * round::tiles;  ///< the chunk's and the earlier one's
  static_assert(most_tiles * lane_items <= warp_lanes * whole_segment_tuning<T>::fewest_warps);
  struct storage {
    staged_items items[most_tiles];
    unsigned heads[most_tiles][lane_items];
    unsigned ended;                      ///< a bit for each tile in which segments end
    uninitialized<T> folds[most_tiles];  ///< of what is open at each tile's end
    typename joiner_type::storage joiner;
    int found[search_by_block<OffsetIt>::num_positions];
  };

  InputIt in;
  const chunks_of_segments<cut, OffsetIt>& chunks;
  Results results;
  Op op;
  joiner_type joiner;
  storage& shared;

  HINDSIGHT_DEVICE void clear_marks() const {
    if (threadIdx.x < most_tiles * lane_items)
      shared.heads[threadIdx.x / lane_items][threadIdx.x % lane_items] = 0;
    if (threadIdx.x == 0) shared.ended = 0;
  }

  /// Folds the segments that end in chunk `index`. The chunk before it is folded at the same time:
  /// mostly the first segment begins there.
  ///   before_segment  the segment that is open, or begins, where that chunk begins
  HINDSIGHT_DEVICE void fold(int index, const chunk_members<position>& chunk,
                             int before_segment) const {
    const bool any_ended = chunk.segment < chunk.last_segment;
    bool leaves_first = false;  // its part of the first segment
    const position before_item = chunks.begin(index > 0 ? index - 1 : 0) - before_segment;
    const round before{before_item, chunk.item};
    const int num_warps = static_cast<int>(blockDim.x) / warp_lanes;
    const bool has_before = any_ended && index > 0 && chunks.has_short_ones();
    int num_tiles = has_before ? most_tiles : round::tiles;
    int segment = chunk.segment;
    position begin = chunk.item;
    uninitialized<T> open;
    HINDSIGHT_ROLL
    for (;; num_tiles = round::tiles) {
      const round own{begin, chunk.last_item};
      const auto tiles_of = [&](int i) {
        const bool is_own = i < round::tiles;
        return round{is_own ? begin : before_item, is_own ? chunk.last_item : chunk.item};
      };
      const position first_item = chunks.merged.begin(segment);
      begin_load(tiles_of, num_tiles, first_item);
      if (begin == chunk.item)
        leaves_first = any_ended && joiner.is_long_before(index, first_item + segment);
      const bool goes_on = begin > chunk.item && first_item < begin;
      const int last = last_ended(own, segment, chunk);
      if (threadIdx.x == 0 && num_tiles == most_tiles && before_segment < segment)
        mark_end(before, static_cast<int>(first_item - before.floor), round::tiles);
      mark(own, segment, last);
      staged_items::finish_loads();
      __syncthreads();
      HINDSIGHT_ROLL
      for (int i = warp_index(); i < num_tiles; i += num_warps) {
        const bool is_own = i < round::tiles;
        if (is_own || (!leaves_first && has_items_from(before, i % round::tiles, first_item)))
          fold_tile(tiles_of(i), i);
      }
      __syncthreads();
      put_ended(own, chunk, segment, last, open, goes_on, [&](uninitialized<T>& fold, bool any) {
        if (leaves_first) {
          if (any) joiner.parts[index].first.set(fold.get());
          return false;
        }
        const T left = fold_of_before(before, first_item);
        return fold.set(any ? op(left, fold.get()) : left), true;
      });
      begin = own.floor + own.end;
      if (begin == chunk.last_item && last == chunk.last_segment) {
        const bool leaves_open = joiner.is_long_behind(index, last);
        if (leaves_open && threadIdx.x == 0)
          joiner.parts[index].open.set(open_before(own, round::tiles, open, goes_on));
        const int none = chunks.num_segments();
        return joiner.count_parts(leaves_first ? chunk.segment : none, leaves_open ? last : none,
                                  shared.joiner);
      }
      open.set(open_before(own, round::tiles, open, goes_on));
      segment = last;
      __syncthreads();
      clear_marks();
      __syncthreads();
    }
  }

 private:
  /// Begins to load the tiles [0, num_tiles), where tile i is one of the round tiles_of(i). Of the
  /// chunk before, tiles without items from `first_item` on are not computed.
  template <class TilesOf>
  HINDSIGHT_DEVICE void begin_load(const TilesOf& tiles_of, int num_tiles,
                                   position first_item) const {
    HINDSIGHT_ROLL
    for (int i = warp_index(); i < num_tiles; i += static_cast<int>(blockDim.x) / warp_lanes) {
      const round tiles = tiles_of(i);
      const int tile = i % round::tiles;
      if (!tiles.has(tile)) continue;
      if constexpr (!std::is_pointer_v<InputIt>)
        if (i >= round::tiles && !has_items_from(tiles, tile, first_item)) continue;
      chunks.begin_load(shared.items[i], in, tiles, tile);
    }
  }

  /// Behind the last segment that ends in the round. All of the chunk's do, unless it is long.
  HINDSIGHT_DEVICE int last_ended(const round& tiles, int segment,
                                  const chunk_members<position>& chunk) const {
    const position end = tiles.floor + tiles.end;
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
    if (unsigned(end) < unsigned(tiles.end)) {
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
    if (lane_index() == 0) shared.folds[i].set(fold.get());
  }

  /// Whether a tile of the chunk before has items from one on.
  HINDSIGHT_DEVICE static bool has_items_from(const round& before, int tile, position item) {
    return before.has(tile) && before.floor + before.end_of(tile) > item;
  }
  /// The fold of what the chunk before has of a segment that begins there.
  HINDSIGHT_DEVICE T fold_of_before(const round& before, position first_item) const {
    uninitialized<T> open;
    bool begins = true;
    HINDSIGHT_ROLL
    for (int t = 0; t < round::tiles; ++t) {
      if (!has_items_from(before, t, first_item)) continue;
      append_tile(round::tiles + t, begins, open);
      begins = false;
    }
    return open.get();
  }

  HINDSIGHT_DEVICE void append_tile(int i, bool begins, uninitialized<T>& open) const {
    const T& fold = shared.folds[i].get();
    const bool is_first = begins || shared.heads[i][0] & 1 || shared.ended >> i & 1;
    open.set(is_first ? fold : op(open.get(), fold));
  }
  /// The chunk's part of what is open where a tile of the round begins. `open` is that where the
  /// round begins, if that segment `goes_on` there.
  HINDSIGHT_DEVICE T open_before(const round& tiles, int tile, uninitialized<T> open,
                                 bool goes_on) const {
    HINDSIGHT_ROLL
    for (int t = 0; t < tile && tiles.has(t); ++t) append_tile(t, t == 0 && !goes_on, open);
    return open.get();
  }

  /// Gives `results` the folds of segments [first, last), which end in the round.
  ///   finish_first(fold, any)  if earlier chunks have items of the chunk's first segment: puts the
  ///                            fold of these in front of `fold`, or of nothing if there is not
  ///                            `any`. Called by thread 0. False: this block is not to put it.
  template <class FinishFirst>
  HINDSIGHT_DEVICE void put_ended(const round& tiles, const chunk_members<position>& chunk,
                                  int first, int last, const uninitialized<T>& open, bool goes_on,
                                  FinishFirst finish_first) const {
    const auto& merged = chunks.merged;
    HINDSIGHT_ROLL
    for (int s = first + int(threadIdx.x); s < last; s += int(blockDim.x)) {
      const position from = merged.begin(s), to = merged.end(s);
      if (from == to) {
        results.put_empty(s);
        continue;
      }
      const int end = ::cuda::std::min(static_cast<int>(to - tiles.floor), tiles.end);
      const int tile = tiles.tile_of_end(end);
      const int begin = tiles.begin_of(tile);
      uninitialized<T> fold;
      if (end > begin) {
        const T& own = shared.items[tile][end - begin - 1];
        const bool has_carry = from < tiles.floor + begin && (tile > 0 || tiles.floor > chunk.item);
        fold.set(has_carry ? op(open_before(tiles, tile, open, goes_on), own) : own);
      }
      if (s == chunk.segment && from < chunk.item && !finish_first(fold, end > begin)) continue;
      results.put(s, merged.first() + from, fold.get());
    }
  }
};

/// For each segment: results.put(segment, its first item's index, the fold of its items), or
/// results.put_empty(segment).
///   offsets    [num_segments + 1], num_segments < 2^23
///   part_size  of segments, for each thread of a block
///   parts      [chunks]
///   counts     [chunks / 2 + 1], all zero
template <class Tuning, class T, class InputIt, class OffsetIt, class Size, class Results, class Op>
HINDSIGHT_BOUNDED_KERNEL(whole_segment_tuning<T>::warps* warp_lanes,
                         whole_segment_tuning<T>::min_blocks)
void reduce_whole_segments_kernel(InputIt in, OffsetIt offsets, Size size, int part_size,
                                  Results results, Op op, chunk_parts<T>* parts, unsigned* counts) {
  using folder = whole_segments_folder<Tuning, T, InputIt, OffsetIt, Results, Op>;
  HINDSIGHT_SHARED(shared, typename folder::storage);
  const int num_segments = static_cast<int>(detail::read_items(size));
  const search_by_block<OffsetIt> search{offsets, num_segments, part_size};
  const chunks_of_segments<typename folder::cut, OffsetIt> chunks{
      offsets, static_cast<chunk_position<OffsetIt>>(num_segments)};
  using position = typename folder::position;
  const folder block{in, chunks, results, op, {chunks, results, op, parts, counts}, shared};
  const int first_chunk = static_cast<int>(blockIdx.x), stride = static_cast<int>(gridDim.x);
  HINDSIGHT_ROLL
  for (int c = first_chunk; position(c) * chunks.members < chunks.total; c += stride) {
    if (c > first_chunk) __syncthreads();  // the room is free again
    block.clear_marks();
    const position begin = position(c) * chunks.members, end = chunks.begin(c + 1);
    const position positions[] = {c > 0 ? begin - chunks.members : 0, begin, end};
    int counts[3];
    search.count(chunks.merged, positions, counts, shared.found);
    block.fold(c, {counts[1], counts[2], begin - counts[1], end - counts[2]}, counts[0]);
  }
}

/// A number of segments as the kernel takes it: there are few.
inline int as_few_segments(std::size_t num_segments) {
  return static_cast<int>(num_segments);
}
template <class CountIt>
const deferred<CountIt>& as_few_segments(const deferred<CountIt>& num_segments) {
  return num_segments;
}

/// Host side, after unwrap(). `likely_items`: about the number of items in all segments; results do
/// not depend on it.
template <class Tuning, class T, class InputIt, class OffsetIt, class Size, class Results, class Op>
cudaError_t reduce_whole_segments(InputIt in, OffsetIt offsets, const Size& num_segments,
                                  std::size_t likely_items, Results results, Op op,
                                  chunk_parts<T>* parts, unsigned* counts, cudaStream_t stream) {
  using tuning = whole_segment_tuning<T>;
  const std::size_t most_segments = detail::most_items(num_segments);
  const std::size_t num_chunks = segment_cut<T, Tuning>::num_chunks(likely_items + most_segments);
  const int warps = num_chunks <= tuning::few_chunks ? tuning::warps : tuning::fewest_warps;
  const int block_threads = warps * warp_lanes;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_chunks), block_threads, 0, stream,
                   reduce_whole_segments_kernel<Tuning, T>)
  (in, offsets, cuda::as_few_segments(num_segments),
   (int(most_segments) + block_threads - 1) / block_threads, results, op, parts, counts);
  return detail::reported(cudaPeekAtLastError());
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
