// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sort in CUB's shape: names, argument order and two phases of cub::Device*, so that one
// template body compiles against either namespace.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items, too little room),
//           before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/radix_sort.cuh>
#include <hindsight/detail/dispatch/decomposed_sort.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>
#include <hindsight/detail/dispatch/named_keys.cuh>
#include <hindsight/detail/radix_sortable.h>

#include <cub/util_type.cuh>

namespace hindsight {

using cub::DoubleBuffer;  ///< CUB's own

inline namespace HINDSIGHT_ARCH_ABI {

/// Stable sorts by bits [begin_bit, end_bit) of the keys. The input stays as it is, unless it is
/// sorted in place: keys_out may be keys_in, and values_out may be values_in. With DoubleBuffers,
/// Current() is the input, and on return the output; Alternate() is overwritten. With a decomposer
/// after the number of items, keys may be of any type, also in DoubleBuffers: the decomposer
/// returns a tuple of references to the members to sort by. Time as stable_sort.
///   Memory  room for n keys and n values, and tables; tables alone between DoubleBuffers without a
///           decomposer
///   Errors  cudaErrorInvalidValue also where the bits are not in the key, or where a deferred
///           number of items is sorted by no bits; where only keys or only values are in place,
///           and the number is deferred or there is a decomposer
///   Example
///     thrust::device_vector<int> keys(1000, 2), sorted(1000);
///     const int* const from = thrust::raw_pointer_cast(keys.data());
///     int* const to = thrust::raw_pointer_cast(sorted.data());
///     std::size_t bytes = 0;
///     hindsight::DeviceRadixSort::SortKeys(nullptr, bytes, from, to, 1000);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceRadixSort::SortKeys(temp.data().get(), bytes, from, to, 1000);
struct DeviceRadixSort : detail::decomposed_radix_sort {
  using decomposed_radix_sort::SortKeys;
  using decomposed_radix_sort::SortKeysDescending;
  using decomposed_radix_sort::SortPairs;
  using decomposed_radix_sort::SortPairsDescending;
  /// Sorts the keys in ascending order, and moves the values with them.
  template <class Key, class Value, class NumItems>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                               Key* keys_out, const Value* values_in, Value* values_out,
                               NumItems num_items, int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                               cudaStream_t stream = 0) {
    return sort<detail::ascending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                   num_items, begin_bit, end_bit, stream);
  }
  /// Sorts the keys in ascending order.
  template <class Key, class NumItems>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                              Key* keys_out, NumItems num_items, int begin_bit = 0,
                              int end_bit = 8 * sizeof(Key), cudaStream_t stream = 0) {
    const detail::no_value* const no_values = nullptr;
    return sort<detail::ascending>(temp, temp_bytes, keys_in, keys_out, no_values,
                                   const_cast<detail::no_value*>(no_values), num_items, begin_bit,
                                   end_bit, stream);
  }
  /// SortPairs between two buffers: no temporary memory for the items.
  template <class Key, class Value, class NumItems>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, NumItems num_items, int begin_bit = 0,
                               int end_bit = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return sort<detail::ascending>(temp, temp_bytes, keys.Current(), keys.Current(),
                                   values.Current(), values.Current(), num_items, begin_bit,
                                   end_bit, stream, keys.Alternate(), values.Alternate());
  }
  /// SortKeys between two buffers: no temporary memory for the keys.
  template <class Key, class NumItems>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                              NumItems num_items, int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                              cudaStream_t stream = 0) {
    detail::no_value* const none = nullptr;
    return sort<detail::ascending>(temp, temp_bytes, keys.Current(), keys.Current(), none, none,
                                   num_items, begin_bit, end_bit, stream, keys.Alternate(), none);
  }
  /// SortPairs in descending order.
  template <class Key, class Value, class NumItems>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                         Key* keys_out, const Value* values_in, Value* values_out,
                                         NumItems num_items, int begin_bit = 0,
                                         int end_bit = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return sort<detail::descending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                    num_items, begin_bit, end_bit, stream);
  }
  /// SortKeys in descending order.
  template <class Key, class NumItems>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                        Key* keys_out, NumItems num_items, int begin_bit = 0,
                                        int end_bit = 8 * sizeof(Key), cudaStream_t stream = 0) {
    const detail::no_value* const no_values = nullptr;
    return sort<detail::descending>(temp, temp_bytes, keys_in, keys_out, no_values,
                                    const_cast<detail::no_value*>(no_values), num_items, begin_bit,
                                    end_bit, stream);
  }
  /// SortPairsDescending between two buffers.
  template <class Key, class Value, class NumItems>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes,
                                         DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                                         NumItems num_items, int begin_bit = 0,
                                         int end_bit = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return sort<detail::descending>(temp, temp_bytes, keys.Current(), keys.Current(),
                                    values.Current(), values.Current(), num_items, begin_bit,
                                    end_bit, stream, keys.Alternate(), values.Alternate());
  }
  /// SortKeysDescending between two buffers.
  template <class Key, class NumItems>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes,
                                        DoubleBuffer<Key>& keys, NumItems num_items,
                                        int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                                        cudaStream_t stream = 0) {
    detail::no_value* const none = nullptr;
    return sort<detail::descending>(temp, temp_bytes, keys.Current(), keys.Current(), none, none,
                                    num_items, begin_bit, end_bit, stream, keys.Alternate(), none);
  }

  /// SortPairs in one call.
  template <class Key, class Value, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairs(const Key* keys_in, Key* keys_out, const Value* values_in,
                               Value* values_out, NumItems num_items, int begin_bit = 0,
                               int end_bit = 8 * sizeof(Key), const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items,
                       begin_bit, end_bit, stream);
    });
  }
  /// SortKeys in one call.
  template <class Key, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeys(const Key* keys_in, Key* keys_out, NumItems num_items,
                              int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                              const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeys(temp, temp_bytes, keys_in, keys_out, num_items, begin_bit, end_bit, stream);
    });
  }
  /// SortPairs between two buffers, in one call.
  template <class Key, class Value, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairs(DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                               NumItems num_items, int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                               const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairs(temp, temp_bytes, keys, values, num_items, begin_bit, end_bit, stream);
    });
  }
  /// SortKeys between two buffers, in one call.
  template <class Key, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeys(DoubleBuffer<Key>& keys, NumItems num_items, int begin_bit = 0,
                              int end_bit = 8 * sizeof(Key), const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeys(temp, temp_bytes, keys, num_items, begin_bit, end_bit, stream);
    });
  }
  /// SortPairsDescending in one call.
  template <class Key, class Value, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairsDescending(const Key* keys_in, Key* keys_out, const Value* values_in,
                                         Value* values_out, NumItems num_items, int begin_bit = 0,
                                         int end_bit = 8 * sizeof(Key), const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairsDescending(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                 num_items, begin_bit, end_bit, stream);
    });
  }
  /// SortKeysDescending in one call.
  template <class Key, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeysDescending(const Key* keys_in, Key* keys_out, NumItems num_items,
                                        int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                                        const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeysDescending(temp, temp_bytes, keys_in, keys_out, num_items, begin_bit, end_bit,
                                stream);
    });
  }
  /// SortPairsDescending between two buffers, in one call.
  template <class Key, class Value, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortPairsDescending(DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                                         NumItems num_items, int begin_bit = 0,
                                         int end_bit = 8 * sizeof(Key), const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortPairsDescending(temp, temp_bytes, keys, values, num_items, begin_bit, end_bit,
                                 stream);
    });
  }
  /// SortKeysDescending between two buffers, in one call.
  template <class Key, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t SortKeysDescending(DoubleBuffer<Key>& keys, NumItems num_items,
                                        int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                                        const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return SortKeysDescending(temp, temp_bytes, keys, num_items, begin_bit, end_bit, stream);
    });
  }

 private:
  template <class Direction, class Key, class Value, class NumItems>
  static cudaError_t sort(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                          const Value* values_in, Value* values_out, NumItems num_items,
                          int begin_bit, int end_bit, cudaStream_t stream,
                          Key* keys_spare = nullptr, Value* values_spare = nullptr) {
    static_assert(detail::is_radix_key<detail::key_to_sort_t<Key>>,
                  "hindsight: DeviceRadixSort takes keys that are numbers of up to 128 bits, or a "
                  "decomposer");
    const bool is_bit_range =
        0 <= begin_bit && begin_bit <= end_bit && end_bit <= int(8 * sizeof(Key));
    if (detail::is_negative(num_items) || !is_bit_range) return cudaErrorInvalidValue;
    const auto n = detail::to_size(num_items);
    const auto from = detail::values_to_sort(values_in);
    const auto to = detail::values_to_sort(values_out);
    constexpr bool knows_size = std::is_same_v<decltype(n), const std::size_t>;
    if (begin_bit == end_bit) {
      if constexpr (knows_size) {
        return copy(temp, temp_bytes, keys_in, keys_out, from, to, n, stream);
      } else {
        return cudaErrorInvalidValue;
      }
    }
    if constexpr (!std::is_same_v<decltype(to), detail::no_value* const>) {
      if (detail::is_half_in_place(keys_in, keys_out, from, to)) {  // all in place, after a copy
        const auto sort_in_place = [&](void* room, std::size_t& bytes) {
          const Key* const keys = keys_out;
          const Value* const values = values_out;
          return sort<Direction>(room, bytes, keys, keys_out, values, values_out, num_items,
                                 begin_bit, end_bit, stream);
        };
        std::size_t bytes = 0;
        HINDSIGHT_TRY(sort_in_place(nullptr, bytes));
        if (temp == nullptr) return temp_bytes = bytes, cudaSuccess;
        if constexpr (knows_size) {
          if (temp_bytes < bytes) return cudaErrorInvalidValue;
          HINDSIGHT_TRY(copy(temp, temp_bytes, keys_in, keys_out, from, to, n, stream));
          return sort_in_place(temp, bytes);
        } else {
          return cudaErrorInvalidValue;
        }
      }
    }
    return detail::cuda::radix_sort<Direction>(
        temp, temp_bytes, detail::keys_to_sort(keys_in), detail::keys_to_sort(keys_out), from, to,
        n, begin_bit, end_bit, stream, detail::keys_to_sort(keys_spare),
        detail::values_to_sort(values_spare));
  }

  /// A sort by no bits: out = in.
  template <class Key, class Value>
  static cudaError_t copy(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                          const Value* values_in, Value* values_out, std::size_t n,
                          cudaStream_t stream) {
    if (temp == nullptr) return temp_bytes = detail::no_temporary_bytes, cudaSuccess;
    const auto copy_items = [=](const auto* from, auto* to) {
      return from == to
                 ? cudaSuccess
                 : cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyDeviceToDevice, stream);
    };
    HINDSIGHT_TRY(copy_items(keys_in, keys_out));
    return copy_items(values_in, values_out);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
