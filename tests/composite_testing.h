// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of several members for the tests of sorting, and the order that a stable sort gives them.
#pragma once

#include "sort_testing.h"

namespace hindsight_test {

/// Few values, both zeros among them, so that later members decide, and equal keys differ in bits.
struct random_member {
  std::mt19937_64& random;
  template <class Member>
  void operator()(Member& member) const {
    const std::uint64_t bits = random();
    if constexpr (is_float<Member>) {
      member = static_cast<Member>(float(int(bits % 7)) - 3.0f);
      if (bits >> 60 < 8) member = static_cast<Member>(bits >> 60 & 1 ? -0.0f : 0.0f);
      if (bits >> 40 & 1) member = static_cast<Member>(float(int(bits >> 8 & 0xffff) - 30000));
    } else {
      member = static_cast<Member>(bits & 1 ? bits >> 32 & 3 : bits >> 8);
    }
  }
};
}  // namespace hindsight_test
