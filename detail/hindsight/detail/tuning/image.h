// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace hindsight::detail {

/// Scans down columns fold bands of so many rows at a time. It defines the order in which
/// floating-point numbers are added, on both engines.
inline constexpr std::size_t band_rows = 64;

}  // namespace hindsight::detail
