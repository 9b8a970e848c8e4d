// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of segments of few items in one launch. A block folds the segments that end in its
// chunk as a whole. What earlier chunks have of the first one it folds again, in the same order as
// the two launches of reduce_segments.cuh: so the bits are the same, and no block waits for another.
#pragma once

#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/segment_fold.cuh>
#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/tuning/segments.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {

/// A block's room. A round is as many tiles of its chunk as the smallest chunk has.
template <class T, int LaneItems, int Warps>
struct whole_segments_storage {
  static constexpr int round_tiles = int(fewest_segment_tiles);
  struct own_tile {
    staged_warp<T, LaneItems> items;
    unsigned heads[LaneItems];
  };
  own_tile tiles[round_tiles];
  uninitialized<T> folds[round_tiles];  ///< of what is open at each tile's end
  unsigned ended;                       ///< a bit for each tile in which segments end
  segment_fold_storage<T, LaneItems> warps[Warps];  ///< for tiles of earlier chunks
  uninitialized<T> groups[warp_lanes];              ///< folds of earlier chunks
  std::size_t found[3];
};

/// Tiles of a chunk that a block folds at the same time: items [begin, end). All but the first tile
/// begin at a multiple of their size from `floor` on.
template <class Cut>
struct round_of_tiles {
  static constexpr std::size_t most_items = fewest_segment_tiles * Cut::tile_items;
  std::size_t begin, end, floor;

  HINDSIGHT_DEVICE round_of_tiles(std::size_t from, std::size_t last_item)
      : begin{from}, floor{from / Cut::alignment * Cut::alignment} {
    end = ::cuda::std::min(floor + most_items, last_item);
  }
  HINDSIGHT_DEVICE int tile_of(std::size_t item) const {
    return static_cast<int>((item - floor) / Cut::tile_items);
  }
  /// The tile in which, or at whose end, a segment ends.
  HINDSIGHT_DEVICE int tile_of_end(std::size_t item) const {
    return item > begin ? tile_of(item - 1) : 0;
  }
  HINDSIGHT_DEVICE std::size_t begin_of(int tile) const {
    return tile > 0 ? floor + tile * Cut::tile_items : begin;
  }
  HINDSIGHT_DEVICE std::size_t end_of(int tile) const {
    return ::cuda::std::min(floor + (tile + 1) * Cut::tile_items, end);
  }
};

/// All chunks, as the kernels of reduce_segments.cuh have them.
template <class Cut, class OffsetIt>
struct chunks_of_segments {
  merged_segments<OffsetIt> merged;
  std::size_t total, members;

  HINDSIGHT_DEVICE chunks_of_segments(OffsetIt offsets, std::size_t num_segments)
      : merged{offsets, num_segments},
        total{merged.total()},
        members{Cut::chunk_members(total)} {}
  HINDSIGHT_DEVICE std::size_t begin(std::size_t chunk) const {
    return ::cuda::std::min(chunk * members, total);
  }
  /// The chunk that has a position. (A constant divides faster.)
  HINDSIGHT_DEVICE std::size_t at(std::size_t position) const {
    constexpr std::size_t fewest = Cut::chunk_members(0);
    return members == fewest ? position / fewest : position / members;
  }
  /// A lane of the block that joins chunks folds so many by itself.
  HINDSIGHT_DEVICE std::size_t share() const { return at(total - 1) / join_threads + 1; }
};

/// Folds what earlier chunks have of a segment.
template <class Tuning, class T, class InputIt, class OffsetIt, class Op>
struct earlier_chunks_folder {
  static constexpr int lane_items = Tuning::shape.lane_items;
  using cut = segment_cut<T, Tuning>;
  using staged_items = staged_warp<T, lane_items>;

  InputIt in;
  const chunks_of_segments<cut, OffsetIt>& chunks;
  Op op;
  std::size_t segment, first_item;  ///< the segment, and where it begins
  std::size_t first_chunk;          ///< the chunk in which it begins
  std::size_t first_chunk_segment;  ///< the one that is open, or begins, where that chunk begins

  /// Folds a tile's items. One at `head` begins the segment, if it is a place in the tile.
  HINDSIGHT_DEVICE T fold_tile(segment_fold_storage<T, lane_items>& room, staged_items& items,
                               int num_items, bool has_head, int head) const {
    if (!has_head) return cuda::fold_tile(items, num_items, op);
    const int lane = lane_index();
    if (lane < lane_items) room.heads[lane] = lane == head / 32 ? 1u << head % 32 : 0;
    __syncwarp();
    cuda::fold_tile_by_segment(items, room.heads, num_items, op);
    __syncwarp();
    return items[num_items - 1];
  }

  /// The fold of the segment's items in a chunk. Called by a full warp.
  HINDSIGHT_DEVICE T fold_chunk(std::size_t chunk,
                                segment_fold_storage<T, lane_items>& room) const {
    const std::size_t chunk_begin = chunks.begin(chunk);
    const bool is_first = chunk == first_chunk;
    const std::size_t open_segment = is_first ? first_chunk_segment : segment;
    const std::size_t last = chunk_begin + chunks.members - segment;
    const round_of_tiles<cut> tiles{chunk_begin - open_segment, last};
    const std::size_t from = ::cuda::std::max(first_item, tiles.begin);
    std::size_t begin = is_first ? tiles.begin_of(tiles.tile_of(from)) : tiles.begin, end = begin;
    // A tile in which a segment ends is folded by segment, also if that has no items in the tile.
    bool has_head = is_first && (from > begin || (from == tiles.begin && open_segment < segment));
    uninitialized<T> open;
    for (int round = 0;; ++round) {  // round 0 only begins to load the first tile
      const std::size_t next_end = cut::tile_end(end, last);
      cuda::begin_load_tile(room.items[round % 2], in + (chunks.merged.first() + end),
                            static_cast<int>(next_end - end));
      if (round > 0) {
        staged_items::finish_earlier_loads();
        const T tile = fold_tile(room, room.items[(round + 1) % 2], static_cast<int>(end - begin),
                                 has_head, static_cast<int>(from - begin));
        open.set(round > 1 ? op(open.get(), tile) : tile);
        has_head = false;
        __syncwarp();  // the items' room and the heads are free again
        if (end == last) return open.get();
      }
      begin = end;
      end = next_end;
    }
  }

  /// The same for chunks [first, last), in turn.
  HINDSIGHT_DEVICE T fold_chunks(std::size_t first, std::size_t last,
                                 segment_fold_storage<T, lane_items>& room) const {
    uninitialized<T> fold;
    for (std::size_t chunk = first; chunk < last; ++chunk) {
      const T own = fold_chunk(chunk, room);
      fold.set(chunk > first ? op(fold.get(), own) : own);
    }
    return fold.get();
  }

  /// The fold of the segment's items before a chunk, in warp 0. The order is that of the block that
  /// joins chunks: a lane's share in turn, lanes by Kogge-Stone, warp after warp, and then what the
  /// chunk's own lane has before it. Called by the block; there is a barrier in it.
  template <int Warps>
  HINDSIGHT_DEVICE T fold_before(std::size_t chunk,
                                 whole_segments_storage<T, lane_items, Warps>& shared) const {
    const std::size_t share = chunks.share();
    const std::size_t last_group = share > 1 ? chunk / share : chunk;
    const std::size_t first_group = share > 1 ? first_chunk / share : first_chunk;
    auto& room = shared.warps[warp_index()];
    const auto begin_of = [&](std::size_t group) {
      return ::cuda::std::max(group * share, first_chunk);
    };
    uninitialized<T> fold;
    bool has_fold = false;
    std::size_t first = first_group;
    do {
      const std::size_t last = ::cuda::std::min((first / warp_lanes + 1) * warp_lanes, last_group);
      // The last warps first: they have no tile of the chunk.
      for (std::size_t g = last + warp_index(); g >= first + Warps; g -= Warps) {
        const std::size_t group = g - Warps;
        const T own = fold_chunks(begin_of(group), begin_of(group + 1), room);
        if (lane_index() == 0) shared.groups[group % warp_lanes].set(own);
      }
      __syncthreads();
      if (first < last && warp_index() == 0) {
        const int first_lane = static_cast<int>(first % warp_lanes);
        const int last_lane = static_cast<int>((last - 1) % warp_lanes);
        const bool has_group = lane_index() >= first_lane && lane_index() <= last_lane;
        const T own = shared.groups[has_group ? lane_index() : first_lane].get();
        const T window = cuda::shuffle_from(
            cuda::warp_segmented_fold(own, 1u << first_lane, op), last_lane);
        fold.set(has_fold ? op(fold.get(), window) : window);
        has_fold = true;
      }
      first = last;
      if (first < last_group) __syncthreads();  // the room for folds is free again
    } while (first < last_group);
    if (warp_index() == 0 && begin_of(last_group) < chunk) {
      for (std::size_t c = begin_of(last_group); c < chunk; ++c) {
        const T own = fold_chunk(c, room);
        fold.set(has_fold ? op(fold.get(), own) : own);
        has_fold = true;
      }
    }
    return fold.get();
  }
};

/// A block that folds the segments that end in a chunk.
template <class Tuning, int Warps, class T, class InputIt, class OffsetIt, class Results, class Op>
struct whole_segments_folder {
  static constexpr int lane_items = Tuning::shape.lane_items;
  static constexpr int block_threads = Warps * warp_lanes;
  using cut = segment_cut<T, Tuning>;
  using round = round_of_tiles<cut>;
  using storage = whole_segments_storage<T, lane_items, Warps>;
  using earlier = earlier_chunks_folder<Tuning, T, InputIt, OffsetIt, Op>;

  InputIt in;
  const chunks_of_segments<cut, OffsetIt>& chunks;
  Results results;
  Op op;
  storage& shared;

  HINDSIGHT_DEVICE void clear_marks() const {
    constexpr int words = storage::round_tiles * lane_items;
    for (int i = threadIdx.x; i < words; i += block_threads)
      shared.tiles[i / lane_items].heads[i % lane_items] = 0;
    if (threadIdx.x == 0) shared.ended = 0;
  }

  /// Marks the items of a round that begin segments, and the tiles in which segments end. Returns
  /// how many of the segments [first, last) end in the round.
  HINDSIGHT_DEVICE std::size_t mark(const round& tiles, std::size_t first, std::size_t last) const {
    const auto& merged = chunks.merged;
    std::size_t count = 0;
    for (int ended = block_threads; ended == block_threads; count += ended) {
      const std::size_t s = first + count + threadIdx.x;
      const std::size_t end = s < last ? merged.end(s) : tiles.end + 1;
      if (end <= tiles.end) {
        const int tile = tiles.tile_of_end(end);
        if (s == first || tiles.tile_of_end(merged.begin(s)) != tile)
          atomicOr(&shared.ended, 1u << tile);
      }
      if (end < tiles.end) {
        const int tile = tiles.tile_of(end);
        const int head = static_cast<int>(end - tiles.begin_of(tile));
        atomicOr(shared.tiles[tile].heads + head / 32, 1u << head % 32);
      }
      ended = __syncthreads_count(end <= tiles.end);
    }
    return count;
  }

  /// Folds this warp's tile. What is open at its end, and begins in it, is `folds`.
  HINDSIGHT_DEVICE void fold_tile(const round& tiles) const {
    const int tile = warp_index();
    const int num_items = static_cast<int>(tiles.end_of(tile) - tiles.begin_of(tile));
    auto& own = shared.tiles[tile];
    own.items.finish_loads();
    if (shared.ended >> tile & 1) {
      cuda::fold_tile_by_segment(own.items, own.heads, num_items, op);
      __syncwarp();
      if (lane_index() == 0) shared.folds[tile].set(own.items[num_items - 1]);
    } else {
      const T fold = cuda::fold_tile(own.items, num_items, op);
      if (lane_index() == 0) shared.folds[tile].set(fold);
    }
  }

  /// The chunk's part of what is open where a tile of the round begins. `open` is that where the
  /// round begins, if that segment `goes_on` there.
  HINDSIGHT_DEVICE T open_before(int tile, uninitialized<T> open, bool goes_on) const {
    for (int t = 0; t < tile; ++t) {
      const bool begins = t > 0 ? shared.tiles[t].heads[0] & 1 : !goes_on;
      const T& fold = shared.folds[t].get();
      open.set(begins || (shared.ended >> t & 1) ? fold : op(open.get(), fold));
    }
    return open.get();
  }

  /// Gives `results` the folds of segments [first, last), which end in the round.
  ///   before  the fold of what earlier chunks have of the chunk's first segment, in thread 0
  HINDSIGHT_DEVICE void put_ended(const round& tiles, const member_range& chunk, std::size_t first,
                                  std::size_t last, const uninitialized<T>& open, bool goes_on,
                                  const uninitialized<T>& before) const {
    const auto& merged = chunks.merged;
    for (std::size_t s = first + threadIdx.x; s < last; s += block_threads) {
      const std::size_t from = merged.begin(s), end = merged.end(s);
      if (from == end) {
        results.put_empty(s);
        continue;
      }
      const bool began_before = s == chunk.segment && from < chunk.item;
      uninitialized<T> fold;
      if (end > chunk.item) {
        const int tile = tiles.tile_of_end(end);
        const std::size_t begin = tiles.begin_of(tile);
        const T& own = shared.tiles[tile].items[static_cast<int>(end - begin) - 1];
        const bool has_carry = from < begin && begin > chunk.item;
        fold.set(has_carry ? op(open_before(tile, open, goes_on), own) : own);
        if (began_before) fold.set(op(before.get(), fold.get()));
      } else {
        fold = before;
      }
      results.put(s, merged.first() + from, fold.get());
    }
  }

  /// What earlier chunks have of the first segment, in warp 0.
  ///   before_segment  the segment that is open, or begins, where the chunk before this one begins
  HINDSIGHT_DEVICE T fold_before(std::size_t chunk, std::size_t segment, std::size_t from,
                                 std::size_t before_segment) const {
    std::size_t first_chunk = chunk - 1;
    if (from + segment < chunks.begin(first_chunk)) {
      first_chunk = chunks.at(from + segment);
      before_segment = cuda::warp_count_ends(chunks.merged, chunks.begin(first_chunk), 0, segment);
    }
    return earlier{in, chunks, op, segment, from, first_chunk, before_segment}.fold_before(chunk,
                                                                                           shared);
  }

  ///   before_segment  as above
  ///   real            any value that `op` may see
  HINDSIGHT_DEVICE void fold(std::size_t index, const member_range& chunk,
                             std::size_t before_segment, const T& real) const {
    const auto& merged = chunks.merged;
    uninitialized<T> open, before;
    open.set(real);
    before.set(real);
    std::size_t segment = chunk.segment, begin = chunk.item;
    while (segment < chunk.last_segment) {
      const round tiles{begin, chunk.last_item};
      const int tile = warp_index();
      const bool has_tile =
          tile < storage::round_tiles && tiles.begin_of(tile) < tiles.end_of(tile);
      if (has_tile) {
        const std::size_t from = tiles.begin_of(tile);
        shared.tiles[tile].items.begin_load_any(in + (merged.first() + from),
                                                static_cast<int>(tiles.end_of(tile) - from));
      }
      const std::size_t first_item = merged.begin(segment);
      const bool goes_on = begin > chunk.item && first_item < begin;
      const std::size_t num_ended = mark(tiles, segment, chunk.last_segment);
      if (has_tile) fold_tile(tiles);
      if (begin == chunk.item && first_item < begin) {
        before.set(fold_before(index, segment, first_item, before_segment));
      } else {
        __syncthreads();
      }
      put_ended(tiles, chunk, segment, segment + num_ended, open, goes_on, before);
      segment += num_ended;
      begin = tiles.end;
      if (segment == chunk.last_segment) break;
      open.set(open_before(storage::round_tiles, open, goes_on));
      __syncthreads();
      clear_marks();
      __syncthreads();
    }
  }
};

/// A search by a block for the numbers of ends before positions. All segments are divided into as
/// many parts as the block has threads. Each thread asks where its part ends: it need not know any
/// position for that, so it waits for memory together with the total. In a part each warp searches
/// by itself.
template <int Threads, class OffsetIt>
struct search_by_block {
  static constexpr int num_positions = 3;
  using search = segment_search<segment_ends<OffsetIt>>;

  std::size_t part_size, place, place_before;  ///< where this part ends, and the one before

  HINDSIGHT_DEVICE search_by_block(OffsetIt offsets, std::size_t num_segments)
      : part_size{(num_segments + Threads - 1) / Threads} {
    const auto place_of = [&](std::size_t part) {
      const std::size_t s = part * part_size;  // the segment before it is the last of a part
      return s <= num_segments ? static_cast<std::size_t>(offsets[s]) + s : ~std::size_t{0};
    };
    place_before = place_of(threadIdx.x);
    place = place_of(threadIdx.x + 1);
  }

  ///   found  room in shared memory; there is a barrier between a write and a read of it
  HINDSIGHT_DEVICE void count(const merged_segments<OffsetIt>& merged,
                              search (&searches)[num_positions],
                              std::size_t (&found)[num_positions]) const {
    for (int i = 0; i < num_positions; ++i) {
      const std::size_t most_place = searches[i].position + merged.first();
      const bool is_before = place <= most_place;
      if (is_before ? threadIdx.x == Threads - 1
                    : threadIdx.x == 0 || place_before <= most_place)
        found[i] = threadIdx.x + is_before;
    }
    __syncthreads();
    bool is_done = true;
    for (int i = 0; i < num_positions; ++i) {
      searches[i].low = found[i] * part_size;
      searches[i].high =
          ::cuda::std::min(searches[i].low + part_size - 1, merged.num_segments());
      is_done = is_done && searches[i].is_done();
    }
    while (!is_done) {
      bool is_before[num_positions];
      for (int i = 0; i < num_positions; ++i) is_before[i] = searches[i].ask();
      is_done = true;
      for (int i = 0; i < num_positions; ++i) {
        searches[i].narrow(is_before[i]);
        is_done = is_done && searches[i].is_done();
      }
    }
  }
};

/// For each segment: results.put(segment, its first item's index, the fold of its items), or
/// results.put_empty(segment).
///   offsets  [num_segments + 1], num_segments > 0
template <class Tuning, int Warps, class T, class InputIt, class OffsetIt, class Results, class Op>
HINDSIGHT_BOUNDED_KERNEL(Warps* warp_lanes, Tuning::min_blocks)
void reduce_whole_segments_kernel(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                  Results results, T real, Op op) {
  using folder = whole_segments_folder<Tuning, Warps, T, InputIt, OffsetIt, Results, Op>;
  using search_of_ends = search_by_block<folder::block_threads, OffsetIt>;
  using search = typename search_of_ends::search;
  HINDSIGHT_SHARED(shared, typename folder::storage);
  const search_of_ends parts{offsets, num_segments};
  const chunks_of_segments<typename folder::cut, OffsetIt> chunks{offsets, num_segments};
  const folder block{in, chunks, results, op, shared};
  for (std::size_t c = blockIdx.x; c * chunks.members < chunks.total; c += gridDim.x) {
    if (c > blockIdx.x) __syncthreads();  // the room is free again
    block.clear_marks();
    const segment_ends<OffsetIt> ends{chunks.merged};
    search searches[] = {{ends, chunks.begin(c > 0 ? c - 1 : 0)},
                         {ends, chunks.begin(c)},
                         {ends, chunks.begin(c + 1)}};
    parts.count(chunks.merged, searches, shared.found);
    const search &before = searches[0], &first = searches[1], &last = searches[2];
    block.fold(c, {first.low, last.low, first.position - first.low, last.position - last.low},
               before.low, real);
  }
}

/// Host side, after unwrap(). `likely_items`: about the number of items in all segments; results do
/// not depend on it.
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
cudaError_t reduce_whole_segments(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                  std::size_t likely_items, Results results, T real, Op op,
                                  cudaStream_t stream) {
  constexpr int warps = whole_segment_tuning<T>::warps;
  const std::size_t num_chunks = segment_cut<T, Tuning>::num_chunks(likely_items + num_segments);
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_chunks), warps * warp_lanes, 0, stream,
                   reduce_whole_segments_kernel<Tuning, warps, T>)
  (in, offsets, num_segments, results, real, op);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail::cuda
