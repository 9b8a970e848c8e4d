// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host side of sorts of segments.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/segment_map.cuh>
#include <hindsight/detail/cuda/sort_segments.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail {

/// Sorts `in` into `out`, which are arrays, and may be `in`.
///   n  at least the number of items in all segments, which only the device knows
template <class Tuning, class In, class Key, class Value, class Segments, class Compare>
cudaError_t merge_sort_segments(void* temp, std::size_t& temp_bytes, In in,
                                item_range<Key, Value> out, std::size_t n, Segments segments,
                                segment_map& map, Compare compare, cudaStream_t stream) {
  using range = item_range<Key, Value>;
  using item = typename range::item;
  static_assert(Tuning::tile_items % Tuning::merge_tile_items == 0, "merge tiles lie in a tile");
  constexpr auto sort = sort_segment_tiles_kernel<Tuning, In, range, Compare>;
  constexpr auto merge = merge_segments_kernel<Tuning, range, Compare>;
  constexpr std::size_t sort_bytes = sizeof(sort_segments_storage<Tuning, item>);
  constexpr std::size_t merge_bytes = Tuning::merge_tile_items * sizeof(item);
  const std::size_t num_tiles = (n + Tuning::tile_items - 1) / Tuning::tile_items;
  const std::size_t merge_tiles = (n + Tuning::merge_tile_items - 1) / Tuning::merge_tile_items;

  carver space{temp};
  range buffer{nullptr, nullptr};
  if (num_tiles > 1) buffer.keys = space.take<Key>(n);
  if (num_tiles > 1 && out.has_values) buffer.values = space.take<Value>(n);
  std::size_t* const splits = space.take<std::size_t>(merge_tiles);
  const std::size_t unzeroed_bytes = space.used_bytes();
  map.heads = space.take<unsigned>((n + 31) / 32);
  map.crossing = space.take<crossing_segment>(num_tiles + 1);
  map.whole = space.take<segment_map::extent>(1);
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
  if (num_tiles > max_blocks) return cudaErrorInvalidConfiguration;

  char* const zeroed = space.begin() + unzeroed_bytes;
  HINDSIGHT_TRY(cudaMemsetAsync(zeroed, 0, space.used_bytes() - unzeroed_bytes, stream));
  HINDSIGHT_TRY(segments.template make<int{Tuning::tile_items}>(map, num_tiles, stream));
  HINDSIGHT_TRY(allow_shared_bytes(sort, sort_bytes));
  HINDSIGHT_TRY(allow_shared_bytes(merge, merge_bytes));
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), Tuning::block_threads, sort_bytes, stream,
                   sort)
  (in, out, buffer, map, compare);
  HINDSIGHT_TRY(cudaPeekAtLastError());
  int multiprocessors = 0;
  HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
  const auto grid = [&](std::size_t wanted, int resident) {
    const std::size_t most = std::size_t(multiprocessors) * resident;
    return static_cast<unsigned>(wanted < most ? wanted : most);
  };
  constexpr int split_threads = 128;
  for (int pass = 0; num_tiles > std::size_t{1} << pass; ++pass) {
    HINDSIGHT_LAUNCH(grid(merge_tiles / split_threads + 1, 16), split_threads, 0, stream,
                     split_segments_kernel<Tuning>)
    (out, buffer, map, pass, splits, compare);
    HINDSIGHT_LAUNCH(grid(merge_tiles, 8 * Tuning::merge_blocks), Tuning::merge_threads,
                     merge_bytes, stream, merge)
    (out, buffer, map, pass, splits, compare);
    HINDSIGHT_TRY(cudaPeekAtLastError());
  }
  return cudaSuccess;
}

/// out = in, with each segment sorted, stably, in CUB's two phases; items in no segment are not
/// written. The outputs may be the inputs; they may overlap them in no other way. Values are
/// no_value and null for keys alone. Items may be copied as bytes.
///   segments  map_of_offsets
///   n         at least the number of items in all segments
template <class Key, class Value, class Segments, class Compare>
cudaError_t sort_segments(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                          const Value* values_in, Value* values_out, std::size_t n,
                          Segments segments, Compare compare, cudaStream_t stream) {
  if (n == 0) {
    if (temp == nullptr) temp_bytes = 1;
    return cudaSuccess;
  }
  static_assert(
      sizeof(Key) <= most_merged_key_bytes && sizeof(Value) <= most_merged_value_bytes,
      "hindsight: on CUDA a sort of segments takes keys of up to 16 bytes and values of up "
      "to 8; let indices be the values of larger ones");
  segment_map map;
  const item_range<Key, Value, const Key*, const Value*> in{keys_in, values_in};
  const item_range<Key, Value> out{keys_out, values_out};
  return detail::merge_sort_segments<merge_sort_tuning<Key, Value>>(temp, temp_bytes, in, out, n,
                                                                    segments, map, compare, stream);
}

}  // namespace hindsight::detail
