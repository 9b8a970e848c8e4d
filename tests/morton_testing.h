// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Morton code is, bit by bit.
#pragma once

#include <cstdint>

namespace hindsight_test {

/// Bit b of coordinate d is bit b * dimensions + d of the code, for the lowest `bits` bits.
template <class Code>
Code morton_code_by_bits(const std::uint32_t* coordinates, int dimensions, int bits) {
  Code code = 0;
  for (int b = 0; b < bits; ++b)
    for (int d = 0; d < dimensions; ++d)
      code |= Code(coordinates[d] >> b & 1) << (b * dimensions + d);
  return code;
}

}  // namespace hindsight_test
