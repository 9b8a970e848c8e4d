// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DeviceRadixSort's functions with a decomposer: keys of any type, sorted by the members that it
// names.
#pragma once

#include <hindsight/detail/cuda/composite_sort.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

#include <cub/util_type.cuh>
#include <cuda/std/utility>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

inline constexpr int last_bit = -1;  ///< as end_bit: all bits from begin_bit on

/// What may follow a decomposer: bits, a stream, or both.
struct sort_options {
  int begin_bit, end_bit;
  cudaStream_t stream;
};

/// The same of a call without temporary memory: bits, an environment, or both.
template <class Env = execution::env<>>
struct one_sort_options {
  int begin_bit = 0, end_bit = last_bit;
  Env env{};
};
inline one_sort_options<> options_of_one_call() {
  return {};
}
template <class Env>
one_sort_options<Env> options_of_one_call(const Env& env) {
  static_assert(part_traits<Env>::is_environment,
                "hindsight: what follows a decomposer is begin_bit and end_bit, an environment, or "
                "all three");
  return {0, last_bit, env};
}
inline one_sort_options<> options_of_one_call(int begin_bit, int end_bit) {
  return {begin_bit, end_bit};
}
template <class Env>
one_sort_options<Env> options_of_one_call(int begin_bit, int end_bit, const Env& env) {
  return {begin_bit, end_bit, env};
}

/// Holds for the decomposer of a call without temporary memory.
template <class NumItems, class Decomposer>
using if_decomposed_call = std::enable_if_t<
    is_num_items<NumItems> && may_be_operator<Decomposer> && std::is_class_v<Decomposer>, int>;

/// A decomposer takes a key and returns a tuple of references to its members, the one that counts
/// most first: numbers, of up to 32 bytes together. Bit 0 is the last member's lowest. Last come
/// begin_bit and end_bit, a stream, all three, or nothing.
///   Memory  keys of 1, 2, 4, 8 or 16 bytes with values of up to 8, by a decomposer without state
///           that is default constructible: room for n keys twice, and for n values. Other keys of
///           up to 16 bytes without values: room for n keys, and for 2 n numbers of as many bytes
///           as their members have, rounded up to a power of two. Else 2 n such numbers (of 8 bytes
///           if the members have over 16), two indices for each key, and in place room for n keys
///           and values
struct decomposed_radix_sort {
  /// SortPairs of keys of any type.
  template <class Key, class Value, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                               Key* keys_out, const Value* values_in, Value* values_out,
                               NumItems num_items, Decomposer decomposer, cudaStream_t stream = 0) {
    return SortPairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items,
                     decomposer, 0, last_bit, stream);
  }
  /// The same by some bits.
  template <class Key, class Value, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                               Key* keys_out, const Value* values_in, Value* values_out,
                               NumItems num_items, Decomposer decomposer, int begin_bit,
                               int end_bit, cudaStream_t stream = 0) {
    return sort<ascending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items,
                           decomposer, {begin_bit, end_bit, stream});
  }
  /// SortPairsDescending of keys of any type.
  template <class Key, class Value, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                         Key* keys_out, const Value* values_in, Value* values_out,
                                         NumItems num_items, Decomposer decomposer,
                                         cudaStream_t stream = 0) {
    return SortPairsDescending(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                               num_items, decomposer, 0, last_bit, stream);
  }
  /// The same by some bits.
  template <class Key, class Value, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                         Key* keys_out, const Value* values_in, Value* values_out,
                                         NumItems num_items, Decomposer decomposer, int begin_bit,
                                         int end_bit, cudaStream_t stream = 0) {
    return sort<descending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items,
                            decomposer, {begin_bit, end_bit, stream});
  }
  /// SortKeys of keys of any type.
  template <class Key, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                              Key* keys_out, NumItems num_items, Decomposer decomposer,
                              cudaStream_t stream = 0) {
    return SortKeys(temp, temp_bytes, keys_in, keys_out, num_items, decomposer, 0, last_bit,
                    stream);
  }
  /// The same by some bits.
  template <class Key, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                              Key* keys_out, NumItems num_items, Decomposer decomposer,
                              int begin_bit, int end_bit, cudaStream_t stream = 0) {
    no_value* const none = nullptr;
    return sort<ascending>(temp, temp_bytes, keys_in, keys_out, none, none, num_items, decomposer,
                           {begin_bit, end_bit, stream});
  }
  /// SortKeysDescending of keys of any type.
  template <class Key, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                        Key* keys_out, NumItems num_items, Decomposer decomposer,
                                        cudaStream_t stream = 0) {
    return SortKeysDescending(temp, temp_bytes, keys_in, keys_out, num_items, decomposer, 0,
                              last_bit, stream);
  }
  /// The same by some bits.
  template <class Key, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                        Key* keys_out, NumItems num_items, Decomposer decomposer,
                                        int begin_bit, int end_bit, cudaStream_t stream = 0) {
    no_value* const none = nullptr;
    return sort<descending>(temp, temp_bytes, keys_in, keys_out, none, none, num_items, decomposer,
                            {begin_bit, end_bit, stream});
  }
  /// SortPairs between two buffers, of each of which Current() is the input, then the output.
  template <class Key, class Value, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, cub::DoubleBuffer<Key>& keys,
                               cub::DoubleBuffer<Value>& values, NumItems num_items,
                               Decomposer decomposer, cudaStream_t stream = 0) {
    return SortPairs(temp, temp_bytes, keys, values, num_items, decomposer, 0, last_bit, stream);
  }
  /// The same by some bits.
  template <class Key, class Value, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairs(void* temp, std::size_t& temp_bytes, cub::DoubleBuffer<Key>& keys,
                               cub::DoubleBuffer<Value>& values, NumItems num_items,
                               Decomposer decomposer, int begin_bit, int end_bit,
                               cudaStream_t stream = 0) {
    HINDSIGHT_TRY(sort<ascending>(temp, temp_bytes, keys.Current(), keys.Alternate(),
                                  values.Current(), values.Alternate(), num_items, decomposer,
                                  {begin_bit, end_bit, stream}));
    if (moves_items(temp, num_items)) keys.selector ^= 1, values.selector ^= 1;
    return cudaSuccess;
  }
  /// SortKeys between two buffers.
  template <class Key, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, cub::DoubleBuffer<Key>& keys,
                              NumItems num_items, Decomposer decomposer, cudaStream_t stream = 0) {
    return SortKeys(temp, temp_bytes, keys, num_items, decomposer, 0, last_bit, stream);
  }
  /// The same by some bits.
  template <class Key, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeys(void* temp, std::size_t& temp_bytes, cub::DoubleBuffer<Key>& keys,
                              NumItems num_items, Decomposer decomposer, int begin_bit, int end_bit,
                              cudaStream_t stream = 0) {
    no_value* const none = nullptr;
    HINDSIGHT_TRY(sort<ascending>(temp, temp_bytes, keys.Current(), keys.Alternate(), none, none,
                                  num_items, decomposer, {begin_bit, end_bit, stream}));
    if (moves_items(temp, num_items)) keys.selector ^= 1;
    return cudaSuccess;
  }
  /// SortPairsDescending between two buffers.
  template <class Key, class Value, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes,
                                         cub::DoubleBuffer<Key>& keys,
                                         cub::DoubleBuffer<Value>& values, NumItems num_items,
                                         Decomposer decomposer, cudaStream_t stream = 0) {
    return SortPairsDescending(temp, temp_bytes, keys, values, num_items, decomposer, 0, last_bit,
                               stream);
  }
  /// The same by some bits.
  template <class Key, class Value, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortPairsDescending(void* temp, std::size_t& temp_bytes,
                                         cub::DoubleBuffer<Key>& keys,
                                         cub::DoubleBuffer<Value>& values, NumItems num_items,
                                         Decomposer decomposer, int begin_bit, int end_bit,
                                         cudaStream_t stream = 0) {
    HINDSIGHT_TRY(sort<descending>(temp, temp_bytes, keys.Current(), keys.Alternate(),
                                   values.Current(), values.Alternate(), num_items, decomposer,
                                   {begin_bit, end_bit, stream}));
    if (moves_items(temp, num_items)) keys.selector ^= 1, values.selector ^= 1;
    return cudaSuccess;
  }
  /// SortKeysDescending between two buffers.
  template <class Key, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes,
                                        cub::DoubleBuffer<Key>& keys, NumItems num_items,
                                        Decomposer decomposer, cudaStream_t stream = 0) {
    return SortKeysDescending(temp, temp_bytes, keys, num_items, decomposer, 0, last_bit, stream);
  }
  /// The same by some bits.
  template <class Key, class NumItems, class Decomposer,
            std::enable_if_t<!std::is_convertible_v<Decomposer, int>, int> = 0>
  static cudaError_t SortKeysDescending(void* temp, std::size_t& temp_bytes,
                                        cub::DoubleBuffer<Key>& keys, NumItems num_items,
                                        Decomposer decomposer, int begin_bit, int end_bit,
                                        cudaStream_t stream = 0) {
    no_value* const none = nullptr;
    HINDSIGHT_TRY(sort<descending>(temp, temp_bytes, keys.Current(), keys.Alternate(), none, none,
                                   num_items, decomposer, {begin_bit, end_bit, stream}));
    if (moves_items(temp, num_items)) keys.selector ^= 1;
    return cudaSuccess;
  }
  /// SortPairs in one call.
  template <class Key, class Value, class NumItems, class Decomposer, class... Options,
            if_decomposed_call<NumItems, Decomposer> = 0>
  static cudaError_t SortPairs(const Key* keys_in, Key* keys_out, const Value* values_in,
                               Value* values_out, NumItems num_items, Decomposer decomposer,
                               const Options&... options) {
    return in_one_call(
        [&](void* temp, std::size_t& temp_bytes, sort_options two) {
          return SortPairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items,
                           decomposer, two.begin_bit, two.end_bit, two.stream);
        },
        options...);
  }
  /// SortPairs between two buffers, in one call.
  template <class Key, class Value, class NumItems, class Decomposer, class... Options,
            if_decomposed_call<NumItems, Decomposer> = 0>
  static cudaError_t SortPairs(cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<Value>& values,
                               NumItems num_items, Decomposer decomposer,
                               const Options&... options) {
    return in_one_call(
        [&](void* temp, std::size_t& temp_bytes, sort_options two) {
          return SortPairs(temp, temp_bytes, keys, values, num_items, decomposer, two.begin_bit,
                           two.end_bit, two.stream);
        },
        options...);
  }
  /// SortKeys in one call.
  template <class Key, class NumItems, class Decomposer, class... Options,
            if_decomposed_call<NumItems, Decomposer> = 0>
  static cudaError_t SortKeys(const Key* keys_in, Key* keys_out, NumItems num_items,
                              Decomposer decomposer, const Options&... options) {
    return in_one_call(
        [&](void* temp, std::size_t& temp_bytes, sort_options two) {
          return SortKeys(temp, temp_bytes, keys_in, keys_out, num_items, decomposer, two.begin_bit,
                          two.end_bit, two.stream);
        },
        options...);
  }
  /// SortKeys between two buffers, in one call.
  template <class Key, class NumItems, class Decomposer, class... Options,
            if_decomposed_call<NumItems, Decomposer> = 0>
  static cudaError_t SortKeys(cub::DoubleBuffer<Key>& keys, NumItems num_items,
                              Decomposer decomposer, const Options&... options) {
    return in_one_call(
        [&](void* temp, std::size_t& temp_bytes, sort_options two) {
          return SortKeys(temp, temp_bytes, keys, num_items, decomposer, two.begin_bit, two.end_bit,
                          two.stream);
        },
        options...);
  }
  /// SortPairsDescending in one call.
  template <class Key, class Value, class NumItems, class Decomposer, class... Options,
            if_decomposed_call<NumItems, Decomposer> = 0>
  static cudaError_t SortPairsDescending(const Key* keys_in, Key* keys_out, const Value* values_in,
                                         Value* values_out, NumItems num_items,
                                         Decomposer decomposer, const Options&... options) {
    return in_one_call(
        [&](void* temp, std::size_t& temp_bytes, sort_options two) {
          return SortPairsDescending(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                     num_items, decomposer, two.begin_bit, two.end_bit, two.stream);
        },
        options...);
  }
  /// SortPairsDescending between two buffers, in one call.
  template <class Key, class Value, class NumItems, class Decomposer, class... Options,
            if_decomposed_call<NumItems, Decomposer> = 0>
  static cudaError_t SortPairsDescending(cub::DoubleBuffer<Key>& keys,
                                         cub::DoubleBuffer<Value>& values, NumItems num_items,
                                         Decomposer decomposer, const Options&... options) {
    return in_one_call(
        [&](void* temp, std::size_t& temp_bytes, sort_options two) {
          return SortPairsDescending(temp, temp_bytes, keys, values, num_items, decomposer,
                                     two.begin_bit, two.end_bit, two.stream);
        },
        options...);
  }
  /// SortKeysDescending in one call.
  template <class Key, class NumItems, class Decomposer, class... Options,
            if_decomposed_call<NumItems, Decomposer> = 0>
  static cudaError_t SortKeysDescending(const Key* keys_in, Key* keys_out, NumItems num_items,
                                        Decomposer decomposer, const Options&... options) {
    return in_one_call(
        [&](void* temp, std::size_t& temp_bytes, sort_options two) {
          return SortKeysDescending(temp, temp_bytes, keys_in, keys_out, num_items, decomposer,
                                    two.begin_bit, two.end_bit, two.stream);
        },
        options...);
  }
  /// SortKeysDescending between two buffers, in one call.
  template <class Key, class NumItems, class Decomposer, class... Options,
            if_decomposed_call<NumItems, Decomposer> = 0>
  static cudaError_t SortKeysDescending(cub::DoubleBuffer<Key>& keys, NumItems num_items,
                                        Decomposer decomposer, const Options&... options) {
    return in_one_call(
        [&](void* temp, std::size_t& temp_bytes, sort_options two) {
          return SortKeysDescending(temp, temp_bytes, keys, num_items, decomposer, two.begin_bit,
                                    two.end_bit, two.stream);
        },
        options...);
  }

 private:
  template <class Call, class... Options>
  static cudaError_t in_one_call(Call call, const Options&... options) {
    const auto one = detail::options_of_one_call(options...);
    return detail::in_one_call(
        one.env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return call(temp, temp_bytes, sort_options{one.begin_bit, one.end_bit, stream});
        });
  }

  /// Whether a call between two buffers leaves its result in the other one. As in CUB, the current
  /// one stays if there are no items.
  template <class NumItems>
  static bool moves_items(void* temp, const NumItems& num_items) {
    return temp != nullptr && detail::to_known_size(num_items) > 0;
  }

  template <class Direction, class Key, class Value, class NumItems, class Decomposer>
  static cudaError_t sort(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                          const Value* values_in, Value* values_out, NumItems num_items,
                          Decomposer decomposer, sort_options options) {
    using members = without_cvref<::cuda::std::invoke_result_t<Decomposer&, Key&>>;
    static_assert(is_composite_key<members>,
                  "hindsight: a decomposer returns a cuda::std::tuple of references to numbers of "
                  "up to 32 bytes together");
    constexpr int num_bits = int(key_words<members>::bytes) * 8;
    const int end_bit = options.end_bit == last_bit ? num_bits : options.end_bit;
    if (is_negative(num_items) || options.begin_bit < 0 || options.begin_bit > end_bit ||
        end_bit > num_bits)
      return cudaErrorInvalidValue;
    const auto from = detail::values_to_sort(values_in);
    const auto to = detail::values_to_sort(values_out);
    const std::size_t n = detail::to_known_size(num_items);
    if (temp != nullptr && n > 0 && detail::is_half_in_place(keys_in, keys_out, from, to))
      return cudaErrorInvalidValue;
    return cuda::composite_sort<members, Direction>(temp, temp_bytes, keys_in, keys_out, from, to,
                                                    n, decomposer, options.begin_bit, end_bit,
                                                    options.stream);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
