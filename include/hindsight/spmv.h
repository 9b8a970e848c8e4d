// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrix times vector.
//
//   hindsight::spmv(par, hindsight::csr(offsets, columns, values), x.begin(), y.begin());
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/spmv.h>

#include <type_traits>

namespace hindsight {

/// A sparse matrix in compressed rows: row r has the entries [offsets_first[r],
/// offsets_first[r + 1]), and entry i is values[i] in column columns[i].
///   offsets_first, offsets_last  [num_rows + 1]
///   columns, values  [num_entries]
///   Time, Memory, Order, Sync, Errors  none: this only names the matrix
///   Example
///     thrust::device_vector<int> offsets = std::vector<int>{0, 1, 3}, columns(3, 0);
///     thrust::device_vector<float> values(3, 2.0f), x(1, 1.0f), y(2);
///     hindsight::spmv(hindsight::par, hindsight::csr(offsets, columns, values), x.begin(),
///                     y.begin());  // 2, 4
template <class OffsetIt, class ColumnIt, class ValueIt>
detail::csr_matrix<OffsetIt, ColumnIt, ValueIt> csr(OffsetIt offsets_first, OffsetIt offsets_last,
                                                    ColumnIt columns, ValueIt values) {
  return {offsets_first, offsets_last, columns, values};
}
/// The same for ranges.
template <class Offsets, class Columns, class Values, detail::if_range<Offsets> = 0>
auto csr(Offsets&& offsets, Columns&& columns, Values&& values) {
  return hindsight::csr(detail::begin_of(offsets), detail::end_of(offsets),
                        detail::begin_of(columns), detail::begin_of(values));
}

/// A sparse matrix by coordinates: entry i is values[i] in row rows_first[i] and column columns[i].
/// Rows do not decrease.
///   rows_first, rows_last, columns, values  [num_entries]
///   Time, Memory, Order, Sync, Errors  as csr
///   Example
///     thrust::device_vector<int> rows = std::vector<int>{0, 1, 1}, columns(3, 0);
///     thrust::device_vector<float> values(3, 2.0f), x(1, 1.0f), y(2);
///     hindsight::spmv(hindsight::par, hindsight::coo(2, rows, columns, values), x.begin(),
///                     y.begin());  // 2, 4
template <class RowIt, class ColumnIt, class ValueIt>
detail::coo_matrix<RowIt, ColumnIt, ValueIt> coo(std::size_t num_rows, RowIt rows_first,
                                                 RowIt rows_last, ColumnIt columns,
                                                 ValueIt values) {
  return {num_rows, rows_first, rows_last, columns, values};
}
/// The same for ranges.
template <class Rows, class Columns, class Values, detail::if_range<Rows> = 0>
auto coo(std::size_t num_rows, Rows&& rows, Columns&& columns, Values&& values) {
  return hindsight::coo(num_rows, detail::begin_of(rows), detail::end_of(rows),
                        detail::begin_of(columns), detail::begin_of(values));
}

/// y = a x: y[r] = zero plus times(a[r][c], x[c]) plus ..., over the entries of row r in their
/// order. Any semiring will do: plus is associative. Products are of zero's type, sums of the type
/// that plus gives for two of them: with a zero of type double, products of floats are added in
/// double precision; with one of type char and plus<>, sums are ints. Returns the end of y, which
/// must not overlap x or the matrix.
///   a       csr(...) or coo(...)
///   x, y    [number of columns], [number of rows]
///   Time    depends on the number of entries and of rows, not on how long each row is
///   Memory  up to 174 KiB (more for values of more than 8 bytes). coo: also 8 bytes per row
///   Order   depends on the rows' lengths and the type alone, the same on both systems: always the
///           same bits. (On the host only if the compiler makes no fused multiply-add of a product
///           and a sum: for x86-64 it makes none without -march=...)
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where rows_last comes before rows_first, or offsets_last
///           before offsets_first, or there are fewer than 0 rows; on the host also where the last
///           offset is less than the first, or the first less than 0: nothing is launched then
///   Source  Merrill & Garland 2016, "Merge-based Parallel Sparse Matrix-Vector Multiplication"
///   Example
///     thrust::device_vector<int> rows = std::vector<int>{0, 1, 1}, columns(3, 0);
///     thrust::device_vector<float> values(3, 2.0f), x(1, 1.0f), y(2);
///     hindsight::spmv(hindsight::par, hindsight::coo(2, rows, columns, values), x.begin(),
///                     y.begin(), -1.0f, thrust::maximum<float>{},
///                     thrust::multiplies<float>{});  // 2, 2
template <class D, class S, class Matrix, class VectorIt, class OutputIt, class T, class Plus,
          class Times>
OutputIt spmv(const execution_policy<D, S>& policy, Matrix a, VectorIt x, OutputIt y, T zero,
              Plus plus, Times times) {
  return detail::dispatch::spmv(policy, a, x, y, zero, detail::as_twin(plus),
                                detail::as_twin(times));
}

/// The same with zero = 0 of y's type, plus<> and multiplies<>. (Where y only takes writes, as
/// tabulate_output_iterator, and so has no type: 0 of x's type.)
template <class D, class S, class Matrix, class VectorIt, class OutputIt>
OutputIt spmv(const execution_policy<D, S>& policy, Matrix a, VectorIt x, OutputIt y) {
  using sum = detail::item_t<std::conditional_t<detail::only_writes<OutputIt>, VectorIt, OutputIt>>;
  return hindsight::spmv(policy, a, x, y, detail::zero<sum>(), ::cuda::std::plus<>{},
                         ::cuda::std::multiplies<>{});
}

// Without a policy: run where the iterators of the matrix, x and y say.

/// The same over any semiring without a policy.
template <
    template <class, class, class> class Matrix, class PlaceIt, class ColumnIt, class ValueIt,
    class VectorIt, class OutputIt, class T, class Plus, class Times,
    class Policy = detail::default_policy<VectorIt, VectorIt, OutputIt, PlaceIt, ColumnIt, ValueIt>>
OutputIt spmv(const Matrix<PlaceIt, ColumnIt, ValueIt>& a, VectorIt x, OutputIt y, T zero,
              Plus plus, Times times) {
  return hindsight::spmv(Policy{}, a, x, y, zero, plus, times);
}
/// The same with zero = 0 of y's type, plus<> and multiplies<>.
template <
    template <class, class, class> class Matrix, class PlaceIt, class ColumnIt, class ValueIt,
    class VectorIt, class OutputIt,
    class Policy = detail::default_policy<VectorIt, VectorIt, OutputIt, PlaceIt, ColumnIt, ValueIt>>
OutputIt spmv(const Matrix<PlaceIt, ColumnIt, ValueIt>& a, VectorIt x, OutputIt y) {
  return hindsight::spmv(Policy{}, a, x, y);
}

}  // namespace hindsight
