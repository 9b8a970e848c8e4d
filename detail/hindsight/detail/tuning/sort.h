// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts: items of a lane, shared memory, and when few keys take smaller tiles.
#pragma once

#include <hindsight/detail/tuning/architecture.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Bytes of shared memory that a block may have on every device of the architecture.
inline constexpr by_architecture<int> sort_shared_bytes{/* sm_80 */ 99 * 1024,
                                                        /* sm_90 */ 99 * 1024,
                                                        /* sm_100 */ 99 * 1024,
                                                        /* other */ 64 * 1024};

/// Sizes of tiles. `one`: one block, whose tile holds all keys. (Keys of more than 4 bytes take
/// less time in many tiles of one launch than in one large tile.) `segment`: a block holds all keys
/// of a segment, and other blocks those of others.
enum class tiles { small, medium, large, one, segment };

/// Wide keys take so many passes that many of their segments may need merges. Narrow ones
/// of least_split_key_bytes are split into segments, too, but few of these may need merges.
template <class Key>
inline constexpr bool is_wide_key = sizeof(Key) >= 8;

/// One pass of the radix sort: a block ranks block_threads * lane_items keys by one digit. Few keys
/// take smaller tiles: a tile's time is that of one lane's keys, one by one.
template <class Key, class Value, tiles Size = tiles::large>
struct sort_tuning {
  static constexpr tiles size = Size;
  static constexpr int digit_bits = 8;
  static constexpr int num_digits = 1 << digit_bits;
  static constexpr int block_threads = 256;

  /// Larger values are not staged in shared memory, but fetched in the order of the output.
  static constexpr bool stages_values = sizeof(Value) <= 16;
  static constexpr bool has_values = !std::is_empty_v<Value>;
  static constexpr int item_bytes =
      int(has_values && stages_values && sizeof(Value) > sizeof(Key) ? sizeof(Value) : sizeof(Key));

  /// What a block may have on every device that the binary has code for.
  static constexpr int max_shared_bytes = row_of_binary(sort_shared_bytes);

  /// Items of a lane in a small tile. Kernels for tiles of several sizes take multiples of it.
  static constexpr int row_step = item_bytes <= 4 ? 8 : 4;

  /// Large tiles are as large as registers and shared memory allow: a digit's items in a tile are
  /// neighbours in the output, and short runs of neighbours waste memory bandwidth.
  HINDSIGHT_HD static constexpr int choose_lane_items() {
    if (Size == tiles::small) return row_step;
    if (Size == tiles::medium) return 2 * row_step;
    if (Size == tiles::one && sizeof(Key) == 8 && item_bytes == 8) return 4 * row_step;
    if (Size == tiles::segment && has_values && item_bytes <= 8)
      return item_bytes <= 4 ? 5 * row_step : 6 * row_step;
    constexpr bool has_room = max_shared_bytes > 64 * 1024;
    if (item_bytes > 8) return has_room ? 12 : 8;
    if (item_bytes > 4 && !has_room) return 16;
    if (!has_values) return 40;
    if (item_bytes > 4) return stages_values ? 36 : 32;
    return has_room ? 48 : 24;
  }
  static constexpr int lane_items = choose_lane_items();
  static_assert(lane_items % row_step == 0, "a tile that is not full takes whole steps of rows");
  static constexpr int tile_items = block_threads * lane_items;
  /// Blocks that share a multiprocessor: what the compiler must leave registers for.
  static constexpr int min_blocks = lane_items > 40 || lane_items* item_bytes > 192 ||
                                            (Size == tiles::segment && has_values)
                                        ? 2
                                        : 3;
  /// Up to this many tiles of a size keep more multiprocessors busy than fewer larger ones.
  static constexpr int few_tiles = Size == tiles::small ? 128 : 256;
  /// Up to this many of them, one launch does all; not for keys of more than 8 bytes, which several
  /// launches sort faster.
  static constexpr int one_launch_tiles = sizeof(Key) <= 8 ? few_tiles : 0;
  static constexpr int segment_blocks = 256;  ///< at least so many where they sort segments, too
  static constexpr int rows_ahead = Size == tiles::large ? 8 : 16;  ///< of the board, read at once
  /// A block of a pass takes one tile, or tiles until none is left: then a pass that has nothing to
  /// do costs less, but kernels that are short of registers spill them.
  static constexpr bool takes_many_tiles = Size == tiles::large && sizeof(Key) >= 4 && !has_values;
  /// Blocks of a pass per multiprocessor, at most; those in excess do nothing.
  static constexpr int pass_blocks = 8;
  /// With so few digits below the highest ones, no segments; and in a launch that does all.
  static constexpr int few_digits = is_wide_key<Key> ? 2 : 1, few_digits_of_few_keys = 2;
  /// From so many keys on, they are split into segments. Keys of 4 bytes save one pass of four by
  /// it, and lose four launches where they are skewed.
  static constexpr std::size_t least_split = is_wide_key<Key> ? 1
                                             : has_values     ? std::size_t{1} << 23
                                                              : std::size_t{1} << 27;
  /// A launch takes so many tiles of a pass: counts on the board have 30 bits.
  static constexpr unsigned portion_tiles = ((1u << 30) - 1) / tile_items;
  /// Up to so many keys, places in the output have 32 bits.
  static constexpr std::size_t most_narrow_places = std::size_t{1} << 32;
  /// From so many keys on, values may split them: a sample and two launches more take 10 us, for
  /// integers 20. Bits split integers well more often than doubles.
  static constexpr std::size_t least_by_value = std::size_t{1}
                                                << (std::is_same_v<Key, double> ? 23 : 26);

  /// From so many keys on, a look tells whether they are in order: below, keys that are not would
  /// lose more than the noise. Keys of one and two bytes take few passes.
  static constexpr std::size_t least_in_order = sizeof(Key) < 4    ? std::size_t(-1)
                                                : is_wide_key<Key> ? std::size_t{1} << 26
                                                                   : std::size_t{1} << 27;

  static constexpr int histogram_blocks = 6;  ///< per multiprocessor
  static constexpr int histogram_lane_items = sizeof(Key) >= 16 ? 4 : sizeof(Key) >= 8 ? 8 : 16;
  static constexpr int histogram_tile_items = block_threads * histogram_lane_items;
};

/// How often the loop over the keys of a last tile, which is not full, is unrolled: there the code
/// is short rather than fast.
inline constexpr int last_tile_unroll = 4;

/// Keys of so many bytes or more take so many passes that a split into segments may save some. A
/// block sorts values of up to so many bytes with its segment's keys.
inline constexpr std::size_t least_split_key_bytes = 4, most_split_value_bytes = 8;

/// Segments that a block sorts in shared memory. Few keys have small ones.
template <class Key, class Value, bool OfFewKeys = false>
struct segment_tuning {
  static constexpr int digit_bits = 8;
  static constexpr int num_digits = 1 << digit_bits;
  static constexpr int block_threads = 256;
  static constexpr int lane_items = sizeof(Key) > 8 ? 9 : sizeof(Key) >= 8 || OfFewKeys ? 18 : 24;
  static constexpr int tile_items = block_threads * lane_items;
  /// Segments of narrow keys are named by all bits that passes sort by, unless they would have
  /// fewer keys than this on average: each bit that names a segment is one less to sort by.
  static constexpr int least_mean = 2048;
  static constexpr int small_tile_items = block_threads * 8;
  static constexpr int min_blocks = std::is_empty_v<Value> ? 4 : 3;
  /// How many bits below those that name the segment are sorted first: few keys tie in all of them.
  static constexpr int window_bits = 24;
  static constexpr int most_tied = 8;  ///< keys that one thread sorts
};

/// segment_fill: the part of a block's room that a segment fills on average, because digits are
/// never quite even. most_digit_share: where keys are split more than once, the most keys that one
/// digit may have, as a multiple of its even share.
inline constexpr double segment_fill = 0.92, most_digit_share = 1.5;

/// Segments that do not fit a block (large_segment_sort.cuh). A block sorts a segment of up to
/// most_pieces times the keys that fit, and merges up to most_merged_pieces. Both limits fall where
/// there are fewer than segments_per_... segments for each piece: the GPU would wait for one block.
struct large_segment_tuning {
  static constexpr int most_pieces = 16, segments_per_piece = 256;
  static constexpr int most_merged_pieces = 8, segments_per_merged_piece = 2048;
  /// The largest skew of wide keys that are split (skew_test). Where most keys need merges, these
  /// take as long as the passes that they save. Passes may also sort by bits that name no segment,
  /// which saves merges: the first limit is for these. Both fall where there are fewer than
  /// segments_per_skew segments for each unit of skew.
  static constexpr double most_skew = 5, most_skew_without_bits = 2.5;
  static constexpr int segments_per_skew = 1024;
  /// By how many standard deviations a sample may have more collisions than expected: of samples of
  /// keys with the largest skew, 1 in 10,000 fails by chance.
  static constexpr double skew_deviations = 4;
};

/// The sample that decides whether values split keys: one block, since most of its time is the
/// latency of memory.
struct value_sample_tuning {
  static constexpr int block_threads = 1024;
  static constexpr int lane_samples = 8;
  static constexpr int samples = block_threads * lane_samples;
  /// The codes reach beyond both ends of the sample by a range / margin_part: keys beyond all share
  /// a code.
  static constexpr int margin_part = 512;
  /// Integers that reach over more than so many sixteenths of all numbers are split by their bits.
  static constexpr int most_sixteenths = 15;
};

/// The radix sort of segments (segmented_radix_sort.cuh). Other segments are merged.
template <class Key, class Value>
struct segmented_radix_tuning {
  using in_block = sort_tuning<Key, Value, tiles::segment>;  ///< of the segments that fit
  using in_passes = sort_tuning<Key, Value>;

  /// Whether it takes less time than merges. Only the mean length is known here: segments may be of
  /// any lengths.
  static constexpr bool pays(std::size_t n, std::size_t num_segments, int passes) {
    const std::size_t mean = n / num_segments;
    const std::size_t least = passes == 1                  ? 256
                              : passes == 2                ? 512
                              : n > (std::size_t{1} << 18) ? 1536
                                                           : 2304;
    if (mean <= std::size_t(in_block::tile_items)) return mean >= least;
    if (passes <= 4) return passes <= 2 || n >= std::size_t{1} << 18;
    return n >= std::size_t{1} << 20 && mean >= std::size_t(passes) * 2560;
  }
};

/// Few numbers in segments, with a block for each segment (sort_each_segment.cuh).
template <class Key, class Value>
struct each_segment_tuning {
  struct in_block : sort_tuning<Key, Value, tiles::segment> {
    static constexpr int row_step = 4;  ///< a pass over 1,024 items takes half the time of 2,048
  };
  static constexpr std::size_t most_items = std::size_t{1} << 18;
  /// Passes of all segments together. On an H100, 640 segments of 4-byte keys take as long as by
  /// merges, and so do 320 of 8-byte keys and 1,300 of 2-byte keys.
  static constexpr std::size_t most_passes = 2560;
  static constexpr bool may_pay = sizeof(Key) <= 8 && sizeof(Value) <= 8;
  /// Whether it takes less time than merges.
  static constexpr bool pays(std::size_t n, std::size_t num_segments, int passes) {
    return n <= most_items && num_segments > 0 && passes > 0 &&
           num_segments * std::size_t(passes) <= most_passes &&
           n / num_segments <= std::size_t(in_block::tile_items);
  }
};

/// The search that tells whether keys are already in order.
struct order_tuning {
  static constexpr int block_threads = 256;
  static constexpr int lane_items = 8;
  static constexpr int tile_items = block_threads * lane_items;
  static constexpr int blocks = 8;      ///< per multiprocessor
  static constexpr int few_digits = 2;  ///< passes over so many cost less than a look and a copy
};

/// Sorts of one-byte keys by counting.
struct counting_sort_tuning {
  static constexpr int block_threads = 256;
  static constexpr int fill_blocks = 32;  ///< per multiprocessor: four waves
};

/// Sorts of two-byte keys by counting.
struct counting_sort_16_tuning {
  static constexpr int block_threads = 1024;  ///< one block takes a multiprocessor's shared memory
  static constexpr int lane_vectors = 4;      ///< 16-byte loads in flight per thread
  static constexpr std::size_t least_items = std::size_t{1} << 21;  ///< passes sort fewer
  struct fill {
    static constexpr int block_threads = 256;
    static constexpr int lane_vectors = 8;
  };
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
