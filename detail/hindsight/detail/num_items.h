// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many items a call has: a number that the host knows, or one that lies in device memory and is
// read when the work starts.
#pragma once

#include <hindsight/deferred.h>
#include <hindsight/detail/config.h>
#include <hindsight/detail/key_bits.h>

#include <cuda/std/iterator>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail {

template <class T>
inline constexpr bool is_deferred = false;
template <class CountIt>
inline constexpr bool is_deferred<deferred<CountIt>> = true;

/// What bounds the number of items.
inline std::size_t most_items(std::size_t n) {
  return n;
}
template <class CountIt>
std::size_t most_items(const deferred<CountIt>& size) {
  return size.most;
}

/// Whether the bound was negative, or is more than any memory has. As an unsigned number it would
/// ask for that many blocks.
inline constexpr std::size_t largest_bound = static_cast<std::size_t>(PTRDIFF_MAX);
template <class CountIt>
constexpr bool has_negative_bound(const deferred<CountIt>& size) {
  return size.most > largest_bound;
}

/// A number of items as it was read: none if it is negative, `most` if it is larger.
template <class Integer>
HINDSIGHT_HD std::size_t clamp_items(Integer count, std::size_t most) {
  static_assert(is_integer<Integer>, "hindsight::deferred: the count has to be an integer");
  if constexpr (std::is_signed_v<Integer> || std::is_same_v<Integer, int128_t>) {
    if (count < 0) return 0;
  }
  const auto n = static_cast<std::size_t>(count);
  return n < most ? n : most;
}

/// The number of items, read where *count can be.
template <class Integer>
HINDSIGHT_HD Integer read_items(Integer n) {
  return n;
}
_CCCL_EXEC_CHECK_DISABLE
template <class CountIt>
HINDSIGHT_HD std::size_t read_items(const deferred<CountIt>& size) {
  const typename ::cuda::std::iterator_traits<CountIt>::value_type count = *size.count;
  return detail::clamp_items(count, size.most);
}

}  // namespace hindsight::detail
