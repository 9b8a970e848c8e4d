// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which iterators go over an array, and which only write.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/std/iterator>
#include <cuda/std/tuple>
#include <thrust/detail/type_traits/iterator/is_output_iterator.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#if THRUST_VERSION >= 300000  // before, its function is in the header above
#  include <thrust/type_traits/unwrap_contiguous_iterator.h>
#endif

#include <type_traits>

#if defined(_GLIBCXX_DEBUG)
#  include <debug/safe_iterator.h>
#endif

namespace hindsight::detail {

/// Iterators that only write, as tabulate_output_iterator, have no type of items; zipped, they have
/// a tuple with a void in it, which must not be looked into.
template <class T>
inline constexpr bool holds_void = std::is_void_v<T>;
template <class... Ts>
inline constexpr bool holds_void<::cuda::std::tuple<Ts...>> = (holds_void<Ts> || ...);

/// Whether Thrust takes an iterator for one of those.
template <class It>
inline constexpr bool only_writes =
#if THRUST_VERSION < 300000
    thrust::detail::is_output_iterator<It>::value;
#else
    thrust::detail::is_output_iterator<It>;
#endif

/// Whether something is an iterator over items. What is none, such as a container, gets one clear
/// error elsewhere, and none from here.
template <class It, class Unless = void>
inline constexpr bool has_items = false;
template <class It>
inline constexpr bool
    has_items<It, std::void_t<typename ::cuda::std::iterator_traits<It>::value_type>> =
        !holds_void<typename ::cuda::std::iterator_traits<It>::value_type>;

/// Whether the iterator is a pointer, or wraps one.
template <class It>
inline constexpr bool is_contiguous =
    std::conjunction_v<std::bool_constant<has_items<It>>, thrust::is_contiguous_iterator<It>>;
#if defined(_GLIBCXX_DEBUG)
template <class It, class Sequence>  // Thrust knows these from C++20 on
inline constexpr bool
    is_contiguous<__gnu_debug::_Safe_iterator<It, Sequence, std::random_access_iterator_tag>> =
        is_contiguous<It>;
#endif

}  // namespace hindsight::detail
