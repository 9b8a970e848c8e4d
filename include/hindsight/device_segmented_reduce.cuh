// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of segments in CUB's shape: names, argument order and two phases of
// cub::DeviceSegmentedReduce, so that one template body compiles against either namespace. Segment
// s has the items [begin_offsets[s], end_offsets[s]), or none if it does not begin before it ends.
// The fast case is the usual one: both are pointers, and end_offsets = begin_offsets + 1. Its
// offsets must not decrease. Else segments may overlap, leave items out, and have any order.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Memory  up to 174 KiB (more for wide values); if it is not the fast case, also 8 bytes for
//           each segment
//   Order   depends on the segments alone: always the same bits
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of segments or size of all
//           segments, too little room), before anything is launched; else the first CUDA error.
//           Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/reduce_ranges.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>
#include <hindsight/detail/plain_types.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <cub/util_type.cuh>
#include <cuda/functional>
#include <cuda/std/limits>
#include <cuda/std/utility>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight {
namespace detail {

/// Tells offsets of segments, which are iterators, from the size of all segments: an integer or
/// what converts to one, as an enumerator does.
template <class Size>
inline constexpr bool is_segment_size = std::is_convertible_v<Size, std::int64_t>;
template <class BeginIt>
using if_offsets = std::enable_if_t<!is_segment_size<BeginIt>, int>;
template <class Size>
using if_size = std::enable_if_t<is_segment_size<Size>, int>;

template <class Size>
cuda::multiples_of offsets_of_size(Size size) {
  return {detail::to_known_size(size)};
}

}  // namespace detail

inline namespace HINDSIGHT_ARCH_ABI {

/// Reductions of segments, by their offsets or of one size. Sums that are not trivially copyable
/// are CUB's.
///   Example
///     thrust::device_vector<float> in(6, 1.0f), out(3);
///     thrust::device_vector<int> rows = std::vector<int>{0, 2, 2, 6};
///     const int* offsets = thrust::raw_pointer_cast(rows.data());
///     std::size_t bytes = 0;
///     const auto sum = [&](void* temp) {
///       return hindsight::DeviceSegmentedReduce::Sum(temp, bytes, in.begin(), out.begin(), 3,
///                                                    offsets, offsets + 1);
///     };
///     sum(nullptr);
///     thrust::device_vector<char> temp(bytes);
///     sum(thrust::raw_pointer_cast(temp.data()));  // 2, 0, 4
struct DeviceSegmentedReduce {
  /// out[s] = init op (the fold of segment s), or init if it is empty.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class T,
            class NumSegments, detail::if_offsets<BeginIt> = 0>
  static cudaError_t Reduce(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                            Op op, T init, cudaStream_t stream = 0) {
    if (detail::is_negative(num_segments)) return cudaErrorInvalidValue;
    using accumulator = detail::accumulator_t<Op, detail::item_t<InputIt>, T>;
    if constexpr (detail::is_plain<accumulator>) {
      return detail::cuda::reduce_ranges<accumulator>(
          temp, temp_bytes, in, begin_offsets, end_offsets, detail::to_known_size(num_segments),
          sums_to<accumulator>(out, init, op), static_cast<accumulator>(init), op, stream);
    } else {  // CUB's, for what the engine cannot fold
      return cub::DeviceSegmentedReduce::Reduce(temp, temp_bytes, in, out, num_segments,
                                                begin_offsets, end_offsets, op, init, stream);
    }
  }

  /// Reduce with op = plus<>, from a zero of the output's type.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t Sum(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                         NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                         cudaStream_t stream = 0) {
    return Reduce(temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets,
                  ::cuda::std::plus<>{}, detail::output_t<OutputIt, InputIt>{}, stream);
  }

  /// The least item of each segment; the largest number of its type if there are no items or none
  /// is less.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t Min(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                         NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                         cudaStream_t stream = 0) {
    return Reduce(temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets,
                  ::cuda::minimum<>{}, ::cuda::std::numeric_limits<detail::item_t<InputIt>>::max(),
                  stream);
  }

  /// The greatest item of each segment; the lowest number of its type if there are no items or none
  /// is greater.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t Max(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                         NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                         cudaStream_t stream = 0) {
    return Reduce(temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets,
                  ::cuda::maximum<>{},
                  ::cuda::std::numeric_limits<detail::item_t<InputIt>>::lowest(), stream);
  }

  /// The first of the least items of each segment, as cub::KeyValuePair of its place in the segment
  /// and its value; {1, the largest number} if the segment is empty. Items are compared as the
  /// pair's values, as in CUB.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t ArgMin(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                            cudaStream_t stream = 0) {
    return extremum<::cuda::std::less<>, cub::KeyValuePair<int, detail::item_t<InputIt>>>(
        temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets,
        ::cuda::std::numeric_limits<detail::item_t<InputIt>>::max(), stream);
  }

  /// The first of the greatest items of each segment, likewise; {1, the lowest number} if empty.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t ArgMax(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                            cudaStream_t stream = 0) {
    return extremum<::cuda::std::greater<>, cub::KeyValuePair<int, detail::item_t<InputIt>>>(
        temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets,
        ::cuda::std::numeric_limits<detail::item_t<InputIt>>::lowest(), stream);
  }

  /// Reduce of segments of one size, one behind the other.
  template <class InputIt, class OutputIt, class Op, class T, class Size, class NumSegments,
            detail::if_size<Size> = 0>
  static cudaError_t Reduce(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumSegments num_segments, Size segment_size, Op op, T init,
                            cudaStream_t stream = 0) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return Reduce(temp, temp_bytes, in, out, num_segments, begins, begins + 1, op, init, stream);
  }
  /// Sum of segments of one size, one behind the other.
  template <class InputIt, class OutputIt, class Size, class NumSegments, detail::if_size<Size> = 0>
  static cudaError_t Sum(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                         NumSegments num_segments, Size segment_size, cudaStream_t stream = 0) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return Sum(temp, temp_bytes, in, out, num_segments, begins, begins + 1, stream);
  }
  /// Min of segments of one size, one behind the other.
  template <class InputIt, class OutputIt, class Size, class NumSegments, detail::if_size<Size> = 0>
  static cudaError_t Min(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                         NumSegments num_segments, Size segment_size, cudaStream_t stream = 0) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return Min(temp, temp_bytes, in, out, num_segments, begins, begins + 1, stream);
  }
  /// Max of segments of one size, one behind the other.
  template <class InputIt, class OutputIt, class Size, class NumSegments, detail::if_size<Size> = 0>
  static cudaError_t Max(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                         NumSegments num_segments, Size segment_size, cudaStream_t stream = 0) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return Max(temp, temp_bytes, in, out, num_segments, begins, begins + 1, stream);
  }
  /// ArgMin of segments of one size, one behind the other. An output without a value type gets
  /// cuda::std::pairs, as in CUB.
  template <class InputIt, class OutputIt, class Size, class NumSegments, detail::if_size<Size> = 0>
  static cudaError_t ArgMin(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumSegments num_segments, Size segment_size, cudaStream_t stream = 0) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return extremum<::cuda::std::less<>, ::cuda::std::pair<int, detail::item_t<InputIt>>>(
        temp, temp_bytes, in, out, num_segments, begins, begins + 1,
        ::cuda::std::numeric_limits<detail::item_t<InputIt>>::max(), stream);
  }
  /// ArgMax of segments of one size, likewise.
  template <class InputIt, class OutputIt, class Size, class NumSegments, detail::if_size<Size> = 0>
  static cudaError_t ArgMax(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumSegments num_segments, Size segment_size, cudaStream_t stream = 0) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return extremum<::cuda::std::greater<>, ::cuda::std::pair<int, detail::item_t<InputIt>>>(
        temp, temp_bytes, in, out, num_segments, begins, begins + 1,
        ::cuda::std::numeric_limits<detail::item_t<InputIt>>::lowest(), stream);
  }

  /// Reduce in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class T,
            class NumSegments, class Env = execution::env<>,
            detail::if_one_call<NumSegments, Env> = 0, detail::if_offsets<BeginIt> = 0>
  static cudaError_t Reduce(InputIt in, OutputIt out, NumSegments num_segments,
                            BeginIt begin_offsets, EndIt end_offsets, Op op, T init,
                            const Env& env = {}) {
    return detail::fold_in_one_call<detail::is_same_on_every_gpu<
        detail::accumulator_t<Op, detail::item_t<InputIt>, T>, Op, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return Reduce(temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets, op,
                        init, stream);
        });
  }
  /// Sum in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t Sum(InputIt in, OutputIt out, NumSegments num_segments, BeginIt begin_offsets,
                         EndIt end_offsets, const Env& env = {}) {
    using accumulator = detail::accumulator_t<::cuda::std::plus<>, detail::item_t<InputIt>,
                                              detail::output_t<OutputIt, InputIt>>;
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<accumulator, ::cuda::std::plus<>, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return Sum(temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets, stream);
        });
  }
  /// Min in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t Min(InputIt in, OutputIt out, NumSegments num_segments, BeginIt begin_offsets,
                         EndIt end_offsets, const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<detail::item_t<InputIt>, ::cuda::minimum<>, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return Min(temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets, stream);
        });
  }
  /// Max in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t Max(InputIt in, OutputIt out, NumSegments num_segments, BeginIt begin_offsets,
                         EndIt end_offsets, const Env& env = {}) {
    return detail::fold_in_one_call<
        detail::is_same_on_every_gpu<detail::item_t<InputIt>, ::cuda::maximum<>, InputIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return Max(temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets, stream);
        });
  }
  /// ArgMin in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t ArgMin(InputIt in, OutputIt out, NumSegments num_segments,
                            BeginIt begin_offsets, EndIt end_offsets, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return ArgMin(temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets, stream);
    });
  }
  /// ArgMax in one call.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_offsets<BeginIt> = 0>
  static cudaError_t ArgMax(InputIt in, OutputIt out, NumSegments num_segments,
                            BeginIt begin_offsets, EndIt end_offsets, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return ArgMax(temp, temp_bytes, in, out, num_segments, begin_offsets, end_offsets, stream);
    });
  }
  /// Reduce of segments of one size, in one call.
  template <class InputIt, class OutputIt, class Op, class T, class Size, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_size<Size> = 0>
  static cudaError_t Reduce(InputIt in, OutputIt out, NumSegments num_segments, Size segment_size,
                            Op op, T init, const Env& env = {}) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return Reduce(in, out, num_segments, begins, begins + 1, op, init, env);
  }
  /// Sum of segments of one size, in one call.
  template <class InputIt, class OutputIt, class Size, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_size<Size> = 0>
  static cudaError_t Sum(InputIt in, OutputIt out, NumSegments num_segments, Size segment_size,
                         const Env& env = {}) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return Sum(in, out, num_segments, begins, begins + 1, env);
  }
  /// Min of segments of one size, in one call.
  template <class InputIt, class OutputIt, class Size, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_size<Size> = 0>
  static cudaError_t Min(InputIt in, OutputIt out, NumSegments num_segments, Size segment_size,
                         const Env& env = {}) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return Min(in, out, num_segments, begins, begins + 1, env);
  }
  /// Max of segments of one size, in one call.
  template <class InputIt, class OutputIt, class Size, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_size<Size> = 0>
  static cudaError_t Max(InputIt in, OutputIt out, NumSegments num_segments, Size segment_size,
                         const Env& env = {}) {
    if (detail::is_negative(segment_size)) return cudaErrorInvalidValue;
    const auto begins = detail::offsets_of_size(segment_size);
    return Max(in, out, num_segments, begins, begins + 1, env);
  }
  /// ArgMin of segments of one size, in one call.
  template <class InputIt, class OutputIt, class Size, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_size<Size> = 0>
  static cudaError_t ArgMin(InputIt in, OutputIt out, NumSegments num_segments, Size segment_size,
                            const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return ArgMin(temp, temp_bytes, in, out, num_segments, segment_size, stream);
    });
  }
  /// ArgMax of segments of one size, in one call.
  template <class InputIt, class OutputIt, class Size, class NumSegments,
            class Env = execution::env<>, detail::if_one_call<NumSegments, Env> = 0,
            detail::if_size<Size> = 0>
  static cudaError_t ArgMax(InputIt in, OutputIt out, NumSegments num_segments, Size segment_size,
                            const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return ArgMax(temp, temp_bytes, in, out, num_segments, segment_size, stream);
    });
  }

 private:
  template <class Accumulator, class OutputIt, class T, class Op>
  static auto sums_to(OutputIt out, T init, Op op) {
    const auto to = detail::cuda::unwrap(out);
    using iterator = std::decay_t<decltype(to)>;
    if constexpr (std::is_same_v<T, Accumulator>) {
      using fold = detail::cuda::fold_with<Accumulator, Op>;
      return detail::cuda::segment_sums<iterator, Accumulator, fold>{to, init, fold{op}};
    } else {
      return detail::cuda::segment_sums_from<iterator, Accumulator, Op, T>{to, init, op};
    }
  }

  ///   PairOfVoid  what an output without a value type gets
  template <class Less, class PairOfVoid, class InputIt, class OutputIt, class BeginIt, class EndIt,
            class NumSegments>
  static cudaError_t extremum(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                              NumSegments num_segments, BeginIt begin_offsets, EndIt end_offsets,
                              detail::item_t<InputIt> of_empty, cudaStream_t stream) {
    if (detail::is_negative(num_segments)) return cudaErrorInvalidValue;
    using Item = detail::item_t<InputIt>;
    using Pair = detail::held_t<OutputIt, PairOfVoid>;
    using Value = typename detail::cuda::members_of_pair<Pair>::value;
    if constexpr (detail::is_plain<Item> && detail::is_plain<Value>) {
      const auto to = detail::cuda::unwrap(out);
      const auto of_none = static_cast<Value>(of_empty);
      return detail::cuda::reduce_ranges<detail::cuda::indexed_item<Value>>(
          temp, temp_bytes, in, begin_offsets, end_offsets, detail::to_known_size(num_segments),
          detail::cuda::segment_extrema<std::decay_t<decltype(to)>, Pair, Value>{to, of_none},
          detail::cuda::indexed_item<Value>{0, of_none}, detail::cuda::first_of_two<Less>{},
          stream);
    } else if constexpr (std::is_same_v<Less, ::cuda::std::less<>>) {
      return cub::DeviceSegmentedReduce::ArgMin(temp, temp_bytes, in, out, num_segments,
                                                begin_offsets, end_offsets, stream);
    } else {
      return cub::DeviceSegmentedReduce::ArgMax(temp, temp_bytes, in, out, num_segments,
                                                begin_offsets, end_offsets, stream);
    }
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
