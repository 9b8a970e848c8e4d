// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of twelve bytes, an operator on them that does not commute, and one that does.
#pragma once

#include <hindsight/detail/config.h>

#include <cstdint>

namespace hindsight_test {

/// x -> a * x + b modulo 2^32, and the last function that was composed in. Nothing needs to compare
/// it.
struct affine {
  std::uint32_t a, b, last;
};
/// Composition of functions: associative, does not commute.
struct compose {
  HINDSIGHT_HD affine operator()(const affine& f, const affine& g) const {
    return {f.a * g.a, g.a * f.b + g.b, g.last};
  }
};
/// Commutes as well.
struct add_words {
  HINDSIGHT_HD affine operator()(const affine& f, const affine& g) const {
    return {f.a + g.a, f.b ^ g.b, f.last > g.last ? f.last : g.last};
  }
};

}  // namespace hindsight_test
