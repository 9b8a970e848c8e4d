// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types that kernels hold as bytes: in shared memory, in shuffles, on the board.
#pragma once

#include <hindsight/detail/config.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace hindsight::detail {

/// Types whose value is their bytes.
template <class T>
inline constexpr bool is_plain = std::is_trivially_copyable_v<T>;

#if HINDSIGHT_ASSIGNS_STD_PAIRS
// The standard library's pairs and tuples only lack a trivial assignment: they assign member by
// member, which copies all bytes but the padding.
template <class A, class B>
inline constexpr bool is_plain<std::pair<A, B>> = is_plain<A>&& is_plain<B>;
template <class... Ts>
inline constexpr bool is_plain<std::tuple<Ts...>> = (is_plain<Ts> && ...);
#endif

}  // namespace hindsight::detail
