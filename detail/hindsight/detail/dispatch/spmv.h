// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrix times vector: a reduction of segments over products.
#pragma once

#include <hindsight/detail/dispatch/segments.h>
#include <hindsight/detail/dispatch/temporary.h>
#include <hindsight/detail/product.h>
#include <hindsight/detail/row_offset.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <string>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/row_offsets.cuh>
#endif

namespace hindsight::detail {

/// A sparse matrix by the offsets of its rows.
template <class OffsetIt, class ColumnIt, class ValueIt>
struct csr_matrix {
  OffsetIt offsets_first, offsets_last;
  ColumnIt columns;
  ValueIt values;
};
/// A sparse matrix by the places of its entries, which are sorted by row.
template <class RowIt, class ColumnIt, class ValueIt>
struct coo_matrix {
  std::size_t num_rows;
  RowIt rows_first, rows_last;
  ColumnIt columns;
  ValueIt values;
};

namespace dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// A pointer where the iterator wraps one: then `times` gets items, and not what stands for them on
/// a device.
template <class System, class It>
auto pointer_or(It it) {
#if HINDSIGHT_CUDA
  if constexpr (!is_host<System>) {
    return cuda::unwrap(it);
  } else
#endif
    return host::plain(it);
}

template <class T, class ColumnIt, class ValueIt, class VectorIt, class Times>
auto products(ColumnIt columns, ValueIt values, VectorIt x, Times times) {
  static_assert(are_random_access<ColumnIt, ValueIt, VectorIt>,
                "hindsight: spmv takes random-access iterators");
  using product = function::product<T, ColumnIt, ValueIt, VectorIt, Times>;
  using counting = thrust::counting_iterator<std::size_t>;
  return thrust::transform_iterator<product, counting, T, T>(counting(0),
                                                             product{columns, values, x, times});
}

template <class D, class System, class OffsetIt, class ColumnIt, class ValueIt, class VectorIt,
          class OutputIt, class T, class Plus, class Times>
OutputIt spmv(const execution_policy<D, System>& policy,
              const csr_matrix<OffsetIt, ColumnIt, ValueIt>& a, VectorIt x, OutputIt y, T zero,
              Plus plus, Times times) {
  constexpr auto name = "hindsight::spmv";
  const segment_offsets<OffsetIt> rows{a.offsets_first, a.offsets_last};
  if constexpr (is_host<System>) {
    if (const std::size_t num_rows = dispatch::count_segments<System>(rows, unknown_items, name)) {
      const auto end = a.offsets_first[static_cast<distance_t<OffsetIt>>(num_rows)];
      dispatch::require_memory<System>(name, static_cast<std::size_t>(end - a.offsets_first[0]),
                                       a.columns, a.values, x);
    }
  }
  const auto entries = dispatch::products<T>(dispatch::pointer_or<System>(a.columns),
                                             dispatch::pointer_or<System>(a.values),
                                             dispatch::pointer_or<System>(x), times);
  return dispatch::reduce_first_segments(policy, name, entries, unknown_items, rows, y, zero, plus);
}

/// Finds the offsets of the rows first, then does as above.
template <class D, class System, class RowIt, class ColumnIt, class ValueIt, class VectorIt,
          class OutputIt, class T, class Plus, class Times>
OutputIt spmv(const execution_policy<D, System>& policy,
              const coo_matrix<RowIt, ColumnIt, ValueIt>& a, VectorIt x, OutputIt y, T zero,
              Plus plus, Times times) {
  constexpr auto name = "hindsight::spmv";
  const std::size_t n = detail::length(a.rows_first, a.rows_last, name);
  if (a.num_rows >= largest_bound)
    throw invalid_call(std::string{name} + ": the matrix has " +
                       std::to_string(static_cast<std::ptrdiff_t>(a.num_rows)) +
                       " rows; pass 0 or more");
  const std::size_t num_offsets = a.num_rows + 1;
  dispatch::require_memory<System>(name, n, a.rows_first, a.columns, a.values, x);
  dispatch::require_memory<System>(name, a.num_rows, y);
  dispatch::with_temporary<std::size_t>(policy, num_offsets, name, [&](std::size_t* offsets) {
    if constexpr (is_host<System>) {
      [[maybe_unused]] const auto team = dispatch::memory_of(policy);
      const host::tiling tiles{num_offsets, sizeof(std::size_t), {}};
      host::for_each_tile(tiles, [&](std::size_t tile) {
        for (std::size_t i = 0; i < tiles.size(tile); ++i)
          offsets[tiles.begin(tile) + i] =
              detail::row_offset(a.rows_first, n, tiles.begin(tile) + i);
      });
    } else {
#if HINDSIGHT_CUDA
      throw_on_error(cuda::find_row_offsets(cuda::unwrap(a.rows_first), n, a.num_rows, offsets,
                                            detail::stream_of(policy)),
                     name);
#endif
    }
    dispatch::spmv(policy,
                   csr_matrix<const std::size_t*, ColumnIt, ValueIt>{offsets, offsets + num_offsets,
                                                                     a.columns, a.values},
                   x, y, zero, plus, times);
  });
  return detail::advanced(y, a.num_rows);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace dispatch
}  // namespace hindsight::detail
