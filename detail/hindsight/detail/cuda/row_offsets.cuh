// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the rows of a sparse matrix in coordinates begin.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/row_offset.h>
#include <hindsight/detail/tuning/plain.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

///   rows     [n], not decreasing
///   offsets  [num_rows + 1], written: where each row begins
template <class RowIt>
HINDSIGHT_KERNEL void find_row_offsets_kernel(RowIt rows, std::size_t n, std::size_t num_rows,
                                              std::size_t* offsets) {
  const std::size_t row = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row <= num_rows) offsets[row] = detail::row_offset(rows, n, row);
}

template <class RowIt>
cudaError_t find_row_offsets(RowIt rows, std::size_t n, std::size_t num_rows, std::size_t* offsets,
                             cudaStream_t stream) {
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_rows / plain_threads + 1), plain_threads, 0, stream,
                   find_row_offsets_kernel)
  (rows, n, num_rows, offsets);
  return detail::reported(cudaPeekAtLastError());
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
