// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Speed of look-back. No number here changes a result.
#pragma once

#include <cstddef>

namespace hindsight::detail {

/// Up to this many windows, each block folds what lies before its tile by itself, one window a
/// warp, because all aggregates arrive at about the same time. With more windows a scout is faster.
inline constexpr std::size_t own_windows = 16;

/// Cycles that the scout waits for a window before it gives up: about 2 ms.
inline constexpr long long scout_patience = 4'000'000;

/// A pipeline: most shared memory that its ring of slots takes, with what belongs to it.
inline constexpr std::size_t pipeline_bytes = 225 * 1024;

/// Windows whose aggregates its carry warp waits for together: blocks of 132 multiprocessors that
/// claim two tiles at a time turn to about 264 tiles later. Counts of items are read so many rows
/// of 32 tiles at once.
inline constexpr int carry_windows = 7, count_rows = 9;

}  // namespace hindsight::detail
