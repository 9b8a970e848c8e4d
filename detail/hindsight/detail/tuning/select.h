// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections, partitions, run-length encoding. Their results do not depend on the shape of a tile.
#pragma once

#include <hindsight/detail/tuning/architecture.h>
#include <hindsight/detail/tuning/order.h>  // tile_shape

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Threads that share a multiprocessor: selections of bytes, of 4-byte items, and of others; of
/// 2-byte items of one array, and of several arrays; runs of bytes, and of others. Bytes and 2-byte
/// items are bound by instructions, so more threads of fewer registers pay.
struct select_row {
  int of_1, of_4, of_others, of_2_in_one_array, of_2_in_arrays, runs_of_1, runs;
};
inline constexpr by_architecture<select_row> select_rows{
    /* sm_80 */ {1024, 1024, 1024, 1024, 1024, 1024, 1024},
    /* sm_90 */ {1536, 1024, 1024, 1536, 1280, 1536, 1024},
    /* sm_100 */ {1024, 1024, 1024, 1024, 1024, 1024, 1024},
    /* other */ {1024, 1024, 1024, 1024, 1024, 1024, 1024}};

/// A lane holds its items in registers and a bit for each in one word: at most 32.
template <class T>
struct select_tuning {
  HINDSIGHT_HD static constexpr tile_shape choose() {
    if (sizeof(T) <= 1) return {32, 16};
    if (sizeof(T) <= 4) return {32, 8};
    if (sizeof(T) <= 8) return {16, 8};
    if (sizeof(T) <= 16) return {8, 8};
    if (sizeof(T) <= 64) return {2, 8};
    if (sizeof(T) <= 256) return {1, 4};
    if (sizeof(T) <= 512) return {1, 2};
    return {1, 1};  // a key with its value
  }
  static constexpr tile_shape shape = choose();
  HINDSIGHT_HD static constexpr int choose_resident_threads() {
    constexpr select_row row = row_of_binary(select_rows);
    return sizeof(T) == 1 ? row.of_1 : sizeof(T) == 4 ? row.of_4 : row.of_others;
  }
  /// Blocks that share a multiprocessor: what the compiler must leave registers for.
  static constexpr int min_blocks = choose_resident_threads() / shape.block_threads();
  /// The tile of a pipeline; slots of its ring, as far as shared memory allows; and how many tiles
  /// there must be for each slot for a pipeline to be faster than a block for each tile.
  static constexpr tile_shape pipeline_shape{sizeof(T) <= 4 ? 32 : sizeof(T) <= 8 ? 16 : 8, 8};
  static constexpr int pipeline_slots = 16;
  static constexpr double pipeline_tiles_per_slot = 0.6;
};

/// A pipeline selects items of 4 or 8 bytes, and partitions those of 8. (Partitions of 4-byte items
/// would be slower, though their traffic is that of selections of 8-byte items.)
template <class T>
inline constexpr bool select_suits_pipeline = sizeof(T) >= 4 && sizeof(T) <= 8;
template <class T>
inline constexpr bool partition_suits_pipeline = sizeof(T) == 8;

/// A pipeline encodes runs of items of 4 or 8 bytes. (For smaller ones a block for each tile has
/// more warps to look at them.)
template <class T>
inline constexpr bool run_length_suits_pipeline = sizeof(T) == 4 || sizeof(T) == 8;

/// What a selection reads and writes: iterators of the caller, whose registers nobody knows; one
/// array, whose items it tests itself; or marks or a second output as well.
enum class select_memory { any, one_array, arrays };

/// Blocks of a selection of T that share a multiprocessor.
template <class Tuning, class T, select_memory Memory>
HINDSIGHT_HD constexpr int min_select_blocks() {
  constexpr select_row row = row_of_binary(select_rows);
  if (sizeof(T) != 2 || Memory == select_memory::any) return Tuning::min_blocks;
  return (Memory == select_memory::one_array ? row.of_2_in_one_array : row.of_2_in_arrays) /
         Tuning::shape.block_threads();
}

/// How many marks a lane holds at a time beside its items: 32 of each would need more registers
/// than there are. Of bytes, four share a register.
template <class T, class Mark>
inline constexpr int marks_at_once = sizeof(T) == 1 && sizeof(Mark) == 1 ? 32 : 16;

/// In a pipeline, lanes write the heads of runs one by one if at most one in so many of their
/// items begins a run.
inline constexpr int items_per_rare_head = 4;

/// As select_tuning; each item also has a 2-byte position in shared memory.
template <class T>
struct run_length_tuning {
  HINDSIGHT_HD static constexpr tile_shape choose() {
    if (sizeof(T) < 4) return {32, 8};
    if (sizeof(T) == 4) return {28, 8};
    return select_tuning<T>::choose();
  }
  static constexpr tile_shape shape = choose();
  static constexpr int min_blocks =
      (sizeof(T) == 1 ? row_of_binary(select_rows).runs_of_1 : row_of_binary(select_rows).runs) /
      shape.block_threads();
  /// As scan_tuning's.
  static constexpr int pipeline_slots = 16, pipeline_tiles_per_slot = 1;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
