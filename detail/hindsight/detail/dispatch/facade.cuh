// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the Device* functions share: their accumulator types and checks.
#pragma once

#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/num_items.h>

#include <cub/util_type.cuh>
#include <cuda_runtime_api.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#if __has_include(<cuda/argument>)  // CCCL 3.6
#  include <cuda/argument>
#  include <cuda/std/span>
#endif

namespace hindsight::detail {

/// CCCL's own deferred numbers; their upper bound is the largest number of items.
template <class NumItems>
inline constexpr bool is_cccl_deferred = false;
/// Its wrapped numbers that the host knows.
template <class NumItems>
inline constexpr bool is_cccl_known = false;
#if __has_include(<cuda/argument>)
template <class CountIt, class Bounds>
inline constexpr bool is_cccl_deferred<::cuda::args::deferred<CountIt, Bounds>> = true;
template <class Number, class Bounds>
inline constexpr bool is_cccl_known<::cuda::args::immediate<Number, Bounds>> = true;
template <auto Value, class Number>
inline constexpr bool is_cccl_known<::cuda::args::constant<Value, Number>> = true;

/// Where kernels read CCCL's deferred number: it is behind an iterator or in a span of one.
template <class CountIt>
constexpr CountIt count_iterator(CountIt count) {
  return count;
}
template <class Count, std::size_t Extent>
constexpr Count* count_iterator(::cuda::std::span<Count, Extent> count) {
  return count.data();
}
#endif

/// Holds for what may say how many items a call has.
template <class NumItems>
inline constexpr bool is_num_items =
    std::is_convertible_v<NumItems, std::int64_t> || is_deferred<NumItems> ||
    is_cccl_deferred<NumItems> || is_cccl_known<NumItems>;
template <class NumItems>
using if_num_items = std::enable_if_t<is_num_items<NumItems>, int>;

/// The bound of a deferred number. No memory has as many items as an unsigned type may allow.
template <class Highest>
constexpr std::size_t bound_of_items(Highest highest) {
  const auto most = static_cast<std::size_t>(highest);
  return std::is_unsigned_v<Highest> && most > largest_bound ? largest_bound : most;
}

/// The number of items as the engine takes it.
template <class NumItems>
constexpr auto to_size(const NumItems& n) {
  if constexpr (is_deferred<NumItems>) {
    return n;
#if __has_include(<cuda/argument>)
  } else if constexpr (is_cccl_deferred<NumItems>) {
    return deferred{detail::count_iterator(::cuda::args::__unwrap(n)),
                    detail::bound_of_items(::cuda::args::__highest_(n))};
  } else if constexpr (is_cccl_known<NumItems>) {
    return detail::to_size(::cuda::args::__unwrap(n));
#endif
  } else if constexpr (std::is_integral_v<NumItems>) {
    return static_cast<std::size_t>(n);
  } else {
    return static_cast<std::size_t>(static_cast<std::int64_t>(n));
  }
}

template <class NumItems>
constexpr bool is_negative(const NumItems& n) {
  static_assert(is_num_items<NumItems>,
                "hindsight: the number of items is an integer, or hindsight::deferred");
  if constexpr (is_deferred<NumItems> || is_cccl_deferred<NumItems>) {
    return detail::has_negative_bound(detail::to_size(n));
#if __has_include(<cuda/argument>)
  } else if constexpr (is_cccl_known<NumItems>) {
    return detail::is_negative(::cuda::args::__unwrap(n));
#endif
  } else if constexpr (!std::is_convertible_v<NumItems, std::int64_t> ||
                       std::is_unsigned_v<NumItems>) {
    return false;
  } else {
    return static_cast<std::int64_t>(n) < 0;
  }
}

/// The same, of calls that have to know the number.
template <class NumItems>
constexpr std::size_t to_known_size(const NumItems& n) {
  static_assert(std::is_convertible_v<NumItems, std::int64_t> || is_cccl_known<NumItems>,
                "hindsight: this call takes a number of items that the host knows");
  return detail::to_size(n);
}

/// The same, of calls that go to CUB.
template <class NumItems>
constexpr bool require_stock_number() {
  constexpr bool met = std::is_convertible_v<NumItems, std::int64_t>;
  static_assert(met,
                "hindsight: items that are large or not trivially copyable need a number of items "
                "that the host knows");
  return met;
}

/// The type of the number of items; of a deferred number, the type of its count.
template <class NumItems, class = void>
struct offset_of_number {
  using type = NumItems;
};
template <class NumItems>
struct offset_of_number<NumItems,
                        std::enable_if_t<is_deferred<NumItems> || is_cccl_deferred<NumItems>>> {
  using type = item_t<decltype(detail::to_size(std::declval<NumItems>()).count)>;
};
#if __has_include(<cuda/argument>)
template <class NumItems>
struct offset_of_number<NumItems, std::enable_if_t<is_cccl_known<NumItems>>> {
  using type = std::decay_t<decltype(::cuda::args::__unwrap(std::declval<const NumItems&>()))>;
};
#endif
template <class NumItems>
using offset_of = typename offset_of_number<NumItems>::type;

/// What an output iterator holds, or `Fallback` if it has no value type. thrust::discard_iterator
/// counts as such, as in CUB: the type that it names is nothing that can be computed with.
template <class OutputIt, class Fallback>
using held_t =
    std::conditional_t<std::is_void_v<item_t<OutputIt>> ||
                           std::is_same_v<item_t<OutputIt>, item_t<thrust::discard_iterator<>>>,
                       Fallback, item_t<OutputIt>>;
/// The same; an output without a value type holds what the input does.
template <class OutputIt, class InputIt>
using output_t = held_t<OutputIt, item_t<InputIt>>;

/// What an output is assigned to.
template <class OutputIt>
using written_t = decltype(*cuda::unwrap(std::declval<OutputIt>()));

/// The type in which a sum is accumulated: that of an integer in memory, if `OutputIt` refers to
/// one that is no larger than `Accumulator`, since its bits do not depend on the higher ones that
/// an accumulator has. Other outputs get whole sums: they may do anything with them.
template <class Accumulator, class OutputIt, class Output = std::decay_t<written_t<OutputIt>>>
using modular_sum_t =
    std::conditional_t<std::is_integral_v<Accumulator> && std::is_integral_v<Output> &&
                           std::is_same_v<written_t<OutputIt>, Output&> &&
                           !std::is_same_v<Output, bool> && sizeof(Output) <= sizeof(Accumulator),
                       Output, Accumulator>;

/// Values as sorts take them: cub::NullType stands for no values, as in CUB.
template <class ValueIt>
ValueIt values_to_sort(ValueIt values) {
  return values;
}
inline no_value* values_to_sort(const cub::NullType*) {
  return nullptr;
}
inline no_value* values_to_sort(cub::NullType*) {
  return nullptr;
}

/// Whether a sort of pairs has only its keys in place, or only its values.
template <class Key, class Value>
bool is_half_in_place(const Key* keys_in, const Key* keys_out, const Value* values_in,
                      const Value* values_out) {
  return !std::is_same_v<Value, no_value> && (keys_in == keys_out) != (values_in == values_out);
}

namespace function {

struct is_set {
  template <class Flag>
  HINDSIGHT_HD bool operator()(const Flag& flag) const {
    return static_cast<bool>(flag);
  }
};

template <class Item, class T>
struct item_as {
  HINDSIGHT_DEVICE T operator()(const Item& item) const { return static_cast<T>(item); }
};

}  // namespace function

inline namespace HINDSIGHT_ARCH_ABI {

/// Items as Ts, if they convert to these.
template <class T, class InputIt>
auto items_as(InputIt in) {
  using item = item_t<InputIt>;
  if constexpr (std::is_same_v<T, item> || !std::is_convertible_v<item, T>) {
    return in;
  } else {
    using function = function::item_as<item, T>;
    return thrust::transform_iterator<function, cuda::unwrapped<InputIt>, T, T>(cuda::unwrap(in),
                                                                                {});
  }
}

/// Whether Froms are equal exactly where they are equal as Tos: integers that become no shorter.
template <class From, class To>
inline constexpr bool keeps_differences = std::is_integral_v<From>&& std::is_integral_v<To> &&
                                          !std::is_same_v<To, bool> && sizeof(From) <= sizeof(To);

/// Keys of runs as CUB compares them: as what their output holds.
template <class UniqueOut, class KeyIt>
auto keys_of_runs(KeyIt keys) {
  using key = output_t<UniqueOut, KeyIt>;
  if constexpr (keeps_differences<item_t<KeyIt>, key>) {
    return keys;
  } else {
    return detail::items_as<key>(keys);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
