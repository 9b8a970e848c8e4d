// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selection in CUB's shape: names, argument order and two phases of cub::Device*, so that one
// template body compiles against either namespace.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items, too little room),
//           before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/select.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

#include <cuda/std/functional>
#include <thrust/iterator/zip_iterator.h>

namespace hindsight {

inline namespace HINDSIGHT_ARCH_ABI {

/// Copies items to the front of `out`, in order. `out` must not overlap the input, except in calls
/// in place and in Unique and UniqueByKey, where it may be the input.
/// Time, Memory and Order as copy_if.
///   num_selected  [1], written
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_selected(1);
///     std::size_t bytes = 0;
///     hindsight::DeviceSelect::Flagged(nullptr, bytes, in.begin(), in.begin(), out.begin(),
///         num_selected.begin(), 1000);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceSelect::Flagged(temp.data().get(), bytes, in.begin(), in.begin(),
///         out.begin(), num_selected.begin(), 1000);
struct DeviceSelect {
  /// The items with pred(in[i]).
  template <class InputIt, class OutputIt, class NumSelectedIt, class Pred, class NumItems,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t If(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                        NumSelectedIt num_selected, NumItems num_items, Pred pred,
                        detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::select(temp, temp_bytes, in, detail::cuda::input_is_stencil{}, out,
                                detail::cuda::discard_rejected{},
                                detail::cuda::unwrap(num_selected), detail::to_size(num_items),
                                pred, stream);
  }

  /// The items with flags[i].
  template <class InputIt, class FlagIt, class OutputIt, class NumSelectedIt, class NumItems,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t Flagged(void* temp, std::size_t& temp_bytes, InputIt in, FlagIt flags,
                             OutputIt out, NumSelectedIt num_selected, NumItems num_items,
                             detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::select(temp, temp_bytes, in, flags, out, detail::cuda::discard_rejected{},
                                detail::cuda::unwrap(num_selected), detail::to_size(num_items),
                                detail::function::is_set{}, stream);
  }

  /// The items with pred(flags[i]).
  template <class InputIt, class FlagIt, class OutputIt, class NumSelectedIt, class Pred,
            class NumItems, detail::if_num_items<NumItems> = 0>
  static cudaError_t FlaggedIf(void* temp, std::size_t& temp_bytes, InputIt in, FlagIt flags,
                               OutputIt out, NumSelectedIt num_selected, NumItems num_items,
                               Pred pred, detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::select(temp, temp_bytes, in, flags, out, detail::cuda::discard_rejected{},
                                detail::cuda::unwrap(num_selected), detail::to_size(num_items),
                                pred, stream);
  }

  /// The first item of every run of equal neighbours. `out` may be `in`.
  template <class InputIt, class OutputIt, class NumSelectedIt, class NumItems,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t Unique(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumSelectedIt num_selected, NumItems num_items,
                            detail::stream_argument stream = {}) {
    return Unique(temp, temp_bytes, in, out, num_selected, num_items, ::cuda::std::equal_to<>{},
                  stream);
  }
  /// The same; a run goes on as long as equal(in[i - 1], in[i]).
  template <class InputIt, class OutputIt, class NumSelectedIt, class Equal, class NumItems,
            detail::if_num_items<NumItems> = 0, detail::if_operator<Equal> = 0>
  static cudaError_t Unique(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumSelectedIt num_selected, NumItems num_items, Equal equal,
                            detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::unique(temp, temp_bytes, in, out, detail::cuda::unwrap(num_selected),
                                detail::to_size(num_items), equal, stream);
  }
  /// In place: the first item of every run of equal neighbours.
  template <class It, class NumSelectedIt, class NumItems, detail::if_num_items<NumItems> = 0>
  static cudaError_t Unique(void* temp, std::size_t& temp_bytes, It data,
                            NumSelectedIt num_selected, NumItems num_items,
                            detail::stream_argument stream = {}) {
    return Unique(temp, temp_bytes, data, data, num_selected, num_items, ::cuda::std::equal_to<>{},
                  stream);
  }
  /// The same; a run goes on as long as equal(data[i - 1], data[i]).
  template <class It, class NumSelectedIt, class Equal, class NumItems,
            detail::if_num_items<NumItems> = 0, detail::if_operator<Equal> = 0>
  static cudaError_t Unique(void* temp, std::size_t& temp_bytes, It data,
                            NumSelectedIt num_selected, NumItems num_items, Equal equal,
                            detail::stream_argument stream = {}) {
    return Unique(temp, temp_bytes, data, data, num_selected, num_items, equal, stream);
  }

  /// The first key and the first value of every run of keys. The outputs may be the inputs.
  template <class KeyIt, class ValueIt, class KeyOut, class ValueOut, class NumSelectedIt,
            class NumItems, class Equal, detail::if_operator<Equal> = 0>
  static cudaError_t UniqueByKey(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                                 ValueIt values_in, KeyOut keys_out, ValueOut values_out,
                                 NumSelectedIt num_selected, NumItems num_items, Equal equal,
                                 detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::unique(
        temp, temp_bytes,
        thrust::make_zip_iterator(detail::cuda::unwrap(keys_in), detail::cuda::unwrap(values_in)),
        thrust::make_zip_iterator(detail::cuda::unwrap(keys_out), detail::cuda::unwrap(values_out)),
        detail::cuda::unwrap(num_selected), detail::to_size(num_items),
        detail::function::on_keys<Equal>{equal}, stream);
  }
  /// The same for runs of equal keys.
  template <class KeyIt, class ValueIt, class KeyOut, class ValueOut, class NumSelectedIt,
            class NumItems>
  static cudaError_t UniqueByKey(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                                 ValueIt values_in, KeyOut keys_out, ValueOut values_out,
                                 NumSelectedIt num_selected, NumItems num_items,
                                 detail::stream_argument stream = {}) {
    return UniqueByKey(temp, temp_bytes, keys_in, values_in, keys_out, values_out, num_selected,
                       num_items, ::cuda::std::equal_to<>{}, stream);
  }

  /// In place: the items with pred(data[i]).
  template <class It, class NumSelectedIt, class Pred, class NumItems,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t If(void* temp, std::size_t& temp_bytes, It data, NumSelectedIt num_selected,
                        NumItems num_items, Pred pred, detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::select(temp, temp_bytes, data, detail::cuda::input_is_stencil{}, data,
                                detail::cuda::discard_rejected{},
                                detail::cuda::unwrap(num_selected), detail::to_size(num_items),
                                pred, stream);
  }
  /// In place: the items with flags[i].
  template <class It, class FlagIt, class NumSelectedIt, class NumItems,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t Flagged(void* temp, std::size_t& temp_bytes, It data, FlagIt flags,
                             NumSelectedIt num_selected, NumItems num_items,
                             detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::select(temp, temp_bytes, data, flags, data,
                                detail::cuda::discard_rejected{},
                                detail::cuda::unwrap(num_selected), detail::to_size(num_items),
                                detail::function::is_set{}, stream);
  }
  /// In place: the items with pred(flags[i]).
  template <class It, class FlagIt, class NumSelectedIt, class Pred, class NumItems,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t FlaggedIf(void* temp, std::size_t& temp_bytes, It data, FlagIt flags,
                               NumSelectedIt num_selected, NumItems num_items, Pred pred,
                               detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::select(
        temp, temp_bytes, data, flags, data, detail::cuda::discard_rejected{},
        detail::cuda::unwrap(num_selected), detail::to_size(num_items), pred, stream);
  }

  /// If in one call.
  template <class InputIt, class OutputIt, class NumSelectedIt, class Pred, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t If(InputIt in, OutputIt out, NumSelectedIt num_selected, NumItems num_items,
                        Pred pred, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return If(temp, temp_bytes, in, out, num_selected, num_items, pred, stream);
    });
  }
  /// Flagged in one call.
  template <class InputIt, class FlagIt, class OutputIt, class NumSelectedIt, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t Flagged(InputIt in, FlagIt flags, OutputIt out, NumSelectedIt num_selected,
                             NumItems num_items, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return Flagged(temp, temp_bytes, in, flags, out, num_selected, num_items, stream);
    });
  }
  /// FlaggedIf in one call.
  template <class InputIt, class FlagIt, class OutputIt, class NumSelectedIt, class Pred,
            class NumItems, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t FlaggedIf(InputIt in, FlagIt flags, OutputIt out, NumSelectedIt num_selected,
                               NumItems num_items, Pred pred, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return FlaggedIf(temp, temp_bytes, in, flags, out, num_selected, num_items, pred, stream);
    });
  }
  /// Unique in one call.
  template <class InputIt, class OutputIt, class NumSelectedIt, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t Unique(InputIt in, OutputIt out, NumSelectedIt num_selected,
                            NumItems num_items, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return Unique(temp, temp_bytes, in, out, num_selected, num_items, stream);
    });
  }
  /// Unique with an `equal` of the caller's, in one call.
  template <class InputIt, class OutputIt, class NumSelectedIt, class Equal, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0,
            detail::if_operator<Equal> = 0>
  static cudaError_t Unique(InputIt in, OutputIt out, NumSelectedIt num_selected,
                            NumItems num_items, Equal equal, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return Unique(temp, temp_bytes, in, out, num_selected, num_items, equal, stream);
    });
  }
  /// Unique in place, in one call.
  template <class It, class NumSelectedIt, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t Unique(It data, NumSelectedIt num_selected, NumItems num_items,
                            const Env& env = {}) {
    return Unique(data, data, num_selected, num_items, ::cuda::std::equal_to<>{}, env);
  }
  /// Unique in place with an `equal` of the caller's, in one call.
  template <class It, class NumSelectedIt, class Equal, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0,
            detail::if_operator<Equal> = 0>
  static cudaError_t Unique(It data, NumSelectedIt num_selected, NumItems num_items, Equal equal,
                            const Env& env = {}) {
    return Unique(data, data, num_selected, num_items, equal, env);
  }
  /// UniqueByKey in one call.
  template <class KeyIt, class ValueIt, class KeyOut, class ValueOut, class NumSelectedIt,
            class NumItems, class Equal, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env, Equal> = 0>
  static cudaError_t UniqueByKey(KeyIt keys_in, ValueIt values_in, KeyOut keys_out,
                                 ValueOut values_out, NumSelectedIt num_selected,
                                 NumItems num_items, Equal equal, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return UniqueByKey(temp, temp_bytes, keys_in, values_in, keys_out, values_out, num_selected,
                         num_items, equal, stream);
    });
  }
  /// UniqueByKey of equal keys in one call.
  template <class KeyIt, class ValueIt, class KeyOut, class ValueOut, class NumSelectedIt,
            class NumItems, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t UniqueByKey(KeyIt keys_in, ValueIt values_in, KeyOut keys_out,
                                 ValueOut values_out, NumSelectedIt num_selected,
                                 NumItems num_items, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return UniqueByKey(temp, temp_bytes, keys_in, values_in, keys_out, values_out, num_selected,
                         num_items, stream);
    });
  }
  /// If in place, in one call.
  template <class It, class NumSelectedIt, class Pred, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t If(It data, NumSelectedIt num_selected, NumItems num_items, Pred pred,
                        const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return If(temp, temp_bytes, data, num_selected, num_items, pred, stream);
    });
  }
  /// Flagged in place, in one call.
  template <class It, class FlagIt, class NumSelectedIt, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t Flagged(It data, FlagIt flags, NumSelectedIt num_selected, NumItems num_items,
                             const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return Flagged(temp, temp_bytes, data, flags, num_selected, num_items, stream);
    });
  }
  /// FlaggedIf in place, in one call.
  template <class It, class FlagIt, class NumSelectedIt, class Pred, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t FlaggedIf(It data, FlagIt flags, NumSelectedIt num_selected,
                               NumItems num_items, Pred pred, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return FlaggedIf(temp, temp_bytes, data, flags, num_selected, num_items, pred, stream);
    });
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
