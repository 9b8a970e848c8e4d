// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Speed of look-back. No number here changes a result.
#pragma once

#include <cstddef>

namespace hindsight::detail {

/// Up to this many windows, each block folds for itself what lies before its tile: a warp takes a
/// window, and all aggregates are there at about the same time. Beyond, a scout pays.
inline constexpr std::size_t own_windows = 16;

/// Cycles that the scout waits for a window before it gives up: about 2 ms.
inline constexpr long long scout_patience = 4'000'000;

}  // namespace hindsight::detail
