// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for the library's header of this name: some machines have clusters.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/tuning/look_back.h>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <auto Kernel>
cudaError_t may_be_cluster(int, bool& answer) {
  return answer = emulation::machine().has_clusters, cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
