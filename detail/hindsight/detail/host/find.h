// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first item with a property. Threads search side by side and begin tiles in order. Once an
// item is found, no tile after it is begun.
#pragma once

#include <hindsight/detail/board/first_place.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/std_basics.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// The least i with pred(in[i]), or n. The thread that finds it calls pred for no item after it;
/// other threads may.
///   Errors  rethrows what pred throws, if not in a tile behind the one of the least i
template <class It, class Pred>
std::size_t find(It first, std::size_t n, Pred pred, cut wanted = {}) {
  if (n == 0) return 0;
  const auto in = host::plain(first);
  const tiling tiles{n, sizeof(value_of<It>), wanted};
  std::uint64_t word = 0;
  const first_place found{&word};
  lowest_failure stop;  // as after a failure: the range may be as good as endless
  try {
    host::for_each_tile(tiles, stop, [&](std::size_t tile, unsigned) {
      Pred own = pred;  // functors are not shared between threads
      const std::size_t begin = tiles.begin(tile), end = begin + tiles.size(tile);
      std::size_t i = begin;
      while (i < end && !bool(own(in[i]))) ++i;
      if (i == end) return;
      found.note(i);
      stop.note(tile);
    });
  } catch (...) {
    // One thread alone would not have come to what is thrown behind the first item.
    if (found.place() == first_place::none || found.place() / tiles.tile_items > stop.tile()) throw;
  }
  return std::min(n, found.place());
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
