// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a sparse matrix, each times the item of a vector in its column.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/std/iterator>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::function {

/// Entry i of a matrix times the item of x in its column.
template <class T, class ColumnIt, class ValueIt, class VectorIt, class Times>
struct product {
  using value_type = std::remove_cv_t<typename ::cuda::std::iterator_traits<ValueIt>::value_type>;
  using item_type = std::remove_cv_t<typename ::cuda::std::iterator_traits<VectorIt>::value_type>;
  ColumnIt columns;
  ValueIt values;
  VectorIt x;
  mutable Times times;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD T operator()(std::size_t i) const {
    // `times` may change its operands. What is not const might be copied by another constructor.
    const value_type& value_there = values[i];
    value_type value(value_there);
    const item_type& item_there = x[static_cast<std::size_t>(columns[i])];
    item_type item(item_there);
    return static_cast<T>(times(value, item));
  }
};

}  // namespace hindsight::detail::function
