// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operators a pipeline takes.
#pragma once

#include <cuda/functional>
#include <cuda/std/functional>

#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Operators of an instruction or two. The squads of a pipeline have few warps for more.
template <class T, class Op>
inline constexpr bool is_light = false;
template <class T, class U>
inline constexpr bool is_light<T, ::cuda::std::plus<U>> = std::is_arithmetic_v<T>;
template <class T, class U>
inline constexpr bool is_light<T, ::cuda::std::multiplies<U>> = std::is_arithmetic_v<T>;
template <class T, class U>
inline constexpr bool is_light<T, ::cuda::std::bit_and<U>> = std::is_arithmetic_v<T>;
template <class T, class U>
inline constexpr bool is_light<T, ::cuda::std::bit_or<U>> = std::is_arithmetic_v<T>;
template <class T, class U>
inline constexpr bool is_light<T, ::cuda::std::bit_xor<U>> = std::is_arithmetic_v<T>;
template <class T, class U>
inline constexpr bool is_light<T, ::cuda::minimum<U>> = std::is_arithmetic_v<T>;
template <class T, class U>
inline constexpr bool is_light<T, ::cuda::maximum<U>> = std::is_arithmetic_v<T>;

/// Comparisons of an instruction or two.
template <class Key, class Equal>
inline constexpr bool is_light_equal = false;
template <class Key, class U>
inline constexpr bool is_light_equal<Key, ::cuda::std::equal_to<U>> = std::is_arithmetic_v<Key>;

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
