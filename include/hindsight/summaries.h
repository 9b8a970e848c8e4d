// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One or two numbers for a range: mean, product, least and greatest item. And split: the stable
// partition of a range by a bit.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/extrema.h>
#include <hindsight/detail/dispatch/range.h>
#include <hindsight/detail/key_bits.h>
#include <hindsight/partition.h>
#include <hindsight/reduce.h>

#include <cuda/std/utility>

#include <string>
#include <type_traits>

namespace hindsight {
namespace detail::function {

struct to_double {
  template <class Item>
  HINDSIGHT_HD double operator()(const Item& item) const {
    return static_cast<double>(item);
  }
};

// Copies are made as T(item): T's copy constructor may be explicit.
template <class T>
struct extremes {
  T least, greatest;
  bool exist;
};
template <class T>
struct to_extremes {
  HINDSIGHT_HD extremes<T> operator()(const T& item) const { return {T(item), T(item), true}; }
};
template <class Less>
struct join_extremes {
  mutable Less less;
  _CCCL_EXEC_CHECK_DISABLE
  template <class T>
  HINDSIGHT_HD extremes<T> operator()(const extremes<T>& a, const extremes<T>& b) const {
    if (!a.exist || !b.exist) return a.exist ? a : b;
    return {T(is_less(b.least, a.least) ? b.least : a.least),
            T(is_less(a.greatest, b.greatest) ? b.greatest : a.greatest), true};
  }

 private:
  /// A comparator that asks for items that are not const gets copies.
  _CCCL_EXEC_CHECK_DISABLE
  template <class T>
  HINDSIGHT_HD bool is_less(const T& a, const T& b) const {
    if constexpr (std::is_invocable_v<Less&, const T&, const T&>) {
      return bool(less(a, b));
    } else {
      T own_a(a), own_b(b);
      return bool(less(own_a, own_b));
    }
  }
};

template <class Item>
struct bit_is_clear {
  int bit;
  HINDSIGHT_HD bool operator()(const Item& item) const { return (item >> bit & 1) == 0; }
};

}  // namespace detail::function

namespace detail {

/// Refuses a number of a bit by which nobody may shift an Item.
template <class Item>
void refuse_bit(const char* algorithm, int bit) {
  if constexpr (is_integer<Item>) {
    constexpr int bits = sizeof(+Item{}) * 8;  // shorter ones are shifted as ints
    if (bit < 0 || bit >= bits)
      throw invalid_call(std::string{algorithm} + ": there is no bit number " +
                         std::to_string(bit) + "; the last one is " + std::to_string(bits - 1));
  }
}

/// Any item of a range that is not empty: it is copied, but nobody reads its value.
template <class D, class InputIt>
item_t<InputIt> any_item(const host_policy<D>&, const char* algorithm, InputIt first,
                         InputIt last) {
  dispatch::host_length(algorithm, first, last);  // refuses null
  return static_cast<item_t<InputIt>>(*host::that_copies(first));
}
#if HINDSIGHT_CUDA
/// The same for device memory, which the host may not read. Without a default constructor it is an
/// item of zero bytes.
template <class D, class InputIt>
item_t<InputIt> any_item(const cuda_policy<D>&, const char*, InputIt, InputIt) {
  using item = item_t<InputIt>;
  if constexpr (std::is_default_constructible_v<item>) {
    return item{};
  } else {
    union {
      unsigned char bytes[sizeof(item)];
      item value;
    } some{};
    return some.value;
  }
}
#endif

/// The least and the greatest of the items of a range that is not empty.
template <class Policy, class It, class Less>
::cuda::std::pair<item_t<It>, item_t<It>> fold_extremes(const Policy& policy, const char* name,
                                                        It first, It last, Less less) {
  using item = item_t<It>;
  const item any = detail::any_item(policy, name, first, last);
  const auto found = dispatch::transform_reduce(
      policy, name, first, last, function::to_extremes<item>{},
      function::extremes<item>{item(any), item(any), false}, function::join_extremes<Less>{less});
  return ::cuda::std::pair<item, item>(found.least, found.greatest);
}
template <class D, class It, class Less>
auto find_extremes(const host_policy<D>& policy, const char* name, It first, It last, Less less) {
  if constexpr (host::are_numbers<decltype(host::plain(first)), Less>) {
    const auto found = dispatch::run_minmax_element(policy, name, first, last, less);
    return ::cuda::std::pair<item_t<It>, item_t<It>>{*found.first, *found.second};
  } else {
    return detail::fold_extremes(policy, name, first, last, less);
  }
}
#if HINDSIGHT_CUDA
template <class D, class It, class Less>
auto find_extremes(const cuda_policy<D>& policy, const char* name, It first, It last, Less less) {
  return detail::fold_extremes(policy, name, first, last, less);
}
#endif

}  // namespace detail

/// (first[0] + ... + last[-1]) / (last - first), in double precision; not a number if there are no
/// items.
///   Time    every item is read once
///   Memory  CUDA: up to 43 KB of partial results on 132 multiprocessors, none for one tile (some
///           thousand items). Host: 16 bytes for each 16,384 items, none if one thread runs
///   Order   that of a reduce of doubles: depends on n, the iterator and the machine alone
///   Sync    waits for the result
///   Errors  the policy's; invalid_call where last comes before first: nothing is launched then
///   Example
///     thrust::device_vector<int> items = std::vector<int>{1, 2, 6};
///     const double m = hindsight::mean(hindsight::par, items.begin(), items.end());  // 3
template <class D, class S, class InputIt>
double mean(const execution_policy<D, S>& policy, InputIt first, InputIt last) {
  constexpr const char* name = "hindsight::mean";
  const std::size_t n = detail::length(first, last, name);
  const double sum = detail::dispatch::transform_reduce(
      policy, name, first, last, detail::function::to_double{}, 0.0, ::cuda::std::plus<double>{});
  return sum / static_cast<double>(n);
}

/// init * first[0] * ... * last[-1], in the type of init.
///   Memory  as mean, for results of up to 8 bytes
///   Order   that of a reduce: for numbers that round, depends on n, the types, the iterator and
///           the machine alone
///   Time, Sync, Errors  as mean
///   Example
///     thrust::device_vector<int> items = std::vector<int>{1, 2, 6};
///     const int p = hindsight::product(hindsight::par, items.begin(), items.end());  // 12
template <class D, class S, class InputIt, class T>
T product(const execution_policy<D, S>& policy, InputIt first, InputIt last, T init) {
  return detail::dispatch::reduce(policy, "hindsight::product", first, last, init,
                                  ::cuda::std::multiplies<T>{});
}
/// The same from 1, in the type of the items.
template <class D, class S, class InputIt>
detail::item_t<InputIt> product(const execution_policy<D, S>& policy, InputIt first, InputIt last) {
  return hindsight::product(policy, first, last, detail::item_t<InputIt>(1));
}

/// The least and the greatest of the items in [first, last), in one pass: values, as
/// std::ranges::minmax.
///   Time    every item is read once; less is called at most twice per item
///   Memory  CUDA: on 132 multiprocessors up to 64 KB of partial results for items of up to 4
///           bytes, 128 KB for items of 8, none for one tile. Host: two items and two flags for
///           each 128 KB of such results, 24 bytes for each 128 KB of numbers, none if one thread
///           runs
///   Order   of items that are equivalent by `less`, any may be returned
///   Sync    waits for the result
///   Errors  the policy's; invalid_call if there is no item, or last comes before first: nothing is
///           launched then
///   Example
///     thrust::device_vector<int> items = std::vector<int>{1, 2, 6};
///     const auto ends = hindsight::minmax(hindsight::par, items.begin(), items.end());
///     const int range = ends.second - ends.first;  // 5
template <class D, class S, class InputIt, class Less>
::cuda::std::pair<detail::item_t<InputIt>, detail::item_t<InputIt>> minmax(
    const execution_policy<D, S>& policy, InputIt first, InputIt last, Less less) {
  constexpr const char* name = "hindsight::minmax";
  if (detail::length(first, last, name) == 0)
    throw invalid_call("hindsight::minmax: an empty range has no least item; ask for one that has");
  return detail::find_extremes(policy, name, first, last, detail::as_twin(less));
}
/// The same by <.
template <class D, class S, class InputIt>
auto minmax(const execution_policy<D, S>& policy, InputIt first, InputIt last) {
  return hindsight::minmax(policy, first, last, ::cuda::std::less<>{});
}

/// Moves the integers of [first, last) in which bit number `bit` is 0 before those in which it is
/// 1. Returns the first of the latter. (One split for each bit, from bit 0 on, is a sort.)
///   Time    every item is read once and written once, those with a 1 once more
///   Memory  room for n items. CUDA: also 32 bytes per tile of 4 K to 16 K items. Host: also 32
///           bytes per tile of 32 KB, and two tiles for each thread
///   Order   that of the input, in both parts
///   Sync    waits for the border
///   Errors  the policy's; invalid_call where last comes before first, or the integers have no such
///           bit: nothing is launched then
///   Example
///     thrust::device_vector<int> items = std::vector<int>{1, 2, 6, 3};
///     hindsight::split(hindsight::par, items.begin(), items.end(), 0);  // 2, 6, 1, 3
template <class D, class S, class It>
It split(const execution_policy<D, S>& policy, It first, It last, int bit) {
  constexpr const char* name = "hindsight::split";
  detail::refuse_bit<detail::item_t<It>>(name, bit);
  return detail::dispatch::stable_partition(
      policy, name, first, last, detail::function::bit_is_clear<detail::item_t<It>>{bit});
}

// With a range in place of first and last, and without a policy.

/// The same for the items of a range.
template <class D, class S, class Range, detail::if_range<Range> = 0>
double mean(const execution_policy<D, S>& policy, Range&& range) {
  return hindsight::mean(policy, detail::begin_of(range), detail::end_of(range));
}
/// The same for a range, run where its iterators say.
template <class Range, detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
double mean(Range&& range) {
  return hindsight::mean(Policy{}, detail::begin_of(range), detail::end_of(range));
}
/// The same without a policy, run where the iterators say.
template <class It, class Policy = detail::default_policy<It, It>>
double mean(It first, It last) {
  return hindsight::mean(Policy{}, first, last);
}

/// The same for the items of a range.
template <class D, class S, class Range, class T = detail::range_item_t<Range>,
          detail::if_range<Range> = 0>
T product(const execution_policy<D, S>& policy, Range&& range, T init = T(1)) {
  return hindsight::product(policy, detail::begin_of(range), detail::end_of(range), init);
}
/// The same for a range, run where its iterators say.
template <class Range, class T = detail::range_item_t<Range>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
T product(Range&& range, T init = T(1)) {
  return hindsight::product(Policy{}, detail::begin_of(range), detail::end_of(range), init);
}
/// The same without a policy, run where the iterators say.
template <class It, class T = detail::item_t<It>, class Policy = detail::default_policy<It, It>>
T product(It first, It last, T init = T(1)) {
  return hindsight::product(Policy{}, first, last, init);
}

/// The same for the items of a range.
template <class D, class S, class Range, class Less = ::cuda::std::less<>,
          detail::if_range<Range> = 0>
auto minmax(const execution_policy<D, S>& policy, Range&& range, Less less = {}) {
  return hindsight::minmax(policy, detail::begin_of(range), detail::end_of(range), less);
}
/// The same for a range, run where its iterators say.
template <class Range, class Less = ::cuda::std::less<>, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
auto minmax(Range&& range, Less less = {}) {
  return hindsight::minmax(Policy{}, detail::begin_of(range), detail::end_of(range), less);
}
/// The same without a policy, run where the iterators say.
template <class It, class Less = ::cuda::std::less<>, class Policy = detail::default_policy<It, It>>
auto minmax(It first, It last, Less less = {}) {
  return hindsight::minmax(Policy{}, first, last, less);
}

/// The same for the items of a range.
template <class D, class S, class Range, detail::if_range<Range> = 0>
detail::range_iterator_t<Range> split(const execution_policy<D, S>& policy, Range&& range,
                                      int bit) {
  return hindsight::split(policy, detail::begin_of(range), detail::end_of(range), bit);
}
/// The same for a range, run where its iterators say.
template <class Range, detail::if_range<Range> = 0, class Policy = detail::default_policy<Range>>
detail::range_iterator_t<Range> split(Range&& range, int bit) {
  return hindsight::split(Policy{}, detail::begin_of(range), detail::end_of(range), bit);
}
/// The same without a policy, run where the iterators say.
template <class It, class Policy = detail::default_policy<It, It>>
It split(It first, It last, int bit) {
  return hindsight::split(Policy{}, first, last, bit);
}

}  // namespace hindsight
