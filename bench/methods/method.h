// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all methods have in common: what a method is given, and what is said of it.
#pragma once

#include <hindsight/detail/config.h>

#if HINDSIGHT_CUDA
#  include <cuda_runtime_api.h>
#endif

#include "scratch.h"
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace methods {

/// Input, output, counts and positions are of one type. So n is less than 2^32.
using item = std::uint32_t;

enum class scan_kind { inclusive, exclusive };

inline constexpr unsigned num_bins = 256;  ///< of a histogram

/// The bin that a histogram counts an item in: its highest byte.
HINDSIGHT_HD inline unsigned bin_of(item value) {
  return value >> 24;
}

/// Whether a compaction keeps an item: if it is odd.
HINDSIGHT_HD inline item is_kept(item value) {
  return value & 1;
}

#if HINDSIGHT_CUDA
using stream_handle = cudaStream_t;
#else
using stream_handle = std::nullptr_t;
#endif

/// One call of a method. The arrays do not overlap.
///   reduction    out[0] = the sum of all items
///   scan         out[i] = the sum of in[0, i], or of in[0, i) if it is exclusive
///   compaction   out[0, *num_kept) = the items that are kept, in their order
///   histogram    out[num_bins]: how many items each bin has
///   sorts        out[n] = the items in ascending order
struct task {
  const item* in;
  std::size_t n;
  item* out;
  item* num_kept;
  scan_kind kind;
  scratch& memory;
  stream_handle stream;
};

/// How an engine cuts its work up.
struct shape {
  double tile_items;  ///< that a block or a host thread takes at once
  double tile_steps;  ///< additions that wait for each other where a tile is scanned
};

/// What a method costs by its design. These are formulas over n, not measurements. Bytes are
/// counted in whole sectors of 32: memory moves no less. What caches save is not taken off.
struct cost {
  double operations;  ///< additions, comparisons, or updates of a counter
  double steps;       ///< operations that wait for each other: the time with unlimited processors
  double passes;      ///< how often the data is gone through; all levels of a tree are one pass
  double bytes;       ///< between processors and memory
};

/// The bytes of `count` items that lie `stride` items apart.
inline double strided_bytes(double count, double stride) {
  return count * std::fmin(stride * sizeof(item), 32);
}

/// The number of halvings that leave one of n items.
inline double levels(double n) {
  return n > 1 ? std::ceil(std::log2(n)) : 0;
}

/// A method, as the program and the tests know it.
struct method {
  const char* family;
  const char* name;
  void (*run)(const task&);
  cost (*costs)(double n, const shape&);
  std::size_t largest_n = ~std::size_t{0};  ///< beyond that it takes too long to wait for
};

}  // namespace methods
