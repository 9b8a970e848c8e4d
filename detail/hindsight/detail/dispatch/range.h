// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What counts as a range: anything with begin() and end(), C arrays, and rows, which are mdspans of
// one dimension. No std::valarray: it has no begin() of its own, so its std::begin and std::end are
// passed.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/std/iterator>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace hindsight::detail {

template <class T, class = void>
inline constexpr bool is_iterator = false;
/// (Before C++20 a pointer to a function names a category, too.)
template <class T>
inline constexpr bool
    is_iterator<T, std::void_t<typename ::cuda::std::iterator_traits<T>::iterator_category>> =
        !std::is_function_v<std::remove_pointer_t<T>>;

template <class T, class = void>
inline constexpr bool has_begin_and_end = false;
template <class T>
inline constexpr bool has_begin_and_end<
    T, std::void_t<decltype(std::declval<T&>().begin()), decltype(std::declval<T&>().end())>> =
    true;

/// std::mdspan and cuda::std::mdspan of one dimension.
template <class T, class = void>
inline constexpr bool is_row = false;
template <class T>
inline constexpr bool
    is_row<T, std::void_t<typename T::extents_type, decltype(std::declval<T&>().data_handle()),
                          decltype(std::declval<T&>().mapping())>> = T::rank() == 1;

/// (An array that is declared without its bound has no end.)
template <class T>
inline constexpr bool is_range = has_begin_and_end<T> || is_row<T> || std::extent_v<T> != 0;

template <class Range>
using if_range = std::enable_if_t<is_range<std::remove_reference_t<Range>>, int>;

namespace function {

/// Where item i of a row lies, from the first one on.
struct times_stride {
  std::ptrdiff_t stride;
  HINDSIGHT_HD std::ptrdiff_t operator()(std::ptrdiff_t i) const { return i * stride; }
};

}  // namespace function

/// Items that lie `stride` apart.
template <class It>
auto strided(It first, std::ptrdiff_t stride) {
  using counting = thrust::counting_iterator<std::ptrdiff_t>;
  return thrust::make_permutation_iterator(
      first,
      thrust::transform_iterator<function::times_stride, counting, std::ptrdiff_t, std::ptrdiff_t>(
          counting(0), function::times_stride{stride}));
}

/// True, or else does not compile: items are read where they lie, at equal distances, without an
/// mdspan's accessor and mapping.
template <class Matrix>
constexpr bool require_plain_items() {
  constexpr bool are_plain = std::is_lvalue_reference_v<typename Matrix::reference>;
  static_assert(are_plain,
                "hindsight: the accessor of this mdspan changes its items, and would not be asked; "
                "copy them first, or pass a transform_iterator over them");
  constexpr bool has_strides = Matrix::is_always_strided();
  static_assert(has_strides,
                "hindsight: the layout of this mdspan has no strides, and its mapping would not be "
                "asked; copy the items first, or pass a permutation_iterator over them");
  return are_plain && has_strides;
}

/// Whether the layout of a row, which has a stride, says that its items lie side by side.
template <class Row>
inline constexpr bool is_dense = Row::is_always_exhaustive();

/// Where a range begins.
template <class Range, if_range<Range> = 0>
auto begin_of(Range&& range) {
  using type = std::remove_reference_t<Range>;
  if constexpr (std::is_array_v<type>) {
    return static_cast<std::remove_extent_t<type>*>(range);  // an item may have its own operator&
  } else if constexpr (has_begin_and_end<type>) {
    return range.begin();
  } else if constexpr (detail::require_plain_items<type>() && is_dense<type>) {
    return range.data_handle();
  } else {
    return detail::strided(range.data_handle(), static_cast<std::ptrdiff_t>(range.stride(0)));
  }
}

/// Where it ends. A view whose end is of another type than its begin is taken by its size.
template <class Range>
auto end_of(Range&& range) {
  using type = std::remove_reference_t<Range>;
  const auto begin = detail::begin_of(range);
  if constexpr (std::is_array_v<type>) {
    return begin + std::extent_v<type>;
  } else if constexpr (!has_begin_and_end<type>) {
    return begin + static_cast<std::ptrdiff_t>(range.extent(0));
  } else if constexpr (std::is_same_v<std::decay_t<decltype(range.end())>,
                                      std::decay_t<decltype(begin)>>) {
    return range.end();
  } else {
    return begin + static_cast<std::ptrdiff_t>(range.size());
  }
}

template <class Range>
using range_iterator_t = std::decay_t<decltype(detail::begin_of(std::declval<Range&>()))>;
template <class Range>
using range_item_t = typename ::cuda::std::iterator_traits<range_iterator_t<Range>>::value_type;

}  // namespace hindsight::detail
