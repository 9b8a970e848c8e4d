// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of segments in CUB's shape: names, argument order and two phases of
// cub::DeviceSegmentedScan, which CCCL 3.0 does not have, so that one template body compiles
// against either namespace. Segment s has the items [begin_offsets[s], end_offsets[s]); no item is
// in two. Its outputs begin at out_begin_offsets[s], or at begin_offsets[s] in calls without
// out_begin_offsets. The fast case is the usual one: all offsets are pointers, end_offsets =
// begin_offsets + 1, and out_begin_offsets, if there are any, are begin_offsets. Its offsets must
// not decrease.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Memory  about 4 MiB for types of up to 8 bytes, up to 9 MiB for wider ones, however few items
//           there are; none if it is not the fast case
//   Time    in the fast case depends only on the number of items and of segments. Else a block
//           takes a few segments: a few long ones leave most of the GPU idle
//   Order   depends on the segments, the type and on whether it is the fast case: always the same
//           bits
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of segments, too little
//           room), before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/scan_ranges.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

#include <cuda/std/functional>

#include <cstdint>
#include <type_traits>

namespace hindsight {
namespace detail {

/// Tells a number of segments from offsets of outputs.
template <class NumSegments>
using if_segment_count = std::enable_if_t<std::is_convertible_v<NumSegments, std::int64_t>, int>;
template <class NumSegments, class Env>
using if_one_call_of_segments = std::enable_if_t<
    std::is_convertible_v<NumSegments, std::int64_t> && part_traits<Env>::is_environment, int>;

}  // namespace detail

inline namespace HINDSIGHT_ARCH_ABI {

/// Scans of segments. `out` may be `in` if each segment's outputs are at the places of its inputs.
///   Example
///     thrust::device_vector<int> in(6, 1), out(6);
///     thrust::device_vector<int> rows = std::vector<int>{0, 2, 2, 6};
///     const int* offsets = thrust::raw_pointer_cast(rows.data());
///     hindsight::DeviceSegmentedScan::InclusiveSegmentedSum(in.begin(), out.begin(), offsets,
///                                                           offsets + 1, 3);  // 1 2 1 2 3 4
struct DeviceSegmentedScan {
  /// out[i] = in[begin] op ... op in[i].
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op,
            class NumSegments, detail::if_segment_count<NumSegments> = 0>
  static cudaError_t InclusiveSegmentedScan(void* temp, std::size_t& temp_bytes, InputIt in,
                                            OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
                                            OutBeginIt out_begin_offsets, NumSegments num_segments,
                                            Op op, cudaStream_t stream = 0) {
    return scan<accumulator<Op, InputIt, detail::item_t<InputIt>>, detail::cuda::inclusive>(
        temp, temp_bytes, in, out, begin_offsets, end_offsets, out_begin_offsets, num_segments, op,
        detail::cuda::no_init{}, stream);
  }
  /// The same, with outputs at the inputs' places.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class NumSegments,
            detail::if_segment_count<NumSegments> = 0>
  static cudaError_t InclusiveSegmentedScan(void* temp, std::size_t& temp_bytes, InputIt in,
                                            OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
                                            NumSegments num_segments, Op op,
                                            cudaStream_t stream = 0) {
    return InclusiveSegmentedScan(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                  begin_offsets, num_segments, op, stream);
  }
  /// out[i] = init op in[begin] op ... op in[i].
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op,
            class Init, class NumSegments, detail::if_segment_count<NumSegments> = 0>
  static cudaError_t InclusiveSegmentedScanInit(void* temp, std::size_t& temp_bytes, InputIt in,
                                                OutputIt out, BeginIt begin_offsets,
                                                EndIt end_offsets, OutBeginIt out_begin_offsets,
                                                NumSegments num_segments, Op op, Init init,
                                                cudaStream_t stream = 0) {
    return scan<accumulator<Op, InputIt, Init>, detail::cuda::inclusive>(
        temp, temp_bytes, in, out, begin_offsets, end_offsets, out_begin_offsets, num_segments, op,
        static_cast<accumulator<Op, InputIt, Init>>(init), stream);
  }
  /// The same, with outputs at the inputs' places.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class Init,
            class NumSegments, detail::if_segment_count<NumSegments> = 0>
  static cudaError_t InclusiveSegmentedScanInit(void* temp, std::size_t& temp_bytes, InputIt in,
                                                OutputIt out, BeginIt begin_offsets,
                                                EndIt end_offsets, NumSegments num_segments, Op op,
                                                Init init, cudaStream_t stream = 0) {
    return InclusiveSegmentedScanInit(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                      begin_offsets, num_segments, op, init, stream);
  }
  /// out[i] = init op in[begin] op ... op in[i - 1].
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op,
            class Init, class NumSegments, detail::if_segment_count<NumSegments> = 0>
  static cudaError_t ExclusiveSegmentedScan(void* temp, std::size_t& temp_bytes, InputIt in,
                                            OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
                                            OutBeginIt out_begin_offsets, NumSegments num_segments,
                                            Op op, Init init, cudaStream_t stream = 0) {
    return scan<accumulator<Op, InputIt, Init>, detail::cuda::exclusive>(
        temp, temp_bytes, in, out, begin_offsets, end_offsets, out_begin_offsets, num_segments, op,
        static_cast<accumulator<Op, InputIt, Init>>(init), stream);
  }
  /// The same, with outputs at the inputs' places.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class Init,
            class NumSegments, detail::if_segment_count<NumSegments> = 0>
  static cudaError_t ExclusiveSegmentedScan(void* temp, std::size_t& temp_bytes, InputIt in,
                                            OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
                                            NumSegments num_segments, Op op, Init init,
                                            cudaStream_t stream = 0) {
    return ExclusiveSegmentedScan(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                  begin_offsets, num_segments, op, init, stream);
  }
  /// InclusiveSegmentedScan with op = plus<>.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt,
            class NumSegments, detail::if_segment_count<NumSegments> = 0>
  static cudaError_t InclusiveSegmentedSum(void* temp, std::size_t& temp_bytes, InputIt in,
                                           OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
                                           OutBeginIt out_begin_offsets, NumSegments num_segments,
                                           cudaStream_t stream = 0) {
    return scan<sum_t<InputIt, OutputIt>, detail::cuda::inclusive>(
        temp, temp_bytes, in, out, begin_offsets, end_offsets, out_begin_offsets, num_segments,
        ::cuda::std::plus<>{}, detail::cuda::no_init{}, stream);
  }
  /// The same, with outputs at the inputs' places.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            detail::if_segment_count<NumSegments> = 0>
  static cudaError_t InclusiveSegmentedSum(void* temp, std::size_t& temp_bytes, InputIt in,
                                           OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
                                           NumSegments num_segments, cudaStream_t stream = 0) {
    return InclusiveSegmentedSum(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                 begin_offsets, num_segments, stream);
  }
  /// ExclusiveSegmentedScan with op = plus<>, from zero.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt,
            class NumSegments, detail::if_segment_count<NumSegments> = 0>
  static cudaError_t ExclusiveSegmentedSum(void* temp, std::size_t& temp_bytes, InputIt in,
                                           OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
                                           OutBeginIt out_begin_offsets, NumSegments num_segments,
                                           cudaStream_t stream = 0) {
    return scan<sum_t<InputIt, OutputIt>, detail::cuda::exclusive>(
        temp, temp_bytes, in, out, begin_offsets, end_offsets, out_begin_offsets, num_segments,
        ::cuda::std::plus<>{}, sum_t<InputIt, OutputIt>{}, stream);
  }
  /// The same, with outputs at the inputs' places.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            detail::if_segment_count<NumSegments> = 0>
  static cudaError_t ExclusiveSegmentedSum(void* temp, std::size_t& temp_bytes, InputIt in,
                                           OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
                                           NumSegments num_segments, cudaStream_t stream = 0) {
    return ExclusiveSegmentedSum(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                 begin_offsets, num_segments, stream);
  }
  /// InclusiveSegmentedScan with places of outputs, in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op,
            class NumSegments, class Env = execution::env<>,
            detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t InclusiveSegmentedScan(InputIt in, OutputIt out, BeginIt begin_offsets,
                                            EndIt end_offsets, OutBeginIt out_begin_offsets,
                                            NumSegments num_segments, Op op, const Env& env = {}) {
    return detail::fold_in_one_call<detail::is_same_on_every_gpu<
        accumulator<Op, InputIt, detail::item_t<InputIt>>, Op, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveSegmentedScan(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                        out_begin_offsets, num_segments, op, stream);
        });
  }
  /// InclusiveSegmentedScan in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class NumSegments,
            class Env = execution::env<>, detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t InclusiveSegmentedScan(InputIt in, OutputIt out, BeginIt begin_offsets,
                                            EndIt end_offsets, NumSegments num_segments, Op op,
                                            const Env& env = {}) {
    return detail::fold_in_one_call<detail::is_same_on_every_gpu<
        accumulator<Op, InputIt, detail::item_t<InputIt>>, Op, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveSegmentedScan(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                        num_segments, op, stream);
        });
  }
  /// InclusiveSegmentedScanInit with places of outputs, in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op,
            class Init, class NumSegments, class Env = execution::env<>,
            detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t InclusiveSegmentedScanInit(InputIt in, OutputIt out, BeginIt begin_offsets,
                                                EndIt end_offsets, OutBeginIt out_begin_offsets,
                                                NumSegments num_segments, Op op, Init init,
                                                const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<accumulator<Op, InputIt, Init>, Op, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveSegmentedScanInit(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                            out_begin_offsets, num_segments, op, init, stream);
        });
  }
  /// InclusiveSegmentedScanInit in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class Init,
            class NumSegments, class Env = execution::env<>,
            detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t InclusiveSegmentedScanInit(InputIt in, OutputIt out, BeginIt begin_offsets,
                                                EndIt end_offsets, NumSegments num_segments, Op op,
                                                Init init, const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<accumulator<Op, InputIt, Init>, Op, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveSegmentedScanInit(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                            num_segments, op, init, stream);
        });
  }
  /// ExclusiveSegmentedScan with places of outputs, in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op,
            class Init, class NumSegments, class Env = execution::env<>,
            detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t ExclusiveSegmentedScan(InputIt in, OutputIt out, BeginIt begin_offsets,
                                            EndIt end_offsets, OutBeginIt out_begin_offsets,
                                            NumSegments num_segments, Op op, Init init,
                                            const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<accumulator<Op, InputIt, Init>, Op, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ExclusiveSegmentedScan(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                        out_begin_offsets, num_segments, op, init, stream);
        });
  }
  /// ExclusiveSegmentedScan in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class Init,
            class NumSegments, class Env = execution::env<>,
            detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t ExclusiveSegmentedScan(InputIt in, OutputIt out, BeginIt begin_offsets,
                                            EndIt end_offsets, NumSegments num_segments, Op op,
                                            Init init, const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<accumulator<Op, InputIt, Init>, Op, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ExclusiveSegmentedScan(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                        num_segments, op, init, stream);
        });
  }
  /// InclusiveSegmentedSum with places of outputs, in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt,
            class NumSegments, class Env = execution::env<>,
            detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t InclusiveSegmentedSum(InputIt in, OutputIt out, BeginIt begin_offsets,
                                           EndIt end_offsets, OutBeginIt out_begin_offsets,
                                           NumSegments num_segments, const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<sum_t<InputIt, OutputIt>, ::cuda::std::plus<>, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveSegmentedSum(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                       out_begin_offsets, num_segments, stream);
        });
  }
  /// InclusiveSegmentedSum in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            class Env = execution::env<>, detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t InclusiveSegmentedSum(InputIt in, OutputIt out, BeginIt begin_offsets,
                                           EndIt end_offsets, NumSegments num_segments,
                                           const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<sum_t<InputIt, OutputIt>, ::cuda::std::plus<>, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveSegmentedSum(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                       num_segments, stream);
        });
  }
  /// ExclusiveSegmentedSum with places of outputs, in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt,
            class NumSegments, class Env = execution::env<>,
            detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t ExclusiveSegmentedSum(InputIt in, OutputIt out, BeginIt begin_offsets,
                                           EndIt end_offsets, OutBeginIt out_begin_offsets,
                                           NumSegments num_segments, const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<sum_t<InputIt, OutputIt>, ::cuda::std::plus<>, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ExclusiveSegmentedSum(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                       out_begin_offsets, num_segments, stream);
        });
  }
  /// ExclusiveSegmentedSum in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            class Env = execution::env<>, detail::if_one_call_of_segments<NumSegments, Env> = 0>
  static cudaError_t ExclusiveSegmentedSum(InputIt in, OutputIt out, BeginIt begin_offsets,
                                           EndIt end_offsets, NumSegments num_segments,
                                           const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<sum_t<InputIt, OutputIt>, ::cuda::std::plus<>, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ExclusiveSegmentedSum(temp, temp_bytes, in, out, begin_offsets, end_offsets,
                                       num_segments, stream);
        });
  }

 private:
  template <class Op, class InputIt, class Init>
  using accumulator = detail::accumulator_t<Op, detail::item_t<InputIt>, Init>;
  /// As DeviceScan's.
  template <class InputIt, class OutputIt>
  using sum_t = detail::modular_sum_t<
      detail::accumulator_t<::cuda::std::plus<>, detail::item_t<InputIt>, detail::item_t<InputIt>>,
      OutputIt>;

  template <class T, class Kind, class InputIt, class OutputIt, class BeginIt, class EndIt,
            class OutBeginIt, class NumSegments, class Op, class Init>
  static cudaError_t scan(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                          BeginIt begin_offsets, EndIt end_offsets, OutBeginIt out_begin_offsets,
                          NumSegments num_segments, Op op, Init init, cudaStream_t stream) {
    if (detail::is_negative(num_segments)) return cudaErrorInvalidValue;
    return detail::cuda::scan_ranges<T, Kind>(
        temp, temp_bytes, in, begin_offsets, end_offsets, out_begin_offsets,
        detail::to_known_size(num_segments), out, op, init, stream);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
