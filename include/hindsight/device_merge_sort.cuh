// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sort in CUB's shape: names, argument order and two phases of cub::Device*, so that one
// template body compiles against either namespace.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items, too little room),
//           before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/comparison_sort.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

#include <cub/device/device_merge_sort.cuh>
#include <cub/util_type.cuh>

#include <type_traits>

namespace hindsight {

inline namespace HINDSIGHT_ARCH_ABI {

/// Sorts by any strict weak order. All are stable, also those whose names do not say so. Items
/// that are not trivially copy constructible and destructible go to CUB.
///   Memory  keys of up to 24 bytes and values of up to 8: none for one tile, else room for n keys
///           and values, and tables; if they are many, 1.7 bytes each or fewer. Larger ones: two or
///           three indices for each, and, if the sort is in place, room for n keys and values
///   Example
///     thrust::device_vector<int> keys(1000, 2);
///     int* const first = thrust::raw_pointer_cast(keys.data());
///     std::size_t bytes = 0;
///     hindsight::DeviceMergeSort::SortKeys(nullptr, bytes, first, 1000, thrust::less<long>{});
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceMergeSort::SortKeys(temp.data().get(), bytes, first, 1000,
///                                          thrust::less<long>{});
///   Source  Odeh, Green, Mwassi, Shmueli, Birk 2012, "Merge Path: Parallel Merging Made Simple";
///           Leischner, Osipov, Sanders 2010, "GPU Sample Sort"
struct DeviceMergeSort {
  /// Sorts the keys, and moves the values with them.
  template <class KeyIt, class ValueIt, class NumItems, class Compare>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, KeyIt keys, ValueIt values,
                               NumItems num_items, Compare compare, cudaStream_t stream = 0) {
    return sort_in_place(temp, temp_bytes, keys, values, num_items, compare, stream);
  }
  /// The same as SortPairs.
  template <class KeyIt, class ValueIt, class NumItems, class Compare>
  static cudaError_t StableSortPairs(void* temp, std::size_t& temp_bytes, KeyIt keys,
                                     ValueIt values, NumItems num_items, Compare compare,
                                     cudaStream_t stream = 0) {
    return sort_in_place(temp, temp_bytes, keys, values, num_items, compare, stream);
  }
  /// SortPairs to other arrays. The input stays as it is; outputs must not overlap it.
  template <class KeyInputIt, class ValueInputIt, class KeyIt, class ValueIt, class NumItems,
            class Compare>
  static cudaError_t SortPairsCopy(void* temp, std::size_t& temp_bytes, KeyInputIt keys_in,
                                   ValueInputIt values_in, KeyIt keys_out, ValueIt values_out,
                                   NumItems num_items, Compare compare, cudaStream_t stream = 0) {
    return sort(temp, temp_bytes, keys_in, values_in, keys_out, values_out, num_items, compare,
                stream);
  }
  /// Sorts the keys.
  template <class KeyIt, class NumItems, class Compare>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, KeyIt keys, NumItems num_items,
                              Compare compare, cudaStream_t stream = 0) {
    return sort_in_place(temp, temp_bytes, keys, none(), num_items, compare, stream);
  }
  /// The same as SortKeys.
  template <class KeyIt, class NumItems, class Compare>
  static cudaError_t StableSortKeys(void* temp, std::size_t& temp_bytes, KeyIt keys,
                                    NumItems num_items, Compare compare, cudaStream_t stream = 0) {
    return sort_in_place(temp, temp_bytes, keys, none(), num_items, compare, stream);
  }
  /// SortKeys to another array. The input stays as it is; the output must not overlap it.
  template <class KeyInputIt, class KeyIt, class NumItems, class Compare>
  static cudaError_t SortKeysCopy(void* temp, std::size_t& temp_bytes, KeyInputIt keys_in,
                                  KeyIt keys_out, NumItems num_items, Compare compare,
                                  cudaStream_t stream = 0) {
    return sort(temp, temp_bytes, keys_in, none(), keys_out, none(), num_items, compare, stream);
  }
  /// The same as SortKeysCopy.
  template <class KeyInputIt, class KeyIt, class NumItems, class Compare>
  static cudaError_t StableSortKeysCopy(void* temp, std::size_t& temp_bytes, KeyInputIt keys_in,
                                        KeyIt keys_out, NumItems num_items, Compare compare,
                                        cudaStream_t stream = 0) {
    return sort(temp, temp_bytes, keys_in, none(), keys_out, none(), num_items, compare, stream);
  }

  /// SortPairs in one call.
  template <class KeyIt, class ValueIt, class NumItems, class Compare, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairs(KeyIt keys, ValueIt values, NumItems num_items, Compare compare,
                               const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairs(temp, temp_bytes, keys, values, num_items, compare, stream);
    });
  }
  /// SortPairsCopy in one call.
  template <class KeyInputIt, class ValueInputIt, class KeyIt, class ValueIt, class NumItems,
            class Compare, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairsCopy(KeyInputIt keys_in, ValueInputIt values_in, KeyIt keys_out,
                                   ValueIt values_out, NumItems num_items, Compare compare,
                                   const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairsCopy(temp, temp_bytes, keys_in, values_in, keys_out, values_out, num_items,
                           compare, stream);
    });
  }
  /// SortKeys in one call.
  template <class KeyIt, class NumItems, class Compare, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeys(KeyIt keys, NumItems num_items, Compare compare,
                              const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeys(temp, temp_bytes, keys, num_items, compare, stream);
    });
  }
  /// SortKeysCopy in one call.
  template <class KeyInputIt, class KeyIt, class NumItems, class Compare,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeysCopy(KeyInputIt keys_in, KeyIt keys_out, NumItems num_items,
                                  Compare compare, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeysCopy(temp, temp_bytes, keys_in, keys_out, num_items, compare, stream);
    });
  }
  /// StableSortPairs in one call.
  template <class KeyIt, class ValueIt, class NumItems, class Compare, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortPairs(KeyIt keys, ValueIt values, NumItems num_items,
                                     Compare compare, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return StableSortPairs(temp, temp_bytes, keys, values, num_items, compare, stream);
    });
  }
  /// StableSortKeys in one call.
  template <class KeyIt, class NumItems, class Compare, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortKeys(KeyIt keys, NumItems num_items, Compare compare,
                                    const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return StableSortKeys(temp, temp_bytes, keys, num_items, compare, stream);
    });
  }
  /// StableSortKeysCopy in one call.
  template <class KeyInputIt, class KeyIt, class NumItems, class Compare,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t StableSortKeysCopy(KeyInputIt keys_in, KeyIt keys_out, NumItems num_items,
                                        Compare compare, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return StableSortKeysCopy(temp, temp_bytes, keys_in, keys_out, num_items, compare, stream);
    });
  }

 private:
  static cub::NullType* none() { return nullptr; }

  /// Holds for items that the engine may copy as bytes. CUB sorts the others.
  template <class Key, class Value>
  static constexpr bool are_bytes =
      std::is_trivially_copy_constructible_v<Key>&& std::is_trivially_destructible_v<Key>&&
          std::is_trivially_copy_constructible_v<Value>&& std::is_trivially_destructible_v<Value>;

  template <class KeyIt, class ValueIt, class NumItems, class Compare>
  static cudaError_t sort_in_place(void* temp, std::size_t& temp_bytes, KeyIt keys, ValueIt values,
                                   NumItems num_items, Compare compare, cudaStream_t stream) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    if constexpr (are_bytes<detail::item_t<KeyIt>, detail::item_t<ValueIt>>) {
      return sort(temp, temp_bytes, keys, values, keys, values, num_items, compare, stream);
    } else if constexpr (!detail::require_stock_number<NumItems>()) {
      return cudaErrorInvalidValue;
    } else {
      return cub::DeviceMergeSort::StableSortPairs(temp, temp_bytes, keys, values, num_items,
                                                   compare, stream);
    }
  }
  template <class KeyInputIt, class ValueInputIt, class KeyIt, class ValueIt, class NumItems,
            class Compare>
  static cudaError_t sort(void* temp, std::size_t& temp_bytes, KeyInputIt keys_in,
                          ValueInputIt values_in, KeyIt keys_out, ValueIt values_out,
                          NumItems num_items, Compare compare, cudaStream_t stream) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    if constexpr (are_bytes<detail::item_t<KeyIt>, detail::item_t<ValueIt>>) {
      return detail::cuda::comparison_sort(
          temp, temp_bytes, keys_in, keys_out, detail::values_to_sort(values_in),
          detail::values_to_sort(values_out), detail::to_size(num_items), compare, stream);
    } else if constexpr (!detail::require_stock_number<NumItems>()) {
      return cudaErrorInvalidValue;
    } else {
      return cub::DeviceMergeSort::SortPairsCopy(temp, temp_bytes, keys_in, values_in, keys_out,
                                                 values_out, num_items, compare, stream);
    }
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
