// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's own scan: look-back in windows of 32 tiles that fold in a fixed order. On the GPU a
// block of its own, the scout, folds all windows and tells each tile what lies before it; in large
// scans on compute capability 9.0 a warp of each block does so (a pipeline).
// Source: docs/design.md, on look-back.
#pragma once

#include "../host.h"
#include "../look_back.h"
#include "../tile.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_scan.cuh>
#else
#  include <hindsight/scan.h>
#endif

namespace methods {

/// A tile publishes its sum, the scout reads it and publishes a carry, which the tile reads.
inline cost scout_cost(double n, const shape& s) {
  const double tiles = std::ceil(n / s.tile_items);
  return {2 * n + 2 * tiles, s.tile_steps + levels(tiles), 1,
          2 * n * sizeof(item) + 6 * tiles * sizeof(word)};
}

#if HINDSIGHT_CUDA

namespace cuda {

inline void scout(const task& t) {
  run_library(t, [&](void* temp, std::size_t& bytes) {
    using scans = hindsight::DeviceScan;
    return t.kind == scan_kind::inclusive
               ? scans::InclusiveSum(temp, bytes, t.in, t.out, t.n, t.stream)
               : scans::ExclusiveSum(temp, bytes, t.in, t.out, t.n, t.stream);
  });
}

}  // namespace cuda

#else

namespace host {

inline void scout(const task& t) {
  const auto policy = hindsight::host::par;
  ++num_launches;
  if (t.kind == scan_kind::inclusive) {
    hindsight::inclusive_scan(policy, t.in, t.in + t.n, t.out);
  } else {
    hindsight::exclusive_scan(policy, t.in, t.in + t.n, t.out, item{0});
  }
}

}  // namespace host

#endif

}  // namespace methods
