// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The k highest or lowest keys in CUB's shape: names, argument order and two phases of
// cub::DeviceTopK, so that one template body compiles against either namespace.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items, too little room),
//           before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/top_k.cuh>
#include <hindsight/detail/cuda/top_k_by_places.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

namespace hindsight {

inline namespace HINDSIGHT_ARCH_ABI {

/// Keys are numbers, or tuples, pairs and arrays of numbers, of up to 32 bytes in all; with a
/// decomposer they may be of any type, and this holds for what it returns: a tuple of references to
/// members. Writes min(k, num_items) keys in order, the best first. Of equal keys it writes those
/// that come first in the input, in their input order. CUB promises neither order, and refuses
/// calls that ask for one. Outputs must not overlap inputs.
///   Time    the keys are read twice, more often if most share their highest digits; the k selected
///           ones are sorted. All keys are sorted if they are numbers in an array, values can be
///           copied as bytes, and there are fewer than 2^16 keys or k is more than a 32nd of them.
///           By more than 8 bytes the places of all keys are sorted
///   Memory  twice up to a sixth of the keys as numbers of 8 or 16 bytes, 16 to 32 bytes for each
///           of the k, tables; for numbers in an array at least room for 32 k of them and for a
///           sort of these. Where all are sorted, room for them and for a sort. By more than 8
///           bytes 32 to 48 bytes for each key, tables
///   Example
///     thrust::device_vector<float> keys(1000, 2.5f), best(10);
///     std::size_t bytes = 0;
///     hindsight::DeviceTopK::MaxKeys(nullptr, bytes, keys.begin(), best.begin(), 1000, 10);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceTopK::MaxKeys(temp.data().get(), bytes, keys.begin(), best.begin(), 1000,
///                                    10);
struct DeviceTopK {
  /// The k highest keys, and their values.
  template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class NumItems,
            class NumOut, detail::if_num_items<NumItems> = 0>
  static cudaError_t MaxPairs(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                              KeyOutputIt keys_out, ValueIt values_in, ValueOutputIt values_out,
                              NumItems num_items, NumOut k, detail::stream_argument stream = {}) {
    return select<detail::descending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                      num_items, k, ::cuda::std::identity{}, stream);
  }
  /// The same by the members that a decomposer returns.
  template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class NumItems,
            class NumOut, class Decomposer, detail::if_num_items<NumItems> = 0,
            detail::if_operator<Decomposer> = 0>
  static cudaError_t MaxPairs(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                              KeyOutputIt keys_out, ValueIt values_in, ValueOutputIt values_out,
                              NumItems num_items, NumOut k, Decomposer decomposer,
                              detail::stream_argument stream = {}) {
    return select<detail::descending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                      num_items, k, decomposer, stream);
  }
  /// The k highest keys.
  template <class KeyIt, class KeyOutputIt, class NumItems, class NumOut,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t MaxKeys(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                             KeyOutputIt keys_out, NumItems num_items, NumOut k,
                             detail::stream_argument stream = {}) {
    return select<detail::descending>(temp, temp_bytes, keys_in, keys_out, none(), none(),
                                      num_items, k, ::cuda::std::identity{}, stream);
  }
  /// The same by the members that a decomposer returns.
  template <class KeyIt, class KeyOutputIt, class NumItems, class NumOut, class Decomposer,
            detail::if_num_items<NumItems> = 0, detail::if_operator<Decomposer> = 0>
  static cudaError_t MaxKeys(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                             KeyOutputIt keys_out, NumItems num_items, NumOut k,
                             Decomposer decomposer, detail::stream_argument stream = {}) {
    return select<detail::descending>(temp, temp_bytes, keys_in, keys_out, none(), none(),
                                      num_items, k, decomposer, stream);
  }
  /// The k lowest keys, and their values.
  template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class NumItems,
            class NumOut, detail::if_num_items<NumItems> = 0>
  static cudaError_t MinPairs(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                              KeyOutputIt keys_out, ValueIt values_in, ValueOutputIt values_out,
                              NumItems num_items, NumOut k, detail::stream_argument stream = {}) {
    return select<detail::ascending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                     num_items, k, ::cuda::std::identity{}, stream);
  }
  /// The same by the members that a decomposer returns.
  template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class NumItems,
            class NumOut, class Decomposer, detail::if_num_items<NumItems> = 0,
            detail::if_operator<Decomposer> = 0>
  static cudaError_t MinPairs(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                              KeyOutputIt keys_out, ValueIt values_in, ValueOutputIt values_out,
                              NumItems num_items, NumOut k, Decomposer decomposer,
                              detail::stream_argument stream = {}) {
    return select<detail::ascending>(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                     num_items, k, decomposer, stream);
  }
  /// The k lowest keys.
  template <class KeyIt, class KeyOutputIt, class NumItems, class NumOut,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t MinKeys(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                             KeyOutputIt keys_out, NumItems num_items, NumOut k,
                             detail::stream_argument stream = {}) {
    return select<detail::ascending>(temp, temp_bytes, keys_in, keys_out, none(), none(), num_items,
                                     k, ::cuda::std::identity{}, stream);
  }
  /// The same by the members that a decomposer returns.
  template <class KeyIt, class KeyOutputIt, class NumItems, class NumOut, class Decomposer,
            detail::if_num_items<NumItems> = 0, detail::if_operator<Decomposer> = 0>
  static cudaError_t MinKeys(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                             KeyOutputIt keys_out, NumItems num_items, NumOut k,
                             Decomposer decomposer, detail::stream_argument stream = {}) {
    return select<detail::ascending>(temp, temp_bytes, keys_in, keys_out, none(), none(), num_items,
                                     k, decomposer, stream);
  }
  /// MaxPairs in one call.
  template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class NumItems,
            class NumOut, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t MaxPairs(KeyIt keys_in, KeyOutputIt keys_out, ValueIt values_in,
                              ValueOutputIt values_out, NumItems num_items, NumOut k,
                              const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MaxPairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items, k,
                      stream);
    });
  }
  /// MaxPairs by a decomposer, in one call.
  template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class NumItems,
            class NumOut, class Decomposer, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0, detail::if_operator<Decomposer> = 0>
  static cudaError_t MaxPairs(KeyIt keys_in, KeyOutputIt keys_out, ValueIt values_in,
                              ValueOutputIt values_out, NumItems num_items, NumOut k,
                              Decomposer decomposer, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MaxPairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items, k,
                      decomposer, stream);
    });
  }
  /// MaxKeys in one call.
  template <class KeyIt, class KeyOutputIt, class NumItems, class NumOut,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t MaxKeys(KeyIt keys_in, KeyOutputIt keys_out, NumItems num_items, NumOut k,
                             const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MaxKeys(temp, temp_bytes, keys_in, keys_out, num_items, k, stream);
    });
  }
  /// MaxKeys by a decomposer, in one call.
  template <class KeyIt, class KeyOutputIt, class NumItems, class NumOut, class Decomposer,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0,
            detail::if_operator<Decomposer> = 0>
  static cudaError_t MaxKeys(KeyIt keys_in, KeyOutputIt keys_out, NumItems num_items, NumOut k,
                             Decomposer decomposer, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MaxKeys(temp, temp_bytes, keys_in, keys_out, num_items, k, decomposer, stream);
    });
  }
  /// MinPairs in one call.
  template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class NumItems,
            class NumOut, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t MinPairs(KeyIt keys_in, KeyOutputIt keys_out, ValueIt values_in,
                              ValueOutputIt values_out, NumItems num_items, NumOut k,
                              const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MinPairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items, k,
                      stream);
    });
  }
  /// MinPairs by a decomposer, in one call.
  template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class NumItems,
            class NumOut, class Decomposer, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0, detail::if_operator<Decomposer> = 0>
  static cudaError_t MinPairs(KeyIt keys_in, KeyOutputIt keys_out, ValueIt values_in,
                              ValueOutputIt values_out, NumItems num_items, NumOut k,
                              Decomposer decomposer, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MinPairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, num_items, k,
                      decomposer, stream);
    });
  }
  /// MinKeys in one call.
  template <class KeyIt, class KeyOutputIt, class NumItems, class NumOut,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t MinKeys(KeyIt keys_in, KeyOutputIt keys_out, NumItems num_items, NumOut k,
                             const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MinKeys(temp, temp_bytes, keys_in, keys_out, num_items, k, stream);
    });
  }
  /// MinKeys by a decomposer, in one call.
  template <class KeyIt, class KeyOutputIt, class NumItems, class NumOut, class Decomposer,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0,
            detail::if_operator<Decomposer> = 0>
  static cudaError_t MinKeys(KeyIt keys_in, KeyOutputIt keys_out, NumItems num_items, NumOut k,
                             Decomposer decomposer, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return MinKeys(temp, temp_bytes, keys_in, keys_out, num_items, k, decomposer, stream);
    });
  }

 private:
  static detail::no_value* none() { return nullptr; }

  /// By the members that `decompose` returns; by the keys themselves, if it is the identity.
  template <class Direction, class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt,
            class NumItems, class NumOut, class Decomposer>
  static cudaError_t select(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                            KeyOutputIt keys_out, ValueIt values_in, ValueOutputIt values_out,
                            NumItems num_items, NumOut num_out, Decomposer decompose,
                            cudaStream_t stream) {
    if (detail::is_negative(num_items) || detail::is_negative(num_out))
      return cudaErrorInvalidValue;
    using key = detail::item_t<KeyIt>;
    const auto from = detail::values_to_sort(values_in);
    const auto to = detail::values_to_sort(values_out);
    const std::size_t n = detail::to_known_size(num_items);
    const std::size_t k = ::cuda::std::min(n, detail::to_size(num_out));
    using members = detail::without_cvref<::cuda::std::invoke_result_t<Decomposer&, key&>>;
    static_assert(
        detail::has_key_words<members>,
        "hindsight: DeviceTopK takes numbers, tuples of them, or a decomposer that returns "
        "a cuda::std::tuple of references to numbers, of up to 32 bytes together");
    if constexpr (!detail::cuda::is_selectable<members>()) {
      return detail::cuda::top_k_by_places<members, Direction>(temp, temp_bytes, keys_in, keys_out,
                                                               from, to, n, k, decompose, stream);
    } else if constexpr (std::is_same_v<Decomposer, ::cuda::std::identity>) {
      return detail::cuda::top_k<Direction>(temp, temp_bytes, keys_in, keys_out, from, to, n, k,
                                            stream);
    } else {
      return detail::cuda::top_k_of(
          detail::cuda::keys_as_members<members, Direction, Decomposer>{decompose}, temp,
          temp_bytes, keys_in, keys_out, from, to, n, k, stream);
    }
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
