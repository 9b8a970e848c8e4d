// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host versions are built from: launches of a team of threads.
#pragma once

#include <hindsight/detail/host/team.h>

#include "method.h"
#include <algorithm>
#include <atomic>

namespace methods::host {

// Sizes that a test makes small, so that little data has many tiles and many threads.
inline std::size_t tile_items = 8192;  ///< 32 KB: a tile stays in a core's own cache
inline std::size_t grain = 8192;       ///< a launch takes one thread for each so many items

inline unsigned long long num_launches = 0;  ///< so far

inline std::size_t num_tiles(std::size_t n) {
  return (n + tile_items - 1) / tile_items;
}

/// The items [begin, end) of a tile.
struct range {
  std::size_t begin, end;
};
inline range tile_range(std::size_t tile, std::size_t n) {
  return {tile * tile_items, std::min((tile + 1) * tile_items, n)};
}

namespace team = hindsight::detail::host;

inline unsigned team_size(std::size_t num_items) {
  const std::size_t wanted = std::max<std::size_t>(num_items / grain, 1);
  return unsigned(std::min<std::size_t>(wanted, team::default_team_size()));
}

/// Calls f(i) for all i in [0, count) in any order, and waits for all. Each call works on
/// `items_each` items.
template <class F>
void launch(std::size_t count, F f, std::size_t items_each = 1) {
  if (count == 0) return;
  ++num_launches;
  const unsigned threads = unsigned(std::min<std::size_t>(team_size(count * items_each), count));
  team::run_team(threads, [&](unsigned rank) {
    const std::size_t end = count * (rank + 1) / threads;
    for (std::size_t i = count * rank / threads; i < end; ++i) f(i);
  });
}

/// Calls f(tile) for all tiles, and waits for all. A thread takes its next tile from a ticket: when
/// a tile starts, all lower ones have started, so f may wait for them.
template <class F>
void launch_tiles(std::size_t count, F f) {
  if (count == 0) return;
  ++num_launches;
  std::atomic<std::size_t> ticket{0};
  const unsigned threads = unsigned(std::min<std::size_t>(team_size(count * tile_items), count));
  team::run_team(threads, [&](unsigned) {
    for (;;) {
      // Relaxed: each thread needs a number of its own and nothing else.
      const std::size_t tile = ticket.fetch_add(1, std::memory_order_relaxed);
      if (tile >= count) return;
      f(tile);
    }
  });
}

inline item sum_of(const item* in, range r) {
  item sum = 0;
  for (std::size_t i = r.begin; i < r.end; ++i) sum += in[i];
  return sum;
}

/// out[r] = the scan of in[r], with `before` in front of it.
inline void scan_range(const item* in, range r, item before, item* out, scan_kind kind) {
  for (std::size_t i = r.begin; i < r.end; ++i) {
    const item next = before + in[i];
    out[i] = kind == scan_kind::inclusive ? next : before;
    before = next;
  }
}

inline shape engine_shape(double n) {
  return {double(tile_items), std::fmin(double(tile_items), n)};
}

}  // namespace methods::host
