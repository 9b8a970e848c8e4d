// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that may change what they are called with. A scan folds a value into many others, and
// a difference of neighbours reads each item twice, so an operator such as
// `T operator()(T& a, const T& b) { return a += b; }` must get copies. Stock takes such operators.
// And operators that may be called where nobody needs the result, which saves a branch.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/host/reduce.h>

#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Whether a class has one operator() that is no template. Only then may one ask whether it takes
/// const operands: the answer for a template may be an error in its body.
template <class Op, class = void>
struct has_one_call : std::is_pointer<Op> {};
template <class Op>
struct has_one_call<Op, std::void_t<decltype(&Op::operator())>> : std::true_type {};

/// Whether Op gets copies of its operands: where it asks for operands that are not const, and where
/// nobody knows but copies of a T cost nothing, since they stay in registers.
template <class Op, class T>
constexpr bool gets_copies() {
  if constexpr (is_commutative<Op, T> || !std::is_copy_constructible_v<T>) {
    return false;
  } else if constexpr (has_one_call<Op>::value) {
    return !std::is_invocable_v<Op&, const T&, const T&> && std::is_invocable_v<Op&, T&, T&>;
  } else {
    return sizeof(T) <= 16 && std::is_trivially_copyable_v<T>;
  }
}

/// Calls an operator with copies of its operands. Its result may refer to these: a T does not.
template <class T, class Op>
struct on_copies {
  Op op;
  T operator()(const T& a, const T& b) {
    T own_a(a), own_b(b);
    return host::as_item<T>(op(own_a, own_b));
  }
};

/// `op`, as algorithms call it that use an operand again.
template <class T, class Op>
auto keep_operands(const Op& op) {
  if constexpr (gets_copies<Op, T>()) {
    return on_copies<T, Op>{op};
  } else {
    return op;
  }
}

/// Whether Op takes any two numbers of type T. Other operators may throw if these do not belong
/// together, as items of two runs.
template <class Op, class T>
inline constexpr bool takes_any_numbers =
    std::is_arithmetic_v<T> &&
    (std::is_nothrow_invocable_v<Op&, T&, T&> ||
     is_one_of<Op, T, ::cuda::std::plus, ::cuda::std::multiplies, ::cuda::std::bit_and,
               ::cuda::std::bit_or, ::cuda::std::bit_xor, ::cuda::minimum, ::cuda::maximum>);
template <class Op, class T>
inline constexpr bool takes_any_numbers<on_copies<T, Op>, T> = takes_any_numbers<Op, T>;

/// op(a, b), where `op` takes any numbers. Signed integers may overflow if nobody needs the result.
template <class T, class Op>
T join_any_numbers(Op& op, T& a, T& b) {
  constexpr bool adds = is_one_of<Op, T, ::cuda::std::plus>;
  constexpr bool multiplies = is_one_of<Op, T, ::cuda::std::multiplies>;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && (adds || multiplies)) {
    using number = decltype(1u + std::make_unsigned_t<T>(1));
    return T(adds ? number(a) + number(b) : number(a) * number(b));
  } else {
    return op(a, b);
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
