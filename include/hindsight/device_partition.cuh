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

#include <hindsight/detail/dispatch/facade.cuh>
#include <hindsight/detail/cuda/select.cuh>
#include <hindsight/detail/cuda/three_way_partition.cuh>

namespace hindsight {

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
                        cudaStream_t stream = 0) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    const auto n = detail::to_size(num_items);
    const auto to = detail::unwrap(out);
    const detail::reverse_rejected<std::remove_const_t<decltype(to)>> rejected{to, n};
    return detail::select(temp, temp_bytes, in, detail::input_is_stencil{}, to, rejected,
                          detail::unwrap(num_selected), n, pred, stream);
  }

  /// Selects the items with flags[i].
  template <class InputIt, class FlagIt, class OutputIt, class NumSelectedIt, class NumItems>
  static cudaError_t Flagged(void* temp, std::size_t& temp_bytes, InputIt in, FlagIt flags,
                             OutputIt out, NumSelectedIt num_selected, NumItems num_items,
                             cudaStream_t stream = 0) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    const auto n = detail::to_size(num_items);
    const auto to = detail::unwrap(out);
    const detail::reverse_rejected<std::remove_const_t<decltype(to)>> rejected{to, n};
    return detail::select(temp, temp_bytes, in, flags, to, rejected, detail::unwrap(num_selected),
                          n, detail::function::is_set{}, stream);
  }

  /// Three parts, each in the input's order: the items with is_first(in[i]), of the others those
  /// with is_second(in[i]), and the rest. The outputs may be iterators that go backwards, so that
  /// two parts share an array.
  ///   num_selected  [2], written: how many items the first part has, and the second
  template <class InputIt, class FirstOut, class SecondOut, class RestOut, class NumSelectedIt,
            class IsFirst, class IsSecond, class NumItems>
  static cudaError_t If(void* temp, std::size_t& temp_bytes, InputIt in, FirstOut first_out,
                        SecondOut second_out, RestOut rest_out, NumSelectedIt num_selected,
                        NumItems num_items, IsFirst is_first, IsSecond is_second,
                        cudaStream_t stream = 0) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::three_way_partition(temp, temp_bytes, in, first_out, second_out, rest_out,
                                       num_selected, detail::to_size(num_items), is_first,
                                       is_second, stream);
  }
};

}  // namespace hindsight
