// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of segments in CUB's shape: names, argument order and two phases of
// cub::DeviceSegmentedSort, so that one template body compiles against either namespace. Segment
// s has the items [begin_offsets[s], end_offsets[s]); no item is in two. The fast case is the usual
// one: both are pointers, and end_offsets = begin_offsets + 1; offsets must not decrease there. In
// other cases items are first copied so that segments follow each other, and copied back at the
// end. num_items is the number of items in memory: no offset may be greater, since temporary memory
// has room for so many only.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items or segments, only
//           keys or only values in place, too little room), before anything is launched; else the
//           first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/device_sort_segments.cuh>
#include <hindsight/detail/dispatch/environment.cuh>

#include <cub/util_type.cuh>

namespace hindsight {

using cub::DoubleBuffer;  ///< CUB's own

inline namespace HINDSIGHT_ARCH_ABI {

/// Sorts each segment; keys are numbers. All sorts are stable, also those whose names do not say
/// so. The outputs may be the inputs; items in no segment are not written. With DoubleBuffers the
/// sort is in place: Current() stays the same buffer.
///   Memory  as hindsight::sort_segments; if it is not the fast case, room for the items once more,
///           and 8 bytes for each segment
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
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                               Key* keys_out, const Value* values_in, Value* values_out,
                               NumItems num_items, NumSegments num_segments, BeginIt begin_offsets,
                               EndIt end_offsets, cudaStream_t stream = 0) {
    return detail::sort_any_segments(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                     num_items, num_segments, begin_offsets, end_offsets,
                                     detail::radix_order<detail::ascending>{}, stream);
  }
  /// The same in place, in buffers.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, NumItems num_items,
                               NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                               cudaStream_t stream = 0) {
    return SortPairs(temp, temp_bytes, static_cast<const Key*>(keys.Current()), keys.Current(),
                     static_cast<const Value*>(values.Current()), values.Current(), num_items,
                     num_segments, begin_offsets, end_offsets, stream);
  }
  /// Sorts each segment in ascending order.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                              Key* keys_out, NumItems num_items, NumSegments num_segments,
                              BeginIt begin_offsets, EndIt end_offsets, cudaStream_t stream = 0) {
    return detail::sort_any_segments(
        temp, temp_bytes, keys_in, keys_out, static_cast<const detail::no_value*>(nullptr),
        static_cast<detail::no_value*>(nullptr), num_items, num_segments, begin_offsets,
        end_offsets, detail::radix_order<detail::ascending>{}, stream);
  }
  /// The same in place, in a buffer.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                              NumItems num_items, NumSegments num_segments, BeginIt begin_offsets,
                              EndIt end_offsets, cudaStream_t stream = 0) {
    return SortKeys(temp, temp_bytes, static_cast<const Key*>(keys.Current()), keys.Current(),
                    num_items, num_segments, begin_offsets, end_offsets, stream);
  }
  /// Sorts each segment in descending order. Moves the values with the keys.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments>
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
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments>
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
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments>
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
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes,
                                        DoubleBuffer<Key>& keys, NumItems num_items,
                                        NumSegments num_segments, BeginIt begin_offsets,
                                        EndIt end_offsets, cudaStream_t stream = 0) {
    return SortKeysDescending(temp, temp_bytes, static_cast<const Key*>(keys.Current()),
                              keys.Current(), num_items, num_segments, begin_offsets, end_offsets,
                              stream);
  }

  /// SortPairs in one call.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairs(const Key* keys_in, Key* keys_out, const Value* values_in,
                               Value* values_out, NumItems num_items, NumSegments num_segments,
                               BeginIt begin_offsets, EndIt end_offsets, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items,
                       num_segments, begin_offsets, end_offsets, stream);
    });
  }
  /// SortPairs in place, in one call.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairs(DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                               NumItems num_items, NumSegments num_segments, BeginIt begin_offsets,
                               EndIt end_offsets, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairs(temp, temp_bytes, keys, values, num_items, num_segments, begin_offsets,
                       end_offsets, stream);
    });
  }
  /// SortKeys in one call.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeys(const Key* keys_in, Key* keys_out, NumItems num_items,
                              NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                              const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeys(temp, temp_bytes, keys_in, keys_out, num_items, num_segments, begin_offsets,
                      end_offsets, stream);
    });
  }
  /// SortKeys in place, in one call.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeys(DoubleBuffer<Key>& keys, NumItems num_items, NumSegments num_segments,
                              BeginIt begin_offsets, EndIt end_offsets, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeys(temp, temp_bytes, keys, num_items, num_segments, begin_offsets, end_offsets,
                      stream);
    });
  }
  /// SortPairsDescending in one call.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairsDescending(const Key* keys_in, Key* keys_out, const Value* values_in,
                                         Value* values_out, NumItems num_items,
                                         NumSegments num_segments, BeginIt begin_offsets,
                                         EndIt end_offsets, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairsDescending(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                 num_items, num_segments, begin_offsets, end_offsets, stream);
    });
  }
  /// SortPairsDescending in place, in one call.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairsDescending(DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                                         NumItems num_items, NumSegments num_segments,
                                         BeginIt begin_offsets, EndIt end_offsets,
                                         const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairsDescending(temp, temp_bytes, keys, values, num_items, num_segments,
                                 begin_offsets, end_offsets, stream);
    });
  }
  /// SortKeysDescending in one call.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeysDescending(const Key* keys_in, Key* keys_out, NumItems num_items,
                                        NumSegments num_segments, BeginIt begin_offsets,
                                        EndIt end_offsets, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeysDescending(temp, temp_bytes, keys_in, keys_out, num_items, num_segments,
                                begin_offsets, end_offsets, stream);
    });
  }
  /// SortKeysDescending in place, in one call.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeysDescending(DoubleBuffer<Key>& keys, NumItems num_items,
                                        NumSegments num_segments, BeginIt begin_offsets,
                                        EndIt end_offsets, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeysDescending(temp, temp_bytes, keys, num_items, num_segments, begin_offsets,
                                end_offsets, stream);
    });
  }

  /// SortPairs, which is stable.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t StableSortPairs(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                     Key* keys_out, const Value* values_in, Value* values_out,
                                     NumItems num_items, NumSegments num_segments,
                                     BeginIt begin_offsets, EndIt end_offsets,
                                     cudaStream_t stream = 0) {
    return SortPairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items,
                     num_segments, begin_offsets, end_offsets, stream);
  }
  /// The same in place, in buffers.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t StableSortPairs(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                                     DoubleBuffer<Value>& values, NumItems num_items,
                                     NumSegments num_segments, BeginIt begin_offsets,
                                     EndIt end_offsets, cudaStream_t stream = 0) {
    return SortPairs(temp, temp_bytes, keys, values, num_items, num_segments, begin_offsets,
                     end_offsets, stream);
  }
  /// SortKeys, which is stable.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t StableSortKeys(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                    Key* keys_out, NumItems num_items, NumSegments num_segments,
                                    BeginIt begin_offsets, EndIt end_offsets,
                                    cudaStream_t stream = 0) {
    return SortKeys(temp, temp_bytes, keys_in, keys_out, num_items, num_segments, begin_offsets,
                    end_offsets, stream);
  }
  /// The same in place, in a buffer.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t StableSortKeys(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                                    NumItems num_items, NumSegments num_segments,
                                    BeginIt begin_offsets, EndIt end_offsets,
                                    cudaStream_t stream = 0) {
    return SortKeys(temp, temp_bytes, keys, num_items, num_segments, begin_offsets, end_offsets,
                    stream);
  }
  /// SortPairsDescending, which is stable.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t StableSortPairsDescending(void* temp, std::size_t& temp_bytes,
                                               const Key* keys_in, Key* keys_out,
                                               const Value* values_in, Value* values_out,
                                               NumItems num_items, NumSegments num_segments,
                                               BeginIt begin_offsets, EndIt end_offsets,
                                               cudaStream_t stream = 0) {
    return SortPairsDescending(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                               num_items, num_segments, begin_offsets, end_offsets, stream);
  }
  /// The same in place, in buffers.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t StableSortPairsDescending(void* temp, std::size_t& temp_bytes,
                                               DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                                               NumItems num_items, NumSegments num_segments,
                                               BeginIt begin_offsets, EndIt end_offsets,
                                               cudaStream_t stream = 0) {
    return SortPairsDescending(temp, temp_bytes, keys, values, num_items, num_segments,
                               begin_offsets, end_offsets, stream);
  }
  /// SortKeysDescending, which is stable.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t StableSortKeysDescending(void* temp, std::size_t& temp_bytes,
                                              const Key* keys_in, Key* keys_out, NumItems num_items,
                                              NumSegments num_segments, BeginIt begin_offsets,
                                              EndIt end_offsets, cudaStream_t stream = 0) {
    return SortKeysDescending(temp, temp_bytes, keys_in, keys_out, num_items, num_segments,
                              begin_offsets, end_offsets, stream);
  }
  /// The same in place, in a buffer.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments>
  static cudaError_t StableSortKeysDescending(void* temp, std::size_t& temp_bytes,
                                              DoubleBuffer<Key>& keys, NumItems num_items,
                                              NumSegments num_segments, BeginIt begin_offsets,
                                              EndIt end_offsets, cudaStream_t stream = 0) {
    return SortKeysDescending(temp, temp_bytes, keys, num_items, num_segments, begin_offsets,
                              end_offsets, stream);
  }

  /// StableSortPairs in one call.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortPairs(const Key* keys_in, Key* keys_out, const Value* values_in,
                                     Value* values_out, NumItems num_items,
                                     NumSegments num_segments, BeginIt begin_offsets,
                                     EndIt end_offsets, const Env& env = {}) {
    return SortPairs(keys_in, keys_out, values_in, values_out, num_items, num_segments,
                     begin_offsets, end_offsets, env);
  }
  /// StableSortPairs in place, in one call.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortPairs(DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                                     NumItems num_items, NumSegments num_segments,
                                     BeginIt begin_offsets, EndIt end_offsets,
                                     const Env& env = {}) {
    return SortPairs(keys, values, num_items, num_segments, begin_offsets, end_offsets, env);
  }
  /// StableSortKeys in one call.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortKeys(const Key* keys_in, Key* keys_out, NumItems num_items,
                                    NumSegments num_segments, BeginIt begin_offsets,
                                    EndIt end_offsets, const Env& env = {}) {
    return SortKeys(keys_in, keys_out, num_items, num_segments, begin_offsets, end_offsets, env);
  }
  /// StableSortKeys in place, in one call.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortKeys(DoubleBuffer<Key>& keys, NumItems num_items,
                                    NumSegments num_segments, BeginIt begin_offsets,
                                    EndIt end_offsets, const Env& env = {}) {
    return SortKeys(keys, num_items, num_segments, begin_offsets, end_offsets, env);
  }
  /// StableSortPairsDescending in one call.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortPairsDescending(const Key* keys_in, Key* keys_out,
                                               const Value* values_in, Value* values_out,
                                               NumItems num_items, NumSegments num_segments,
                                               BeginIt begin_offsets, EndIt end_offsets,
                                               const Env& env = {}) {
    return SortPairsDescending(keys_in, keys_out, values_in, values_out, num_items, num_segments,
                               begin_offsets, end_offsets, env);
  }
  /// StableSortPairsDescending in place, in one call.
  template <class Key, class Value, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortPairsDescending(DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                                               NumItems num_items, NumSegments num_segments,
                                               BeginIt begin_offsets, EndIt end_offsets,
                                               const Env& env = {}) {
    return SortPairsDescending(keys, values, num_items, num_segments, begin_offsets, end_offsets,
                               env);
  }
  /// StableSortKeysDescending in one call.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortKeysDescending(const Key* keys_in, Key* keys_out, NumItems num_items,
                                              NumSegments num_segments, BeginIt begin_offsets,
                                              EndIt end_offsets, const Env& env = {}) {
    return SortKeysDescending(keys_in, keys_out, num_items, num_segments, begin_offsets,
                              end_offsets, env);
  }
  /// StableSortKeysDescending in place, in one call.
  template <class Key, class BeginIt, class EndIt, class NumItems, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortKeysDescending(DoubleBuffer<Key>& keys, NumItems num_items,
                                              NumSegments num_segments, BeginIt begin_offsets,
                                              EndIt end_offsets, const Env& env = {}) {
    return SortKeysDescending(keys, num_items, num_segments, begin_offsets, end_offsets, env);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
