// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every call does before its engine runs: measure the range, decide whether the types are
// ours.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/contiguous.h>
#include <hindsight/detail/decimal.h>
#include <hindsight/detail/dispatch/range.h>
#include <hindsight/detail/plain_types.h>
#include <hindsight/detail/twin.h>
#include <hindsight/errors.h>
#include <hindsight/policy.h>

#include <cuda/std/functional>
#include <cuda/std/utility>
#include <thrust/functional.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/tuple.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/iterator.cuh>
#  include <hindsight/detail/runtime/run.cuh>
#endif

namespace hindsight::detail {

/// The type of the items of a range. An iterator over constants may have named it `const T`.
template <class It>
using item_t = std::remove_cv_t<typename ::cuda::std::iterator_traits<It>::value_type>;
template <class It>
using distance_t = typename ::cuda::std::iterator_traits<It>::difference_type;

/// What `Op` makes of an Init and an Item, or of references to them, if it only takes these.
template <class Op, class Item, class Init, class = void>
struct fold_result {
  using type = ::cuda::std::invoke_result_t<Op&, Init&, Item&>;
};
template <class Op, class Item, class Init>
struct fold_result<Op, Item, Init, std::void_t<::cuda::std::invoke_result_t<Op&, Init, Item>>> {
  using type = ::cuda::std::invoke_result_t<Op&, Init, Item>;
};

/// The type in which stock's CUDA backend and std fold an `Item` into an `Init`.
template <class Op, class Item, class Init>
using accumulator_t = std::decay_t<typename fold_result<Op, Item, Init>::type>;

/// What `unary` makes of the items of `It`.
template <class It, class Unary>
using transformed_t = std::decay_t<::cuda::std::invoke_result_t<Unary&, item_t<It>>>;

template <class Traits, class = void>
inline constexpr bool names_category = false;
template <class Traits>
inline constexpr bool names_category<Traits, std::void_t<typename Traits::iterator_category>> =
    true;

/// Thrust's tag of how an iterator moves.
template <class It, class = void>
struct traversal_of : thrust::iterator_traversal<It> {};
/// Iterators whose category only cuda::std::iterator_traits knows: stock's kernels ask it.
template <class It>
struct traversal_of<It, std::enable_if_t<!names_category<std::iterator_traits<It>>>>
    : thrust::detail::iterator_category_to_traversal<
          typename ::cuda::std::iterator_traits<It>::iterator_category> {};

/// Whether it[n] compiles where `it` is const. Some iterators that name the tag of random access
/// have no such operator, or one that is not const: stock does without in many calls.
template <class It, class = void>
inline constexpr bool has_subscript = false;
template <class It>
inline constexpr bool has_subscript<
    It, std::void_t<decltype(std::declval<const It&>()[std::declval<distance_t<It>>()])>> = true;

template <class It, class = void>
inline constexpr bool names_random_access = false;
template <class It>
inline constexpr bool names_random_access<It, std::enable_if_t<is_iterator<It>>> =
    std::is_convertible_v<typename traversal_of<It>::type, thrust::random_access_traversal_tag>;

/// Whether it + n is an It: not so for lists and for inserters, nor for a class that has inherited
/// an operator that returns its base.
template <class It, class = void>
inline constexpr bool has_plus = false;
template <class It>
inline constexpr bool
    has_plus<It, std::void_t<decltype(std::declval<It&>() + std::declval<distance_t<It>>())>> =
        std::is_convertible_v<decltype(std::declval<It&>() + std::declval<distance_t<It>>()), It>;
template <class It>
inline constexpr bool can_advance = has_plus<It>;
template <class F, class It>
inline constexpr bool can_advance<thrust::transform_output_iterator<F, It>> = can_advance<It>;

template <class It>
inline constexpr bool is_random_access =
#if defined(__cpp_lib_concepts)
    std::random_access_iterator<It> ||  // those of views name input_iterator_tag
#endif
    (names_random_access<It>&& has_subscript<It>&& can_advance<It>);
template <class... Its>
constexpr bool check_random_access() {
  static_assert((is_iterator<Its> && ...),
                "hindsight: this call has something else in the place of an iterator. An output is "
                "given by where it begins: v.begin(), not the container. Behind a policy two C "
                "arrays of one type are first and last: name their ends");
  return (is_random_access<Its> && ...);
}
template <class... Its>
inline constexpr bool are_random_access = detail::check_random_access<Its...>();

/// Types that kernels may hold as bytes, and of which a tile fits in shared memory.
template <class... Ts>
inline constexpr bool are_plain = ((is_plain<Ts> && sizeof(Ts) <= 512) && ...);

/// Types that kernels may copy by their constructors: a tuple of plain types is one, though its
/// assignment is not trivial.
template <class... Ts>
inline constexpr bool are_copyable = ((std::is_trivially_copy_constructible_v<Ts> &&
                                       std::is_trivially_destructible_v<Ts> && sizeof(Ts) <= 512) &&
                                      ...);

/// Whether an engine takes items of these types: `copies` where it only moves and compares them,
/// `holds` where it also folds them, and so holds them as bytes in shared memory or on the board.
/// Host threads take any type.
template <class System, class... Ts>
inline constexpr bool copies = are_copyable<Ts...>;
template <class... Ts>
inline constexpr bool copies<hindsight::host::system, Ts...> = true;
template <class System, class... Ts>
inline constexpr bool holds = are_plain<Ts...>;
template <class... Ts>
inline constexpr bool holds<hindsight::host::system, Ts...> = true;

/// Whether an engine can fold parts of a range of Items into Ts and then join them by Op. Stock's
/// sequential code also takes an operator that only joins a T and an Item.
template <class System, class Op, class Item, class T>
inline constexpr bool joins = true;
template <class Op, class Item, class T>
inline constexpr bool joins<hindsight::host::system, Op, Item, T> =
    std::is_constructible_v<T, Item>&& std::is_invocable_v<Op&, T&, T&>;

/// Types that a sort by comparisons moves: on the GPU, types of any size that are copied as bytes.
template <class System, class... Ts>
inline constexpr bool moves = ((std::is_trivially_copy_constructible_v<Ts> &&
                                std::is_trivially_destructible_v<Ts>)&&...);
template <class... Ts>
inline constexpr bool moves<hindsight::host::system, Ts...> = true;

template <class System>
inline constexpr bool is_host = std::is_same_v<System, hindsight::host::system>;
template <class D>
using host_policy = execution_policy<D, hindsight::host::system>;
#if HINDSIGHT_CUDA
template <class D>
using cuda_policy = execution_policy<D, hindsight::cuda::system>;
#endif

[[noreturn]] HINDSIGHT_OUT_OF_LINE inline void refuse_distance(long long distance,
                                                               const char* algorithm) {
  throw invalid_call(std::string{algorithm} + ": last comes before first (their distance is " +
                     detail::decimal(distance) + "); pass first, then last");
}

/// Whether iterators have a distance. Those of lists have none, nor have inserters.
template <class It, class = void>
inline constexpr bool has_distance = false;
template <class It>
inline constexpr bool
    has_distance<It, std::void_t<decltype(std::declval<It&>() - std::declval<It&>())>> = true;
/// last - first; refuses a range that ends before it begins.
template <class It>
std::size_t length(It first, It last, const char* algorithm) {
  static_assert(has_distance<It>,
                "hindsight: this call needs a range of random access, such as a vector, an array "
                "or a span; copy the items of a list to a vector first");
  if constexpr (has_distance<It>) {
    const auto n = last - first;
    if (n < 0) detail::refuse_distance(static_cast<long long>(n), algorithm);
    return static_cast<std::size_t>(n);
  } else {
    return 0;
  }
}

/// T(0), or T() where no integer makes a T.
_CCCL_EXEC_CHECK_DISABLE
template <class T>
HINDSIGHT_HD T zero() {
  if constexpr (std::is_constructible_v<T, int>) {
    return T(0);
  } else {
    return T();
  }
}

/// it + n, for any difference type.
template <class It>
It advanced(It it, std::size_t n) {
  static_assert(
      can_advance<It>,
      "hindsight: this call needs iterators of random access: copy the items of a list to a "
      "vector first; in place of an inserter pass begin() of a vector that has its size");
  if constexpr (can_advance<It>) {
    return it + static_cast<distance_t<It>>(n);
  } else {
    return it;
  }
}

/// *out = n, in the type of the items there. An iterator that only writes has none.
template <class It>
void write_count(It out, std::size_t n) {
  if constexpr (only_writes<It>) {
    *out = n;
  } else {
    *out = static_cast<item_t<It>>(n);
  }
}

/// The value that a call was given (its initial value, its stencil), or else `fallback`.
template <class Fallback>
Fallback value_or(Fallback fallback) {
  return fallback;
}
template <class Fallback, class T>
T value_or(Fallback, T value) {
  return value;
}

namespace function {  // apart from the algorithms, which argument-dependent lookup would find here

/// 1 for items that satisfy `pred`, else 0.
template <class Count, class Item, class Pred>
struct one_if {
  mutable Pred pred;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD Count operator()(const Item& item) const { return pred(item) ? Count(1) : Count(0); }
};

template <class A, class B, class = void>
inline constexpr bool can_be_equal = false;
template <class A, class B>
inline constexpr bool can_be_equal<
    A, B, std::void_t<decltype(std::declval<const A&>() == std::declval<const B&>())>> = true;

/// A proxy for an Item that has no operator == is converted to one.
template <class Value, class Item>
struct equals {
  Value value;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD explicit equals(const Value& v)
      : value(v) {}  // its copy constructor may be explicit
  _CCCL_EXEC_CHECK_DISABLE
  template <class Reference>
  HINDSIGHT_HD bool operator()(const Reference& item) const {
    if constexpr (!can_be_equal<Reference, Value> && can_be_equal<Item, Value>) {
      return bool(static_cast<Item>(item) == value);
    } else {
      return bool(item == value);
    }
  }
};

/// `equal` of the first elements of two tuples.
template <class Equal>
struct on_keys {
  mutable Equal equal;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Item>
  HINDSIGHT_HD bool operator()(const Item& a, const Item& b) const {
    return bool(equal(thrust::get<0>(a), thrust::get<0>(b)));
  }
};

/// Whether the two elements of a tuple are not `equal`.
template <class Equal>
struct differ {
  mutable Equal equal;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Pair>
  HINDSIGHT_HD bool operator()(const Pair& pair) const {
    return !bool(equal(thrust::get<0>(pair), thrust::get<1>(pair)));
  }
};

/// The same answer for each item.
template <bool Answer>
struct always {
  template <class Item>
  bool operator()(const Item&) const {
    return Answer;
  }
};

template <class Pred>
struct negated {
  static_assert(require_call_operators<Pred>());
  mutable Pred pred;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Item>
  HINDSIGHT_HD bool operator()(Item&& item) const {
    return !bool(pred(item));
  }
};

/// A predicate of items of its own, which it may change, for code that calls it with what stands
/// for an item.
template <class Item, class Pred>
struct on_own_item {
  mutable Pred pred;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Reference>
  HINDSIGHT_HD bool operator()(Reference&& reference) const {
    // Not from an lvalue: a tuple may then take a tuple of references for its first element.
    Item item(std::forward<Reference>(reference));
    return bool(pred(item));
  }
};

/// `unary` with its argument converted to Item (it may be a proxy reference) and its result to Out.
template <class Item, class Out, class Unary>
struct mapped {
  mutable Unary unary;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD Out operator()(const Item& item) const { return static_cast<Out>(unary(item)); }
};

}  // namespace function

/// Whether an item of an iterator is equal to `value`. Of a string literal it keeps the address.
template <class It, class Value>
using equals_value = function::equals<std::decay_t<const Value>, item_t<It>>;

// What is made of an operator has a twin if the operator has one.
template <class Count, class Item, class Pred>
struct twin<function::one_if<Count, Item, Pred>> {
  using type = function::one_if<Count, Item, twin_t<Pred>>;
};
template <class Pred>
struct twin<function::negated<Pred>> {
  using type = function::negated<twin_t<Pred>>;
};
template <class Item, class Out, class Unary>
struct twin<function::mapped<Item, Out, Unary>> {
  using type = function::mapped<Item, Out, twin_t<Unary>>;
};

}  // namespace hindsight::detail
