// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What defines bits: the order in which floating-point values are folded by scans, calls by key,
// calls on segments and over ranks, and by the reductions of host threads. Unless a comment says
// otherwise, host threads and CUDA blocks both follow it, on every architecture. Another number
// here means other results. All other files of this folder only change speed.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/key_bits.h>  // is_integer

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_VERSION_ABI {

/// Tiles whose aggregates are folded as one group, by one warp's Kogge-Stone scan.
inline constexpr unsigned window_tiles = 32;

/// Lanes of a warp, whose folds are joined by Kogge-Stone scans. Host threads do the same.
inline constexpr int lanes_of_warp = 32;

/// Shape of a tile: `warps` runs of lanes_of_warp lanes, and a lane owns `lane_items` neighbouring
/// items.
struct tile_shape {
  int lane_items;
  int warps;
  HINDSIGHT_HD constexpr int warp_items() const { return lanes_of_warp * lane_items; }
  HINDSIGHT_HD constexpr int tile_items() const { return warps * warp_items(); }
  HINDSIGHT_HD constexpr int block_threads() const { return warps * lanes_of_warp; }
};

/// Whether a lane folds its own items first and puts what precedes it before each of these folds:
/// then a floating-point sum is rounded once at the size of what precedes, and not once per item.
/// Integers are exact either way, and save the second operation.
template <class T>
inline constexpr bool folds_own_first = !is_integer<T>;

/// A lane folds its items in chains of this many, then chain after chain. What a chain of n sums of
/// similar items rounds away grows with n * n, so short ones keep the tile's aggregate exact.
/// Integers are exact in one chain, which is faster.
template <class T>
inline constexpr int chain_items = is_integer<T> ? 64 : 8;

/// A tile of a scan depends on the size of T alone. Up to 16 bytes an item, lanes have about 128
/// bytes (64 of single bytes, which are bound by instructions).
template <class T>
HINDSIGHT_HD constexpr tile_shape scan_shape() {
  if (sizeof(T) == 1) return {64, 8};
  if (sizeof(T) == 2) return {64, 8};
  if (sizeof(T) <= 4) return {32, 8};
  if (sizeof(T) <= 8) return {16, 8};
  if (sizeof(T) <= 16) return {8, 8};
  if (sizeof(T) <= 64) return {4, 4};
  if (sizeof(T) <= 96) return {4, 3};
  if (sizeof(T) <= 128) return {4, 2};
  if (sizeof(T) <= 256) return {2, 2};
  return {1, 2};
}

/// A tile of keys and values: a lane has about 128 bytes of both together.
template <class Key, class Value>
HINDSIGHT_HD constexpr tile_shape by_key_shape() {
  constexpr int bytes = int(sizeof(Key) + sizeof(Value));
  if (bytes <= 8) return {16, 8};
  if (bytes <= 12) return {12, 8};
  if (bytes <= 16) return {8, 8};
  if (bytes <= 36) return {4, 8};
  if (bytes <= 72) return {4, 4};
  if (bytes <= 100) return {4, 3};
  if (bytes <= 136) return {4, 2};
  if (bytes <= 264) return {2, 2};
  if (bytes <= 512) return {1, 2};
  return {1, 1};
}

/// A tile of a host reduction, and the number of partial results in which it is folded: as many as
/// fill the vector registers of a core. (Compilers make vectors of narrow items only where there
/// are too many to unroll.) The order of a CUDA reduction is stock's: cuda/stock_reduce_order.h.
inline constexpr std::size_t host_reduce_tile_bytes = std::size_t{1} << 17;
template <class T>
inline constexpr std::size_t num_strands = sizeof(T) < 4 ? 256 / sizeof(T) : 32;

/// The most strips of a CUDA reduction whose bits must not depend on the GPU. Reductions in stock's
/// order have about as many on a GPU of 100 multiprocessors.
inline constexpr std::size_t most_strips = 4096;

/// A tile of a scan of segments: the same as in a scan by flags, which are keys of one byte.
template <class T>
HINDSIGHT_HD constexpr tile_shape scan_segments_shape() {
  return by_key_shape<bool, T>();
}

/// A reduction of segments: the tile of a warp, which folds by itself, and how many warps a block
/// has, which changes no bits. Two tiles of each warp are in 48 KiB of shared memory. Items that
/// fill their alignment have pads of their own size there.
template <class T>
HINDSIGHT_HD constexpr tile_shape reduce_segments_shape() {
  if (sizeof(T) > 64) return {1, 1};
  if (sizeof(T) > 32) return {2, alignof(T) > 32 ? 2 : 4};
  if (sizeof(T) > 16) return {2, alignof(T) > 16 ? 4 : 8};
  if (sizeof(T) > 8) return {4, 8};
  return {sizeof(T) > 4 ? 8 : 16, 8};
}
/// The most chunks that items and ends are cut into. It does not depend on the number of items:
/// that need not be known at the launch. 4224 is one chunk for each warp of an H200. A chunk has a
/// few tiles at least, so that the search for its beginning is worth its time.
template <class T>
inline constexpr std::size_t most_segment_chunks = sizeof(T) <= 16 ? 4224 : 2112;
inline constexpr std::size_t fewest_segment_tiles = 4;
/// A scan of segments of which the host does not know the number of items has places for so many
/// tiles. 2^29 items of 4 bytes fill them; of more, several tiles make a chunk.
template <class T>
inline constexpr std::size_t most_scan_chunks = sizeof(T) <= 16 ? 131072 : 8192;
/// Threads of the one block that folds what chunks leave to each other.
inline constexpr std::size_t join_threads = 1024;

/// A reduction over ranks whose bits do not depend on the number of ranks: lanes of a tile, and
/// items that a lane folds. Tiles are folded in this order by both engines; the tiles' results are
/// folded by `reduce`, in the order of the rank's engine.
inline constexpr std::size_t rank_tile_lanes = 256, rank_lane_items = 256;

/// Rows of a band, which scans down columns fold at a time.
inline constexpr std::size_t band_rows = 64;

/// A summed-area table is made of tiles of so many rows and columns. A row of a tile is folded in
/// groups of lanes_of_warp columns: Kogge-Stone within a group, then group after group.
inline constexpr std::size_t table_rows = 32;
template <class T>
inline constexpr std::size_t table_groups = sizeof(T) <= 16 ? 4 : 1;
template <class T>
inline constexpr std::size_t table_columns = lanes_of_warp* table_groups<T>;

/// Whether a table is made of tiles. Small ones take fewer launches row by row and then down the
/// columns. Tiles of a narrow image are nearly empty, and the folds of a very wide one's tiles are
/// too many to be scanned one after the other.
template <class T>
constexpr bool has_table_tiles(std::size_t width, std::size_t height) {
  return width * height >= (std::size_t{1} << 18) && width >= table_columns<T> / 2 &&
         width <= 1024 * table_columns<T>;
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail
