// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chunks of a reduction of segments as blocks see them that have one each, and the search by
// which a block finds its chunk. The cut is that of reduce_segments.cuh, whose warps have one each.
#pragma once

#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/tuning/segments.h>

#include <cuda/std/functional>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Counts items and ends. 32 bits are enough where offsets are `int`: there are fewer than 2^31
/// items, 2^23 segments, and blocks for less than half of the chunks. So the loop over chunks stays
/// below 2^32. A warp executes a quarter fewer instructions, and few items wait for these.
template <class OffsetIt>
using chunk_position =
    std::conditional_t<std::is_same_v<value_of<OffsetIt>, int>, unsigned, std::size_t>;

/// Tiles of a chunk that are folded at the same time: as many as the smallest chunk has. Places are
/// counted from `floor` on. All tiles but the first begin at a multiple of their size.
template <class Cut, class Position>
struct round_of_tiles {
  static constexpr int tile_items = int(Cut::tile_items), tiles = int(fewest_segment_tiles);
  static constexpr Position most_items = tiles * Cut::tile_items, alignment = Cut::alignment;
  Position floor;
  int begin, end;

  HINDSIGHT_DEVICE round_of_tiles(Position from, Position last_item)
      : floor{from / alignment * alignment},
        begin{static_cast<int>(from - floor)},
        end{static_cast<int>(::cuda::std::min(+most_items, last_item - floor))} {}
  HINDSIGHT_DEVICE int begin_of(int tile) const { return tile > 0 ? tile * tile_items : begin; }
  HINDSIGHT_DEVICE int end_of(int tile) const {
    return ::cuda::std::min((tile + 1) * tile_items, end);
  }
  HINDSIGHT_DEVICE bool has(int tile) const { return begin_of(tile) < end; }
  /// The tile in which, or at whose end, a segment ends.
  HINDSIGHT_DEVICE int tile_of_end(int place) const {
    return place > begin ? static_cast<int>(unsigned(place - 1) / tile_items) : 0;
  }
};

/// All chunks. There are few: `int` counts them.
template <class Cut, class OffsetIt>
struct chunks_of_segments {
  using position = chunk_position<OffsetIt>;
  using merged_type = merged_segments<OffsetIt, position>;
  using round = round_of_tiles<Cut, position>;
  static constexpr position fewest_members = Cut::chunk_members(0);
  merged_type merged;
  position total, members;

  HINDSIGHT_DEVICE chunks_of_segments(OffsetIt offsets, position num_segments)
      : merged{offsets, num_segments}, total{merged.total()}, members{fewest_members} {
    if (total > Cut::most_chunks * fewest_members)
      members = static_cast<position>(Cut::chunk_members(total));
  }
  HINDSIGHT_DEVICE int num_segments() const { return static_cast<int>(merged.num_segments()); }
  HINDSIGHT_DEVICE position begin(int chunk) const {
    return ::cuda::std::min(static_cast<position>(chunk) * members, total);
  }
  /// The chunk that has a position. (A constant divides faster.)
  HINDSIGHT_DEVICE int at(position place) const {
    place = ::cuda::std::min(place, total - 1);  // beyond, where offsets decrease
    return static_cast<int>(has_short_ones() ? place / fewest_members : place / members);
  }
  /// Whether a chunk is a round of tiles.
  HINDSIGHT_DEVICE bool has_short_ones() const { return members == fewest_members; }
  /// How many neighbouring chunks a lane of the block that joins chunks folds by itself.
  HINDSIGHT_DEVICE int share() const {
    return total <= join_threads * members ? 1 : at(total - 1) / int(join_threads) + 1;
  }

  /// Begins to load a tile: all its places, also those behind its end, as far as there are items.
  template <class Staged, class InputIt>
  HINDSIGHT_DEVICE void begin_load(Staged& staged, InputIt in, const round& tiles, int tile) const {
    const position begin = tiles.floor + tiles.begin_of(tile);
    const position rest = total - merged.num_segments() - begin;
    staged.begin_load_any(in + merged.place_of(begin),
                          static_cast<int>(::cuda::std::min(rest, position{Cut::tile_items})));
  }
};

/// A search by a block for the numbers of ends before positions. Each thread has a part of all
/// segments, and asks where that ends: it need not know any position for that, so it waits for
/// memory together with the total. In a part each warp searches by itself. In all of it, each
/// question has the same answer up to some segment, and the other one behind it: so no search has
/// to keep within its part.
template <class OffsetIt>
struct search_by_block {
  using position = chunk_position<OffsetIt>;
  static constexpr int num_positions = 3;
  int part_size;
  position place, place_before;  ///< where this part ends, and the one before

  HINDSIGHT_DEVICE search_by_block(OffsetIt offsets, int num_segments, int size) : part_size{size} {
    const auto place_of = [&](unsigned part) {
      const int s = static_cast<int>(part) * size;  // the segment before it is the last of a part
      return static_cast<position>(offsets[s <= num_segments ? s : 0]) +
             (s <= num_segments ? position(s) : ~position{0});  // else behind all positions
    };
    place_before = place_of(threadIdx.x);
    place = place_of(threadIdx.x + 1);
  }

  ///   found  room in shared memory; there is a barrier between a write and a read of it
  HINDSIGHT_DEVICE void count(const merged_segments<OffsetIt, position>& merged,
                              const position (&positions)[num_positions],
                              int (&counts)[num_positions], int (&found)[num_positions]) const {
    const bool is_last_part = threadIdx.x == blockDim.x - 1;
    HINDSIGHT_UNROLL
    for (int i = 0; i < num_positions; ++i) {
      const bool is_before = place - merged.first() <= positions[i];
      const bool before_is = place_before - merged.first() <= positions[i];
      if ((is_before & is_last_part) | (!is_before & before_is))  // of the first part, before_is
        found[i] = static_cast<int>(threadIdx.x) + is_before;
    }
    __syncthreads();
    HINDSIGHT_UNROLL
    for (int i = 0; i < num_positions; ++i) counts[i] = found[i] * part_size;
    HINDSIGHT_ROLL
    for (int size = part_size - 1; size > 0;) {
      const int step = (size + warp_lanes - 1) / warp_lanes;
      bool is_before[num_positions];
      HINDSIGHT_UNROLL
      for (int i = 0; i < num_positions; ++i) {
        const int s = counts[i] + (lane_index() + 1) * step - 1;
        is_before[i] = s < int(merged.num_segments()) && merged.position_of_end(s) < positions[i];
      }
      HINDSIGHT_UNROLL
      for (int i = 0; i < num_positions; ++i)
        counts[i] += __popc(__ballot_sync(all_lanes, is_before[i])) * step;
      size = step - 1;
    }
    // Only offsets that decrease can make a difference here: no part ends before it begins.
    constexpr int last = num_positions - 1;
    const int fewest = static_cast<int>(merged.fewest_ends(positions[last]));
    counts[last] = ::cuda::std::max(counts[last], fewest);
    HINDSIGHT_UNROLL
    for (int i = last; i-- > 0;) {
      const int distance = static_cast<int>(positions[i + 1] - positions[i]);
      counts[i] =
          ::cuda::std::min(::cuda::std::max(counts[i], counts[i + 1] - distance), counts[i + 1]);
    }
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
