// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans down the columns of a matrix.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>
#include <hindsight/detail/tuning/order.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Scans down the columns of a matrix, in place, for any items, by one thread.
template <class T, class It, class Op>
void scan_columns_alone(It items, std::size_t width, std::size_t height, std::size_t pitch, Op op) {
  for (std::size_t row = 1; row < height; ++row)
    for (std::size_t x = 0; x < width; ++x) {
      T above = host::copy_at<T>(items, (row - 1) * pitch + x);
      T item = host::copy_at<T>(items, row * pitch + x);
      items[row * pitch + x] = static_cast<T>(op(above, item));
    }
}

/// Scans down the columns of a matrix, in place.
///   Order  that of the CUDA engine
template <class T, class It, class Op>
void scan_columns(It items, std::size_t width, std::size_t height, std::size_t pitch, Op op,
                  resources with) {
  if constexpr (!std::is_trivially_destructible_v<T>)
    return host::scan_columns_alone<T>(items, width, height, pitch, op);
  constexpr std::size_t across = engine_tuning::columns_at_once;
  const std::size_t columns = std::min(width, across);
  const tiling by_size{width * height, sizeof(T), with.cut_for<It>()};
  const tiling tiles{width, height * sizeof(T), {by_size.num_threads, across}};
  rooms<T> own_room, before_room;
  const scratch memory{*with.memory, [&](carver& space) {
                         own_room.carve(space, tiles.num_threads, columns);
                         before_room.carve(space, tiles.num_threads, columns);
                       }};
  lowest_failure failure;
  host::for_each_tile(tiles, failure, [&](std::size_t tile, unsigned rank) {
    Op own_op = std::as_const(op);
    T* const own = own_room[rank];
    T* const before = before_room[rank];
    for (std::size_t row = 0; row < height; ++row) {
      const bool begins_band = row % band_rows == 0;
      for (std::size_t x = 0; x < tiles.size(tile); ++x) {
        const auto at = items + (row * pitch + tiles.begin(tile) + x);
        T item = host::as_item<T>(*at);
        if (begins_band && row == band_rows) host::put(before + x, own[x]);
        if (begins_band && row > band_rows) before[x] = static_cast<T>(own_op(before[x], own[x]));
        if (begins_band) {
          host::put(own + x, item);
        } else {
          own[x] = static_cast<T>(own_op(own[x], item));
        }
        *at =
            row < band_rows ? host::as_item<T>(own[x]) : static_cast<T>(own_op(before[x], own[x]));
      }
    }
  });
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
