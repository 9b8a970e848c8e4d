// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-length encoding in CUB's shape: names, argument order and two phases of cub::Device*, so that
// one template body compiles against either namespace.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items, too little room),
//           before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/run_length_encode.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

namespace hindsight {

inline namespace HINDSIGHT_ARCH_ABI {

/// Run-length encoding.
/// Time and Memory as run_length_encode.
///   Example
///     thrust::device_vector<int> in(1000, 7), unique(1000), lengths(1000), runs(1);
///     std::size_t bytes = 0;
///     hindsight::DeviceRunLengthEncode::Encode(nullptr, bytes, in.begin(), unique.begin(),
///         lengths.begin(), runs.begin(), 1000);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceRunLengthEncode::Encode(temp.data().get(), bytes, in.begin(),
///         unique.begin(), lengths.begin(), runs.begin(), 1000);
struct DeviceRunLengthEncode {
  /// For each run of equal items: its last item, and its length. Items are compared as what
  /// unique_out holds, as in CUB. Nothing may overlap.
  ///   num_runs  [1], written
  template <class InputIt, class UniqueOut, class LengthsOut, class NumRunsIt, class NumItems>
  static cudaError_t Encode(void* temp, std::size_t& temp_bytes, InputIt in, UniqueOut unique_out,
                            LengthsOut lengths_out, NumRunsIt num_runs, NumItems num_items,
                            cudaStream_t stream = 0) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::run_length_encode(temp, temp_bytes, detail::keys_of_runs<UniqueOut>(in),
                                           unique_out, lengths_out, detail::cuda::unwrap(num_runs),
                                           detail::to_size(num_items), ::cuda::std::equal_to<>{},
                                           stream);
  }

  /// For each run of two equal items or more: where it begins, and its length. Nothing may overlap.
  ///   num_runs  [1], written
  template <class InputIt, class OffsetsOut, class LengthsOut, class NumRunsIt, class NumItems>
  static cudaError_t NonTrivialRuns(void* temp, std::size_t& temp_bytes, InputIt in,
                                    OffsetsOut offsets_out, LengthsOut lengths_out,
                                    NumRunsIt num_runs, NumItems num_items,
                                    cudaStream_t stream = 0) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return detail::cuda::non_trivial_runs(
        temp, temp_bytes, in, offsets_out, lengths_out, detail::cuda::unwrap(num_runs),
        detail::to_size(num_items), ::cuda::std::equal_to<>{}, stream);
  }

  /// Encode in one call.
  template <class InputIt, class UniqueOut, class LengthsOut, class NumRunsIt, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t Encode(InputIt in, UniqueOut unique_out, LengthsOut lengths_out,
                            NumRunsIt num_runs, NumItems num_items, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return Encode(temp, temp_bytes, in, unique_out, lengths_out, num_runs, num_items, stream);
    });
  }
  /// NonTrivialRuns in one call.
  template <class InputIt, class OffsetsOut, class LengthsOut, class NumRunsIt, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t NonTrivialRuns(InputIt in, OffsetsOut offsets_out, LengthsOut lengths_out,
                                    NumRunsIt num_runs, NumItems num_items, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return NonTrivialRuns(temp, temp_bytes, in, offsets_out, lengths_out, num_runs, num_items,
                            stream);
    });
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
