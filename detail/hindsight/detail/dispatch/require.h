// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the types of a call's arguments before an engine is compiled: the likeliest mistakes
// get an error of one sentence. Functors are checked on host threads only, because nvcc does not
// tell host code what a device lambda takes.
#pragma once

#include <hindsight/detail/dispatch/call.h>

#include <cuda/std/functional>

#include <type_traits>

namespace hindsight::detail::dispatch {

/// An operator of which the compiler can tell whether it takes its arguments: less<T> says that it
/// does and fails within.
template <class Op>
struct honest {
  using type = Op;
};
template <class T>
struct honest<::cuda::std::less<T>> {
  using type = ::cuda::std::less<>;
};
template <class T>
struct honest<::cuda::std::greater<T>> {
  using type = ::cuda::std::greater<>;
};
template <class T>
struct honest<::cuda::std::plus<T>> {
  using type = ::cuda::std::plus<>;
};
template <class T>
struct honest<::cuda::std::equal_to<T>> {
  using type = ::cuda::std::equal_to<>;
};

/// Whether `op` can be called, with items or with references to them.
template <class Op, class... Items>
inline constexpr bool takes =
    std::is_invocable_v<typename honest<twin_t<Op>>::type&, const Items&...> ||
    std::is_invocable_v<typename honest<twin_t<Op>>::type&, Items&...> ||
    std::is_invocable_v<typename honest<twin_t<Op>>::type&, Items...>;

template <class It>
inline constexpr bool is_read_only =
    std::is_const_v<std::remove_reference_t<typename ::cuda::std::iterator_traits<It>::reference>>;

/// Each is true or refuses to compile. The caller's code is in an `if constexpr` behind it, so that
/// no other error follows.
template <class It>
constexpr bool require_random_access() {
  static_assert(
      are_random_access<It>,
      "hindsight: this call needs a range of random access, such as a vector, an array or "
      "a span; copy the items of a list to a vector first");
  return are_random_access<It>;
}
template <class It>
constexpr bool require_writable() {
  static_assert(!is_read_only<It>,
                "hindsight: this call changes the items in place, but the range is const");
  return !is_read_only<It>;
}
template <class S, class Compare, class Item>
constexpr bool require_order() {
  constexpr bool met = !is_host<S> || takes<Compare, Item, Item>;
  static_assert(met,
                "hindsight: the order cannot compare two items; pass a comparator of two items, "
                "or give their type an operator<");
  return met;
}
template <class S, class Op, class T, class Item>
constexpr bool require_operator() {
  constexpr bool met = !is_host<S> || takes<Op, T, Item>;
  static_assert(met,
                "hindsight: the operator cannot join two items; pass an operator of two items, "
                "or give their type an operator+");
  return met;
}
template <class S, class Pred, class Item>
constexpr bool require_predicate() {
  constexpr bool met = !is_host<S> || takes<Pred, Item>;
  static_assert(met, "hindsight: the predicate cannot be called with one item of the range");
  return met;
}

}  // namespace hindsight::detail::dispatch
