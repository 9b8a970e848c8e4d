// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two arrays hold the same bits: for ab_par, for hindsight_ab and for tests.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace hindsight::detail {

namespace function {

/// i if item i of two arrays of `num_items` differs, else num_items.
struct differing_item {
  const unsigned char* left;
  const unsigned char* right;
  std::size_t item_bytes;
  std::size_t num_items;

  HINDSIGHT_HD std::size_t operator()(std::size_t i) const {
    for (std::size_t b = i * item_bytes; b < (i + 1) * item_bytes; ++b) {
      if (left[b] != right[b]) return i;
    }
    return num_items;
  }
};

}  // namespace function

namespace ab {

/// The first of n items whose bytes differ, or n; both arrays are in memory that `policy` reads.
template <class Policy>
std::size_t first_differing_item(const Policy& policy, const void* left, const void* right,
                                 std::size_t item_bytes, std::size_t n) {
  const thrust::counting_iterator<std::size_t> index{0};
  const function::differing_item differs{static_cast<const unsigned char*>(left),
                                         static_cast<const unsigned char*>(right), item_bytes, n};
  return thrust::transform_reduce(policy, index, index + static_cast<std::ptrdiff_t>(n), differs, n,
                                  ::cuda::minimum<std::size_t>{});
}

/// The same in memory of the host, by one thread.
inline std::size_t first_differing_item(const void* left, const void* right, std::size_t item_bytes,
                                        std::size_t n) {
  const auto* const a = static_cast<const char*>(left);
  const auto* const b = static_cast<const char*>(right);
  if (n == 0 || std::memcmp(a, b, n * item_bytes) == 0) return n;
  std::size_t i = 0;
  while (std::memcmp(a + i * item_bytes, b + i * item_bytes, item_bytes) == 0) ++i;
  return i;
}

/// The bits of an item on a little-endian machine, as a number: 0x, then two digits for each byte.
inline std::string hex(const void* item, std::size_t item_bytes) {
  const auto* const bytes = static_cast<const unsigned char*>(item);
  std::string text = "0x";
  for (std::size_t b = item_bytes; b-- > 0;) {
    text += "0123456789abcdef"[bytes[b] >> 4];
    text += "0123456789abcdef"[bytes[b] & 15];
  }
  return text;
}

}  // namespace ab
}  // namespace hindsight::detail
