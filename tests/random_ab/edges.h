// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes at which the engines change their ways, as the library's own constants have them.
#pragma once

#include <hindsight/detail/board/look_back.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/tuning/by_key.h>
#include <hindsight/detail/tuning/host.h>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/tuning/scan.h>
#include <hindsight/detail/tuning/select.h>
#include <hindsight/detail/tuning/sort.h>

#include "values.h"
#include <algorithm>
#include <cstddef>
#include <vector>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/block/look_back.cuh>
#  include <hindsight/detail/cuda/stock_reduce_order.h>
#endif

namespace hindsight_test {

using edge_list = std::vector<std::size_t>;

inline edge_list operator+(edge_list a, const edge_list& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Tiles of a window, and tiles up to which no scout looks ahead.
inline constexpr std::size_t window_tiles = hindsight::detail::host::window_tiles;
#if HINDSIGHT_CUDA
static_assert(window_tiles == hindsight::detail::window_tiles);
inline constexpr std::size_t own_tiles = hindsight::detail::own_windows * window_tiles;
#else
inline constexpr std::size_t own_tiles = 0;  // hosts have none
#endif

/// Single launches, windows, and the scout's first tile and window.
inline edge_list tile_edges(std::size_t tile_items) {
  edge_list tiles{1, 2, window_tiles, window_tiles + 1};
  if (own_tiles > 0) tiles = tiles + edge_list{own_tiles, own_tiles + 1, own_tiles + window_tiles};
  for (std::size_t& edge : tiles) edge *= tile_items;
  return tiles;
}
inline edge_list tile_edges(hindsight::detail::tile_shape shape) {
  edge_list edges = tile_edges(std::size_t(shape.tile_items()));
  edges.push_back(std::size_t(shape.lane_items));
  edges.push_back(std::size_t(shape.warp_items()));
  return edges;
}

/// Tiles and threads of the host engine.
inline edge_list host_edges(std::size_t item_bytes) {
  using hindsight::detail::host::tiling;
  const std::size_t tile = std::max(std::size_t{64}, tiling::cached_bytes / item_bytes);
  const std::size_t thread = tiling::thread_bytes / std::min(item_bytes, tiling::thread_bytes);
  constexpr std::size_t fewest = hindsight::detail::host::engine_tuning::fewest_threads;
  return {tile, 2 * tile, thread, fewest * thread, (fewest + 1) * thread};
}

template <class T>
edge_list scan_edges() {
  using tuning = hindsight::detail::scan_tuning<T>;
  edge_list edges = tile_edges(tuning::shape) + host_edges(sizeof(T));
#if HINDSIGHT_CUDA
  const auto tile_items = std::size_t(tuning::shape.tile_items());
  edges.push_back(hindsight::detail::own_scan_tiles<T> * tile_items);
#endif
  return edges;
}
template <class Key, class T>
edge_list by_key_edges() {
  return tile_edges(hindsight::detail::by_key_shape<Key, T>()) + host_edges(sizeof(Key)) +
         host_edges(sizeof(T));
}
template <class T>
edge_list select_edges() {
  return tile_edges(hindsight::detail::select_tuning<T>::shape) + host_edges(sizeof(T));
}
template <class T>
edge_list run_length_edges() {
  return tile_edges(hindsight::detail::run_length_tuning<T>::shape) + host_edges(sizeof(T));
}

#if HINDSIGHT_CUDA
/// One tile, and all that fit the GPU at once.
template <class T, class Item = T>
edge_list reduce_edges() {
  constexpr hindsight::detail::cuda::reduce_order order =
      hindsight::detail::cuda::reduce_order_of<T, Item>();
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) cudaGetLastError();
  const auto resident =
      std::size_t(device.multiProcessorCount * device.maxThreadsPerMultiProcessor);
  const auto tile = std::size_t(order.tile_items());
  return {std::size_t(order.block_threads), tile, 2 * tile,
          resident / std::size_t(order.block_threads) * tile};
}
#else
template <class T, class Item = T>
edge_list reduce_edges() {
  return host_edges(sizeof(Item));
}
#endif

using hindsight::detail::no_value;

/// Sorts of one tile of each size, of as many as one launch sorts, and as many as each size serves;
/// on hosts, where buckets and digits change.
template <class Key, class Value>
edge_list sort_edges() {
  using hindsight::detail::tiles;
  using small = hindsight::detail::sort_tuning<Key, Value, tiles::small>;
  using medium = hindsight::detail::sort_tuning<Key, Value, tiles::medium>;
  using large = hindsight::detail::sort_tuning<Key, Value, tiles::large>;
  using one = hindsight::detail::sort_tuning<Key, Value, tiles::one>;
  edge_list edges{std::size_t{one::tile_items},
                  std::size_t{small::tile_items},
                  std::size_t{small::tile_items} * small::few_tiles,
                  std::size_t{medium::tile_items},
                  std::size_t{medium::tile_items} * medium::few_tiles,
                  std::size_t{large::tile_items},
                  std::size_t{large::tile_items} * large::rows_ahead};
  if (small::one_launch_tiles > 0)
    edges.push_back(std::size_t{small::tile_items} * small::one_launch_tiles);
  using host = hindsight::detail::host::radix_tuning;
  const edge_list on_hosts{64,  // host sorts of one and two bytes
                           std::size_t{64} << 8,
                           host::insertion_items,
                           host::narrow_items,
                           host::wide_items,
                           host::most_wide_items,
                           host::most_chunked_bytes / sizeof(Key),
                           host::cached_bytes / sizeof(Key),
                           host::shared_bytes / sizeof(Key)};
  return edges + on_hosts + host_edges(sizeof(Key));
}

/// Sorts by a comparator: tiles of both sizes, the most items and tiles of each, and from how many
/// items on samples are taken.
template <class Key, class Value>
edge_list merge_sort_edges() {
  using few = hindsight::detail::merge_sort_tuning_of_few<Key, Value>;
  using many = hindsight::detail::merge_sort_tuning<Key, Value>;
  return edge_list{std::size_t{few::tile_items},
                   few::most_items,
                   std::size_t{many::tile_items},
                   std::size_t{many::tile_items} * 2,
                   std::size_t{many::merge_tile_items} * many::few_tiles,
                   hindsight::detail::sample_sort_tuning<Key, Value>::least_items} +
         host_edges(sizeof(Key));
}

}  // namespace hindsight_test
