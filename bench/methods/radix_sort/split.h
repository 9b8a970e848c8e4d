// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sort bit by bit: each pass moves the items whose bit is 0 in front of those whose bit is 1
// and keeps their order otherwise. The places are a scan of the zeros.
// Source: Blelloch 1990, "Prefix Sums and Their Applications" (split radix sort).
#pragma once

#include "../scan/reduce_then_scan.h"

namespace methods {

inline constexpr unsigned item_bits = 32;

inline cost split_cost(double n, const shape& s) {
  const cost scan = reduce_then_scan_cost(n, s);
  return {item_bits * (2 * n + scan.operations), item_bits * (2 + scan.steps),
          item_bits * (2 + scan.passes), item_bits * (5 * n * sizeof(item) + scan.bytes)};
}

HINDSIGHT_HD inline item is_zero(item value, unsigned bit) {
  return ~value >> bit & 1;
}

/// The place of item i: behind all zeros before it, or behind all zeros and the ones before it.
HINDSIGHT_HD inline std::size_t split_place(const item* in, std::size_t n, const item* zeros_before,
                                            unsigned bit, std::size_t i) {
  if (is_zero(in[i], bit)) return zeros_before[i];
  const item zeros = zeros_before[n - 1] + is_zero(in[n - 1], bit);
  return zeros + i - zeros_before[i];
}

namespace host {

inline void split_sort(const task& t) {
  item* const buffer = t.memory.take<item>(t.n);
  item* const zeros = t.memory.take<item>(t.n);
  item* const zeros_before = t.memory.take<item>(t.n);
  const item* from = t.in;
  for (unsigned bit = 0; bit < item_bits; ++bit) {
    item* const to = bit % 2 == 0 ? buffer : t.out;  // an even number of passes ends in out
    launch(t.n, [=](std::size_t i) { zeros[i] = is_zero(from[i], bit); });
    reduce_then_scan({zeros, t.n, zeros_before, nullptr, scan_kind::exclusive, t.memory, t.stream});
    launch(t.n, [=, n = t.n](std::size_t i) {
      to[split_place(from, n, zeros_before, bit, i)] = from[i];
    });
    from = to;
  }
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void zeros_kernel(const item* in, std::size_t n, unsigned bit, item* zeros) {
  if (global_index() < n) zeros[global_index()] = is_zero(in[global_index()], bit);
}

__global__ void split_kernel(const item* in, std::size_t n, const item* zeros_before, unsigned bit,
                             item* out) {
  const std::size_t i = global_index();
  if (i < n) out[split_place(in, n, zeros_before, bit, i)] = in[i];
}

inline void split_sort(const task& t) {
  item* const buffer = t.memory.take<item>(t.n);
  item* const zeros = t.memory.take<item>(t.n);
  item* const zeros_before = t.memory.take<item>(t.n);
  const item* from = t.in;
  for (unsigned bit = 0; bit < item_bits; ++bit) {
    item* const to = bit % 2 == 0 ? buffer : t.out;  // an even number of passes ends in out
    launch(t, t.n, zeros_kernel, from, t.n, bit, zeros);
    reduce_then_scan({zeros, t.n, zeros_before, nullptr, scan_kind::exclusive, t.memory, t.stream});
    launch(t, t.n, split_kernel, from, t.n, zeros_before, bit, to);
    from = to;
  }
}

}  // namespace cuda
#endif

}  // namespace methods
