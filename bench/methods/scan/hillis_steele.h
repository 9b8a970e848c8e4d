// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan by doubling: after step k, item i is the sum of up to 2^k items that end there. The fewest
// steps there can be, but every step is a pass over all items.
// Source: Hillis & Steele 1986, "Data Parallel Algorithms"; as a circuit: Kogge & Stone 1973.
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

inline cost hillis_steele_cost(double n, const shape&) {
  const double steps = levels(n);
  const double untouched = std::exp2(steps) - 1;  // step d leaves the first d items as they are
  const double passes = std::fmax(steps, 1), additions = n * steps - untouched;
  return {additions, steps, passes, (passes * 2 * n + additions) * sizeof(item)};
}

/// Item i of the input: of an exclusive scan the one before, and 0 in front of all.
HINDSIGHT_HD inline item shifted(const item* in, std::size_t i, scan_kind kind) {
  if (kind == scan_kind::inclusive) return in[i];
  return i > 0 ? in[i - 1] : 0;
}

namespace host {

inline void hillis_steele(const task& t) {
  // Two arrays in turn: a step reads what its neighbours overwrite.
  item* const buffers[] = {t.memory.take<item>(t.n), t.memory.take<item>(t.n)};
  const item* from = t.in;
  scan_kind kind = t.kind;
  std::size_t distance = 1;
  for (unsigned step = 0; distance < t.n || step == 0; ++step, distance *= 2) {
    item* const to = distance * 2 >= t.n ? t.out : buffers[step % 2];
    launch(t.n, [=](std::size_t i) {
      const item own = shifted(from, i, kind);
      to[i] = i < distance ? own : shifted(from, i - distance, kind) + own;
    });
    from = to;
    kind = scan_kind::inclusive;  // the first step has shifted the input
  }
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void hillis_steele_kernel(const item* from, std::size_t n, std::size_t distance,
                                     scan_kind kind, item* to) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const item own = shifted(from, i, kind);
  to[i] = i < distance ? own : shifted(from, i - distance, kind) + own;
}

inline void hillis_steele(const task& t) {
  // Two arrays in turn: a step reads what its neighbours overwrite.
  item* const buffers[] = {t.memory.take<item>(t.n), t.memory.take<item>(t.n)};
  const item* from = t.in;
  scan_kind kind = t.kind;
  std::size_t distance = 1;
  for (unsigned step = 0; distance < t.n || step == 0; ++step, distance *= 2) {
    item* const to = distance * 2 >= t.n ? t.out : buffers[step % 2];
    launch(t, t.n, hillis_steele_kernel, from, t.n, distance, kind, to);
    from = to;
    kind = scan_kind::inclusive;  // the first step has shifted the input
  }
}

}  // namespace cuda
#endif

}  // namespace methods
