// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterators as the host engine takes them, which items it may copy, and which outputs several
// threads may write.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/contiguous.h>

#include <cuda/std/iterator>
#include <cuda/std/tuple>
#include <thrust/detail/raw_reference_cast.h>
#include <thrust/detail/reference.h>
#include <thrust/iterator/detail/normal_iterator.h>
#include <thrust/iterator/detail/tuple_of_iterator_references.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// The type of the items of a range. An iterator over constants may have named it `const T`.
template <class It>
using value_of = std::remove_cv_t<typename ::cuda::std::iterator_traits<It>::value_type>;

template <class It, class Unless = void>
inline constexpr bool has_arrow = false;
template <class It>
inline constexpr bool has_arrow<
    It, std::enable_if_t<std::is_pointer_v<decltype(std::declval<const It&>().operator->())>>> =
    true;

/// The address that the iterator points to. There need not be an item there: the array may be
/// empty.
template <class It>
auto address_of(const It& it) {
  if constexpr (std::is_pointer_v<It>) {
    return it;
  } else if constexpr (has_arrow<It>) {
    return it.operator->();
  } else {
    return std::addressof(*it);  // Thrust's way would call an operator & of the item's type
  }
}
template <class Pointer>
auto address_of(const thrust::detail::normal_iterator<Pointer>& it) {
  return thrust::raw_pointer_cast(it.base());
}

#if defined(_GLIBCXX_DEBUG)
template <class It, class Sequence, class Category>  // its -> stops the program at an array's end
auto address_of(const __gnu_debug::_Safe_iterator<It, Sequence, Category>& it) {
  return host::address_of(it.base());
}
#endif

/// The same pointer, to items that are not volatile: operators on T take no reference to a volatile
/// T, and no other thread knows of the items while a call runs.
template <class T>
auto without_volatile(T* pointer) {
  return const_cast<std::remove_volatile_t<T>*>(pointer);
}

/// A pointer where the iterator wraps one, since compilers make the best code for pointers. Else
/// the iterator.
template <class It>
auto plain(It it) {
  if constexpr (!is_contiguous<It>) {
    return it;
  } else if constexpr (std::is_lvalue_reference_v<decltype(*it)>) {
    return host::without_volatile(host::address_of(it));
  } else {
    return host::without_volatile(thrust::unwrap_contiguous_iterator(it));
  }
}

/// The same in a zip iterator: then its tuples refer to items, and not to what stands for them on a
/// device.
template <class... Its>
auto plain(const thrust::zip_iterator<::cuda::std::tuple<Its...>>& it) {
  return ::cuda::std::apply(
      [](const Its&... its) { return thrust::make_zip_iterator(host::plain(its)...); },
      it.get_iterator_tuple());
}

/// A transform_iterator that only reads. Its operator[] copies no functor; Thrust's copies the
/// whole iterator for each item.
template <class It, class Item, class Unary, class Reference>
struct transformed {
  It base;
  mutable Unary unary;
  Reference operator[](std::size_t i) const {
    const Item& item = base[i];  // as Thrust does: the functor gets no proxy
    return unary(item);
  }
  transformed operator+(std::size_t i) const { return {base + i, unary}; }
};

/// plain() of an iterator that is only read. Threads do not share one, but each a copy of it.
template <class It>
auto plain_input(It it) {
  return host::plain(it);
}
template <class Unary, class It, class Reference, class Value>
auto plain_input(const thrust::transform_iterator<Unary, It, Reference, Value>& it) {
  using iterator = thrust::transform_iterator<Unary, It, Reference, Value>;
  using reference = typename ::cuda::std::iterator_traits<iterator>::reference;
  if constexpr (std::is_reference_v<reference> || std::is_trivially_copyable_v<Unary>) {
    return it;
  } else {
    const auto base = host::plain_input(it.base());
    return transformed<std::remove_const_t<decltype(base)>, value_of<It>, Unary, reference>{
        base, it.functor()};
  }
}

/// An iterator from which items can be read again. Move iterators move them away: this one gives
/// copies. So do reversed and zipped ones.
template <class It>
struct copying {
  static It from(const It& it) { return it; }
};
template <class It>
struct copying<std::move_iterator<It>> {
  static It from(const std::move_iterator<It>& it) { return it.base(); }
};
template <class It>
struct copying<::cuda::std::move_iterator<It>> {
  static It from(const ::cuda::std::move_iterator<It>& it) { return it.base(); }
};
template <class It>
struct copying<std::reverse_iterator<It>> {
  static auto from(const std::reverse_iterator<It>& it) {
    return std::make_reverse_iterator(copying<It>::from(it.base()));
  }
};
template <class It>
struct copying<thrust::reverse_iterator<It>> {
  static auto from(const thrust::reverse_iterator<It>& it) {
    return thrust::make_reverse_iterator(copying<It>::from(it.base()));
  }
};
template <class... Its>
struct copying<thrust::zip_iterator<::cuda::std::tuple<Its...>>> {
  static auto from(const thrust::zip_iterator<::cuda::std::tuple<Its...>>& it) {
    return ::cuda::std::apply(
        [](const Its&... its) { return thrust::make_zip_iterator(copying<Its>::from(its)...); },
        it.get_iterator_tuple());
  }
};
template <class It>
auto that_copies(const It& it) {
  return copying<It>::from(it);
}

/// The places 0, 1, 2, ...: for functors that look up the items themselves.
struct places {
  std::size_t first = 0;
  std::size_t operator[](std::size_t i) const { return first + i; }
  places operator+(std::size_t i) const { return {first + i}; }
};
inline places plain(places from) {
  return from;
}

/// Whether both are at one place. Their own == may refuse iterators of two containers, as in the
/// debug mode of libstdc++.
template <class It>
bool are_at_one_place(const It& a, const It& b) {
  return a == b;
}
#if defined(_GLIBCXX_DEBUG)
template <class It, class Sequence, class Category>
bool are_at_one_place(const __gnu_debug::_Safe_iterator<It, Sequence, Category>& a,
                      const __gnu_debug::_Safe_iterator<It, Sequence, Category>& b) {
  return a.base() == b.base();
}
#endif
template <class... Its>  // as zip iterators do: the first one tells
bool are_at_one_place(const thrust::zip_iterator<::cuda::std::tuple<Its...>>& a,
                      const thrust::zip_iterator<::cuda::std::tuple<Its...>>& b) {
  return host::are_at_one_place(::cuda::std::get<0>(a.get_iterator_tuple()),
                                ::cuda::std::get<0>(b.get_iterator_tuple()));
}
template <class It>
bool are_at_one_place(const std::reverse_iterator<It>& a, const std::reverse_iterator<It>& b) {
  return host::are_at_one_place(a.base(), b.base());
}
template <class It>
bool are_at_one_place(const thrust::reverse_iterator<It>& a,
                      const thrust::reverse_iterator<It>& b) {
  return host::are_at_one_place(a.base(), b.base());
}

/// Whether a reference tells which item it refers to: it, or what stands for one on a device, has
/// an address.
template <class Reference, class = void>
struct tells_item : std::is_lvalue_reference<Reference> {};
template <class T, class Pointer, class Derived>
std::true_type is_thrust_reference(const thrust::reference<T, Pointer, Derived>&);
template <class Reference>
struct tells_item<Reference,
                  std::void_t<decltype(host::is_thrust_reference(std::declval<Reference>()))>>
    : std::true_type {};

/// Where that item is.
template <class It>
auto address_of_item(const It& it) {
  if constexpr (std::is_lvalue_reference_v<decltype(*it)>) {
    return std::addressof(*it);
  } else {
    return thrust::raw_pointer_cast(&*it);
  }
}

/// How two iterators of one type are compared. Their == does not tell whether both refer to one
/// item: that of permutation iterators compares the indices alone.
template <class It>
struct same_items {
  static constexpr bool are_known = tells_item<decltype(*std::declval<const It&>())>::value;
  static bool are_all(const It& a, const It& b) { return are_known && may_be(a, b); }
  static bool may_be(const It& a, const It& b) {
    if (!host::are_at_one_place(a, b)) return false;
    if constexpr (are_known) return host::address_of_item(a) == host::address_of_item(b);
    return true;
  }
};
template <class In, class Out, class It>
struct same_items<thrust::transform_input_output_iterator<In, Out, It>> {
  using iterator = thrust::transform_input_output_iterator<In, Out, It>;
  static constexpr bool are_known = same_items<It>::are_known;
  static bool are_all(const iterator& a, const iterator& b) {
    return same_items<It>::are_all(a.base(), b.base());
  }
  static bool may_be(const iterator& a, const iterator& b) {
    return same_items<It>::may_be(a.base(), b.base());
  }
};
/// Of zipped ones `are_all` asks for all members, `may_be` for any.
template <class... Its>
struct same_items<thrust::zip_iterator<::cuda::std::tuple<Its...>>> {
  using iterator = thrust::zip_iterator<::cuda::std::tuple<Its...>>;
  static constexpr bool are_known = (same_items<Its>::are_known && ...);
  static bool are_all(const iterator& a, const iterator& b) {
    return are_all(a.get_iterator_tuple(), b.get_iterator_tuple(), indices{});
  }
  static bool may_be(const iterator& a, const iterator& b) {
    return may_be(a.get_iterator_tuple(), b.get_iterator_tuple(), indices{});
  }

 private:
  using indices = std::index_sequence_for<Its...>;
  using members = ::cuda::std::tuple<Its...>;
  template <std::size_t... Members>
  static bool are_all(const members& a, const members& b, std::index_sequence<Members...>) {
    return (same_items<Its>::are_all(::cuda::std::get<Members>(a), ::cuda::std::get<Members>(b)) &&
            ...);
  }
  template <std::size_t... Members>
  static bool may_be(const members& a, const members& b, std::index_sequence<Members...>) {
    return (same_items<Its>::may_be(::cuda::std::get<Members>(a), ::cuda::std::get<Members>(b)) ||
            ...);
  }
};

/// Whether out[0] is known to be in[0].
template <class InputIt, class OutputIt>
bool is_in_place(const InputIt& in, const OutputIt& out) {
  if constexpr (std::is_pointer_v<InputIt> && std::is_pointer_v<OutputIt>) {
    return static_cast<const volatile void*>(in) == static_cast<const volatile void*>(out);
  } else if constexpr (std::is_same_v<InputIt, OutputIt>) {
    return same_items<InputIt>::are_all(in, out);
  } else {
    return false;
  }
}

/// Whether is_in_place() knows the answer. Two iterators of different types, unless both are
/// pointers, cannot be compared.
template <class InputIt, class OutputIt>
inline constexpr bool tells_if_in_place = std::is_pointer_v<InputIt>&& std::is_pointer_v<OutputIt>;
template <class It>
inline constexpr bool tells_if_in_place<It, It> = same_items<It>::are_known;

/// Whether out[0] may be in[0]: if nobody knows, it may be.
template <class InputIt, class OutputIt>
bool may_be_in_place(const InputIt& in, const OutputIt& out) {
  if constexpr (std::is_pointer_v<InputIt> && std::is_pointer_v<OutputIt>) {
    return host::is_in_place(in, out);
  } else if constexpr (std::is_same_v<InputIt, OutputIt>) {
    return same_items<InputIt>::may_be(in, out);
  } else {
    return true;
  }
}

/// Whether two arrays of n items have no byte in common.
template <class A, class B>
bool are_apart(const A* a, const B* b, std::size_t n) {
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a), a_end = a_begin + n * sizeof(A);
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b), b_end = b_begin + n * sizeof(B);
  return a_end <= b_begin || b_end <= a_begin;
}

/// Types that may be copied to scratch memory and dropped there at no cost.
template <class T>
inline constexpr bool is_cheap =
    std::is_trivially_destructible_v<T>&& std::is_trivially_copy_constructible_v<T>;

/// Whether no item of a range can throw when it is moved to a T. What a proxy stands for may be
/// copied then.
template <class T, class It>
inline constexpr bool moves_without_throwing =
    is_cheap<T> ||
    std::is_nothrow_constructible_v<T,
                                    decltype(std::move(std::declval<const It&>()[std::size_t{}]))>;

/// Whether a T is copied as const where an expression gives a Reference: a constructor template of
/// T might prefer an item that is not const.
template <class T, class Reference>
inline constexpr bool is_copied_as_const =
    std::is_same_v<Reference, T&> && !std::is_arithmetic_v<T> && std::is_copy_constructible_v<T>;

/// `item` as a T.
template <class T, class Item>
T as_item(Item&& item) {
  if constexpr (is_copied_as_const<T, Item>) {
    return T(std::as_const(item));
  } else {
    return static_cast<T>(std::forward<Item>(item));
  }
}

/// Item i of a range as a T. One that the iterator computes is not moved again.
template <class T, class It>
T copy_at(const It& it, std::size_t i) {
  if constexpr (is_copied_as_const<T, decltype(it[i])>) {
    return T(std::as_const(it[i]));
  } else {
    return static_cast<T>(it[i]);
  }
}

/// Makes a T from `item` in memory that holds no object. T may be volatile: the items of an output
/// may be.
template <class T, class Item>
void put(T* room, Item&& item) {
  using value = std::remove_volatile_t<T>;
  void* const place = const_cast<value*>(room);
  ::new (place) value(host::as_item<value>(std::forward<Item>(item)));
}

/// What item_at() returns: the item itself, or a T made from what the iterator gives.
template <class T, class It, class Reference = decltype(std::declval<const It&>()[std::size_t{}])>
using item_at_t = std::conditional_t<
    std::is_reference_v<Reference> &&
        std::is_same_v<std::remove_cv_t<std::remove_reference_t<Reference>>, T> &&
        (std::is_pointer_v<It> || !std::is_trivially_copyable_v<T> ||
         !std::is_copy_constructible_v<T>),
    Reference, T>;

/// Item i of a range as a T, and not as something that only converts to one. To be bound to an
/// `auto&&`: then operators get it as an lvalue, as from stock.
template <class T, class It>
item_at_t<T, It> item_at(const It& it, std::size_t i) {
  if constexpr (std::is_same_v<decltype(it[i]), T&> && std::is_same_v<item_at_t<T, It>, T>) {
    return T(std::as_const(it[i]));  // its constructors may take anything
  } else {
    return static_cast<item_at_t<T, It>>(it[i]);
  }
}

/// Whether a reference refers to an object of its own. Then threads may write to neighbouring items
/// at the same time. The bits of a std::vector<bool> have no objects of their own: they share
/// bytes.
template <class Reference, class = void>
struct refers_to_object : std::is_lvalue_reference<Reference> {};
template <class... References>
struct refers_to_object<thrust::detail::tuple_of_iterator_references<References...>>
    : std::conjunction<refers_to_object<References>...> {};
template <class... References>
struct refers_to_object<::cuda::std::tuple<References...>>
    : std::conjunction<refers_to_object<References>...> {};
template <class Reference>
struct refers_to_object<Reference,
                        std::void_t<decltype(host::is_thrust_reference(std::declval<Reference>()))>>
    : std::true_type {};

/// Whether threads may write to different places of an iterator at the same time.
template <class It>
struct writes_apart : refers_to_object<decltype(*std::declval<It&>())> {};
template <class F, class It>
struct writes_apart<thrust::transform_output_iterator<F, It>> : writes_apart<It> {};
template <class In, class Out, class It>
struct writes_apart<thrust::transform_input_output_iterator<In, Out, It>> : writes_apart<It> {};
template <class System>
struct writes_apart<thrust::discard_iterator<System>> : std::true_type {};
// Newer CCCL deprecates this one for its own of that name.
_CCCL_SUPPRESS_DEPRECATED_PUSH
template <class F, class System, class Difference>
struct writes_apart<thrust::tabulate_output_iterator<F, System, Difference>> : std::true_type {};
_CCCL_SUPPRESS_DEPRECATED_POP

/// What predicates get where an iterator returns a Reference: as from stock, a reference to the
/// item in place of what stands for one on a device, and a const one to an item that is computed
/// or may be moved: a predicate that takes its argument by value would take the item away.
template <class Reference>
struct seen_by_predicate {
  using raw = typename thrust::detail::raw_reference<std::remove_reference_t<Reference>>::type;
  static constexpr bool is_raw = std::is_same_v<raw, std::add_lvalue_reference_t<Reference>>;
  static constexpr bool is_computed = is_raw && !std::is_lvalue_reference_v<Reference>;
  using type = std::conditional_t<is_computed, const std::remove_reference_t<Reference>&,
                                  std::conditional_t<is_raw, Reference, raw>>;
};
template <class Pred>
struct on_items {
  mutable Pred pred;
  template <class Reference>
  bool operator()(Reference&& item) const {
    if constexpr (seen_by_predicate<Reference>::is_computed) {
      return bool(pred(std::as_const(item)));
    } else {
      return bool(pred(thrust::raw_reference_cast(std::forward<Reference>(item))));
    }
  }
};
/// `pred`, as algorithms call it with what an It returns.
template <class It, class Pred>
auto for_items_of(const It& it, Pred pred) {
  using reference = decltype(host::plain(it)[0]);
  using seen = typename seen_by_predicate<reference>::type;
  if constexpr (std::is_same_v<seen, reference> || !std::is_invocable_v<Pred&, seen>) {
    return pred;
  } else {
    return on_items<Pred>{pred};
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
