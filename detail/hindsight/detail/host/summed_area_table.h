// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summed-area tables by tiles, in the order of the CUDA engine.
#pragma once

#include <hindsight/detail/board/look_back.h>
#include <hindsight/detail/host/scan_columns.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/order.h>

#include <cstddef>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// A tile: rows [row, row_end), columns [column, column_end).
template <class T>
struct table_tile {
  std::size_t band, place, row, row_end, column, column_end;

  table_tile(std::size_t index, std::size_t width, std::size_t height) {
    const std::size_t across = (width + table_columns<T> - 1) / table_columns<T>;
    band = index / across;
    place = index % across;
    row = band * table_rows;
    row_end = std::min(row + table_rows, height);
    column = place * table_columns<T>;
    column_end = std::min(column + table_columns<T>, width);
  }
  std::size_t columns() const { return column_end - column; }
};

/// The folds of one table's tiles.
template <class T, class Op>
class table_folds {
 public:
  table_folds(std::size_t width, std::size_t height)
      : width_{width},
        height_{height},
        bands_{(height + table_rows - 1) / table_rows},
        across_{(width + table_columns<T> - 1) / table_columns<T>} {}

  std::size_t num_tiles() const { return bands_ * across_; }

  void carve(carver& space) {
    columns_ = host::take_room<T>(space, bands_ * band_folds());
    rows_ = host::take_room<T>(space, (across_ - 1) * height_);
  }

  /// First pass over the image, of one tile.
  ///   down, lanes  [table_columns], [lanes_of_warp]
  template <class It>
  void fold_tile(std::size_t index, It image, std::size_t pitch, T* down, T* lanes, Op& op) {
    const table_tile<T> tile{index, width_, height_};
    T* const band = columns_ + tile.band * band_folds();
    for (std::size_t row = tile.row; row < tile.row_end; ++row) {
      const auto items = image + (row * pitch + tile.column);
      fold_down(items, tile.columns(), row == tile.row, down, op);
      if (tile.place + 1 == across_) continue;
      for (std::size_t lane = 0; lane < lanes_of_warp; ++lane) host::put(lanes + lane, down[lane]);
      for (std::size_t group = lanes_of_warp; group < table_columns<T>; group += lanes_of_warp)
        for (std::size_t lane = 0; lane < lanes_of_warp; ++lane)
          lanes[lane] = static_cast<T>(op(lanes[lane], down[group + lane]));
      kogge_stone_scan(lanes, lanes_of_warp, op);
      host::put(rows_ + tile.place * height_ + row, lanes[lanes_of_warp - 1]);
      if (row + 1 == tile.row_end) host::put(band + width_ + tile.place, lanes[lanes_of_warp - 1]);
    }
    for (std::size_t x = 0; x < tile.columns(); ++x) host::put(band + tile.column + x, down[x]);
  }

  /// Then folds become those of all that lies above and to the left.
  void scan(Op& op, resources with) {
    host::scan_columns<T>(columns_, band_folds(), bands_, band_folds(), op, with);
    const tiling rows{height_, (across_ - 1) * sizeof(T) + 1, with.wanted};
    host::for_each_tile(rows, [&](std::size_t part) {
      Op own_op = std::as_const(op);
      for (std::size_t i = 0; i < rows.size(part); ++i) scan_row(rows.begin(part) + i, own_op);
    });
  }

  /// Second pass over the image.
  template <class It, class OutputIt>
  void sum_tile(std::size_t index, It image, std::size_t pitch, OutputIt out, std::size_t out_pitch,
                T* down, T* lanes, Op& op) {
    const table_tile<T> tile{index, width_, height_};
    if (tile.band > 0) {
      const T* const above = columns_ + (tile.band - 1) * band_folds() + tile.column;
      for (std::size_t x = 0; x < tile.columns(); ++x) host::put(down + x, above[x]);
    }
    for (std::size_t row = tile.row; row < tile.row_end; ++row) {
      const auto items = image + (row * pitch + tile.column);
      fold_down(items, tile.columns(), row == 0, down, op);
      const T* left = tile.place > 0 ? rows_ + (tile.place - 1) * height_ + row : nullptr;
      for (std::size_t group = 0; group < tile.columns(); group += lanes_of_warp) {
        const std::size_t lanes_of_group =
            std::min<std::size_t>(lanes_of_warp, tile.columns() - group);
        for (std::size_t lane = 0; lane < lanes_of_group; ++lane)
          host::put(lanes + lane, down[group + lane]);
        kogge_stone_scan(lanes, int(lanes_of_group), op);
        if (left != nullptr) {
          const T before = *left;
          for (std::size_t lane = 0; lane < lanes_of_group; ++lane)
            lanes[lane] = static_cast<T>(op(before, lanes[lane]));
        }
        const auto to = out + (row * out_pitch + tile.column + group);
        for (std::size_t lane = 0; lane < lanes_of_group; ++lane) to[lane] = lanes[lane];
        host::put(lanes + lanes_of_warp, lanes[lanes_of_group - 1]);
        left = lanes + lanes_of_warp;
      }
    }
  }

 private:
  /// Folds of a band: one for each column, and one for each of its tiles but the last.
  std::size_t band_folds() const { return width_ + across_ - 1; }

  /// down[x] = the fold of column x down to this row, whose items are items[0, columns).
  template <class It>
  static void fold_down(It items, std::size_t columns, bool is_first_row, T* down, Op& op) {
    if (is_first_row) {
      for (std::size_t x = 0; x < columns; ++x) host::put(down + x, host::copy_at<T>(items, x));
    } else {
      for (std::size_t x = 0; x < columns; ++x) {
        T item = host::copy_at<T>(items, x);
        down[x] = static_cast<T>(op(down[x], item));
      }
    }
  }

  void scan_row(std::size_t row, Op& op) {
    const std::size_t band = row / table_rows;
    const T* const above = band > 0 ? columns_ + (band - 1) * band_folds() + width_ : nullptr;
    for (std::size_t tile = 0; tile + 1 < across_; ++tile) {
      T& fold = rows_[tile * height_ + row];
      if (above != nullptr) fold = static_cast<T>(op(above[tile], fold));
      if (tile > 0) fold = static_cast<T>(op(rows_[(tile - 1) * height_ + row], fold));
    }
  }

  std::size_t width_, height_, bands_, across_;
  T *columns_ = nullptr, *rows_ = nullptr;
};

/// out[y][x] = the fold of image[0 .. y][0 .. x]. Rows of the image are `pitch` items apart, rows
/// of the table `out_pitch`. `out` may be `image`.
///   Order  that of the CUDA engine
template <class T, class It, class OutputIt, class Op>
void summed_area_table(It image, std::size_t pitch, OutputIt out, std::size_t out_pitch,
                       std::size_t width, std::size_t height, Op op, resources with) {
  table_folds<T, Op> folds{width, height};
  const tiling by_size{width * height, sizeof(T), with.cut_for<OutputIt>()};
  const tiling tiles{
      folds.num_tiles(), by_size.bytes / folds.num_tiles() + 1, {by_size.num_threads, 1}};
  rooms<T> down, lanes;
  const scratch memory{*with.memory, [&](carver& space) {
                         folds.carve(space);
                         down.carve(space, tiles.num_threads, table_columns<T>);
                         lanes.carve(space, tiles.num_threads, lanes_of_warp + 1);
                       }};
  lowest_failure failure;
  host::for_each_tile(tiles, failure, [&](std::size_t tile, unsigned rank) {
    Op own_op = std::as_const(op);
    folds.fold_tile(tile, image, pitch, down[rank], lanes[rank], own_op);
  });
  folds.scan(op, with);
  host::for_each_tile(tiles, failure, [&](std::size_t tile, unsigned rank) {
    Op own_op = std::as_const(op);
    folds.sum_tile(tile, image, pitch, out, out_pitch, down[rank], lanes[rank], own_op);
  });
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
