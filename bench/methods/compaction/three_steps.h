// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compaction in three steps: a flag for each item, the scan of the flags, which is where each kept
// item goes, and a scatter. Flags and positions travel through memory, as the items do.
// Source: Blelloch 1990, "Prefix Sums and Their Applications" (pack); on GPUs: Horn 2005, "Stream
// Reduction Operations for GPGPU Applications".
#pragma once

#include "../scan/reduce_then_scan.h"

namespace methods {

inline cost three_steps_cost(double n, const shape& s) {
  const cost scan = reduce_then_scan_cost(n, s);
  const double flags = 2 * n, scatter = 2 * n + n / 2;  // half of the items are kept
  return {n + scan.operations, 2 + scan.steps, 2 + scan.passes,
          (flags + scatter) * sizeof(item) + scan.bytes};
}

namespace host {

inline void three_steps(const task& t) {
  if (t.n == 0) *t.num_kept = 0;
  item* const flags = t.memory.take<item>(t.n);
  item* const positions = t.memory.take<item>(t.n);
  launch(t.n, [&](std::size_t i) { flags[i] = is_kept(t.in[i]); });
  reduce_then_scan({flags, t.n, positions, nullptr, scan_kind::exclusive, t.memory, t.stream});
  launch(t.n, [&](std::size_t i) {
    const item value = t.in[i];
    if (is_kept(value)) t.out[positions[i]] = value;
    if (i == t.n - 1) *t.num_kept = positions[i] + is_kept(value);
  });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void flag_kernel(const item* in, std::size_t n, item* flags) {
  if (global_index() < n) flags[global_index()] = is_kept(in[global_index()]);
}

__global__ void scatter_kernel(const item* in, std::size_t n, const item* positions, item* out,
                               item* num_kept) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const item value = in[i];
  if (is_kept(value)) out[positions[i]] = value;
  if (i == n - 1) *num_kept = positions[i] + is_kept(value);
}

inline void three_steps(const task& t) {
  if (t.n == 0) clear(t, t.num_kept, 1);
  item* const flags = t.memory.take<item>(t.n);
  item* const positions = t.memory.take<item>(t.n);
  launch(t, t.n, flag_kernel, t.in, t.n, flags);
  reduce_then_scan({flags, t.n, positions, nullptr, scan_kind::exclusive, t.memory, t.stream});
  launch(t, t.n, scatter_kernel, t.in, t.n, positions, t.out, t.num_kept);
}

}  // namespace cuda
#endif

}  // namespace methods
