// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes items at a rank's place, each by itself.
#pragma once

#include <hindsight/detail/host/team.h>
#include <hindsight/policy.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cstddef>
#include <utility>

namespace hindsight::detail::ranks {

inline namespace HINDSIGHT_HOST_ABI {

/// to[i] = f(i) for each i in [0, n), where a call of f reads about `bytes_read` bytes. Not by
/// stock: an exception in a thread of its OpenMP system ends the program.
template <class D, class T, class F>
void make_items(const execution_policy<D, hindsight::host::system>&, std::size_t n,
                std::size_t bytes_read, T* to, F f) {
  const host::tiling tiles{n, bytes_read, {}};
  host::for_each_tile(tiles, [&](std::size_t tile) {
    const F own_f = std::as_const(f);
    for (std::size_t i = tiles.begin(tile), end = i + tiles.size(tile); i < end; ++i)
      to[i] = own_f(i);
  });
}

}  // namespace HINDSIGHT_HOST_ABI

#if HINDSIGHT_CUDA
template <class D, class T, class F>
void make_items(const execution_policy<D, hindsight::cuda::system>& policy, std::size_t n,
                std::size_t, T* to, F f) {
  const thrust::counting_iterator<std::size_t> first(0);
  thrust::transform(policy, first, first + std::ptrdiff_t(n), to, f);
}
#endif

}  // namespace hindsight::detail::ranks
