// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches without tiles: a thread takes one item, or several that are a grid apart.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_VERSION_ABI {

inline constexpr unsigned plain_threads = 256;   ///< of a block
inline constexpr unsigned search_threads = 128;  ///< of one whose threads search where merges begin

/// How many rows a thread that walks down a column loads at a time: items of up to 64 bytes
/// together.
template <class T>
inline constexpr int column_batch = sizeof(T) > 64  ? 1
                                    : sizeof(T) > 4 ? int(64 / sizeof(T))
                                                    : 16;

/// How many rows a warp that walks down a tile of a table loads at a time.
template <class T>
inline constexpr int table_batch = sizeof(T) > 8   ? 1
                                   : sizeof(T) > 4 ? 2
                                                   : 4;

/// The most blocks of such launches. If there are more items, a thread takes several, one after the
/// other.
inline constexpr std::size_t unpark_blocks = 8192;  ///< second launch of a partition in place
inline constexpr std::size_t move_blocks = std::size_t{1} << 16;  ///< of sorts of segments
inline constexpr std::size_t gather_blocks = std::size_t{1} << 20;
inline constexpr std::size_t index_blocks = std::size_t{1} << 24;  ///< of for_each_index

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail
