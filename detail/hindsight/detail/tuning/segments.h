// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of segments: how many blocks share a multiprocessor. The shapes of tiles and
// the number of chunks define bits: order.h.
#pragma once

#include <hindsight/detail/tuning/architecture.h>
#include <hindsight/detail/tuning/order.h>

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Threads that share a multiprocessor: reductions, scans, scans in chunks.
struct segment_row {
  int reductions, scans, chunk_scans;
};
inline constexpr by_architecture<segment_row> segment_rows{/* sm_80 */ {1024, 1280, 1024},
                                                           /* sm_90 */ {1024, 1280, 1024},
                                                           /* sm_100 */ {1024, 1280, 1024},
                                                           /* other */ {1024, 1280, 1024}};

template <class T>
struct segment_reduce_tuning {
  static constexpr tile_shape shape = reduce_segments_shape<T>();
  static constexpr std::size_t most_chunks = most_segment_chunks<T>;
  static constexpr int min_blocks =
      sizeof(T) <= 8 ? row_of_binary(segment_rows).reductions / shape.block_threads() : 1;
};

/// Sums of segments in one launch, whose blocks have a chunk each.
template <class T>
struct whole_segment_tuning {
  static constexpr std::size_t most_item_bytes = 16;
  /// Of few chunks, a block has a warp for each tile of its chunk and of the one before. Of more,
  /// multiprocessors have enough to do, and each warp folds two tiles.
  static constexpr int warps = 8, fewest_warps = 4, min_blocks = sizeof(T) <= 8 ? 4 : 2;
  static constexpr std::size_t few_chunks = 384;
  /// The most chunks. 2^21 floats in segments of two have 1540. Of 2^22 floats, which have 2053 and
  /// more, only segments of up to 1000 are faster. (Chunks are read twice.)
  static constexpr std::size_t most_chunks = sizeof(T) <= 8 ? 1792 : 512;
};

template <class T>
struct segment_scan_tuning {
  static constexpr tile_shape shape = scan_segments_shape<T>();
  static constexpr int min_blocks =
      sizeof(T) <= 8 ? row_of_binary(segment_rows).scans / shape.block_threads() : 1;
  static constexpr int chunk_blocks =
      sizeof(T) <= 8 ? row_of_binary(segment_rows).chunk_scans / shape.block_threads() : 1;
  static constexpr std::size_t most_chunks = most_scan_chunks<T>;
  /// Slots and tiles as in scan_by_key_tuning, but from fewer tiles on, since blocks with a tile
  /// each wait for their searches. mark_warps search the offsets, each for a tile.
  static constexpr int pipeline_slots = 16, mark_warps = 8;
  static constexpr double pipeline_tiles_per_slot = 0.25;
};

/// Scans of few items in segments, in a launch whose blocks need no other one.
struct segment_scan_alone_tuning {
  /// With memory for what tiles hand on: up to so many tiles.
  static constexpr std::size_t most_tiles = 1024, most_windows = most_tiles / window_tiles;
  /// How often a block looks for what others hand on, before it folds their tiles again.
  static constexpr int most_looks = 64;
  /// Without: up to so many items, if segments have any length, and if they have a medium number of
  /// items on average. (Beside a long segment, others are mostly tiny. Each block in a long one
  /// folds all of it before its own tile again.)
  static constexpr std::size_t most_items = std::size_t{1} << 17;
  static constexpr std::size_t most_items_of_medium = std::size_t{1} << 20, least_mean = 32,
                               most_mean = 8192;
  /// Items of up to so many bytes.
  static constexpr std::size_t most_item_bytes = 16;
  /// At least so many blocks where only the device knows how many items there are. Those without a
  /// tile leave at once. They are needed if the host has taken many items for few.
  static constexpr std::size_t fewest_blocks = 132;
  /// Blocks that share a multiprocessor.
  template <class T>
  static constexpr int min_blocks = sizeof(T) <= 8 ? 4 : 2;
  /// If there are at most so many segments for each of its threads, a block reads all offsets. Of
  /// more, it searches for its own.
  static constexpr unsigned segments_of_thread = 9;

  /// Whether it pays for about so many items without that memory.
  static constexpr bool pays(std::size_t items, std::size_t segments) {
    return items <= most_items || (items <= most_items_of_medium &&
                                   segments <= items / least_mean && segments >= items / most_mean);
  }
};

/// A pipeline scans segments of items of 4 or 8 bytes, as scan_suits_pipeline has it.
template <class T>
inline constexpr bool segment_scan_suits_pipeline = sizeof(T) >= 4 && sizeof(T) <= 8;

/// for_each_output, whose warps each take a chunk of outputs and ends. (A template, so that tests
/// may have other numbers.)
template <class Index>
struct output_tuning {
  static constexpr tile_shape shape{16, 8};
  static constexpr int min_blocks = 6;
  /// As many as have room on an H200 at a time; and the least that a warp takes of few outputs.
  static constexpr std::size_t blocks = 6 * 132, fewest_members = 256;
  /// How many a lane has on their way.
  static constexpr int offsets_at_once = 4, copied_at_once = 8, visited_at_once = 4;
};

/// Scans of ranges: at most so many blocks.
inline constexpr std::size_t range_blocks = std::size_t{1} << 20;

/// A warp that searches more segments than these first asks near the answer that segments of equal
/// lengths would have: of fewer, two steps find it anyway.
inline constexpr std::size_t many_segments = 128;

/// The heads of a tile are marked segment by segment. Where there are more segments than so many
/// for each item, and so most are empty, each lane searches for its own items instead.
inline constexpr std::size_t crowded_segments_per_item = 8;

/// Launches that make the map of a sort of segments.
inline constexpr int map_threads = 256, map_crossing_threads = 1024;
inline constexpr std::size_t most_map_blocks = std::size_t{1} << 10;

}  // namespace HINDSIGHT_ARCH_ABI

/// Outputs and ends in a warp's chunk, of `total` in all.
template <class Tuning>
HINDSIGHT_HD constexpr std::size_t output_chunk_members(std::size_t total) {
  constexpr std::size_t most_chunks = Tuning::blocks * Tuning::shape.warps;
  const std::size_t members = (total + most_chunks - 1) / most_chunks;
  return members > Tuning::fewest_members ? members : Tuning::fewest_members;
}

/// How a reduction of segments of T is cut into chunks, and these into the tiles of a warp. All but
/// the first tile of a chunk begin at a multiple of `alignment` items, where 16 bytes are loaded at
/// once.
template <class T, class Tuning>
struct segment_cut {
  static constexpr std::size_t tile_items = Tuning::shape.warp_items();
  static constexpr std::size_t most_chunks = Tuning::most_chunks;
  static constexpr std::size_t piece_items = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;
  static constexpr std::size_t alignment =
      Tuning::shape.lane_items % piece_items == 0 ? piece_items : 1;

  /// Items and ends in a chunk, of `total` in all: the first tile may be short by its alignment.
  static HINDSIGHT_HD constexpr std::size_t chunk_members(std::size_t total) {
    const std::size_t members = (total + Tuning::most_chunks - 1) / Tuning::most_chunks;
    const std::size_t tiles = (members + alignment + tile_items - 1) / tile_items;
    return (tiles > fewest_segment_tiles ? tiles : fewest_segment_tiles) * tile_items - alignment;
  }
  static HINDSIGHT_HD constexpr std::size_t num_chunks(std::size_t total) {
    const std::size_t members = chunk_members(total);
    return (total + members - 1) / members;
  }
  /// The end of the tile that begins at `item` in a chunk whose items end at `last`.
  static HINDSIGHT_HD constexpr std::size_t tile_end(std::size_t item, std::size_t last) {
    const std::size_t end = (item + tile_items) / alignment * alignment;
    return end < last ? end : last;
  }
};

}  // namespace hindsight::detail
