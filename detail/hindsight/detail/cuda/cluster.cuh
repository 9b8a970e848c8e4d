// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters: few blocks that the GPU starts together, so that they may wait for each other. They
// write to each other's shared memory.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/tuning/look_back.h>

#include <cuda_runtime_api.h>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The launch attribute of a grid that is one cluster.
inline cudaLaunchAttribute one_cluster(unsigned blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {blocks, 1, 1};
  return attribute;
}

/// Whether the current device has room for most_cluster_blocks blocks as one cluster. A part of a
/// GPU may lack it. An answer of "no" is no error.
HINDSIGHT_OUT_OF_LINE inline bool has_room_for_cluster(const void* kernel, int block_threads) {
  cudaLaunchAttribute attribute = one_cluster(most_cluster_blocks);
  cudaLaunchConfig_t config{};
  config.gridDim = most_cluster_blocks;
  config.blockDim = static_cast<unsigned>(block_threads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) != cudaSuccess)
    return cudaGetLastError(), false;
  return clusters > 0;
}

/// Whether up to most_cluster_blocks blocks of a kernel may be one cluster on the current device.
/// Asks once per thread and device.
template <auto Kernel>
cudaError_t may_be_cluster(int block_threads, bool& answer) {
  thread_local int known_device = -1;
  thread_local bool known_answer = false;
  int device = 0;
  HINDSIGHT_TRY(cudaGetDevice(&device));
  if (device != known_device) {
    // An error from before stays as it is, and the question for another time.
    if (cudaPeekAtLastError() != cudaSuccess) return answer = false, cudaSuccess;
    int architecture = 0;
    HINDSIGHT_TRY(architecture_of_code<Kernel>(architecture));
    known_answer = architecture >= 90 &&
                   has_room_for_cluster(reinterpret_cast<const void*>(Kernel), block_threads);
    known_device = device;
  }
  return answer = known_answer, cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
