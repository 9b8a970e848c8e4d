// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two halves of a radix sort's pass as separate calls: the counts of all digits, and the move
// of keys to places that the caller gives for each digit.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/digit_histogram.cuh>
#include <hindsight/detail/cuda/sort_pass.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// starts[p * num_digits + d] = how many of keys[0, n) have a smaller digit than d in pass p. In
/// CUB's two phases.
template <class Direction, class Key>
cudaError_t find_digit_starts(void* temp, std::size_t& temp_bytes, const Key* keys, std::size_t n,
                              digit_passes passes, std::uint64_t* starts, cudaStream_t stream) {
  using tuning = sort_tuning<Key, no_value>;
  carver space{temp};
  const auto state = space.take<launch_state>(1);
  const auto plan = space.take<sort_plan>(1);
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  HINDSIGHT_TRY(cudaMemsetAsync(space.begin(), 0, space.used_bytes(), stream));
  const std::size_t num_starts = std::size_t(passes.count()) * tuning::num_digits;
  HINDSIGHT_TRY(cudaMemsetAsync(starts, 0, num_starts * sizeof *starts, stream));
  int multiprocessors = 0;
  HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
  const std::size_t num_tiles =
      (n + tuning::histogram_tile_items - 1) / tuning::histogram_tile_items;
  const auto blocks = static_cast<unsigned>(::cuda::std::min<std::size_t>(
      num_tiles, std::size_t(multiprocessors) * tuning::histogram_blocks));
  if (blocks == 0) return cudaSuccess;
  HINDSIGHT_LAUNCH(blocks, tuning::block_threads, 0, stream,
                   digit_histogram_kernel<tuning, Direction>)
  (keys, n, passes, starts, 0, skew_test{}, plan, state);
  return detail::reported(cudaPeekAtLastError());
}

/// Moves in[0, n), stably: the keys of digit d go to keys_out[starts[d]] and behind it, their
/// values likewise. `starts` is on the device; places may be anywhere. In CUB's two phases.
///   Memory  a word for each digit and tile
template <class Direction, class Key, class Value>
cudaError_t partition_by_digit(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                               Key* keys_out, const Value* values_in, Value* values_out,
                               std::size_t n, digit_of<Direction, Key> digit,
                               const std::uint64_t* starts, cudaStream_t stream) {
  using tuning = sort_tuning<Key, Value, tiles::large>;
  using word = std::uint64_t;
  const std::size_t num_tiles = (n + tuning::tile_items - 1) / tuning::tile_items;
  constexpr int ahead = tuning::rows_ahead * tuning::num_digits;  // zero, as in the sort
  carver space{temp};
  const auto plan = space.take<sort_plan>(1);
  const auto ticket = space.take<unsigned>(1);
  word* const board = space.take<word>(ahead + num_tiles * tuning::num_digits) + ahead;
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (num_tiles > max_blocks) return cudaErrorInvalidConfiguration;
  if (num_tiles == 0) return cudaSuccess;
  HINDSIGHT_TRY(cudaMemsetAsync(space.begin(), 0, space.used_bytes(), stream));
  // varying = 1: a pass of one digit. No copy from the host, which a graph would read too late.
  HINDSIGHT_TRY(cudaMemsetAsync(&plan->varying, 1, 1, stream));
  constexpr auto kernel = sort_pass_kernel<tuning, Direction, Key, Value, std::size_t, word>;
  constexpr std::size_t shared_bytes = sizeof(sort_pass_storage<tuning, Key, Value, word>);
  HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), tuning::block_threads, shared_bytes, stream,
                   kernel)
  (sort_buffers<Key>{keys_in, keys_out, nullptr},
   sort_buffers<Value>{values_in, values_out, nullptr}, n, plan,
   pass_launch{sort_phase::all_digits, 0, 0, false}, digit, starts,
   ::cuda::std::array<word*, 2>{board, nullptr}, ticket);
  return detail::reported(cudaPeekAtLastError());
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
