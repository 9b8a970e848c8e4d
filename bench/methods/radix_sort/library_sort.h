// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's own sort: onesweep on the GPU, as onesweep.h has it, with larger tiles, and with
// fewer passes where the keys let it. (Its sort on host threads is a different one.)
// Source: docs/design.md, on sorts.
#pragma once

#include "../host.h"
#include "../tile.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_radix_sort.cuh>
#else
#  include <hindsight/sort.h>
#endif

namespace methods {

#if HINDSIGHT_CUDA

inline cost library_sort_cost(double n, const shape& s) {
  constexpr double digits = 4, bins = 256, library_tile = 10240;
  const double tiles = std::ceil(n / library_tile);
  return {digits * 2 * n, digits * (s.tile_steps + levels(tiles)), 1 + digits,
          n * sizeof(item) + digits * (2 * n + 4 * bins * tiles) * sizeof(item)};
}

namespace cuda {

inline void library_sort(const task& t) {
  run_library(t, [&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceRadixSort::SortKeys(temp, bytes, t.in, t.out, t.n, 0, 32, t.stream);
  });
}

}  // namespace cuda

#else

/// It depends on the items how often they move.
inline cost library_sort_cost(double, const shape&) {
  return {NAN, NAN, NAN, NAN};
}

namespace host {

inline void library_sort(const task& t) {
  launch(t.n, [&](std::size_t i) { t.out[i] = t.in[i]; });
  ++num_launches;
  hindsight::sort(hindsight::host::par, t.out, t.out + t.n);
}

}  // namespace host

#endif

}  // namespace methods
