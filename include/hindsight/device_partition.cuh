// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partition in CUB's shape: names, argument order and two phases of cub::Device*, so that one
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
#include <hindsight/detail/cuda/three_way_partition.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

namespace hindsight {

inline namespace HINDSIGHT_ARCH_ABI {

/// Copies the selected items to the front of `out`, in order, and the others to its end, reversed.
/// `out` must not overlap the input.
/// Time and Memory as copy_if.
///   num_selected  [1], written
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_selected(1);
///     std::size_t bytes = 0;
///     hindsight::DevicePartition::Flagged(nullptr, bytes, in.begin(), in.begin(), out.begin(),
///         num_selected.begin(), 1000);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DevicePartition::Flagged(temp.data().get(), bytes, in.begin(), in.begin(),
///         out.begin(), num_selected.begin(), 1000);
struct DevicePartition {
  /// Selects the items with pred(in[i]).
  template <class InputIt, class OutputIt, class NumSelectedIt, class Pred, class NumItems>
  static cudaError_t If(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                        NumSelectedIt num_selected, NumItems num_items, Pred pred,
                        detail::stream_argument stream = {}) {
    return partition(temp, temp_bytes, in, detail::cuda::input_is_stencil{}, out, num_selected,
                     num_items, pred, stream);
  }

  /// Selects the items with flags[i].
  template <class InputIt, class FlagIt, class OutputIt, class NumSelectedIt, class NumItems>
  static cudaError_t Flagged(void* temp, std::size_t& temp_bytes, InputIt in, FlagIt flags,
                             OutputIt out, NumSelectedIt num_selected, NumItems num_items,
                             detail::stream_argument stream = {}) {
    return partition(temp, temp_bytes, in, flags, out, num_selected, num_items,
                     detail::function::is_set{}, stream);
  }

  /// Three parts, each in the input's order: the items with is_first(in[i]); of the others those
  /// with is_second(in[i]); and the rest. An output may be an iterator that goes backwards: so two
  /// parts can share an array.
  ///   num_selected  [2], written: the number of items in the first part, and in the second
  template <class InputIt, class FirstOut, class SecondOut, class RestOut, class NumSelectedIt,
            class IsFirst, class IsSecond, class NumItems>
  static cudaError_t If(void* temp, std::size_t& temp_bytes, InputIt in, FirstOut first_out,
                        SecondOut second_out, RestOut rest_out, NumSelectedIt num_selected,
                        NumItems num_items, IsFirst is_first, IsSecond is_second,
                        detail::stream_argument stream = {}) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::three_way_partition(temp, temp_bytes, in, first_out, second_out, rest_out,
                                             num_selected, detail::to_size(num_items), is_first,
                                             is_second, stream);
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
  /// If into three parts in one call.
  template <class InputIt, class FirstOut, class SecondOut, class RestOut, class NumSelectedIt,
            class IsFirst, class IsSecond, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0, detail::if_operator<IsSecond> = 0>
  static cudaError_t If(InputIt in, FirstOut first_out, SecondOut second_out, RestOut rest_out,
                        NumSelectedIt num_selected, NumItems num_items, IsFirst is_first,
                        IsSecond is_second, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return If(temp, temp_bytes, in, first_out, second_out, rest_out, num_selected, num_items,
                is_first, is_second, stream);
    });
  }

 private:
  template <class InputIt, class StencilIt, class OutputIt, class NumSelectedIt, class NumItems,
            class Pred>
  static cudaError_t partition(void* temp, std::size_t& temp_bytes, InputIt in, StencilIt stencil,
                               OutputIt out, NumSelectedIt num_selected, NumItems num_items,
                               Pred pred, cudaStream_t stream) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    const auto n = detail::cuda::unwrap_size(detail::to_size(num_items));
    const auto to = detail::cuda::unwrap(out);
    const detail::cuda::reverse_rejected<std::remove_const_t<decltype(to)>,
                                         std::remove_const_t<decltype(n)>>
        rejected{to, n};
    return detail::cuda::select(temp, temp_bytes, in, stencil, to, rejected,
                                detail::cuda::unwrap(num_selected), n, pred, stream);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
