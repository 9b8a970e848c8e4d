// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries that a scout finds, and those that tiles walk for where it gave up.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/tuning/look_back.h>
#include <hindsight/detail/tuning/order.h>
#include <hindsight/detail/workspace.h>

#include "testing.h"
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

namespace emulation {

/// So many tiles have a scout, and some are beyond the windows that tiles fold themselves.
inline constexpr std::size_t tiles_with_scout =
    hindsight::detail::own_windows * hindsight::detail::window_tiles + 8;

/// Of the call's last run: the launch state is the first array in the temporary memory.
inline bool scout_gave_up(const two_phases& call) {
  using namespace hindsight::detail;
  return reinterpret_cast<const launch_state*>(carver{call.temp()}.begin())->scout_gave_up;
}

/// Some machines find carries in both ways.
template <class Test>
void expect_right_with_scout_and_without(Test& one) {
  int given_up = 0, scouted = 0;
  for (std::uint64_t seed = 0; seed < (watches_memory() ? 30 : 10); ++seed) {
    ASSERT_EQ(try_on_seed(seed, one.make()), "");
    ++(one.scout_gave_up() ? given_up : scouted);
  }
  EXPECT_GT(given_up, 1);
  EXPECT_GT(scouted, 1);
}

}  // namespace emulation
