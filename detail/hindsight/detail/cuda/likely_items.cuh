// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// About how many items an input has, where only kernels know. It tells which kernel pays: results
// do not depend on it.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/driver.h>
#include <hindsight/detail/product.h>

#include <cuda/std/functional>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// As many as the input's allocation has room for: at least 1, since an item may lie in two pieces
/// of memory.
template <class T>
std::size_t likely_items(T* const& items) {
  return ::cuda::std::max<std::size_t>(detail::allocated_bytes(items) / sizeof(T), 1);
}
/// Nobody knows.
template <class InputIt>
std::size_t likely_items(const InputIt&) {
  return ~std::size_t{0};
}
/// As many as the matrix has values.
template <class T, class ColumnIt, class ValueIt, class VectorIt, class Times, class... Others>
std::size_t likely_items(
    const thrust::transform_iterator<function::product<T, ColumnIt, ValueIt, VectorIt, Times>,
                                     Others...>& products) {
  return cuda::likely_items(products.functor().values);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
