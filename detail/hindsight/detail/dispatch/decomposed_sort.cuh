// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DeviceRadixSort's functions with a decomposer: keys of any type, sorted by the members that it
// names.
#pragma once

#include <hindsight/detail/cuda/composite_sort.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

#include <cub/util_type.cuh>
#include <cuda/std/utility>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {

/// What may follow a decomposer: bits, a stream, or both.
struct sort_options {
  int begin_bit = 0, end_bit = -1;  ///< -1: the last
  cudaStream_t stream = nullptr;
  sort_options() = default;
  sort_options(cudaStream_t on) : stream{on} {}
  sort_options(int begin, int end, cudaStream_t on = nullptr)
      : begin_bit{begin}, end_bit{end}, stream{on} {}
};

/// A decomposer takes a key and returns a tuple of references to its members, the one that counts
/// most first: numbers, of up to 32 bytes together. Bit 0 is the last member's lowest. Last come
/// begin_bit and end_bit, a stream, all three, or nothing.
///   Memory  room for n keys of up to 16 bytes and the members of each; else two or three indices
///           each, and room for n keys and values in place
struct decomposed_radix_sort {
  /// SortPairs of keys of any type.
  template <class Key, class Value, class NumItems, class Decomposer, class... Options,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                               Key* keys_out, const Value* values_in, Value* values_out,
                               NumItems num_items, Decomposer decomposer, Options... options) {
    return sort<ascending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items,
                           decomposer, {options...});
  }
  /// SortPairsDescending of keys of any type.
  template <class Key, class Value, class NumItems, class Decomposer, class... Options,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                         Key* keys_out, const Value* values_in, Value* values_out,
                                         NumItems num_items, Decomposer decomposer,
                                         Options... options) {
    return sort<descending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items,
                            decomposer, {options...});
  }
  /// SortKeys of keys of any type.
  template <class Key, class NumItems, class Decomposer, class... Options,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                              Key* keys_out, NumItems num_items, Decomposer decomposer,
                              Options... options) {
    no_value* const none = nullptr;
    return sort<ascending>(temp, temp_bytes, keys_in, keys_out, none, none, num_items, decomposer,
                           {options...});
  }
  /// SortKeysDescending of keys of any type.
  template <class Key, class NumItems, class Decomposer, class... Options,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                        Key* keys_out, NumItems num_items, Decomposer decomposer,
                                        Options... options) {
    no_value* const none = nullptr;
    return sort<descending>(temp, temp_bytes, keys_in, keys_out, none, none, num_items, decomposer,
                            {options...});
  }
  /// SortPairs between two buffers, of each of which Current() is the input, then the output.
  template <class Key, class Value, class NumItems, class Decomposer, class... Options,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, cub::DoubleBuffer<Key>& keys,
                               cub::DoubleBuffer<Value>& values, NumItems num_items,
                               Decomposer decomposer, Options... options) {
    HINDSIGHT_TRY(sort<ascending>(temp, temp_bytes, keys.Current(), keys.Alternate(),
                                  values.Current(), values.Alternate(), num_items, decomposer,
                                  {options...}));
    if (temp) keys.selector ^= 1, values.selector ^= 1;
    return cudaSuccess;
  }
  /// SortKeys between two buffers.
  template <class Key, class NumItems, class Decomposer, class... Options,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, cub::DoubleBuffer<Key>& keys,
                              NumItems num_items, Decomposer decomposer, Options... options) {
    no_value* const none = nullptr;
    HINDSIGHT_TRY(sort<ascending>(temp, temp_bytes, keys.Current(), keys.Alternate(), none, none,
                                  num_items, decomposer, {options...}));
    if (temp) keys.selector ^= 1;
    return cudaSuccess;
  }
  /// SortPairsDescending between two buffers.
  template <class Key, class Value, class NumItems, class Decomposer, class... Options,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes,
                                         cub::DoubleBuffer<Key>& keys,
                                         cub::DoubleBuffer<Value>& values, NumItems num_items,
                                         Decomposer decomposer, Options... options) {
    HINDSIGHT_TRY(sort<descending>(temp, temp_bytes, keys.Current(), keys.Alternate(),
                                   values.Current(), values.Alternate(), num_items, decomposer,
                                   {options...}));
    if (temp) keys.selector ^= 1, values.selector ^= 1;
    return cudaSuccess;
  }
  /// SortKeysDescending between two buffers.
  template <class Key, class NumItems, class Decomposer, class... Options,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes,
                                        cub::DoubleBuffer<Key>& keys, NumItems num_items,
                                        Decomposer decomposer, Options... options) {
    no_value* const none = nullptr;
    HINDSIGHT_TRY(sort<descending>(temp, temp_bytes, keys.Current(), keys.Alternate(), none, none,
                                   num_items, decomposer, {options...}));
    if (temp) keys.selector ^= 1;
    return cudaSuccess;
  }

 private:
  template <class Direction, class Key, class Value, class NumItems, class Decomposer>
  static cudaError_t sort(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                          const Value* values_in, Value* values_out, NumItems num_items,
                          Decomposer decomposer, sort_options options) {
    using members = without_cvref<::cuda::std::invoke_result_t<Decomposer&, Key&>>;
    static_assert(is_composite_key<members>,
                  "hindsight: a decomposer returns a cuda::std::tuple of references to numbers of "
                  "up to 32 bytes together");
    constexpr int num_bits = int(key_words<members>::bytes) * 8;
    const int end_bit = options.end_bit == -1 ? num_bits : options.end_bit;
    if (is_negative(num_items) || options.begin_bit < 0 || options.begin_bit > end_bit ||
        end_bit > num_bits)
      return cudaErrorInvalidValue;
    return cuda::composite_sort<members, Direction>(temp, temp_bytes, keys_in, keys_out, values_in,
                                                values_out, detail::to_size(num_items), decomposer,
                                                options.begin_bit, end_bit, options.stream);
  }
};

}  // namespace hindsight::detail
