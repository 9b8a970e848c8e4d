// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host side of the merge sort of segments.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/segment_map.cuh>
#include <hindsight/detail/cuda/sort_segments.cuh>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The launch that merges what sorted tiles left.
///   n  at least the number of items in all segments
template <class Tuning, class Range, class Compare>
cudaError_t merge_segments(Range out, Range buffer, const segment_map& map, std::size_t* splits,
                           std::size_t n, phased_work::counters* counters, Compare compare,
                           cudaStream_t stream) {
  static_assert(Tuning::tile_items % Tuning::merge_tile_items == 0, "merge tiles lie in a tile");
  constexpr auto merge = merge_segments_kernel<Tuning, Range, Compare>;
  constexpr std::size_t bytes = sizeof(merge_segments_storage<Tuning, typename Range::item>);
  HINDSIGHT_TRY(allow_shared_bytes(merge, bytes));
  int multiprocessors = 0;
  HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
  const std::size_t merge_tiles = (n + Tuning::merge_tile_items - 1) / Tuning::merge_tile_items;
  const std::size_t wave = std::size_t(multiprocessors) * Tuning::merge_blocks;
  const auto num_pieces =
      static_cast<unsigned>(::cuda::std::min(merge_tiles, pieces_per_merge_block * wave));
  const auto num_blocks = static_cast<unsigned>(::cuda::std::min(merge_tiles, wave));
  return HINDSIGHT_LAUNCH_NEXT(num_blocks, Tuning::merge_threads, bytes, stream, merge)(
      out, buffer, map, splits, num_pieces, counters, compare);
}

/// Sorts `in` into `out`, in CUB's two phases. `out` are arrays, and may be `in`.
///   n  at least the number of items in all segments, which only the device knows
template <class Tuning, class In, class Key, class Value, class Segments, class Compare>
cudaError_t merge_sort_segments(void* temp, std::size_t& temp_bytes, In in,
                                item_range<Key, Value> out, std::size_t n, Segments segments,
                                segment_map& map, Compare compare, cudaStream_t stream) {
  using range = item_range<Key, Value>;
  using item = typename range::item;
  using heads = decltype(segments.heads());
  constexpr auto sort = sort_segment_tiles_kernel<Tuning, In, range, heads, Compare>;
  constexpr std::size_t sort_bytes = sizeof(sort_segments_storage<Tuning, item>);
  const std::size_t num_tiles = (n + Tuning::tile_items - 1) / Tuning::tile_items;
  const std::size_t merge_tiles = (n + Tuning::merge_tile_items - 1) / Tuning::merge_tile_items;

  carver space{temp};
  range buffer{nullptr, nullptr};
  if (num_tiles > 1) {
    buffer.keys = space.take<Key>(n);
    if (out.has_values) buffer.values = space.take<Value>(n);
  }
  const bool is_small = merge_tiles <= std::size_t(Tuning::few_tiles);
  std::size_t* const splits = is_small ? nullptr : space.take<std::size_t>(merge_tiles);
  segments.carve(space, n, num_tiles);
  map.crossing = space.take<crossing_segment>(num_tiles + 1);
  const std::size_t unzeroed_bytes = space.used_bytes();
  auto* const counters = space.take<phased_work::counters>(1);
  map.whole = space.take<segment_map::extent>(1);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (num_tiles > max_blocks) return cudaErrorInvalidConfiguration;

  char* const zeroed = space.begin() + unzeroed_bytes;
  HINDSIGHT_TRY(cudaMemsetAsync(zeroed, 0, space.used_bytes() - unzeroed_bytes, stream));
  HINDSIGHT_TRY(segments.template make<int{Tuning::tile_items}>(map, n, num_tiles, stream));
  HINDSIGHT_TRY(allow_shared_bytes(sort, sort_bytes));
  HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(num_tiles), Tuning::block_threads,
                                      sort_bytes, stream,
                                      sort)(in, out, buffer, map, segments.heads(), compare));
  if (num_tiles == 1) return cudaSuccess;
  return cuda::merge_segments<Tuning>(out, buffer, map, splits, n, counters, compare, stream);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
