// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a row of a sparse matrix in coordinates begins.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight::detail {

/// The first of n sorted entries that is not of a row before `row`.
_CCCL_EXEC_CHECK_DISABLE
template <class RowIt>
HINDSIGHT_HD std::size_t row_offset(RowIt rows, std::size_t n, std::size_t row) {
  std::size_t low = 0, high = n;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (static_cast<std::size_t>(rows[middle]) < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace hindsight::detail
