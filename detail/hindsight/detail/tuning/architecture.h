// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of tuning by architecture of the GPU. docs/tuning.md tells how to fill one in.
#pragma once

#include <hindsight/detail/config.h>

namespace hindsight::detail {

/// A value for each architecture. Only sm_90 was measured.
template <class Row>
struct by_architecture {
  Row sm_80;   ///< 8.x
  Row sm_90;   ///< 9.x
  Row sm_100;  ///< 10.0 and later
  Row other;   ///< before 8.0
};

inline namespace HINDSIGHT_ARCH_ABI {

/// The row of the lowest architecture that this binary has code for. The choice is made when it is
/// compiled, since the host, which launches, must know the shape of a tile too.
template <class Row>
HINDSIGHT_HD constexpr const Row& row_of_binary(const by_architecture<Row>& rows) {
  return HINDSIGHT_LOWEST_ARCH >= 1000  ? rows.sm_100
         : HINDSIGHT_LOWEST_ARCH >= 900 ? rows.sm_90
         : HINDSIGHT_LOWEST_ARCH >= 800 ? rows.sm_80
                                        : rows.other;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
