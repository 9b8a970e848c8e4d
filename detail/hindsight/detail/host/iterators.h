// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/config.h>

#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

namespace hindsight::detail::host {

template <class It>
using value_of = typename std::iterator_traits<It>::value_type;

/// A plain pointer where the iterator is one at heart: compilers see through those best.
template <class It>
auto plain(It it) {
  return thrust::try_unwrap_contiguous_iterator(it);
}

/// Types that may be copied to scratch memory and dropped there at no cost.
template <class T>
inline constexpr bool is_cheap =
    std::is_trivially_destructible_v<T>&& std::is_trivially_copy_constructible_v<T>&&
        std::is_default_constructible_v<T>&& std::is_copy_assignable_v<T>;

/// n items with no value yet.
template <class T>
std::unique_ptr<T[]> scratch(std::size_t n) {
  return std::unique_ptr<T[]>{new T[n]};
}

}  // namespace hindsight::detail::host
