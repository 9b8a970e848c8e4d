// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Speed of look-back. No number here changes a result.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_VERSION_ABI {

/// Up to this many windows, each block folds what lies before its tile by itself, one window a
/// warp, because all aggregates arrive at about the same time. With more windows a scout is faster.
inline constexpr std::size_t own_windows = 16;
/// The most for values of up to 8 bytes (own_scan_tiles). Blocks keep larger ones in shared memory
/// for no more than own_windows: they would be fewer.
template <class T>
inline constexpr std::size_t most_own_windows = sizeof(T) <= 8 ? 25 : own_windows;

/// From this many tiles on, a kernel empties the board, so that the launch behind it can start
/// early. For fewer a memset does: calls in a row then wait for the host, which takes less time for
/// a memset and a kernel than for two kernels.
inline constexpr std::size_t fewest_cleared_tiles = 64;

/// Cycles that the scout waits for a window before it gives up: about 2 ms.
inline constexpr long long scout_patience = 4'000'000;

/// How often a tile that waits for the scout polls its carry before it reads whether the scout gave
/// up: that flag is one word for all tiles, and seldom set.
inline constexpr unsigned polls_per_check = 64;

/// Values that tiles hand over behind a flag of its own, and from how many tiles on a launch that
/// sums tiles first, one that finds carries, and one that does the rest are faster than look-back.
template <class T>
inline constexpr bool sums_come_first = sizeof(T) > 28;
inline constexpr std::size_t fewest_summed_tiles = 132;
inline constexpr int carries_warps = 8;  ///< of the block that finds carries

/// The most shared memory that a pipeline takes for its ring of slots and what belongs to it.
inline constexpr std::size_t pipeline_bytes = 225 * 1024;
/// What a slot takes beside its tile and its carry: barriers, the tile's number, and some to spare.
inline constexpr std::size_t pipeline_slot_extra_bytes = 72;

/// How many windows of aggregates the carry warp of a pipeline waits for together. Between two
/// turns of a block lie about 264 tiles, since 132 multiprocessors claim two tiles each. Where
/// aggregates are counts of items, it reads count_rows rows of 32 tiles together.
inline constexpr int carry_windows = 7, count_rows = 9;

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail
