// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/config.h>

#include <thrust/iterator/iterator_traits.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

namespace hindsight::detail {

template <class It>
using value_of = typename ::cuda::std::iterator_traits<It>::value_type;

/// A raw pointer if the iterator is one in disguise, else the iterator itself: kernels then move
/// wide words, and one kernel serves all spellings of a pointer.
template <class It>
HINDSIGHT_HD auto unwrap(It it) {
  if constexpr (thrust::is_contiguous_iterator_v<It>) {
    return thrust::unwrap_contiguous_iterator(it);
  } else {
    return it;
  }
}

}  // namespace hindsight::detail
