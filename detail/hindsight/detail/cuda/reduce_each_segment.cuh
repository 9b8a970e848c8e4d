// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of few segments of medium lengths in one launch, with a block for each. Its own offsets
// and a few before them tell the block how its segment is cut: it searches nothing, and waits for
// memory twice. Of a long segment the block folds only both ends; other blocks search for what is
// in its midst. No block waits for another. All is folded in the same order as by the two launches
// of reduce_segments.cuh: so the bits are the same.
#pragma once

#include <hindsight/detail/cuda/block/segment_chunks.cuh>
#include <hindsight/detail/cuda/block/segment_joiner.cuh>
#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>
#include <hindsight/detail/tuning/segments.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What a segment has of a tile: items [first, last), counted from the tile's first one.
template <class Position>
struct tile_part {
  Position begin;
  int first, last;
  bool has_end;  ///< whether any segment ends in the tile, or at its end
};

/// What a segment has of a chunk: items [begin, end). All tiles of a chunk but the first begin at a
/// multiple of their size behind floor().
template <class Cut, class Position>
struct chunk_part {
  static constexpr Position tile_items = Cut::tile_items, alignment = Cut::alignment;
  Position chunk_begin, begin, end;
  bool has_end_before;  ///< whether the chunk has the end of the segment before
  bool has_end;         ///< whether it has the end of this one

  HINDSIGHT_DEVICE Position floor() const { return chunk_begin / alignment * alignment; }
  HINDSIGHT_DEVICE int first_tile() const {
    return static_cast<int>((begin - floor()) / tile_items);
  }
  HINDSIGHT_DEVICE int num_tiles() const {
    return begin < end ? static_cast<int>((end - 1 - floor()) / tile_items) + 1 - first_tile() : 0;
  }
  HINDSIGHT_DEVICE tile_part<Position> tile(int i) const {
    const int index = first_tile() + i;
    const Position tile_floor = floor() + static_cast<Position>(index) * tile_items;
    const Position tile_begin = index > 0 ? tile_floor : chunk_begin;
    const Position from = ::cuda::std::max(begin, tile_begin);
    const Position to = ::cuda::std::min(end, tile_floor + tile_items);
    return {tile_begin, static_cast<int>(from - tile_begin), static_cast<int>(to - tile_begin),
            from > tile_begin || (has_end && to == end) || (has_end_before && index == 0)};
  }
};

/// A segment that has items, and `count` of its chunks: first, first + step, and so on.
template <class Chunks>
struct chunks_of_segment {
  using position = typename Chunks::position;
  using part = chunk_part<typename Chunks::cut, position>;
  int segment;
  position begin, end;
  int num_before;  ///< segments that end before the chunk in which this one begins
  int first, step, count;

  HINDSIGHT_DEVICE part part_of(int i, const Chunks& chunks) const {
    const int chunk = first + i * step;
    const position place = chunks.begin(chunk), next = chunks.begin(chunk + 1);
    const bool begins = begin + segment >= place;
    const position chunk_begin = place - (begins ? num_before : segment);
    return {chunk_begin, ::cuda::std::max(begin, chunk_begin),
            ::cuda::std::min(next - segment, end), begins && num_before < segment,
            end + segment < next};
  }
};

/// A block that folds chunks of one segment at a time.
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
struct each_segment_folder {
  using tuning = each_segment_reduce_tuning<T>;
  static constexpr int lane_items = Tuning::shape.lane_items;
  static constexpr int most_tiles = tuning::most_tiles;
  static_assert(most_tiles <= warp_lanes * int(fewest_segment_tiles),
                "a warp has all chunks' folds");
  using chunks_type = chunks_of_segments<segment_cut<T, Tuning>, OffsetIt>;
  using position = typename chunks_type::position;
  using work = chunks_of_segment<chunks_type>;
  using staged_items = staged_warp<T, lane_items>;
  using joiner_type = segment_joiner<T, chunks_type, Results, Op>;
  struct storage {
    staged_items items[tuning::most_warps][2];
    uninitialized<T> folds[most_tiles];  ///< of tiles
    typename joiner_type::storage joiner;
  };

  InputIt in;
  OffsetIt offsets;
  const chunks_type& chunks;
  Results results;
  Op op;
  joiner_type joiner;
  storage& shared;

  HINDSIGHT_DEVICE static int num_warps() { return static_cast<int>(blockDim.x) / warp_lanes; }

  /// Whether other blocks fold the chunks in the midst of a segment.
  HINDSIGHT_DEVICE bool is_long(int first, int last) const {
    return last - first > 1 && (last - first + 1) * chunks.tiles() > most_tiles;
  }
  /// Neighbouring chunks, at most half as many as a long segment has.
  HINDSIGHT_DEVICE int group_chunks() const {
    return ::cuda::std::max(1, most_tiles / 2 / chunks.tiles());
  }

  /// What the block of segment s folds: all of its chunks, or of a long one the first and the last.
  /// No chunk if it is empty. Called by full warps.
  HINDSIGHT_DEVICE work own_chunks(int s) const {
    work found = all_chunks(s);
    if (is_long(found.first, found.first + found.count - 1)) {
      found.step = found.count - 1;
      found.count = 2;
    }
    return found;
  }
  /// The chunks in the midst of segment s that are in a group, if it is long. Called by full warps.
  HINDSIGHT_DEVICE work midst_chunks(int s, int group_begin) const {
    work found = all_chunks(s);
    const int first = found.first, last = first + found.count - 1;
    found.first = ::cuda::std::max(first + 1, group_begin);
    found.count = is_long(first, last)
                      ? ::cuda::std::min(last, group_begin + group_chunks()) - found.first
                      : 0;
    return found;
  }
  /// The segment that has the first member of a chunk. Called by full warps.
  HINDSIGHT_DEVICE int segment_at(int chunk) const {
    const merged_segments<OffsetIt> all = all_segments();
    segment_search<segment_ends<OffsetIt>> search{{all}, chunks.begin(chunk)};
    search.finish();
    return static_cast<int>(search.low);
  }

  /// Folds chunks of a segment. If they are not the whole segment, the last block that does so
  /// joins the folds of all.
  HINDSIGHT_DEVICE void fold(const work& own, bool is_whole) const {
    const int count = own.count, thread = static_cast<int>(threadIdx.x);
    const int num_first = own.part_of(0, chunks).num_tiles();
    const auto tiles_before = [&](int i) {
      return i > 0 ? num_first + (i - 1) * chunks.tiles() : 0;
    };
    const int num_tiles = count > 1
                              ? tiles_before(count - 1) + own.part_of(count - 1, chunks).num_tiles()
                              : num_first;
    uninitialized<T> chunk_fold;  // thread i has that of the i-th chunk
    HINDSIGHT_ROLL
    for (int begin = 0; begin < num_tiles; begin += most_tiles) {
      const int end = ::cuda::std::min(begin + most_tiles, num_tiles);
      fold_tiles(own, begin, end, tiles_before);
      if (thread < count) {
        const int first = tiles_before(thread), next = tiles_before(thread + 1);
        const int last = thread + 1 < count ? ::cuda::std::min(next, end) : end;
        HINDSIGHT_ROLL
        for (int t = ::cuda::std::max(first, begin); t < last; ++t) {
          const T& fold = shared.folds[t - begin].get();
          chunk_fold.set(t > first ? op(chunk_fold.get(), fold) : fold);
        }
      }
      __syncthreads();  // the room is free again
    }
    const bool has_last = tiles_before(count - 1) < num_tiles;  // the last chunk has items, too
    if (is_whole && count <= 2) {
      if (thread >= warp_lanes) return;
      const T right = cuda::shuffle_from(chunk_fold.get(), count - 1);
      if (thread > 0) return;
      if (count > 1 && has_last) chunk_fold.set(op(chunk_fold.get(), right));
      return results.put(own.segment, chunks.merged.first() + own.begin, chunk_fold.get());
    }
    if (thread < count) {
      chunk_parts<T>& parts = joiner.parts[own.first + thread * own.step];
      if (!own.part_of(thread, chunks).has_end) {
        parts.open = chunk_fold;
      } else if (has_last) {
        parts.first = chunk_fold;
      }
    }
    __syncthreads();
    joiner.count_parts(own.segment, count, shared.joiner);
  }

 private:
  HINDSIGHT_DEVICE merged_segments<OffsetIt> all_segments() const {
    return {offsets, static_cast<std::size_t>(chunks.num_segments())};
  }
  HINDSIGHT_DEVICE work all_chunks(int s) const {
    // Each lane has where one segment begins: lane 0 the next one, lane 1 this one.
    const position own = chunks.merged.begin(::cuda::std::max(0, s + 1 - lane_index()));
    const position begin = cuda::shuffle_from(own, 1), end = cuda::shuffle_from(own, 0);
    const int first = chunks.at(begin + s), last = chunks.at(end + s);
    const int count = begin < end ? last - first + 1 : 0;
    return {s, begin, end, ends_before(first, s, begin, own), first, 1, count};
  }

  /// How many segments end before the chunk in which segment s begins. Called by full warps.
  ///   own  where segment s + 1 - lane begins
  HINDSIGHT_DEVICE int ends_before(int chunk, int s, position begin, position own) const {
    const position place = chunks.begin(chunk);
    const int earlier = s - lane_index();
    const bool is_in_chunk = earlier < s && earlier >= 0 && own + earlier >= place;
    const int num_in_chunk = __popc(__ballot_sync(all_lanes, is_in_chunk));
    if (num_in_chunk < warp_lanes - 1) return s - num_in_chunk;
    const position most_in_chunk = ::cuda::std::min(begin + s - place, static_cast<position>(s));
    return static_cast<int>(
        cuda::warp_count_ends(all_segments(), place, s - most_in_chunk, s - (warp_lanes - 1)));
  }

  /// Leaves the folds of tiles [begin, end) of all chunks in shared memory. Each warp folds some,
  /// and loads the next one at the same time.
  template <class TilesBefore>
  HINDSIGHT_DEVICE void fold_tiles(const work& own, int begin, int end,
                                   TilesBefore tiles_before) const {
    staged_items(&items)[2] = shared.items[warp_index()];
    tile_part<position> tile{}, next{};
    int chunk = 0, room = 0;
    HINDSIGHT_ROLL
    for (int t = begin + warp_index(), earlier = -1;; earlier = t, t += num_warps()) {
      if (t < end) {
        HINDSIGHT_ROLL
        while (chunk + 1 < own.count && t >= tiles_before(chunk + 1)) ++chunk;
        next = own.part_of(chunk, chunks).tile(t - tiles_before(chunk));
        const position rest = chunks.total - chunks.num_segments() - next.begin;
        items[room].begin_load_between(
            in + (chunks.merged.first() + next.begin), next.first, next.last,
            static_cast<int>(::cuda::std::min(rest, position{work::part::tile_items})));
      } else {
        __pipeline_commit();
      }
      room ^= 1;
      if (earlier >= 0) {
        staged_items::finish_earlier_loads();
        const T fold = fold_tile(items[room], tile);
        if (lane_index() == 0) shared.folds[earlier - begin].set(fold);
        __syncwarp();  // the room is free again
      }
      if (t >= end) break;
      tile = next;
    }
    __syncthreads();
  }

  /// The fold of what a segment has of a tile: as fold_tile_by_segment() makes it if any segment
  /// ends in the tile, else as cuda::fold_tile() does. All items are real values. So a lane applies
  /// `op` to all of its own, and none waits for a decision.
  HINDSIGHT_DEVICE T fold_tile(staged_items& items, const tile_part<position>& tile) const {
    const int at = lane_index() * lane_items, begin = tile.first - at, end = tile.last - at;
    uninitialized<T> own, read[lane_items];
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) read[i].set(items.lane_item(i));
    own = read[0];
    HINDSIGHT_UNROLL
    for (int i = 1; i < lane_items; ++i) {
      const T next = op(own.get(), read[i].get());
      if (i < end) own.set(next);
      if (i <= begin) own = read[i];
    }
    const int first_lane = tile.first / lane_items, last_lane = (tile.last - 1) / lane_items;
    const T until = cuda::warp_segmented_fold(own.get(), 1u << first_lane, op);
    if (!tile.has_end) return cuda::shuffle_from(until, last_lane);
    const T before = cuda::shuffle_up(until, 1);
    if (first_lane < last_lane && lane_index() == last_lane) own.set(op(before, own.get()));
    return cuda::shuffle_from(own.get(), last_lane);
  }
};

/// For each segment: results.put(segment, its first item's index, the fold of its items), or
/// results.put_empty(segment). The first `search_blocks` blocks look for long segments, each
/// further block has a segment.
///   offsets  [num_segments + 1], 0 < num_segments < 2^23
///   parts    [chunks]
///   counts   [chunks / 2 + 1], all zero
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
HINDSIGHT_BOUNDED_KERNEL(each_segment_reduce_tuning<T>::most_warps* warp_lanes,
                         each_segment_reduce_tuning<T>::min_blocks)
void reduce_each_segment_kernel(InputIt in, OffsetIt offsets, int num_segments, int search_blocks,
                                Results results, Op op, chunk_parts<T>* parts, unsigned* counts) {
  using folder = each_segment_folder<Tuning, T, InputIt, OffsetIt, Results, Op>;
  HINDSIGHT_SHARED(shared, typename folder::storage);
  const typename folder::chunks_type chunks{offsets,
                                            static_cast<typename folder::position>(num_segments)};
  const folder block{in,    offsets, chunks, results, op, {chunks, results, op, parts, counts},
                     shared};
  const int index = static_cast<int>(blockIdx.x);
  const bool is_search = index < search_blocks;
  int earlier = -1;
  // A block that searches takes two segments for each of its groups of chunks: a long one begins
  // before the group or goes on behind it. (One loop for both kinds of blocks: so the machine code
  // has each part of the work once. Most of the time is spent to fetch it.)
  HINDSIGHT_ROLL
  for (int i = 0; is_search || i < 1; ++i) {
    typename folder::work own;
    bool is_whole = false;
    if (is_search) {
      const int group_begin = (index + i / 2 * search_blocks) * block.group_chunks();
      if (group_begin >= chunks.count()) return;
      const int s = block.segment_at(group_begin + i % 2 * block.group_chunks());
      if (s == num_segments || (i % 2 == 1 && s == earlier)) continue;
      earlier = s;
      own = block.midst_chunks(s, group_begin);
    } else {
      own = block.own_chunks(index - search_blocks);
      is_whole = own.step == 1;
      if (own.count == 0 && threadIdx.x == 0) results.put_empty(own.segment);
    }
    if (own.count > 0) block.fold(own, is_whole);
  }
}

/// Host side, after unwrap(). `likely_items`: about the number of items in all segments; results do
/// not depend on it.
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
cudaError_t reduce_each_segment(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                std::size_t likely_items, Results results, Op op,
                                chunk_parts<T>* parts, unsigned* counts, cudaStream_t stream) {
  using tuning = each_segment_reduce_tuning<T>;
  using cut = segment_cut<T, Tuning>;
  const int warps = tuning::warps(likely_items / num_segments, cut::tile_items);
  const std::size_t num_chunks = cut::num_chunks(likely_items + num_segments);
  const std::size_t search_blocks = num_chunks * fewest_segment_tiles * 2 / tuning::most_tiles + 1;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(search_blocks + num_segments), warps * warp_lanes, 0,
                   stream, reduce_each_segment_kernel<Tuning, T>)
  (in, offsets, int(num_segments), int(search_blocks), results, op, parts, counts);
  return cudaPeekAtLastError();
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
