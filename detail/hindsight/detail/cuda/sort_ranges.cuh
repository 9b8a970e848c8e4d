// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of segments that have a begin and an end each, and need not lie one behind the other: their
// items are brought together, sorted, and put back.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/reduce_ranges.cuh>
#include <hindsight/detail/cuda/segmented_sort.cuh>
#include <hindsight/detail/reported.cuh>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Brings the items of all segments together.
template <class Key, class Value, class BeginIt>
HINDSIGHT_KERNEL void join_ranges_kernel(item_range<Key, Value, const Key*, const Value*> in,
                                         joined_ranges<BeginIt> ranges,
                                         item_range<Key, Value> joined) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x, n = ranges.num_items();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    uninitialized<typename item_range<Key, Value>::item> moved;
    in.load(moved, ranges.place_of(i));
    joined.store(i, moved.get());
  }
}

/// Puts them back.
template <class Key, class Value, class BeginIt>
HINDSIGHT_KERNEL void part_ranges_kernel(item_range<Key, Value> joined,
                                         joined_ranges<BeginIt> ranges,
                                         item_range<Key, Value> out) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x, n = ranges.num_items();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    uninitialized<typename item_range<Key, Value>::item> moved;
    joined.load(moved, i);
    out.store(ranges.place_of(i), moved.get());
  }
}

/// sort_segments() of segments [begins[s], ends[s]) that have no item in common.
///   n  at least the number of items in all segments
template <class Key, class Value, class BeginIt, class EndIt, class Compare>
cudaError_t sort_ranges(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                        const Value* values_in, Value* values_out, std::size_t n, BeginIt begins,
                        EndIt ends, std::size_t num_segments, Compare compare,
                        cudaStream_t stream) {
  carver space{temp};
  std::size_t* const rows = space.take<std::size_t>(num_segments + 1);
  const item_range<Key, Value> joined{
      space.take<Key>(n), item_range<Key, Value>::has_values ? space.take<Value>(n) : nullptr};
  cuda::nested_call add_lengths{[&](void* buffer, std::size_t& bytes) {
    return cuda::scan_lengths(buffer, bytes, begins, ends, num_segments, rows, stream);
  }};
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes) {
    const map_of_offsets<const std::size_t*> segments{rows, num_segments};
    return cuda::sort_segments(buffer, bytes, static_cast<const Key*>(joined.keys), joined.keys,
                               static_cast<const Value*>(joined.values), joined.values, n, segments,
                               compare, stream);
  }};
  HINDSIGHT_TRY(add_lengths.take_memory(space));
  HINDSIGHT_TRY(sort.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (n == 0 || num_segments == 0) return cudaSuccess;

  HINDSIGHT_TRY(add_lengths());
  const auto blocks = static_cast<unsigned>(::cuda::std::min(n / plain_threads + 1, move_blocks));
  const joined_ranges<BeginIt> ranges{begins, rows, num_segments};
  HINDSIGHT_LAUNCH(blocks, plain_threads, 0, stream, join_ranges_kernel<Key, Value, BeginIt>)
  (item_range<Key, Value, const Key*, const Value*>{keys_in, values_in}, ranges, joined);
  HINDSIGHT_TRY(cudaPeekAtLastError());
  HINDSIGHT_TRY(sort());
  HINDSIGHT_LAUNCH(blocks, plain_threads, 0, stream, part_ranges_kernel<Key, Value, BeginIt>)
  (joined, ranges, item_range<Key, Value>{keys_out, values_out});
  return detail::reported(cudaPeekAtLastError());
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
