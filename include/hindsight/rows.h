// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows and columns of matrices as ranges, for every call that takes one. An mdspan of one dimension
// is a range by itself.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/range.h>

#include <cuda/std/mdspan>

#include <cstddef>
#include <type_traits>

#if __has_include(<version>)
#  include <version>
#endif
#if defined(__cpp_lib_mdspan)
#  include <mdspan>
#endif

namespace hindsight {
namespace detail {

/// Holds for std::mdspan and cuda::std::mdspan of two dimensions.
template <class Matrix>
using if_matrix = std::enable_if_t<Matrix::rank() == 2, typename Matrix::extents_type>;

/// The layouts whose last dimension, and whose first, has items side by side.
template <class Layout>
inline constexpr bool has_dense_rows = std::is_same_v<Layout, ::cuda::std::layout_right>;
template <class Layout>
inline constexpr bool has_dense_columns = std::is_same_v<Layout, ::cuda::std::layout_left>;
#if defined(__cpp_lib_mdspan)
template <>
inline constexpr bool has_dense_rows<std::layout_right> = true;
template <>
inline constexpr bool has_dense_columns<std::layout_left> = true;
#endif

/// `count` items from `first` on.
template <class It>
struct counted_range {
  It first;
  std::size_t count;

  It begin() const { return first; }
  It end() const { return first + static_cast<std::ptrdiff_t>(count); }
  std::size_t size() const { return count; }
  decltype(auto) operator[](std::size_t i) const { return first[static_cast<std::ptrdiff_t>(i)]; }
};

/// What lies along dimension `Along` from {i, j} on.
template <std::size_t Along, bool IsDense, class Matrix, class Index>
auto items_along(const Matrix& matrix, Index i, Index j) {
  static_assert(detail::require_plain_items<Matrix>());
  const auto first = matrix.data_handle() + matrix.mapping()(i, j);
  const auto count = static_cast<std::size_t>(matrix.extent(Along));
  if constexpr (IsDense) {
    return counted_range<std::remove_const_t<decltype(first)>>{first, count};
  } else {
    const auto items = detail::strided(first, static_cast<std::ptrdiff_t>(matrix.stride(Along)));
    return counted_range<std::remove_const_t<decltype(items)>>{items, count};
  }
}

}  // namespace detail

/// Row i of a std::mdspan or cuda::std::mdspan: a range. Its iterators are pointers if the layout
/// is layout_right, the default. Pointers do not say where they point to: calls without a policy
/// then run on host threads.
///   Time, Memory, Order, Sync, Errors  none: this only names the items
///   Example
///     thrust::device_vector<int> items(6 * 4, 1);
///     const cuda::std::mdspan<int, cuda::std::dextents<int, 2>> matrix{items.data().get(), 6, 4};
///     hindsight::sort(hindsight::par, hindsight::row(matrix, 2));
///     const int sum = hindsight::reduce(hindsight::par, hindsight::column(matrix, 3));  // 6
template <class Matrix, class = detail::if_matrix<Matrix>>
auto row(const Matrix& matrix, typename Matrix::index_type i) {
  constexpr bool is_dense = detail::has_dense_rows<typename Matrix::layout_type>;
  return detail::items_along<1, is_dense>(matrix, i, typename Matrix::index_type{0});
}

/// Column j of a std::mdspan or cuda::std::mdspan: a range. Its iterators are pointers if the
/// layout is layout_left.
///   Time, Memory, Order, Sync, Errors  as row
///   Example
///     thrust::device_vector<int> items(6 * 4, 1);
///     const cuda::std::mdspan<int, cuda::std::dextents<int, 2>> matrix{items.data().get(), 6, 4};
///     hindsight::sort(hindsight::par, hindsight::column(matrix, 3));
template <class Matrix, class = detail::if_matrix<Matrix>>
auto column(const Matrix& matrix, typename Matrix::index_type j) {
  constexpr bool is_dense = detail::has_dense_columns<typename Matrix::layout_type>;
  return detail::items_along<0, is_dense>(matrix, typename Matrix::index_type{0}, j);
}

}  // namespace hindsight
