// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::plus and its like, which only the host may call, and the types of cuda::std that do the
// same: kernels get these, and both engines know what they do.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/std_basics.h>

#include <cuda/std/functional>

#include <type_traits>

namespace hindsight::detail {

template <class Op>
struct twin {
  using type = Op;
};
template <class T>
struct twin<std::plus<T>> {
  using type = ::cuda::std::plus<T>;
};
template <class T>
struct twin<std::multiplies<T>> {
  using type = ::cuda::std::multiplies<T>;
};
template <class T>
struct twin<std::bit_and<T>> {
  using type = ::cuda::std::bit_and<T>;
};
template <class T>
struct twin<std::bit_or<T>> {
  using type = ::cuda::std::bit_or<T>;
};
template <class T>
struct twin<std::bit_xor<T>> {
  using type = ::cuda::std::bit_xor<T>;
};
template <class T>
struct twin<std::logical_and<T>> {
  using type = ::cuda::std::logical_and<T>;
};
template <class T>
struct twin<std::logical_or<T>> {
  using type = ::cuda::std::logical_or<T>;
};
template <class T>
struct twin<std::minus<T>> {
  using type = ::cuda::std::minus<T>;
};
template <class T>
struct twin<std::equal_to<T>> {
  using type = ::cuda::std::equal_to<T>;
};
template <class T>
struct twin<std::not_equal_to<T>> {
  using type = ::cuda::std::not_equal_to<T>;
};
template <class T>
struct twin<std::less<T>> {
  using type = ::cuda::std::less<T>;
};
template <class T>
struct twin<std::greater<T>> {
  using type = ::cuda::std::greater<T>;
};
template <class T>
struct twin<std::less_equal<T>> {
  using type = ::cuda::std::less_equal<T>;
};
template <class T>
struct twin<std::greater_equal<T>> {
  using type = ::cuda::std::greater_equal<T>;
};
template <class T>
struct twin<std::divides<T>> {
  using type = ::cuda::std::divides<T>;
};
template <class T>
struct twin<std::modulus<T>> {
  using type = ::cuda::std::modulus<T>;
};
template <class T>
struct twin<std::negate<T>> {
  using type = ::cuda::std::negate<T>;
};
template <class T>
struct twin<std::logical_not<T>> {
  using type = ::cuda::std::logical_not<T>;
};
template <class T>
struct twin<std::bit_not<T>> {
  using type = ::cuda::std::bit_not<T>;
};

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
