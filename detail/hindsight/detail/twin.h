// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::plus and its like, which only the host may call, and the types of cuda::std that do the
// same: kernels get these, and both engines know what they do.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/std_basics.h>

#include <cuda/std/functional>

#include <type_traits>

namespace hindsight::detail {

template <class Op, class = void>
inline constexpr bool names_result = false;
template <class Op>
inline constexpr bool names_result<Op, std::void_t<typename Op::result_type>> = true;
template <class Op, class = void>
inline constexpr bool names_inner_result = false;
template <class Op>
inline constexpr bool names_inner_result<Op, std::void_t<typename Op::__result_type>> = true;

/// Whether an operator on T, such as std::less<T>, is as its library has it. A program may
/// specialize it for types of its own. Libraries name the result: libstdc++ as the standard did,
/// libc++ and CUDA also by a name of their own.
template <template <class> class Op, class T>
inline constexpr bool is_of_library = std::is_void_v<T> || std::is_arithmetic_v<T> ||
                                      names_result<Op<T>> || names_inner_result<Op<T>>;

template <class Op>
struct twin {
  using type = Op;
};
template <template <class> class Op, template <class> class Twin, class T>
struct twin_of_library {
  using type = std::conditional_t<is_of_library<Op, T>, Twin<T>, Op<T>>;
};
template <class T>
struct twin<std::plus<T>> : twin_of_library<std::plus, ::cuda::std::plus, T> {};
template <class T>
struct twin<std::multiplies<T>> : twin_of_library<std::multiplies, ::cuda::std::multiplies, T> {};
template <class T>
struct twin<std::bit_and<T>> : twin_of_library<std::bit_and, ::cuda::std::bit_and, T> {};
template <class T>
struct twin<std::bit_or<T>> : twin_of_library<std::bit_or, ::cuda::std::bit_or, T> {};
template <class T>
struct twin<std::bit_xor<T>> : twin_of_library<std::bit_xor, ::cuda::std::bit_xor, T> {};
template <class T>
struct twin<std::logical_and<T>> : twin_of_library<std::logical_and, ::cuda::std::logical_and, T> {
};
template <class T>
struct twin<std::logical_or<T>> : twin_of_library<std::logical_or, ::cuda::std::logical_or, T> {};
template <class T>
struct twin<std::minus<T>> : twin_of_library<std::minus, ::cuda::std::minus, T> {};
template <class T>
struct twin<std::equal_to<T>> : twin_of_library<std::equal_to, ::cuda::std::equal_to, T> {};
template <class T>
struct twin<std::not_equal_to<T>>
    : twin_of_library<std::not_equal_to, ::cuda::std::not_equal_to, T> {};
template <class T>
struct twin<std::less<T>> : twin_of_library<std::less, ::cuda::std::less, T> {};
template <class T>
struct twin<std::greater<T>> : twin_of_library<std::greater, ::cuda::std::greater, T> {};
template <class T>
struct twin<std::less_equal<T>> : twin_of_library<std::less_equal, ::cuda::std::less_equal, T> {};
template <class T>
struct twin<std::greater_equal<T>>
    : twin_of_library<std::greater_equal, ::cuda::std::greater_equal, T> {};
template <class T>
struct twin<std::divides<T>> : twin_of_library<std::divides, ::cuda::std::divides, T> {};
template <class T>
struct twin<std::modulus<T>> : twin_of_library<std::modulus, ::cuda::std::modulus, T> {};
template <class T>
struct twin<std::negate<T>> : twin_of_library<std::negate, ::cuda::std::negate, T> {};
template <class T>
struct twin<std::logical_not<T>> : twin_of_library<std::logical_not, ::cuda::std::logical_not, T> {
};
template <class T>
struct twin<std::bit_not<T>> : twin_of_library<std::bit_not, ::cuda::std::bit_not, T> {};

template <class Op>
using twin_t = typename twin<Op>::type;

/// Refuses a pointer to a member: what calls functors as f(item) cannot call it.
template <class... Ops>
constexpr bool require_call_operators() {
  constexpr bool met = (!std::is_member_pointer_v<Ops> && ...);
  static_assert(met,
                "hindsight: a pointer to a member cannot be called as a function; pass a lambda "
                "that reads the member");
  return met;
}

/// The operator that a kernel, or a team of threads, is given for `op`.
template <class Op>
twin_t<Op> as_twin(Op op) {
  detail::require_call_operators<Op>();
  if constexpr (std::is_same_v<Op, twin_t<Op>>) {
    return op;
  } else {
    return {};
  }
}

}  // namespace hindsight::detail
