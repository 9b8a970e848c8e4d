// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two sides of a comparison: stock's policy and ours, what ours are lent, and results of both.
#pragma once

#include <hindsight/policy.h>

#include <thrust/execution_policy.h>

#include "arrays.h"
#include <cstddef>
#include <type_traits>
#include <vector>

namespace hindsight_test {

#if HINDSIGHT_CUDA
inline constexpr auto& stock_policy = thrust::cuda::par;
#else
inline constexpr auto& stock_policy = thrust::device;  // the host system of the translation unit
#endif

template <class Policy>
inline constexpr bool is_stock =
    std::is_same_v<std::decay_t<Policy>, std::decay_t<decltype(stock_policy)>>;

enum class side { ours, stock };
using our_side = std::integral_constant<side, side::ours>;
using stock_side = std::integral_constant<side, side::stock>;

/// The results of both sides.
template <class T>
struct outputs {
  array<T> ours, stock;

  outputs(std::size_t n, std::size_t shift) : ours(n, shift), stock(n, shift) {}
  /// Items that calls change in place.
  outputs(const std::vector<stored<T>>& items, std::size_t shift) : outputs(items.size(), shift) {
    ours.put(items);
    stock.put(items);
  }
  const array<T>& operator[](side which) const { return which == side::ours ? ours : stock; }
};

/// The memory of policies with a workspace, and the stream of policies with a stream.
class lent {
 public:
  static constexpr std::size_t workspace_bytes = std::size_t{256} << 20;
  static const lent& instance() {
    static const lent one;
    return one;
  }
  void* workspace() const { return workspace_; }
#if HINDSIGHT_CUDA
  cudaStream_t stream() const {
    return stream_;
  }
#endif

 private:
  lent() {
#if HINDSIGHT_CUDA
    memory::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
#endif
  }
  void* workspace_ = memory::allocate(workspace_bytes);  // both live as long as the process
#if HINDSIGHT_CUDA
  cudaStream_t stream_ = nullptr;
#endif
};

}  // namespace hindsight_test
