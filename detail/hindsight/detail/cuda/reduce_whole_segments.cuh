// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of segments of few items in one launch. A block folds the segments that end in its
// chunk as a whole. What earlier chunks have of the first one it folds again, in the same order as
// the two launches of reduce_segments.cuh: so the bits are the same, and no block waits for
// another.
#pragma once

#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/segment_fold.cuh>
#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/tuning/segments.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {

/// Tiles of a chunk that a block folds at the same time: as many as the smallest chunk has. Places
/// are counted from `floor` on. All tiles but the first begin at a multiple of their size.
template <class Cut>
struct round_of_tiles {
  static constexpr int tile_items = int(Cut::tile_items), tiles = int(fewest_segment_tiles);
  std::size_t floor;
  int begin, end;

  HINDSIGHT_DEVICE round_of_tiles(std::size_t from, std::size_t last_item)
      : floor{from / Cut::alignment * Cut::alignment}, begin{static_cast<int>(from - floor)} {
    constexpr std::size_t most_items = tiles * Cut::tile_items;
    end = static_cast<int>(::cuda::std::min(most_items, last_item - floor));
  }
  /// The tile in which, or at whose end, a segment ends.
  HINDSIGHT_DEVICE int tile_of_end(int place) const {
    return place > begin ? static_cast<int>(unsigned(place - 1) / tile_items) : 0;
  }
  HINDSIGHT_DEVICE int begin_of(int tile) const { return tile > 0 ? tile * tile_items : begin; }
  HINDSIGHT_DEVICE int end_of(int tile) const {
    return ::cuda::std::min((tile + 1) * tile_items, end);
  }
};

/// A block's room, if it has so many warps at most.
template <class T, int LaneItems, int MostWarps>
struct whole_segments_storage {
  static constexpr int tiles = int(fewest_segment_tiles);
  staged_warp<T, LaneItems> items[tiles];
  unsigned heads[tiles][LaneItems];
  unsigned ended;                 ///< a bit for each tile in which segments end
  uninitialized<T> folds[tiles];  ///< of what is open at each tile's end
  segment_fold_storage<T, LaneItems> warps[MostWarps];  ///< for tiles of earlier chunks
  uninitialized<T> pieces[warp_lanes];                  ///< folds of earlier chunks
  std::size_t found[3];
};

/// All chunks, as the kernels of reduce_segments.cuh have them.
template <class Cut, class OffsetIt>
struct chunks_of_segments {
  static constexpr std::size_t fewest_members = Cut::chunk_members(0);
  merged_segments<OffsetIt> merged;
  std::size_t total, members;

  HINDSIGHT_DEVICE chunks_of_segments(OffsetIt offsets, std::size_t num_segments)
      : merged{offsets, num_segments}, total{merged.total()}, members{fewest_members} {
    if (total > Cut::most_chunks * fewest_members) members = Cut::chunk_members(total);
  }
  HINDSIGHT_DEVICE std::size_t begin(std::size_t chunk) const {
    return ::cuda::std::min(chunk * members, total);
  }
  /// The chunk that has a position. (A constant divides faster.)
  HINDSIGHT_DEVICE std::size_t at(std::size_t position) const {
    return members == fewest_members ? position / fewest_members : position / members;
  }
  /// How many neighbouring chunks a lane of the block that joins chunks folds by itself.
  HINDSIGHT_DEVICE std::size_t share() const {
    return total <= join_threads * members ? 1 : at(total - 1) / join_threads + 1;
  }
};

/// Folds what earlier chunks have of a segment.
template <class Tuning, class T, class InputIt, class OffsetIt, class Op>
struct earlier_chunks_folder {
  static constexpr int lane_items = Tuning::shape.lane_items;
  using cut = segment_cut<T, Tuning>;
  using staged_items = staged_warp<T, lane_items>;
  using storage = segment_fold_storage<T, lane_items>;

  InputIt in;
  const chunks_of_segments<cut, OffsetIt>& chunks;
  Op op;
  std::size_t segment, first_item;  ///< the segment, and where it begins
  std::size_t first_chunk;          ///< the chunk in which it begins
  std::size_t first_chunk_segment;  ///< the one that is open, or begins, where that chunk begins

  /// Folds a tile's items. One at `head` begins the segment, unless that is negative.
  HINDSIGHT_DEVICE T fold_tile(storage& room, staged_items& items, int num_items, int head) const {
    if (head < 0) return cuda::fold_tile(items, num_items, op);
    const int lane = lane_index();
    if (lane < lane_items) room.heads[lane] = lane == head / 32 ? 1u << head % 32 : 0;
    __syncwarp();
    cuda::fold_tile_by_segment(items, room.heads, num_items, op);
    __syncwarp();
    return items[num_items - 1];
  }

  /// The fold of the segment's items in chunks [chunk, last_chunk): each chunk's tiles in turn,
  /// then chunk after chunk. Called by a full warp.
  HINDSIGHT_DEVICE T fold_chunks(std::size_t chunk, std::size_t last_chunk, storage& room) const {
    uninitialized<T> fold;
    for (std::size_t c = chunk; c < last_chunk; ++c) {
      const T own = fold_chunk(c, room);
      fold.set(c > chunk ? op(fold.get(), own) : own);
    }
    return fold.get();
  }

  HINDSIGHT_DEVICE T fold_chunk(std::size_t chunk, storage& room) const {
    const std::size_t chunk_begin = chunk * chunks.members;
    const std::size_t open_segment = chunk == first_chunk ? first_chunk_segment : segment;
    const std::size_t first = chunk_begin - open_segment;
    const std::size_t last = chunk_begin + chunks.members - segment;
    std::size_t end = first;  // of what was begun to be loaded
    int head = -1;
    if (chunk == first_chunk) {
      const std::size_t floor = first / cut::alignment * cut::alignment;
      const std::size_t tile = (first_item - floor) / cut::tile_items;
      if (tile > 0) end = floor + tile * cut::tile_items;
      // A tile in which a segment ends is folded by segment, also if that has no items in the tile.
      if (first_item > end || (tile == 0 && open_segment < segment))
        head = static_cast<int>(first_item - end);
    }
    uninitialized<T> open;
    int num_items = 0;
    for (int round = 0;; ++round) {  // round 0 only begins to load the first tile
      const std::size_t next_end = cut::tile_end(end, last);
      const int next_items = static_cast<int>(next_end - end);
      cuda::begin_load_tile(room.items[round % 2], in + (chunks.merged.first() + end), next_items);
      if (round > 0) {
        staged_items::finish_earlier_loads();
        const T tile = fold_tile(room, room.items[(round + 1) % 2], num_items, head);
        open.set(round > 1 ? op(open.get(), tile) : tile);
        head = -1;
        __syncwarp();  // the items' room and the heads are free again
        if (next_items == 0) return open.get();
      }
      num_items = next_items;
      end = next_end;
    }
  }

  /// Joins folds of pieces [first, last) by lanes. Called by a full warp.
  HINDSIGHT_DEVICE T join_lanes(const uninitialized<T>* pieces, int first, int last) const {
    const int lane = lane_index();
    const T own = pieces[lane >= first && lane < last ? lane : first].get();
    return cuda::shuffle_from(cuda::warp_segmented_fold(own, 1u << first, op), last - 1);
  }

  /// The fold of the segment's items before a chunk, in warp 0. The order is that of the block that
  /// joins chunks: a lane's share in turn, lanes by Kogge-Stone, warp after warp, and then what the
  /// chunk's own lane has before it. Called by the block; there is a barrier in it.
  template <int MostWarps>
  HINDSIGHT_DEVICE T fold_before(std::size_t chunk,
                                 whole_segments_storage<T, lane_items, MostWarps>& shared) const {
    const int num_warps = static_cast<int>(blockDim.x) / warp_lanes;
    const std::size_t share = chunks.share();
    const std::size_t shared_end = share > 1 ? chunk / share * share : chunk;
    uninitialized<T> fold;
    for (std::size_t next = first_chunk; next < chunk;) {
      if (next > first_chunk) __syncthreads();  // the room for pieces is free again
      const bool by_lanes = next < shared_end;
      const std::size_t size = by_lanes ? share : 1, window = warp_lanes * size;
      const std::size_t begin = next / window * window;
      const std::size_t end = ::cuda::std::min(begin + window, by_lanes ? shared_end : chunk);
      const int first = static_cast<int>((next - begin) / size);
      const int last = static_cast<int>((end - begin) / size);
      // The last warps have the first pieces: they have no tile of the chunk.
      for (int i = first + num_warps - 1 - warp_index(); i < last; i += num_warps) {
        const T own = fold_chunks(::cuda::std::max(begin + i * size, first_chunk),
                                  begin + (i + 1) * size, shared.warps[warp_index()]);
        if (lane_index() == 0) shared.pieces[i].set(own);
      }
      __syncthreads();
      if (warp_index() == 0) {
        if (by_lanes) {
          const T own = join_lanes(shared.pieces, first, last);
          fold.set(next > first_chunk ? op(fold.get(), own) : own);
        } else {
          for (int i = first; i < last; ++i) {
            const T& own = shared.pieces[i].get();
            fold.set(next > first_chunk || i > first ? op(fold.get(), own) : own);
          }
        }
      }
      next = end;
    }
    return fold.get();
  }
};

/// A block that folds the segments that end in a chunk.
template <class Tuning, int MostWarps, class T, class InputIt, class OffsetIt, class Results,
          class Op>
struct whole_segments_folder {
  static constexpr int lane_items = Tuning::shape.lane_items;
  using cut = segment_cut<T, Tuning>;
  using round = round_of_tiles<cut>;
  using storage = whole_segments_storage<T, lane_items, MostWarps>;
  using earlier = earlier_chunks_folder<Tuning, T, InputIt, OffsetIt, Op>;
  static_assert(lane_items <= warp_lanes, "a thread of the first warps clears a word of heads");

  InputIt in;
  const chunks_of_segments<cut, OffsetIt>& chunks;
  Results results;
  Op op;
  storage& shared;

  HINDSIGHT_DEVICE void clear_marks() const {
    if (threadIdx.x < round::tiles * lane_items) shared.heads[0][threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.ended = 0;
  }

  /// Marks the items of a round that begin segments, and the tiles in which segments end. Returns
  /// how many of the segments [first, last) end in the round.
  HINDSIGHT_DEVICE std::size_t mark(const round& tiles, std::size_t first, std::size_t last) const {
    const auto& merged = chunks.merged;
    const int num_threads = static_cast<int>(blockDim.x);
    std::size_t count = 0;
    for (int ended = num_threads; ended == num_threads; count += ended) {
      const std::size_t s = first + count + threadIdx.x;
      const std::size_t distance = s < last ? merged.end(s) - tiles.floor : ~std::size_t{0};
      const bool ends = distance <= std::size_t(tiles.end);
      if (ends) {
        const int end = static_cast<int>(distance), tile = tiles.tile_of_end(end);
        const int begin = s > first ? static_cast<int>(merged.begin(s) - tiles.floor) : 0;
        if (s == first || tiles.tile_of_end(begin) != tile) atomicOr(&shared.ended, 1u << tile);
        if (end < tiles.end) {
          const int place = unsigned(end) / round::tile_items;
          const int head = end - tiles.begin_of(place);
          atomicOr(shared.heads[place] + head / 32, 1u << head % 32);
        }
      }
      ended = __syncthreads_count(ends);
    }
    return count;
  }

  /// Folds this warp's tile.
  HINDSIGHT_DEVICE void fold_tile(const round& tiles) const {
    const int tile = warp_index(), num_items = tiles.end_of(tile) - tiles.begin_of(tile);
    auto& items = shared.items[tile];
    items.finish_loads();
    if (shared.ended >> tile & 1) {
      cuda::fold_tile_by_segment(items, shared.heads[tile], num_items, op);
      __syncwarp();
      if (lane_index() == 0) shared.folds[tile].set(items[num_items - 1]);
    } else {
      const T fold = cuda::fold_tile(items, num_items, op);
      if (lane_index() == 0) shared.folds[tile].set(fold);
    }
  }

  /// The chunk's part of what is open where a tile of the round begins. `open` is that where the
  /// round begins, if that segment `goes_on` there.
  HINDSIGHT_DEVICE T open_before(int tile, uninitialized<T> open, bool goes_on) const {
    HINDSIGHT_ROLL
    for (int t = 0; t < tile; ++t) {
      const bool begins = t > 0 ? shared.heads[t][0] & 1 : !goes_on;
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
    HINDSIGHT_ROLL
    for (std::size_t s = first + threadIdx.x; s < last; s += blockDim.x) {
      const std::size_t from = merged.begin(s), to = merged.end(s);
      if (from == to) {
        results.put_empty(s);
        continue;
      }
      const int end = static_cast<int>(to - tiles.floor), tile = tiles.tile_of_end(end);
      const int begin = tiles.begin_of(tile);
      const bool began_before = s == chunk.segment && from < chunk.item;
      uninitialized<T> fold = before;
      if (end > begin) {
        const T& own = shared.items[tile][end - begin - 1];
        const bool has_carry = from < tiles.floor + begin && (tile > 0 || tiles.floor > chunk.item);
        fold.set(has_carry ? op(open_before(tile, open, goes_on), own) : own);
        if (began_before) fold.set(op(before.get(), fold.get()));
      }
      results.put(s, merged.first() + from, fold.get());
    }
  }

  /// What earlier chunks have of the first segment, in warp 0.
  ///   before_segment  the segment that is open, or begins, where the chunk before this one begins
  HINDSIGHT_DEVICE T fold_before(std::size_t chunk, std::size_t segment, std::size_t first_item,
                                 std::size_t before_segment) const {
    std::size_t first_chunk = chunk - 1;
    if (first_item + segment < first_chunk * chunks.members) {
      first_chunk = chunks.at(first_item + segment);
      before_segment =
          cuda::warp_count_ends(chunks.merged, first_chunk * chunks.members, 0, segment);
    }
    return earlier{in, chunks, op, segment, first_item, first_chunk, before_segment}.fold_before(
        chunk, shared);
  }

  ///   before_segment  as above
  HINDSIGHT_DEVICE void fold(std::size_t index, const member_range& chunk,
                             std::size_t before_segment) const {
    const auto& merged = chunks.merged;
    uninitialized<T> open, before;
    std::size_t segment = chunk.segment, begin = chunk.item;
    while (segment < chunk.last_segment) {
      const round tiles{begin, chunk.last_item};
      const int tile = warp_index();
      const bool has_tile = tile < round::tiles && tiles.begin_of(tile) < tiles.end;
      if (has_tile) {
        shared.items[tile].begin_load_any(
            in + (merged.first() + tiles.floor + tiles.begin_of(tile)),
            tiles.end_of(tile) - tiles.begin_of(tile));
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
      begin = tiles.floor + tiles.end;
      if (segment == chunk.last_segment) break;
      open.set(open_before(round::tiles, open, goes_on));
      __syncthreads();
      clear_marks();
      __syncthreads();
    }
  }
};

/// A search by a block for the numbers of ends before positions. Each thread has a part of all
/// segments, and asks where that ends: it need not know any position for that, so it waits for
/// memory together with the total. In a part each warp searches by itself.
template <class OffsetIt>
struct search_by_block {
  static constexpr int num_positions = 3;
  using search = segment_search<segment_ends<OffsetIt>>;

  std::size_t part_size, place, place_before;  ///< where this part ends, and the one before

  HINDSIGHT_DEVICE search_by_block(OffsetIt offsets, std::size_t num_segments, std::size_t size)
      : part_size{size} {
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
      if (is_before ? threadIdx.x == blockDim.x - 1
                    : threadIdx.x == 0 || place_before <= most_place)
        found[i] = threadIdx.x + is_before;
    }
    __syncthreads();
    bool is_done = true;
    for (int i = 0; i < num_positions; ++i) {
      searches[i].low = found[i] * part_size;
      searches[i].high = ::cuda::std::min(searches[i].low + part_size - 1, merged.num_segments());
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
///   offsets    [num_segments + 1], num_segments > 0
///   part_size  of segments, for each thread of a block
template <class Tuning, int MostWarps, class T, class InputIt, class OffsetIt, class Results,
          class Op>
HINDSIGHT_BOUNDED_KERNEL(MostWarps* warp_lanes, whole_segment_tuning<T>::min_blocks)
void reduce_whole_segments_kernel(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                  std::size_t part_size, Results results, Op op) {
  using folder = whole_segments_folder<Tuning, MostWarps, T, InputIt, OffsetIt, Results, Op>;
  using search = typename search_by_block<OffsetIt>::search;
  HINDSIGHT_SHARED(shared, typename folder::storage);
  const search_by_block<OffsetIt> parts{offsets, num_segments, part_size};
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
               before.low);
  }
}

/// Host side, after unwrap(). `likely_items`: about the number of items in all segments; results do
/// not depend on it.
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
cudaError_t reduce_whole_segments(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                  std::size_t likely_items, Results results, Op op,
                                  cudaStream_t stream) {
  using tuning = whole_segment_tuning<T>;
  constexpr int most_warps = tuning::warps;
  static_assert(tuning::warps_of_many >= int(fewest_segment_tiles));
  const std::size_t num_chunks = segment_cut<T, Tuning>::num_chunks(likely_items + num_segments);
  const int warps = num_chunks > tuning::many_chunks ? tuning::warps_of_many : most_warps;
  const int block_threads = warps * warp_lanes;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_chunks), block_threads, 0, stream,
                   reduce_whole_segments_kernel<Tuning, most_warps, T>)
  (in, offsets, num_segments, (num_segments + block_threads - 1) / block_threads, results, op);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail::cuda
