// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summed-area tables in two passes over the image. The first folds the columns and the rows of each
// tile. There is one fold for about 26 items. Scans of the folds tell what lies above a tile and
// what lies to its left. The second pass makes the table. A warp has a tile, and waits for no
// other.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/scan_columns.cuh>
#include <hindsight/detail/tuning/order.h>
#include <hindsight/detail/tuning/plain.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/utility>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// How the tiles of an image lie, and where their folds are.
template <class T>
struct table_layout {
  std::size_t width, height;

  HINDSIGHT_HD std::size_t bands() const { return (height + table_rows - 1) / table_rows; }
  HINDSIGHT_HD std::size_t across() const {
    return (width + table_columns<T> - 1) / table_columns<T>;
  }
  /// Folds of a band: of each column, and of each tile that has another one to its right.
  HINDSIGHT_HD std::size_t band_folds() const { return width + across() - 1; }
};

/// The tile of a warp. A lane has every 32nd column. Beyond the last column of the image it reads
/// that one again, so that all lanes fold items of the image; what they fold is not used.
template <class T>
class table_tile {
 public:
  static constexpr int groups = int(table_groups<T>);
  struct items {
    uninitialized<T> of_group[groups];
  };

  std::size_t band, place, row, row_end;

  HINDSIGHT_DEVICE explicit table_tile(const table_layout<T>& table)
      : index_{(std::size_t{blockIdx.x} * plain_threads + threadIdx.x) / warp_lanes},
        width_{table.width} {
    band = index_ / table.across();
    place = index_ % table.across();
    row = band * table_rows;
    row_end = ::cuda::std::min(row + table_rows, table.height);
    first_ = place * table_columns<T> + std::size_t(lane_index());
  }
  HINDSIGHT_DEVICE bool is_in(const table_layout<T>& table) const { return band < table.bands(); }
  HINDSIGHT_DEVICE std::size_t column(int group) const {
    return ::cuda::std::min(first_ + std::size_t(32 * group), width_ - 1);
  }
  HINDSIGHT_DEVICE bool has(int group) const { return first_ + std::size_t(32 * group) < width_; }

  template <class It>
  HINDSIGHT_DEVICE items load(It begin_of_row) const {
    items loaded;
    HINDSIGHT_UNROLL
    for (int g = 0; g < groups; ++g)
      loaded.of_group[g].set(cuda::as_item<T>(begin_of_row[column(g)]));
    return loaded;
  }

  /// Begins the folds of the columns with what lies above the tile.
  HINDSIGHT_DEVICE static void begin_columns(items& down, const items& above) {
    HINDSIGHT_UNROLL
    for (int g = 0; g < groups; ++g) down.of_group[g].set(above.of_group[g].get());
  }
  /// Adds a row's items to the folds of their columns, or begins these if nothing is above the row.
  template <class Op>
  HINDSIGHT_DEVICE static void go_down(items& down, const items& row, bool has_above, Op op) {
    HINDSIGHT_UNROLL
    for (int g = 0; g < groups; ++g) {
      const T& item = row.of_group[g].get();
      down.of_group[g].set(has_above ? op(down.of_group[g].get(), item) : item);
    }
  }

 private:
  std::size_t index_, width_, first_;
};

///   column_folds  [bands * band_folds], written: each column of each tile, then each tile
///   row_folds     [(across - 1) * height], written: of each tile's rows from its first one on
template <class T, class It, class Op>
HINDSIGHT_KERNEL void fold_table_tiles_kernel(It image, std::size_t pitch, table_layout<T> table,
                                              T* column_folds, T* row_folds, Op op) {
  const table_tile<T> tile{table};
  if (!tile.is_in(table)) return;
  const bool has_right = tile.place + 1 < table.across();
  typename table_tile<T>::items down;
  T* const band_folds = column_folds + tile.band * table.band_folds();
  cuda::for_batches_of_rows<table_batch<T>>(
      tile.row, tile.row_end, [&](std::size_t row) { return tile.load(image + row * pitch); },
      [&](std::size_t row, const auto& rows) {
        constexpr int num_rows = std::decay_t<decltype(rows)>::count;
        uninitialized<T> folds[num_rows];
        HINDSIGHT_UNROLL
        for (int k = 0; k < num_rows; ++k) {
          tile.go_down(down, rows[k], row + k > tile.row, op);
          folds[k].set(down.of_group[0].get());
          HINDSIGHT_UNROLL
          for (int g = 1; g < tile.groups; ++g)
            folds[k].set(op(folds[k].get(), down.of_group[g].get()));
        }
        if (!has_right) return;
        cuda::warp_inclusive_folds(folds, op);
        if (lane_index() != warp_lanes - 1) return;
        HINDSIGHT_UNROLL
        for (int k = 0; k < num_rows; ++k)
          row_folds[tile.place * table.height + row + k] = folds[k].get();
        if (row + num_rows == tile.row_end)
          band_folds[table.width + tile.place] = folds[num_rows - 1].get();
      });
  HINDSIGHT_UNROLL
  for (int g = 0; g < tile.groups; ++g)
    if (tile.has(g)) band_folds[tile.column(g)] = down.of_group[g].get();
}

/// The folds of one row in the tiles of its band, each with what lies above it.
template <class T, class Op>
struct folds_of_row {
  const T* row_folds;  // of this row
  std::size_t height;
  const T* above;  // of the tiles above; null: this is the first band
  Op op;
  HINDSIGHT_DEVICE T operator[](std::size_t tile) const {
    const T& fold = row_folds[tile * height];
    return above != nullptr ? op(above[tile], fold) : fold;
  }
};

/// Replaces each fold of a tile's rows by that of all items above it and to its left, its row's
/// too.
///   column_folds  scanned down the bands
template <class T, class Op>
HINDSIGHT_KERNEL void scan_row_folds_kernel(const T* column_folds, T* row_folds,
                                            table_layout<T> table, Op op) {
  ptx::wait_for_launch_before();
  const std::size_t row = std::size_t{blockIdx.x} * plain_threads + threadIdx.x;
  if (row >= table.height) return;
  const std::size_t band = row / table_rows;
  const T* const above =
      band > 0 ? column_folds + (band - 1) * table.band_folds() + table.width : nullptr;
  T* const own = row_folds + row;
  uninitialized<T> carry;
  cuda::for_each_row<T>(folds_of_row<T, Op>{own, table.height, above, op}, 1, 0, table.across() - 1,
                        [&](std::size_t tile, const T& fold) {
                          carry.set(tile > 0 ? op(carry.get(), fold) : fold);
                          own[tile * table.height] = carry.get();
                        });
}

/// `column_folds` and `row_folds` are scanned: what lies above a tile, and what lies to its left.
template <class T, class It, class OutputIt, class Op>
HINDSIGHT_KERNEL void sum_table_tiles_kernel(It image, std::size_t pitch, OutputIt out,
                                             std::size_t out_pitch, table_layout<T> table,
                                             const T* column_folds, const T* row_folds, Op op) {
  ptx::wait_for_launch_before();
  const table_tile<T> tile{table};
  if (!tile.is_in(table)) return;
  typename table_tile<T>::items down;
  if (tile.band > 0)
    tile.begin_columns(down, tile.load(column_folds + (tile.band - 1) * table.band_folds()));
  struct row_of_tile {
    typename table_tile<T>::items items;
    uninitialized<T> left;
  };
  cuda::for_batches_of_rows<table_batch<T>>(
      tile.row, tile.row_end,
      [&](std::size_t row) {
        row_of_tile loaded{tile.load(image + row * pitch), {}};
        if (tile.place > 0) loaded.left.set(row_folds[(tile.place - 1) * table.height + row]);
        return loaded;
      },
      [&](std::size_t row, const auto& rows) {
        __syncwarp();  // in place: lanes beyond the last column read it before its lane writes
        constexpr int num_rows = std::decay_t<decltype(rows)>::count;
        constexpr int groups = table_tile<T>::groups;
        uninitialized<T> sums[num_rows * groups];
        HINDSIGHT_UNROLL
        for (int k = 0; k < num_rows; ++k) {
          tile.go_down(down, rows[k].items, row + k > 0, op);
          HINDSIGHT_UNROLL
          for (int g = 0; g < groups; ++g) sums[k * groups + g].set(down.of_group[g].get());
        }
        cuda::warp_inclusive_folds(sums, op);
        HINDSIGHT_UNROLL
        for (int k = 0; k < num_rows; ++k) {
          uninitialized<T> left = rows[k].left;
          HINDSIGHT_UNROLL
          for (int g = 0; g < groups; ++g) {
            T sum = sums[k * groups + g].get();
            if (g > 0 || tile.place > 0) sum = op(left.get(), sum);
            if (tile.has(g))
              out[(row + k) * out_pitch + tile.column(g)] = ::cuda::std::as_const(sum);
            if (g + 1 < groups) left.set(cuda::shuffle_from(sum, warp_lanes - 1));
          }
        }
      });
}

/// Host side, in CUB's two phases. `out` may be `image`.
template <class T, class It, class OutputIt, class Op>
cudaError_t summed_area_table(void* temp, std::size_t& temp_bytes, It image, std::size_t pitch,
                              OutputIt out, std::size_t out_pitch, const table_layout<T>& table,
                              Op op, cudaStream_t stream) {
  const std::size_t bands = table.bands(), row_folds_across = table.across() - 1;
  carver space{temp};
  T* const column_folds = space.take<T>(bands * table.band_folds());
  T* const row_folds = space.take<T>(row_folds_across * table.height);
  cuda::nested_call scan_column_folds{[&](void* buffer, std::size_t& bytes) {
    return cuda::scan_columns<T>(buffer, bytes, column_folds, table.band_folds(), bands,
                                 table.band_folds(), op, stream);
  }};
  HINDSIGHT_TRY(scan_column_folds.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  const std::size_t warps_of_block = plain_threads / warp_lanes;
  const std::size_t blocks = (bands * table.across() + warps_of_block - 1) / warps_of_block;
  if (blocks > 0x7fff'ffff) return cudaErrorInvalidConfiguration;
  const fold_with<T, Op> fold{op};
  HINDSIGHT_LAUNCH(static_cast<unsigned>(blocks), plain_threads, 0, stream, fold_table_tiles_kernel)
  (image, pitch, table, column_folds, row_folds, fold);
  HINDSIGHT_TRY(cudaPeekAtLastError());
  HINDSIGHT_TRY(scan_column_folds());
  if (row_folds_across > 0) {
    constexpr auto scan_row_folds = scan_row_folds_kernel<T, fold_with<T, Op>>;
    HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(
        static_cast<unsigned>((table.height + plain_threads - 1) / plain_threads), plain_threads, 0,
        stream, scan_row_folds)(static_cast<const T*>(column_folds), row_folds, table, fold));
  }
  constexpr auto sum_tiles = sum_table_tiles_kernel<T, It, OutputIt, fold_with<T, Op>>;
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(blocks), plain_threads, 0, stream, sum_tiles)(
      image, pitch, out, out_pitch, table, static_cast<const T*>(column_folds),
      static_cast<const T*>(row_folds), fold);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
