// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What DeviceSegmentedSort and DeviceSegmentedRadixSort share.
#pragma once

#include <hindsight/detail/cuda/segmented_sort.cuh>
#include <hindsight/detail/cuda/sort_ranges.cuh>
#include <hindsight/detail/dispatch/facade.cuh>
#include <hindsight/detail/dispatch/named_keys.cuh>
#include <hindsight/detail/radix_sortable.h>

#include <type_traits>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

/// Keys alone, if values are no_value and null.
template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt,
          class Compare>
cudaError_t sort_any_segments(void* temp, std::size_t& temp_bytes, const Key* all_keys,
                              Key* sorted_keys, const Value* all_values, Value* sorted_values,
                              NumItems num_items, NumSegments num_segments, BeginIt begins_in,
                              EndIt ends_in, Compare compare, cudaStream_t stream) {
  static_assert(is_radix_key<key_to_sort_t<Key>>,
                "hindsight: keys are numbers; sort_segments_by_key takes others");
  if (detail::is_negative(num_items) || detail::is_negative(num_segments))
    return cudaErrorInvalidValue;
  const auto keys_in = detail::keys_to_sort(all_keys);
  const auto keys_out = detail::keys_to_sort(sorted_keys);
  const auto values_in = detail::values_to_sort(all_values);
  const auto values_out = detail::values_to_sort(sorted_values);
  const auto begins = cuda::unwrap(begins_in);
  const auto ends = cuda::unwrap(ends_in);
  using begin_it = std::decay_t<decltype(begins)>;
  const std::size_t count = detail::to_known_size(num_segments);
  const std::size_t n = count == 0 ? 0 : detail::to_known_size(num_items);
  const bool writes = temp != nullptr && n > 0;
  if (writes && detail::is_half_in_place(keys_in, keys_out, values_in, values_out))
    return cudaErrorInvalidValue;
  if constexpr (std::is_pointer_v<begin_it> &&
                std::is_same_v<begin_it, std::decay_t<decltype(ends)>>) {
    if (begins + 1 == ends)
      return cuda::sort_segments(temp, temp_bytes, keys_in, keys_out, values_in, values_out, n,
                                 cuda::map_of_offsets<begin_it>{begins, count}, compare, stream);
  }
  return cuda::sort_ranges(temp, temp_bytes, keys_in, keys_out, values_in, values_out, n, begins,
                           ends, count, compare, stream);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
