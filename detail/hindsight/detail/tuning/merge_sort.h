// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sorts: items of a thread and blocks of a multiprocessor.
#pragma once

#include <hindsight/detail/no_value.h>
#include <hindsight/detail/tuning/sort.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Threads that share a multiprocessor. Sorts of tiles: items of up to 4 bytes, of up to 16, larger
/// ones; the same of few items, up to 4 bytes and larger. Merges: up to 4 bytes, up to 8, larger.
struct merge_sort_row {
  int sorts_of_4, sorts_up_to_16, sorts;
  int few_of_4, few;
  int merges_of_4, merges_up_to_8, merges;
};
inline constexpr by_architecture<merge_sort_row> merge_sort_rows{
    /* sm_80 */ {1536, 1024, 768, 1536, 1024, 1536, 1280, 1024},
    /* sm_90 */ {1536, 1024, 768, 1536, 1024, 1536, 1280, 1024},
    /* sm_100 */ {1536, 1024, 768, 1536, 1024, 1536, 1280, 1024},
    /* other */ {1536, 768, 768, 1536, 1024, 1536, 1280, 1024}};

/// Threads that may share a multiprocessor while they merge.
HINDSIGHT_HD constexpr int merging_threads(int item_bytes) {
  constexpr merge_sort_row row = row_of_binary(merge_sort_rows);
  return item_bytes <= 4 ? row.merges_of_4 : item_bytes <= 8 ? row.merges_up_to_8 : row.merges;
}

/// Merge sort: a block sorts a tile, or merges one from two runs. A thread's number of items is
/// odd where it can be, so that neighbours' items at the same place lie in different banks of
/// shared memory.
template <class Key, class Value>
struct merge_sort_tuning {
  static constexpr int item_bytes =
      int(sizeof(Key)) + (std::is_empty_v<Value> ? 0 : int(sizeof(Value)));
  static constexpr merge_sort_row row = row_of_binary(merge_sort_rows);
  static constexpr bool has_room = row_of_binary(sort_shared_bytes) > 64 * 1024;
  static constexpr int block_threads =
      item_bytes <= 4 || (item_bytes <= 16 && has_room) ? 512 : 256;
  static constexpr int lane_items = item_bytes <= 8    ? 17
                                    : item_bytes <= 16 ? 9
                                    : item_bytes <= 24 ? 7
                                                       : 5;
  static constexpr int tile_items = block_threads * lane_items;
  /// Blocks that share a multiprocessor: of sorts of tiles, of merges of two runs and of four.
  static constexpr int sort_blocks = (item_bytes <= 4    ? row.sorts_of_4
                                      : item_bytes <= 16 ? row.sorts_up_to_16
                                                         : row.sorts) /
                                     block_threads;
  static constexpr int merge_threads = 256;
  static constexpr int merge_lane_items = lane_items;
  static constexpr int merge_tile_items = merge_threads * merge_lane_items;
  static constexpr int merge_blocks = merging_threads(item_bytes) / merge_threads;
  /// Up to this many tiles a block searches its part of the two runs itself: a kernel that does it
  /// for all of them would take longer to start.
  static constexpr int few_tiles = 1024;
  /// In a sort of segments: merges find out themselves how many passes there are.
  static constexpr bool merges_count_passes = false;
  /// In a sort of segments: if at most so many segments end in a tile, each end marks where the
  /// next segment begins. If there are more, each item searches for its own.
  static constexpr std::size_t most_marks_by_end = 4 * tile_items;
};

/// Few items take smaller tiles, so that all multiprocessors have some. On the H200, 2^16 random
/// keys: 4 bytes take 35 us instead of 39, 8 bytes 40 instead of 51, 16 bytes 49 instead of 74.
template <class Key, class Value>
struct merge_sort_tuning_of_few {
  static constexpr int item_bytes = merge_sort_tuning<Key, Value>::item_bytes;
  static constexpr int block_threads = 256, lane_items = item_bytes <= 8 ? 9 : 5;
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr merge_sort_row row = row_of_binary(merge_sort_rows);
  static constexpr int sort_blocks = (item_bytes <= 4 ? row.few_of_4 : row.few) / block_threads;
  static constexpr int merge_threads = 128, merge_lane_items = lane_items;
  static constexpr int merge_tile_items = merge_threads * merge_lane_items;
  static constexpr int merge_blocks = merging_threads(item_bytes) / merge_threads;
  static constexpr int few_tiles = 1 << 12;
  /// So many items are few.
  static constexpr std::size_t most_items = std::size_t{1} << (item_bytes <= 8 ? 18 : 20);
  static constexpr bool merges_count_passes = false;
  static constexpr std::size_t most_marks_by_end = 4 * tile_items;
};

/// Sample sort. Two passes move items into buckets, at most 256 for each part of the input; then
/// each block sorts a bucket. On an H100, 2^28 random items of 4 bytes take 8.5 ms instead of 14.9
/// by merges, of 8 bytes 13.7 instead of 22.4, of 16 bytes 32.5 instead of 50.3.
template <class Key, class Value>
struct sample_sort_tuning {
  using merges = merge_sort_tuning<Key, Value>;
  static constexpr int item_bytes = merges::item_bytes;
  /// Passes: a thread's number of items is a multiple of 4.
  static constexpr int block_threads = 256;
  static constexpr int lane_items = item_bytes <= 4          ? 24
                                    : item_bytes > 8         ? 8
                                    : std::is_empty_v<Value> ? 16
                                                             : 20;
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr int find_blocks = item_bytes <= 16 ? 4 : 2;
  static constexpr int move_blocks = lane_items > 16 ? 3 : item_bytes <= 8 ? 4 : 2;
  /// A block sorts the samples of a part: so many for each bucket, at most a tile.
  using samples = merge_sort_tuning<Key, no_value>;
  static constexpr int samples_of_bucket = 34;
  /// Passes make as many buckets as leave at most so many items in each on average, if they can.
  static constexpr std::size_t bucket_items = merges::tile_items / 2;
  /// Small buckets are sorted by blocks of half as many threads as others, which skip them.
  struct small_buckets : merges {
    static constexpr int block_threads = merges::block_threads / 2;
    static constexpr int tile_items = block_threads * merges::lane_items;
    static constexpr int sort_blocks = merges::sort_blocks * 2;
    static constexpr int skipped_items = 1;
  };
  /// A bucket that does not fit such a block is merged by it, tile by tile.
  struct medium_buckets : merges {
    static constexpr int skipped_items = small_buckets::tile_items;
    static constexpr int merge_threads = merges::block_threads;
    static constexpr int merge_tile_items = merges::tile_items;
  };
  /// From so many items on; 32 bits count them.
  static constexpr std::size_t least_items = item_bytes <= 4   ? std::size_t{5} << 20
                                             : item_bytes <= 8 ? std::size_t{3} << 20
                                                               : std::size_t{1} << 20;
  static constexpr std::size_t most_items = 0xffff'ffff;
  static constexpr bool has_room = merges::has_room;
  static constexpr bool pays(std::size_t n) { return n >= least_items && n <= most_items; }
};

/// The merges behind a sort of segments whose blocks are half a tile apart.
template <class Tuning>
struct merge_tuning_of_steps : Tuning {
  static constexpr int tile_items = Tuning::tile_items / 2;
  static constexpr bool merges_count_passes = true;
};

/// Up to so many places where runs are split, several lanes search for each. On the H200, 2^23 and
/// 2^24 keys of 4 bytes take 419 and 761 us instead of 468 and 810; 2^26 would take 3.01 ms instead
/// of 2.96.
inline constexpr std::size_t most_splits_by_lanes = std::size_t{1} << 13;
inline constexpr int lanes_per_split = 8;

/// Sorts of segments: up to this size, a warp merges what crosses a seam of two tiles, where a
/// block would mostly idle.
inline constexpr std::size_t most_short_seam_items = 128;
/// Sorts of segments: warps sort segments that lie in several threads' items, if each has at most
/// so many of them, and they have no more items than a warp has lanes.
inline constexpr int most_long_segments_of_warp = 4;
/// Merges of segments are cut into so many pieces for each block, which takes the next piece when
/// it is done with one: pieces take different times.
inline constexpr std::size_t pieces_per_merge_block = 8;

/// Larger keys and values stay where they are while their indices are sorted, and move once; many
/// items only if their keys are larger than most_sampled_key_bytes. On an H100, 2^24 keys of 24
/// bytes take 3.1 ms instead of 23.8 by their indices, of 32 bytes 5.6 instead of 28.4.
inline constexpr std::size_t most_merged_key_bytes = 24, most_sampled_key_bytes = 32;
inline constexpr std::size_t most_merged_value_bytes = 8;
/// Keys of segments, and keys beside the index of a large value.
inline constexpr std::size_t most_key_bytes_in_segments = 16, most_key_bytes_beside_index = 16;

/// Items with keys of several numbers that a pass of a radix sort moves; larger ones move once, as
/// their order says.
inline constexpr std::size_t most_moved_item_bytes = 16;
/// Items move in passes only with values of up to so many bytes.
inline constexpr std::size_t most_value_bytes_beside_items = 8;

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
