// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of segments in CUB's shape: names, argument order and two phases of
// cub::DeviceSegmentedSort and cub::DeviceSegmentedRadixSort, so that one template body compiles
// against either namespace. Segment s has the items [begin_offsets[s], end_offsets[s]); no item is
// in two. The usual end_offsets = begin_offsets + 1, both pointers, is the fast case; of other
// segments the items are brought together first, and put back.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items or segments, too
//           little room), before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/segmented_sort.cuh>
#include <hindsight/detail/cuda/sort_ranges.cuh>
#include <hindsight/detail/dispatch/facade.cuh>
#include <hindsight/detail/radix_sortable.h>

#include <cub/util_type.cuh>

namespace hindsight {

using cub::DoubleBuffer;  ///< CUB's own

namespace detail {

/// The order of bits [first_bit, last_bit) of keys.
template <class Direction>
struct order_of_bits {
  int first_bit, last_bit;
  template <class Key>
  HINDSIGHT_HD bool operator()(const Key& a, const Key& b) const {
    return part(Direction::bits(a)) < part(Direction::bits(b));
  }

 private:
  template <class Bits>
  HINDSIGHT_HD Bits part(Bits bits) const {
    const int unused = int(sizeof(Bits)) * 8 - last_bit;
    return static_cast<Bits>(static_cast<Bits>(bits << unused) >> (unused + first_bit));
  }
};

/// Keys alone, if values are no_value and null.
template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt,
          class Compare>
cudaError_t sort_any_segments(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                              Key* keys_out, const Value* values_in, Value* values_out,
                              NumItems num_items, NumSegments num_segments, BeginIt begins_in,
                              EndIt ends_in, Compare compare, cudaStream_t stream) {
  static_assert(is_radix_key<Key>,
                "hindsight: keys are numbers; sort_segments_by_key takes others");
  if (detail::is_negative(num_items) || detail::is_negative(num_segments))
    return cudaErrorInvalidValue;
  const auto begins = detail::cuda::unwrap(begins_in);
  const auto ends = detail::cuda::unwrap(ends_in);
  using begin_it = std::decay_t<decltype(begins)>;
  const std::size_t count = detail::to_known_size(num_segments);
  const std::size_t n = count == 0 ? 0 : detail::to_known_size(num_items);
  if constexpr (std::is_pointer_v<begin_it> &&
                std::is_same_v<begin_it, std::decay_t<decltype(ends)>>) {
    if (begins + 1 == ends)
      return detail::cuda::sort_segments(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                         n, detail::cuda::map_of_offsets<begin_it>{begins, count},
                                         compare, stream);
  }
  return detail::cuda::sort_ranges(temp, temp_bytes, keys_in, keys_out, values_in, values_out, n,
                                   begins, ends, count, compare, stream);
}

}  // namespace detail

/// Sorts of the segments of keys that are numbers. All are stable, the names that do not say so,
/// too. The outputs may be the inputs; items in no segment are not written. With DoubleBuffers the
/// result is in Current(), which stays the same.
///   Memory  as hindsight::sort_segments; where segments do not follow each other so, another n,
///   and
///           8 bytes for each
///   Example
///     thrust::device_vector<int> orders = std::vector<int>{5, 20, 7, 1}, sorted(4);
///     thrust::device_vector<int> customers = std::vector<int>{0, 3, 3, 4};
///     const int* const from = thrust::raw_pointer_cast(orders.data());
///     const int* const offsets = thrust::raw_pointer_cast(customers.data());
///     std::size_t bytes = 0;
///     const auto sort = [&](void* temp) {
///       return hindsight::DeviceSegmentedSort::SortKeys(
///           temp, bytes, from, thrust::raw_pointer_cast(sorted.data()), 4, 3, offsets,
///           offsets + 1);
///     };
///     sort(nullptr);
///     thrust::device_vector<char> temp(bytes);
///     sort(thrust::raw_pointer_cast(temp.data()));  // 5, 7, 20, 1
struct DeviceSegmentedSort {
  /// Sorts each segment in ascending order. Moves the values with the keys.
  template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                               Key* keys_out, const Value* values_in, Value* values_out,
                               NumItems num_items, NumSegments num_segments, BeginIt begin_offsets,
                               EndIt end_offsets, cudaStream_t stream = 0) {
    return detail::sort_any_segments(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                     num_items, num_segments, begin_offsets, end_offsets,
                                     detail::radix_order<detail::ascending>{}, stream);
  }
  /// The same in place, in buffers.
  template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, NumItems num_items,
                               NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                               cudaStream_t stream = 0) {
    return SortPairs(temp, temp_bytes, static_cast<const Key*>(keys.Current()), keys.Current(),
                     static_cast<const Value*>(values.Current()), values.Current(), num_items,
                     num_segments, begin_offsets, end_offsets, stream);
  }
  /// Sorts each segment in ascending order.
  template <class Key, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                              Key* keys_out, NumItems num_items, NumSegments num_segments,
                              BeginIt begin_offsets, EndIt end_offsets, cudaStream_t stream = 0) {
    return detail::sort_any_segments(
        temp, temp_bytes, keys_in, keys_out, static_cast<const detail::no_value*>(nullptr),
        static_cast<detail::no_value*>(nullptr), num_items, num_segments, begin_offsets,
        end_offsets, detail::radix_order<detail::ascending>{}, stream);
  }
  /// The same in place, in a buffer.
  template <class Key, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                              NumItems num_items, NumSegments num_segments, BeginIt begin_offsets,
                              EndIt end_offsets, cudaStream_t stream = 0) {
    return SortKeys(temp, temp_bytes, static_cast<const Key*>(keys.Current()), keys.Current(),
                    num_items, num_segments, begin_offsets, end_offsets, stream);
  }
  /// Sorts each segment in descending order. Moves the values with the keys.
  template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                         Key* keys_out, const Value* values_in, Value* values_out,
                                         NumItems num_items, NumSegments num_segments,
                                         BeginIt begin_offsets, EndIt end_offsets,
                                         cudaStream_t stream = 0) {
    return detail::sort_any_segments(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                     num_items, num_segments, begin_offsets, end_offsets,
                                     detail::radix_order<detail::descending>{}, stream);
  }
  /// The same in place, in buffers.
  template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes,
                                         DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                                         NumItems num_items, NumSegments num_segments,
                                         BeginIt begin_offsets, EndIt end_offsets,
                                         cudaStream_t stream = 0) {
    return SortPairsDescending(temp, temp_bytes, static_cast<const Key*>(keys.Current()),
                               keys.Current(), static_cast<const Value*>(values.Current()),
                               values.Current(), num_items, num_segments, begin_offsets,
                               end_offsets, stream);
  }
  /// Sorts each segment in descending order.
  template <class Key, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                        Key* keys_out, NumItems num_items, NumSegments num_segments,
                                        BeginIt begin_offsets, EndIt end_offsets,
                                        cudaStream_t stream = 0) {
    return detail::sort_any_segments(
        temp, temp_bytes, keys_in, keys_out, static_cast<const detail::no_value*>(nullptr),
        static_cast<detail::no_value*>(nullptr), num_items, num_segments, begin_offsets,
        end_offsets, detail::radix_order<detail::descending>{}, stream);
  }
  /// The same in place, in a buffer.
  template <class Key, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes,
                                        DoubleBuffer<Key>& keys, NumItems num_items,
                                        NumSegments num_segments, BeginIt begin_offsets,
                                        EndIt end_offsets, cudaStream_t stream = 0) {
    return SortKeysDescending(temp, temp_bytes, static_cast<const Key*>(keys.Current()),
                              keys.Current(), num_items, num_segments, begin_offsets, end_offsets,
                              stream);
  }
  /// The same as SortPairs and SortKeys.
  template <class... Arguments>
  static cudaError_t StableSortPairs(void* temp, std::size_t& temp_bytes,
                                     Arguments&&... arguments) {
    return SortPairs(temp, temp_bytes, arguments...);
  }
  /// The same for keys alone.
  template <class... Arguments>
  static cudaError_t StableSortKeys(void* temp, std::size_t& temp_bytes, Arguments&&... arguments) {
    return SortKeys(temp, temp_bytes, arguments...);
  }
  /// The same as SortPairsDescending and SortKeysDescending.
  template <class... Arguments>
  static cudaError_t StableSortPairsDescending(void* temp, std::size_t& temp_bytes,
                                               Arguments&&... arguments) {
    return SortPairsDescending(temp, temp_bytes, arguments...);
  }
  /// The same for keys alone.
  template <class... Arguments>
  static cudaError_t StableSortKeysDescending(void* temp, std::size_t& temp_bytes,
                                              Arguments&&... arguments) {
    return SortKeysDescending(temp, temp_bytes, arguments...);
  }
};

/// The same, by bits [begin_bit, end_bit) of the keys.
///   Example
///     thrust::device_vector<int> orders = std::vector<int>{5, 20, 7, 1}, sorted(4);
///     thrust::device_vector<int> customers = std::vector<int>{0, 3, 3, 4};
///     const int* const from = thrust::raw_pointer_cast(orders.data());
///     const int* const offsets = thrust::raw_pointer_cast(customers.data());
///     std::size_t bytes = 0;
///     const auto sort = [&](void* temp) {
///       return hindsight::DeviceSegmentedRadixSort::SortKeysDescending(
///           temp, bytes, from, thrust::raw_pointer_cast(sorted.data()), 4, 3, offsets,
///           offsets + 1);
///     };
///     sort(nullptr);
///     thrust::device_vector<char> temp(bytes);
///     sort(thrust::raw_pointer_cast(temp.data()));  // 20, 7, 5, 1
struct DeviceSegmentedRadixSort {
  /// Sorts each segment in ascending order. Moves the values with the keys.
  template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                               Key* keys_out, const Value* values_in, Value* values_out,
                               NumItems num_items, NumSegments num_segments, BeginIt begin_offsets,
                               EndIt end_offsets, int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                               cudaStream_t stream = 0) {
    return detail::sort_any_segments(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                     num_items, num_segments, begin_offsets, end_offsets,
                                     detail::order_of_bits<detail::ascending>{begin_bit, end_bit},
                                     stream);
  }
  /// The same in place, in buffers.
  template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, NumItems num_items,
                               NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                               int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                               cudaStream_t stream = 0) {
    return SortPairs(temp, temp_bytes, static_cast<const Key*>(keys.Current()), keys.Current(),
                     static_cast<const Value*>(values.Current()), values.Current(), num_items,
                     num_segments, begin_offsets, end_offsets, begin_bit, end_bit, stream);
  }
  /// Sorts each segment in ascending order.
  template <class Key, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                              Key* keys_out, NumItems num_items, NumSegments num_segments,
                              BeginIt begin_offsets, EndIt end_offsets, int begin_bit = 0,
                              int end_bit = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return detail::sort_any_segments(
        temp, temp_bytes, keys_in, keys_out, static_cast<const detail::no_value*>(nullptr),
        static_cast<detail::no_value*>(nullptr), num_items, num_segments, begin_offsets,
        end_offsets, detail::order_of_bits<detail::ascending>{begin_bit, end_bit}, stream);
  }
  /// The same in place, in a buffer.
  template <class Key, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                              NumItems num_items, NumSegments num_segments, BeginIt begin_offsets,
                              EndIt end_offsets, int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                              cudaStream_t stream = 0) {
    return SortKeys(temp, temp_bytes, static_cast<const Key*>(keys.Current()), keys.Current(),
                    num_items, num_segments, begin_offsets, end_offsets, begin_bit, end_bit,
                    stream);
  }
  /// Sorts each segment in descending order. Moves the values with the keys.
  template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                         Key* keys_out, const Value* values_in, Value* values_out,
                                         NumItems num_items, NumSegments num_segments,
                                         BeginIt begin_offsets, EndIt end_offsets,
                                         int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                                         cudaStream_t stream = 0) {
    return detail::sort_any_segments(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                     num_items, num_segments, begin_offsets, end_offsets,
                                     detail::order_of_bits<detail::descending>{begin_bit, end_bit},
                                     stream);
  }
  /// The same in place, in buffers.
  template <class Key, class Value, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes,
                                         DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                                         NumItems num_items, NumSegments num_segments,
                                         BeginIt begin_offsets, EndIt end_offsets,
                                         int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                                         cudaStream_t stream = 0) {
    return SortPairsDescending(temp, temp_bytes, static_cast<const Key*>(keys.Current()),
                               keys.Current(), static_cast<const Value*>(values.Current()),
                               values.Current(), num_items, num_segments, begin_offsets,
                               end_offsets, begin_bit, end_bit, stream);
  }
  /// Sorts each segment in descending order.
  template <class Key, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                        Key* keys_out, NumItems num_items, NumSegments num_segments,
                                        BeginIt begin_offsets, EndIt end_offsets, int begin_bit = 0,
                                        int end_bit = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return detail::sort_any_segments(
        temp, temp_bytes, keys_in, keys_out, static_cast<const detail::no_value*>(nullptr),
        static_cast<detail::no_value*>(nullptr), num_items, num_segments, begin_offsets,
        end_offsets, detail::order_of_bits<detail::descending>{begin_bit, end_bit}, stream);
  }
  /// The same in place, in a buffer.
  template <class Key, class NumItems, class NumSegments, class BeginIt, class EndIt>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes,
                                        DoubleBuffer<Key>& keys, NumItems num_items,
                                        NumSegments num_segments, BeginIt begin_offsets,
                                        EndIt end_offsets, int begin_bit = 0,
                                        int end_bit = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return SortKeysDescending(temp, temp_bytes, static_cast<const Key*>(keys.Current()),
                              keys.Current(), num_items, num_segments, begin_offsets, end_offsets,
                              begin_bit, end_bit, stream);
  }
};

}  // namespace hindsight
