// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions in CUB's shape: names, argument order and two phases of cub::Device*, so that one
// template body compiles against either namespace.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items, too little room),
//           before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/reduce.cuh>
#include <hindsight/detail/cuda/reduce_by_key.cuh>
#include <hindsight/detail/dispatch/device_extrema.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

#include <cuda/functional>
#include <cuda/std/limits>

namespace hindsight {

inline namespace HINDSIGHT_ARCH_ABI {

/// Reductions, of all items and by key; the least and the greatest item and their places.
/// Time and Memory as reduce and reduce_by_key.
///   Example
///     thrust::device_vector<float> in(1000, 2.0f), sum(1);
///     std::size_t bytes = 0;
///     hindsight::DeviceReduce::Sum(nullptr, bytes, in.begin(), sum.begin(), 1000);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceReduce::Sum(temp.data().get(), bytes, in.begin(), sum.begin(), 1000);
struct DeviceReduce : detail::device_extrema {
  using device_extrema::ArgMax;
  using device_extrema::ArgMin;
  using device_extrema::ArgMinLastMax;
  using device_extrema::ArgMinMax;

  /// *out = init op unary(in[0]) op ... op unary(in[n - 1]).
  ///   Order  CUB's, to the bit; it depends on whether `in` is a raw pointer
  template <class InputIt, class OutputIt, class Op, class Unary, class T, class NumItems>
  static cudaError_t TransformReduce(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                     NumItems num_items, Op op, Unary unary, T init,
                                     cudaStream_t stream = 0) {
    return transform_reduce<detail::cuda::strip_rule::as_stock>(temp, temp_bytes, in, out,
                                                                num_items, op, unary, init, stream);
  }

  /// *out = init op in[0] op ... op in[n - 1].
  template <class InputIt, class OutputIt, class Op, class T, class NumItems>
  static cudaError_t Reduce(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumItems num_items, Op op, T init, cudaStream_t stream = 0) {
    return TransformReduce(temp, temp_bytes, in, out, num_items, op, ::cuda::std::identity{}, init,
                           stream);
  }

  /// Reduce with op = plus<>, from a zero of the output's type.
  template <class InputIt, class OutputIt, class NumItems>
  static cudaError_t Sum(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                         NumItems num_items, cudaStream_t stream = 0) {
    return Reduce(temp, temp_bytes, in, out, num_items, ::cuda::std::plus<>{},
                  detail::output_t<OutputIt, InputIt>{}, stream);
  }

  /// The least item; the largest number of its type if there are no items or none is less.
  template <class InputIt, class OutputIt, class NumItems>
  static cudaError_t Min(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                         NumItems num_items, cudaStream_t stream = 0) {
    return Reduce(temp, temp_bytes, in, out, num_items, ::cuda::minimum<>{},
                  ::cuda::std::numeric_limits<detail::item_t<InputIt>>::max(), stream);
  }

  /// The greatest item; the lowest number of its type if there are no items or none is greater.
  template <class InputIt, class OutputIt, class NumItems>
  static cudaError_t Max(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                         NumItems num_items, cudaStream_t stream = 0) {
    return Reduce(temp, temp_bytes, in, out, num_items, ::cuda::maximum<>{},
                  ::cuda::std::numeric_limits<detail::item_t<InputIt>>::lowest(), stream);
  }

  /// For each run of equal keys: its last key, and the fold of its values. Keys are compared as
  /// what unique_out holds, as in CUB. Nothing may overlap.
  ///   num_runs  [1], written
  template <class KeyIt, class UniqueOut, class ValueIt, class AggregateOut, class NumRunsIt,
            class Op, class NumItems>
  static cudaError_t ReduceByKey(void* temp, std::size_t& temp_bytes, KeyIt keys_in,
                                 UniqueOut unique_out, ValueIt values_in,
                                 AggregateOut aggregates_out, NumRunsIt num_runs, Op op,
                                 NumItems num_items, cudaStream_t stream = 0) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    using Value = detail::item_t<ValueIt>;
    return detail::cuda::reduce_by_key<detail::accumulator_t<Op, Value, Value>>(
        temp, temp_bytes, detail::keys_of_runs<UniqueOut>(keys_in), values_in, unique_out,
        aggregates_out, detail::cuda::unwrap(num_runs), detail::to_size(num_items),
        ::cuda::std::equal_to<>{}, op, stream);
  }

  /// TransformReduce in one call. If determinism::gpu_to_gpu is required, a floating-point fold has
  /// not CUB's order but one that depends on num_items alone.
  template <class InputIt, class OutputIt, class Op, class Unary, class T, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t TransformReduce(InputIt in, OutputIt out, NumItems num_items, Op op,
                                     Unary unary, T init, const Env& env = {}) {
    using item = std::decay_t<::cuda::std::invoke_result_t<Unary&, detail::item_t<InputIt>>>;
    using accumulator = detail::accumulator_t<Op, item, T>;
    constexpr bool is_met =
        detail::is_same_on_every_gpu<accumulator, Op, InputIt> &&
        (detail::cuda::is_exact<accumulator> || std::is_same_v<Unary, ::cuda::std::identity>);
    constexpr auto strips = detail::part_traits<Env>::required == detail::determined::gpu_to_gpu
                                ? detail::cuda::strip_rule::by_size
                                : detail::cuda::strip_rule::as_stock;
    return detail::fold_in_one_call<is_met>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return transform_reduce<strips>(temp, temp_bytes, in, out, num_items, op, unary, init,
                                          stream);
        });
  }
  /// Reduce in one call.
  template <class InputIt, class OutputIt, class Op, class T, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t Reduce(InputIt in, OutputIt out, NumItems num_items, Op op, T init,
                            const Env& env = {}) {
    return TransformReduce(in, out, num_items, op, ::cuda::std::identity{}, init, env);
  }
  /// Sum in one call.
  template <class InputIt, class OutputIt, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t Sum(InputIt in, OutputIt out, NumItems num_items, const Env& env = {}) {
    return Reduce(in, out, num_items, ::cuda::std::plus<>{}, detail::output_t<OutputIt, InputIt>{},
                  env);
  }
  /// Min in one call, from the largest number of the output's type, as in CUB.
  template <class InputIt, class OutputIt, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t Min(InputIt in, OutputIt out, NumItems num_items, const Env& env = {}) {
    return Reduce(in, out, num_items, ::cuda::minimum<>{},
                  ::cuda::std::numeric_limits<written_number<OutputIt, InputIt>>::max(), env);
  }
  /// Max in one call, from the lowest number of the output's type, as in CUB.
  template <class InputIt, class OutputIt, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t Max(InputIt in, OutputIt out, NumItems num_items, const Env& env = {}) {
    return Reduce(in, out, num_items, ::cuda::maximum<>{},
                  ::cuda::std::numeric_limits<written_number<OutputIt, InputIt>>::lowest(), env);
  }
  /// ReduceByKey in one call.
  template <class KeyIt, class UniqueOut, class ValueIt, class AggregateOut, class NumRunsIt,
            class Op, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t ReduceByKey(KeyIt keys_in, UniqueOut unique_out, ValueIt values_in,
                                 AggregateOut aggregates_out, NumRunsIt num_runs, Op op,
                                 NumItems num_items, const Env& env = {}) {
    return detail::fold_in_one_call<detail::is_same_on_every_gpu<
        detail::accumulator_t<Op, detail::item_t<ValueIt>, detail::item_t<ValueIt>>, Op, ValueIt>>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ReduceByKey(temp, temp_bytes, keys_in, unique_out, values_in, aggregates_out,
                             num_runs, op, num_items, stream);
        });
  }

 private:
  /// The numbers that an output holds, or those of the input if it holds none.
  template <class OutputIt, class InputIt, class Output = detail::output_t<OutputIt, InputIt>>
  using written_number = std::conditional_t<::cuda::std::numeric_limits<Output>::is_specialized,
                                            Output, detail::item_t<InputIt>>;

  template <detail::cuda::strip_rule Strips, class InputIt, class OutputIt, class Op, class Unary,
            class T, class NumItems>
  static cudaError_t transform_reduce(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                      NumItems num_items, Op op, Unary unary, T init,
                                      cudaStream_t stream) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    using item = std::decay_t<::cuda::std::invoke_result_t<Unary&, detail::item_t<InputIt>>>;
    return detail::cuda::reduce<detail::accumulator_t<Op, item, T>,
                                detail::cuda::cub_offset_bits<detail::offset_of<NumItems>>, Strips>(
        temp, temp_bytes, in, detail::to_size(num_items), unary, op, init,
        detail::cuda::unwrap(out), stream);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
