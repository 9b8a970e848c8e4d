// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans down the columns of a matrix, in place. Bands of rows are folded side by side; what lies
// before a band is then known from the folds of the bands above.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/tuning/order.h>
#include <hindsight/detail/tuning/plain.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Rows [row, row_end) of column `column`; a block has neighbouring columns of one band.
struct band_of_column {
  std::size_t column, band, row, row_end;

  HINDSIGHT_DEVICE band_of_column(std::size_t width, std::size_t height) {
    const std::size_t blocks_across = (width + plain_threads - 1) / plain_threads;
    column = blockIdx.x % blocks_across * plain_threads + threadIdx.x;
    band = blockIdx.x / blocks_across;
    row = band * band_rows;
    row_end = ::cuda::std::min(row + band_rows, height);
  }
};

/// What load() returns for each of so many rows.
template <class Loaded, int Rows>
struct loaded_rows {
  uninitialized<Loaded> rows[Rows];
  static constexpr int count = Rows;
  HINDSIGHT_DEVICE const Loaded& operator[](int k) const { return rows[k].get(); }
};

/// Calls use(row, loaded) for rows [row, row_end), in order; `loaded` is load() of this row and of
/// those that follow in its batch. A batch is Batch rows, at the end one row. All rows of a batch
/// are loaded before it is used: the compiler cannot know that `use` writes no row that is still to
/// load.
template <int Batch, class Load, class Use>
HINDSIGHT_DEVICE void for_batches_of_rows(std::size_t row, std::size_t row_end, Load load,
                                          Use use) {
  using loaded = decltype(load(row));
  for (; row + Batch <= row_end; row += Batch) {
    loaded_rows<loaded, Batch> batch;
    HINDSIGHT_UNROLL
    for (int k = 0; k < Batch; ++k) batch.rows[k].set(load(row + k));
    use(row, batch);
  }
  for (; row < row_end; ++row) {
    loaded_rows<loaded, 1> batch;
    batch.rows[0].set(load(row));
    use(row, batch);
  }
}

/// Calls f(row, item) for rows [row, row_end) of a column, in order.
template <class T, class It, class F>
HINDSIGHT_DEVICE void for_each_row(It column, std::size_t pitch, std::size_t row,
                                   std::size_t row_end, F f) {
  cuda::for_batches_of_rows<column_batch<T>>(
      row, row_end, [&](std::size_t at) { return cuda::as_item<T>(column[at * pitch]); },
      [&](std::size_t first, const auto& items) {
        HINDSIGHT_UNROLL
        for (int k = 0; k < items.count; ++k) f(first + k, items[k]);
      });
}

///   folds  [num_bands * width], written
template <class T, class It, class Op>
HINDSIGHT_KERNEL void fold_bands_kernel(It items, std::size_t width, std::size_t height,
                                        std::size_t pitch, T* folds, Op op) {
  const band_of_column part{width, height};
  if (part.column >= width) return;
  uninitialized<T> fold;
  cuda::for_each_row<T>(items + part.column, pitch, part.row, part.row_end,
                        [&](std::size_t row, const T& item) {
                          fold.set(row > part.row ? op(fold.get(), item) : item);
                        });
  folds[part.band * width + part.column] = fold.get();
}

/// Replaces the fold of each band by that of this band and all above it.
template <class T, class Op>
HINDSIGHT_KERNEL void scan_folds_kernel(T* folds, std::size_t width, std::size_t num_bands, Op op) {
  ptx::wait_for_launch_before();
  const std::size_t column = std::size_t{blockIdx.x} * plain_threads + threadIdx.x;
  if (column >= width) return;
  uninitialized<T> carry;
  T* const own = folds + column;
  cuda::for_each_row<T>(own, width, 0, num_bands, [&](std::size_t band, const T& fold) {
    carry.set(band > 0 ? op(carry.get(), fold) : fold);
    own[band * width] = carry.get();
  });
}

template <class T, class It, class Op>
HINDSIGHT_KERNEL void scan_bands_kernel(It items, std::size_t width, std::size_t height,
                                        std::size_t pitch, const T* folds, Op op) {
  ptx::wait_for_launch_before();
  const band_of_column part{width, height};
  if (part.column >= width) return;
  uninitialized<T> own, before;
  if (part.band > 0) before.set(folds[(part.band - 1) * width + part.column]);
  const auto column = items + part.column;
  cuda::for_each_row<T>(column, pitch, part.row, part.row_end, [&](std::size_t row, const T& item) {
    own.set(row > part.row ? op(own.get(), item) : item);
    const T& result = part.band > 0 ? op(before.get(), own.get()) : own.get();
    column[row * pitch] = result;
  });
}

/// Host side, in CUB's two phases.
template <class T, class It, class Op>
cudaError_t scan_columns(void* temp, std::size_t& temp_bytes, It items, std::size_t width,
                         std::size_t height, std::size_t pitch, Op op, cudaStream_t stream) {
  const std::size_t num_bands = (height + band_rows - 1) / band_rows;
  const std::size_t blocks_across = (width + plain_threads - 1) / plain_threads;
  carver space{temp};
  T* const folds = space.take<T>(num_bands > 1 ? num_bands * width : 0);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (width == 0 || height == 0) return cudaSuccess;
  if (num_bands * blocks_across > 0x7fff'ffff) return cudaErrorInvalidConfiguration;
  const auto blocks = static_cast<unsigned>(num_bands * blocks_across);
  const fold_with<T, Op> fold{op};
  if (num_bands > 1) {
    constexpr auto fold_bands = fold_bands_kernel<T, It, fold_with<T, Op>>;
    constexpr auto scan_folds = scan_folds_kernel<T, fold_with<T, Op>>;
    HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT_IF(false, blocks, plain_threads, 0, stream, fold_bands)(
        items, width, height, pitch, folds, fold));
    HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(blocks_across), plain_threads, 0,
                                        stream, scan_folds)(folds, width, num_bands, fold));
  }
  constexpr auto scan_bands = scan_bands_kernel<T, It, fold_with<T, Op>>;
  return HINDSIGHT_LAUNCH_NEXT_IF(num_bands > 1, blocks, plain_threads, 0, stream, scan_bands)(
      items, width, height, pitch, folds, fold);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
