// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the types of a call's arguments before an engine is compiled: the likeliest mistakes
// get an error of one sentence. Functors are checked on host threads only, because nvcc does not
// tell host code what a device lambda takes.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/host/iterators.h>

#include <cuda/std/functional>
#include <thrust/detail/raw_reference_cast.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// Takes what converts to a T.
template <class T>
struct takes_two {
  void operator()(const T&, const T&) const;
};
struct takes_nothing {};

/// An operator that is asked, in place of Op, whether it takes its arguments. less<T> is not SFINAE
/// friendly: it seems to take any T, and then its body does not compile. less<> says whether it
/// would. But less<T> converts its arguments first, and less<> does not.
template <class Op>
struct sfinae_friendly {
  using type = Op;
};
template <template <class> class Op, class T>
struct friendly_operator {
  using of_library = std::conditional_t<std::is_invocable_v<Op<void>, const T&, const T&>,
                                        takes_two<T>, takes_nothing>;
  using type = std::conditional_t<is_of_library<Op, T>, of_library, Op<T>>;
};
template <template <class> class Op>
struct friendly_operator<Op, void> {
  using type = Op<void>;
};
template <class T>
struct sfinae_friendly<::cuda::std::less<T>> : friendly_operator<::cuda::std::less, T> {};
template <class T>
struct sfinae_friendly<::cuda::std::greater<T>> : friendly_operator<::cuda::std::greater, T> {};
template <class T>
struct sfinae_friendly<::cuda::std::plus<T>> : friendly_operator<::cuda::std::plus, T> {};
template <class T>
struct sfinae_friendly<::cuda::std::equal_to<T>> : friendly_operator<::cuda::std::equal_to, T> {};

/// Whether `op` can be called, with items or with references to them. Stops at the first form that
/// it takes: the body of a generic functor need not compile for the others.
template <class Op, class... Items>
struct takes : std::disjunction<
                   std::is_invocable<typename sfinae_friendly<twin_t<Op>>::type&, Items&...>,
                   std::is_invocable<typename sfinae_friendly<twin_t<Op>>::type&, const Items&...>,
                   std::is_invocable<typename sfinae_friendly<twin_t<Op>>::type&, Items...>> {};

/// What host threads read from an iterator; a zip iterator gives a tuple of references.
template <class It, class = void>
struct read_from {
  using type = typename ::cuda::std::iterator_traits<It>::reference;
};
template <class It>
struct read_from<It, std::void_t<decltype(host::plain(std::declval<It>())[std::ptrdiff_t{}])>> {
  using type = decltype(host::plain(std::declval<It>())[std::ptrdiff_t{}]);
};

/// Whether `pred` can be called with that.
template <class Pred, class It>
struct takes_item_of
    : std::is_invocable<Pred&,
                        typename host::seen_by_predicate<typename read_from<It>::type>::type> {};

/// Whether an iterator refers to const items, also by what stands for one on a device.
template <class It, class = void>
inline constexpr bool is_read_only = false;
template <class It>
inline constexpr bool
    is_read_only<It, std::void_t<typename ::cuda::std::iterator_traits<It>::reference>> =
        std::is_const_v<std::remove_reference_t<typename thrust::detail::raw_reference<
            std::remove_reference_t<typename ::cuda::std::iterator_traits<It>::reference>>::type>>;

/// Each is true, or else does not compile. The caller's code is in an `if constexpr` behind it, so
/// that no other error follows.
template <class It>
constexpr bool require_random_access() {
  static_assert(
      are_random_access<It>,
      "hindsight: this call needs a range of random access, such as a vector, an array or "
      "a span; copy the items of a list to a vector first");
  return are_random_access<It>;
}
/// The same of calls that stock has, too: it takes iterators that lack what has_subscript looks
/// for.
template <class It>
constexpr bool require_random_access_of_stock() {
  if constexpr (names_random_access<It>) {
    return true;
  } else {
    return dispatch::require_random_access<It>();
  }
}
template <class It>
constexpr bool require_writable() {
  static_assert(!is_read_only<It>,
                "hindsight: this call changes the items in place, but the range is const");
  return !is_read_only<It>;
}
/// Whether an order calls operator> of its items: greater, which top_k takes by default.
template <class Compare>
inline constexpr bool calls_greater = false;
template <class T>
inline constexpr bool calls_greater<::cuda::std::greater<T>> = true;
template <class S, class Compare, class Item>
constexpr bool require_order() {
  if constexpr (!require_call_operators<Compare>()) {
    return false;
  } else if constexpr (is_host<S>) {
    constexpr bool met = takes<Compare, Item, Item>::value;
    static_assert(met || calls_greater<twin_t<Compare>>,
                  "hindsight: the order cannot compare two items; pass a comparator of two items, "
                  "or give their type an operator<");
    static_assert(met || !calls_greater<twin_t<Compare>>,
                  "hindsight: the order cannot compare two items; pass a comparator of two items, "
                  "or give their type an operator>");
    return met;
  } else {
    return true;
  }
}
template <class S, class Op, class T, class Item>
constexpr bool require_operator() {
  if constexpr (!require_call_operators<Op>()) {
    return false;
  } else if constexpr (is_host<S>) {
    constexpr bool met = takes<Op, T, Item>::value;
    static_assert(met,
                  "hindsight: the operator cannot join two items; pass an operator of two items, "
                  "or give their type an operator+");
    return met;
  } else {
    return true;
  }
}
template <class S, class Pred, class Item, class It>
constexpr bool require_predicate() {
  if constexpr (!require_call_operators<Pred>()) {
    return false;
  } else if constexpr (is_host<S>) {
    constexpr bool met = std::disjunction_v<takes_item_of<Pred, It>, takes<Pred, Item>>;
    static_assert(met, "hindsight: the predicate cannot be called with one item of the range");
    return met;
  } else {
    return true;
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
