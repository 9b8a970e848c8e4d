// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many items a call has: a number that the host knows, or one that lies in device memory and is
// read when the work starts.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/deferred.h>

#include <cuda/std/iterator>

#include <cstddef>
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

/// The number of items, read where *count can be.
template <class Integer>
HINDSIGHT_HD Integer read_items(Integer n) {
  return n;
}
_CCCL_EXEC_CHECK_DISABLE
template <class CountIt>
HINDSIGHT_HD std::size_t read_items(const deferred<CountIt>& size) {
  using integer = typename ::cuda::std::iterator_traits<CountIt>::value_type;
  static_assert(std::is_integral_v<integer>, "hindsight::deferred: the count has to be an integer");
  const integer count = *size.count;
  if constexpr (std::is_signed_v<integer>) {
    if (count < 0) return 0;
  }
  const auto n = static_cast<std::size_t>(count);
  return n < size.most ? n : size.most;
}

}  // namespace hindsight::detail
